//! Walks over the packed graph, against recursive queries over the database.

use std::collections::BTreeMap;

use rusqlite::Connection;
use tacit_graph::{Direction, reach};

use crate::{Worktree, refresh};

/// Files from which a file can be reached, with how many edges it takes, as SQL sees it.
fn oracle(worktree: &Worktree, path: &str, depth: u32) -> BTreeMap<String, u32> {
    let database = Connection::open(worktree.codebase("kept").database()).unwrap();
    let sql = "
        WITH RECURSIVE links(a, b) AS (
            SELECT DISTINCT from_node >> 20, to_node >> 20 FROM edges
            WHERE from_node >> 20 <> to_node >> 20
        ), walk(file, depth) AS (
            SELECT id, 0 FROM files WHERE path = ?1
            UNION
            SELECT links.a, walk.depth + 1 FROM walk JOIN links ON links.b = walk.file
            WHERE walk.depth < ?2
        )
        SELECT path, min(depth) FROM walk JOIN files ON files.id = walk.file
        WHERE depth > 0 AND path <> ?1 GROUP BY path";
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map((path, depth), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
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
fn walks_find_what_recursive_queries_find() {
    let mut worktree = Worktree::new();
    layered(&mut worktree, 60);
    let codebase = worktree.codebase("kept");
    refresh(&codebase);
    let open = codebase.open().unwrap();
    let graph = open.packed();
    for file in 0..graph.files() {
        for depth in [1, 2, 3, 10] {
            let start = [graph.range(file).start];
            let found = reach(&graph, &start, Direction::Dependents, depth);
            let found: BTreeMap<String, u32> =
                found.files.iter().map(|r| (graph.path(r.file).to_owned(), r.depth)).collect();
            assert_eq!(
                found,
                oracle(&worktree, graph.path(file), depth),
                "{} {depth}",
                graph.path(file)
            );
        }
    }
}
