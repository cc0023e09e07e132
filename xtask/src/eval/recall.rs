//! `cargo xtask eval recall`: scores the product's recall, and each of its parts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::de::DeserializeOwned;

use super::dataset::{Judgements, Material};
use super::metrics::RetrievalScores;
use super::{Run, folders, name};
use crate::table::{Align, Table, seconds};
use crate::workspace::{Workspace, run};

/// The search methods, as named by `tacit eval --by`, the combination first.
const METHODS: [&str; 3] = ["both", "words", "meaning"];

/// Score recall: words and meaning together, and each alone.
///
/// Each folder has `corpus.jsonl`, `queries.jsonl`, `qrels.tsv` and, for slices, `qmeta.tsv`. The
/// product ranks from the first two alone (`tacit eval`); the judgements are read afterwards. The
/// last lines show how often a hook would have answered a query that belongs to another folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Recall {
    /// Folders of data sets; all in ../shared/eval by default.
    #[arg(value_name = "FOLDER")]
    pub(crate) folders: Vec<PathBuf>,
    /// Directory for stores and ranked lists, to speed up the next run.
    #[arg(long, value_name = "DIR")]
    pub(crate) work: Option<PathBuf>,
    /// Ranking profile: balanced, relevance or seed.
    #[arg(long, default_value = "balanced")]
    pub(crate) profile: String,
}

impl Recall {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        run(&mut workspace.cargo(["build", "--release", "--locked", "--package", "tacit"]))?;
        let tacit = workspace.target()?.join("release").join("tacit");
        let temporary = tempfile::tempdir()?;
        let work = self.work.clone().unwrap_or_else(|| temporary.path().to_path_buf());
        let folders = folders(workspace, self.folders)?;
        let mut unscored = Vec::new();
        for folder in &folders {
            let name = name(folder);
            let start = Instant::now();
            let material = Material::read(folder)?;
            let mut runs = Vec::new();
            for method in METHODS {
                let arguments = ["--by", method, "--profile", &self.profile];
                runs.push((method, ranked(&tacit, folder, &work.join(&name), method, &arguments)?));
            }
            println!("{}", title(&name, &material, start.elapsed()));
            let judgements = Judgements::read(folder)?;
            if judgements.gold.is_empty() {
                println!("`qrels.tsv` has no judgements: nothing can be scored.\n");
                unscored.push(name);
            } else {
                println!("{}", table(&runs, &judgements));
            }
        }
        proactive(&tacit, &folders, &work)?;
        if !unscored.is_empty() {
            bail!("not scored because there are no judgements: {}", unscored.join(", "));
        }
        Ok(())
    }
}

/// Returns the output of `tacit eval` for every query of a folder.
pub(super) fn ranked<T: DeserializeOwned>(
    tacit: &Path,
    folder: &Path,
    work: &Path,
    label: &str,
    arguments: &[&str],
) -> Result<T> {
    std::fs::create_dir_all(work)?;
    let out = work.join(format!("{label}.json"));
    let mut command = Command::new(tacit);
    command.arg("eval").arg(folder).arg("--out").arg(&out).arg("--work").arg(work.join("stores"));
    command
        .args(arguments)
        .env("TACIT_HOME", work.join("home"))
        .stdout(std::process::Stdio::null());
    run(&mut command)?;
    let text = std::fs::read_to_string(&out)
        .with_context(|| format!("cannot read `{}`", out.display()))?;
    Ok(serde_json::from_str(&text)?)
}

