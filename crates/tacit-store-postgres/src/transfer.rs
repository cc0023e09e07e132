//! Rows for and from another database, in pages.
//!
//! Only the user's own sessions are copied, with everything derived from them, and only the memories that
//! the user can see.

mod observed;
mod put;
mod sessions;
mod team;
mod vectors;

use tacit_core::{Memory, MemoryId};
use tacit_store::{
    IndexEntry, StoreError, StoreResult, TransferPage, TransferRow, TransferStore, TransferTable,
};
use tokio_postgres::types::Type;

use crate::activity::PATHS;
use crate::columns::Columns;
use crate::connection::{Connection, WriterLock};
use crate::error::unwritable;
use crate::keyed::{Key, KeyedTable, Select};
use crate::row::bytes_of;
use crate::store::PostgresStore;

impl TransferStore for PostgresStore {
    fn transfer_rows(
        &self,
        table: TransferTable,
        after: Option<&str>,
        limit: usize,
    ) -> StoreResult<TransferPage> {
        let only = None;
        let (connection, project) = (&self.connection, self.project);
        let pages = Pages { connection, project, after, limit, only };
        match table {
            TransferTable::Memories => team::memories(&pages),
            TransferTable::Changes => team::changes(&pages),
            TransferTable::Requests => team::requests(&pages),
            TransferTable::Links => team::links(&pages),
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
        let project = self.project;
        self.connection.transaction(WriterLock::Wait(project), |connection| {
            for run in rows.chunk_by(|one, other| one.table() == other.table()) {
                put::put(connection, project, run, index)?;
            }
            Ok(())
        })
    }

    fn count_rows(&self, table: TransferTable) -> StoreResult<u64> {
        let Source { table, select } = source(table);
        table.count(&self.connection, self.project, &select)
    }
}

/// Returns the rows of these memories in the table of links or of vectors.
pub(crate) fn rows_of(
    store: &PostgresStore,
    table: TransferTable,
    ids: &[MemoryId],
) -> StoreResult<Vec<TransferRow>> {
    let (connection, project) = (&store.connection, store.project);
    let seqs: Vec<i64> = connection.read(
        "SELECT seq FROM tacit.memories WHERE project = $1 AND id = ANY ($2)",
        &[(&project, Type::INT8), (&bytes_of(ids), Type::BYTEA_ARRAY)],
        |row| row.get(0),
    )?;
    if seqs.is_empty() {
        return Ok(Vec::new());
    }
    let (after, limit, only) = (None, usize::MAX, Some(seqs.as_slice()));
    let pages = Pages { connection, project, after, limit, only };
    let page = match table {
        TransferTable::Links => team::links(&pages)?,
        TransferTable::Vectors => vectors::vectors(&pages)?,
        _ => return Err(pages.failed("only links and vectors belong to memories")),
    };
    Ok(page.rows)
}

/// The rows of a table.
#[derive(Debug, Clone, Copy)]
struct Source {
    table: KeyedTable,
    /// Without its columns.
    select: Select<'static>,
}

/// Returns the rows of a table.
fn source(table: TransferTable) -> Source {
    let all = |name, key| {
        let select = Select::columns("");
        Source { table: KeyedTable { name, key, own: false }, select }
    };
    let own = |name, key| {
        let select = Select::columns("");
        Source { table: KeyedTable { name, key, own: true }, select }
    };
    let with = |source: Source, select| Source { select, ..source };
    let none = Select::columns("");
    let seq = &[("seq", "bigint")];
    match table {
        TransferTable::Memories => all("memories", seq),
        TransferTable::Changes => all("changes", &[("id", "bigint")]),
        TransferTable::Requests => all("requests", &[("name", "text")]),
        TransferTable::Links => {
            with(all("memories", seq), Select { condition: team::LINKED, ..none })
        }
        TransferTable::Models => all("models", seq),
        TransferTable::Vectors => {
            let joined = "JOIN tacit.models o ON o.project = t.project";
            let select = Select { joined, condition: vectors::EMBEDDED, ..none };
            with(all("memories", &[("seq", "bigint"), ("o.seq", "bigint")]), select)
        }
        TransferTable::Sessions => own("agent_sessions", &[("id", "text")]),
        TransferTable::Events => with(own("agent_events", seq), Select { joined: PATHS, ..none }),
        TransferTable::Injections => own("agent_injections", seq),
        TransferTable::Notes => own("agent_notes", seq),
        TransferTable::Uses => own("memory_uses", &[("memory", "bytea")]),
        TransferTable::ObservedSessions => own("observer_sessions", &[("session", "text")]),
        TransferTable::FileUsage => all("observer_file_nodes", &[("path", "text")]),
        TransferTable::FilePairs => all(
            "observer_co_access_edges",
            &[("file_a", "text"), ("file_b", "text"), ("source", "text")],
        ),
        TransferTable::ErrorPatterns => {
            own("observer_error_patterns", &[("fingerprint", "text"), ("tool", "text")])
        }
        TransferTable::Signals => with(
            own("observer_signal_log", &[("session", "text")]),
            Select { from: observed::TREES, ..none },
        ),
    }
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
    project: i64,
    after: Option<&'a str>,
    limit: usize,
    /// The memories whose rows are wanted; `None` for all.
    only: Option<&'a [i64]>,
}

impl Pages<'_> {
    /// Reads a page. A place is the key of the last row, as a JSON array.
    fn read<T>(
        &self,
        of: TransferTable,
        columns: &str,
        unreadable: Unreadable,
        read: impl Fn(&Columns<'_>) -> StoreResult<T>,
    ) -> StoreResult<(Vec<T>, Option<String>)> {
        let Source { table, select } = source(of);
        let after = self.place(table.key.len())?;
        let condition = match self.only {
            Some(seqs) => {
                let seqs: Vec<String> = seqs.iter().map(i64::to_string).collect();
                format!("{} AND t.seq IN ({})", select.condition, seqs.join(","))
            }
            None => select.condition.to_owned(),
        };
        let select = Select { columns, condition: &condition, ..select };
        let page =
            table.page(self.connection, self.project, &select, after.as_ref(), self.limit, read)?;
        let next = page.last().filter(|_| page.len() == self.limit);
        let next = next.map(|(key, _)| serde_json::json!(key).to_string());
        let mut rows = Vec::with_capacity(page.len());
        for (_, row) in page {
            match row {
                Ok(row) => rows.push(row),
                Err(_) if unreadable == Unreadable::IsSkipped => {}
                Err(error) => return Err(error),
            }
        }
        Ok((rows, next))
    }

    /// Like [`Pages::read`], for rows that need nothing more.
    fn page(
        &self,
        of: TransferTable,
        columns: &str,
        read: impl Fn(&Columns<'_>) -> StoreResult<TransferRow>,
    ) -> StoreResult<TransferPage> {
        let (rows, next) = self.read(of, columns, Unreadable::IsSkipped, read)?;
        Ok(TransferPage { rows, next })
    }

    /// Decodes the place after which the page starts.
    fn place(&self, width: usize) -> StoreResult<Option<Key>> {
        let Some(after) = self.after else { return Ok(None) };
        let key: Option<Key> = serde_json::from_str(after).ok();
        match key.filter(|key| key.len() == width) {
            Some(key) => Ok(Some(key)),
            None => Err(self.failed(&format!("`{after}` is no place in a table"))),
        }
    }

    fn failed(&self, detail: &str) -> StoreError {
        unwritable(self.connection.server(), &detail)
    }
}
