//! Rows for and from another database, in pages.

mod memories;
mod observed;
mod sessions;
mod vectors;

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, TransactionBehavior, params_from_iter};
use tacit_core::Memory;
use tacit_store::{
    IndexEntry, StoreError, StoreResult, TransferPage, TransferRow, TransferStore, TransferTable,
};

pub(crate) use memories::put_memory;

use crate::activity::number;
use crate::error::explain;
use crate::store::SqliteStore;

impl TransferStore for SqliteStore {
    fn transfer_rows(
        &self,
        table: TransferTable,
        after: Option<&str>,
        limit: usize,
    ) -> StoreResult<TransferPage> {
        let pages = Pages { connection: &self.connection, path: &self.path, after, limit };
        match table {
            TransferTable::Memories => memories::memories(&pages),
            TransferTable::Changes => memories::changes(&pages),
            TransferTable::Requests => memories::requests(&pages),
            TransferTable::Links => memories::links(&pages),
            TransferTable::Models => vectors::models(&pages),
            TransferTable::Vectors => vectors::vectors(&pages),
            TransferTable::Sessions => sessions::sessions(&pages),
            TransferTable::Events => sessions::events(&pages),
            TransferTable::Injections => sessions::injections(&pages),
            TransferTable::Notes => sessions::notes(&pages),
            TransferTable::Uses => sessions::uses(&pages),
            TransferTable::ObservedSessions => observed::sessions(&pages),
            TransferTable::FileUsage => observed::files(&pages),
            TransferTable::FilePairs => observed::pairs(&pages),
            TransferTable::ErrorPatterns => observed::errors(&pages),
            TransferTable::Signals => observed::signals(&pages),
        }
    }

    fn put_rows(
        &mut self,
        rows: &[TransferRow],
        index: &dyn Fn(&Memory) -> IndexEntry,
    ) -> StoreResult<()> {
        let path = &self.path;
        let fail = |error: rusqlite::Error| explain(path, &error);
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(fail)?;
        let mut generations = vectors::Generations::default();
        for row in rows {
            if let TransferRow::Memory(row) = row {
                put_memory(&transaction, path, &row.memory, index)?;
            } else {
                put(&transaction, row, &mut generations).map_err(fail)?;
            }
        }
        transaction.commit().map_err(fail)
    }

    fn count_rows(&self, table: TransferTable) -> StoreResult<u64> {
        let from = match table {
            TransferTable::Memories => "memories",
            TransferTable::Changes => "changes",
            TransferTable::Requests => "requests",
            TransferTable::Links => memories::LINKED,
            TransferTable::Models => "models",
            TransferTable::Vectors => vectors::EMBEDDED,
            TransferTable::Sessions => "agent_sessions",
            TransferTable::Events => "agent_events",
            TransferTable::Injections => "agent_injections",
            TransferTable::Notes => "agent_notes",
            TransferTable::Uses => "memory_uses",
            TransferTable::ObservedSessions => "observer_sessions",
            TransferTable::FileUsage => "observer_file_nodes",
            TransferTable::FilePairs => "observer_co_access_edges",
            TransferTable::ErrorPatterns => "observer_error_patterns",
            TransferTable::Signals => observed::TREES,
        };
        let sql = format!("SELECT count(*) FROM {from}");
        let count: i64 = self.run(|connection| connection.query_row(&sql, [], |row| row.get(0)))?;
        Ok(count.unsigned_abs())
    }
}

fn put(
    connection: &Connection,
    row: &TransferRow,
    generations: &mut vectors::Generations,
) -> rusqlite::Result<()> {
    match row {
        TransferRow::Memory(_) => Ok(()),
        TransferRow::Change(row) => memories::put_change(connection, row),
        TransferRow::Request(row) => memories::put_request(connection, row),
        TransferRow::Links(row) => memories::put_links(connection, row),
        TransferRow::Model(row) => vectors::put_model(connection, row),
        TransferRow::Vectors(row) => vectors::put_vectors(connection, row, generations),
        TransferRow::Session(row) => sessions::put_session(connection, row),
        TransferRow::Event(event) => sessions::put_event(connection, event),
        TransferRow::Injection(row) => sessions::put_injection(connection, row),
        TransferRow::Note(note) => sessions::put_note(connection, note),
        TransferRow::Uses(uses) => sessions::put_uses(connection, uses),
        TransferRow::ObservedSession(row) => observed::put_session(connection, row),
        TransferRow::FileUsage(row) => observed::put_file(connection, row),
        TransferRow::FilePair(row) => observed::put_pair(connection, row),
        TransferRow::ErrorPattern(row) => observed::put_error(connection, row),
        TransferRow::Signals(row) => observed::put_signals(connection, row),
    }
}

/// The rows of a page.
#[derive(Clone, Copy)]
struct Source<'a> {
    /// The columns that the reader reads.
    columns: &'a str,
    /// The table, or tables with a condition.
    from: &'a str,
    /// The columns that order the rows.
    key: &'a [&'a str],
}

