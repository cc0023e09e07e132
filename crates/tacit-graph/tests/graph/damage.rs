//! Damage to a packed graph breaks its checksum, and at worst causes wrong answers.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use proptest::prelude::*;
use tacit_graph::{
    Direction, ImpactQuery, PackedGraph, conventions, find_target, flow, impact, link, modules,
    pack, summary, to_dot, to_graphml, to_json,
};

use crate::project;

static GRAPH: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let files = (0..44).map(|number| {
        let next = (number + 1) % 44;
        format!("== web/f{number}.ts\nimport {{ g{next} }} from './f{next}';\nexport function g{number}() {{ g{next}(); }}\n")
    });
    let text = files.collect::<String>()
        + "== a.py\nimport b\nclass A(b.B):\n    def run(self): b.go()\n== b.py\nclass B:\n    def run(self): pass\ndef go(): pass\n";
    pack(&link(&project(&text), 1), 7)
});

/// Calls every function that reads a packed graph.
fn run_all_queries(graph: &PackedGraph<'_>) {
    for file in (0..graph.files() + 2).chain([u32::MAX]) {
        let _ = (graph.file(file), graph.range(file), graph.path(file));
    }
    for node in (0..graph.nodes() + 2).chain([u32::MAX]) {
        let _ = (graph.label(node), graph.container(node), graph.kind(node));
        graph.dependencies(node).for_each(|edge| drop(graph.edge_location(&edge)));
        let _ = graph.dependents(node).count();
    }
    let _ = (to_json(graph), to_dot(graph), to_graphml(graph), summary(graph));
    let found = modules(graph, &BTreeSet::from(["web/package.json".to_owned()]));
    let _ = conventions(graph, &found);
    let targets = [("a.py", Some("A.run")), ("b.py", None), ("web", None), ("web/f0.ts", None)];
    let nodes = targets.map(|(path, symbol)| find_target(graph, path, symbol).unwrap_or_default());
    for start in &nodes {
        for direction in [Direction::Dependents, Direction::Dependencies] {
            let co_change = &|_: &str| None;
            let _ = impact(
                graph,
                &ImpactQuery { start, direction, depth: 4, offset: 0, limit: 9, co_change },
            )
            .lines(direction);
        }
        let _ = flow(graph, start, &nodes[1]);
    }
}

#[test]
fn a_change_to_any_byte_breaks_a_checksum() {
    assert!(PackedGraph::new(&GRAPH).is_some_and(|graph| graph.has_valid_checksum()));
    for at in 0..GRAPH.len() {
        let mut bytes = GRAPH.clone();
        bytes[at] ^= 0x81;
        assert!(!PackedGraph::new(&bytes).is_some_and(|graph| graph.has_valid_checksum()), "{at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn damaged_graphs_never_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..6),
    ) {
        let mut bytes = GRAPH.clone();
        for (at, by) in flips {
            // The header locates the sections and has its own checksum.
            let at = 72 + at.index(bytes.len() - 72);
            bytes[at] ^= by;
        }
        let graph = PackedGraph::new(&bytes).expect("the header is whole");
        run_all_queries(&graph);
    }

    #[test]
    fn damaged_headers_never_panic(at in 8..72_usize, by in 1..=u8::MAX) {
        let mut bytes = GRAPH.clone();
        bytes[at] ^= by;
        if let Some(graph) = PackedGraph::new(&bytes) {
            run_all_queries(&graph);
        }
    }
}
