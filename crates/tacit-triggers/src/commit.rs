//! Changing several files at once: all of them, or none.
//!
//! New contents are written beside the files and flushed; copies of the old ones are kept; a
//! journal says which files are about to be replaced; then each is replaced by renaming. Whoever
//! comes next and finds a journal puts the old files back, so that not even a crash between two
//! renames leaves half of a change behind.

use std::fs::{self, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacit_fs::{LockMode, Wait};

use crate::corpus::FileEdit;
use crate::files::{FilesError, read};

/// The journal, at the root of the project while files are being replaced.
pub const JOURNAL: &str = ".tacit-triggers.journal";

/// More is not read of a journal.
const LARGEST_JOURNAL: u64 = 4 << 20;

/// What the journal says of a file.
#[derive(Debug, Serialize, Deserialize)]
struct JournalEntry {
    path: String,
    existed: bool,
}

/// Applies edits, all or none. A file that is no longer what an edit takes it for is an error, and
/// then nothing is changed.
pub fn commit(root: &Path, edits: &[FileEdit]) -> Result<(), FilesError> {
    if edits.is_empty() {
        return Ok(());
    }
    let mut journal = open_journal(root)?;
    let mut restored = true;
    let done = replace(root, edits, &mut journal, &mut restored);
    if done.is_err() {
        for edit in edits {
            let _ = real(root, &edit.path).map(|file| fs::remove_file(beside(&file, "new")));
        }
    }
    // What could not be put back now is put back by whoever comes next.
    if restored {
        let _ = fs::remove_file(root.join(JOURNAL));
        for edit in edits {
            let _ = real(root, &edit.path).map(|file| fs::remove_file(beside(&file, "old")));
        }
    }
    done
}

/// Puts back what a process that died had begun to replace. Whether there was anything.
pub fn recover(root: &Path) -> Result<bool, FilesError> {
    if !root.join(JOURNAL).exists() {
        return Ok(false);
    }
    let journal = open_journal(root)?;
    drop(journal);
    let _ = fs::remove_file(root.join(JOURNAL));
    Ok(true)
}

/// Takes the journal for this process, after putting back what it says.
fn open_journal(root: &Path) -> Result<File, FilesError> {
    let path = root.join(JOURNAL);
    let fail = |source| FilesError::Write { path: JOURNAL.to_owned(), source };
    let mut journal = loop {
        let journal = tacit_fs::open_to_write(&path).map_err(fail)?;
        if !tacit_fs::lock(&journal, LockMode::Exclusive, Wait::NONE).map_err(fail)? {
            return Err(FilesError::Busy { path: root.display().to_string() });
        }
        // Whoever had it before may have removed it before we had the lock.
        if path.exists() {
            break journal;
        }
    };
    let mut text = String::new();
    // A journal without its end was never acted upon.
    if (&journal).take(LARGEST_JOURNAL).read_to_string(&mut text).is_ok()
        && text.ends_with('\n')
        && let Ok(planned) = serde_json::from_str::<Vec<JournalEntry>>(&text)
    {
        for file in &planned {
            put_back(root, file)?;
        }
    }
    journal.set_len(0).and_then(|()| journal.rewind()).map_err(fail)?;
    Ok(journal)
}

fn put_back(root: &Path, file: &JournalEntry) -> Result<(), FilesError> {
    let fail = |source| FilesError::Write { path: file.path.clone(), source };
    // A repository can ship a journal: nothing outside it is touched.
    let target = real(root, &file.path).map_err(fail)?;
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
    edits: &[FileEdit],
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
        let renamed =
            real(root, &edit.path).and_then(|target| fs::rename(beside(&target, "new"), target));
        if let Err(source) = renamed {
            *restored = planned[..at].iter().all(|file| put_back(root, file).is_ok());
            return Err(FilesError::Write { path: edit.path.clone(), source });
        }
    }
    for edit in edits {
        // That the names are durable as well is worth trying, and no reason to take it all back.
        if let Ok(target) = real(root, &edit.path)
            && let Some(directory) = target.parent()
        {
            let _ = tacit_fs::sync_folder(directory);
        }
    }
    Ok(())
}

/// Writes the new contents and a copy of the old ones beside a file.
fn prepare(root: &Path, edit: &FileEdit) -> io::Result<()> {
    if let Some(directory) = real(root, &edit.path)?.parent() {
        fs::create_dir_all(directory)?;
    }
    let target = real(root, &edit.path)?;
    let permissions = fs::metadata(&target).map(|there| there.permissions()).ok();
    let write = |what: &str, bytes: &[u8]| {
        let path = beside(&target, what);
        // Left by a process that died, or planted.
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

/// The file itself, where a link leads to it. It is an error if it is not inside the project.
fn real(root: &Path, path: &str) -> io::Result<PathBuf> {
    let outside = || io::Error::new(io::ErrorKind::PermissionDenied, "it leads out of the project");
    let plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    if !plain {
        return Err(outside());
    }
    let root = root.canonicalize()?;
    let path = root.join(path);
    // What is not there yet cannot lead elsewhere; a link that leads nowhere can.
    let there = path.ancestors().find(|part| part.is_symlink() || part.exists());
    let there = there.unwrap_or(&root);
    let real = there.canonicalize()?;
    match path.strip_prefix(there) {
        Ok(rest) if real.starts_with(&root) && rest.as_os_str().is_empty() => Ok(real),
        Ok(rest) if real.starts_with(&root) => Ok(real.join(rest)),
        _ => Err(outside()),
    }
}

/// The name of a file's old or new contents.
fn beside(file: &Path, what: &str) -> PathBuf {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    file.with_file_name(format!(".{name}.tacit-{what}"))
}
