//! Looking for secrets in whatever was written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tacit_testkit::env::TestEnv;

/// The parts of secrets that must be nowhere, in lower case: an index may have folded them.
pub(super) struct Needles {
    /// By their first bytes.
    by_start: BTreeMap<[u8; START], Vec<Vec<u8>>>,
    may_start: Vec<bool>,
}

const START: usize = 6;
/// The folder of files to import.
pub(super) const SOURCES: &str = "sources";

impl Needles {
    pub(super) fn of<'s>(secrets: impl Iterator<Item = &'s str>) -> Needles {
        let mut needles = Needles { by_start: BTreeMap::new(), may_start: vec![false; 1 << 16] };
        for needle in secrets.flat_map(parts) {
            let needle = needle.to_lowercase().into_bytes();
            let start: [u8; START] = std::array::from_fn(|at| needle[at]);
            needles.may_start[usize::from(start[0]) << 8 | usize::from(start[1])] = true;
            let known = needles.by_start.entry(start).or_default();
            if !known.contains(&needle) {
                known.push(needle);
            }
        }
        assert!(needles.by_start.len() > 150, "{}", needles.by_start.len());
        needles
    }

    /// The first needle in some bytes, with what is around it.
    pub(super) fn within(&self, bytes: &[u8]) -> Option<String> {
        let bytes = bytes.to_ascii_lowercase();
        for (at, window) in bytes.windows(START).enumerate() {
            if !self.may_start[usize::from(window[0]) << 8 | usize::from(window[1])] {
                continue;
            }
            let found = self.by_start.get(window).into_iter().flatten();
            if let Some(needle) = found.into_iter().find(|n| bytes[at..].starts_with(n)) {
                let around = &bytes[at.saturating_sub(60)..bytes.len().min(at + needle.len() + 20)];
                return Some(String::from_utf8_lossy(around).escape_debug().to_string());
            }
        }
        None
    }

    /// Every file that holds a needle, by its name too.
    pub(super) fn search(&self, env: &TestEnv) -> Vec<String> {
        let mut found = Vec::new();
        for path in written(env) {
            let bytes = fs::read(&path).unwrap_or_default();
            let name = path.file_name().map(|name| name.as_encoded_bytes().to_vec());
            let needle = self.within(&bytes).or_else(|| self.within(&name.unwrap_or_default()));
            found.extend(needle.map(|needle| format!("{needle} in {}", path.display())));
        }
        found
    }
}

/// Returns the parts of a secret that occur nowhere else: its random runs, or all of it.
fn parts(secret: &str) -> Vec<&str> {
    let random = |part: &&str| {
        part.len() >= START
            && part.bytes().any(|b| b.is_ascii_digit())
            && part.bytes().any(|b| b.is_ascii_alphabetic())
    };
    let sign = |c: char| !(c.is_ascii_alphanumeric() || "+/_-.~".contains(c));
    let mut parts: Vec<&str> = secret.split(sign).filter(random).collect();
    let words = secret.split(|c: char| !c.is_ascii_alphanumeric());
    parts.extend(words.filter(random).filter(|part| part.len() >= 12));
    if parts.is_empty() {
        let known = ["bluebird", "battery", "swordfish", "sword fish"];
        let known = known.into_iter().find(|word| secret.contains(word));
        parts.push(known.unwrap_or(secret));
    }
    parts.retain(|part| part.len() >= START);
    parts
}

/// Counts the markers in all written files.
pub(super) fn markers(env: &TestEnv) -> usize {
    let count = |path: PathBuf| {
        let bytes = fs::read(path).unwrap_or_default();
        bytes.windows(10).filter(|window| *window == b"[redacted:").count()
    };
    written(env).into_iter().map(count).sum()
}

/// Every file but those that a test wrote itself.
fn written(env: &TestEnv) -> Vec<PathBuf> {
    let mut files = Vec::new();
    walk(&env.root(), &env.project(), &mut files);
    files
}

fn walk(folder: &Path, project: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if !path.is_dir() {
            // The project's own files are not ours, and those of git neither.
            if path.parent() != Some(project) && path.parent() != Some(&project.join(".git")) {
                files.push(path);
            }
        } else if name != SOURCES
            && !(path.parent() == Some(&project.join(".git")) && name != "tacit")
        {
            walk(&path, project, files);
        }
    }
}
