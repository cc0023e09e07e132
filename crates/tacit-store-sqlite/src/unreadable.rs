//! Unreadable rows about sessions: counting and quarantine.
//!
//! Readers skip such rows, so each costs no more than itself.

use std::io::Write;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, TransactionBehavior, params_from_iter, types};
use serde_json::{Value, json};
use tacit_core::log::{EventPaths, NoteRecord, StoredRow};
use tacit_core::{Problem, Timestamp};
use tacit_store::{StoreError, StoreResult, UnreadableRows};

use crate::error::explain;
use crate::salvage::copy::{TableSchema, tables};
use crate::salvage::validate::invalid_column;

/// The prefixes of the checked tables.
const SESSIONS: [&str; 2] = ["agent_", "observer_"];

/// Counts the unreadable rows by table.
pub(crate) fn count(connection: &Connection) -> rusqlite::Result<Vec<UnreadableRows>> {
    let mut found: Vec<UnreadableRows> = Vec::new();
    visit(connection, |table, _, why| match found.last_mut() {
        Some(last) if last.table == table.name => last.rows += 1,
        _ => found.push(UnreadableRows { table: table.name.clone(), rows: 1, why }),
    })?;
    Ok(found)
}

/// Moves the unreadable rows to the end of a file. Returns their number.
pub(crate) fn quarantine(
    connection: &mut Connection,
    path: &Path,
    file: &Path,
    at: Timestamp,
) -> StoreResult<u64> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    let (mut lines, mut removals) = (String::new(), Vec::new());
    visit(&transaction, |table, row, why| {
        let line = json!({
            "quarantined_at": at, "table": table.name, "why": why, "row": row_json(table, row),
        });
        lines.push_str(&format!("{line}\n"));
        removals.push(removal(table, row));
    })
    .map_err(fail)?;
    if removals.is_empty() {
        return Ok(0);
    }
    let write = || {
        let mut file = tacit_fs::append(file)?;
        file.write_all(lines.as_bytes())?;
        file.sync_all()
    };
    // A crash from here on leaves rows in both places, but never in neither.
    write().map_err(|source| StoreError::Io { path: file.to_path_buf(), source })?;
    let mut removed = 0;
    for (sql, key) in removals {
        let mut statement = transaction.prepare_cached(&sql).map_err(fail)?;
        removed += statement.execute(params_from_iter(key)).map_err(fail)? as u64;
    }
    transaction.commit().map_err(fail)?;
    Ok(removed)
}

/// Visits every unreadable row with the reason.
fn visit(
    connection: &Connection,
    mut visit: impl FnMut(&TableSchema, &Row<'_>, String),
) -> rusqlite::Result<()> {
    let about_sessions =
        |table: &TableSchema| SESSIONS.iter().any(|name| table.name.starts_with(name));
    for table in tables(connection)?.into_iter().filter(about_sessions) {
        let columns: Vec<&str> = table.columns.iter().map(String::as_str).collect();
        let sql = format!("SELECT {} FROM {}", columns.join(", "), table.name);
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if let Err(why) = check(&table.name, &columns, row) {
                visit(&table, row, why);
            }
        }
    }
    Ok(())
}

/// Checks that readers can read a row.
fn check(table: &str, columns: &[&str], row: &Row<'_>) -> Result<(), String> {
    let values: rusqlite::Result<Vec<types::Value>> =
        (0..columns.len()).map(|at| row.get(at)).collect();
    let values = values.map_err(|error| error.to_string())?;
    if let Some(column) = invalid_column(table, columns, &values) {
        return Err(format!("`{column}` has a value that it cannot have"));
    }
    let value =
        |name: &str| columns.iter().position(|column| *column == name).map(|at| &values[at]);
    let text = |name: &str| match value(name) {
        Some(types::Value::Text(text)) => text.as_str(),
        _ => "",
    };
    let (column, read) = match table {
        "agent_events" => {
            let paths = value("paths").filter(|paths| **paths != types::Value::Null);
            let packed = match value("packed") {
                Some(types::Value::Blob(packed)) => Some(packed.clone()),
                _ => None,
            };
            let stored = StoredRow {
                kind: text("kind").to_owned(),
                tool: None,
                subject: None,
                body: text("body").to_owned(),
                packed,
                // An event is readable without its paths.
                paths: paths.map(|_| EventPaths::default()),
            };
            ("body", check_event(stored, text("session")))
        }
        "agent_notes" => ("body", NoteRecord::decode(text("kind"), text("body")).map(drop)),
        "observer_signal_log" => ("signal_data", is_json(text("signal_data"))),
        "observer_sessions" => ("digest", is_json(text("digest")).and(is_json(text("applied")))),
        _ => return Ok(()),
    };
    read.map_err(|error| format!("`{column}` cannot be read: {error}"))
}

/// Decodes an event, its body included.
fn check_event(stored: StoredRow, session: &str) -> Result<(), Problem> {
    stored.decode(&session.parse()?)?.check()
}

fn is_json(text: &str) -> Result<(), Problem> {
    match text {
        "" => Ok(()),
        text => serde_json::from_str::<serde::de::IgnoredAny>(text)
            .map(drop)
            .map_err(|error| Problem::rule(error.to_string())),
    }
}

/// Encodes a row as JSON. Bytes that are not UTF-8 are written in hexadecimal.
fn row_json(table: &TableSchema, row: &Row<'_>) -> Value {
    let hex = |bytes: &[u8]| json!({"hex": bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()});
    let value = |at: usize| match row.get_ref(at) {
        Ok(ValueRef::Integer(number)) => json!(number),
        Ok(ValueRef::Real(number)) => json!(number),
        Ok(ValueRef::Text(bytes)) => str::from_utf8(bytes).map_or_else(|_| hex(bytes), Value::from),
        Ok(ValueRef::Blob(bytes)) => hex(bytes),
        Ok(ValueRef::Null) | Err(_) => Value::Null,
    };
    let columns = table.columns.iter().enumerate().map(|(at, name)| (name.clone(), value(at)));
    Value::Object(columns.collect())
}

/// Returns the statement that deletes a row, with its parameters.
fn removal(table: &TableSchema, row: &Row<'_>) -> (String, Vec<types::Value>) {
    let (condition, key) = row_condition(table, row);
    (format!("DELETE FROM {} WHERE {condition}", table.name), key)
}

/// Returns the condition that selects a row, with its parameters. Keys are compared as bytes,
/// because their text may be invalid.
pub(crate) fn row_condition(table: &TableSchema, row: &Row<'_>) -> (String, Vec<types::Value>) {
    let term = |column: &String| {
        let at = table.columns.iter().position(|name| name == column);
        match at.map(|at| row.get_ref(at)) {
            Some(Ok(ValueRef::Integer(number))) => (format!("{column} = ?"), number.into()),
            Some(Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes))) => {
                (format!("CAST({column} AS BLOB) = ?"), bytes.to_vec().into())
            }
            // Not a valid key.
            _ => ("? IS NOT NULL".to_owned(), types::Value::Null),
        }
    };
    let (terms, key): (Vec<String>, _) = table.key.iter().map(term).unzip();
    (terms.join(" AND "), key)
}
