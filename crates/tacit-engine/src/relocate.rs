//! Relocation of a store from the worktree, where earlier versions kept it, to git's directory,
//! where git cannot commit, overwrite or clean it.
//!
//! The database is moved last, and the new directory counts as a store only with a database. An
//! interrupted move is simply repeated: files already moved stay, the others follow.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tacit_fs::Replacement;
use tacit_fs::failpoint::step;
use tacit_fs::platform;
use tacit_store::StoreError;
use tacit_store_sqlite::{DatabaseLock, checkpoint};
use thiserror::Error;

use crate::engine::StorePaths;

/// The reason why a store was not moved.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum RelocateError {
    /// The store may have been put there by another user.
    #[error("`{}` is not trusted as your store: {why}", path.display())]
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
/// The files of a store beside the database, by prefix. The configuration stays: in the worktree it
/// belongs to the repository and must not become the user's.
const FILES: &[&str] = &["edit-", "hot-topics.json", "ledger.jsonl", "memory.db.", "memory.seq"];

/// Moves the store from `from` to `to`. Returns false if another process did. `tracked` are the
/// names in `from` that git tracks: they belong to the repository and are left alone.
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
    // A tracked folder is a link or a submodule.
    let ships = |name: &&String| {
        name.is_empty() || name.to_ascii_lowercase().starts_with(StorePaths::DATABASE)
    };
    if let Some(name) = tracked.iter().find(ships) {
        let why = io::Error::other("git tracks it, so it may come from somebody else");
        return untrusted(&from.join(name), why);
    }
    match tacit_fs::open(&database) {
        Ok(_) => {}
        // Another process was faster.
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(problem) => return untrusted(&database, problem),
    }
    let busy = || RelocateError::Busy { path: database.clone() };
    let _alone = DatabaseLock::exclusive(&database, patience).map_err(|_| busy())?;
    if !database.exists() {
        return Ok(false);
    }
    // A damaged database is moved as is, with its log, for `doctor` to inspect.
    if let Err(StoreError::Busy) = checkpoint(&database) {
        return Err(busy());
    }
    tacit_fs::create_folder(to).map_err(fail(to))?;
    // A killed copy to another file system left this.
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
    // From here on, the store is at the new path.
    move_file(&database, &to.join(StorePaths::DATABASE)).map_err(fail(&database))?;
    tacit_fs::sync_folder(to).map_err(fail(to))?;
    step();
    // The folder stays if it contains files that were not moved.
    let _ = fs::remove_dir(from);
    Ok(true)
}

struct Source<'a> {
    root: &'a Path,
    tracked: &'a [String],
}

impl Source<'_> {
    /// Moves a file, or the contents of a folder. Untrusted entries stay.
    fn move_entry(&self, from: &Path, to: &Path) -> io::Result<()> {
        let there = fs::symlink_metadata(from)?;
        // Others may have write permission on it, but cannot enter the store's folder.
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

/// Moves a file and restricts it to its owner.
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

fn close(path: &Path, metadata: &Metadata) -> io::Result<()> {
    if !platform::is_open_to_others(metadata) {
        return Ok(());
    }
    platform::set_mode(path, 0o600)
}
