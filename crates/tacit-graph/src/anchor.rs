//! Checksums of symbols, which show later whether a symbol has changed.

use crate::facts::FileFacts;
use crate::link::is_node;
use crate::packed::PackedGraph;
use crate::project::FileId;

/// The properties of a symbol that its checksum depends on.
#[derive(Clone, Copy)]
struct Symbol<'a> {
    name: &'a str,
    lines: (u32, u32),
    checksum: u64,
}

/// Returns the checksum of a symbol of a file, by its qualified name, or `None` if the file has no
/// such symbol.
///
/// The checksum of a function covers its text without layout and comments. The checksum of a type
/// with members covers only their names: a change inside one member does not change the type.
#[must_use]
pub fn symbol_checksum(graph: &PackedGraph<'_>, file: FileId, name: &str) -> Option<u64> {
    let range = graph.range(file);
    let symbols = (range.start + 1..range.end).filter_map(|id| {
        let node = graph.node(id)?;
        Some(Symbol { name: node.name, lines: (node.line, node.end_line), checksum: node.checksum })
    });
    checksum(&symbols.collect::<Vec<_>>(), name)
}

/// Returns the qualified name of the symbol that `name` refers to in a file outside the graph, or
/// `None` if there is no such symbol or several.
#[must_use]
pub fn find_symbol(facts: &FileFacts, name: &str) -> Option<String> {
    let written = name.replace("::", ".");
    let graph_definitions = graph_definitions(facts);
    if graph_definitions.iter().any(|(_, full)| *full == written) {
        return Some(written);
    }
    let ending = format!(".{written}");
    let mut matches = graph_definitions.into_iter().filter(|(_, full)| full.ends_with(&ending));
    matches.next().filter(|_| matches.next().is_none()).map(|(_, full)| full)
}

/// Returns the qualified names of all symbols of a file outside the graph.
#[must_use]
pub fn symbol_names(facts: &FileFacts) -> Vec<String> {
    graph_definitions(facts).into_iter().map(|(_, name)| name).collect()
}

/// Returns the definitions of a file that become nodes of the graph, with their qualified names.
fn graph_definitions(facts: &FileFacts) -> Vec<(usize, String)> {
    (0..facts.definitions.len())
        .filter(|at| is_node(facts.definitions[*at].kind))
        .map(|at| (at, facts.qualified(at as u32)))
        .collect()
}

/// Returns the checksum of a symbol like [`symbol_checksum`], for a file outside the graph.
#[must_use]
pub fn symbol_checksum_in(facts: &FileFacts, name: &str) -> Option<u64> {
    let graph_definitions = graph_definitions(facts);
    let symbols = graph_definitions.iter().map(|(at, name)| {
        let definition = &facts.definitions[*at];
        Symbol {
            name,
            lines: (definition.line, definition.end_line),
            checksum: definition.checksum,
        }
    });
    checksum(&symbols.collect::<Vec<_>>(), name)
}

fn checksum(symbols: &[Symbol<'_>], name: &str) -> Option<u64> {
    let same_name: Vec<&Symbol<'_>> = symbols.iter().filter(|symbol| symbol.name == name).collect();
    if same_name.is_empty() {
        return None;
    }
    let inside = |symbol: &&Symbol<'_>| {
        let member = symbol.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let around = |same_name: &&Symbol<'_>| {
            same_name.lines.0 <= symbol.lines.0 && symbol.lines.1 <= same_name.lines.1
        };
        member && same_name.iter().any(around)
    };
    let mut members: Vec<&str> = symbols.iter().filter(inside).map(|symbol| symbol.name).collect();
    members.sort_unstable();
    let mut bytes: Vec<u8> = Vec::new();
    if members.is_empty() {
        bytes.extend(same_name.iter().flat_map(|symbol| symbol.checksum.to_le_bytes()));
    }
    bytes.extend(members.iter().flat_map(|name| name.bytes().chain([0])));
    Some(bytes.iter().fold(0xcbf2_9ce4_8422_2325, |checksum, byte| {
        (checksum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    }))
}

#[cfg(test)]
mod tests {
    use crate::{Extractor, FileFacts, Language, SourceText};

    use super::{find_symbol, symbol_checksum_in};

    fn facts(language: Language, text: &str) -> FileFacts {
        Extractor::default().extract(language, &SourceText::new(text.as_bytes())).unwrap()
    }

