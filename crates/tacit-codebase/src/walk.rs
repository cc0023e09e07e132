//! Walks the files of a worktree, following ignore rules but not links.

use std::fs::Metadata;
use std::path::Path;
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

use ignore::{WalkBuilder, WalkState};
use tacit_graph::{Language, is_manifest};

/// The metadata of a file when it was last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileStat {
    /// The modification time, in nanoseconds since 1970.
    pub modified: i64,
    /// The size in bytes.
    pub size: u64,
}

impl FileStat {
    pub(crate) fn from_metadata(metadata: &Metadata) -> FileStat {
        let since = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        FileStat {
            modified: since.map_or(0, |since| since.as_nanos() as i64),
            size: metadata.len(),
        }
    }
}

/// A file found by a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WalkedFile {
    pub(crate) path: String,
    pub(crate) stat: FileStat,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct WalkResult {
    /// The wanted files, sorted by path.
    pub(crate) files: Vec<WalkedFile>,
    /// The languages of sources with names that are not UTF-8, which are only counted.
    pub(crate) unnameable: Vec<Language>,
    /// The visited directories, and the ignore files in them.
    pub(crate) scan_inputs: Vec<String>,
}

/// Directories that hold other people's code or no code at all.
const SKIPPED_DIRECTORIES: [&str; 8] =
    [".git", ".tacit", "node_modules", "bower_components", ".venv", "venv", "__pycache__", ".tox"];

/// Names of ignore files.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// Maximum size of an ignore file, in bytes.
const MAX_IGNORE_BYTES: u64 = 4 << 20;

/// Outputs of builds that describe the build; they are usually ignored by git but worth reading.
pub(crate) const BUILD_OUTPUTS: [&str; 2] =
    ["compile_commands.json", "build/compile_commands.json"];

/// Returns true for the path of a source or manifest.
pub(crate) fn is_graph_input(path: &str) -> bool {
    Language::of_path(path).is_some() || is_manifest(path)
}

/// Walks a worktree for sources and manifests.
pub(crate) fn walk_graph(root: &Path, threads: usize) -> WalkResult {
    let mut walked = walk(root, threads, is_graph_input);
    walked.files.extend(BUILD_OUTPUTS.iter().filter_map(|path| {
        let metadata = root.join(path).metadata().ok().filter(Metadata::is_file)?;
        Some(WalkedFile { path: (*path).to_owned(), stat: FileStat::from_metadata(&metadata) })
    }));
    walked.files.sort_by(|a, b| a.path.cmp(&b.path));
    walked.files.dedup_by(|a, b| a.path == b.path);
    walked
}

/// Walks a worktree for the wanted files.
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

/// Returns wanted files that git tracks although an ignore rule matches them; `walked` must be
/// sorted.
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
        Some(WalkedFile { path, stat: FileStat::from_metadata(&metadata) })
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
        lock().files.push(WalkedFile { path, stat: FileStat::from_metadata(&metadata) });
    }
}
