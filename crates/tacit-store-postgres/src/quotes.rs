//! Removal of quotations of purged memories.
//!
//! Prompts and injections are in the session log and in the observer's conclusions. Whole rows are
//! removed: a gap in the log is better than an incomplete purge. Memories are never touched; each
//! is purged by itself. What the history says of another memory is blanked where it quotes, unless
//! that memory still says the same: its history would no longer tell what it is.
//!
//! Quotations are found by the program, not by the server, so only rows that the user sees are
//! searched: the sessions of others are not.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};
use tacit_core::log::unpack_body;
use tacit_core::{MemoryId, Quotations};
use tacit_store::{ErasedRows, StoreResult, without_quotations};
use tokio_postgres::types::Type;

use crate::columns::Columns;
use crate::connection::Connection;
use crate::keyed::{Key, KeyedTable, Select};

/// The fields of a memory that say something.
const SAYING: [&str; 5] = ["content", "title", "reasoning", "details", "cues"];

/// The treatment of a row that quotes a purged memory.
#[derive(Clone, Copy, PartialEq)]
enum Treatment {
    Delete,
    /// Sets the columns that quote it to this value.
    Set(Option<&'static str>),
    /// Replaces the strings that quote it in the JSON of its columns.
    Blank,
}

use Treatment::{Blank, Delete, Set};

/// A table that may quote a memory.
struct Quoting {
    table: KeyedTable,
    /// The columns with text.
    columns: &'static [&'static str],
    treatment: Treatment,
}

const fn own(name: &'static str) -> KeyedTable {
    KeyedTable { name, key: &[("seq", "bigint")], own: true }
}

const fn shared(name: &'static str, key: &'static [(&'static str, &'static str)]) -> KeyedTable {
    KeyedTable { name, key, own: false }
}

/// The tables that may quote a memory, their columns with text, and the treatment of their rows.
const QUOTING: [Quoting; 9] = [
    Quoting {
        table: own("agent_events"),
        columns: &["tool", "subject", "body"],
        treatment: Delete,
    },
    Quoting {
        table: KeyedTable { name: "agent_event_paths", key: &[("id", "bigint")], own: true },
        columns: &["cwd", "transcript"],
        treatment: Delete,
    },
    Quoting { table: own("agent_notes"), columns: &["text", "files", "body"], treatment: Delete },
    Quoting {
        table: own("agent_injections"),
        columns: &["text", "why", "fate_why"],
        treatment: Set(Some("")),
    },
    Quoting {
        table: KeyedTable {
            name: "observer_error_patterns",
            key: &[("owner", "text"), ("fingerprint", "text"), ("tool", "text")],
            own: true,
        },
        columns: &["tool", "message", "resolved_how"],
        treatment: Delete,
    },
    Quoting { table: own("observer_signal_log"), columns: &["kind", "body"], treatment: Delete },
    Quoting {
        table: shared("observer_sessions", &[("owner", "text"), ("session", "text")]),
        columns: &["digest", "applied"],
        treatment: Set(None),
    },
    Quoting {
        table: shared("changes", &[("id", "bigint")]),
        columns: &["reason"],
        treatment: Set(None),
    },
    Quoting {
        table: shared("change_items", &[("change", "bigint"), ("item", "bigint")]),
        columns: &["before", "after"],
        treatment: Blank,
    },
];

/// Deletes or blanks the rows that quote a memory, in the current transaction. Returns the numbers of
/// those that were changed by table: the server passes over rows that the user may see but not change.
pub(crate) fn erase(
    connection: &Connection,
    project: i64,
    quotations: &Quotations,
) -> StoreResult<Vec<ErasedRows>> {
    let mut erased = Vec::new();
    if quotations.is_empty() {
        return Ok(erased);
    }
    for quoting in &QUOTING {
        let found = quoting.find(connection, project, quotations)?;
        if found.is_empty() {
            continue;
        }
        let table = quoting.table.name;
        if quoting.erase(connection, project, &found)? {
            erased.push(ErasedRows { table: table.to_owned(), rows: found.len() as u64 });
        } else {
            let left = quoting.find(connection, project, quotations)?.len();
            let rows = found.len().saturating_sub(left) as u64;
            erased.extend((rows > 0).then(|| ErasedRows { table: table.to_owned(), rows }));
        }
        if table == "agent_event_paths" {
            let sql = "DELETE FROM tacit.agent_events e
                 WHERE e.project = $1 AND e.owner = session_user AND e.paths IS NOT NULL
                 AND e.paths NOT IN (SELECT p.id FROM tacit.agent_event_paths p
                                     WHERE p.project = $1 AND p.owner = session_user)";
            connection.execute(sql, &[(&project, Type::INT8)])?;
        }
    }
    Ok(erased)
}

