//! Which files a worktree has: ignore rules are kept, links are not followed.

use std::fs::Metadata;
use std::path::Path;
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

use ignore::{WalkBuilder, WalkState};
use tacit_graph::{Language, is_manifest};

/// How a file looked from outside when it was last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileStat {
    /// When it was last written, in nanoseconds.
    pub modified: i64,
    /// How long it is.
    pub size: u64,
}

impl FileStat {
    pub(crate) fn of(metadata: &Metadata) -> FileStat {
        let since = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        FileStat {
            modified: since.map_or(0, |since| since.as_nanos() as i64),
            size: metadata.len(),
        }
    }
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WalkedFile {
    pub(crate) path: String,
    pub(crate) stat: FileStat,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct WalkResult {
    /// Those that were wanted, ordered by path.
    pub(crate) files: Vec<WalkedFile>,
    /// The languages of sources whose names are no UTF-8: they cannot be named, so they are only
    /// counted.
    pub(crate) unnameable: Vec<Language>,
    /// The folders that were looked into, and the files that say what is ignored in them.
    pub(crate) scan_inputs: Vec<String>,
}

/// Directories that are never looked into: what is in them is somebody else's.
const SKIPPED_DIRECTORIES: [&str; 8] =
    [".git", ".tacit", "node_modules", "bower_components", ".venv", "venv", "__pycache__", ".tox"];

/// Files that say what is ignored.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// The most bytes of a file that says what is ignored.
const MAX_IGNORE_BYTES: u64 = 4 << 20;

/// What builds leave behind to say how they build; it is ignored, but worth reading.
pub(crate) const BUILD_OUTPUTS: [&str; 2] =
    ["compile_commands.json", "build/compile_commands.json"];

/// Whether a path is that of a source or a manifest.
pub(crate) fn is_graph_input(path: &str) -> bool {
    Language::of_path(path).is_some() || is_manifest(path)
}

/// Walks a worktree, for sources and manifests.
pub(crate) fn walk_graph(root: &Path, threads: usize) -> WalkResult {
    let mut walked = walk(root, threads, is_graph_input);
    walked.files.extend(BUILD_OUTPUTS.iter().filter_map(|path| {
        let metadata = root.join(path).metadata().ok().filter(Metadata::is_file)?;
        Some(WalkedFile { path: (*path).to_owned(), stat: FileStat::of(&metadata) })
    }));
    walked.files.sort_by(|a, b| a.path.cmp(&b.path));
    walked.files.dedup_by(|a, b| a.path == b.path);
    walked
}

/// Walks a worktree, for the files whose paths are wanted.
pub(crate) fn walk(root: &Path, threads: usize, is_wanted: fn(&str) -> bool) -> WalkResult {
    let found = Mutex::new(WalkResult::default());
    let has_rules = can_read_rules(root);
    let walker = WalkBuilder::new(root)
        .hidden(false)
        .follow_links(false)
        .require_git(false)
        .ignore(has_rules)
        .git_ignore(has_rules)
        .git_exclude(is_readable(&root.join(".git/info/exclude")))
        .threads(threads)
        .filter_entry(|entry| {
            let name = entry.file_name().to_str();
            let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
            !name.is_some_and(|name| SKIPPED_DIRECTORIES.contains(&name))
                && (!is_dir || can_read_rules(entry.path()))
        })
        .build_parallel();
    walker.run(|| {
        let found = &found;
        Box::new(move |entry| {
            if let Ok(entry) = entry {
                visit(root, &entry, is_wanted, found);
            }
            WalkState::Continue
        })
    });
    let mut walked = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    walked.files.sort_by(|a, b| a.path.cmp(&b.path));
    let ignored = tracked_but_ignored(root, &walked.files, is_wanted);
    if !ignored.is_empty() {
        walked.files.extend(ignored);
        walked.files.sort_by(|a, b| a.path.cmp(&b.path));
    }
    walked
}

/// Returns true if the ignore rules of a folder can be read. Reading a pipe or a link to a device
/// would never end, so a folder with such rules is skipped.
fn can_read_rules(folder: &Path) -> bool {
    IGNORE_FILES.iter().all(|name| is_readable(&folder.join(name)))
}

/// Returns true if a rules file is missing or is a regular file.
fn is_readable(rules: &Path) -> bool {
    rules.metadata().map_or(true, |found| found.is_file() && found.len() <= MAX_IGNORE_BYTES)
}

/// Files that git keeps although a pattern says that they are ignored; `walked` are the others, in
/// order.
fn tracked_but_ignored(
    root: &Path,
    walked: &[WalkedFile],
    is_wanted: fn(&str) -> bool,
) -> Vec<WalkedFile> {
    let missed = |path: &String| {
        is_wanted(path)
            && walked.binary_search_by(|entry| entry.path.as_str().cmp(path)).is_err()
            && !path.split('/').any(|part| SKIPPED_DIRECTORIES.contains(&part))
    };
    let entry = |path: String| {
        let metadata = root.join(&path).symlink_metadata().ok().filter(Metadata::is_file)?;
        Some(WalkedFile { path, stat: FileStat::of(&metadata) })
    };
    let tracked = tacit_git::tracked_files(root).unwrap_or_default();
    tracked.into_iter().filter(missed).filter_map(entry).collect()
}

fn visit(
    root: &Path,
    entry: &ignore::DirEntry,
    is_wanted: fn(&str) -> bool,
    found: &Mutex<WalkResult>,
) {
    let Some(kind) = entry.file_type() else { return };
    let Ok(relative) = entry.path().strip_prefix(root) else { return };
    let lock = || found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let Some(path) = relative.to_str() else {
        let language = Language::of_path(&relative.to_string_lossy());
        lock().unnameable.extend(language.filter(|_| kind.is_file()));
        return;
    };
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let is_rule = || entry.file_name().to_str().is_some_and(|name| IGNORE_FILES.contains(&name));
    if kind.is_dir() || (kind.is_file() && is_rule()) {
        lock().scan_inputs.push(path);
        return;
    }
    if !kind.is_file() || !is_wanted(&path) {
        return;
    }
    if let Ok(metadata) = entry.metadata() {
        lock().files.push(WalkedFile { path, stat: FileStat::of(&metadata) });
    }
}
