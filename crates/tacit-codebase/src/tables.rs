//! The database of a worktree's graph: files with what they looked like, nodes and edges.
//!
//! A node is numbered by the row of its file and its place in it, so that a change to one file
//! renumbers no other. Rows of a file are written only if they differ.

mod rows;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use tacit_graph::{FACTS_VERSION, Graph};

use self::rows::{write_graph, write_part};
use crate::derived;
use crate::edit::Edited;
use crate::error::{CodebaseResult, database};
use crate::facts::Hash;
use crate::walk::Mark;

/// How many nodes a file may have; one with more than a million bytes is not parsed.
const PER_FILE: i64 = 1 << 20;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS files (
        id INTEGER PRIMARY KEY,
        path TEXT NOT NULL UNIQUE,
        modified INTEGER NOT NULL,
        size INTEGER NOT NULL,
        hash BLOB NOT NULL,
        digest INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE IF NOT EXISTS nodes (
        id INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        line INTEGER NOT NULL,
        end_line INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS edges (
        from_node INTEGER NOT NULL,
        to_node INTEGER NOT NULL,
        kind TEXT NOT NULL,
        origin TEXT NOT NULL,
        confidence REAL NOT NULL,
        line INTEGER NOT NULL,
        PRIMARY KEY (from_node, to_node, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS unresolved (
        file INTEGER NOT NULL,
        line INTEGER NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (file, line, name)
    ) STRICT, WITHOUT ROWID;
";

/// A file as it was when it was last looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) id: i64,
    pub(crate) mark: Mark,
    pub(crate) hash: Hash,
    digest: i64,
}

/// What became of the graph.
pub(crate) enum Change<'g> {
    /// It is as it was.
    Nothing,
    /// It was made anew.
    Whole(&'g Graph),
    /// Some files were linked again.
    Part(&'g Edited),
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
        if tables.meta("version")? != Some(i64::from(FACTS_VERSION)) {
            let all =
                "DELETE FROM files; DELETE FROM nodes; DELETE FROM edges; DELETE FROM unresolved;";
            tables.connection.execute_batch(all).map_err(&fail)?;
            tables.set_meta("version", i64::from(FACTS_VERSION))?;
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
    pub(crate) fn files(&self) -> CodebaseResult<HashMap<String, Known>> {
        let fail = database(&self.path);
        let sql = "SELECT path, id, modified, size, hash, digest FROM files";
        let mut statement = self.connection.prepare(sql).map_err(&fail)?;
        let rows = statement.query_map([], |row| {
            let mark = Mark { modified: row.get(2)?, size: row.get::<_, i64>(3)? as u64 };
            let hash = row.get_ref(4)?.as_blob()?.try_into().unwrap_or_default();
            Ok((row.get(0)?, Known { id: row.get(1)?, mark, hash, digest: row.get(5)? }))
        });
        rows.and_then(Iterator::collect).map_err(&fail)
    }

    /// Writes a state of the worktree: all its files, and what became of the graph.
    pub(crate) fn write(
        &mut self,
        files: &[(String, Mark, Hash)],
        known: &HashMap<String, Known>,
        change: &Change<'_>,
        generation: u64,
    ) -> CodebaseResult<()> {
        let fail = database(&self.path);
        let transaction = self.connection.transaction().map_err(&fail)?;
        write(&transaction, files, known, change, generation).map_err(&fail)?;
        transaction.commit().map_err(&fail)
    }
}

fn write(
    transaction: &Transaction<'_>,
    files: &[(String, Mark, Hash)],
    known: &HashMap<String, Known>,
    change: &Change<'_>,
    generation: u64,
) -> rusqlite::Result<()> {
    // Else the files are those that are known, and most are as they were.
    let whole = matches!(change, Change::Whole(_));
    let mut ids = HashMap::with_capacity(if whole { files.len() } else { 0 });
    let mut upsert = transaction.prepare_cached(
        "INSERT INTO files (path, modified, size, hash) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (path) DO UPDATE SET modified = ?2, size = ?3, hash = ?4 RETURNING id",
    )?;
    for (path, mark, hash) in files {
        let before = known.get(path);
        let id = match before.filter(|known| known.mark == *mark && known.hash == *hash) {
            Some(known) => known.id,
            None => {
                let row = params![path, mark.modified, mark.size as i64, hash.as_slice()];
                upsert.query_row(row, |row| row.get(0))?
            }
        };
        if whole {
            ids.insert(path.as_str(), (id, before.map_or(0, |known| known.digest)));
        }
    }
    match change {
        Change::Nothing => {}
        Change::Whole(graph) => {
            let mut remove = transaction.prepare_cached("DELETE FROM files WHERE id = ?1")?;
            for (_, gone) in known.iter().filter(|(path, _)| !ids.contains_key(path.as_str())) {
                remove.execute([gone.id])?;
                clear(transaction, gone.id)?;
            }
            write_graph(transaction, graph, |path| ids.get(path).copied().unwrap_or_default())?;
        }
        Change::Part(edited) => write_part(transaction, edited, |path| {
            known.get(path).map_or((0, 0), |known| (known.id, known.digest))
        })?,
    }
    let sql = "INSERT OR REPLACE INTO meta VALUES ('generation', ?1)";
    transaction.execute(sql, [generation as i64])?;
    Ok(())
}

/// Takes out the rows of a file.
fn clear(transaction: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    let (first, end) = (id * PER_FILE, (id + 1) * PER_FILE);
    for sql in [
        "DELETE FROM nodes WHERE id >= ?1 AND id < ?2",
        "DELETE FROM edges WHERE from_node >= ?1 AND from_node < ?2",
    ] {
        transaction.prepare_cached(sql)?.execute([first, end])?;
    }
    transaction.prepare_cached("DELETE FROM unresolved WHERE file = ?1")?.execute([id])?;
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
