//! The database of a worktree's graph: files with what they looked like, nodes and edges.
//!
//! A node is numbered by the row of its file and its place in it, so that a change to one file
//! renumbers no other. Rows of a file are written only if they differ.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use tacit_graph::{FACTS_VERSION, Graph};

use crate::derived;
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

    /// Writes a state of the worktree: all its files, and the graph if it is another.
    pub(crate) fn write(
        &mut self,
        files: &[(String, Mark, Hash)],
        known: &HashMap<String, Known>,
        graph: Option<&Graph>,
        generation: u64,
    ) -> CodebaseResult<()> {
        let fail = database(&self.path);
        let transaction = self.connection.transaction().map_err(&fail)?;
        write(&transaction, files, known, graph, generation).map_err(&fail)?;
        transaction.commit().map_err(&fail)
    }
}

fn write(
    transaction: &Transaction<'_>,
    files: &[(String, Mark, Hash)],
    known: &HashMap<String, Known>,
    graph: Option<&Graph>,
    generation: u64,
) -> rusqlite::Result<()> {
    let mut ids = HashMap::with_capacity(files.len());
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
        ids.insert(path.as_str(), (id, before.map_or(0, |known| known.digest)));
    }
    let mut remove = transaction.prepare_cached("DELETE FROM files WHERE id = ?1")?;
    for (path, file) in known.iter().filter(|(path, _)| !ids.contains_key(path.as_str())) {
        remove.execute([file.id])?;
        clear(transaction, file.id)?;
        let _ = path;
    }
    if let Some(graph) = graph {
        write_graph(transaction, graph, &ids)?;
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

fn write_graph(
    transaction: &Transaction<'_>,
    graph: &Graph,
    ids: &HashMap<&str, (i64, i64)>,
) -> rusqlite::Result<()> {
    let rows: Vec<(i64, i64)> = graph
        .files
        .iter()
        .map(|file| {
            ids.get(graph.nodes[file.node as usize].name.as_str()).copied().unwrap_or_default()
        })
        .collect();
    let mut numbers: Vec<i64> = (0..graph.nodes.len() as i64).collect();
    for (file, (id, _)) in rows.iter().enumerate() {
        for (at, node) in graph.range(file as u32).enumerate() {
            numbers[node as usize] = id * PER_FILE + at as i64;
        }
    }
    let number = |node: u32| numbers[node as usize];
    let mut insert_node =
        transaction.prepare_cached("INSERT INTO nodes VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let mut insert_edge =
        transaction.prepare_cached("INSERT INTO edges VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    let mut insert_missing =
        transaction.prepare_cached("INSERT OR IGNORE INTO unresolved VALUES (?1, ?2, ?3)")?;
    let mut set_digest =
        transaction.prepare_cached("UPDATE files SET digest = ?2 WHERE id = ?1")?;
    let (mut edge, mut missing) = (0, 0);
    for (file, (id, digest_before)) in rows.iter().enumerate() {
        let range = graph.range(file as u32);
        let edges_end = edge + graph.edges[edge..].partition_point(|edge| edge.from < range.end);
        let missing_end = missing
            + graph.unresolved[missing..].partition_point(|found| found.file as usize <= file);
        let edges = &graph.edges[edge..edges_end];
        let unresolved = &graph.unresolved[missing..missing_end];
        (edge, missing) = (edges_end, missing_end);
        let mut digest = Digest::default();
        let nodes = &graph.nodes[range.start as usize..range.end as usize];
        for node in nodes {
            digest.text(&node.name);
            digest.numbers(&[node.kind as i64, i64::from(node.line), i64::from(node.end_line)]);
        }
        for edge in edges {
            let (from, to) = (number(edge.from), number(edge.to));
            digest.numbers(&[from, to, edge.kind as i64, edge.origin as i64, i64::from(edge.line)]);
        }
        for found in unresolved {
            digest.text(&found.name);
            digest.numbers(&[i64::from(found.line)]);
        }
        let digest = digest.0 as i64;
        if digest == *digest_before {
            continue;
        }
        clear(transaction, *id)?;
        for (at, node) in nodes.iter().enumerate() {
            let row = id * PER_FILE + at as i64;
            insert_node.execute(params![
                row,
                node.kind.as_str(),
                node.name,
                node.line,
                node.end_line
            ])?;
        }
        for edge in edges {
            let confidence = f64::from(edge.origin.confidence()) / 100.0;
            let (kind, origin) = (edge.kind.as_str(), edge.origin.as_str());
            insert_edge.execute(params![
                number(edge.from),
                number(edge.to),
                kind,
                origin,
                confidence,
                edge.line
            ])?;
        }
        for found in unresolved {
            insert_missing.execute(params![id, found.line, found.name])?;
        }
        set_digest.execute(params![id, digest])?;
    }
    clear(transaction, 0)?;
    let directories = graph.nodes[graph.symbols_end() as usize..].iter();
    for (at, node) in directories.enumerate().take(PER_FILE as usize) {
        insert_node.execute(params![at as i64, node.kind.as_str(), node.name, 0, 0])?;
    }
    Ok(())
}

/// A sum of the rows of a file, eight bytes at a time.
struct Digest(u64);

impl Default for Digest {
    fn default() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    fn word(&mut self, word: u64) {
        // Multiplying moves what differs upwards, turning brings it down again.
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn text(&mut self, text: &str) {
        for part in text.as_bytes().chunks(8) {
            let mut bytes = [0; 8];
            bytes[..part.len()].copy_from_slice(part);
            self.word(u64::from_le_bytes(bytes));
        }
        self.word(text.len() as u64);
    }

    fn numbers(&mut self, numbers: &[i64]) {
        numbers.iter().for_each(|number| self.word(*number as u64));
    }
}
