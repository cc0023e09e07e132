//! Reads the files of a data set: documents and queries, and separately judgements.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A document; only the group is used here, the product reads the rest.
#[derive(Debug, Deserialize)]
pub(crate) struct EvalDocument {
    pub(crate) group: String,
}

/// A query about the documents of its group.
#[derive(Debug, Deserialize)]
pub(crate) struct EvalQuery {
    pub(crate) id: String,
    pub(crate) text: String,
}

/// The part of a data set that the evaluated system may see.
#[derive(Debug)]
pub(crate) struct Material {
    pub(crate) documents: Vec<EvalDocument>,
    pub(crate) queries: Vec<EvalQuery>,
}

impl Material {
    /// Reads documents and queries.
    pub(crate) fn read(folder: &Path) -> Result<Material> {
        Ok(Material {
            documents: lines(&folder.join("corpus.jsonl"))?,
            queries: lines(&folder.join("queries.jsonl"))?,
        })
    }

    /// Returns the groups of documents.
    pub(crate) fn groups(&self) -> BTreeSet<&str> {
        self.documents.iter().map(|document| document.group.as_str()).collect()
    }
}

/// The correct answers, and the fields to slice by.
#[derive(Debug, Default)]
pub(crate) struct Judgements {
    /// For each query that can be scored, the documents that answer it.
    pub(crate) gold: BTreeMap<String, BTreeSet<String>>,
    /// For each field, the value of each query.
    pub(crate) fields: BTreeMap<String, BTreeMap<String, String>>,
}

impl Judgements {
    /// Reads the judgements and, if it exists, the table of slices.
    pub(crate) fn read(folder: &Path) -> Result<Judgements> {
        let qrels = read(&folder.join("qrels.tsv"))?;
        let meta = folder.join("qmeta.tsv");
        let meta = if meta.exists() { read(&meta)? } else { String::new() };
        Ok(Judgements { gold: gold(&qrels), fields: fields(&meta) })
    }
}

/// Parses lines of query, document and relevance. Only positive relevance counts, which also skips
/// a heading.
fn gold(qrels: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut gold: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in qrels.lines() {
        let mut columns = line.split('\t');
        if let (Some(query), Some(document), Some(relevance)) =
            (columns.next(), columns.next(), columns.next())
            && relevance.parse::<u32>().is_ok_and(|relevance| relevance > 0)
        {
            gold.entry(query.to_owned()).or_default().insert(document.to_owned());
        }
    }
    gold
}

fn fields(meta: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut lines = meta.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').skip(1).collect();
    let mut fields: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for line in lines {
        let mut columns = line.split('\t');
        let query = columns.next().unwrap_or_default();
        for (name, value) in names.iter().zip(columns) {
            let field = fields.entry((*name).to_owned()).or_default();
            field.insert(query.to_owned(), value.to_owned());
        }
    }
    fields
}

pub(super) fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text = read(path)?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(index, line)| {
            serde_json::from_str(line)
                .with_context(|| format!("`{}`, line {}", path.display(), index + 1))
        })
        .collect()
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_positive_judgements_count() {
        let gold =
            gold("query\tdocument\trel\nq1\td1\t1\nq1\td2\t2\nq1\td3\t0\nq2\td1\nq3\td4\t1\n");
        let expected = [("q1", vec!["d1", "d2"]), ("q3", vec!["d4"])];
        let found: Vec<(&str, Vec<&str>)> = gold
            .iter()
            .map(|(query, documents)| {
                (query.as_str(), documents.iter().map(String::as_str).collect())
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn slices_have_the_names_of_the_heading() {
        let fields = fields("qid\ttype\tabs\nq1\ttemporal\t0\nq2\tsingle\t1\n");
        assert_eq!(fields["type"]["q1"], "temporal");
        assert_eq!(fields["abs"]["q2"], "1");
        assert!(super::fields("").is_empty());
    }
}