    #[test]
    fn comments_do_not_change_checksums_in_any_language() {
        for (path, text) in [
            ("a.rs", "fn f() { // C\n g(/* C */ 1) }\n"),
            ("a.ts", "function f() { // C\n g(/* C */ 1) }\n"),
            ("a.tsx", "function f() { // C\n g(/* C */ 1) }\n"),
            ("a.js", "function f() { // C\n g(/* C */ 1) }\n"),
            ("a.py", "def f():\n    # C\n    g(1)  # C\n"),
            ("a.go", "package p\nfunc f() { // C\n g(/* C */ 1) }\n"),
            ("a.java", "class A { void f() { // C\n g(/* C */ 1); } }\n"),
            ("a.c", "void f(void) { // C\n g(/* C */ 1); }\n"),
            ("a.cpp", "void f() { // C\n g(/* C */ 1); }\n"),
            ("a.cs", "class A { void f() { // C\n g(/* C */ 1); } }\n"),
            ("a.rb", "def f\n  # C\n  g(1) # C\nend\n"),
            ("a.php", "<?php\nfunction f() { // C\n # C\n g(/* C */ 1); }\n"),
            ("a.kt", "fun f() { // C\n g(/* C */ 1) }\n"),
            ("a.scala", "object A { def f() = { // C\n g(/* C */ 1) } }\n"),
            ("a.swift", "func f() { // C\n g(/* C */ 1) }\n"),
            ("a.sh", "f() {\n  # C\n  g 1 # C\n}\n"),
        ] {
            let language = Language::of_path(path).unwrap();
            let checksum = |text: &str| {
                let facts = facts(language, text);
                let definition = facts.definitions.iter().find(|definition| definition.name == "f");
                definition.unwrap_or_else(|| panic!("no f in {path}")).checksum
            };
            assert_eq!(checksum(text), checksum(&text.replace('C', "something else")), "{path}");
            assert_eq!(
                checksum(text),
                checksum(&text.replace("# C\n", "\n").replace("/* C */", "")),
                "{path}"
            );
            assert_ne!(checksum(text), checksum(&text.replace('1', "2")), "{path}");
        }
    }

    #[test]
    fn checksums_change_with_code_and_not_with_layout() {
        let python = "class Pool:\n    def close(self):\n        return 1\n";
        let rust = "struct Pool { size: u8 }\nimpl Pool { fn close(&self) { drop(1) } }\n";
        for (language, text, name, other, same) in [
            (Language::Python, python, "Pool.close", python.replace("1", "2"), false),
            (Language::Python, python, "Pool.close", python.replace(" 1", "  1"), true),
            (Language::Python, python, "Pool.close", python.replace(" 1", " 1  # one"), true),
            (Language::Rust, rust, "Pool.close", rust.replace("1)", "/* two */ 1)"), true),
            (Language::Rust, rust, "Pool", rust.replace("{ size", "{\n/// how many\nsize"), true),
            (Language::Python, python, "Pool", python.replace("1", "2"), true),
            (Language::Python, python, "Pool", python.replace("close", "shut"), false),
            (Language::Rust, rust, "Pool", rust.replace("drop(1)", "drop(2)"), true),
            (Language::Rust, rust, "Pool", rust.replace("u8", "u16"), false),
            (Language::Rust, rust, "Pool.close", rust.replace("drop(1)", "drop(2)"), false),
        ] {
            let checksum = |text: &str| symbol_checksum_in(&facts(language, text), name);
            assert!(checksum(text).is_some(), "{name}");
            assert_eq!(checksum(text) == checksum(&other), same, "{name} in {other}");
        }
        assert_eq!(symbol_checksum_in(&facts(Language::Rust, rust), "Pool.open"), None);
    }

    #[test]
    fn ambiguous_names_find_no_symbol() {
        let text = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n\
                    def stop(): pass\n";
        let facts = facts(Language::Python, text);
        for (name, matches) in [
            ("A", Some("A")),
            ("A.run", Some("A.run")),
            ("A::run", Some("A.run")),
            ("run", None),
            ("stop", Some("stop")),
            ("top", None),
        ] {
            assert_eq!(find_symbol(&facts, name).as_deref(), matches, "{name}");
        }
    }
}
