//! Changes several files atomically.
//!
//! New contents are written beside the files and flushed, old contents are copied, and a journal
//! lists the files to replace; then each file is replaced by renaming. A later run that finds a
//! journal restores the old files, so that a crash between two renames leaves no partial change.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacit_fs::{LockMode, Wait};

use crate::corpus::PlannedEdit;
use crate::files::{FilesError, read};

/// The journal, in the root of the project while files are being replaced.
pub const JOURNAL: &str = ".tacit-triggers.journal";

/// The number of bytes read of a journal.
const LARGEST_JOURNAL: u64 = 4 << 20;

/// A file listed in the journal.
#[derive(Debug, Serialize, Deserialize)]
struct JournalEntry {
    path: String,
    existed: bool,
}

/// Applies all edits or none. Returns an error if a file has changed since the edit was planned.
pub fn commit(root: &Path, edits: &[PlannedEdit]) -> Result<(), FilesError> {
    if edits.is_empty() {
        return Ok(());
    }
    let mut journal = open_journal(root)?;
    let mut restored = true;
    let done = replace(root, edits, &mut journal, &mut restored);
    if done.is_err() {
        for edit in edits {
            let _ = resolve_in_project(root, &edit.path)
                .map(|file| fs::remove_file(beside(&file, "new")));
        }
    }
    // If restoring failed, the journal stays for the next run.
    if restored {
        let _ = fs::remove_file(root.join(JOURNAL));
        for edit in edits {
            let _ = resolve_in_project(root, &edit.path)
                .map(|file| fs::remove_file(beside(&file, "old")));
        }
    }
    done
}

/// Restores the files that an interrupted run had begun to replace. Returns true if there were any.
pub fn recover(root: &Path) -> Result<bool, FilesError> {
    if !root.join(JOURNAL).exists() {
        return Ok(false);
    }
    let journal = open_journal(root)?;
    drop(journal);
    let _ = fs::remove_file(root.join(JOURNAL));
    Ok(true)
}

/// Locks the journal, after restoring the files it lists.
fn open_journal(root: &Path) -> Result<File, FilesError> {
    let path = root.join(JOURNAL);
    let fail = |source| FilesError::Write { path: JOURNAL.to_owned(), source };
    let mut journal = loop {
        let journal = tacit_fs::open_to_write(&path).map_err(fail)?;
        if !tacit_fs::lock(&journal, LockMode::Exclusive, Wait::NONE).map_err(fail)? {
            return Err(FilesError::Busy { path: root.display().to_string() });
        }
        // The previous owner may have removed the file before we got the lock.
        if path.exists() {
            break journal;
        }
    };
    let mut text = String::new();
    // A journal without its final newline is incomplete: no file was replaced yet.
    if (&journal).take(LARGEST_JOURNAL).read_to_string(&mut text).is_ok()
        && text.ends_with('\n')
        && let Ok(planned) = serde_json::from_str::<Vec<JournalEntry>>(&text)
    {
        for file in &planned {
            restore(root, file)?;
        }
    }
    journal.set_len(0).and_then(|()| journal.rewind()).map_err(fail)?;
    Ok(journal)
}

fn restore(root: &Path, file: &JournalEntry) -> Result<(), FilesError> {
    let fail = |source| FilesError::Write { path: file.path.clone(), source };
    // The journal may come with the repository, so files outside must not be touched.
    let target = resolve_in_project(root, &file.path).map_err(fail)?;
    let _ = fs::remove_file(beside(&target, "new"));
    let old = beside(&target, "old");
    let done = match (file.existed, old.exists()) {
        (true, true) => fs::rename(&old, &target),
        (true, false) => Ok(()),
        (false, _) => tacit_fs::remove(&target),
    };
    done.map_err(fail)
}

fn replace(
    root: &Path,
    edits: &[PlannedEdit],
    journal: &mut File,
    restored: &mut bool,
) -> Result<(), FilesError> {
    for edit in edits {
        if read(root, &edit.path)? != edit.before {
            return Err(FilesError::Changed { path: edit.path.clone() });
        }
    }
    for edit in edits {
        prepare(root, edit)
            .map_err(|source| FilesError::Write { path: edit.path.clone(), source })?;
    }
    let planned: Vec<JournalEntry> = edits
        .iter()
        .map(|edit| JournalEntry { path: edit.path.clone(), existed: edit.before.is_some() })
        .collect();
    let fail = |source| FilesError::Write { path: JOURNAL.to_owned(), source };
    let text = serde_json::to_string(&planned).map_err(|error| fail(error.into()))?;
    journal
        .write_all(format!("{text}\n").as_bytes())
        .and_then(|()| journal.sync_all())
        .map_err(fail)?;
    for (at, edit) in edits.iter().enumerate() {
        let renamed = resolve_in_project(root, &edit.path)
            .and_then(|target| fs::rename(beside(&target, "new"), target));
        if let Err(source) = renamed {
            *restored = planned[..at].iter().all(|file| restore(root, file).is_ok());
            return Err(FilesError::Write { path: edit.path.clone(), source });
        }
    }
    for edit in edits {
        // Syncing the directory is best effort; a failure does not undo the change.
        if let Ok(target) = resolve_in_project(root, &edit.path)
            && let Some(directory) = target.parent()
        {
            let _ = tacit_fs::sync_folder(directory);
        }
    }
    Ok(())
}

/// Writes the new contents and a copy of the old ones beside a file.
fn prepare(root: &Path, edit: &PlannedEdit) -> io::Result<()> {
    if let Some(directory) = resolve_in_project(root, &edit.path)?.parent() {
        fs::create_dir_all(directory)?;
    }
    let target = resolve_in_project(root, &edit.path)?;
    let permissions = fs::metadata(&target).map(|there| there.permissions()).ok();
    let write = |what: &str, bytes: &[u8]| {
        let path = beside(&target, what);
        // The file may be left over from a crash, or planted.
        tacit_fs::remove(&path)?;
        let mut file = tacit_fs::create_new_shared(&path)?;
        file.write_all(bytes)?;
        if let Some(permissions) = &permissions {
            file.set_permissions(permissions.clone())?;
        }
        file.sync_all()
    };
    write("new", &edit.after)?;
    edit.before.as_deref().map_or(Ok(()), |before| write("old", before))
}

/// Resolves links. Returns an error if the file is outside the project.
fn resolve_in_project(root: &Path, path: &str) -> io::Result<PathBuf> {
    let outside = || io::Error::new(io::ErrorKind::PermissionDenied, "it is outside the project");
    let plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if !plain {
        return Err(outside());
    }
    let root = root.canonicalize()?;
    let path = root.join(path);
    // A missing part cannot lead elsewhere, but a dangling link can.
    let there = path.ancestors().find(|part| part.is_symlink() || part.exists());
    let there = there.unwrap_or(&root);
    let resolve_in_project = there.canonicalize()?;
    match path.strip_prefix(there) {
        Ok(rest) if resolve_in_project.starts_with(&root) && rest.as_os_str().is_empty() => {
            Ok(resolve_in_project)
        }
        Ok(rest) if resolve_in_project.starts_with(&root) => Ok(resolve_in_project.join(rest)),
        _ => Err(outside()),
    }
}

/// Returns the path for the old or new contents of a file.
fn beside(file: &Path, what: &str) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!(".{name}.tacit-{what}"))
}
