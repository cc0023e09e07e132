//! Reads the observations and the learnings of summaries from a claude-mem database.
//!
//! The database is opened read-only. Its tables have changed over time: a missing column counts as
//! empty.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::Value;
use tacit_core::{BuiltinType, clean};

use crate::draft::{self, Attribution, Statement, named_paths};
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
    let connection = open(path)?;
    let mut items = Vec::new();
    for (table, statement) in [
        ("observations", observation as fn(&Record, &str) -> Result<Statement, &'static str>),
        ("session_summaries", summary),
    ] {
        for record in records(&connection, table, project)? {
            items.extend(draft::items(statement(&record, name), record.id, ATTRIBUTION));
        }
    }
    Ok(items)
}

/// Returns the projects in the database with their number of observations, largest first.
pub fn projects(path: &Path) -> Result<Vec<(String, usize)>, BridgeError> {
    let connection = open(path)?;
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

fn open(path: &Path) -> Result<Connection, BridgeError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(2))?;
    for table in ["observations", "session_summaries"] {
        if has_table(&connection, table)? {
            return Ok(connection);
        }
    }
    Err(BridgeError::Other("not a claude-mem database: there is no table `observations`".into()))
}

fn has_table(connection: &Connection, table: &str) -> Result<bool, BridgeError> {
    let sql = "SELECT count(*) > 0 FROM sqlite_schema WHERE name = ?";
    Ok(connection.query_row(sql, [table], |row| row.get(0))?)
}

impl From<rusqlite::Error> for BridgeError {
    fn from(error: rusqlite::Error) -> BridgeError {
        BridgeError::Other(format!("the database cannot be read: {error}"))
    }
}

/// The columns that are read, from either table.
const COLUMNS: [&str; 15] = [
    "id",
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

/// A row with its columns as text.
struct Record {
    id: usize,
    columns: Vec<(&'static str, String)>,
}

impl Record {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Record> {
        let mut record = Record { id: 0, columns: Vec::new() };
        for (index, name) in COLUMNS.into_iter().enumerate() {
            let text = match row.get_ref(index)? {
                ValueRef::Text(bytes) => clean(&String::from_utf8_lossy(bytes)).text.into_owned(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => continue,
            };
            if name == "id" {
                record.id = text.parse().unwrap_or(0);
            }
            record.columns.push((name, text));
        }
        Ok(record)
    }

    /// Returns a column unless it is empty.
    fn text(&self, name: &str) -> Option<&str> {
        let found = self.columns.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| text.trim()).filter(|text| !text.is_empty())
    }

    /// Returns a column that is a JSON list of strings.
    fn list(&self, name: &str) -> Vec<String> {
        match self.text(name).and_then(|text| serde_json::from_str(text).ok()) {
            Some(Value::Array(values)) => values
                .iter()
                .filter_map(Value::as_str)
                .map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty())
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns a reference such as `claude-mem.db#observation 12, 2025-10-03`.
    fn reference(&self, file: &str, what: &str) -> String {
        let day: String =
            self.text("created_at").unwrap_or_default().chars().take("2025-10-03".len()).collect();
        let day = if day.is_empty() { day } else { format!(", {day}") };
        format!("{file}#{what} {}{day}", self.id)
    }
}

fn records(
    connection: &Connection,
    table: &str,
    project: Option<&str>,
) -> Result<Vec<Record>, BridgeError> {
    if !has_table(connection, table)? {
        return Ok(Vec::new());
    }
    let existing = columns(connection, table)?;
    let chosen = COLUMNS.map(|name| if existing.contains(&name) { name } else { "NULL" });
    let sql = format!("SELECT {} FROM {table} ORDER BY rowid", chosen.join(", "));
    let mut statement = connection.prepare(&sql)?;
    let mut records = statement.query_map([], Record::from_row)?.collect::<Result<Vec<_>, _>>()?;
    records.retain(|record| project.is_none_or(|name| record.text("project") == Some(name)));
    Ok(records)
}

/// Returns the known columns of a table. Names are compared as bytes, because in a damaged database
/// they need not be text.
fn columns(connection: &Connection, table: &str) -> Result<Vec<&'static str>, BridgeError> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?)")?;
    let names = statement.query_map([table], |row| match row.get_ref(0)? {
        ValueRef::Text(bytes) => Ok(COLUMNS.into_iter().find(|name| name.as_bytes() == bytes)),
        _ => Ok(None),
    })?;
    Ok(names.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn observation(record: &Record, file: &str) -> Result<Statement, &'static str> {
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
        reference: record.reference(file, "observation"),
        paths,
    })
}

fn summary(record: &Record, file: &str) -> Result<Statement, &'static str> {
    let learned = record.text("learned").ok_or("the summary has no learnings")?;
    let mut paths = record.list("files_edited");
    paths.extend(named_paths(learned));
    Ok(Statement {
        line: record.id,
        title: record.text("request").map(str::to_owned),
        content: learned.to_owned(),
        kind: Some(BuiltinType::ModuleInsight),
        tags: vec!["summary".into()],
        reference: record.reference(file, "summary"),
        paths,
        ..Statement::default()
    })
}
