//! Moves the memories of a project between this machine and a server, and empties the copy of a project
//! that joins a team.

use std::path::Path;
use std::time::Duration;

use tacit_core::{Author, Clock, Config, MemoryId};
use tacit_store::{
    Action, ActionKind, Filter, ListOrder, ListQuery, Store, TeamServer, TransferStore,
    TransferTable,
};
use tacit_store_sqlite::{OpenMode, OpenOptions, SqliteStore};

use super::copy::{CopyProgress, CopyState, TableDifference, compare, copy_tables};
use super::state::TeamState;
use crate::backup::BackupFile;
use crate::engine::{StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};

/// The name of the file with the progress of a move.
const FILE: &str = "migration.json";
/// The folder of the database that a move creates.
const FOLDER: &str = "migration";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 * 1024;
/// The number of memories removed at a time.
const PAGE: usize = 500;

/// The result of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveReport {
    /// The number of copied rows.
    pub rows: u64,
    /// The number of memories in the target.
    pub memories: u64,
    /// The tables that differ after the copy; empty if the copy is exact.
    pub differences: Vec<TableDifference>,
}

/// A project whose memories are moved.
pub struct StoreMove<'a> {
    /// The paths of the project.
    pub paths: &'a StorePaths,
    /// The configuration.
    pub config: &'a Config,
    /// The server.
    pub server: &'a dyn TeamServer,
    /// The clock.
    pub clock: &'a dyn Clock,
}

impl StoreMove<'_> {
    /// Copies the whole store of this machine to the server, on which the project must be empty unless
    /// an earlier move to it was interrupted. Afterwards this machine's store is the copy of the
    /// server.
    pub fn to_server(
        &self,
        project: &str,
        progress: &mut dyn FnMut(CopyProgress),
    ) -> EngineResult<MoveReport> {
        let direction = format!("to {} {project}", self.server.address());
        let local = self.open(&self.paths.database(StoreScope::Project), OpenMode::Write)?;
        let mut server = self.server.open()?;
        let noted = self.read(&direction);
        let mut begins = noted.is_none();
        if begins && server.count_rows(TransferTable::Memories)? > 0 {
            return Err(EngineError::NotEmpty { server: self.server.address() });
        }
        let mut state = noted.unwrap_or_default();
        // Before the first row is there: afterwards the project is not empty.
        self.save(&direction, &state)?;
        let tables = &TransferTable::ALL;
        let (rows, differences) = loop {
            let (rows, differences) =
                self.copy(&direction, state, &local, &mut *server, tables, progress)?;
            if differences.is_empty() || begins {
                break (rows, differences);
            }
            // This machine's store has changed since the move was interrupted, and may have lost rows.
            server.clear()?;
            (state, begins) = (CopyState::default(), true);
        };
        let memories = server.count_rows(TransferTable::Memories)?;
        if differences.is_empty() {
            let mut follows = TeamState::new(self.server.address(), project.to_owned());
            follows.change = server.delta(0, usize::MAX)?.upto;
            follows.followed_at = Some(self.clock.now());
            self.paths.save_team_state(&follows)?;
        }
        Ok(MoveReport { rows, memories, differences })
    }

    /// Copies the whole store of the server, with the sessions of this machine, into a new database, and
    /// puts it in the place of this machine's copy, which is kept beside it. The caller holds
    /// [`StorePaths::stop_maintenance`].
    pub fn to_machine(
        &self,
        progress: &mut dyn FnMut(CopyProgress),
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<MoveReport> {
        let direction = format!("from {}", self.server.address());
        let folder = self.paths.project.join(FOLDER);
        let path = folder.join(StorePaths::DATABASE);
        tacit_fs::create_folder(&folder).map_err(|e| io(&folder, e))?;
        let server = self.server.open()?;
        let copy = self.open(&self.paths.database(StoreScope::Project), OpenMode::Write)?;
        // Without the new database, it was put in its place already.
        let noted = self.read(&direction).filter(|_| path.exists());
        let mut state = noted.unwrap_or_default();
        let (sessions, shared): (Vec<_>, Vec<_>) =
            TransferTable::ALL.into_iter().partition(|table| table.is_of_sessions());
        let (mut target, mut rows, differences) = loop {
            let begins = state == CopyState::default();
            if begins {
                remove_folder(&folder)?;
                tacit_fs::create_folder(&folder).map_err(|error| io(&folder, error))?;
            }
            let mut target = self.open(&path, OpenMode::Create)?;
            let (rows, differences) =
                self.copy(&direction, state, &*server, &mut target, &shared, progress)?;
            if differences.is_empty() || begins {
                break (target, rows, differences);
            }
            // The server has changed since the move was interrupted, and may have lost rows.
            state = CopyState::default();
        };
        // Without a note: the second part is quick, and may be repeated.
        let mut unnoted = CopyState::default();
        rows +=
            copy_tables(&copy, &mut target, &sessions, &mut unnoted, &mut |_| Ok(()), &mut |_| ())?;
        let memories = target.count_rows(TransferTable::Memories)?;
        if differences.is_empty() {
            drop((copy, target));
            let now = self.clock.now();
            let made = BackupFile { path, name: FOLDER.into(), at: now, bytes: 0, number: None };
            self.paths.restore_backup(StoreScope::Project, made, self.config, now, waiting)?;
            remove_folder(&folder)?;
            self.forget()?;
        }
        Ok(MoveReport { rows, memories, differences })
    }

    /// Copies all tables from where the move was interrupted, and compares some of them. Returns the number
    /// of rows and the tables that differ.
    fn copy(
        &self,
        direction: &str,
        mut state: CopyState,
        from: &dyn Store,
        to: &mut dyn Store,
        compared: &[TransferTable],
        progress: &mut dyn FnMut(CopyProgress),
    ) -> EngineResult<(u64, Vec<TableDifference>)> {
        let mut save = |state: &CopyState| self.save(direction, state);
        let tables = &TransferTable::ALL;
        let rows = copy_tables(from, to, tables, &mut state, &mut save, progress)?;
        let differences = compare(from, to, compared)?;
        if !differences.is_empty() {
            // The next attempt copies everything again.
            save(&CopyState::default())?;
        }
        Ok((rows, differences))
    }

    fn open(&self, path: &Path, access: OpenMode) -> EngineResult<SqliteStore> {
        let busy_timeout = Duration::from_millis(self.config.busy_timeout_ms);
        Ok(SqliteStore::open(path, OpenOptions { access, busy_timeout })?)
    }

    /// Returns how far an interrupted move in the same direction has come; `None` if there was none.
    fn read(&self, direction: &str) -> Option<CopyState> {
        let bytes = tacit_fs::read(&self.paths.project.join(FILE), LARGEST).ok()?;
        let (noted, state): (String, CopyState) = serde_json::from_slice(&bytes).ok()?;
        (noted == direction).then_some(state)
    }

    fn save(&self, direction: &str, state: &CopyState) -> EngineResult<()> {
        let path = self.paths.project.join(FILE);
        let bytes = serde_json::to_vec(&(direction, state))?;
        tacit_fs::replace(&path, &bytes).map_err(|error| io(&path, error))
    }

    /// Forgets how far the move has come. After a move to the server, the caller first makes it the project's
    /// store.
    pub fn forget(&self) -> EngineResult<()> {
        let path = self.paths.project.join(FILE);
        tacit_fs::none_if_missing(std::fs::remove_file(&path))
            .map(drop)
            .map_err(|error| io(&path, error))
    }
}

