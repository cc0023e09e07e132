//! The user's own memories, those of the global store, follow the user to other machines: they are also on
//! a team's server, in a project that no other member can read.
//!
//! Unlike a project's memories, they are not kept on the server alone: the global store serves projects
//! outside the team too. So both sides are stores of their own, and changes go both ways. If a memory was
//! changed on two machines, the later version wins, and a purge wins over any; the history of each machine
//! keeps what was written on it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::{Memory, MemoryId, Timestamp};
use tacit_store::{Action, ActionKind, ChangeId, ChangeQuery, SharedStore, Store};

use super::follow::erase;
use crate::engine::{Engine, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::purge::note_purged;
use crate::remember::index;
use crate::transfer::{ImportOutcome, take};

/// The name of the file beside the global store.
const FILE: &str = "preferences.json";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 64 * 1024;
/// The number of memories written at a time.
const ROWS: usize = 500;

/// The progress of the exchange of the user's own memories with a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreferencesState {
    /// The address of the server, without a password.
    pub server: String,
    /// The identity of the user's own project on the server.
    pub project: String,
    /// The number of the last change on the server that this machine has.
    pub change: ChangeId,
    /// The number of the last change on this machine that the server has.
    pub given: ChangeId,
    /// The time of the last exchange; `None` before the first.
    pub exchanged_at: Option<Timestamp>,
}

impl PreferencesState {
    /// Creates the state before the first exchange.
    pub fn new(server: String, project: String) -> PreferencesState {
        PreferencesState { server, project, change: 0, given: 0, exchanged_at: None }
    }
}

/// The result of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PreferencesReport {
    /// The number of memories that this machine received.
    pub received: usize,
    /// The number of memories that this machine gave the server.
    pub given: usize,
    /// The number of memories that were removed from either side, because they were purged on the other.
    pub removed: usize,
}

impl StorePaths {
    fn preferences_file(&self) -> PathBuf {
        self.global.join(FILE)
    }

    /// Returns how far the user's own memories were exchanged; `None` before the first time.
    pub fn preferences_state(&self) -> Option<PreferencesState> {
        let bytes = tacit_fs::read(&self.preferences_file(), LARGEST).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    fn save_preferences_state(&self, state: &PreferencesState) -> EngineResult<()> {
        let path = self.preferences_file();
        let bytes = serde_json::to_vec_pretty(state)?;
        tacit_fs::replace(&path, &bytes).map_err(|source| EngineError::Io { path, source })
    }
}

impl Engine<'_> {
    /// Exchanges the memories of the global store, which must be open, with the user's own project on a
    /// server. Can be repeated if it was interrupted.
    pub fn exchange_preferences(
        &mut self,
        server: &mut dyn SharedStore,
        mut state: PreferencesState,
    ) -> EngineResult<PreferencesReport> {
        let action = self.tacit_action(ActionKind::Import, "exchanged with your other machines");
        let (paths, now) = (self.paths.clone(), self.clock.now());
        let local = self.store_mut(StoreScope::Global)?;
        if newest_change(local)? < state.given {
            // The store was replaced, by an older backup for example: nothing is known about it.
            (state.change, state.given) = (0, 0);
        }
        let mut report = PreferencesReport::default();
        let (before, own) = (newest_change(local)?, changed_after(local, state.given)?);
        let mut written =
            receive(&paths, local, server, &mut state.change, &own, &action, &mut report)?;
        let ids: Vec<MemoryId> = own.changed.iter().copied().collect();
        for ids in ids.chunks(ROWS) {
            report.given += adopt(server, &local.read(ids)?, &action)?.0;
        }
        // Other machines purge what was purged here, and only remove what was undone.
        for (kind, gone) in own.gone_by_kind() {
            report.removed += erase(server, &gone, Action { kind, ..action.clone() })?.0;
        }
        // The changes just made come back once, as no news.
        let nothing = OwnChanges::default();
        written +=
            receive(&paths, local, server, &mut state.change, &nothing, &action, &mut report)?;
        let newest = newest_change(local)?;
        // If another process wrote meanwhile, its changes are given the next time, and what was received
        // now counts as changed here too.
        state.given = if newest == before + written { newest } else { before };
        paths.save_preferences_state(&PreferencesState { exchanged_at: Some(now), ..state })?;
        Ok(report)
    }
}

/// The memories that changed on this machine since the last exchange.
#[derive(Debug, Default)]
struct OwnChanges {
    changed: BTreeSet<MemoryId>,
    /// The memories that are not there any more.
    gone: BTreeSet<MemoryId>,
    /// The gone memories that were purged.
    purged: BTreeSet<MemoryId>,
}

