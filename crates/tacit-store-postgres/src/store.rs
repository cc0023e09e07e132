//! Opening of a store, and its read operations.

use std::ops::RangeInclusive;
use std::path::Path;

use tacit_core::{Memory, MemoryId, RepoPath, Timestamp};
use tacit_store::{
    Action, Change, ChangeQuery, Filter, IdMatch, ListOrder, ListQuery, MemoryKey, Store,
    StoreCheck, StoreResult, StoreStats, TeamRole, TermCounts, TextHit, TextQuery, Transaction,
    UnreadableRows,
};
use tokio_postgres::types::Type;

use crate::connection::{Connection, Parameter, WriterLock};
use crate::error::damaged;
use crate::filter::ProjectCondition;
use crate::row::{self, COLUMNS, bytes_of, identifier};
use crate::text::{from_stored, number, to_stored};
use crate::transaction::PostgresTransaction;
use crate::{check, history, search, stats, unreadable};

/// The store of one project on a PostgreSQL server.
#[derive(Debug)]
pub struct PostgresStore {
    pub(crate) connection: Connection,
    /// The number of the project, the first column of every table.
    pub(crate) project: i64,
    pub(crate) role: TeamRole,
    pub(crate) user: String,
    /// True for a login that bypasses row-level security: a superuser, and one that inherits the rights of
    /// the owner's role.
    pub(crate) is_unbound: bool,
}

impl PostgresStore {
    fn filter(&self, filter: &Filter) -> ProjectCondition {
        ProjectCondition::of(self.project, filter)
    }

    fn open_transaction(
        &mut self,
        action: Action,
        lock: WriterLock,
    ) -> StoreResult<Box<dyn Transaction + '_>> {
        Ok(Box::new(PostgresTransaction::begin(self, action, lock)?))
    }
}

impl Store for PostgresStore {
    fn read(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        row::read(&self.connection, self.project, ids)
    }

    fn relating_to(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        row::read_relating(&self.connection, self.project, ids)
    }

    fn find_by_short_id(&self, range: RangeInclusive<u32>) -> StoreResult<Vec<IdMatch>> {
        matches(
            &self.connection,
            "SELECT m.id, m.status FROM memories m
             WHERE m.project = $1 AND m.short BETWEEN $2 AND $3 ORDER BY m.id LIMIT 20",
            &[
                (&self.project, Type::INT8),
                (&i64::from(*range.start()), Type::INT8),
                (&i64::from(*range.end()), Type::INT8),
            ],
        )
    }

