//! Completion of units of work: the outcome, and lessons from the units inside.

use tacit_core::log::{LogKind, NoteRecord, UnitStatus, WorkUnitRecord};
use tacit_core::{BuiltinType, Draft, SessionId, TokensFrom, WorkUnitRef};
use tacit_observer::estimate_tokens;
use tacit_store::{Filter, ListOrder, WorkUnitFilter};
use tacit_work::{FinishedUnit, SessionActivity, UnitHistory, WorkReport, consolidate};

use super::{EVENTS, Reporter, checkout};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::generation::GenerationPurpose;
use crate::observe::entries;
use crate::remember::{RememberRequest, RememberResult};

/// The most outcomes of inner units that are compared.
const OUTCOMES: usize = 1_000;

/// The results of finishing a unit of work.
#[derive(Debug)]
pub struct FinishedWork {
    /// The session of the report.
    pub session: SessionId,
    /// The memory of the outcome.
    pub outcome: RememberResult,
    /// QA failures that are remembered because the work succeeded.
    pub reflexions: Vec<RememberResult>,
    /// The lessons of the inner units.
    pub consolidated: Consolidation,
    /// The next phase, if the methodology defines one.
    pub next_phase: Option<String>,
}

/// The lessons of several units together.
#[derive(Debug, Default)]
pub struct Consolidation {
    /// The number of units.
    pub units: usize,
    /// The lessons; empty if there are too few units, some failed, or it was done before.
    pub insights: Vec<RememberResult>,
}

impl Engine<'_> {
    /// Reports that a unit of work succeeded or failed, and remembers the outcome.
    pub fn finish_work(
        &mut self,
        by: &Reporter,
        report: &WorkUnitRecord,
    ) -> EngineResult<FinishedWork> {
        WorkReport::check(report)?;
        let draft = self.outcome(by, report)?;
        // The report comes last, so that an interrupted command can be repeated without loss.
        let outcome =
            self.remember(StoreScope::Project, RememberRequest { draft, reason: None })?;
        let session = self.report_work(by, report)?;
        let mut finished = FinishedWork {
            session,
            outcome,
            reflexions: Vec::new(),
            consolidated: Consolidation::default(),
            next_phase: None,
        };
        if report.status == UnitStatus::Succeeded {
            finished.reflexions = self.promote_reflexions(&report.work_unit)?;
            finished.consolidated = self.consolidate(&report.work_unit)?;
            if let Some((own, universal)) = self.methodology().completion().next_phase.clone() {
                self.report_phase(by, Some((&own, universal)))?;
                finished.next_phase = Some(own);
            }
        }
        Ok(finished)
    }

    /// Builds the outcome from the sessions of a unit.
    fn outcome(&self, by: &Reporter, report: &WorkUnitRecord) -> EngineResult<Draft> {
        let reports = self.work_reports(LogKind::WorkUnit)?;
        let history =
            UnitHistory::from_reports(&report.work_unit, &reports, by.here.branch.as_deref());
        let since = history.since;
        let methodology = self.methodology();
        let (mut events, mut sessions, mut noted_decisions) = (Vec::new(), Vec::new(), Vec::new());
        for session in self.sessions_since(since)? {
            let notes = self.notes_of(&session)?;
            let there = checkout(&notes).branch;
            let own = by.here.session.as_ref() == Some(&session);
            if !own && !history.includes(&session, there.as_deref(), methodology) {
                continue;
            }
            let late = notes.iter().rev().filter(|note| since.is_none_or(|since| note.at >= since));
            noted_decisions.extend(late.filter_map(|note| match &note.record {
                NoteRecord::Agent(body) => {
                    (body.memory_type == BuiltinType::Decision.into()).then(|| note.text.clone())
                }
                _ => None,
            }));
            events.extend(self.history_of(&session, since, EVENTS)?);
            sessions.push(session);
        }
        let activity = SessionActivity::from_log(events.iter().map(|event| &event.record));
        let tokens = match self.reported_tokens(&sessions)? {
            Some(tokens) => Some((tokens, TokensFrom::Reported)),
            None => {
                let estimated = estimate_tokens(&entries(events.into_iter().rev().collect()));
                (estimated > 0).then_some((estimated, TokensFrom::Estimated))
            }
        };
        let session = sessions.pop();
        Ok(methodology.outcome(FinishedUnit {
            report,
            history,
            activity,
            noted_decisions,
            tokens,
            session,
        }))
    }

    /// Learns from the units inside a finished one. Each unit is consolidated once.
    fn consolidate(&mut self, unit: &WorkUnitRef) -> EngineResult<Consolidation> {
        let filter = Filter {
            types: vec![BuiltinType::WorkUnitOutcome.into()],
            work_unit: Some(WorkUnitFilter {
                methodology: Some(unit.methodology().to_owned()),
                hierarchy: unit.hierarchy().to_vec(),
            }),
            ..Filter::default()
        };
        let found =
            self.list(Some(StoreScope::Project), &filter, ListOrder::Changed, OUTCOMES, 0)?;
        let parts = consolidate::parts(unit, found.iter().map(|found| &found.memory));
        let units = parts.len();
        if !consolidate::is_due(&parts) {
            return Ok(Consolidation { units, insights: Vec::new() });
        }
        let question = consolidate::question(&parts);
        let written =
            self.generate_answer(GenerationPurpose::Consolidation, &question, consolidate::read);
        let drafts = consolidate::drafts(unit, &parts, written);
        let path = unit.hierarchy().join("/");
        let name = format!("consolidate {} {path} {units}", unit.methodology());
        Ok(Consolidation { units, insights: self.remember_once(&name, drafts)? })
    }
}
