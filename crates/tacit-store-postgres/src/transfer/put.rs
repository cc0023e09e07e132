//! Writing of rows: those of one table in one statement, as JSON.

use std::collections::HashMap;

use serde_json::Value;
use tacit_core::Memory;
use tacit_store::{IndexEntry, StoreResult, TransferRow};
use tokio_postgres::types::Type;

use super::{observed, sessions, team, vectors};
use crate::connection::Connection;
use crate::text::to_stored;

/// Writes rows of one table in the current transaction.
pub(super) fn put(
    connection: &Connection,
    project: i64,
    rows: &[TransferRow],
    index: &dyn Fn(&Memory) -> IndexEntry,
) -> StoreResult<()> {
    let (mut memories, mut changes, mut links) = (Vec::new(), Vec::new(), Vec::new());
    let (mut models, mut embedded) = (Vec::new(), Vec::new());
    let mut given = Given::default();
    for row in rows {
        match row {
            TransferRow::Memory(row) => memories.push(&row.memory),
            TransferRow::Change(row) => changes.push(row),
            TransferRow::Links(row) => links.push(row),
            TransferRow::Model(row) => models.push(row),
            TransferRow::Vectors(row) => embedded.push(row),
            TransferRow::Request(row) => {
                given.add(team::PUT_REQUESTS, &row.name, team::request(row));
            }
            TransferRow::Session(row) => {
                given.add(sessions::PUT_SESSIONS, row.session.id.as_str(), sessions::session(row));
            }
            TransferRow::Event(event) => {
                given.add(sessions::PUT_EVENTS, &event.id, sessions::event(connection, event)?);
            }
            TransferRow::Injection(row) => {
                let (injection, nth) = (&row.injection, row.nth);
                let key = (&injection.session, &injection.event, injection.memory, nth);
                given.add(sessions::PUT_INJECTIONS, &format!("{key:?}"), sessions::injection(row));
            }
            TransferRow::Note(note) => {
                given.add(sessions::PUT_NOTES, &note.id, sessions::note(connection, note)?);
            }
            TransferRow::Uses(uses) => {
                let key = uses.memory.to_string();
                given.add(sessions::PUT_USES, &key, sessions::memory_uses(uses));
            }
            TransferRow::ObservedSession(row) => {
                let value = observed::session(connection, row)?;
                given.add(observed::PUT_SESSIONS, row.session.as_str(), value);
            }
            TransferRow::FileUsage(row) => {
                given.add(observed::PUT_FILES, row.file.as_str(), observed::file(row));
            }
            TransferRow::FilePair(row) => {
                let key = format!("{:?}", (&row.a, &row.b, row.source));
                given.add(observed::PUT_PAIRS, &key, observed::pair(row));
            }
            TransferRow::ErrorPattern(row) => {
                let key = format!("{:?}", (&row.error.fingerprint, &row.error.tool));
                given.add(observed::PUT_ERRORS, &key, observed::error(row));
            }
            TransferRow::Signals(row) => {
                given.add(observed::PUT_SIGNALS, row.tree.as_str(), observed::signals_of(row));
            }
        }
    }
    team::put_memories(connection, project, &memories, index)?;
    team::put_changes(connection, project, &changes)?;
    team::put_links(connection, project, &links)?;
    vectors::put_models(connection, project, &models)?;
    vectors::put_vectors(connection, project, &embedded)?;
    given.write(connection, project)
}

/// The rows of a statement. Of several with one key, the last is written in the place of the first:
/// a statement can change a row only once.
#[derive(Default)]
struct Given {
    statement: &'static str,
    places: HashMap<String, usize>,
    rows: Vec<Value>,
}

impl Given {
    fn add(&mut self, statement: &'static str, key: &str, mut row: Value) {
        self.statement = statement;
        let place = *self.places.entry(key.to_owned()).or_insert(self.rows.len());
        row["place"] = place.into();
        match self.rows.get_mut(place) {
            Some(earlier) => *earlier = row,
            None => self.rows.push(row),
        }
    }

    fn write(self, connection: &Connection, project: i64) -> StoreResult<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        write_json(connection, project, self.statement, self.rows)
    }
}

/// Runs a statement with the project and rows as JSON.
pub(super) fn write_json(
    connection: &Connection,
    project: i64,
    statement: &str,
    rows: Vec<Value>,
) -> StoreResult<()> {
    let rows = Value::Array(rows).to_string();
    connection.execute(statement, &[(&project, Type::INT8), (&rows, Type::TEXT)])?;
    Ok(())
}

/// Returns a text as it is stored.
pub(super) fn stored(text: &str) -> String {
    to_stored(text).into_owned()
}

/// Returns a text as it is stored, or `None`.
pub(super) fn optional(text: Option<&str>) -> Option<String> {
    text.map(stored)
}
