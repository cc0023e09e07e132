//! Bytes that are not as they were written: seen by their sum, and never more than a wrong answer to
//! whoever does not look.

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

/// Asks everything that can be asked.
fn ask(graph: &PackedGraph<'_>) {
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
fn every_byte_is_part_of_the_sum() {
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
    fn nothing_is_worse_than_a_wrong_answer(
        flips in prop::collection::vec((any::<prop::sample::Index>(), 1..=u8::MAX), 1..6),
    ) {
        let mut bytes = GRAPH.clone();
        for (at, by) in flips {
            // The header decides where the rest is found, and has its own sum.
            let at = 72 + at.index(bytes.len() - 72);
            bytes[at] ^= by;
        }
        let graph = PackedGraph::new(&bytes).expect("the header is whole");
        ask(&graph);
    }

    #[test]
    fn a_damaged_header_is_no_more_than_a_wrong_answer(at in 8..72_usize, by in 1..=u8::MAX) {
        let mut bytes = GRAPH.clone();
        bytes[at] ^= by;
        if let Some(graph) = PackedGraph::new(&bytes) {
            ask(&graph);
        }
    }
}
