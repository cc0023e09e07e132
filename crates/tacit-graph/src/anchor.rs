//! What the source of a symbol comes down to, to tell later whether it is still the same.

use crate::facts::FileFacts;
use crate::link::is_node;
use crate::packed::PackedGraph;
use crate::project::FileId;

/// A symbol as far as it matters here.
#[derive(Clone, Copy)]
struct Part<'a> {
    name: &'a str,
    lines: (u32, u32),
    checksum: u64,
}

/// A sum of a symbol of a file, by its whole name; none if it is not there.
///
/// A function is its text without layout and comments. What has members inside its text is which members those
/// are: that one of them changed says nothing of the whole.
#[must_use]
pub fn symbol_checksum(graph: &PackedGraph<'_>, file: FileId, name: &str) -> Option<u64> {
    let range = graph.range(file);
    let parts = (range.start + 1..range.end).filter_map(|id| {
        let node = graph.node(id)?;
        Some(Part { name: node.name, lines: (node.line, node.end_line), checksum: node.checksum })
    });
    checksum(&parts.collect::<Vec<_>>(), name)
}

/// The whole name of what a name means in a file that is no part of a graph; none if it means
/// nothing there, or several things.
#[must_use]
pub fn find_symbol(facts: &FileFacts, name: &str) -> Option<String> {
    let written = name.replace("::", ".");
    let named = named(facts);
    if named.iter().any(|(_, full)| *full == written) {
        return Some(written);
    }
    let ending = format!(".{written}");
    let mut meant = named.into_iter().filter(|(_, full)| full.ends_with(&ending));
    meant.next().filter(|_| meant.next().is_none()).map(|(_, full)| full)
}

/// The whole names of what a file defines that is no part of a graph.
#[must_use]
pub fn symbol_names(facts: &FileFacts) -> Vec<String> {
    named(facts).into_iter().map(|(_, name)| name).collect()
}

/// The definitions of a file that are nodes of a graph, with their whole names.
fn named(facts: &FileFacts) -> Vec<(usize, String)> {
    (0..facts.definitions.len())
        .filter(|at| is_node(facts.definitions[*at].kind))
        .map(|at| (at, facts.qualified(at as u32)))
        .collect()
}

/// The sum of a symbol of a file that is no part of a graph.
#[must_use]
pub fn symbol_checksum_in(facts: &FileFacts, name: &str) -> Option<u64> {
    let named = named(facts);
    let parts = named.iter().map(|(at, name)| {
        let definition = &facts.definitions[*at];
        Part { name, lines: (definition.line, definition.end_line), checksum: definition.checksum }
    });
    checksum(&parts.collect::<Vec<_>>(), name)
}

fn checksum(parts: &[Part<'_>], name: &str) -> Option<u64> {
    let own: Vec<&Part<'_>> = parts.iter().filter(|part| part.name == name).collect();
    if own.is_empty() {
        return None;
    }
    let inside = |part: &&Part<'_>| {
        let member = part.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let around = |own: &&Part<'_>| own.lines.0 <= part.lines.0 && part.lines.1 <= own.lines.1;
        member && own.iter().any(around)
    };
    let mut members: Vec<&str> = parts.iter().filter(inside).map(|part| part.name).collect();
    members.sort_unstable();
    let mut bytes: Vec<u8> = Vec::new();
    if members.is_empty() {
        bytes.extend(own.iter().flat_map(|part| part.checksum.to_le_bytes()));
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
    fn what_comments_say_is_no_part_of_a_symbol_in_any_language() {
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
                let of_f = facts.definitions.iter().find(|definition| definition.name == "f");
                of_f.unwrap_or_else(|| panic!("no f in {path}")).checksum
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
    fn a_symbol_is_the_same_until_what_it_says_changes() {
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
    fn a_name_means_one_symbol_or_none() {
        let text = "class A:\n    def run(self): pass\nclass B:\n    def run(self): pass\n\
                    def stop(): pass\n";
        let facts = facts(Language::Python, text);
        for (name, meant) in [
            ("A", Some("A")),
            ("A.run", Some("A.run")),
            ("A::run", Some("A.run")),
            ("run", None),
            ("stop", Some("stop")),
            ("top", None),
        ] {
            assert_eq!(find_symbol(&facts, name).as_deref(), meant, "{name}");
        }
    }
}
