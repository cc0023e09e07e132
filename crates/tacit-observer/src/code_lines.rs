//! Tells code from comments, imports and other lines that explain no change.

use std::collections::BTreeSet;

/// Maximum number of cells in the table that aligns two texts line by line.
const MAX_CELLS: usize = 250_000;

/// Lines of a text that were replaced by others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct LineHunk<'a> {
    /// The removed lines, trimmed.
    pub(crate) removed: Vec<&'a str>,
    /// The added lines, trimmed.
    pub(crate) added: Vec<&'a str>,
}

/// Aligns two texts and returns the lines that differ, without blank ones. Indentation does not
/// count.
pub(crate) fn line_hunks<'a>(old: &'a str, new: &'a str) -> Vec<LineHunk<'a>> {
    let lines = |text: &'a str| -> Vec<&'a str> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[head..], &new[head..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
    let mut hunks = Vec::new();
    let mut hunk = LineHunk::default();
    let mut close = |hunk: &mut LineHunk<'a>| {
        if !hunk.removed.is_empty() || !hunk.added.is_empty() {
            hunks.push(std::mem::take(hunk));
        }
    };
    if old.len().saturating_mul(new.len()) > MAX_CELLS {
        let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
            (old.iter().copied().collect(), new.iter().copied().collect());
        hunk.removed = old.iter().copied().filter(|line| !after.contains(line)).collect();
        hunk.added = new.iter().copied().filter(|line| !before.contains(line)).collect();
        close(&mut hunk);
        return hunks;
    }
    // common[i][j] is the length of the longest common subsequence of old[i..] and new[j..].
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            close(&mut hunk);
            i += 1;
            j += 1;
        } else if j == new.len()
            || (i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1])
        {
            hunk.removed.push(old[i]);
            i += 1;
        } else {
            hunk.added.push(new[j]);
            j += 1;
        }
    }
    close(&mut hunk);
    hunks
}

/// Returns the extension of a file in lower case.
fn extension(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.rsplit_once('.').map_or_else(|| name.to_lowercase(), |(_, end)| end.to_lowercase())
}

/// Returns true if a line of a file is code that can explain a change: no comment, import, blank
/// line, punctuation or prose.
pub(crate) fn is_code(file: &str, line: &str) -> bool {
    let line = line.trim();
    let letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    letters > 2 && !is_comment(file, line) && !is_import(file, line) && !is_prose(line)
}

/// Returns true if a line is a comment in the language of its file.
pub(crate) fn is_comment(file: &str, line: &str) -> bool {
    let line = line.trim();
    match extension(file).as_str() {
        "py" | "rb" | "sh" | "bash" | "zsh" | "yaml" | "yml" | "toml" | "pl" | "r" | "ex"
        | "exs" | "nix" | "cmake" | "mk" | "makefile" | "justfile" | "dockerfile" | "gemfile"
        | "rakefile" | "tf" | "graphql" | "jl" | "env" | "properties" | "cfg" => {
            line.starts_with('#') || line.starts_with("\"\"\"") || line.starts_with("'''")
        }
        "sql" | "lua" | "hs" | "elm" | "adb" | "ads" => line.starts_with("--"),
        "html" | "xml" | "svg" => line.starts_with("<!--") || line.ends_with("-->"),
        "clj" | "cljs" | "lisp" | "el" | "ini" | "asm" | "s" => line.starts_with([';', '#']),
        "erl" | "tex" | "m" => line.starts_with('%'),
        "php" => starts_c_comment(line) || (line.starts_with('#') && !line.starts_with("#[")),
        "vue" | "svelte" => starts_c_comment(line) || line.starts_with("<!--"),
        _ => starts_c_comment(line),
    }
}

fn starts_c_comment(line: &str) -> bool {
    // The inner lines of a block comment begin with an asterisk; a pointer has none after it.
    let inner = line == "*" || line.starts_with("* ") || line.starts_with("*/");
    line.starts_with("//") || line.starts_with("/*") || line.starts_with("{/*") || inner
}

