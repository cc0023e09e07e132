//! What `cargo xtask bench graph` runs: indexing against bare parsing, and walks over large graphs.
//!
//! `measure index FOLDER GRAPHS` indexes a folder; `measure parse FOLDER` only reads and parses it;
//! `measure walk NODES` asks a made-up graph of that many nodes. One line of JSON each.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for developers")]

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use tacit_codebase::{Codebase, RefreshOptions};
use tacit_graph::{
    ComputedImports, Direction, Edge, EdgeKind, EdgeOrigin, FileNode, Graph, GraphNode,
    ImpactQuery, LARGEST_FILE, Language, NodeKind, PackedGraph, impact, pack, parse_only,
    skip_by_content, skip_by_path,
};

const THREADS: usize = 2;
/// How often each question about a made-up graph is asked.
const ASKED: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["index", folder, graphs] => index(Path::new(folder), Path::new(graphs)),
        ["parse", folder] => parse(Path::new(folder)),
        ["walk", nodes] => walk(nodes.parse().unwrap()),
        _ => panic!("index FOLDER GRAPHS | parse FOLDER | walk NODES"),
    }
}

fn index(folder: &Path, graphs: &Path) {
    let codebase = Codebase::new(folder, graphs);
    let options = RefreshOptions { threads: THREADS, reread_all: false, progress: &|_, _| {} };
    let start = Instant::now();
    let done = codebase.refresh(&options).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let open = codebase.open().unwrap();
    let graph = open.packed();
    let (nodes, edges) = (graph.nodes(), graph.edges());
    println!(
        "{{\"seconds\":{seconds:.3},\"files\":{},\"parsed\":{},\"nodes\":{nodes},\"edges\":{edges},\"peak_mb\":{}}}",
        done.files,
        done.parsed,
        peak_mb()
    );
}

/// The most memory this process has had, in megabytes; 0 where the system does not tell.
fn peak_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) / 1024
}

/// Reads and parses the same files on as many threads, and keeps nothing.
fn parse(folder: &Path) {
    let start = Instant::now();
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(folder).hidden(false).require_git(false).build().flatten()
    {
        let path = entry.path().strip_prefix(folder).ok().and_then(Path::to_str);
        if let Some(language) = path.and_then(Language::of_path)
            && skip_by_path(path.unwrap_or_default()).is_none()
            && entry.metadata().is_ok_and(|found| found.len() <= LARGEST_FILE)
        {
            files.push((language, entry.into_path()));
        }
    }
    let (next, lines) = (AtomicUsize::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((language, path)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Ok(bytes) = std::fs::read(path) else { continue };
                    if skip_by_content(&bytes).is_none() && parse_only(*language, &bytes) {
                        let count = bytes.iter().filter(|byte| **byte == b'\n').count();
                        lines.fetch_add(count as u64, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    println!("{{\"seconds\":{seconds:.3},\"lines\":{}}}", lines.into_inner());
}

/// A graph like that of a large project: files of nine symbols, most edges to files nearby, some to
/// a few that everybody uses.
fn made_up(nodes: u32) -> Graph {
    let mut graph = Graph::default();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u32| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % u64::from(below)) as u32
    };
    let files = nodes / 10;
    for file in 0..files {
        let node = file * 10;
        graph.files.push(FileNode {
            node,
            skipped: None,
            error_line: None,
            test: file % 7 == 0,
            dynamic_calls: 0,
            computed_imports: ComputedImports::default(),
        });
        graph.nodes.push(GraphNode {
            kind: NodeKind::File,
            name: format!("src/{:03}/{file:07}.ts", file / 100),
            line: 0,
            end_line: 100,
            checksum: 0,
        });
        for symbol in 1..10 {
            graph.nodes.push(GraphNode {
                kind: NodeKind::Function,
                name: format!("f{symbol}"),
                line: symbol,
                end_line: symbol,
                checksum: 0,
            });
        }
        for _ in 0..6 {
            let other = match random(20) {
                0 => random(files.min(50)),
                _ => (file + files - 1 - random(files.min(400))) % files,
            };
            let line = random(100);
            graph.edges.push(Edge {
                from: node,
                to: other * 10,
                kind: EdgeKind::Imports,
                origin: EdgeOrigin::Relative,
                line,
            });
            let (from, to) = (node + 1 + random(9), other * 10 + 1 + random(9));
            graph.edges.push(Edge {
                from,
                to,
                kind: EdgeKind::Calls,
                origin: EdgeOrigin::Import,
                line,
            });
        }
    }
    graph.edges.sort_unstable();
    graph.edges.dedup_by_key(|edge| (edge.from, edge.to, edge.kind));
    graph
}

fn walk(nodes: u32) {
    let graph = made_up(nodes);
    let bytes = pack(&graph, 1);
    let packed = PackedGraph::new(&bytes).unwrap();
    let mut times = Vec::new();
    let mut reached = 0;
    for round in 0..2_000_u32 {
        let file = round.wrapping_mul(2_654_435_761) % packed.files();
        let start = [packed.range(file).start];
        let question = ImpactQuery {
            start: &start,
            direction: Direction::Dependents,
            depth: 3,
            offset: 0,
            limit: 20,
            co_change: &|_| None,
        };
        // The quickest of several, or it would tell what else the machine does.
        let mut quickest = f64::INFINITY;
        for again in 0..ASKED {
            let at = Instant::now();
            let answer = impact(&packed, &question);
            quickest = quickest.min(at.elapsed().as_secs_f64() * 1e3);
            reached += if again == 0 { answer.total } else { 0 };
        }
        times.push(quickest);
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{{\"nodes\":{},\"edges\":{},\"bytes\":{},\"reached\":{},\"p50_ms\":{:.3},\"p99_ms\":{:.3},\"most_ms\":{:.3}}}",
        packed.nodes(),
        packed.edges(),
        bytes.len(),
        reached / 2_000,
        at(0.5),
        at(0.99),
        at(1.0)
    );
}
