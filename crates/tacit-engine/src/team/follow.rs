//! Keeps this machine's copy of the memories in step with the server.

use serde_json::Value;
use tacit_core::{Memory, MemoryId, Timestamp};
use tacit_store::{
    Action, ChangeId, CopyOrigin, CopyStore, Delta, IndexEntry, SharedStore, Store, TeamRole,
    TransferRow, TransferTable,
};

use super::store::ServerLink;
use crate::engine::{Engine, ProjectStore, StorePaths, StoreScope};
use crate::error::EngineResult;
use crate::purge::note_purged;
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
        let (paths, now) = (self.paths.clone(), self.clock.now());
        let (Some(team), Some(state)) = (self.team_mut(), paths.read_team_state()?) else {
            return Ok(FollowReport::default());
        };
        let local = team.local.as_mut();
        let server = match &mut team.server {
            ServerLink::Open(server) => server.as_mut(),
            closed => return Err(closed.error().into()),
        };
        let mut report = FollowReport::default();
        copy_models(server, local)?;
        copy_memories(&paths, server, local, &state.origin(), &mut report, progress)?;
        // Before what this machine's sessions say of purged memories goes to the server.
        self.resume_purges();
        let Some(team) = self.team_mut() else { return Ok(report) };
        let local = team.local.as_mut();
        let ServerLink::Open(server) = &mut team.server else { return Ok(report) };
        let server = server.as_mut();
        copy_derived(server, local)?;
        let digests_upto;
        (report.digests, digests_upto) = give_digests(server, local, state.digests_upto)?;
        paths.update_team_state(|state| {
            state.digests_upto = digests_upto;
            state.note_answer(now);
        })?;
        for model in local.models()?.into_iter().filter(|model| model.active) {
            bring_up_to_date(&paths, StoreScope::Project, local, &model.model)?;
        }
        Ok(report)
    }

    /// Returns the last change on the server that this machine's copy includes; `None` outside a team, and if
    /// the copy has to be filled first.
    pub fn copied_upto(&self) -> EngineResult<Option<ChangeId>> {
        let (Some(ProjectStore::Team(team)), Some(state)) =
            (&self.project, self.paths.team_state())
        else {
            return Ok(None);
        };
        Ok(team.local.copied_upto(&state.origin())?)
    }

    /// Applies what changed after a change, which a hook has fetched, to this machine's copy. Returns false if
    /// the copy has to be brought up to date by [`Engine::follow_team`].
    pub fn apply_delta(&mut self, after: ChangeId, delta: &Delta) -> EngineResult<bool> {
        let (paths, now) = (self.paths.clone(), self.clock.now());
        let Some(state) = paths.read_team_state()? else { return Ok(true) };
        let Some(team) = self.team_mut() else { return Ok(true) };
        let is_news = delta.upto != after;
        note_purged(&paths, StoreScope::Project, team.local.as_ref(), &delta.purged)?;
        let applied = !is_news || team.local.apply(&state.origin(), after, delta, &entry)?;
        paths.update_team_state(|state| state.note_answer(now))?;
        Ok(applied && !delta.more)
    }
}

/// Returns the entry of a memory in the text index.
fn entry(memory: &Memory) -> IndexEntry {
    index_entry(&memory.body)
}

/// Copies the memories that changed on the server since the copy last followed; all of them if it does not
/// know, or if the server has lost changes that the copy has.
fn copy_memories(
    paths: &StorePaths,
    server: &dyn SharedStore,
    local: &mut dyn CopyStore,
    origin: &CopyOrigin,
    report: &mut FollowReport,
    progress: &mut dyn FnMut(u64),
) -> EngineResult<()> {
    while let Some(after) = local.copied_upto(origin)? {
        let delta = server.delta(after, CHANGES)?;
        if delta.upto < after {
            break;
        }
        note_purged(paths, StoreScope::Project, local, &delta.purged)?;
        if local.apply(origin, after, &delta, &entry)? {
            report.changed += delta.memories.len();
            report.removed += delta.removed.len();
            progress(report.changed as u64);
        }
        if !delta.more {
            return Ok(());
        }
    }
    let here: Vec<MemoryId> = ids_of(local)?;
    for ids in here.chunks(ROWS) {
        note_purged(paths, StoreScope::Project, local, &server.purged(ids)?)?;
    }
    let mut copied = 0;
    let mut next = |after| {
        let delta = server.delta(after, CHANGES)?;
        copied += delta.memories.len();
        progress(copied as u64);
        Ok(delta)
    };
    local.refill(origin, &mut next, &entry)?;
    report.changed = copied;
    Ok(())
}

fn ids_of(store: &dyn Store) -> EngineResult<Vec<MemoryId>> {
    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let page = store.transfer_rows(TransferTable::Memories, after.as_deref(), ROWS)?;
        ids.extend(page.rows.iter().filter_map(|row| match row {
            TransferRow::Memory(row) => Some(row.memory.id),
            _ => None,
        }));
        after = page.next;
        if after.is_none() {
            return Ok(ids);
        }
    }
}

/// Removes memories that are gone elsewhere, with their history. What quotes those that were purged is removed
/// by [`Engine::resume_purges`]. Returns the number of those that were here, and the change in the history.
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
