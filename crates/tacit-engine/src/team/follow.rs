//! Keeps this machine's copy of the memories in step with the server.

use serde_json::Value;
use tacit_core::{Memory, MemoryId, Timestamp};
use tacit_store::{
    Action, ActionKind, ChangeId, Delta, MemoryRow, SharedStore, Store, TeamRole, TransferRow,
    TransferTable,
};

use super::state::TeamState;
use super::store::ServerLink;
use crate::engine::{Engine, StorePaths, StoreScope};
use crate::error::EngineResult;
use crate::remember::index_entry;
use crate::semantic::bring_up_to_date;

/// The number of changes fetched at a time.
const CHANGES: usize = 500;
/// The number of rows written at a time.
const ROWS: usize = 500;

/// The result of following the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FollowReport {
    /// The number of memories that were added to the copy or changed in it.
    pub changed: usize,
    /// The number of memories that were removed from the copy.
    pub removed: usize,
    /// The number of session digests that were sent to the server.
    pub digests: usize,
}

impl Engine<'_> {
    /// Brings this machine's copy up to date with the server, vectors and links included, and sends the
    /// server the session digests that it lacks. `progress` receives the number of memories copied so
    /// far. Does nothing outside a team.
    pub fn follow_team(&mut self, progress: &mut dyn FnMut(u64)) -> EngineResult<FollowReport> {
        let (paths, now, actor) = (self.paths.clone(), self.clock.now(), self.actor.clone());
        let (Some(team), Some(mut state)) = (self.team_mut(), paths.team_state()) else {
            return Ok(FollowReport::default());
        };
        let local = team.local.as_mut();
        let server = match &mut team.server {
            ServerLink::Open(server) => server.as_mut(),
            closed => return Err(closed.error().into()),
        };
        let mut report = FollowReport::default();
        copy_models(server, local)?;
        loop {
            let delta = server.delta(state.change, CHANGES)?;
            let action = Action {
                kind: ActionKind::Import,
                at: now,
                actor: actor.clone(),
                reason: None,
                reverts: None,
            };
            apply(local, &delta, action)?;
            report.changed += delta.memories.len();
            report.removed += delta.removed.len();
            state.change = state.change.max(delta.upto);
            // Saved after each page, so that the next process continues where a killed one stopped.
            paths.save_team_state(&state)?;
            progress(report.changed as u64);
            if !delta.more {
                break;
            }
        }
        copy_derived(server, local)?;
        (report.digests, state.digests_upto) = give_digests(server, local, state.digests_upto)?;
        state = TeamState { followed_at: Some(now), failed_at: None, failure: None, ..state };
        paths.save_team_state(&state)?;
        for model in local.models()?.into_iter().filter(|model| model.active) {
            bring_up_to_date(&paths, StoreScope::Project, local, &model.model)?;
        }
        Ok(report)
    }

    /// Applies a delta that a hook has fetched to this machine's copy. Ignores one whose changes another
    /// process has applied already.
    pub fn apply_delta(&mut self, delta: &Delta) -> EngineResult<()> {
        let (paths, action) = (self.paths.clone(), self.action(ActionKind::Import, None));
        let now = self.clock.now();
        let Some(mut state) = paths.team_state().filter(|state| state.change < delta.upto) else {
            return Ok(());
        };
        let Some(team) = self.team_mut() else { return Ok(()) };
        apply(team.local.as_mut(), delta, action)?;
        state = TeamState {
            change: delta.upto,
            followed_at: Some(now),
            failed_at: None,
            failure: None,
            ..state
        };
        paths.save_team_state(&state)
    }
}

impl StorePaths {
    /// Returns true if this project follows a team's server.
    pub fn is_in_team(&self) -> bool {
        self.server.is_some() && self.team_state().is_some()
    }
}

/// Writes a delta into the copy.
fn apply(local: &mut dyn Store, delta: &Delta, action: Action) -> EngineResult<()> {
    for memories in delta.memories.chunks(ROWS) {
        let row = |memory: &Memory| MemoryRow { memory: memory.clone() };
        let rows: Vec<TransferRow> =
            memories.iter().map(|memory| TransferRow::Memory(Box::new(row(memory)))).collect();
        local.put_rows(&rows, &|memory| index_entry(&memory.body))?;
    }
    erase(local, &delta.removed, action).map(drop)
}

