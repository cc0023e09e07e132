//! `cargo xtask eval text`: the product's full-text recall.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use tacit_core::{Author, Clock, Confidence, Draft, IdSource, Memory, MemoryId, tokenize};
use tacit_engine::index_entry;
use tacit_store::{Action, ActionKind, Filter, IndexEntry, Store, TextQuery};
use tacit_store_sqlite::{Access, OpenOptions, SqliteStore};
use tacit_testkit::time::{CountedIds, StillClock};

use super::dataset::{Document, Judgements, Material};
use super::metrics::Scores;
use super::{Run, folders, name};
use crate::table::{Align, Table, seconds};
use crate::workspace::Workspace;

/// How many documents are ranked for a query; MRR looks no further.
const RANKED: usize = 100;

/// Score full-text recall.
///
/// Each folder has `corpus.jsonl`, `queries.jsonl`, `qrels.tsv` and, for slices, `qmeta.tsv`.
/// Documents of a group go into a store of their own, whole, however long.
#[derive(Debug, clap::Args)]
pub(crate) struct Text {
    /// The folders; without any, all in ../shared/eval.
    #[arg(value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Write what was returned to DIR/FOLDER.json, as `{query: [document, …]}`.
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
}

impl Text {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let mut unscored = Vec::new();
        for folder in folders(workspace, self.folders)? {
            let name = name(&folder);
            let start = Instant::now();
            let material = Material::read(&folder)?;
            let run = search(&material).with_context(|| format!("in `{name}`"))?;
            if let Some(directory) = &self.save {
                std::fs::create_dir_all(directory)?;
                let file = directory.join(format!("{name}.json"));
                std::fs::write(&file, serde_json::to_string(&run)?)
                    .with_context(|| format!("cannot write `{}`", file.display()))?;
            }
            println!("{}", title(&name, &material, start.elapsed()));
            let judgements = Judgements::read(&folder)?;
            if judgements.gold.is_empty() {
                println!("`qrels.tsv` has no judgements: nothing can be scored.\n");
                unscored.push(name);
            } else {
                println!("{}", table(&run, &judgements));
            }
        }
        if !unscored.is_empty() {
            bail!("not scored, for want of judgements: {}", unscored.join(", "));
        }
        Ok(())
    }
}

fn title(name: &str, material: &Material, took: Duration) -> String {
    format!(
        "{name}: {} queries, {} documents, {} groups, {}",
        material.queries.len(),
        material.documents.len(),
        material.groups().len(),
        seconds(took)
    )
}

/// Answers every query from the documents of its group.
fn search(material: &Material) -> Result<Run> {
    let directory = tempfile::tempdir()?;
    let mut run = Run::new();
    for (number, group) in material.groups().into_iter().enumerate() {
        let path = directory.path().join(format!("{number}.db"));
        let documents = material.documents.iter().filter(|document| document.group == group);
        let (store, names) = fill(&path, documents)?;
        for query in material.queries.iter().filter(|query| query.group == group) {
            let hits = store.search_text(&TextQuery {
                tokens: tokenize(&query.text),
                filter: Filter::default(),
                limit: RANKED,
            })?;
            let ranked =
                hits.iter().filter_map(|hit| names.get(&hit.id)).map(|id| (*id).to_owned());
            run.insert(query.id.clone(), ranked.collect());
        }
    }
    Ok(run)
}

/// A store with these documents, and the document behind each memory.
fn fill<'a>(
    path: &Path,
    documents: impl Iterator<Item = &'a Document>,
) -> Result<(SqliteStore, HashMap<MemoryId, &'a str>)> {
    let options = OpenOptions { access: Access::Create, busy_timeout: Duration::from_secs(1) };
    let mut store = SqliteStore::open(path, options)?;
    let (clock, ids) = (StillClock::default(), CountedIds::default());
    let now = clock.now();
    let action = Action {
        kind: ActionKind::Import,
        at: now,
        actor: Author::new("eval")?,
        reason: None,
        reverts: None,
    };
    let mut names = HashMap::new();
    let mut transaction = store.begin(action)?;
    for document in documents {
        // A memory's text is limited, a document's is not: the memory has the document's name for
        // its text, and the index has the whole document.
        let draft = Draft { content: document.id.clone(), ..Draft::default() };
        let said = draft.check(Confidence::HIGH).map_err(|errors| {
            anyhow!("document `{}` cannot be a memory: {errors:?}", document.id)
        })?;
        let entry =
            IndexEntry { body: tokenize(&document.text), signature: None, ..index_entry(&said) };
        let memory = Memory::begin(ids.next_id(now), said, now);
        transaction.insert(&memory)?;
        transaction.index(&memory.id, &entry)?;
        names.insert(memory.id, document.id.as_str());
    }
    transaction.commit()?;
    Ok((store, names))
}