/// Sends each folder the queries of the others as a hook would, and prints how many were answered
/// although they are unrelated.
fn proactive(tacit: &Path, folders: &[PathBuf], work: &Path) -> Result<()> {
    let mut table = Table::new([
        ("queries of", Align::Left),
        ("asked of", Align::Left),
        ("n", Align::Right),
        ("answered %", Align::Right),
    ]);
    let (mut all, mut answered) = (0, 0);
    for asked in folders {
        let groups = Material::read(asked)?;
        let Some(group) = groups.groups().first().map(|group| (*group).to_owned()) else {
            continue;
        };
        for other in folders.iter().filter(|other| *other != asked) {
            let mixed = work.join("proactive");
            std::fs::create_dir_all(&mixed)?;
            std::fs::copy(asked.join("corpus.jsonl"), mixed.join("corpus.jsonl"))?;
            let mut lines = String::new();
            for query in Material::read(other)?.queries.iter().take(200) {
                let query = serde_json::json!({"id": query.id, "text": query.text, "group": group});
                lines.push_str(&format!("{query}\n"));
            }
            std::fs::write(mixed.join("queries.jsonl"), lines)?;
            let run = ranked::<Run>(
                tacit,
                &mixed,
                &work.join(name(asked)),
                "proactive",
                &["--proactive"],
            )?;
            let wrong = run.values().filter(|documents| !documents.is_empty()).count();
            all += run.len();
            answered += wrong;
            let percent = 100.0 * wrong as f64 / run.len().max(1) as f64;
            table.row([name(other), name(asked), run.len().to_string(), format!("{percent:.1}")]);
        }
    }
    if all > 0 {
        let percent = 100.0 * answered as f64 / all as f64;
        println!("{table}Unrelated queries that were answered proactively: {percent:.2}%");
    }
    Ok(())
}

fn title(name: &str, material: &Material, elapsed: Duration) -> String {
    format!(
        "{name}: {} queries, {} documents, {} groups, {}",
        material.queries.len(),
        material.documents.len(),
        material.groups().len(),
        seconds(elapsed)
    )
}

/// Formats the scores of all queries and of each slice, for each method.
fn table(runs: &[(&str, Run)], judgements: &Judgements) -> String {
    let mut table = Table::new([
        ("slice", Align::Left),
        ("by", Align::Left),
        ("n", Align::Right),
        ("recall@1", Align::Right),
        ("recall@5", Align::Right),
        ("recall@10", Align::Right),
        ("NDCG@10", Align::Right),
        ("MRR", Align::Right),
    ]);
    for (slice, queries) in slices(judgements) {
        for (method, run) in runs {
            // An unanswered query scores zero, like one answered wrongly.
            let scores: Vec<RetrievalScores> = queries
                .iter()
                .map(|query| {
                    RetrievalScores::of(
                        run.get(*query).map_or(&[], Vec::as_slice),
                        &judgements.gold[*query],
                    )
                })
                .collect();
            let Some(mean) = RetrievalScores::mean(&scores) else { continue };
            let percent = |value: f64| format!("{:.2}", 100.0 * value);
            table.row([
                slice.clone(),
                (*method).to_owned(),
                scores.len().to_string(),
                percent(mean.recall_1),
                percent(mean.recall_5),
                percent(mean.recall_10),
                percent(mean.ndcg_10),
                percent(mean.mrr),
            ]);
        }
    }
    table.to_string()
}

/// Returns all judged queries, then those of each slice.
fn slices(judgements: &Judgements) -> Vec<(String, Vec<&String>)> {
    let mut slices = vec![("all".to_owned(), judgements.gold.keys().collect::<Vec<_>>())];
    for (field, values) in &judgements.fields {
        let mut by_value: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
        for query in judgements.gold.keys() {
            if let Some(value) = values.get(query) {
                by_value.entry(value).or_default().push(query);
            }
        }
        if by_value.len() > 1 {
            let named =
                by_value.into_iter().map(|(value, queries)| (format!("{field}={value}"), queries));
            slices.extend(named);
        }
    }
    slices
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_slice_has_a_row_per_method() {
        let gold = |document: &str| BTreeSet::from([document.to_owned()]);
        let judgements = Judgements {
            gold: BTreeMap::from([("q1".into(), gold("a")), ("q2".into(), gold("b"))]),
            fields: BTreeMap::from([(
                "kind".into(),
                BTreeMap::from([("q1".into(), "x".into()), ("q2".into(), "y".into())]),
            )]),
        };
        let run = |first: &str| Run::from([("q1".into(), vec![first.to_owned()])]);
        let text = table(&[("both", run("a")), ("words", run("z"))], &judgements);
        let row = |start: &[&str]| {
            text.lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>())
                .find(|cells| cells.starts_with(start))
                .map(|cells| cells[3].to_owned())
        };
        assert_eq!(row(&["all", "both", "2"]).as_deref(), Some("50.00"));
        assert_eq!(row(&["all", "words", "2"]).as_deref(), Some("0.00"));
        assert_eq!(row(&["kind=x", "both", "1"]).as_deref(), Some("100.00"));
        assert_eq!(row(&["kind=y", "both", "1"]).as_deref(), Some("0.00"));
    }
}
