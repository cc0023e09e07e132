//! Walks over the packed graph, against recursive queries over a database of its edges.

use std::collections::BTreeMap;

use rusqlite::Connection;
use tacit_graph::{Direction, PackedGraph, traverse};

use crate::{Worktree, refresh};

/// The links between files, as a table.
fn database(graph: &PackedGraph<'_>) -> Connection {
    let database = Connection::open_in_memory().unwrap();
    database.execute_batch("CREATE TABLE links (a INTEGER, b INTEGER)").unwrap();
    for edge in (0..graph.nodes()).flat_map(|node| graph.dependencies(node)) {
        let files = (graph.file_of(edge.from), graph.file_of(edge.to));
        database.execute("INSERT INTO links VALUES (?1, ?2)", files).unwrap();
    }
    database
}

/// Files from which a file can be reached, with how many edges it takes, as SQL sees it.
fn oracle(database: &Connection, file: u32, depth: u32) -> BTreeMap<u32, u32> {
    let sql = "
        WITH RECURSIVE walk(file, depth) AS (
            SELECT ?1, 0
            UNION
            SELECT links.a, walk.depth + 1 FROM walk JOIN links ON links.b = walk.file
            WHERE walk.depth < ?2 AND links.a <> links.b
        )
        SELECT file, min(depth) FROM walk WHERE file <> ?1 GROUP BY file";
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map((file, depth), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(|row| row.unwrap()).collect()
}

/// A project of layers with cycles: each file imports some of those before it, and some import
/// later ones.
fn layered(worktree: &mut Worktree, files: usize) {
    for file in 0..files {
        let mut text = String::new();
        for other in [file * 7 + 3, file * 13 + 5, file * file + 1] {
            let other = other % files;
            text += &format!("import {{ f{other} }} from './m{other}';\n");
        }
        text += &format!("export function f{file}() {{ f{}(); }}\n", (file * 7 + 3) % files);
        worktree.write(&format!("m{file}.ts"), &text);
    }
}

#[test]
fn walks_match_recursive_sql_queries() {
    let mut worktree = Worktree::new();
    layered(&mut worktree, 60);
    let codebase = worktree.codebase("kept");
    refresh(&codebase);
    let open = codebase.open().unwrap();
    let graph = open.packed();
    let database = database(&graph);
    for file in 0..graph.files() {
        for depth in [1, 2, 3, 10] {
            let start = [graph.range(file).start];
            let found = traverse(&graph, &start, Direction::Dependents, depth);
            let found: BTreeMap<u32, u32> = found.files.iter().map(|r| (r.file, r.depth)).collect();
            assert_eq!(found, oracle(&database, file, depth), "{} {depth}", graph.path(file));
        }
    }
}
