//! Moves the memories of a project between this machine and a server.
//!
//! While that lasts, the state of the team says so: other processes read this machine's store and leave what
//! they write in the spool. One commit decides: once the store says which change of the server it includes, it
//! is a copy.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacit_core::{Author, Clock, Config, IdSource, Memory};
use tacit_fs::{Lock, Wait};
use tacit_store::{CopyStore, Store, TeamServer, TransferRow, TransferStore, TransferTable};
use tacit_store_sqlite::{OpenMode, OpenOptions, SqliteStore};

use super::copy::{CopyProgress, CopyState, TableDifference, compare, copy_tables};
use super::preferences::newest_change;
use super::state::TeamState;
use super::store::ServerLink;
use crate::backup::BackupFile;
use crate::engine::{Engine, ProjectStore, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};

/// The name of the file with the progress of a move.
const FILE: &str = "migration.json";
/// The folder of the database that a move creates.
const FOLDER: &str = "migration";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 * 1024;
/// The number of memories read at a time.
const ROWS: usize = 500;

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
    /// server. The caller holds [`StorePaths::stop_maintenance`].
    pub fn to_server(
        &self,
        progress: &mut dyn FnMut(CopyProgress),
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<MoveReport> {
        let state = TeamState::moving(self.server.address(), self.server.project().to_owned());
        let mut server = self.server.open()?;
        let noted = self.read(true);
        if noted.is_none() && server.count_rows(TransferTable::Memories)? > 0 {
            return Err(EngineError::NotEmpty { server: state.server });
        }
        let tables = &TransferTable::ALL;
        let begun = noted.unwrap_or_default();
        // Before the first row is there: afterwards the project is not empty.
        self.save(true, &begun)?;
        let path = self.paths.database(StoreScope::Project);
        let local = self.open(&path, OpenMode::Write)?;
        let mut rows = self.copy(true, begun, &local, &mut *server, progress)?;
        drop(local);
        // Until now, others have gone on writing here.
        self.paths.enter_team(&state, self.config, waiting)?;
        let mut moved = || {
            let mut local = self.open(&path, OpenMode::Write)?;
            let mut differences = compare(&local, &*server, tables)?;
            if !differences.is_empty() && server.clear().is_ok() {
                rows = self.copy(true, CopyState::default(), &local, &mut *server, progress)?;
                differences = compare(&local, &*server, tables)?;
            }
            let memories = server.count_rows(TransferTable::Memories)?;
            if differences.is_empty() {
                local.set_copied_upto(&state.origin(), newest_change(&*server)?)?;
            } else {
                // The next attempt copies everything again.
                self.save(true, &CopyState::default())?;
            }
            Ok(MoveReport { rows, memories, differences })
        };
        let report = moved();
        if !report.as_ref().is_ok_and(|report| report.differences.is_empty()) {
            self.paths.remove_team_state()?;
        }
        report
    }

    /// Copies the whole store of the server, with the sessions of this machine, into a new database, and
    /// puts it in the place of this machine's copy, which is kept beside it, and which nobody follows any
    /// more. The caller holds [`StorePaths::stop_maintenance`].
    pub fn to_machine(
        &self,
        progress: &mut dyn FnMut(CopyProgress),
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<MoveReport> {
        let Some(state) = self.paths.read_team_state()? else {
            return Err(EngineError::NotInitialised { root: self.paths.root.clone() });
        };
        // Nobody writes to the server from here, so that everything that was written is copied.
        self.paths.enter_team(&TeamState { moving: true, ..state }, self.config, waiting)?;
        let report = self.fetch(progress, waiting);
        if report.as_ref().is_ok_and(|report| report.differences.is_empty()) {
            self.paths.leave_team(self.config, waiting)?;
        } else {
            self.paths.end_move()?;
        }
        report
    }

    fn fetch(
        &self,
        progress: &mut dyn FnMut(CopyProgress),
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<MoveReport> {
        let folder = self.paths.project.join(FOLDER);
        let path = folder.join(StorePaths::DATABASE);
        tacit_fs::create_folder(&folder).map_err(|e| io(&folder, e))?;
        let server = self.server.open()?;
        let copy = self.open(&self.paths.database(StoreScope::Project), OpenMode::Write)?;
        // Without the new database, it was put in its place already.
        let noted = self.read(false).filter(|_| path.exists());
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
            let rows = self.copy(false, state, &*server, &mut target, progress)?;
            let differences = compare(&*server, &target, &shared)?;
            if differences.is_empty() || begins {
                break (target, rows, differences);
            }
            // The server has changed since the move was interrupted, and may have lost rows.
            state = CopyState::default();
        };
        if !differences.is_empty() {
            // The next attempt copies everything again.
            self.save(false, &CopyState::default())?;
        }
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

    /// Copies all tables from where the move was interrupted. Returns the number of rows.
    fn copy(
        &self,
        to_server: bool,
        mut state: CopyState,
        from: &dyn Store,
        to: &mut dyn Store,
        progress: &mut dyn FnMut(CopyProgress),
    ) -> EngineResult<u64> {
        let mut save = |state: &CopyState| self.save(to_server, state);
        copy_tables(from, to, &TransferTable::ALL, &mut state, &mut save, progress)
    }

    fn open(&self, path: &Path, access: OpenMode) -> EngineResult<SqliteStore> {
        let busy_timeout = Duration::from_millis(self.config.busy_timeout_ms);
        Ok(SqliteStore::open(path, OpenOptions { access, busy_timeout })?)
    }

    /// Returns how far an interrupted move in the same direction has come; `None` if there was none.
    fn read(&self, to_server: bool) -> Option<CopyState> {
        let noted = self.paths.noted_move()?;
        let is_this = (noted.server.as_str(), noted.project.as_str(), noted.to_server)
            == (&self.server.address(), self.server.project(), to_server);
        is_this.then_some(noted.state)
    }

    fn save(&self, to_server: bool, state: &CopyState) -> EngineResult<()> {
        let path = self.paths.project.join(FILE);
        let bytes = serde_json::to_vec(&NotedMove {
            server: self.server.address(),
            project: self.server.project().to_owned(),
            to_server,
            state: state.clone(),
        })?;
        tacit_fs::replace(&path, &bytes).map_err(|error| io(&path, error))
    }

    /// Forgets how far the move has come. After a move to the server, the caller first makes it the project's
    /// store.
    pub fn forget(&self) -> EngineResult<()> {
        self.paths.forget_move()
    }
}

/// The note of a move, by which an interrupted one continues.
#[derive(Debug, Serialize, Deserialize)]
struct NotedMove {
    server: String,
    project: String,
    /// True for a move to the server, false for one to this machine.
    to_server: bool,
    state: CopyState,
}

impl StorePaths {
    fn noted_move(&self) -> Option<NotedMove> {
        let bytes = tacit_fs::read(&self.project.join(FILE), LARGEST).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Removes what an interrupted move has left: it is about a store that no longer exists as it was.
    pub fn forget_move(&self) -> EngineResult<()> {
        remove_folder(&self.project.join(FOLDER))?;
        let path = self.project.join(FILE);
        tacit_fs::none_if_missing(std::fs::remove_file(&path))
            .map(drop)
            .map_err(|error| io(&path, error))
    }
}

impl<'a> Engine<'a> {
    /// Begins to move this project's memories to a server, and opens both stores. Until
    /// [`StorePaths::end_move`], other processes read this machine's store and leave what they write in the
    /// spool. The caller holds [`StorePaths::stop_maintenance`].
    pub fn begin_joining(
        paths: StorePaths,
        config: Config,
        server: &dyn TeamServer,
        clock: &'a dyn Clock,
        ids: &'a dyn IdSource,
        actor: Author,
        waiting: &mut dyn FnMut(&str),
    ) -> EngineResult<Engine<'a>> {
        let shared = server.open()?;
        let mut engine = Engine::closed(paths, config, clock, ids, actor);
        let state = TeamState::moving(server.address(), server.project().to_owned());
        engine.paths.enter_team(&state, &engine.config, waiting)?;
        let mut local = engine.open_database(StoreScope::Project, OpenMode::Write)?;
        local.end_copy()?;
        engine.project = Some(ProjectStore::team(Box::new(local), ServerLink::Open(shared)));
        Ok(engine)
    }

    /// Returns the memories in this machine's store.
    pub fn memories_here(&self) -> EngineResult<Vec<Memory>> {
        let Some(ProjectStore::Team(team)) = &self.project else { return Ok(Vec::new()) };
        let (mut memories, mut after) = (Vec::new(), None);
        loop {
            let page = team.local.transfer_rows(TransferTable::Memories, after.as_deref(), ROWS)?;
            memories.extend(page.rows.into_iter().filter_map(|row| match row {
                TransferRow::Memory(row) => Some(row.memory),
                _ => None,
            }));
            after = page.next;
            if after.is_none() {
                return Ok(memories);
            }
        }
    }

    /// Settles a move whose process has died: if this machine's store is a copy already, the project is in the
    /// team, otherwise it is not. Returns the state of the project in its team.
    pub(crate) fn settle_move(&self, local: &dyn CopyStore) -> EngineResult<Option<TeamState>> {
        let paths = &self.paths;
        let Some(state) = paths.read_team_state()?.filter(|state| state.moving) else {
            return paths.read_team_state();
        };
        // The process that moves holds this lock.
        let lock = paths.maintenance_lock(StoreScope::Project);
        let Ok(Some(_alone)) = Lock::exclusive(&lock, Wait::NONE) else { return Ok(Some(state)) };
        let is_copy = local.copied_upto(&state.origin())?.is_some();
        if paths.noted_move().is_some_and(|noted| noted.to_server == is_copy) {
            // It was about to forget what it had noted.
            paths.forget_move()?;
        }
        if is_copy {
            paths.end_move()?;
        } else {
            paths.remove_team_state()?;
        }
        paths.read_team_state()
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
