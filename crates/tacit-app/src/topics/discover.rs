//! What a project says of its own commands, and what memory says of them.
//!
//! Reading is bounded and stays below the root: a session waits for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tacit_core::Timestamp;

use super::file::{HotTopics, MOST_DISCOVERED};
use super::manifests::MANIFESTS;
use super::pattern::escape;
use super::prefix::{command_prefix, is_plain, is_trivial};

const LARGEST_FILE: u64 = 64 * 1024;
const MOST_ENTRIES: usize = 200;

/// Names of programs that are also words: only with their directory are they a command.
const COMMON: [&str; 20] = [
    "build", "check", "ci", "clean", "console", "deploy", "dev", "format", "init", "install",
    "lint", "release", "run", "server", "setup", "start", "stop", "test", "tests", "update",
];

/// Parts of names that tell of work which is hard to take back.
const WEIGHTY: [&str; 12] = [
    "clean", "db", "delete", "deploy", "drop", "migrat", "prod", "publish", "release", "reset",
    "rollback", "seed",
];

/// Tags that say how a memory is used and not what it is about.
const OWN_TAGS: [&str; 2] = ["hot-topic", "cheat-sheet"];

/// What memory knows of commands, each most important first.
#[derive(Debug, Clone, Copy, Default)]
pub struct KnownCommands<'a> {
    /// The texts of memories tagged `hot-topic`. The commands in them are those between back
    /// quotes; a text of up to three words is a command itself.
    pub hot_topics: &'a [String],
    /// Command lines that failed before.
    pub failed_commands: &'a [String],
    /// Tags that many memories have.
    pub tags: &'a [String],
}

/// The patterns for a project, at most twenty, the same for the same files and memories.
///
/// Every source first gets its share, so that none crowds out the others; what is left is filled
/// up in the same order: what people marked, what failed, the project's programs, its tasks, and
/// what is often spoken of.
pub fn discover(root: &Path, remembered: KnownCommands<'_>, now: Timestamp) -> HotTopics {
    let sources = [
        (6, remembered.hot_topics.iter().flat_map(|text| commands_in(text)).collect()),
        (5, remembered.failed_commands.iter().filter_map(|line| prefix_pattern(line)).collect()),
        (4, programs(root)),
        (4, tasks(root)),
        (1, remembered.tags.iter().filter_map(|tag| tag_pattern(tag)).collect::<Vec<String>>()),
    ];
    let mut chosen: [Vec<&str>; 5] = Default::default();
    let mut count = 0;
    for fill_up in [false, true] {
        for (index, (share, patterns)) in sources.iter().enumerate() {
            for pattern in patterns {
                let is_full = count == MOST_DISCOVERED
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
    let is_telling = tag.len() > 1 && is_plain(tag) && !is_trivial(tag) && !OWN_TAGS.contains(&tag);
    is_telling.then(|| escape(tag))
}

/// The programs in `bin`, several of one family as one pattern.
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

/// The names of the programs in a directory, in order.
fn entries(root: &Path, directory: &str) -> Vec<String> {
    let Some(listing) = inside(root, directory).and_then(|path| fs::read_dir(path).ok()) else {
        return Vec::new();
    };
    let mut names: Vec<String> = listing
        .take(MOST_ENTRIES)
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

/// The tasks of all manifests, one of each in turn; those of weight first.
fn tasks(root: &Path) -> Vec<String> {
    let mut lists: Vec<_> = MANIFESTS
        .iter()
        .filter_map(|manifest| {
            let text = manifest.files.iter().find_map(|file| contents(root, file))?;
            let mut tasks = (manifest.read)(&text);
            tasks.retain(|task| is_plain(&task.name));
            tasks.sort_by_key(|task| !WEIGHTY.iter().any(|part| task.name.contains(part)));
            Some(tasks.into_iter().map(|task| task.pattern()))
        })
        .collect();
    let mut patterns: Vec<String> = Vec::new();
    while patterns.len() < MOST_DISCOVERED {
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

/// The text of a file that is neither too large nor elsewhere.
fn contents(root: &Path, file: &str) -> Option<String> {
    let path = inside(root, file)?;
    let bytes = tacit_fs::read_start_following(&path, LARGEST_FILE).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A path below the root, unless a link leads out of it.
fn inside(root: &Path, relative: &str) -> Option<PathBuf> {
    let path = fs::canonicalize(root.join(relative)).ok()?;
    path.starts_with(fs::canonicalize(root).ok()?).then_some(path)
}
