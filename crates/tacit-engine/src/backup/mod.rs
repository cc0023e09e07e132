//! Backups of a store's database: made by maintenance or on request, listed, and restored.
//!
//! Backups are complete databases in the folder `backups` beside the store, named after a growing
//! number and the time. Those that were requested say so in their name, and stay until somebody deletes them. A database that a restored backup replaced stays beside the store and can be
//! restored like a backup.

mod rotation;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tacit_core::{Config, Timestamp};
use tacit_store::{StoreError, StoreResult};
use tacit_store_sqlite::{
    DatabaseLock, DatabaseRepair, PendingWork, back_up, check_backup, contents, remove_unfinished,
    replaced_copies,
};

use crate::engine::{StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::repair::patience;
use rotation::{day_of, kept};

/// The folder of backups beside a database.
pub(crate) const BACKUPS: &str = "backups";
const EXTENSION: &str = ".db";
/// The end of the name of a backup that was requested.
const REQUESTED: &str = "-requested";

/// A backup of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackupFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The name by which it can be restored.
    pub name: String,
    /// The time in its name.
    pub at: Timestamp,
    /// The size, in bytes.
    pub bytes: u64,
    /// The number that orders backups; `None` for a database that a restored backup replaced.
    pub number: Option<u64>,
}

/// The result of the maintenance of backups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackupOutcome {
    /// A backup was made, and older ones were deleted.
    Made {
        /// The new backup.
        path: PathBuf,
        /// The number of deleted backups.
        deleted: usize,
    },
    /// Today has a backup already.
    NotDue,
    /// The newest has the same contents.
    Unchanged,
    /// The configuration turns backups off.
    Off,
}

/// The result of restoring a backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredBackup {
    /// The backup.
    pub backup: BackupFile,
    /// The number of memories in it.
    pub memories: u64,
    /// The new path of the database that was replaced; `None` if there was none.
    pub replaced: Option<PathBuf>,
}

impl BackupFile {
    /// Returns true for a backup that somebody asked for.
    pub fn is_requested(&self) -> bool {
        self.number.is_some() && self.name.ends_with(REQUESTED)
    }

    /// Checks every page. Returns the number of memories.
    pub fn check(&self) -> EngineResult<u64> {
        Ok(check_backup(&self.path)?.memories)
    }
}

impl StorePaths {
    /// Returns the folder of a store's backups.
    pub fn backups(&self, scope: StoreScope) -> PathBuf {
        self.directory(scope).join(BACKUPS)
    }

    /// Returns the backups of a store, newest first, then the databases that restored backups
    /// replaced.
    pub fn list_backups(&self, scope: StoreScope) -> Vec<BackupFile> {
        let entries = fs::read_dir(self.backups(scope)).into_iter().flatten().flatten();
        let mut backups: Vec<BackupFile> =
            entries.filter_map(|entry| backup_at(&entry.path())).collect();
        backups.sort_by_key(|backup| std::cmp::Reverse(backup.number));
        let replaced = replaced_copies(&self.database(scope)).into_iter().rev();
        backups.extend(replaced.filter_map(|path| replaced_at(&path)));
        backups
    }

    /// Makes the backup of a day: if the newest of these is of another day and has other contents. Deletes
    /// those that are no longer kept. The caller holds the maintenance lock.
    pub fn back_up(
        &self,
        scope: StoreScope,
        config: &Config,
        now: Timestamp,
    ) -> EngineResult<BackupOutcome> {
        if config.backups_daily == 0 {
            return Ok(BackupOutcome::Off);
        }
        let folder = self.backups(scope);
        remove_unfinished(&folder)?;
        let made = self.daily_backups(scope);
        let newest = made.first();
        if newest.is_some_and(|backup| day_of(backup.at) == day_of(now)) {
            return Ok(BackupOutcome::NotDue);
        }
        let database = self.database(scope);
        // A damaged newest backup does not count.
        let last = newest.and_then(|backup| check_backup(&backup.path).ok());
        if last.is_some_and(|last| contents(&database).is_ok_and(|now| now == last)) {
            return Ok(BackupOutcome::Unchanged);
        }
        // A purge would not know of a backup that begins now.
        if PendingWork::of(&database).count() > 0 {
            return Ok(BackupOutcome::NotDue);
        }
        let path = self.write_backup(scope, now, "")?;
        Ok(BackupOutcome::Made { path, deleted: self.rotate(scope, config)? })
    }

