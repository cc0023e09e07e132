//! Opens the databases of other tools, read-only, and reads their rows as text. Their tables have
//! changed over time: a missing column counts as empty.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::Value;
use tacit_core::clean;

use crate::BridgeError;

/// Opens a database that has one of these tables.
pub(crate) fn open(path: &Path, what: &str, tables: &[&str]) -> Result<Connection, BridgeError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(2))?;
    for table in tables {
        if has_table(&connection, table)? {
            return Ok(connection);
        }
    }
    let table = tables.first().copied().unwrap_or_default();
    Err(BridgeError::Other(format!("not {what}: there is no table `{table}`")))
}

pub(crate) fn has_table(connection: &Connection, table: &str) -> Result<bool, BridgeError> {
    let sql = "SELECT count(*) > 0 FROM sqlite_schema WHERE name = ?";
    Ok(connection.query_row(sql, [table], |row| row.get(0))?)
}

impl From<rusqlite::Error> for BridgeError {
    fn from(error: rusqlite::Error) -> BridgeError {
        BridgeError::Other(format!("the database cannot be read: {error}"))
    }
}

/// A row with its columns as text.
pub(crate) struct DatabaseRow {
    pub(crate) id: usize,
    columns: Vec<(&'static str, String)>,
}

impl DatabaseRow {
    fn from_row(row: &Row<'_>, names: &[&'static str]) -> rusqlite::Result<DatabaseRow> {
        let number: i64 = row.get(names.len()).unwrap_or(0);
        let mut record =
            DatabaseRow { id: usize::try_from(number).unwrap_or(0), columns: Vec::new() };
        for (index, name) in names.iter().enumerate() {
            let text = match row.get_ref(index)? {
                ValueRef::Text(bytes) => clean(&String::from_utf8_lossy(bytes)).text.into_owned(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => continue,
            };
            record.columns.push((name, text));
        }
        Ok(record)
    }

    /// Returns a column unless it is empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let found = self.columns.iter().find(|(known, _)| *known == name);
        found.map(|(_, text)| text.trim()).filter(|text| !text.is_empty())
    }

    /// Returns a column that is a JSON list of strings.
    pub(crate) fn list(&self, name: &str) -> Vec<String> {
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

    /// Returns the day of a column with a time, such as `2025-10-03`.
    pub(crate) fn day(&self, name: &str) -> String {
        self.text(name).unwrap_or_default().chars().take("2025-10-03".len()).collect()
    }
}

/// Reads the rows of a table, in order; none if there is no such table.
pub(crate) fn records(
    connection: &Connection,
    table: &str,
    names: &[&'static str],
) -> Result<Vec<DatabaseRow>, BridgeError> {
    if !has_table(connection, table)? {
        return Ok(Vec::new());
    }
    let existing = columns(connection, table, names)?;
    let chosen: Vec<String> = names
        .iter()
        .map(|name| match existing.contains(name) {
            true => format!("\"{name}\""),
            false => "NULL".to_owned(),
        })
        .collect();
    let sql = format!("SELECT {}, rowid FROM {table} ORDER BY rowid", chosen.join(", "));
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| DatabaseRow::from_row(row, names))?;
    Ok(rows.collect::<Result<Vec<_>, _>>()?)
}

/// Returns the known columns of a table. Names are compared as bytes, because in a damaged database
/// they need not be text.
fn columns(
    connection: &Connection,
    table: &str,
    known: &[&'static str],
) -> Result<Vec<&'static str>, BridgeError> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?)")?;
    let names = statement.query_map([table], |row| match row.get_ref(0)? {
        ValueRef::Text(bytes) => Ok(known.iter().copied().find(|name| name.as_bytes() == bytes)),
        _ => Ok(None),
    })?;
    Ok(names.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}
