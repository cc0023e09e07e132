//! What was made of files, by the hash of their bytes, for all worktrees of a repository; and how what
//! no worktree has any more leaves again.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::derived;
use crate::error::{CodebaseResult, database};
use crate::facts::Hash;

/// What no worktree had for so long is dropped. Branches that are changed to and fro within that time
/// are read once.
const KEPT_MS: i64 = 7 * 24 * 60 * 60 * 1_000;

/// The file is made smaller when so many of its pages, one in four, are free. Before that they are
/// soon used again.
const FREE_SHARE: i64 = 4;

/// A kind of things that are kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// The name of the file, of the table and of its column.
    pub(crate) name: &'static str,
    /// What another version made is not kept.
    pub(crate) version: u32,
}

impl Kind {
    /// Where things of this kind are kept.
    pub(crate) fn path(self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.db", self.name))
    }
}

/// A store of one kind of things.
pub(crate) struct ByContent {
    connection: Connection,
    path: PathBuf,
    name: &'static str,
    get: String,
    /// Whether nothing is kept in it yet, or not what this program understands.
    pub(crate) is_new: bool,
}

impl ByContent {
    /// Opens a store; one of another version is emptied.
    pub(crate) fn open(directory: &Path, kind: Kind) -> CodebaseResult<ByContent> {
        let store = ByContent::as_it_is(directory, kind)?;
        if store.is_new {
            let name = kind.name;
            let sql = format!(
                "DELETE FROM {name}; DELETE FROM unused;
                 INSERT OR REPLACE INTO meta VALUES ('version', {});",
                kind.version
            );
            store.connection.execute_batch(&sql).map_err(database(&store.path))?;
        }
        Ok(store)
    }

    /// Opens a store in which something is kept that this program understands.
    pub(crate) fn open_known(directory: &Path, kind: Kind) -> CodebaseResult<Option<ByContent>> {
        if !kind.path(directory).exists() {
            return Ok(None);
        }
        let store = ByContent::as_it_is(directory, kind)?;
        Ok((!store.is_new).then_some(store))
    }

    fn as_it_is(directory: &Path, kind: Kind) -> CodebaseResult<ByContent> {
        let (path, name) = (kind.path(directory), kind.name);
        let schema = format!(
            "CREATE TABLE IF NOT EXISTS {name} (
                hash BLOB PRIMARY KEY,
                {name} BLOB NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS unused (
                hash BLOB PRIMARY KEY,
                since_ms INTEGER NOT NULL
            ) STRICT, WITHOUT ROWID;
            CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;"
        );
        let connection = derived::open(&path, &schema)?;
        let version: Option<u32> = connection
            .query_row("SELECT value FROM meta WHERE name = 'version'", [], |row| row.get(0))
            .optional()
            .map_err(database(&path))?;
        let is_new = version != Some(kind.version);
        let get = format!("SELECT {name} FROM {name} WHERE hash = ?1");
        Ok(ByContent { connection, path, name, get, is_new })
    }

    pub(crate) fn has(&self, hash: &Hash) -> bool {
        let statement = self.connection.prepare_cached(&self.get);
        statement.and_then(|mut found| found.exists([hash.as_slice()])).unwrap_or(false)
    }

    /// What is kept for a hash, as `read` understands it.
    pub(crate) fn get<T>(
        &self,
        hash: &Hash,
        read: impl FnOnce(&[u8]) -> T,
    ) -> CodebaseResult<Option<T>> {
        let fail = database(&self.path);
        let mut statement = self.connection.prepare_cached(&self.get).map_err(&fail)?;
        let found = statement
            .query_row([hash.as_slice()], |row| Ok(read(row.get_ref(0)?.as_blob()?)))
            .optional();
        found.map_err(&fail)
    }

    pub(crate) fn put<'i>(
        &mut self,
        items: impl Iterator<Item = (&'i Hash, Cow<'i, [u8]>)>,
    ) -> CodebaseResult<()> {
        let fail = database(&self.path);
        let transaction = self.connection.transaction().map_err(&fail)?;
        {
            let sql = format!("INSERT OR REPLACE INTO {} VALUES (?1, ?2)", self.name);
            let mut insert = transaction.prepare_cached(&sql).map_err(&fail)?;
            for (hash, bytes) in items {
                insert.execute(params![hash.as_slice(), bytes]).map_err(&fail)?;
            }
        }
        transaction.commit().map_err(&fail)
    }

    /// Notes that a worktree has these again, if nothing had: their week begins anew when it is over.
    pub(crate) fn note_used<'h>(
        &mut self,
        hashes: impl Iterator<Item = &'h Hash>,
    ) -> CodebaseResult<()> {
        let path = self.path.clone();
        self.forget_unused(hashes).map_err(database(&path))
    }

    fn forget_unused<'h>(
        &mut self,
        hashes: impl Iterator<Item = &'h Hash>,
    ) -> rusqlite::Result<()> {
        if !self.connection.prepare_cached("SELECT 1 FROM unused")?.exists([])? {
            return Ok(());
        }
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut forget = transaction.prepare("DELETE FROM unused WHERE hash = ?1")?;
            for hash in hashes {
                forget.execute([hash.as_slice()])?;
            }
        }
        transaction.commit()
    }

    /// Notes what nothing uses, and drops what nothing has used for long. Tells how many were dropped.
    pub(crate) fn drop_unused(
        &mut self,
        used: &HashSet<Hash>,
        now_ms: i64,
    ) -> CodebaseResult<usize> {
        let path = self.path.clone();
        self.sweep(used, now_ms).map_err(database(&path))
    }

    fn sweep(&mut self, used: &HashSet<Hash>, now_ms: i64) -> rusqlite::Result<usize> {
        let name = self.name;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut kept = transaction.prepare(&format!("SELECT hash FROM {name}"))?;
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
        let sql = format!("DELETE FROM {name} WHERE hash IN ({old})");
        let dropped = transaction.execute(&sql, [before])?;
        transaction.execute("DELETE FROM unused WHERE since_ms <= ?1", [before])?;
        transaction.commit()?;
        self.shrink()?;
        Ok(dropped)
    }

    /// Gives back the room of what was dropped, if that is much.
    fn shrink(&self) -> rusqlite::Result<()> {
        let count = |what: &str| -> rusqlite::Result<i64> {
            self.connection.query_row(&format!("PRAGMA {what}"), [], |row| row.get(0))
        };
        let free = count("freelist_count")?;
        if free > 0 && free * FREE_SHARE >= count("page_count")? {
            self.connection.execute_batch("VACUUM")?;
        }
        Ok(())
    }
}
