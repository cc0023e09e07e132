//! The graph, told by small projects: their files, and the edges that follow from them.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod bash;
mod c;
mod calls;
mod cpp;
mod csharp;
mod damage;
mod go;
mod impacts;
mod java;
mod kotlin;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod scopes;
mod swift;
mod typescript;
mod xcode;

use std::collections::BTreeMap;

use tacit_graph::{
    Edge, EdgeKind, Extractor, Graph, GraphInput, Language, NodeKind, SkipReason, SourceFile,
    SourceText, is_manifest, link,
};

/// A project, written as files that each begin with `== path`.
fn project(text: &str) -> GraphInput {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut path = None;
    for line in text.lines() {
        if let Some(name) = line.trim_start().strip_prefix("== ") {
            path = Some(name.to_owned());
            files.insert(name.to_owned(), String::new());
        } else if let Some(path) = &path {
            let file = files.get_mut(path).unwrap();
            file.push_str(line);
            file.push('\n');
        }
    }
    of_files(&files)
}

fn of_files(files: &BTreeMap<String, String>) -> GraphInput {
    let mut extractor = Extractor::default();
    let mut project = GraphInput::default();
    for (path, text) in files {
        if is_manifest(path) {
            project.manifests.insert(path.clone(), text.clone());
        }
        if let Some(language) = Language::of_path(path) {
            let facts = extractor.extract(language, &SourceText::new(text.as_bytes()));
            let facts = facts.ok_or(SkipReason::Unsupported);
            project.files.push(SourceFile { path: path.clone(), facts });
        }
    }
    project
}

/// A node as it is written in tests.
fn label(graph: &Graph, node: u32) -> String {
    let name = &graph.nodes[node as usize].name;
    match graph.file_of(node) {
        Some(file) if graph.nodes[node as usize].kind != NodeKind::File => {
            let path = &graph.nodes[graph.files[file as usize].node as usize].name;
            format!("{path}::{name}")
        }
        _ => name.clone(),
    }
}

/// The edges that a test asks about, as text, in order.
fn edges(graph: &Graph, wanted: impl Fn(&Edge) -> bool) -> Vec<String> {
    let mut lines: Vec<String> = graph
        .edges
        .iter()
        .filter(|edge| wanted(edge))
        .map(|edge| {
            let (from, to) = (label(graph, edge.from), label(graph, edge.to));
            format!("{from} {} {to}", edge.kind.as_str())
        })
        .collect();
    lines.sort();
    lines
}

/// Imports between files, as `a -> b`, and what could not be resolved, as `a ? name`.
fn imports(text: &str) -> Vec<String> {
    let graph = link(&project(text), 1);
    let is_file = |node: u32| graph.nodes[node as usize].kind == NodeKind::File;
    let mut lines: Vec<String> = graph
        .edges
        .iter()
        .filter(|edge| is_file(edge.from) && is_file(edge.to))
        .map(|edge| format!("{} -> {}", label(&graph, edge.from), label(&graph, edge.to)))
        .collect();
    lines.extend(graph.unresolved.iter().map(|missing| {
        let file = graph.files[missing.file as usize].node;
        format!("{} ? {}", label(&graph, file), missing.name)
    }));
    lines.sort();
    lines.dedup();
    lines
}

/// Checks the imports of a project.
fn check_imports(text: &str, expected: &[&str]) {
    assert_eq!(imports(text), expected, "in\n{text}");
}

/// Checks calls, extensions and implementations of a project.
fn check_uses(text: &str, expected: &[&str]) {
    let graph = link(&project(text), 1);
    let found = edges(&graph, |edge| {
        matches!(edge.kind, EdgeKind::Calls | EdgeKind::Extends | EdgeKind::Implements)
    });
    assert_eq!(found, expected, "in\n{text}");
}
