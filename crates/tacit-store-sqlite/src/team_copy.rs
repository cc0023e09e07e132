//! The copy of a project on a team's server: the memories, and how far they follow the server.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tacit_core::{Memory, MemoryId};
use tacit_fs::failpoint::step;
use tacit_store::{ChangeId, CopyOrigin, CopyStore, Delta, IndexEntry, StoreResult};

use crate::error::explain;
use crate::row::seq_of;
use crate::store::SqliteStore;
use crate::transaction::{erase_history, remove_rows};
use crate::transfer::put_memory;

/// Takes every memory out of the store. What the history says of them is on the server.
const EMPTY: &str = "DELETE FROM memory_bands;
    DELETE FROM memory_text;
    DELETE FROM memories;
    UPDATE change_items SET before = NULL, after = NULL WHERE before IS NOT NULL OR after IS NOT NULL;
    UPDATE changes SET reason = NULL WHERE reason IS NOT NULL AND kind <> 'purge';";

impl CopyStore for SqliteStore {
    fn copied_upto(&self, origin: &CopyOrigin) -> StoreResult<Option<ChangeId>> {
        self.run(|connection| copied_upto(connection, origin))
    }

    fn set_copied_upto(&mut self, origin: &CopyOrigin, change: ChangeId) -> StoreResult<()> {
        self.run(|connection| set_copied_upto(connection, origin, change))
    }

    fn end_copy(&mut self) -> StoreResult<()> {
        self.run(|connection| connection.execute("DELETE FROM team_copy", []).map(drop))
    }

    fn apply(
        &mut self,
        origin: &CopyOrigin,
        after: ChangeId,
        delta: &Delta,
        index: &dyn Fn(&Memory) -> IndexEntry,
    ) -> StoreResult<bool> {
        let path = self.path.clone();
        let fail = |error: rusqlite::Error| explain(&path, &error);
        let transaction = self.begin_copying()?;
        let at = copied_upto(&transaction, origin).map_err(fail)?;
        if at.is_none_or(|at| at < after || at >= delta.upto) {
            return Ok(false);
        }
        for memory in &delta.memories {
            put_memory(&transaction, &path, memory, index)?;
        }
        for id in &delta.removed {
            remove(&transaction, id).map_err(fail)?;
        }
        set_copied_upto(&transaction, origin, delta.upto).map_err(fail)?;
        step();
        transaction.commit().map_err(fail)?;
        Ok(true)
    }

    fn refill(
        &mut self,
        origin: &CopyOrigin,
        next: &mut dyn FnMut(ChangeId) -> StoreResult<Delta>,
        index: &dyn Fn(&Memory) -> IndexEntry,
    ) -> StoreResult<u64> {
        let path = self.path.clone();
        let fail = |error: rusqlite::Error| explain(&path, &error);
        let transaction = self.begin_copying()?;
        transaction.execute_batch(EMPTY).map_err(fail)?;
        let (mut upto, mut memories) = (0, 0);
        loop {
            let delta = next(upto)?;
            for memory in &delta.memories {
                put_memory(&transaction, &path, memory, index)?;
            }
            memories += delta.memories.len() as u64;
            upto = delta.upto;
            if !delta.more {
                break;
            }
        }
        set_copied_upto(&transaction, origin, upto).map_err(fail)?;
        step();
        transaction.commit().map_err(fail)?;
        Ok(memories)
    }
}

impl SqliteStore {
    fn begin_copying(&mut self) -> StoreResult<Transaction<'_>> {
        let path = &self.path;
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        begun.map_err(|error| explain(path, &error))
    }
}

fn copied_upto(connection: &Connection, origin: &CopyOrigin) -> rusqlite::Result<Option<ChangeId>> {
    connection
        .prepare_cached("SELECT change FROM team_copy WHERE server = ? AND project = ?")?
        .query_row([&origin.server, &origin.project], |row| row.get(0))
        .optional()
}

fn set_copied_upto(
    connection: &Connection,
    origin: &CopyOrigin,
    change: ChangeId,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO team_copy (one, server, project, change) VALUES (1, ?, ?, ?)",
        )?
        .execute(params![origin.server, origin.project, change])
        .map(drop)
}

/// Removes a memory that is gone from the server, with its history.
fn remove(connection: &Connection, id: &MemoryId) -> rusqlite::Result<()> {
    if let Some(seq) = seq_of(connection, id).optional()? {
        remove_rows(connection, seq)?;
    }
    erase_history(connection, id)
}