/// Returns true if a line only brings names into scope.
pub(crate) fn is_import(file: &str, line: &str) -> bool {
    let line = line.trim();
    let starts = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
    match extension(file).as_str() {
        "go" => {
            let path = line.rsplit(' ').next().unwrap_or(line);
            let quoted = path.len() > 2 && path.starts_with('"') && path.ends_with('"');
            let statement = starts(&["return ", "case "]) || line.contains(['(', '=', ':']);
            let spec = quoted && line.split(' ').count() <= 2 && !statement;
            starts(&["import ", "package "]) || spec
        }
        "rs" => starts(&["use ", "pub use ", "pub(crate) use ", "extern crate "]),
        "py" => starts(&["import "]) || (starts(&["from "]) && line.contains(" import")),
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "vue" | "svelte" => {
            (starts(&["import ", "import{", "} from ", "export * from", "export {"])
                && !line.starts_with("import("))
                || (line.contains("= require(") && starts(&["const ", "let ", "var "]))
        }
        "java" | "kt" | "scala" | "swift" | "dart" | "groovy" => starts(&["import ", "package "]),
        "cs" => starts(&["using "]) && !line.contains(['(', '=']),
        "rb" => starts(&["require ", "require_relative ", "load "]),
        "php" => starts(&["use ", "namespace ", "require", "include"]),
        "c" | "h" | "cc" | "cpp" | "hpp" | "m" => starts(&["#include", "#import", "#pragma"]),
        "ex" | "exs" => starts(&["import ", "alias ", "require ", "use "]),
        "hs" | "elm" => starts(&["import "]),
        _ => false,
    }
}

/// Returns true if a line reads like a sentence, as in a text of several lines.
fn is_prose(line: &str) -> bool {
    line.split_whitespace().count() >= 5 && !line.contains(['=', '(', '{', '[', '<', ';'])
}

/// Returns true if two lines differ in the values of strings and numbers only.
pub(crate) fn differ_in_values(one: &str, other: &str) -> bool {
    one != other && without_values(one) == without_values(other)
}

fn without_values(line: &str) -> String {
    let mut out = String::new();
    let mut quote = None;
    let mut before = ' ';
    for c in line.chars() {
        match quote {
            Some(open) if c == open && before != '\\' => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'' | '`') => {
                quote = Some(c);
                out.push('"');
            }
            None if c.is_ascii_digit() && !before.is_alphabetic() && before != '_' => {}
            None if !c.is_whitespace() => out.push(c),
            None => {}
        }
        before = c;
    }
    out
}

/// Returns the identifiers of a text: names in code, without their punctuation.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.len() > 1 && word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Returns true if a text has a name as a whole word; dots and colons may be inside the name.
pub(crate) fn has_word(text: &str, name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            !text[..at].chars().next_back().is_some_and(inside)
                && !text[at + name.len()..].chars().next().is_some_and(inside)
        })
}

/// Words before the name that a line defines.
const DEFINING_WORDS: [&str; 31] = [
    "func",
    "fn",
    "def",
    "class",
    "struct",
    "type",
    "interface",
    "enum",
    "trait",
    "const",
    "static",
    "let",
    "var",
    "val",
    "function",
    "fun",
    "module",
    "mod",
    "object",
    "record",
    "macro_rules",
    "sub",
    "defp",
    "impl",
    "protocol",
    "extension",
    "namespace",
    "public",
    "private",
    "export",
    "pub",
];

/// Returns true if a line defines a name: a function, a type, a constant, a field.
pub(crate) fn defines(line: &str, name: &str) -> bool {
    let line = line.trim();
    let Some(at) =
        line.match_indices(name).map(|(at, _)| at).find(|at| has_word_at(line, *at, name))
    else {
        return false;
    };
    let (before, after) = (&line[..at], line[at + name.len()..].trim_start());
    let keyword = identifiers(before).any(|word| DEFINING_WORDS.contains(&word));
    // A method of Go has its receiver in brackets before the name.
    let opens = before.matches('(').count() == before.matches(')').count() && !before.contains('{');
    let field = before.trim().is_empty()
        && (after.starts_with(':') && !after.starts_with("::")
            || after.starts_with('?')
            || after.starts_with(|c: char| c.is_alphabetic() || c == '*' || c == '['));
    (keyword && opens && !before.contains('=')) || field
}