impl OwnChanges {
    /// Returns the memories that are gone, by the kind of the change that removes them from the server.
    fn gone_by_kind(&self) -> [(ActionKind, Vec<MemoryId>); 2] {
        let (purged, undone) = self.gone.iter().partition(|id| self.purged.contains(id));
        [(ActionKind::Purge, purged), (ActionKind::Import, undone)]
    }

    /// Returns true if this machine's version of a memory is kept: it changed here too, and later.
    fn outweigh(&self, local: &dyn Store, theirs: &Memory) -> EngineResult<bool> {
        if !self.changed.contains(&theirs.id) {
            return Ok(self.gone.contains(&theirs.id));
        }
        let ours = local.read(&[theirs.id])?;
        Ok(ours.first().is_some_and(|ours| ours.updated_at > theirs.updated_at))
    }
}

/// Writes the server's changes after `upto` into the store of this machine, and moves `upto` on. Returns
/// the number of changes that this made in the store's history.
fn receive(
    paths: &StorePaths,
    local: &mut dyn Store,
    server: &dyn SharedStore,
    upto: &mut ChangeId,
    own: &OwnChanges,
    action: &Action,
    report: &mut PreferencesReport,
) -> EngineResult<ChangeId> {
    let mut changes = 0;
    loop {
        let delta = server.delta(*upto, ROWS)?;
        let mut memories = Vec::with_capacity(delta.memories.len());
        for memory in delta.memories {
            if !own.outweigh(local, &memory)? {
                memories.push(memory);
            }
        }
        let (received, change) = adopt(local, &memories, action)?;
        report.received += received;
        changes += ChangeId::from(change.is_some());
        note_purged(paths, StoreScope::Global, local, &delta.purged)?;
        let (removed, change) = erase(local, &delta.removed, action.clone())?;
        report.removed += removed;
        changes += ChangeId::from(change.is_some());
        *upto = delta.upto;
        if !delta.more {
            return Ok(changes);
        }
    }
}

/// Returns the number of the last change of a store.
pub(super) fn newest_change(store: &dyn Store) -> EngineResult<ChangeId> {
    let query = ChangeQuery { without_items: true, limit: 1, ..ChangeQuery::default() };
    Ok(store.changes(&query)?.first().map_or(0, |change| change.id))
}

fn changed_after(store: &dyn Store, after: ChangeId) -> EngineResult<OwnChanges> {
    let query = ChangeQuery { after: Some(after), limit: usize::MAX, ..ChangeQuery::default() };
    let changes = store.changes(&query)?;
    let in_changes = |kind: Option<ActionKind>| {
        let changes = changes.iter();
        let of_kind =
            changes.filter(move |change| kind.is_none_or(|kind| change.action.kind == kind));
        of_kind.flat_map(|change| &change.items).map(|item| item.memory)
    };
    let touched: BTreeSet<MemoryId> = in_changes(None).collect();
    let purged = in_changes(Some(ActionKind::Purge)).collect();
    let touched: Vec<MemoryId> = touched.into_iter().collect();
    let changed = store.read(&touched)?.iter().map(|memory| memory.id).collect();
    let gone = touched.into_iter().filter(|id| !BTreeSet::contains(&changed, id)).collect();
    Ok(OwnChanges { changed, gone, purged })
}

/// Makes memories in a store what they are elsewhere. Each machine counts their uses itself. Returns how
/// many changed, and the change in the history.
fn adopt(
    store: &mut dyn Store,
    memories: &[Memory],
    action: &Action,
) -> EngineResult<(usize, Option<ChangeId>)> {
    if memories.is_empty() {
        return Ok((0, None));
    }
    let mut transaction = store.begin(action.clone())?;
    let mut adopted = 0;
    for memory in memories {
        let is_new = match transaction.read(&[memory.id])?.pop() {
            None => take(transaction.as_mut(), memory)? == ImportOutcome::Stored,
            // Written since by another machine, whose version is received next.
            Some(known) if known.updated_at > memory.updated_at => false,
            Some(known) => {
                let after = Memory { usage: known.usage, ..memory.clone() };
                let differs = after != known;
                if differs {
                    transaction.update(&known, &after)?;
                    index(transaction.as_mut(), &after)?;
                }
                differs
            }
        };
        adopted += usize::from(is_new);
    }
    Ok((adopted, transaction.commit()?))
}
