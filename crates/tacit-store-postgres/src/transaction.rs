//! Write transactions.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Map, Value};
use tacit_core::{ContentHash, Memory, MemoryId, Quotations, RepoPath, ShortId, Signature};
use tacit_store::{
    Action, ChangeId, ErasedRows, IdMatch, IndexEntry, StoreError, StoreResult, TeamRole,
    Transaction, difference,
};
use tokio_postgres::types::Type;

use crate::connection::{Connection, OpenTransaction, WriterLock};
use crate::error::unwritable;
use crate::history::{NewItem, add_items, may_not_write, open_change};
use crate::index::{self, NewIndexEntry, bands};
use crate::quotes;
use crate::row::{identifier, read};
use crate::store::{PostgresStore, matches};
use crate::text::{number, to_stored};
use crate::write::{self, WrittenRow};

/// A transaction that holds the writers' lock of the project from its start.
///
/// Items of the change and entries of the index are gathered and written together, because a statement
/// costs a round trip.
pub(crate) struct PostgresTransaction<'a> {
    store: &'a PostgresStore,
    open: OpenTransaction<'a>,
    action: Action,
    /// The number of the change, once it has items.
    change: Option<ChangeId>,
    /// The number of its items that are written.
    written: usize,
    items: Vec<NewItem>,
    /// The memories of this transaction: their keys, who sees them, and if they are new.
    known: RefCell<HashMap<MemoryId, KnownMemory>>,
    entries: RefCell<Vec<NewIndexEntry>>,
}

#[derive(Debug, Clone)]
struct KnownMemory {
    row: WrittenRow,
    fresh: bool,
}

impl<'a> PostgresTransaction<'a> {
    /// Starts a transaction. The store is borrowed as long as it lasts, so there is never a second one.
    pub(crate) fn begin(
        store: &'a PostgresStore,
        action: Action,
        lock: WriterLock,
    ) -> StoreResult<PostgresTransaction<'a>> {
        if store.role == TeamRole::Reader {
            return Err(may_not_write(&store.connection));
        }
        Ok(PostgresTransaction {
            store,
            open: store.connection.begin(lock)?,
            action,
            change: None,
            written: 0,
            items: Vec::new(),
            known: RefCell::default(),
            entries: RefCell::default(),
        })
    }

    fn connection(&self) -> &'a Connection {
        &self.store.connection
    }

    fn record(
        &mut self,
        memory: &MemoryId,
        holder: String,
        before: Option<&Map<String, Value>>,
        after: Option<&Map<String, Value>>,
    ) -> StoreResult<()> {
        let json = |fields: Option<&Map<String, Value>>| {
            let text = fields.map(serde_json::to_string).transpose();
            text.map_err(|error| unwritable(self.connection().server(), &error))
        };
        let item = NewItem { memory: *memory, holder, before: json(before)?, after: json(after)? };
        self.items.push(item);
        Ok(())
    }

    /// Writes the items of the change.
    fn write_items(&mut self) -> StoreResult<()> {
        if self.items.is_empty() {
            return Ok(());
        }
        let (connection, project) = (self.connection(), self.store.project);
        match self.change {
            Some(change) => add_items(connection, project, change, self.written, &self.items)?,
            None => {
                let change = open_change(connection, project, &self.action, &self.items)?;
                self.change = Some(change);
            }
        }
        self.written += self.items.len();
        self.items.clear();
        Ok(())
    }

    /// Writes the entries of the index.
    fn write_entries(&self) -> StoreResult<()> {
        let entries = self.entries.take();
        index::put(self.connection(), self.store.project, &entries)
    }

    fn known(&self, id: &MemoryId) -> StoreResult<KnownMemory> {
        if let Some(known) = self.known.borrow().get(id) {
            return Ok(known.clone());
        }
        let connection = self.connection();
        let sql = "SELECT seq, holder FROM memories WHERE project = $1 AND id = $2";
        let id_bytes = id.as_bytes().as_slice();
        let rows =
            connection.rows(sql, &[(&self.store.project, Type::INT8), (&id_bytes, Type::BYTEA)])?;
        let Some(row) = rows.first() else { return Err(unknown(connection)) };
        let row = WrittenRow { seq: connection.get(row, 0)?, holder: connection.get(row, 1)? };
        let known = KnownMemory { row, fresh: false };
        self.known.borrow_mut().insert(*id, known.clone());
        Ok(known)
    }
}

