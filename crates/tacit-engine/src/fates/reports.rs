//! Reports about memories that are not in the log of client events: flags, verdicts of agents, and
//! memories that replaced others.

use tacit_core::log::{LogKind, LogRecord, MemoryVerdict};
use tacit_core::{Memory, MemoryId, RelationKind, RelationTarget, SessionId, Timestamp};
use tacit_observer::fates::{MemoryReport, ReportKind};
use tacit_store::{ActionKind, Change, ChangeQuery, EventQuery, Filter, ListOrder};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

/// The changes of a memory in which a flag is looked for.
const CHANGES: usize = 100;
/// The newest changes of a store in which flags are looked for.
const NEWEST: usize = 300;
/// The days in which a flag is looked for.
const DAYS: f64 = 3.0;
/// The most verdicts of a session, and the most memories that were learnt from one.
const VERDICTS: usize = 200;
const LEARNT: usize = 500;

impl Engine<'_> {
    /// Returns what was reported about memories that a session was shown.
    pub(super) fn reports_about<'m>(
        &self,
        session: &SessionId,
        memories: impl Iterator<Item = &'m Memory>,
    ) -> EngineResult<Vec<MemoryReport>> {
        let ids: Vec<MemoryId> = memories.map(|memory| memory.id).collect();
        let mut reports = Vec::new();
        for id in &ids {
            let query = ChangeQuery { memory: Some(*id), limit: CHANGES, ..ChangeQuery::default() };
            for scope in [StoreScope::Project, StoreScope::Global] {
                if self.store(scope).is_none() {
                    continue;
                }
                let changes = self.history(scope, &query)?;
                reports.extend(changes.iter().filter_map(|change| flag(change, *id)));
            }
        }
        let verdicts = EventQuery {
            session: Some(session.clone()),
            kinds: vec![LogKind::Feedback],
            limit: VERDICTS,
            ..EventQuery::default()
        };
        for event in self.events(&verdicts)? {
            let LogRecord::Feedback(feedback) = &event.record else { continue };
            if feedback.verdict == MemoryVerdict::Used && ids.contains(&feedback.memory) {
                let why = "the agent reported that it helped".to_owned();
                let (memory, at, kind) = (feedback.memory, event.at, ReportKind::Used);
                reports.push(MemoryReport { memory, at, kind, why });
            }
        }
        reports.extend(self.replaced_in(session, &ids)?);
        reports.sort_by_key(|report| (report.at, report.memory));
        Ok(reports)
    }

    /// Returns the memories that one learnt in this session replaced.
    fn replaced_in(
        &self,
        session: &SessionId,
        ids: &[MemoryId],
    ) -> EngineResult<Vec<MemoryReport>> {
        let filter = Filter { sessions: vec![session.clone()], ..Filter::default() };
        let mut reports = Vec::new();
        if ids.is_empty() {
            return Ok(reports);
        }
        for found in self.list(None, &filter, ListOrder::Oldest, LEARNT, 0)? {
            let memory = found.memory;
            let is_first = memory.body.origin.sessions.iter().next() == Some(session);
            // A proposed relation waits for a person.
            let stated = memory.body.relations.iter().filter(|relation| {
                relation.kind == RelationKind::Supersedes && !relation.auto_extracted
            });
            for relation in stated.filter(|_| is_first) {
                let RelationTarget::Memory(old) = &relation.target else { continue };
                if ids.contains(old) {
                    let why = format!("{} replaced it in this session", memory.id.short());
                    let (at, kind) = (memory.created_at, ReportKind::Superseded);
                    reports.push(MemoryReport { memory: *old, at, kind, why });
                }
            }
        }
        Ok(reports)
    }

    /// Returns the memories that were flagged in the last days, with the time.
    pub(super) fn recent_flags(&self) -> EngineResult<Vec<(MemoryId, Timestamp)>> {
        let since = self.clock.now().plus_days(-DAYS);
        let mut flags = Vec::new();
        for scope in [StoreScope::Project, StoreScope::Global] {
            if self.store(scope).is_none() {
                continue;
            }
            let newest = ChangeQuery { limit: NEWEST, ..ChangeQuery::default() };
            for change in self.history(scope, &newest)? {
                if change.action.at < since {
                    break;
                }
                let ids = change.items.iter().map(|item| item.memory);
                flags.extend(ids.filter_map(|id| Some((id, flag(&change, id)?.at))));
            }
        }
        Ok(flags)
    }
}

/// Returns the flag that a change puts on a memory. A flag that was undone is none, and neither is
/// what Tacit concluded.
fn flag(change: &Change, id: MemoryId) -> Option<MemoryReport> {
    let is_edit = change.action.kind == ActionKind::Edit && change.reverted_by.is_none();
    let after = change.items.iter().find(|item| item.memory == id)?.after.as_ref()?;
    let is_reported = after.get("stale_kind").and_then(|kind| kind.as_str()) == Some("reported");
    (is_edit && is_reported).then(|| MemoryReport {
        memory: id,
        at: change.action.at,
        kind: ReportKind::Flagged,
        why: change.action.reason.as_ref().map_or_else(|| "flagged".into(), ToString::to_string),
    })
}