    fn list(&self, query: &ListQuery) -> StoreResult<Vec<Memory>> {
        let mut condition = self.filter(&query.filter);
        let order = match query.order {
            ListOrder::Newest => "m.created_at DESC, m.id DESC",
            ListOrder::Oldest => "m.created_at, m.id",
            ListOrder::Changed => "m.updated_at DESC, m.id DESC",
            ListOrder::Used => "m.last_accessed_at DESC, m.id DESC",
            ListOrder::Confidence => "m.confidence DESC, m.id DESC",
        };
        let limit = condition.parameter(number(query.limit), Type::INT8);
        let offset = condition.parameter(number(query.offset), Type::INT8);
        // The inner query finds the page by narrow columns; only its rows are read completely.
        let sql = format!(
            "SELECT {COLUMNS} FROM (SELECT m.seq FROM memories m WHERE {} ORDER BY {order}
                 LIMIT {limit} OFFSET {offset}) AS page
             JOIN memories m ON m.project = $1 AND m.seq = page.seq ORDER BY {order}",
            condition.sql()
        );
        row::select(&self.connection, &sql, &condition.parameters())
    }

    fn count(&self, filter: &Filter) -> StoreResult<usize> {
        let condition = self.filter(filter);
        let sql = format!("SELECT count(*) FROM memories m WHERE {}", condition.sql());
        let row = self.connection.row(&sql, &condition.parameters())?;
        Ok(usize::try_from(self.connection.get::<i64>(&row, 0)?).unwrap_or(0))
    }

    fn search_text(&self, query: &TextQuery) -> StoreResult<Vec<TextHit>> {
        search::search_text(&self.connection, self.project, query)
    }

    fn read_keys(
        &self,
        keys: &[MemoryKey],
        filter: &Filter,
    ) -> StoreResult<Vec<(MemoryKey, Memory)>> {
        row::read_keys(&self.connection, keys, self.filter(filter))
    }

    fn count_terms(&self, tokens: &[&str]) -> StoreResult<TermCounts> {
        search::count_terms(&self.connection, self.project, tokens)
    }

    fn terms_with_prefix(&self, beginning: &str, limit: usize) -> StoreResult<Vec<(String, u64)>> {
        search::terms_with_prefix(&self.connection, self.project, beginning, limit)
    }

    fn keys_about(
        &self,
        files: &[RepoPath],
        filter: &Filter,
        limit: usize,
    ) -> StoreResult<Vec<MemoryKey>> {
        row::keys_about(&self.connection, files, self.filter(filter), limit)
    }

    fn frequent_tags(&self, among: u64, limit: usize) -> StoreResult<Vec<(String, u64)>> {
        let among = i64::try_from(among).unwrap_or(i64::MAX);
        let sql = "SELECT value, count(*) FROM memory_marks
                   WHERE project = $1 AND kind = 'tag'
                   AND seq > (SELECT max(seq) FROM memories WHERE project = $1) - $2
                   GROUP BY value ORDER BY count(*) DESC, value LIMIT $3";
        let rows = self.connection.rows(
            sql,
            &[(&self.project, Type::INT8), (&among, Type::INT8), (&number(limit), Type::INT8)],
        )?;
        rows.iter()
            .map(|row| {
                let count = self.connection.get::<i64>(row, 1)?.unsigned_abs();
                Ok((from_stored(self.connection.get(row, 0)?), count))
            })
            .collect()
    }

    fn cache_common_terms(&mut self, least: u64) -> StoreResult<usize> {
        search::count_common_terms(&self.connection, self.project, least)
    }

    fn upgrade_rows(&mut self, _limit: usize) -> StoreResult<usize> {
        // Migrations upgrade all rows at once.
        Ok(0)
    }

    fn changes(&self, query: &ChangeQuery) -> StoreResult<Vec<Change>> {
        history::changes(&self.connection, self.project, query)
    }

    fn count_changes(&self, query: &ChangeQuery) -> StoreResult<usize> {
        history::count(&self.connection, self.project, query)
    }

    fn count_requests(&self, beginning: &str) -> StoreResult<u64> {
        let first = to_stored(beginning);
        // The greatest character ends the range of the prefix.
        let last = format!("{first}{}", char::MAX);
        let sql = "SELECT count(*) FROM requests WHERE project = $1 AND name >= $2 AND name < $3";
        let row = self.connection.row(
            sql,
            &[(&self.project, Type::INT8), (&first.as_ref(), Type::TEXT), (&last, Type::TEXT)],
        )?;
        Ok(self.connection.get::<i64>(&row, 0)?.unsigned_abs())
    }

    fn stats(&self) -> StoreResult<StoreStats> {
        stats::stats(&self.connection, self.project)
    }

    fn check(&self, thorough: bool) -> StoreResult<StoreCheck> {
        check::check(&self.connection, self.project, thorough)
    }

    fn unreadable(&self) -> StoreResult<Vec<UnreadableRows>> {
        unreadable::count(&self.connection, self.project)
    }

    fn quarantine(&mut self, file: &Path, at: Timestamp) -> StoreResult<u64> {
        unreadable::quarantine(&self.connection, self.project, file, at)
    }

    fn queue_missing_vectors(&mut self) -> StoreResult<u64> {
        check::queue_missing_vectors(&self.connection, self.project)
    }

    fn scrub(&mut self) -> StoreResult<()> {
        // Only the owner of a table may vacuum it, which nobody logs in as. The server does it on its own.
        Ok(())
    }

    fn record_access(&mut self, ids: &[MemoryId], at: Timestamp) -> StoreResult<()> {
        if ids.is_empty() {
            return Ok(());
        }
        // The counter saturates. Rows that a writer holds are skipped: a counter is not worth waiting
        // for.
        let sql = "WITH counted AS (
                SELECT m.seq, n.times FROM (
                    SELECT id, count(*) AS times FROM unnest($2::bytea[]) AS w (id) GROUP BY id) AS n
                JOIN memories m ON m.project = $1 AND m.id = n.id
                ORDER BY m.seq FOR UPDATE OF m SKIP LOCKED)
            UPDATE memories m SET
                access_count = m.access_count + least(c.times, 9223372036854775807 - m.access_count),
                last_accessed_at = greatest(m.last_accessed_at, $3)
            FROM counted c WHERE m.project = $1 AND m.seq = c.seq";
        let ids = bytes_of(ids);
        self.connection
            .execute(
                sql,
                &[
                    (&self.project, Type::INT8),
                    (&ids, Type::BYTEA_ARRAY),
                    (&at.as_millis(), Type::INT8),
                ],
            )
            .map(drop)
    }

    fn begin(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>> {
        let lock = WriterLock::Wait(self.project);
        self.open_transaction(action, lock)
    }

    fn try_begin(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>> {
        let lock = WriterLock::Try(self.project);
        self.open_transaction(action, lock)
    }
}

/// Runs a statement that selects `id, status`.
pub(crate) fn matches(
    connection: &Connection,
    sql: &str,
    parameters: &[Parameter<'_>],
) -> StoreResult<Vec<IdMatch>> {
    let rows = connection.rows(sql, parameters)?;
    rows.iter()
        .map(|row| {
            let status: &str = connection.get(row, 1)?;
            let status = status
                .parse()
                .map_err(|problem| damaged(connection.server(), format!("{problem}")))?;
            Ok(IdMatch { id: identifier(connection, row, 0)?, status })
        })
        .collect()
}
