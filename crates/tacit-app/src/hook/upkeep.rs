//! Work that a hook leaves to `tacit maintain`, and what it settles itself because the session that
//! starts continues it.

use std::path::PathBuf;

use tacit_core::{EventKind, EventName, Timestamp};
use tacit_engine::{Engine, RunReport, StoreScope};

use super::Hook;
use crate::files::{FileSyncState, FollowedLayout};
use crate::project::Project;

/// The number of sessions after which maintenance is due.
const MANY_SESSIONS: usize = 20;
const MILLIS_PER_DAY: i64 = 24 * 60 * 60 * 1_000;

impl Hook<'_> {
    /// Stores the state in which the last session left its work, if `tacit maintain` has not done so
    /// yet: the session that starts continues it. The rest is left to `tacit maintain`.
    pub(super) fn settle_earlier_work(&self, engine: &mut Engine<'_>) {
        if self.event.name() != EventName::SessionStarted || self.config().capture_paused {
            return;
        }
        let settled = engine
            .flush_events()
            .and_then(|()| engine.capture_recent_work_state(&self.event.session));
        let left = settled
            .and_then(|is_done| Ok(!is_done || engine.has_left_sessions(&self.event.session)?));
        match left {
            Ok(is_left) => self.work_is_left.set(is_left),
            // In a team, hooks do not write to the server.
            Err(error) if error.is_busy() => self.work_is_left.set(true),
            Err(error) => self.log(&format!("the state of earlier work: {error}")),
        }
    }

    /// Returns the directory to maintain: at the end of a session, when earlier sessions are still to
    /// be read, when files that memories follow have changed, with the first session or prompt of a
    /// day, and after many sessions.
    pub(super) fn maintain_in(&self) -> Option<PathBuf> {
        let ends = matches!(self.event.kind, EventKind::SessionEnded { .. });
        let is_left = self.work_is_left.get() || self.events_are_left.get();
        let is_left = is_left || self.many_sessions.get() || self.team_is_behind.get();
        let is_due = ends || is_left || self.is_new_day() || self.files_changed();
        let is_due = is_due && self.config().maintain_auto;
        is_due.then(|| self.project.worktree.clone())
    }

    /// Returns true if maintenance has not run today.
    fn is_new_day(&self) -> bool {
        let day = |at: Timestamp| at.as_millis().div_euclid(MILLIS_PER_DAY);
        let last = || self.project.places.last_run(StoreScope::Project);
        let is_new = |run: RunReport| day(run.started_at) < day(self.now);
        matches!(self.event.name(), EventName::SessionStarted | EventName::PromptSubmitted)
            && last().is_none_or(is_new)
    }

    /// Notes whether many sessions have started since maintenance last ran.
    pub(super) fn count_sessions(&self, engine: &Engine<'_>) {
        if self.event.name() != EventName::SessionStarted {
            return;
        }
        let last = self.project.places.last_run(StoreScope::Project).map(|run| run.started_at);
        let store = engine.store(StoreScope::Project);
        let latest = store.and_then(|store| store.latest_sessions(MANY_SESSIONS).ok());
        let is_new = |started: Timestamp| last.is_none_or(|last| started > last);
        let many = latest.unwrap_or_default();
        let many = many.iter().filter(|(session, _)| is_new(session.started_at)).count();
        self.many_sessions.set(many >= MANY_SESSIONS);
    }

    /// Returns true if records, decision files or rules were pulled, edited or committed. Compares only
    /// names and times, and the commit.
    fn files_changed(&self) -> bool {
        let relevant = [EventName::SessionStarted, EventName::PromptSubmitted];
        if !relevant.contains(&self.event.name()) {
            return false;
        }
        let Project { places, worktree, repository, .. } = &self.project;
        let head = || repository.as_ref().map(|found| found.head_mark()).unwrap_or_default();
        let layout = FollowedLayout::of(worktree, self.config());
        !FileSyncState::of(&places.project, worktree).is_unchanged(&layout, head)
    }
}
