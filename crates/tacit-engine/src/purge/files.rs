//! Files beside the stores that quote a memory that is purged.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tacit_core::MemoryId;

use crate::engine::StorePaths;
use crate::inbox::real_inbox;

/// Folders that hold no text of memories, or text of the user's that is theirs to change.
const SKIPPED: [&str; 4] = ["graph", "vectors", "pending", "methodologies"];
/// Folders of entries that wait to be stored.
const QUEUES: [&str; 4] = ["spool", "events", "uses", crate::INBOX];
/// A larger file is none that we write text to.
const LARGEST: u64 = 64 * 1024 * 1024;

/// Removes what quotes one of these phrases from the files beside both stores. Returns those that
/// are not ours to change.
pub(super) fn clean(places: &StorePaths, ids: &[MemoryId], phrases: &[String]) -> Vec<PathBuf> {
    let mut left = Vec::new();
    let own = [places.project.clone(), places.global.clone()];
    for folder in own.into_iter().chain(real_inbox(places)) {
        for id in ids {
            remove_drafts(&folder, id, &mut left);
        }
        walk(&folder, 3, &mut |path| {
            let Ok(bytes) = tacit_fs::read(path, LARGEST) else { return };
            if !phrases.iter().any(|phrase| quotes(&bytes, phrase)) {
                return;
            }
            let cleaned = match handling(path) {
                Handling::Remove => tacit_fs::remove(path),
                Handling::DropLines => tacit_fs::replace(path, &without_lines(&bytes, phrases)),
                Handling::Leave => Err(io::ErrorKind::Unsupported.into()),
            };
            if cleaned.is_err() {
                left.push(path.to_owned());
            }
        });
    }
    left
}

/// Removes what is made again from memories when it is needed.
pub(super) fn clean_derived(places: &StorePaths) -> io::Result<()> {
    tacit_fs::remove(&places.project.join("hot-topics.json"))?;
    let mut removed = Ok(());
    for folder in [&places.project, &places.global] {
        walk(&folder.join("vectors"), 1, &mut |path| {
            // A file of vectors that was never finished.
            if path.extension().is_some_and(|ending| ending == "tmp") {
                removed = std::mem::replace(&mut removed, Ok(())).and(tacit_fs::remove(path));
            }
        });
    }
    removed
}

/// Removes drafts that `tacit edit` left of a memory. Those that cannot be removed are added to
/// `left`.
fn remove_drafts(folder: &Path, id: &MemoryId, left: &mut Vec<PathBuf>) {
    let beginning = format!("edit-{}", id.short());
    walk(folder, 1, &mut |path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_draft = name.starts_with(&beginning) && name.ends_with(".toml");
        if is_draft && tacit_fs::remove(path).is_err() {
            left.push(path.to_owned());
        }
    });
}

enum Handling {
    /// The whole file is about it.
    Remove,
    /// Remove only the lines that quote the memory.
    DropLines,
    /// Leave the file to the user, who owns it.
    Leave,
}

fn handling(path: &Path) -> Handling {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".log", ".log.1", ".jsonl"]) {
        Handling::DropLines
    } else if QUEUES.contains(&folder.as_ref())
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

/// Visits every regular file at most so many folders deep, databases excepted.
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

fn without_lines(bytes: &[u8], phrases: &[String]) -> Vec<u8> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines
        .filter(|line| !phrases.iter().any(|phrase| quotes(line, phrase)))
        .flatten()
        .copied()
        .collect()
}

/// Returns true if the bytes quote a text, as it is or escaped as in JSON or TOML.
fn quotes(bytes: &[u8], phrase: &str) -> bool {
    let json = serde_json::Value::from(phrase).to_string();
    let escaped = &json.as_bytes()[1..json.len() - 1];
    [phrase.as_bytes(), escaped]
        .iter()
        .any(|form| !form.is_empty() && bytes.windows(form.len()).any(|window| window == *form))
}
