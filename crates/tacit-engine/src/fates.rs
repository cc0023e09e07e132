//! The fates of injections: what followed from showing memories to agents, once a session is over.
//!
//! `tacit_observer::fates` judges; this gathers the log of a session, the memories that it was shown
//! and the reports about them, and stores the result. Judging again gives the same fates, as long as
//! the log is there; fates outlive it.

mod reports;
mod uses;

use std::collections::{BTreeMap, BTreeSet};

use tacit_core::{Memory, MemoryId, SessionId};
use tacit_observer::application::AppTools;
use tacit_observer::fates::{SessionEvidence, ShownMemory, judge};
use tacit_store::{Injection, InjectionFate, InjectionQuery, JudgedFate, Session};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::observe::{SILENT_DAYS, task_definitions};
use crate::session_ends::is_left;

/// The most sessions per run.
const SESSIONS: usize = 200;
/// The most injections of a session that are judged.
const INJECTIONS: usize = 2_000;

impl Engine<'_> {
    /// Judges the injections of every session that is over and was not judged since its last activity,
    /// and of those in which a memory was shown that was flagged since. Returns their number.
    pub fn judge_pending(&mut self) -> EngineResult<usize> {
        let now = self.clock.now();
        let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
        let mut sessions = store.sessions_to_judge(now.plus_days(-SILENT_DAYS), SESSIONS)?;
        let starts = self.recent_starts()?;
        let mut add = |session: Session| {
            if !sessions.iter().any(|known| known.id == session.id) {
                sessions.push(session);
            }
        };
        for session in store.sessions_to_judge(now, SESSIONS)? {
            if is_left(&session, now, &starts) {
                add(session);
            }
        }
        for id in self.sessions_with_new_reports()? {
            if let Some(session) = store.session(&id)? {
                add(session);
            }
        }
        let mut judged = 0;
        for session in &sessions {
            judged += self.judge_session(session)?;
        }
        self.count_memory_uses()?;
        Ok(judged)
    }

    /// Judges the injections of a session. Returns the number of those that have a fate.
    fn judge_session(&mut self, session: &Session) -> EngineResult<usize> {
        let query = InjectionQuery {
            session: Some(session.id.clone()),
            limit: INJECTIONS,
            ..InjectionQuery::default()
        };
        let mut shown = self.injections(&query)?;
        shown.retain(|injection| injection.memory.is_some() && !injection.withheld);
        shown.reverse();
        let log = self.log_of(&session.id)?;
        let memories = self.shown_memories(&shown)?;
        let known: BTreeSet<&str> = log.iter().map(|entry| entry.id.as_str()).collect();
        let is_in_log = |one: &&Injection| known.contains(one.event.as_str());
        let judged: Vec<(&Injection, &Memory)> = shown
            .iter()
            .filter(is_in_log)
            .filter_map(|one| Some((one, memories.get(&one.memory?)?)))
            .collect();
        let reports = self.reports_about(&session.id, memories.values())?;
        let views: Vec<ShownMemory<'_>> = judged
            .iter()
            .map(|(one, memory)| ShownMemory {
                event: &one.event,
                layer: &one.layer,
                agent: one.agent.as_deref(),
                at: one.at,
                memory,
            })
            .collect();
        let tasks = task_definitions(&self.paths.root);
        let app_tools = AppTools::from_setting(&self.config.capture_app_tools);
        let evidence =
            SessionEvidence { log: &log, tasks: &tasks, app_tools: &app_tools, reports: &reports };
        let found = judge(&evidence, &views);
        let fates = judged.iter().zip(found).filter_map(|((one, _), judgement)| {
            let judgement = judgement?;
            let judged = JudgedFate { fate: judgement.fate, why: judgement.why };
            let (event, text) = (one.event.clone(), one.text.clone());
            Some(InjectionFate { event, memory: one.memory, text, judged })
        });
        let fates: Vec<InjectionFate> = fates.collect();
        let mut events: Vec<String> = judged.iter().map(|(one, _)| one.event.clone()).collect();
        events.dedup();
        let store = self.store_mut(StoreScope::Project)?;
        store.save_judgement(&session.id, session.last_at, &events, &fates)?;
        Ok(fates.len())
    }

    /// Reads the memories of injections from both stores. Purged ones are left out.
    fn shown_memories(&self, shown: &[Injection]) -> EngineResult<BTreeMap<MemoryId, Memory>> {
        let mut ids: Vec<MemoryId> = shown.iter().filter_map(|one| one.memory).collect();
        ids.sort();
        ids.dedup();
        let mut memories = BTreeMap::new();
        for scope in [StoreScope::Project, StoreScope::Global] {
            let Some(store) = self.store(scope) else { continue };
            memories.extend(store.read(&ids)?.into_iter().map(|memory| (memory.id, memory)));
        }
        Ok(memories)
    }

    /// Returns the sessions that were shown a memory before it was flagged.
    fn sessions_with_new_reports(&self) -> EngineResult<BTreeSet<SessionId>> {
        let mut sessions = BTreeSet::new();
        for (memory, at) in self.recent_flags()? {
            let query = InjectionQuery {
                memory: Some(memory),
                since: Some(at.plus_days(-tacit_observer::fates::FLAG_HOURS / 24.0)),
                limit: INJECTIONS,
                ..InjectionQuery::default()
            };
            let shown = self.injections(&query)?.into_iter();
            let is_open = |one: &Injection| {
                let is_flagged = one
                    .fate
                    .as_ref()
                    .is_some_and(|judged| judged.fate == tacit_core::Fate::Flagged);
                !one.withheld && one.at <= at && !is_flagged
            };
            sessions.extend(shown.filter(is_open).map(|one| one.session));
        }
        Ok(sessions)
    }
}
