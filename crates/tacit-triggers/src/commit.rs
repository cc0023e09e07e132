//! Changing several files at once: all of them, or none.
//!
//! New contents are written beside the files and flushed; copies of the old ones are kept; a
//! journal says which files are about to be replaced; then each is replaced by renaming. Whoever
//! comes next and finds a journal puts the old files back, so that not even a crash between two
//! renames leaves half of a change behind.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::corpus::Edit;
use crate::files::{FilesError, read};

/// The journal, at the root of the project while files are being replaced.
pub const JOURNAL: &str = ".tacit-triggers.journal";

/// What the journal says of a file.
#[derive(Debug, Serialize, Deserialize)]
struct Planned {
    path: String,
    existed: bool,
}

/// Applies edits, all or none. A file that is no longer what an edit takes it for is an error, and
/// then nothing is changed.
pub fn commit(root: &Path, edits: &[Edit]) -> Result<(), FilesError> {
    if edits.is_empty() {
        return Ok(());
    }
    let mut journal = open_journal(root)?;
    let mut restored = true;
    let done = replace(root, edits, &mut journal, &mut restored);
    if done.is_err() {
        for edit in edits {
            let _ = fs::remove_file(beside(root, &edit.path, "new"));
        }
    }
    // What could not be put back now is put back by whoever comes next.
    if restored {
        let _ = fs::remove_file(root.join(JOURNAL));
        for edit in edits {
            let _ = fs::remove_file(beside(root, &edit.path, "old"));
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
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    let mut journal = loop {
        let journal = options.open(&path).map_err(fail)?;
        match journal.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(FilesError::Busy { path: root.display().to_string() });
            }
            Err(TryLockError::Error(source)) => return Err(fail(source)),
        }
        // Whoever had it before may have removed it before we had the lock.
        if path.exists() {
            break journal;
        }
    };
    let mut text = String::new();
    // A journal without its end was never acted upon.
    if journal.read_to_string(&mut text).is_ok()
        && text.ends_with('\n')
        && let Ok(planned) = serde_json::from_str::<Vec<Planned>>(&text)
    {
        for file in &planned {
            put_back(root, file)?;
        }
    }
    journal.set_len(0).and_then(|()| journal.rewind()).map_err(fail)?;
    Ok(journal)
}

fn put_back(root: &Path, file: &Planned) -> Result<(), FilesError> {
    let _ = fs::remove_file(beside(root, &file.path, "new"));
    let old = beside(root, &file.path, "old");
    let target = real(root, &file.path);
    let done = match (file.existed, old.exists()) {
        (true, true) => fs::rename(&old, &target),
        (true, false) => Ok(()),
        (false, _) => match fs::remove_file(&target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        },
    };
    done.map_err(|source| FilesError::Write { path: file.path.clone(), source })
}

fn replace(
    root: &Path,
    edits: &[Edit],
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
    let planned: Vec<Planned> = edits
        .iter()
        .map(|edit| Planned { path: edit.path.clone(), existed: edit.before.is_some() })
        .collect();
    let fail = |source| FilesError::Write { path: JOURNAL.to_owned(), source };
    let text = serde_json::to_string(&planned).map_err(|error| fail(error.into()))?;
    journal
        .write_all(format!("{text}\n").as_bytes())
        .and_then(|()| journal.sync_all())
        .map_err(fail)?;
    for (at, edit) in edits.iter().enumerate() {
        let new = beside(root, &edit.path, "new");
        if let Err(source) = fs::rename(new, real(root, &edit.path)) {
            *restored = planned[..at].iter().all(|file| put_back(root, file).is_ok());
            return Err(FilesError::Write { path: edit.path.clone(), source });
        }
    }
    for edit in edits {
        // That the names are durable as well is worth trying, and no reason to take it all back.
        if let Some(directory) = real(root, &edit.path).parent()
            && let Ok(directory) = File::open(directory)
        {
            let _ = directory.sync_all();
        }
    }
    Ok(())
}

/// Writes the new contents and a copy of the old ones beside a file.
fn prepare(root: &Path, edit: &Edit) -> io::Result<()> {
    let target = real(root, &edit.path);
    if let Some(directory) = target.parent() {
        fs::create_dir_all(directory)?;
    }
    let new = beside(root, &edit.path, "new");
    let mut file = File::create(&new)?;
    file.write_all(&edit.after)?;
    if let Some(before) = &edit.before {
        file.set_permissions(fs::metadata(&target)?.permissions())?;
        let mut old = File::create(beside(root, &edit.path, "old"))?;
        old.write_all(before)?;
        old.set_permissions(fs::metadata(&target)?.permissions())?;
        old.sync_all()?;
    }
    file.sync_all()
}

/// The file itself, where its path is a link.
fn real(root: &Path, path: &str) -> PathBuf {
    let path = root.join(path);
    path.canonicalize().unwrap_or(path)
}

/// The name of a file's old or new contents.
fn beside(root: &Path, path: &str, what: &str) -> PathBuf {
    let path = real(root, path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.tacit-{what}"))
}