/// The treatment of rows that cannot be read.
#[derive(Clone, Copy, PartialEq)]
enum Unreadable {
    Fails,
    IsSkipped,
}

/// A request for a page.
struct Pages<'a> {
    connection: &'a Connection,
    path: &'a Path,
    after: Option<&'a str>,
    limit: usize,
}

impl Pages<'_> {
    /// Reads a page. A place is the key of the last row, as a JSON array.
    fn read<T>(
        &self,
        source: Source<'_>,
        unreadable: Unreadable,
        read: impl Fn(&Row<'_>) -> StoreResult<T>,
    ) -> StoreResult<(Vec<T>, Option<String>)> {
        let Source { columns, from, key } = source;
        let fail = |error: rusqlite::Error| explain(self.path, &error);
        let mut values = self.place(key.len())?;
        let after = match values.is_empty() {
            true => String::new(),
            false => {
                let word = if from.contains(" WHERE ") { "AND" } else { "WHERE" };
                format!("{word} ({}) > ({})", key.join(", "), vec!["?"; key.len()].join(", "))
            }
        };
        values.push(Value::Integer(number(self.limit)));
        let key = key.join(", ");
        let sql = format!("SELECT {columns}, {key} FROM {from} {after} ORDER BY {key} LIMIT ?");
        let mut statement = self.connection.prepare_cached(&sql).map_err(fail)?;
        let width = statement.column_count() - source.key.len();
        let mut rows = statement.query(params_from_iter(values)).map_err(fail)?;
        let (mut found, mut seen, mut last) = (Vec::new(), 0, None);
        while let Some(row) = rows.next().map_err(fail)? {
            seen += 1;
            if seen == self.limit {
                last = Some(place_of(row, width, source.key.len()).map_err(fail)?);
            }
            match read(row) {
                Ok(value) => found.push(value),
                Err(_) if unreadable == Unreadable::IsSkipped => {}
                Err(error) => return Err(error),
            }
        }
        Ok((found, last))
    }

    /// Like [`Pages::read`], for rows that need nothing more.
    fn page(
        &self,
        source: Source<'_>,
        read: impl Fn(&Row<'_>) -> StoreResult<TransferRow>,
    ) -> StoreResult<TransferPage> {
        let (rows, next) = self.read(source, Unreadable::IsSkipped, read)?;
        Ok(TransferPage { rows, next })
    }

    /// Decodes the place after which the page starts; empty for the first page.
    fn place(&self, width: usize) -> StoreResult<Vec<Value>> {
        let Some(after) = self.after else { return Ok(Vec::new()) };
        let value = |json: serde_json::Value| match json {
            serde_json::Value::Number(number) => number.as_i64().map(Value::Integer),
            serde_json::Value::String(text) => Some(Value::Text(text)),
            _ => None,
        };
        let parts: Vec<serde_json::Value> = serde_json::from_str(after).unwrap_or_default();
        let values: Option<Vec<Value>> = parts.into_iter().map(value).collect();
        values.filter(|values| values.len() == width).ok_or_else(|| StoreError::Failed {
            path: self.path.to_path_buf(),
            detail: format!("`{after}` is no place in a table"),
        })
    }
}

fn place_of(row: &Row<'_>, from: usize, width: usize) -> rusqlite::Result<String> {
    let value = |at| {
        Ok(match row.get(at)? {
            Value::Integer(number) => number.into(),
            Value::Text(text) => text.into(),
            _ => serde_json::Value::Null,
        })
    };
    let parts: rusqlite::Result<Vec<serde_json::Value>> = (from..from + width).map(value).collect();
    Ok(serde_json::Value::Array(parts?).to_string())
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use crate::migrate::migrate;
    use crate::salvage::copy::tables;

    /// Tables whose rows are in a transfer, most of them as a part of other rows.
    const COPIED: [&str; 25] = [
        "memories",
        "work_units",
        "memory_files",
        "memory_modules",
        "memory_tags",
        "memory_sessions",
        "memory_relations",
        "memory_links",
        "memory_vectors",
        "vector_queue",
        "models",
        "changes",
        "change_items",
        "requests",
        "agent_sessions",
        "agent_events",
        "agent_event_paths",
        "agent_injections",
        "agent_notes",
        "memory_uses",
        "observer_sessions",
        "observer_signal_log",
        "observer_file_nodes",
        "observer_co_access_edges",
        "observer_error_patterns",
    ];

    #[test]
    fn every_table_is_copied() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, std::path::Path::new("memory.db")).unwrap();
        let tables = tables(&connection).unwrap();
        // The text index is made again from the memories.
        // How far a copy follows a server says nothing about another database.
        let is_copied = |name: &str| {
            COPIED.contains(&name) || name.starts_with("memory_text") || name == "team_copy"
        };
        let forgotten: Vec<&str> = tables
            .iter()
            .map(|table| table.name.as_str())
            .filter(|name| !is_copied(name))
            .collect();
        assert_eq!(forgotten, [] as [&str; 0]);
    }
}