/// A row that quotes a memory, and the new values of the columns that do.
type QuotingRow = (Key, Vec<(&'static str, Option<String>)>);

impl Quoting {
    /// Returns the column with bytes, if the table has one that matters.
    fn bytes(&self) -> &'static str {
        match self.table.name {
            "agent_events" => "t.packed",
            "change_items" => "t.memory",
            _ => "NULL::bytea",
        }
    }

    /// Returns the rows that quote a memory.
    fn find(
        &self,
        connection: &Connection,
        project: i64,
        quotations: &Quotations,
    ) -> StoreResult<Vec<QuotingRow>> {
        let saying_the_same = match self.treatment {
            Blank => quoting_memories(connection, project, quotations)?,
            Delete | Set(_) => HashSet::new(),
        };
        let names = self.columns.iter().map(|column| format!("t.{column}"));
        let columns: Vec<String> = names.chain([self.bytes().to_owned()]).collect();
        let columns = columns.join(", ");
        let read = |row: &Columns<'_>| {
            let mut quoting = Vec::new();
            for (at, column) in self.columns.iter().enumerate() {
                let text = row.optional_text(at)?.filter(|text| quotations.are_in(text));
                quoting.extend(text.map(|text| (*column, self.new_value(&text, quotations))));
            }
            let bytes: Option<Vec<u8>> = row.get(self.columns.len())?;
            match (self.treatment, bytes) {
                (Blank, Some(id)) if saying_the_same.contains(&id) => quoting.clear(),
                // What is compressed and cannot be read may say anything.
                (Delete, Some(packed))
                    if unpack_body(&packed).map_or(true, |text| quotations.are_in(&text)) =>
                {
                    quoting.push(("packed", None));
                }
                _ => {}
            }
            Ok(quoting)
        };
        let mut found = Vec::new();
        self.table.visit(connection, project, &Select::columns(&columns), read, |key, row| {
            found.extend(row.ok().filter(|quoting| !quoting.is_empty()).map(|row| (key, row)));
        })?;
        Ok(found)
    }

    /// Returns the value that replaces a text.
    fn new_value(&self, text: &str, quotations: &Quotations) -> Option<String> {
        match self.treatment {
            Delete => None,
            Set(value) => value.map(str::to_owned),
            Blank => Some(without_quotations(text, quotations)),
        }
    }

    /// Deletes or changes rows. Returns false if some were passed over.
    fn erase(
        &self,
        connection: &Connection,
        project: i64,
        found: &[QuotingRow],
    ) -> StoreResult<bool> {
        if self.treatment == Delete {
            let keys: Vec<Key> = found.iter().map(|(key, _)| key.clone()).collect();
            let deleted = self.table.delete(connection, project, &keys)?;
            return Ok(deleted == keys.len() as u64);
        }
        let mut all = true;
        for column in self.columns {
            let of_column = |(key, values): &QuotingRow| {
                let (_, value) = values.iter().find(|(name, _)| name == column)?;
                Some((key.clone(), value.clone()))
            };
            let (keys, values): (Vec<Key>, Vec<_>) = found.iter().filter_map(of_column).unzip();
            all &=
                self.table.set(connection, project, column, &keys, &values)? == keys.len() as u64;
        }
        Ok(all)
    }
}

/// Returns the ids of the memories whose own text quotes a purged one.
fn quoting_memories(
    connection: &Connection,
    project: i64,
    quotations: &Quotations,
) -> StoreResult<HashSet<Vec<u8>>> {
    let memories = shared("memories", &[("seq", "bigint")]);
    let read = |row: &Columns<'_>| {
        let fields: Map<String, Json> = serde_json::from_str(row.get(1)?).unwrap_or_default();
        let quotes =
            SAYING.iter().filter_map(|field| fields.get(*field)).any(|field| match field {
                Json::String(text) => quotations.are_in(text),
                other => quotations.are_in(&other.to_string()),
            });
        Ok(quotes.then_some(row.get::<Vec<u8>>(0)?))
    };
    let mut found = HashSet::new();
    let select = Select::columns("t.id, t.doc");
    memories.visit(connection, project, &select, read, |_, row| {
        found.extend(row.ok().flatten());
    })?;
    Ok(found)
}

/// Blanks the texts of a memory's injections: those of everybody for a curator, else the user's own.
/// Returns their number.
pub(crate) fn blank_injections(
    connection: &Connection,
    project: i64,
    id: &MemoryId,
) -> StoreResult<u64> {
    let sql = "SELECT tacit.blank_injections($1, $2)";
    let id = id.as_bytes().as_slice();
    let row = connection.row(sql, &[(&project, Type::INT8), (&id, Type::BYTEA)])?;
    Ok(connection.get::<i64>(&row, 0)?.unsigned_abs())
}
