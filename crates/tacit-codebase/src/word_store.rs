//! Words by content hash, for all worktrees of a repository, and how those that no worktree has any
//! more leave again.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};
use tacit_graph::FACTS_VERSION;
use tacit_locate::WORDS_VERSION;

use crate::derived;
use crate::error::{CodebaseResult, database};
use crate::facts::Hash;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS words (
        hash BLOB PRIMARY KEY,
        words BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS unused (
        hash BLOB PRIMARY KEY,
        since_ms INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
";

/// Words that no worktree had for so long are dropped. Branches that are changed to and fro within
/// that time are read once.
const KEPT_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// Words by content hash, for all worktrees of a repository.
pub(crate) struct WordStore {
    connection: Connection,
    path: PathBuf,
    /// Whether nothing is kept in it yet, or not what this program understands.
    pub(crate) is_new: bool,
}

impl WordStore {
    pub(crate) fn open(directory: &Path) -> CodebaseResult<WordStore> {
        let path = directory.join("words.db");
        let fail = database(&path);
        let connection = derived::open(&path, SCHEMA)?;
        // What a piece is follows from facts.
        let version = WORDS_VERSION << 16 | FACTS_VERSION;
        let kept: Option<u32> = connection
            .query_row("SELECT value FROM meta WHERE name = 'version'", [], |row| row.get(0))
            .optional()
            .map_err(&fail)?;
        let is_new = kept != Some(version);
        if is_new {
            connection.execute("DELETE FROM words", []).map_err(&fail)?;
            let sql = "INSERT OR REPLACE INTO meta VALUES ('version', ?1)";
            connection.execute(sql, [version]).map_err(&fail)?;
        }
        drop(fail);
        Ok(WordStore { connection, path, is_new })
    }

    pub(crate) fn has(&self, hash: &Hash) -> bool {
        let statement = self.connection.prepare_cached("SELECT 1 FROM words WHERE hash = ?1");
        statement.and_then(|mut found| found.exists([hash.as_slice()])).unwrap_or(false)
    }

    pub(crate) fn get(&self, hash: &Hash) -> CodebaseResult<Option<Vec<u8>>> {
        let fail = database(&self.path);
        let sql = "SELECT words FROM words WHERE hash = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(&fail)?;
        statement.query_row([hash.as_slice()], |row| row.get(0)).optional().map_err(&fail)
    }

    pub(crate) fn put(&mut self, fresh: &[(Hash, Vec<u8>)]) -> CodebaseResult<()> {
        let fail = database(&self.path);
        let transaction = self.connection.transaction().map_err(&fail)?;
        {
            let sql = "INSERT OR REPLACE INTO words VALUES (?1, ?2)";
            let mut insert = transaction.prepare_cached(sql).map_err(&fail)?;
            for (hash, words) in fresh {
                insert.execute(params![hash.as_slice(), words]).map_err(&fail)?;
            }
        }
        transaction.commit().map_err(&fail)
    }

    /// Notes which words nothing uses, and drops those that nothing has used for long. Tells how
    /// many were dropped.
    pub(crate) fn drop_unused(
        &mut self,
        used: &HashSet<Hash>,
        now_ms: i64,
    ) -> CodebaseResult<usize> {
        let path = self.path.clone();
        self.sweep(used, now_ms).map_err(database(&path))
    }

    fn sweep(&mut self, used: &HashSet<Hash>, now_ms: i64) -> rusqlite::Result<usize> {
        let transaction = self.connection.transaction()?;
        {
            let mut kept = transaction.prepare("SELECT hash FROM words")?;
            let mut note = transaction.prepare("INSERT OR IGNORE INTO unused VALUES (?1, ?2)")?;
            let mut forget = transaction.prepare("DELETE FROM unused WHERE hash = ?1")?;
            let mut rows = kept.query([])?;
            while let Some(row) = rows.next()? {
                let hash: Hash = row.get(0)?;
                if used.contains(&hash) {
                    forget.execute([hash.as_slice()])?;
                } else {
                    note.execute(params![hash.as_slice(), now_ms])?;
                }
            }
        }
        let before = now_ms.saturating_sub(KEPT_MS);
        let old = "SELECT hash FROM unused WHERE since_ms <= ?1";
        let sql = format!("DELETE FROM words WHERE hash IN ({old})");
        let dropped = transaction.execute(&sql, [before])?;
        transaction.execute("DELETE FROM unused WHERE since_ms <= ?1", [before])?;
        transaction.commit()?;
        if dropped > 0 {
            self.connection.execute_batch("VACUUM")?;
        }
        Ok(dropped)
    }
}