impl Transaction for PostgresTransaction<'_> {
    fn read(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        read(self.connection(), self.store.project, ids)
    }

    fn find_identical(&self, hash: &ContentHash) -> StoreResult<Vec<IdMatch>> {
        let hash = hash.as_bytes().as_slice();
        matches(
            self.connection(),
            "SELECT m.id, m.status FROM memories m
             WHERE m.project = $1 AND m.content_hash = $2 ORDER BY m.id",
            &[(&self.store.project, Type::INT8), (&hash, Type::BYTEA)],
        )
    }

    fn find_similar(&self, signature: &Signature, limit: usize) -> StoreResult<Vec<MemoryId>> {
        self.write_entries()?;
        // A few per band, so that a band shared by thousands of similar memories costs no more than
        // a small one.
        let sql = "SELECT m.id FROM memories m WHERE m.project = $1 AND m.seq IN (
                SELECT near.seq FROM unnest($2::text[]) AS w (band) CROSS JOIN LATERAL (
                    SELECT f.seq FROM (VALUES (''), (session_user::text)) AS h (holder)
                    CROSS JOIN LATERAL (
                        SELECT k.seq FROM memory_marks k
                        JOIN memories o ON o.project = $1 AND o.seq = k.seq AND o.status = 'active'
                        WHERE k.project = $1 AND k.holder = h.holder AND k.kind = 'band'
                        AND k.value = w.band ORDER BY k.seq DESC LIMIT 4) AS f
                    ORDER BY f.seq DESC LIMIT 4) AS near)
            ORDER BY m.seq DESC LIMIT $3";
        let bands = bands(signature);
        let connection = self.connection();
        let rows = connection.rows(
            sql,
            &[
                (&self.store.project, Type::INT8),
                (&bands, Type::TEXT_ARRAY),
                (&number(limit), Type::INT8),
            ],
        )?;
        rows.iter().map(|row| identifier(connection, row, 0)).collect()
    }

    fn is_taken(&self, short: ShortId) -> StoreResult<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM memories WHERE project = $1 AND short = $2)";
        let connection = self.connection();
        let short = i64::from(short.value());
        let row =
            connection.row(sql, &[(&self.store.project, Type::INT8), (&short, Type::INT8)])?;
        connection.get(&row, 0)
    }

    fn find_by_file(&self, path: &RepoPath) -> StoreResult<Vec<MemoryId>> {
        let sql = "SELECT m.id, m.status FROM memories m WHERE m.project = $1 AND m.seq IN (
                SELECT k.seq FROM memory_marks k WHERE k.project = $1
                AND k.kind IN ('file', 'relation_file') AND k.value = $2
                UNION ALL SELECT l.seq FROM memory_links l
                WHERE l.project = $1 AND l.path = $2)
            ORDER BY m.id";
        let path = to_stored(path.as_str());
        let found = matches(
            self.connection(),
            sql,
            &[(&self.store.project, Type::INT8), (&path.as_ref(), Type::TEXT)],
        )?;
        Ok(found.into_iter().map(|found| found.id).collect())
    }

    fn claim_request(&mut self, request: &str) -> StoreResult<bool> {
        let sql = "INSERT INTO requests (project, name, at) VALUES ($1, $2, $3)
                   ON CONFLICT DO NOTHING";
        let name = to_stored(request);
        let claimed = self.connection().execute(
            sql,
            &[
                (&self.store.project, Type::INT8),
                (&name.as_ref(), Type::TEXT),
                (&self.action.at.as_millis(), Type::INT8),
            ],
        )?;
        Ok(claimed == 1)
    }

    fn insert(&mut self, memory: &Memory) -> StoreResult<()> {
        for row in write::insert(self.connection(), self.store.project, &[memory])? {
            let known = KnownMemory { row: row.clone(), fresh: true };
            self.known.borrow_mut().insert(memory.id, known);
            self.record(&memory.id, row.holder, None, Some(&fields(memory)))?;
        }
        Ok(())
    }

    fn update(&mut self, before: &Memory, after: &Memory) -> StoreResult<()> {
        let Some((old, new)) = difference(&fields(before), &fields(after)) else {
            return Ok(());
        };
        if before.body.visibility != after.body.visibility {
            // Words and marks are counted by who sees them, so those of before go first.
            let known = self.known(&before.id)?;
            index::leave(self.connection(), self.store.project, known.row.seq)?;
            self.known.borrow_mut().remove(&before.id);
        }
        for row in write::update(self.connection(), self.store.project, &[after])? {
            self.record(&before.id, row.holder, Some(&old), Some(&new))?;
        }
        Ok(())
    }

    fn remove(&mut self, memory: &Memory) -> StoreResult<()> {
        let known = self.known(&memory.id)?.row;
        self.entries.borrow_mut().retain(|entry| entry.row.seq != known.seq);
        let (connection, project) = (self.connection(), self.store.project);
        index::remove(connection, project, &[known.seq.unsigned_abs()])?;
        let memory_row = [(&project as _, Type::INT8), (&known.seq as _, Type::INT8)];
        let marks = "DELETE FROM memory_marks WHERE project = $1 AND seq = $2";
        connection.execute(marks, &memory_row)?;
        let sql = "DELETE FROM memories WHERE project = $1 AND seq = $2";
        if connection.execute(sql, &memory_row)? == 0 {
            return Err(may_not_write(connection));
        }
        self.known.borrow_mut().remove(&memory.id);
        self.record(&memory.id, known.holder, Some(&fields(memory)), None)
    }

    fn erase_history(&mut self, id: &MemoryId) -> StoreResult<()> {
        self.write_items()?;
        let (connection, project) = (self.connection(), self.store.project);
        let id = id.as_bytes().as_slice();
        // A function: what a memory said before it was shared is not seen by the curator who purges it.
        let erased = connection
            .row("SELECT erase_history($1, $2)", &[(&project, Type::INT8), (&id, Type::BYTEA)])?;
        if connection.get(&erased, 0)? { Ok(()) } else { Err(may_not_write(connection)) }
    }

    fn erase_quotes(&mut self, quotations: &Quotations) -> StoreResult<Vec<ErasedRows>> {
        self.write_items()?;
        quotes::erase(self.connection(), self.store.project, quotations)
    }

    fn index(&mut self, id: &MemoryId, entry: &IndexEntry) -> StoreResult<()> {
        let known = self.known(id)?;
        let mut entries = self.entries.borrow_mut();
        entries.retain(|pending| pending.row.seq != known.row.seq);
        entries.push(NewIndexEntry::new(known.row, known.fresh, entry));
        drop(entries);
        // The next entry of the same memory replaces this one.
        if let Some(known) = self.known.borrow_mut().get_mut(id) {
            known.fresh = false;
        }
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> StoreResult<Option<ChangeId>> {
        self.write_items()?;
        self.write_entries()?;
        let change = self.change;
        self.open.commit()?;
        Ok(change)
    }
}

fn unknown(connection: &Connection) -> StoreError {
    StoreError::Failed {
        path: connection.server().to_owned().into(),
        detail: "a memory to change is not there".into(),
    }
}

/// Returns the flat form of a memory.
pub(crate) fn fields(memory: &Memory) -> Map<String, Value> {
    match memory.to_json() {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
