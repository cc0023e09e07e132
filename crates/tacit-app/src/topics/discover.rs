//! Discovers hot topics: commands that the project defines, and commands that memories are about.
//!
//! Reading is limited and stays below the root, because the start of a session waits for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tacit_core::Timestamp;
use tacit_observer::rules::VARIANT_TAG;

use super::file::{HotTopics, MAX_DISCOVERED};
use super::manifests::MANIFESTS;
use super::pattern::escape;
use super::prefix::{command_prefix, is_plain, is_trivial};

const LARGEST_FILE: u64 = 64 * 1024;
const MAX_ENTRIES: usize = 200;

/// Program names that are also common words; they count only with their directory.
const COMMON: [&str; 20] = [
    "build", "check", "ci", "clean", "console", "deploy", "dev", "format", "init", "install",
    "lint", "release", "run", "server", "setup", "start", "stop", "test", "tests", "update",
];

/// Parts of task names that suggest work which is hard to undo.
const RISKY: [&str; 12] = [
    "clean", "db", "delete", "deploy", "drop", "migrat", "prod", "publish", "release", "reset",
    "rollback", "seed",
];

/// Tags that say how a memory is used, not what it is about.
const OWN_TAGS: [&str; 3] = ["hot-topic", "cheat-sheet", VARIANT_TAG];

/// Commands that memories and events are about, each list in order of importance.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownCommands<'a> {
    /// The texts of memories tagged `hot-topic`. They name commands in backticks; a text of up to
    /// three words is a command itself.
    pub hot_topics: &'a [String],
    /// Command lines that have failed.
    pub failed_commands: &'a [String],
    /// Tags that many memories have.
    pub tags: &'a [String],
}

/// Returns at most twenty patterns; the same files and memories give the same patterns.
///
/// Every source first gets its share, so that none crowds out the others. The rest is filled in the
/// same order: tagged memories, failed commands, the project's programs, its tasks, frequent tags.
pub fn discover(root: &Path, known: KnownCommands<'_>, now: Timestamp) -> HotTopics {
    let sources = [
        (6, known.hot_topics.iter().flat_map(|text| commands_in(text)).collect()),
        (5, known.failed_commands.iter().filter_map(|line| prefix_pattern(line)).collect()),
        (4, programs(root)),
        (4, tasks(root)),
        (1, known.tags.iter().filter_map(|tag| tag_pattern(tag)).collect::<Vec<String>>()),
    ];
    let mut chosen: [Vec<&str>; 5] = Default::default();
    let mut count = 0;
    for fill_up in [false, true] {
        for (index, (share, patterns)) in sources.iter().enumerate() {
            for pattern in patterns {
                let is_full = count == MAX_DISCOVERED
                    || (!fill_up && chosen[index].len() == *share)
                    || chosen.iter().any(|patterns| patterns.contains(&pattern.as_str()));
                if !is_full {
                    chosen[index].push(pattern);
                    count += 1;
                }
            }
        }
    }
    HotTopics::new(chosen.concat().into_iter().map(str::to_owned).collect(), now)
}

fn prefix_pattern(command: &str) -> Option<String> {
    command_prefix(command).map(|prefix| escape(&prefix))
}

fn commands_in(text: &str) -> Vec<String> {
    let quoted: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    if quoted.is_empty() && text.split_whitespace().count() <= 3 {
        return prefix_pattern(text).into_iter().collect();
    }
    quoted.into_iter().filter_map(prefix_pattern).collect()
}

fn tag_pattern(tag: &str) -> Option<String> {
    let is_useful = tag.len() > 1 && is_plain(tag) && !is_trivial(tag) && !OWN_TAGS.contains(&tag);
    is_useful.then(|| escape(tag))
}

/// Returns patterns for the programs in `bin`; programs with the same prefix share one.
fn programs(root: &Path) -> Vec<String> {
    let mut families: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in entries(root, "bin") {
        let family = name.split_inclusive(['-', '_']).next().unwrap_or(&name).to_owned();
        families.entry(family).or_default().push(name);
    }
    let mut patterns = Vec::new();
    let mut singles = Vec::new();
    for (family, names) in families {
        if names.len() > 1 && family.len() > 2 {
            patterns.push(format!("{}\\w+", escape(&family)));
        } else {
            singles.extend(names);
        }
    }
    for name in singles {
        let place = if COMMON.contains(&name.as_str()) { "bin/" } else { "" };
        patterns.push(format!("{place}{}\\s", escape(&name)));
    }
    patterns
}

/// Lists the names of the programs in a directory, sorted.
fn entries(root: &Path, directory: &str) -> Vec<String> {
    let Some(listing) = inside(root, directory).and_then(|path| fs::read_dir(path).ok()) else {
        return Vec::new();
    };
    let mut names: Vec<String> = listing
        .take(MAX_ENTRIES)
        .flatten()
        .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.len() > 1 && is_plain(name) && !is_document(name))
        .filter(|name| COMMON.contains(&name.as_str()) || !is_trivial(name))
        .collect();
    names.sort_unstable();
    names
}

fn is_document(name: &str) -> bool {
    matches!(
        Path::new(name).extension().and_then(|extension| extension.to_str()),
        Some("md" | "txt" | "json" | "toml" | "yml" | "yaml" | "dll" | "so" | "dylib" | "class")
    ) || name.starts_with("README")
}

/// Returns patterns for the tasks of all manifests, one of each in turn, risky ones first.
fn tasks(root: &Path) -> Vec<String> {
    let mut lists: Vec<_> = MANIFESTS
        .iter()
        .filter_map(|manifest| {
            let text = manifest.files.iter().find_map(|file| contents(root, file))?;
            let mut tasks = (manifest.read)(&text);
            tasks.retain(|task| is_plain(&task.name));
            tasks.sort_by_key(|task| !RISKY.iter().any(|part| task.name.contains(part)));
            Some(tasks.into_iter().map(|task| task.pattern()))
        })
        .collect();
    let mut patterns: Vec<String> = Vec::new();
    while patterns.len() < MAX_DISCOVERED {
        let before = patterns.len();
        for list in &mut lists {
            if let Some(pattern) = list.find(|pattern| !patterns.contains(pattern)) {
                patterns.push(pattern);
            }
        }
        if patterns.len() == before {
            break;
        }
    }
    patterns
}

/// Reads a file below the root, up to the size limit.
fn contents(root: &Path, file: &str) -> Option<String> {
    let path = inside(root, file)?;
    let bytes = tacit_fs::read_start_following(&path, LARGEST_FILE).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Resolves a path below the root; `None` if it does not exist or links out of it.
fn inside(root: &Path, relative: &str) -> Option<PathBuf> {
    let path = fs::canonicalize(root.join(relative)).ok()?;
    path.starts_with(fs::canonicalize(root).ok()?).then_some(path)
}
