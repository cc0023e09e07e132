//! Checks that only this crate opens files: no other crate may call functions of the standard
//! library that follow links, block on pipes, or create files that other users can read.

use std::fs;
use std::path::{Path, PathBuf};

/// Functions that only this crate may call.
const BANNED: [&str; 10] = [
    "fs::read(",
    "fs::read_to_string(",
    "fs::write(",
    "fs::copy(",
    "fs::hard_link(",
    "File::open(",
    "File::create(",
    "File::create_new(",
    "File::options(",
    "std::fs::OpenOptions",
];

/// Sources that may call them, with the reason.
const ALLOWED: [(&str, &str); 4] = [
    ("tacit-fs/", "this is the crate that opens files"),
    ("tacit-testkit/", "only tests use it"),
    ("tacit-panel/src/phrase/tests.rs", "only tests use it"),
    ("tacit-panel/build.rs", "it runs when the program is built, in a folder of cargo's"),
];

#[test]
fn no_other_crate_opens_files_itself() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of crates");
    let mut found = Vec::new();
    for file in sources(crates) {
        let name = file.strip_prefix(crates).expect("it is below").display().to_string();
        if ALLOWED.iter().any(|(allowed, _)| name.starts_with(allowed)) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source");
        for (number, line) in code_lines(&text) {
            if let Some(banned) = BANNED.iter().find(|banned| calls(line, banned)) {
                found.push(format!("{name}:{number}: `{banned}`: use `tacit_fs`"));
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Returns the lines of a source before its tests, without comments, numbered from 1.
fn code_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    lines
        .take_while(|(_, line)| !line.starts_with("mod tests"))
        .filter(|(_, line)| !line.starts_with("//"))
}

/// Returns true if a line calls a banned function itself, not one of `tacit_fs` or of another type.
fn calls(line: &str, banned: &str) -> bool {
    line.match_indices(banned).any(|(at, _)| {
        let before = line[..at].trim_end_matches("::").trim_end_matches("std");
        !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '"')
    })
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    let is_searched = |path: &PathBuf| {
        let is_source = path.extension().is_some_and(|ending| ending == "rs");
        let relative = path.strip_prefix(folder).unwrap_or(path).to_str();
        path.is_dir() && !matches!(relative, Some("tests" | "examples" | "benches")) || is_source
    };
    let expand = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    files.into_iter().filter(is_searched).flat_map(expand).collect()
}

#[test]
fn only_direct_calls_are_banned() {
    for (line, banned, expected) in [
        ("let x = fs::read(path)?;", "fs::read(", true),
        ("std::fs::read(path)", "fs::read(", true),
        ("tacit_fs::read(path)", "fs::read(", false),
        ("(File::open(path), 1)", "File::open(", true),
        ("ConfigFile::open(path)", "File::open(", false),
        ("(\"File::open(\", 1)", "File::open(", false),
    ] {
        assert_eq!(calls(line, banned), expected, "{line}");
    }
}
