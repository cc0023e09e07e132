//! Write transactions.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::{Map, Value};
use tacit_core::{ContentHash, Memory, MemoryId, Quotations, RepoPath, ShortId, Signature};
use tacit_fs::failpoint::step;
use tacit_store::{
    Action, ChangeId, ErasedRows, IdMatch, IndexEntry, StoreResult, Transaction, difference,
};

use crate::error::explain;
use crate::history::{add_item, open_change};
use crate::index::{self, bands, remove_bands};
use crate::lists;
use crate::quotes;
use crate::row::{put, read, seq_of};
use crate::store::{identifier, matches};
use crate::write_counter::WriteCounter;

/// A transaction that holds the write lock from its start.
pub(crate) struct SqliteTransaction<'a> {
    inner: rusqlite::Transaction<'a>,
    path: &'a Path,
    action: Action,
    /// The row of the change, inserted with the first write.
    change: Option<ChangeId>,
    /// The greatest row number of an inserted memory.
    newest: i64,
    write_counter: Option<&'a WriteCounter>,
}

impl<'a> SqliteTransaction<'a> {
    /// Starts a transaction. The store is borrowed as long as it lasts, so there is never a second
    /// one.
    pub(crate) fn begin(
        connection: &'a Connection,
        path: &'a Path,
        action: Action,
        write_counter: Option<&'a WriteCounter>,
    ) -> StoreResult<SqliteTransaction<'a>> {
        let immediate = TransactionBehavior::Immediate;
        let inner = rusqlite::Transaction::new_unchecked(connection, immediate)
            .map_err(|error| explain(path, &error))?;
        Ok(SqliteTransaction { inner, path, action, change: None, newest: 0, write_counter })
    }

    fn run<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> StoreResult<T> {
        work(&self.inner).map_err(|error| explain(self.path, &error))
    }

    fn record(
        &mut self,
        memory: &MemoryId,
        before: Option<&Map<String, Value>>,
        after: Option<&Map<String, Value>>,
    ) -> StoreResult<()> {
        let change = match self.change {
            Some(change) => change,
            None => self.run(|connection| open_change(connection, &self.action))?,
        };
        self.change = Some(change);
        self.run(|connection| add_item(connection, change, memory, before, after))
    }
}

