//! The database of a worktree's graph: files with what they looked like, and what was noted.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use tacit_graph::FACTS_VERSION;

use crate::derived;
use crate::error::{CodebaseResult, database};
use crate::facts::Hash;
use crate::walk::FileStat;

/// The version of the tables, above that of the facts that files were read to.
const VERSION: i64 = (2 << 32) | FACTS_VERSION as i64;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS files (
        path TEXT PRIMARY KEY,
        modified INTEGER NOT NULL,
        size INTEGER NOT NULL,
        hash BLOB NOT NULL
    ) STRICT;
";

/// A file as it was when it was last looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedFile {
    pub(crate) stat: FileStat,
    pub(crate) hash: Hash,
}

/// The database.
pub(crate) struct Tables {
    connection: Connection,
    path: PathBuf,
}

impl Tables {
    pub(crate) fn open(path: &Path) -> CodebaseResult<Tables> {
        let fail = database(path);
        let connection = derived::open(path, SCHEMA)?;
        let tables = Tables { connection, path: path.to_path_buf() };
        if tables.meta("version")? != Some(VERSION) {
            // The first version had the graph as well.
            let all = "DELETE FROM files; DROP TABLE IF EXISTS nodes; DROP TABLE IF EXISTS edges;
                       DROP TABLE IF EXISTS unresolved;";
            tables.connection.execute_batch(all).map_err(&fail)?;
            tables.set_meta("version", VERSION)?;
        }
        Ok(tables)
    }

    pub(crate) fn meta(&self, name: &str) -> CodebaseResult<Option<i64>> {
        let sql = "SELECT value FROM meta WHERE name = ?1";
        let value = self.connection.query_row(sql, [name], |row| row.get(0)).optional();
        value.map_err(database(&self.path))
    }

    pub(crate) fn set_meta(&self, name: &str, value: i64) -> CodebaseResult<()> {
        let sql = "INSERT OR REPLACE INTO meta VALUES (?1, ?2)";
        self.connection.execute(sql, params![name, value]).map_err(database(&self.path))?;
        Ok(())
    }

    /// Every file that is known, by path.
    pub(crate) fn files(&self) -> CodebaseResult<HashMap<String, RecordedFile>> {
        let fail = database(&self.path);
        let sql = "SELECT path, modified, size, hash FROM files";
        let mut statement = self.connection.prepare(sql).map_err(&fail)?;
        let rows = statement.query_map([], |row| {
            let stat = FileStat { modified: row.get(1)?, size: row.get::<_, i64>(2)? as u64 };
            let hash = row.get_ref(3)?.as_blob()?.try_into().unwrap_or_default();
            Ok((row.get(0)?, RecordedFile { stat, hash }))
        });
        rows.and_then(Iterator::collect).map_err(&fail)
    }

    /// Writes a state of the worktree: all its files, and the generation of their graph.
    pub(crate) fn write(
        &mut self,
        files: &[(String, FileStat, Hash)],
        known: &HashMap<String, RecordedFile>,
        generation: u64,
    ) -> CodebaseResult<()> {
        let fail = database(&self.path);
        let transaction = self.connection.transaction().map_err(&fail)?;
        write(&transaction, files, known, generation).map_err(&fail)?;
        transaction.commit().map_err(&fail)
    }
}

fn write(
    transaction: &Transaction<'_>,
    files: &[(String, FileStat, Hash)],
    known: &HashMap<String, RecordedFile>,
    generation: u64,
) -> rusqlite::Result<()> {
    let mut upsert = transaction.prepare_cached(
        "INSERT INTO files (path, modified, size, hash) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (path) DO UPDATE SET modified = ?2, size = ?3, hash = ?4",
    )?;
    let is_recorded = |path: &str, stat: FileStat, hash: Hash| {
        known.get(path) == Some(&RecordedFile { stat, hash })
    };
    for (path, stat, hash) in
        files.iter().filter(|(path, stat, hash)| !is_recorded(path, *stat, *hash))
    {
        upsert.execute(params![path, stat.modified, stat.size as i64, hash.as_slice()])?;
    }
    let present: HashSet<&str> = files.iter().map(|(path, ..)| path.as_str()).collect();
    let mut remove = transaction.prepare_cached("DELETE FROM files WHERE path = ?1")?;
    for removed in known.keys().filter(|path| !present.contains(path.as_str())) {
        remove.execute([removed])?;
    }
    let sql = "INSERT OR REPLACE INTO meta VALUES ('generation', ?1)";
    transaction.execute(sql, [generation as i64])?;
    Ok(())
}

/// The hashes of all files of the graph in a database, whatever version made it.
pub(crate) fn hashes(path: &Path) -> CodebaseResult<Vec<Hash>> {
    let connection = derived::open(path, "")?;
    let all = || -> rusqlite::Result<Vec<Hash>> {
        let mut statement = connection.prepare("SELECT hash FROM files")?;
        statement.query_map([], |row| row.get(0))?.collect()
    };
    all().map_err(database(path))
}
