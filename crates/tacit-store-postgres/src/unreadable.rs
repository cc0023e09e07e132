//! Unreadable rows about sessions: counting and quarantine.
//!
//! Readers skip such rows, so each costs no more than itself. Only rows that the user may delete are
//! looked at.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use tacit_core::log::LogRecord;
use tacit_core::{Fate, Problem, Timestamp};
use tacit_store::{StoreError, StoreResult, UnreadableRows};

use crate::activity::{EVENT, NOTE, PATHS, SESSION, event_row, note_row, session_row};
use crate::columns::Columns;
use crate::connection::{Connection, WriterLock};
use crate::keyed::{Key, KeyedTable, Select};

/// A table whose rows are checked.
struct Checked {
    table: KeyedTable,
    select: Select<'static>,
    /// Reads a row like its readers, and what they read later.
    read: fn(&Columns<'_>) -> StoreResult<()>,
}

const fn own(name: &'static str, key: &'static [(&'static str, &'static str)]) -> KeyedTable {
    KeyedTable { name, key, own: true }
}

const CHECKED: [Checked; 6] = [
    Checked {
        table: own("agent_events", &[("seq", "bigint")]),
        select: Select { columns: EVENT, from: "", joined: PATHS, condition: "" },
        read: check_event,
    },
    Checked {
        table: own("agent_injections", &[("seq", "bigint")]),
        select: Select::columns("t.session, t.at, t.context, t.tokens, t.memory, t.fate"),
        read: check_injection,
    },
    Checked {
        table: own("agent_notes", &[("seq", "bigint")]),
        select: Select::columns(NOTE),
        read: |row| note_row(row).map(drop),
    },
    Checked {
        table: own("agent_sessions", &[("id", "text")]),
        select: Select::columns(SESSION),
        read: |row| session_row(row).map(drop),
    },
    Checked {
        table: own("observer_sessions", &[("owner", "text"), ("session", "text")]),
        select: Select::columns("t.session, t.tree, t.upto, t.digest, t.applied"),
        read: check_observed,
    },
    Checked {
        table: own("observer_signal_log", &[("seq", "bigint")]),
        select: Select::columns("t.session, t.body"),
        read: |row| {
            row.parsed::<tacit_core::SessionId>(0)?;
            is_json(row, 1)
        },
    },
];

fn check_event(row: &Columns<'_>) -> StoreResult<()> {
    let event = event_row(row)?;
    LogRecord::check(&event.record).map(drop).map_err(|problem| row.damaged(problem))
}

fn check_injection(row: &Columns<'_>) -> StoreResult<()> {
    row.parsed::<tacit_core::SessionId>(0)?;
    row.moment(1)?;
    row.count::<u32>(2)?;
    row.count::<u32>(3)?;
    row.optional_memory(4)?;
    let fate = row.get::<Option<&str>>(5)?.map(str::parse::<Fate>).transpose();
    fate.map(drop).map_err(|problem: Problem| row.damaged(problem))
}

fn check_observed(row: &Columns<'_>) -> StoreResult<()> {
    row.parsed::<tacit_core::SessionId>(0)?;
    row.parsed::<tacit_core::SessionId>(1)?;
    row.moment(2)?;
    is_json(row, 3)?;
    is_json(row, 4)
}

/// Checks a text that is JSON, empty or missing.
fn is_json(row: &Columns<'_>, at: usize) -> StoreResult<()> {
    match row.optional_text(at)?.as_deref() {
        None | Some("") => Ok(()),
        Some(text) => serde_json::from_str::<serde::de::IgnoredAny>(text)
            .map(drop)
            .map_err(|error| row.damaged(error)),
    }
}

/// Counts the unreadable rows by table.
pub(crate) fn count(connection: &Connection, project: i64) -> StoreResult<Vec<UnreadableRows>> {
    let mut found = Vec::new();
    for checked in &CHECKED {
        let rows = checked.unreadable(connection, project)?;
        found.extend(rows.first().map(|(_, why)| UnreadableRows {
            table: checked.table.name.to_owned(),
            rows: rows.len() as u64,
            why: why.clone(),
        }));
    }
    Ok(found)
}

/// Moves the unreadable rows to the end of a file. Returns their number.
pub(crate) fn quarantine(
    connection: &Connection,
    project: i64,
    file: &Path,
    at: Timestamp,
) -> StoreResult<u64> {
    connection.transaction(WriterLock::None, |connection| {
        let (mut lines, mut removals) = (String::new(), Vec::new());
        for checked in &CHECKED {
            let table = checked.table;
            let rows = checked.unreadable(connection, project)?;
            let keys: Vec<Key> = rows.iter().map(|(key, _)| key.clone()).collect();
            let mut json: HashMap<Key, String> =
                table.json(connection, project, &keys)?.into_iter().collect();
            for (key, why) in rows {
                // A row that was deleted meanwhile.
                let Some(row) = json.remove(&key) else { continue };
                let row: Value = serde_json::from_str(&row).unwrap_or(Value::String(row));
                let name = table.name;
                let line = json!({"quarantined_at": at, "table": name, "why": why, "row": row});
                lines.push_str(&format!("{line}\n"));
            }
            removals.push((table, keys));
        }
        if lines.is_empty() {
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
        for (table, keys) in removals {
            removed += table.delete(connection, project, &keys)?;
        }
        Ok(removed)
    })
}

impl Checked {
    /// Returns the keys of the unreadable rows, each with the reason.
    fn unreadable(&self, connection: &Connection, project: i64) -> StoreResult<Vec<(Key, String)>> {
        let mut found = Vec::new();
        self.table.visit(connection, project, &self.select, self.read, |key, row| {
            found.extend(row.err().map(|error| (key, reason(&error))));
        })?;
        Ok(found)
    }
}

/// Returns the reason without the address of the database.
fn reason(error: &StoreError) -> String {
    match error {
        StoreError::Damaged { detail, .. } | StoreError::Failed { detail, .. } => detail.clone(),
        other => other.to_string(),
    }
}