/// Removes memories that were purged elsewhere with their history, so that a purge leaves nothing here
/// either. Returns the number of those that were here, and the change in the history.
pub(super) fn erase(
    store: &mut dyn Store,
    ids: &[MemoryId],
    action: Action,
) -> EngineResult<(usize, Option<ChangeId>)> {
    if ids.is_empty() {
        return Ok((0, None));
    }
    let mut transaction = store.begin(action)?;
    let there = transaction.read(ids)?;
    for memory in &there {
        transaction.remove(memory)?;
        transaction.erase_history(&memory.id)?;
    }
    Ok((there.len(), transaction.commit()?))
}

/// Copies the embedding models, the active one included.
fn copy_models(server: &dyn SharedStore, local: &mut dyn Store) -> EngineResult<()> {
    let (here, there) = (local.models()?, server.models()?);
    let is_known = |model: &_| here.iter().any(|known| known.model == *model);
    for state in &there {
        if !is_known(&state.model) {
            local.add_model(&state.model)?;
        }
    }
    let active = there.iter().find(|state| state.active);
    let same =
        here.iter().any(|known| known.active && Some(&known.model) == active.map(|a| &a.model));
    if let Some(active) = active.filter(|_| !same) {
        local.activate_model(&active.model)?;
    }
    Ok(())
}

/// Copies the links and vectors that this machine's copy lacks. They are computed by other machines,
/// some time after the memory is stored, so the server does not have them for every memory.
fn copy_derived(server: &dyn SharedStore, local: &mut dyn Store) -> EngineResult<()> {
    let unlinked: Vec<MemoryId> =
        local.unlinked(usize::MAX)?.into_iter().map(|memory| memory.id).collect();
    copy_rows(server, local, TransferTable::Links, &unlinked)?;
    for state in local.models()?.into_iter().filter(|state| state.active && state.pending > 0) {
        let pending = local.pending(&state.model, usize::MAX)?;
        let pending: Vec<MemoryId> = pending.into_iter().map(|(_, memory)| memory.id).collect();
        copy_rows(server, local, TransferTable::Vectors, &pending)?;
    }
    Ok(())
}

fn copy_rows(
    server: &dyn SharedStore,
    local: &mut dyn Store,
    table: TransferTable,
    ids: &[MemoryId],
) -> EngineResult<()> {
    for ids in ids.chunks(ROWS) {
        local.put_rows(&server.rows_of(table, ids)?, &|memory| index_entry(&memory.body))?;
    }
    Ok(())
}

/// Sends the server the digests of this machine's sessions that are later than `upto`, so that sessions
/// of several people can confirm a lesson. Returns their number and the time of the latest.
///
/// The first prompt and the session's share in the counters stay here: only this machine needs them.
fn give_digests(
    server: &mut dyn SharedStore,
    local: &dyn Store,
    upto: Option<Timestamp>,
) -> EngineResult<(usize, Option<Timestamp>)> {
    if server.membership()?.role < TeamRole::Contributor {
        // The sessions of readers confirm nothing.
        return Ok((0, upto));
    }
    let (mut given, mut last, mut after) = (0, upto, None);
    loop {
        let page = local.transfer_rows(TransferTable::ObservedSessions, after.as_deref(), ROWS)?;
        let mut rows = Vec::new();
        for row in page.rows {
            let TransferRow::ObservedSession(mut observed) = row else { continue };
            if upto.is_none_or(|upto| observed.at > upto) {
                last = last.max(Some(observed.at));
                observed.digest = observed.digest.as_deref().and_then(without_prompt);
                observed.usage = None;
                rows.push(TransferRow::ObservedSession(observed));
            }
        }
        if !rows.is_empty() {
            server.put_rows(&rows, &|memory| index_entry(&memory.body))?;
            given += rows.len();
        }
        after = page.next;
        if after.is_none() {
            return Ok((given, last));
        }
    }
}

/// Returns a digest without the prompt that began the session; `None` if it cannot be read.
fn without_prompt(digest: &str) -> Option<String> {
    let mut digest: Value = serde_json::from_str(digest).ok()?;
    if let Some(task) = digest.get_mut("task") {
        *task = Value::from("");
    }
    Some(digest.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_prompt_stays_on_this_machine() {
        let digest = r#"{"session":"s","task":"fix the login of our customer","validated":true}"#;
        let sent = without_prompt(digest).expect("a digest");
        let sent: Value = serde_json::from_str(&sent).expect("JSON");
        assert_eq!(sent, serde_json::json!({"session": "s", "task": "", "validated": true}));
        assert_eq!(without_prompt("half of {"), None);
    }
}
