//! What was made of files, by the hash of their bytes, for all worktrees of a repository; and how what
//! no worktree has any more leaves again.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::derived;
use crate::error::{CodebaseResult, database};
use crate::facts::Hash;

/// The file is made smaller when so many of its pages, one in four, are free. Before that they are
/// soon used again.
const VACUUM_FREE_FRACTION: i64 = 4;

/// A kind of things that are kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CacheKind {
    /// The name of the file, of the table and of its column.
    pub(crate) name: &'static str,
    /// What another version made is not kept.
    pub(crate) version: u32,
}

impl CacheKind {
    /// Where things of this kind are kept.
    pub(crate) fn path(self, directory: &Path) -> PathBuf {
        directory.join(format!("{}.db", self.name))
    }
}

/// A store of one kind of things.
pub(crate) struct ContentCache {
    connection: Connection,
    path: PathBuf,
    name: &'static str,
    get: String,
    /// Whether nothing is kept in it yet, or not what this program understands.
    pub(crate) is_new: bool,
}

impl ContentCache {
    /// Opens a store; one of another version is emptied.
    pub(crate) fn open(directory: &Path, kind: CacheKind) -> CodebaseResult<ContentCache> {
        let store = ContentCache::open_any_version(directory, kind)?;
        if store.is_new {
            let name = kind.name;
            let sql = format!(
                "DELETE FROM {name}; DROP TABLE IF EXISTS unused; INSERT OR REPLACE INTO meta VALUES ('version', {});",
                kind.version
            );
            store.connection.execute_batch(&sql).map_err(database(&store.path))?;
        }
        Ok(store)
    }

    /// Opens a store in which something is kept that this program understands.
    pub(crate) fn open_current(
        directory: &Path,
        kind: CacheKind,
    ) -> CodebaseResult<Option<ContentCache>> {
        if !kind.path(directory).exists() {
            return Ok(None);
        }
        let store = ContentCache::open_any_version(directory, kind)?;
        Ok((!store.is_new).then_some(store))
    }

    fn open_any_version(directory: &Path, kind: CacheKind) -> CodebaseResult<ContentCache> {
        let (path, name) = (kind.path(directory), kind.name);
        let schema = format!(
            "CREATE TABLE IF NOT EXISTS {name} (
                hash BLOB PRIMARY KEY,
                {name} BLOB NOT NULL
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
        Ok(ContentCache { connection, path, name, get, is_new })
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

    /// Drops what nothing uses. Tells how many that were.
    pub(crate) fn drop_unused(&mut self, used: &HashSet<Hash>) -> CodebaseResult<usize> {
        let path = self.path.clone();
        self.delete_unused(used).map_err(database(&path))
    }

    fn delete_unused(&mut self, used: &HashSet<Hash>) -> rusqlite::Result<usize> {
        let name = self.name;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut unused: Vec<Hash> = Vec::new();
        {
            let mut statement = transaction.prepare(&format!("SELECT hash FROM {name}"))?;
            let mut drop = transaction.prepare(&format!("DELETE FROM {name} WHERE hash = ?1"))?;
            let hashes = statement.query_map([], |row| row.get::<_, Hash>(0))?;
            for hash in hashes {
                let hash = hash?;
                if !used.contains(&hash) {
                    unused.push(hash);
                }
            }
            for hash in &unused {
                drop.execute([hash.as_slice()])?;
            }
        }
        transaction.commit()?;
        if !unused.is_empty() {
            // The log still has the pages as they were.
            self.connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
        }
        self.shrink()?;
        Ok(unused.len())
    }

    /// Gives back the room of what was dropped, if that is much.
    fn shrink(&self) -> rusqlite::Result<()> {
        let count = |pragma: &str| -> rusqlite::Result<i64> {
            self.connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0))
        };
        let free = count("freelist_count")?;
        if free > 0 && free * VACUUM_FREE_FRACTION >= count("page_count")? {
            self.connection.execute_batch("VACUUM")?;
        }
        Ok(())
    }
}
