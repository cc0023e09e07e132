//! The read operations of the store.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ToSql, params};
use tacit_core::{Memory, MemoryId, RepoPath, Timestamp};
use tacit_fs::failpoint::step;
use tacit_store::{
    Action, Change, ChangeQuery, Filter, IdMatch, ListOrder, ListQuery, MemoryKey, Store,
    StoreCheck, StoreError, StoreResult, StoreStats, TermCounts, TextHit, TextQuery, Transaction,
    UnreadableRows,
};

use crate::error::{damaged, explain};
use crate::filter::Condition;
use crate::lock::DatabaseLock;
use crate::open::retry_while_busy;
use crate::row::{self, COLUMNS};
use crate::transaction::SqliteTransaction;
use crate::write_counter::WriteCounter;
use crate::{check, history, lists, search, unreadable};

/// A store in one SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) busy_timeout: Duration,
    /// The counter of acknowledged writes; `None` before the first write.
    write_counter: Option<WriteCounter>,
    /// Held until the connection is closed: fields are dropped in order.
    pub(crate) lock: Option<DatabaseLock>,
}

impl SqliteStore {
    pub(crate) fn new(
        connection: Connection,
        path: PathBuf,
        busy_timeout: Duration,
        write_counter: Option<WriteCounter>,
    ) -> SqliteStore {
        SqliteStore { connection, path, busy_timeout, write_counter, lock: None }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates the counter if there is none. A database under construction has none.
    fn begin_count(&mut self) {
        if self.write_counter.is_none() && self.lock.is_some() {
            self.write_counter = WriteCounter::create(&self.path);
        }
    }
}

impl Drop for SqliteStore {
    /// Checkpoints a long log on closing, which a killed process may have left.
    fn drop(&mut self) {
        self.fold_log();
    }
}

impl Store for SqliteStore {
    fn read(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        row::read(&self.connection, &self.path, ids)
    }

    fn relating_to(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        row::read_relating(&self.connection, &self.path, ids)
    }

    fn find_by_short_id(&self, range: RangeInclusive<u32>) -> StoreResult<Vec<IdMatch>> {
        matches(
            &self.connection,
            &self.path,
            "SELECT id, status FROM memories WHERE short BETWEEN ? AND ? ORDER BY id LIMIT 20",
            &[range.start(), range.end()],
        )
    }

    fn list(&self, query: &ListQuery) -> StoreResult<Vec<Memory>> {
        let condition = Condition::of(&query.filter);
        let order = match query.order {
            ListOrder::Newest => "m.created_at DESC, m.id DESC",
            ListOrder::Oldest => "m.created_at, m.id",
            ListOrder::Changed => "m.updated_at DESC, m.id DESC",
            ListOrder::Used => "m.last_accessed_at DESC, m.id DESC",
            ListOrder::Confidence => "coalesce(m.derived_confidence, m.confidence) DESC, m.id DESC",
        };
        // The inner query finds the page by narrow columns; only its rows are read completely.
        let sql = format!(
            "SELECT {COLUMNS} FROM (SELECT m.seq FROM memories m WHERE {} ORDER BY {order}
             LIMIT ? OFFSET ?) page JOIN memories m ON m.seq = page.seq ORDER BY {order}",
            condition.sql()
        );
        let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
        let offset = i64::try_from(query.offset).unwrap_or(i64::MAX);
        let mut parameters: Vec<&dyn ToSql> = condition.parameters();
        parameters.extend([&limit as &dyn ToSql, &offset]);
        row::select(&self.connection, &self.path, &sql, &parameters)
    }

