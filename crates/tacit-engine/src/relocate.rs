//! Moving a store from the worktree, where earlier versions kept it, into git's directory, where git
//! can neither ship, overwrite nor clean it.
//!
//! Everything else is moved before the database, and the new place counts as a store only once the
//! database is in it. So a move that is interrupted is simply begun again: what is there already
//! stays, what is not is moved.

use std::fs::{self, Metadata, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tacit_fs::Replacement;
use tacit_fs::failpoint::step;
use tacit_store::StoreError;
use tacit_store_sqlite::{DatabaseLock, fold_log};
use thiserror::Error;

use crate::engine::StorePaths;

/// The reason why a store was not moved.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum RelocateError {
    /// A stranger could have put it there.
    #[error("`{}` is not taken for your memory: {why}", path.display())]
    Untrusted { path: PathBuf, why: io::Error },
    #[error("cannot tell whether git tracks `{}`: {why}", path.display())]
    Unknown { path: PathBuf, why: String },
    #[error("`{}` is in use by another process", path.display())]
    Busy { path: PathBuf },
    #[error("cannot move `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// The folders of a store.
const FOLDERS: &[&str] =
    &["events", "graph", "logs", "pending", "records", "spool", "switches", "uses", "vectors"];
/// The files of a store beside the database, by the beginning of their names.
/// The configuration stays: in the worktree it is the repository's, and must not become the user's.
const FILES: &[&str] = &["edit-", "hot-topics.json", "ledger.jsonl", "memory.db.", "memory.seq"];

/// Moves the store in `from` to `to`, and returns whether this process did. `tracked` are the names
/// in `from` that git keeps: they came with the repository, or will go with it, and are left alone.
pub fn relocate(
    from: &Path,
    to: &Path,
    tracked: &[String],
    patience: Duration,
) -> Result<bool, RelocateError> {
    let database = from.join(StorePaths::DATABASE);
    let untrusted =
        |path: &Path, why| Err(RelocateError::Untrusted { path: path.to_path_buf(), why });
    let fail = |path: &Path| {
        let path = path.to_path_buf();
        |source| RelocateError::Io { path, source }
    };
    if let Err(problem) = tacit_fs::check_folder(from) {
        return untrusted(from, problem);
    }
    // A folder that is tracked itself is a link, or a repository of somebody else's.
    let ships = |name: &&String| {
        name.is_empty() || name.to_ascii_lowercase().starts_with(StorePaths::DATABASE)
    };
    if let Some(name) = tracked.iter().find(ships) {
        let why = io::Error::other("git tracks it, so it may be anybody's");
        return untrusted(&from.join(name), why);
    }
    match tacit_fs::open(&database) {
        Ok(_) => {}
        // Another process was faster.
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(problem) => return untrusted(&database, problem),
    }
    let busy = || RelocateError::Busy { path: database.clone() };
    let _alone = DatabaseLock::alone(&database, patience).map_err(|_| busy())?;
    if !database.exists() {
        return Ok(false);
    }
    // A damaged database is moved as it is, with its log, for `doctor` to look at.
    if let Err(StoreError::Busy) = fold_log(&database) {
        return Err(busy());
    }
    tacit_fs::create_folder(to).map_err(fail(to))?;
    // Left by a copy to another file system that was killed.
    tacit_fs::remove_temporaries(&to.join(StorePaths::DATABASE)).map_err(fail(to))?;
    for entry in fs::read_dir(from).map_err(fail(from))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_log = name.starts_with("memory.db-");
        let listed = FOLDERS.contains(&name.as_str())
            || FILES.iter().any(|beginning| name.starts_with(beginning))
            || is_log;
        if listed && name != "memory.db-shm" {
            let source = Source { root: from, tracked };
            source.move_entry(&entry.path(), &to.join(&name)).map_err(fail(&entry.path()))?;
        }
    }
    for left in ["memory.db-shm", "maintain.lock"] {
        let _ = fs::remove_file(from.join(left));
    }
    // From here on the store is at the new place.
    move_file(&database, &to.join(StorePaths::DATABASE)).map_err(fail(&database))?;
    tacit_fs::sync_folder(to).map_err(fail(to))?;
    step();
    // It stays if something in it was not ours to move.
    let _ = fs::remove_dir(from);
    Ok(true)
}

struct Source<'a> {
    root: &'a Path,
    tracked: &'a [String],
}

impl Source<'_> {
    /// Moves a file, or what is in a folder; what cannot be trusted stays.
    fn move_entry(&self, from: &Path, to: &Path) -> io::Result<()> {
        let there = fs::symlink_metadata(from)?;
        // Others may be able to write to it by its own permissions, but not to enter the store's.
        if there.is_dir() && !tacit_fs::is_foreign(from) && !self.is_tracked(from) {
            tacit_fs::create_folder(to)?;
            for entry in fs::read_dir(from)?.flatten() {
                self.move_entry(&entry.path(), &to.join(entry.file_name()))?;
            }
            let _ = fs::remove_dir(from);
        } else if there.is_file() && !self.is_tracked(from) && !to.exists() {
            move_file(from, to)?;
        }
        Ok(())
    }

    fn is_tracked(&self, path: &Path) -> bool {
        let lower = |path: &Path| path.to_string_lossy().to_ascii_lowercase();
        let inside = lower(path.strip_prefix(self.root).unwrap_or(path));
        self.tracked.iter().any(|name| Path::new(&inside) == Path::new(&name.to_ascii_lowercase()))
    }
}

/// Moves a file, and closes it to others.
fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    close(from, &fs::symlink_metadata(from)?)?;
    step();
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let mut copy = Replacement::new(to)?;
            io::copy(&mut tacit_fs::open(from)?, copy.file())?;
            copy.publish()?;
            fs::remove_file(from)
        }
        other => other,
    }
}

#[cfg(unix)]
fn close(path: &Path, there: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if there.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn close(_path: &Path, _there: &Metadata) -> io::Result<()> {
    Ok(())
}
