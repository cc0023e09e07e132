//! Reading the columns of a row.

use tacit_core::{MemoryId, Problem, RepoPath, Timestamp};
use tacit_store::{StoreError, StoreResult};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

use crate::connection::{Connection, Parameter};
use crate::error::damaged;
use crate::text::from_stored;

/// The columns of a row.
pub(crate) struct Columns<'r> {
    pub(crate) connection: &'r Connection,
    pub(crate) row: &'r Row,
}

impl Columns<'_> {
    /// Returns a column as it is.
    pub(crate) fn get<'c, T: FromSql<'c>>(&'c self, at: usize) -> StoreResult<T> {
        self.row.try_get(at).map_err(|error| self.damaged(error))
    }

    /// Returns a text that may contain any character.
    pub(crate) fn text(&self, at: usize) -> StoreResult<String> {
        self.get::<&str>(at).map(from_stored)
    }

    /// Returns a text that may contain any character, or `None`.
    pub(crate) fn optional_text(&self, at: usize) -> StoreResult<Option<String>> {
        Ok(self.get::<Option<&str>>(at)?.map(from_stored))
    }

    /// Returns a text as a value.
    pub(crate) fn parsed<T: std::str::FromStr<Err = Problem>>(&self, at: usize) -> StoreResult<T> {
        self.get::<&str>(at)?.parse().map_err(|problem| self.damaged(problem))
    }

    /// Returns a number of at least zero.
    pub(crate) fn count<T: TryFrom<i64>>(&self, at: usize) -> StoreResult<T> {
        T::try_from(self.get(at)?).map_err(|_| self.damaged("a number is out of range"))
    }

    /// Returns a time in milliseconds.
    pub(crate) fn moment(&self, at: usize) -> StoreResult<Timestamp> {
        Timestamp::from_millis(self.get(at)?).ok_or_else(|| self.damaged("a time is out of range"))
    }

    /// Returns a time in milliseconds, or `None`.
    pub(crate) fn optional_moment(&self, at: usize) -> StoreResult<Option<Timestamp>> {
        match self.get::<Option<i64>>(at)? {
            Some(_) => self.moment(at).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self, at: usize) -> StoreResult<RepoPath> {
        RepoPath::new(self.get::<String>(at)?).map_err(|problem| self.damaged(problem))
    }

    /// Returns the identifier of a memory.
    pub(crate) fn memory(&self, at: usize) -> StoreResult<MemoryId> {
        self.identifier(self.get(at)?)
    }

    /// Returns the identifier of a memory, or `None`.
    pub(crate) fn optional_memory(&self, at: usize) -> StoreResult<Option<MemoryId>> {
        self.get::<Option<&[u8]>>(at)?.map(|bytes| self.identifier(bytes)).transpose()
    }

    fn identifier(&self, bytes: &[u8]) -> StoreResult<MemoryId> {
        let id = bytes.try_into().ok().and_then(MemoryId::from_bytes);
        id.ok_or_else(|| self.damaged("a row names no memory"))
    }

    /// Returns the error of a row that no version of tacit wrote.
    pub(crate) fn damaged(&self, detail: impl std::fmt::Display) -> StoreError {
        damaged(self.connection.server(), detail.to_string())
    }
}

impl Connection {
    /// Reads rows and fails if one is unreadable.
    pub(crate) fn read<T>(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        read: impl Fn(&Columns<'_>) -> StoreResult<T>,
    ) -> StoreResult<Vec<T>> {
        let rows = self.rows(sql, parameters)?;
        rows.iter().map(|row| read(&Columns { connection: self, row })).collect()
    }

    /// Reads the rows that can be read: one that cannot must not hide the others.
    pub(crate) fn read_readable<T>(
        &self,
        sql: &str,
        parameters: &[Parameter<'_>],
        read: impl Fn(&Columns<'_>) -> StoreResult<T>,
    ) -> StoreResult<Vec<T>> {
        let rows = self.rows(sql, parameters)?;
        let read = |row| read(&Columns { connection: self, row }).ok();
        Ok(rows.iter().filter_map(read).collect())
    }
}