fn has_word_at(line: &str, at: usize, name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    !line[..at].chars().next_back().is_some_and(|c| inside(c) || c == '.')
        && !line[at + name.len()..].chars().next().is_some_and(inside)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hunks_hold_the_lines_that_differ() {
        let hunks = line_hunks("a\nb\nc\nd\ne", "a\n  B\nc\nd\nE\nf");
        let hunk = |removed: &[&'static str], added: &[&'static str]| LineHunk {
            removed: removed.to_vec(),
            added: added.to_vec(),
        };
        assert_eq!(hunks, [hunk(&["b"], &["B"]), hunk(&["e"], &["E", "f"])]);
        assert_eq!(line_hunks("a", "  a\n\n"), []);
        assert_eq!(line_hunks("", "a"), [hunk(&[], &["a"])]);
    }

    #[test]
    fn comments_imports_and_punctuation_are_not_code() {
        for (file, line, code) in [
            ("a.go", "x := open()", true),
            ("a.go", "// x := open()", false),
            ("a.go", "\"fmt\"", false),
            ("a.go", "git \"github.com/x/y\"", false),
            ("a.go", "package cli", false),
            ("a.go", "return \"fmt\"", true),
            ("a.go", "*size = 3", true),
            ("a.go", "})", false),
            ("a.rs", "use std::fs;", false),
            ("a.rs", "#[derive(Debug)]", true),
            ("a.rs", "/// Returns it.", false),
            ("a.rs", "mod helper;", true),
            ("a.py", "# x = 1", false),
            ("a.py", "from a import b", false),
            ("a.py", "size = 1", true),
            ("a.py", "Return the tokens of a user", false),
            ("a.py", "\"\"\"Return the tokens.\"\"\"", false),
            ("a.ts", "import { a } from './a';", false),
            ("a.ts", "const a = require('a');", false),
            ("a.ts", "const a = await import('a');", true),
            ("a.ts", "* Returns it.", false),
            ("A.java", "import java.util.List;", false),
            ("A.cs", "using System.Text;", false),
            ("A.cs", "using (var x = Open()) {", true),
            ("a.c", "#include <stdio.h>", false),
            ("a.c", "#define MAX 3", true),
            ("a.rb", "require 'json'", false),
            ("a.sql", "-- drop it", false),
            ("ci.yml", "# node 18", false),
            ("ci.yml", "node-version: 20", true),
            ("Makefile", "# all", false),
        ] {
            assert_eq!(is_code(file, line), code, "{file}: {line}");
        }
    }

    #[test]
    fn values_are_strings_and_numbers() {
        for (one, other, expected) in [
            ("want := 3", "want := 4", true),
            ("expect(x).toBe('a')", "expect(x).toBe('b')", true),
            ("assert x == \"a\\\"b\"", "assert x == \"c\"", true),
            ("v1.load()", "v2.load()", false),
            ("f(a)", "f(b)", false),
            ("f(a)", "f(a)", false),
        ] {
            assert_eq!(differ_in_values(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn definitions_are_told_from_uses() {
        for (line, name, expected) in [
            ("func Load(path string) error {", "Load", true),
            ("func (s *Store) Load() error {", "Load", true),
            ("x := store.Load()", "Load", false),
            ("func run() { Load() }", "Load", false),
            ("pub(crate) fn load(path: &Path) {", "load", true),
            ("let x = load();", "load", false),
            ("def create_app():", "create_app", true),
            ("from x.cli import create_app", "create_app", false),
            ("export function create(a: string) {", "create", true),
            ("Agents []string `json:\"agents\"`", "Agents", true),
            ("summary.Agents = nil", "Agents", false),
            ("timeout?: number;", "timeout", true),
            ("pub timeout: u64,", "timeout", true),
            ("class Parser:", "Parser", true),
            ("interface Options {", "Options", true),
        ] {
            assert_eq!(defines(line, name), expected, "{line}");
        }
    }

    proptest! {
        #[test]
        fn hunks_rebuild_both_texts(old in "([ab]\n){0,12}", new in "([abc]\n){0,12}") {
            let hunks = line_hunks(&old, &new);
            let removed: usize = hunks.iter().map(|hunk| hunk.removed.len()).sum();
            let added: usize = hunks.iter().map(|hunk| hunk.added.len()).sum();
            prop_assert_eq!(old.lines().count() - removed, new.lines().count() - added);
        }

        #[test]
        fn any_line_is_accepted(line in "\\PC{0,60}", name in "\\PC{0,5}") {
            for file in ["a.go", "a.py", "x", "a.html"] {
                is_code(file, &line);
            }
            defines(&line, &name);
            differ_in_values(&line, &name);
        }
    }
}