/// Removes all memories from this machine's store, which is about to become the copy of a server, and
/// saves the state of the empty copy. The log of the sessions stays.
pub fn empty_copy(
    paths: &StorePaths,
    config: &Config,
    state: &TeamState,
    clock: &dyn Clock,
    actor: &Author,
) -> EngineResult<usize> {
    let busy_timeout = Duration::from_millis(config.busy_timeout_ms);
    let options = OpenOptions { access: OpenMode::Write, busy_timeout };
    let mut store = SqliteStore::open(&paths.database(StoreScope::Project), options)?;
    // The state is saved first, so that after an interruption the next command follows the server from
    // the start.
    paths.save_team_state(state)?;
    let mut removed = 0;
    loop {
        let filter = Filter::everything();
        let query = ListQuery { filter, order: ListOrder::Oldest, limit: PAGE, offset: 0 };
        let page = store.list(&query)?;
        if page.is_empty() {
            return Ok(removed);
        }
        let action = Action {
            kind: ActionKind::Import,
            at: clock.now(),
            actor: actor.clone(),
            reason: None,
            reverts: None,
        };
        let mut transaction = store.begin(action)?;
        for memory in &page {
            transaction.remove(memory)?;
            let id: MemoryId = memory.id;
            transaction.erase_history(&id)?;
        }
        transaction.commit()?;
        removed += page.len();
    }
}

/// Removes the database of a move that was interrupted: a purge must leave nothing in it. The move begins
/// again.
pub(crate) fn remove_unfinished_move(paths: &StorePaths) -> EngineResult<()> {
    remove_folder(&paths.project.join(FOLDER))
}

fn remove_folder(folder: &Path) -> EngineResult<()> {
    tacit_fs::none_if_missing(std::fs::remove_dir_all(folder))
        .map(drop)
        .map_err(|error| io(folder, error))
}

fn io(path: &Path, source: std::io::Error) -> EngineError {
    EngineError::Io { path: path.to_path_buf(), source }
}