/// The scores of all queries, then of each slice.
fn table(run: &Run, judgements: &Judgements) -> String {
    let mut table = Table::new([
        ("slice", Align::Left),
        ("n", Align::Right),
        ("recall@1", Align::Right),
        ("recall@5", Align::Right),
        ("recall@10", Align::Right),
        ("NDCG@10", Align::Right),
        ("MRR", Align::Right),
    ]);
    let scores: BTreeMap<&str, Scores> = judgements
        .gold
        .iter()
        .map(|(query, gold)| {
            // A query that was not answered scores nothing, as one answered wrongly does.
            (query.as_str(), Scores::of(run.get(query).map_or(&[], Vec::as_slice), gold))
        })
        .collect();
    let mut add = |slice: String, scores: &[Scores]| {
        if let Some(mean) = Scores::mean(scores) {
            let percent = |value: f64| format!("{:.2}", 100.0 * value);
            table.row([
                slice,
                scores.len().to_string(),
                percent(mean.recall_1),
                percent(mean.recall_5),
                percent(mean.recall_10),
                percent(mean.ndcg_10),
                percent(mean.mrr),
            ]);
        }
    };
    add("all".into(), &scores.values().copied().collect::<Vec<_>>());
    for (field, values) in &judgements.fields {
        let scored = |query: &String| scores.contains_key(query.as_str());
        let distinct: BTreeSet<&str> = values
            .iter()
            .filter(|(query, _)| scored(query))
            .map(|(_, value)| value.as_str())
            .collect();
        if distinct.len() < 2 {
            continue;
        }
        for value in distinct {
            let of_slice: Vec<Scores> = scores
                .iter()
                .filter(|(query, _)| values.get(**query).is_some_and(|v| v == value))
                .map(|(_, scores)| *scores)
                .collect();
            add(format!("{field}={value}"), &of_slice);
        }
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::super::dataset::Query;
    use super::*;

    fn material() -> Material {
        let document = |id: &str, text: &str, group: &str| Document {
            id: id.into(),
            text: text.into(),
            group: group.into(),
        };
        let query = |id: &str, text: &str, group: &str| Query {
            id: id.into(),
            text: text.into(),
            group: group.into(),
        };
        let long = format!("{} needle", "hay ".repeat(5_000));
        Material {
            documents: vec![
                document("a", "the connection pool", "one"),
                document("b", "the swimming pool", "one"),
                document("c", "the connection pool", "two"),
                document("d", &long, "two"),
            ],
            queries: vec![
                query("q1", "connection pools", "one"),
                query("q2", "connection", "two"),
                query("q3", "needle", "two"),
                query("q4", "nothing of the kind", "one"),
            ],
        }
    }

    #[test]
    fn queries_are_answered_from_their_group_and_from_whole_documents() {
        let run = search(&material()).unwrap();
        assert_eq!(run["q1"], ["a", "b"]);
        assert_eq!(run["q2"], ["c"]);
        assert_eq!(run["q3"], ["d"]);
        assert!(run["q4"].is_empty());
    }

    #[test]
    fn slices_follow_the_whole() {
        let run = search(&material()).unwrap();
        let mut judgements = Judgements::default();
        for (query, document) in [("q1", "a"), ("q2", "d"), ("q9", "a")] {
            judgements.gold.insert(query.into(), [document.to_owned()].into());
        }
        let kinds = [("q1", "good"), ("q2", "bad")];
        let kinds = kinds.map(|(query, kind)| (query.to_owned(), kind.to_owned()));
        judgements.fields.insert("kind".into(), kinds.into());
        let table = table(&run, &judgements);
        let rows: Vec<Vec<&str>> =
            table.lines().skip(2).map(|line| line.split_whitespace().take(3).collect()).collect();
        assert_eq!(
            rows,
            [["all", "3", "33.33"], ["kind=bad", "1", "0.00"], ["kind=good", "1", "100.00"]]
        );
    }
}