impl Transaction for SqliteTransaction<'_> {
    fn read(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        read(&self.inner, self.path, ids)
    }

    fn find_identical(&self, hash: &ContentHash) -> StoreResult<Vec<IdMatch>> {
        matches(
            &self.inner,
            self.path,
            "SELECT id, status FROM memories WHERE content_hash = ? ORDER BY id",
            &[hash.as_bytes()],
        )
    }

    fn find_similar(&self, signature: &Signature, limit: usize) -> StoreResult<Vec<MemoryId>> {
        // A few per band, so that a band shared by thousands of similar memories costs no more than
        // a small one.
        const PER_BAND: usize = 4;
        let mut seqs: Vec<i64> = Vec::new();
        for band in bands(signature) {
            self.run(|connection| {
                let mut statement = connection.prepare_cached(
                    "SELECT b.memory FROM memory_bands b JOIN memories m ON m.seq = b.memory
                     WHERE b.band = ? AND m.status = 'active'
                     ORDER BY b.memory DESC LIMIT ?",
                )?;
                let rows = statement.query_map(params![band, PER_BAND as i64], |row| row.get(0))?;
                for seq in rows {
                    let seq = seq?;
                    if !seqs.contains(&seq) {
                        seqs.push(seq);
                    }
                }
                Ok(())
            })?;
        }
        seqs.sort_unstable_by(|a, b| b.cmp(a));
        seqs.truncate(limit);
        seqs.iter()
            .map(|seq| {
                let id = self.run(|connection| {
                    connection
                        .prepare_cached("SELECT id FROM memories WHERE seq = ?")?
                        .query_row([seq], |row| row.get(0))
                })?;
                identifier(self.path, id)
            })
            .collect()
    }

    fn is_taken(&self, short: ShortId) -> StoreResult<bool> {
        self.run(|connection| {
            connection
                .prepare_cached("SELECT 1 FROM memories WHERE short = ?")?
                .exists([short.value()])
        })
    }

    fn find_by_file(&self, path: &RepoPath) -> StoreResult<Vec<MemoryId>> {
        let found = matches(
            &self.inner,
            self.path,
            "SELECT m.id, m.status FROM memory_files f JOIN memories m ON m.seq = f.memory
             WHERE f.path = ?1
             UNION
             SELECT m.id, m.status FROM memory_relations r JOIN memories m ON m.seq = r.memory
             WHERE r.target_file = ?1
             UNION
             SELECT m.id, m.status FROM memory_links l JOIN memories m ON m.seq = l.memory
             WHERE l.path = ?1 ORDER BY 1",
            &[path.as_str()],
        )?;
        Ok(found.into_iter().map(|found| found.id).collect())
    }

    fn claim_request(&mut self, request: &str) -> StoreResult<bool> {
        let new = self.run(|connection| {
            connection
                .prepare_cached(
                    "INSERT INTO requests (name, at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                )?
                .execute(params![request, self.action.at.as_millis()])
        })?;
        Ok(new == 1)
    }

    fn insert(&mut self, memory: &Memory) -> StoreResult<()> {
        self.newest = self.run(|connection| {
            let seq = put(connection, memory, None)?;
            lists::put(connection, seq, None, memory).map(|()| seq)
        })?;
        self.record(&memory.id, None, Some(&fields(memory)))
    }

    fn update(&mut self, before: &Memory, after: &Memory) -> StoreResult<()> {
        let Some((old, new)) = difference(&fields(before), &fields(after)) else {
            return Ok(());
        };
        self.run(|connection| {
            let seq = seq_of(connection, &before.id)?;
            put(connection, after, Some(seq))?;
            lists::put(connection, seq, Some(before), after)
        })?;
        self.record(&before.id, Some(&old), Some(&new))
    }

    fn remove(&mut self, memory: &Memory) -> StoreResult<()> {
        self.run(|connection| remove_rows(connection, seq_of(connection, &memory.id)?))?;
        self.record(&memory.id, Some(&fields(memory)), None)
    }

    fn erase_history(&mut self, id: &MemoryId) -> StoreResult<()> {
        self.run(|connection| erase_history(connection, id))
    }

    fn erase_quotes(&mut self, quotations: &Quotations) -> StoreResult<Vec<ErasedRows>> {
        self.run(|connection| quotes::erase(connection, quotations))
    }

    fn index(&mut self, id: &MemoryId, entry: &IndexEntry) -> StoreResult<()> {
        self.run(|connection| {
            let seq = seq_of(connection, id)?;
            index::put(connection, seq, entry)
        })
    }

    fn commit(self: Box<Self>) -> StoreResult<Option<ChangeId>> {
        step();
        self.inner.commit().map_err(|error| explain(self.path, &error))?;
        step();
        if let (Some(write_counter), Some(change)) = (self.write_counter, self.change) {
            write_counter.note(change, self.newest);
        }
        Ok(self.change)
    }
}

/// Removes a memory and the rows about it.
pub(crate) fn remove_rows(connection: &Connection, seq: i64) -> rusqlite::Result<()> {
    remove_bands(connection, seq)?;
    connection.prepare_cached("DELETE FROM memory_text WHERE rowid = ?")?.execute([seq])?;
    connection.prepare_cached("DELETE FROM memories WHERE seq = ?")?.execute([seq]).map(drop)
}

/// Blanks what the history says of a memory.
pub(crate) fn erase_history(connection: &Connection, id: &MemoryId) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE change_items SET before = NULL, after = NULL WHERE memory = ?")?
        .execute([id.as_bytes()])?;
    // The reason describes the change; that of the purge itself is kept.
    connection
        .prepare_cached(
            "UPDATE changes SET reason = NULL
             WHERE reason IS NOT NULL AND kind <> 'purge'
             AND id IN (SELECT change FROM change_items WHERE memory = ?)
             AND NOT EXISTS (SELECT 1 FROM change_items i WHERE i.change = changes.id
                 AND (i.before IS NOT NULL OR i.after IS NOT NULL))",
        )?
        .execute([id.as_bytes()])
        .map(drop)
}

fn fields(memory: &Memory) -> Map<String, Value> {
    match memory.to_json() {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