    /// Makes a backup of a store on request, even if there is a recent one. The caller holds the maintenance
    /// lock.
    pub fn back_up_now(&self, scope: StoreScope, now: Timestamp) -> EngineResult<PathBuf> {
        remove_unfinished(&self.backups(scope))?;
        // A purge would not know of a backup that begins now.
        if PendingWork::of(&self.database(scope)).count() > 0 {
            return Err(StoreError::Busy.into());
        }
        self.write_backup(scope, now, REQUESTED)
    }

    fn write_backup(&self, scope: StoreScope, now: Timestamp, end: &str) -> EngineResult<PathBuf> {
        let newest = self.list_backups(scope).into_iter().find_map(|backup| backup.number);
        let number = newest.unwrap_or(0) + 1;
        let name = format!("{number:06}-{}{end}{EXTENSION}", stamp(now));
        let path = self.backups(scope).join(name);
        back_up(&self.database(scope), &path)?;
        Ok(path)
    }

    /// Returns the backups that maintenance made, newest first.
    fn daily_backups(&self, scope: StoreScope) -> Vec<BackupFile> {
        let mut backups = self.list_backups(scope);
        backups.retain(|backup| backup.number.is_some() && !backup.is_requested());
        backups
    }

    /// Deletes the backups that are no longer kept. Returns their number.
    fn rotate(&self, scope: StoreScope, config: &Config) -> EngineResult<usize> {
        let backups = self.daily_backups(scope);
        let numbers: Vec<(u64, Timestamp)> =
            backups.iter().filter_map(|backup| Some((backup.number?, backup.at))).collect();
        let many = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let kept = kept(&numbers, many(config.backups_daily), many(config.backups_weekly));
        let mut deleted = 0;
        for backup in backups {
            if backup.number.is_some_and(|number| !kept.contains(&number)) {
                tacit_fs::remove(&backup.path)
                    .map_err(|source| EngineError::Io { path: backup.path, source })?;
                deleted += 1;
            }
        }
        Ok(deleted)
    }

    /// Finds a backup by its name, by a date such as `2026-11-18` (its last backup), or the newest
    /// by `latest`.
    pub fn find_backup(&self, scope: StoreScope, name: &str) -> Option<BackupFile> {
        let backups = self.list_backups(scope);
        let named = |backup: &BackupFile| backup.name == name || file_name(&backup.path) == name;
        match name {
            "latest" => backups.into_iter().find(|backup| backup.number.is_some()),
            name => backups
                .iter()
                .find(|backup| named(backup))
                .or_else(|| {
                    let is_date = name.len() == "2026-11-18".len();
                    let of_date = |backup: &&BackupFile| {
                        backup.number.is_some() && backup.at.to_string().starts_with(name)
                    };
                    backups.iter().filter(|_| is_date).find(of_date)
                })
                .cloned(),
        }
    }

    /// Replaces a store's database with a backup. The current database stays beside it. Waits for
    /// other processes that have it open, and calls `waiting` if so. The caller holds
    /// [`StorePaths::stop_maintenance`].
    pub fn restore_backup(
        &self,
        scope: StoreScope,
        backup: BackupFile,
        config: &Config,
        now: Timestamp,
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<RestoredBackup> {
        let database = self.database(scope);
        let memories = backup.check()?;
        let alone = exclusive(&database, config, waiting)?;
        let had_database = database.exists();
        let repair = DatabaseRepair::begin(&database, alone)?;
        let count = usize::try_from(memories).unwrap_or(usize::MAX);
        let kept = repair.restore(&backup.path, count, &stamp(now))?;
        // Derived from the database that is gone; rebuilt from the new one.
        self.remove_derived(scope)?;
        Ok(RestoredBackup { backup, memories, replaced: had_database.then_some(kept) })
    }

    fn remove_derived(&self, scope: StoreScope) -> EngineResult<()> {
        let vectors = self.vectors(scope);
        let entries = fs::read_dir(&vectors).into_iter().flatten().flatten();
        let files = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "vec"));
        for path in files.chain([self.directory(scope).join("hot-topics.json")]) {
            tacit_fs::remove(&path).map_err(|source| EngineError::Io { path, source })?;
        }
        Ok(())
    }
}

