//! Reads the learnings in the database of the plugin iflow, later named pd.
//!
//! The database is one for all projects and is opened read-only. An entry has a name, a description,
//! its reasoning and one of three categories.

use std::path::Path;

use tacit_core::BuiltinType;

use crate::draft::{self, Attribution, Statement, named_paths};
use crate::sqlite::{DatabaseRow, open, records};
use crate::{BridgeError, ImportItem};

const TABLE: &str = "entries";
const COLUMNS: [&str; 9] = [
    "name",
    "description",
    "reasoning",
    "category",
    "keywords",
    "references",
    "source",
    "source_project",
    "created_at",
];

/// Reads the entries of one project, or of all. `name` is used in references to the database.
pub fn read(
    path: &Path,
    name: &str,
    project: Option<&str>,
) -> Result<Vec<ImportItem>, BridgeError> {
    let connection = open(path, "an iflow database", &[TABLE])?;
    let mut entries = records(&connection, TABLE, &COLUMNS)?;
    entries.retain(|entry| project.is_none_or(|project| is_of(entry, project)));
    let items = entries.into_iter().flat_map(|entry| {
        draft::items(statement(&entry, name), entry.id, Attribution::agent("iflow"))
    });
    Ok(items.collect())
}

/// Returns the projects in the database with their number of entries, largest first.
pub fn projects(path: &Path) -> Result<Vec<(String, usize)>, BridgeError> {
    let connection = open(path, "an iflow database", &[TABLE])?;
    let mut found: Vec<(String, usize)> = Vec::new();
    for entry in records(&connection, TABLE, &COLUMNS)? {
        let Some(project) = entry.text("source_project").map(last_part) else { continue };
        match found.iter_mut().find(|(known, _)| known == project) {
            Some((_, count)) => *count += 1,
            None => found.push((project.to_owned(), 1)),
        }
    }
    found.sort_by(|(a, many), (b, more)| more.cmp(many).then(a.cmp(b)));
    Ok(found)
}

/// Returns true if an entry comes from a project, which is written as a name or as a path.
fn is_of(entry: &DatabaseRow, project: &str) -> bool {
    entry.text("source_project").is_some_and(|written| last_part(written) == project)
}

fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

fn statement(entry: &DatabaseRow, file: &str) -> Result<Statement, &'static str> {
    let content = entry.text("description").ok_or("the entry is empty")?;
    let kind = match entry.text("category") {
        Some("anti-patterns") => BuiltinType::Gotcha,
        Some("patterns") => BuiltinType::Pattern,
        _ => BuiltinType::ModuleInsight,
    };
    let day = entry.day("created_at");
    let day = if day.is_empty() { day } else { format!(", {day}") };
    let mut paths = named_paths(content);
    paths.extend(entry.list("references"));
    Ok(Statement {
        line: entry.id,
        title: entry.text("name").map(str::to_owned),
        reasoning: entry.text("reasoning").map(str::to_owned),
        content: content.to_owned(),
        kind: Some(kind),
        tags: entry.list("keywords"),
        reference: format!("{file}#entry {}{day}", entry.id),
        paths,
    })
}