    fn count(&self, filter: &Filter) -> StoreResult<usize> {
        let condition = Condition::of(filter);
        let sql = format!("SELECT count(*) FROM memories m WHERE {}", condition.sql());
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                statement.query_row(condition.parameters().as_slice(), |row| row.get(0))
            })
            .map(|number: i64| usize::try_from(number).unwrap_or(0))
            .map_err(|error| explain(&self.path, &error))
    }

    fn search_text(&self, query: &TextQuery) -> StoreResult<Vec<TextHit>> {
        search::search_text(&self.connection, &self.path, query)
    }

    fn read_keys(
        &self,
        keys: &[MemoryKey],
        filter: &Filter,
    ) -> StoreResult<Vec<(MemoryKey, Memory)>> {
        row::read_keys(&self.connection, &self.path, keys, &Condition::of(filter))
    }

    fn count_terms(&self, tokens: &[&str]) -> StoreResult<TermCounts> {
        search::count_terms(&self.connection, &self.path, tokens)
    }

    fn terms_with_prefix(&self, beginning: &str, limit: usize) -> StoreResult<Vec<(String, u64)>> {
        search::terms_with_prefix(&self.connection, &self.path, beginning, limit)
    }

    fn keys_about(
        &self,
        files: &[RepoPath],
        filter: &Filter,
        limit: usize,
    ) -> StoreResult<Vec<MemoryKey>> {
        row::keys_about(&self.connection, &self.path, files, &Condition::of(filter), limit)
    }

    fn frequent_tags(&self, among: u64, limit: usize) -> StoreResult<Vec<(String, u64)>> {
        let among = i64::try_from(among).unwrap_or(i64::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.connection
            .prepare_cached(
                "SELECT tag, count(*) AS many FROM memory_tags
                 WHERE memory > (SELECT max(seq) FROM memories) - ?
                 GROUP BY tag ORDER BY many DESC, tag LIMIT ?",
            )
            .and_then(|mut statement| {
                statement
                    .query_map(params![among, limit], |row| {
                        Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()))
                    })?
                    .collect()
            })
            .map_err(|error| explain(&self.path, &error))
    }

    fn cache_common_terms(&mut self, least: u64) -> StoreResult<usize> {
        search::cache_common_terms(&mut self.connection, &self.path, least)
    }

    fn upgrade_rows(&mut self, limit: usize) -> StoreResult<usize> {
        self.write(|connection| lists::complete(connection, limit))
    }

    fn changes(&self, query: &ChangeQuery) -> StoreResult<Vec<Change>> {
        history::changes(&self.connection, &self.path, query)
    }

    fn count_changes(&self, query: &ChangeQuery) -> StoreResult<usize> {
        history::count(&self.connection, &self.path, query)
    }

    fn count_requests(&self, beginning: &str) -> StoreResult<u64> {
        // The greatest character ends the range of the prefix.
        let end = format!("{beginning}{}", char::MAX);
        self.connection
            .prepare_cached("SELECT count(*) FROM requests WHERE name >= ? AND name < ?")
            .and_then(|mut statement| statement.query_row([beginning, &end], |row| row.get(0)))
            .map(|count: i64| count.unsigned_abs())
            .map_err(|error| explain(&self.path, &error))
    }

    fn stats(&self) -> StoreResult<StoreStats> {
        check::stats(&self.connection, &self.path)
    }

    fn unreadable(&self) -> StoreResult<Vec<UnreadableRows>> {
        unreadable::count(&self.connection).map_err(|error| explain(&self.path, &error))
    }

    fn quarantine(&mut self, file: &Path, at: Timestamp) -> StoreResult<u64> {
        unreadable::quarantine(&mut self.connection, &self.path, file, at)
    }

    fn check(&self, thorough: bool) -> StoreResult<StoreCheck> {
        check::check(&self.connection, &self.path, thorough)
    }

    fn queue_missing_vectors(&mut self) -> StoreResult<u64> {
        self.write(check::queue_missing_vectors)
    }

    fn scrub(&mut self) -> StoreResult<()> {
        // Merging the text index drops removed words, a vacuum rewrites every page, and truncating
        // the log removes older copies.
        let fail = |error: rusqlite::Error| explain(&self.path, &error);
        step();
        self.connection
            .execute_batch("INSERT INTO memory_text (memory_text) VALUES ('optimize'); VACUUM;")
            .map_err(fail)?;
        step();
        // While another process reads an older state, SQLite keeps the log and reports busy in a
        // row.
        retry_while_busy(self.busy_timeout, || {
            let busy = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
            match self.connection.query_row("PRAGMA wal_checkpoint (TRUNCATE)", [], busy) {
                Ok(0) => Ok(()),
                Ok(_) => Err(StoreError::Busy),
                Err(error) => Err(fail(error)),
            }
        })
    }

    fn record_access(&mut self, ids: &[MemoryId], at: Timestamp) -> StoreResult<()> {
        self.without_waiting(|connection| {
            count(connection, ids, at)?;
            // A reader does not checkpoint on closing, so it must not leave anything in the log.
            if connection.db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE)? {
                connection.query_row("PRAGMA wal_checkpoint (TRUNCATE)", [], |_| Ok(()))?;
            }
            Ok(())
        })
    }

    fn begin(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>> {
        self.begin_count();
        let write_counter = self.write_counter.as_ref();
        Ok(Box::new(SqliteTransaction::begin(&self.connection, &self.path, action, write_counter)?))
    }

    fn try_begin(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>> {
        self.begin_count();
        let fail = |error: rusqlite::Error| explain(&self.path, &error);
        let connection = &self.connection;
        connection.busy_timeout(Duration::ZERO).map_err(fail)?;
        let begun =
            SqliteTransaction::begin(connection, &self.path, action, self.write_counter.as_ref());
        connection.busy_timeout(self.busy_timeout).map_err(fail)?;
        Ok(Box::new(begun?))
    }
}

/// Counts an access to each memory.
fn count(connection: &mut Connection, ids: &[MemoryId], at: Timestamp) -> rusqlite::Result<()> {
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    for id in ids {
        // The counter saturates: one more would overflow to a real number.
        transaction
            .prepare_cached(
                "UPDATE memories SET access_count = access_count + (access_count < ?1),
                     last_accessed_at = max(last_accessed_at, ?2) WHERE id = ?3",
            )?
            .execute(params![i64::MAX, at.as_millis(), id.as_bytes()])?;
    }
    transaction.commit()
}

/// Runs a statement that selects `id, status`.
pub(crate) fn matches<P: ToSql>(
    connection: &Connection,
    path: &Path,
    sql: &str,
    parameters: &[P],
) -> StoreResult<Vec<IdMatch>> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let mut statement = connection.prepare_cached(sql).map_err(fail)?;
    let rows = statement
        .query_map(rusqlite::params_from_iter(parameters), |row| {
            Ok((row.get::<_, [u8; 16]>(0)?, row.get::<_, String>(1)?))
        })
        .map_err(fail)?;
    rows.map(|row| {
        let (id, status) = row.map_err(fail)?;
        let id = identifier(path, id)?;
        let status = status.parse().map_err(|problem| damaged(path, format!("{problem}")))?;
        Ok(IdMatch { id, status })
    })
    .collect()
}

/// Parses the identifier in a row.
pub(crate) fn identifier(path: &Path, bytes: [u8; 16]) -> StoreResult<MemoryId> {
    MemoryId::from_bytes(bytes).ok_or_else(|| damaged(path, "a memory's `id` is not one"))
}
