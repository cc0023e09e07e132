//! Statistics of a graph, and exports to JSON, Graphviz and GraphML.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use crate::Language;
use crate::graph::{EdgeKind, NodeKind};
use crate::packed::PackedGraph;

/// Statistics of a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GraphSummary {
    /// The number of nodes of each kind.
    pub nodes: BTreeMap<&'static str, u64>,
    /// The number of edges of each kind.
    pub edges: BTreeMap<&'static str, u64>,
    /// The number of edges of each origin.
    pub origins: BTreeMap<&'static str, u64>,
    /// The number of files of each language.
    pub languages: BTreeMap<&'static str, u64>,
    /// The number of lines in all parsed files.
    pub lines: u64,
    /// The number of files that were not parsed, for each reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// Files with syntax errors, with the first such line.
    pub errors: Vec<(String, u32)>,
    /// The number of unresolved names.
    pub unresolved: u64,
    /// The number of calls that cannot be linked.
    pub dynamic_calls: u64,
    /// The number of imports whose path is computed at run time.
    pub computed_imports: u64,
    /// The number of files that are left out because their names are not UTF-8.
    pub non_utf8: u64,
}

/// Computes the statistics of a graph.
#[must_use]
pub fn summary(graph: &PackedGraph<'_>) -> GraphSummary {
    let non_utf8 = u64::from(graph.non_utf8().files);
    let mut summary = GraphSummary { non_utf8, ..GraphSummary::default() };
    for node in 0..graph.nodes() {
        if let Some(kind) = graph.kind(node) {
            *summary.nodes.entry(kind.as_str()).or_default() += 1;
        }
        for edge in graph.dependencies(node) {
            *summary.edges.entry(edge.kind.as_str()).or_default() += 1;
            *summary.origins.entry(edge.origin.as_str()).or_default() += 1;
        }
    }
    for id in 0..graph.files() {
        let Some(file) = graph.file(id) else { continue };
        if let Some(language) = Language::of_path(graph.path(id)) {
            *summary.languages.entry(language.name()).or_default() += 1;
        }
        if let Some(why) = file.skipped {
            *summary.skipped.entry(why.as_str()).or_default() += 1;
        }
        summary.errors.extend(file.error_line.map(|line| (graph.path(id).to_owned(), line)));
        summary.lines += u64::from(graph.node(file.node).map_or(0, |node| node.end_line));
        summary.unresolved += u64::from(file.unresolved);
        summary.dynamic_calls += u64::from(file.dynamic_calls);
        summary.computed_imports += u64::from(file.computed_imports.count);
    }
    summary
}

/// Exports the whole graph as JSON.
#[must_use]
pub fn to_json(graph: &PackedGraph<'_>) -> Value {
    let nodes: Vec<Value> = (0..graph.nodes())
        .filter_map(|id| {
            let node = graph.node(id)?;
            let mut value = json!({"id": id, "type": node.kind.as_str(), "label": graph.label(id)});
            if node.line > 0 {
                value["line"] = json!(node.line);
                value["end_line"] = json!(node.end_line);
            }
            Some(value)
        })
        .collect();
    let edges: Vec<Value> = (0..graph.nodes())
        .flat_map(|id| graph.dependencies(id))
        .map(|edge| {
            let mut value = json!({
                "from": edge.from, "to": edge.to, "type": edge.kind.as_str(),
                "weight": hundredths(edge.kind.weight()), "origin": edge.origin.as_str(),
                "confidence": f64::from(edge.origin.confidence()) / 100.0,
            });
            if edge.line > 0 {
                value["line"] = json!(edge.line);
            }
            value
        })
        .collect();
    json!({"generation": graph.generation(), "nodes": nodes, "edges": edges})
}

fn hundredths(weight: f32) -> f64 {
    f64::from((weight * 100.0).round()) / 100.0
}

/// Exports files and their imports in the DOT format of Graphviz.
#[must_use]
pub fn to_dot(graph: &PackedGraph<'_>) -> String {
    let mut out = String::from("digraph code {\n  rankdir=LR;\n  node [shape=box];\n");
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    for id in 0..graph.nodes() {
        if graph.kind(id) == Some(NodeKind::File) {
            let _ = writeln!(out, "  {};", quoted(graph.name(id)));
        }
    }
    for edge in (0..graph.nodes()).flat_map(|id| graph.dependencies(id)) {
        let files = graph.kind(edge.from) == Some(NodeKind::File)
            && graph.kind(edge.to) == Some(NodeKind::File);
        if files && edge.kind == EdgeKind::Imports {
            let _ = writeln!(
                out,
                "  {} -> {};",
                quoted(graph.name(edge.from)),
                quoted(graph.name(edge.to))
            );
        }
    }
    out + "}\n"
}

/// Exports the whole graph as GraphML.
#[must_use]
pub fn to_graphml(graph: &PackedGraph<'_>) -> String {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    let keys = [("type", "node"), ("label", "node"), ("kind", "edge"), ("origin", "edge")];
    for (name, of) in keys {
        let _ = writeln!(
            out,
            "  <key id=\"{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"string\"/>"
        );
    }
    let _ = writeln!(
        out,
        "  <key id=\"confidence\" for=\"edge\" attr.name=\"confidence\" attr.type=\"double\"/>\n  \
         <key id=\"line\" for=\"edge\" attr.name=\"line\" attr.type=\"int\"/>\n  \
         <graph id=\"code\" edgedefault=\"directed\">"
    );
    for id in 0..graph.nodes() {
        let Some(node) = graph.node(id) else { continue };
        let (kind, label) = (node.kind.as_str(), escaped(&graph.label(id)));
        let _ = writeln!(
            out,
            "    <node id=\"n{id}\"><data key=\"type\">{kind}</data><data key=\"label\">{label}</data></node>"
        );
    }
    for edge in (0..graph.nodes()).flat_map(|id| graph.dependencies(id)) {
        let (kind, origin, line) = (edge.kind.as_str(), edge.origin.as_str(), edge.line);
        let confidence = f64::from(edge.origin.confidence()) / 100.0;
        let _ = writeln!(
            out,
            "    <edge source=\"n{}\" target=\"n{}\"><data key=\"kind\">{kind}</data>\
             <data key=\"origin\">{origin}</data><data key=\"confidence\">{confidence}</data>\
             <data key=\"line\">{line}</data></edge>",
            edge.from, edge.to
        );
    }
    out + "  </graph>\n</graphml>\n"
}

/// Escapes text between XML tags. Line breaks become character references, because XML readers may
/// change them. Characters that XML does not allow become U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\t' => out.push(c),
            '\n' | '\r' | '\u{7f}'..='\u{9f}' => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn names_are_escaped_between_tags() {
        for (name, text) in [
            ("a<b>&c.py", "a&lt;b&gt;&amp;c.py"),
            ("new\nline.py", "new&#10;line.py"),
            ("tab\treturn\r", "tab\treturn&#13;"),
            ("bell\u{7}\u{85}\u{ffff}\0", "bell\u{fffd}&#133;\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(escaped(name), text, "{name:?}");
        }
    }
}