/// Returns the complete copies of a store's database that are beside it: backups and replaced
/// databases.
pub(crate) fn copies_of(paths: &StorePaths, scope: StoreScope) -> Vec<PathBuf> {
    paths.list_backups(scope).into_iter().map(|backup| backup.path).collect()
}

/// Locks the use of a database, after waiting for others.
pub(crate) fn exclusive(
    database: &Path,
    config: &Config,
    waiting: &mut dyn FnMut(&str),
) -> StoreResult<DatabaseLock> {
    match DatabaseLock::exclusive(database, Duration::ZERO) {
        Err(StoreError::Busy) => {
            waiting("other processes that use the store");
            DatabaseLock::exclusive(database, patience(config))
        }
        other => other,
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns a time as part of a file name, such as `2026-11-18T09-15-00Z`.
fn stamp(at: Timestamp) -> String {
    let text = at.to_string().replace(':', "-");
    format!("{}Z", text.split('.').next().unwrap_or_default())
}

/// Parses the time at the start of the rest of a file name.
fn time_of(stamp: &str) -> Option<Timestamp> {
    let (date, time) = stamp.get(..20)?.split_once('T')?;
    format!("{date}T{}", time.replace('-', ":")).parse().ok()
}

fn backup_at(path: &Path) -> Option<BackupFile> {
    let name = file_name(path);
    let (number, rest) = name.strip_suffix(EXTENSION)?.split_once('-')?;
    let (number, at) = (number.parse().ok()?, time_of(rest)?);
    let bytes = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?.len();
    let name = name.strip_suffix(EXTENSION).unwrap_or(&name).to_owned();
    Some(BackupFile { path: path.to_owned(), name, at, bytes, number: Some(number) })
}

fn replaced_at(path: &Path) -> Option<BackupFile> {
    let file = file_name(path);
    let (_, name) = file.split_once(&format!("{}.", StorePaths::DATABASE))?;
    let at = time_of(name.split_once('-')?.1)?;
    let bytes = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?.len();
    Some(BackupFile { path: path.to_owned(), name: name.to_owned(), at, bytes, number: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_number_and_time() {
        let folder = tempfile::tempdir().unwrap();
        let at: Timestamp = "2026-11-18T09:15:00.123Z".parse().unwrap();
        assert_eq!(stamp(at), "2026-11-18T09-15-00Z");
        for (name, expected) in [
            ("000012-2026-11-18T09-15-00Z.db", Some((12, "000012-2026-11-18T09-15-00Z"))),
            ("000012-2026-11-18.db", None),
            (".unfinished.db", None),
            ("000012-2026-11-18T09-15-00Z.db-wal", None),
            ("x-2026-11-18T09-15-00Z.db", None),
            ("é-2026-11-18T09-15-0é", None),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, "x").unwrap();
            let found = backup_at(&path);
            let found = found.as_ref().and_then(|file| Some((file.number?, file.name.as_str())));
            assert_eq!(found, expected, "{name}");
        }
        let path = folder.path().join("memory.db.replaced-2026-11-18T09-15-00Z-2");
        fs::write(&path, "x").unwrap();
        let replaced = replaced_at(&path).unwrap();
        assert_eq!(replaced.name, "replaced-2026-11-18T09-15-00Z-2");
        assert_eq!(replaced.at.to_string(), "2026-11-18T09:15:00.000Z");
    }
}
