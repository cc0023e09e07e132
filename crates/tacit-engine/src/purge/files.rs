//! Files beside the stores that quote a purged memory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tacit_core::{MemoryId, Quotations};

use crate::engine::StorePaths;
use crate::inbox::real_inbox;

/// Folders without text of memories, with files that belong to the user, or with databases, which
/// are cleaned row by row.
const SKIPPED: [&str; 5] = ["graph", "vectors", "pending", "methodologies", super::BACKUPS];
/// The folder of excerpts and drafts of records, which have folders of their own in it.
const EXCERPTS: &str = "triage";
/// Folders of spooled entries.
const QUEUES: [&str; 4] = ["spool", "events", "uses", crate::INBOX_FOLDER];
/// The largest file that Tacit writes text to, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The files beside the stores that quoted a memory.
#[derive(Debug, Default)]
pub(super) struct CleanedFiles {
    /// Files that were deleted or lost lines.
    pub(super) cleaned: Vec<PathBuf>,
    /// Files that Tacit may not change.
    pub(super) left: Vec<PathBuf>,
}

/// Removes quotations from the files beside both stores.
pub(super) fn clean(paths: &StorePaths, ids: &[MemoryId], quotations: &Quotations) -> CleanedFiles {
    let mut files = CleanedFiles::default();
    let own = [paths.project.clone(), paths.global.clone()];
    for folder in own.into_iter().chain(real_inbox(paths)) {
        for id in ids {
            remove_drafts(&folder, id, &mut files);
        }
        walk(&folder, 3, &mut |path| {
            let Ok(bytes) = tacit_fs::read(path, LARGEST) else { return };
            if !quotations.are_in_bytes(&bytes) {
                return;
            }
            let cleaned = match handling(path) {
                Handling::Remove => tacit_fs::remove(path),
                Handling::DropLines => tacit_fs::replace(path, &without_lines(&bytes, quotations)),
                Handling::Leave => Err(io::ErrorKind::Unsupported.into()),
            };
            files.note(path, &cleaned);
        });
    }
    files
}

impl CleanedFiles {
    fn note(&mut self, path: &Path, cleaned: &io::Result<()>) {
        let list = if cleaned.is_ok() { &mut self.cleaned } else { &mut self.left };
        list.push(path.to_owned());
    }
}

/// Removes derived files that are rebuilt from memories.
pub(super) fn clean_derived(paths: &StorePaths) -> io::Result<()> {
    for name in ["hot-topics.json", "recent-files.json"] {
        tacit_fs::remove(&paths.project.join(name))?;
    }
    let mut removed = Ok(());
    for folder in [&paths.project, &paths.global] {
        walk(&folder.join("vectors"), 1, &mut |path| {
            // An unfinished vector file.
            if path.extension().is_some_and(|ending| ending == "tmp") {
                removed = std::mem::replace(&mut removed, Ok(())).and(tacit_fs::remove(path));
            }
        });
    }
    removed
}

/// Removes the drafts that `tacit edit` left of a memory.
fn remove_drafts(folder: &Path, id: &MemoryId, files: &mut CleanedFiles) {
    let beginning = format!("edit-{}", id.short());
    walk(folder, 1, &mut |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with(&beginning) && name.ends_with(".toml") {
            files.note(path, &tacit_fs::remove(path));
        }
    });
}

enum Handling {
    /// Delete the whole file.
    Remove,
    /// Delete only the lines that quote the memory.
    DropLines,
    /// Leave the file to its owner, the user.
    Leave,
}

fn handling(path: &Path) -> Handling {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let is_excerpt = path.ancestors().skip(2).take(1).any(|above| above.ends_with(EXCERPTS));
    if ends(&[".log", ".log.1", ".jsonl"]) {
        Handling::DropLines
    } else if is_excerpt
        || QUEUES.contains(&folder.as_ref())
        || name.starts_with('.')
        || name == "hot-topics.json"
        || ends(&[".tmp", ".broken"])
        || (name.starts_with("edit-") && name.ends_with(".toml"))
    {
        Handling::Remove
    } else {
        Handling::Leave
    }
}

/// Visits every regular file up to a depth, except databases.
fn walk(folder: &Path, depth: usize, visit: &mut dyn FnMut(&Path)) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 1 && !SKIPPED.contains(&name.as_ref()) => {
                walk(&path, depth - 1, visit);
            }
            Ok(kind) if kind.is_file() && !name.starts_with(StorePaths::DATABASE) => visit(&path),
            _ => {}
        }
    }
}

fn without_lines(bytes: &[u8], quotations: &Quotations) -> Vec<u8> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let kept: Vec<u8> =
        lines.filter(|line| !quotations.are_in_bytes(line)).flatten().copied().collect();
    // A quotation that spans lines.
    if quotations.are_in_bytes(&kept) { Vec::new() } else { kept }
}
