//! Reads the observations and the learnings of summaries from a claude-mem database.
//!
//! The database is opened read-only.

use std::path::Path;

use rusqlite::Connection;
use tacit_core::BuiltinType;

use crate::draft::{self, Attribution, Statement, named_paths};
use crate::sqlite::{DatabaseRow, has_table, open, records};
use crate::{BridgeError, ImportItem};

/// A model inferred these, and no person has reviewed them.
const ATTRIBUTION: Attribution =
    Attribution { source: "observer_inferred", generator: "claude-mem", confidence: Some(0.67) };

/// Reads the memories of one project, or of all. `name` is used in references to the database.
pub fn read(
    path: &Path,
    name: &str,
    project: Option<&str>,
) -> Result<Vec<ImportItem>, BridgeError> {
    let connection = open_database(path)?;
    let mut items = Vec::new();
    for (table, statement) in [
        ("observations", observation as fn(&DatabaseRow, &str) -> Result<Statement, &'static str>),
        ("session_summaries", summary),
    ] {
        let mut found = records(&connection, table, &COLUMNS)?;
        found.retain(|record| project.is_none_or(|name| record.text("project") == Some(name)));
        for record in found {
            items.extend(draft::items(statement(&record, name), record.id, ATTRIBUTION));
        }
    }
    Ok(items)
}

/// Returns the projects in the database with their number of observations, largest first.
pub fn projects(path: &Path) -> Result<Vec<(String, usize)>, BridgeError> {
    let connection = open_database(path)?;
    if !has_table(&connection, "observations")? {
        return Ok(Vec::new());
    }
    let sql = "SELECT CAST(project AS TEXT), count(*) FROM observations WHERE project IS NOT NULL
               GROUP BY 1 ORDER BY 2 DESC, 1";
    let mut statement = connection.prepare(sql)?;
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs() as usize)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn open_database(path: &Path) -> Result<Connection, BridgeError> {
    open(path, "a claude-mem database", &["observations", "session_summaries"])
}

/// The columns that are read, from either table.
const COLUMNS: [&str; 14] = [
    "project",
    "type",
    "title",
    "subtitle",
    "narrative",
    "text",
    "facts",
    "concepts",
    "files_read",
    "files_modified",
    "files_edited",
    "request",
    "learned",
    "created_at",
];

/// Returns a reference such as `claude-mem.db#observation 12, 2025-10-03`.
fn reference(record: &DatabaseRow, file: &str, what: &str) -> String {
    let day = record.day("created_at");
    let day = if day.is_empty() { day } else { format!(", {day}") };
    format!("{file}#{what} {}{day}", record.id)
}

fn observation(record: &DatabaseRow, file: &str) -> Result<Statement, &'static str> {
    let narrative = record.text("narrative").or_else(|| record.text("text")).unwrap_or_default();
    let facts: String = record.list("facts").iter().map(|fact| format!("\n- {fact}")).collect();
    let title = record.text("title");
    let content = match (narrative, facts.trim()) {
        ("", "") => {
            [title, record.text("subtitle")].into_iter().flatten().collect::<Vec<_>>().join("\n")
        }
        ("", facts) => facts.to_owned(),
        (narrative, "") => narrative.to_owned(),
        (narrative, facts) => format!("{narrative}\n\n{facts}"),
    };
    if content.is_empty() {
        return Err("the observation is empty");
    }
    let concepts = record.list("concepts");
    let class = record.text("type");
    let concept = |name: &str| concepts.iter().any(|concept| concept == name);
    let kind = match class {
        Some("decision") => BuiltinType::Decision,
        Some("bugfix") => BuiltinType::ErrorPattern,
        _ if concept("gotcha") => BuiltinType::Gotcha,
        _ if concept("trade-off") => BuiltinType::Decision,
        _ if concept("pattern") => BuiltinType::Pattern,
        _ => BuiltinType::ModuleInsight,
    };
    let mut paths = record.list("files_modified");
    paths.extend(record.list("files_read"));
    paths.extend(named_paths(&content));
    Ok(Statement {
        line: record.id,
        title: title.map(str::to_owned),
        reasoning: record.text("subtitle").map(str::to_owned),
        content,
        kind: Some(kind),
        tags: class.map(str::to_owned).into_iter().chain(concepts.iter().cloned()).collect(),
        reference: reference(record, file, "observation"),
        paths,
    })
}

fn summary(record: &DatabaseRow, file: &str) -> Result<Statement, &'static str> {
    let learned = record.text("learned").ok_or("the summary has no learnings")?;
    let mut paths = record.list("files_edited");
    paths.extend(named_paths(learned));
    Ok(Statement {
        line: record.id,
        title: record.text("request").map(str::to_owned),
        content: learned.to_owned(),
        kind: Some(BuiltinType::ModuleInsight),
        tags: vec!["summary".into()],
        reference: reference(record, file, "summary"),
        paths,
        ..Statement::default()
    })
}
