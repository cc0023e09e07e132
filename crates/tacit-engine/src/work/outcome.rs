//! What came of a unit of work, with the numbers from the log of its sessions.

use serde_json::{Map, Value};
use tacit_core::log::{LogKind, NoteRecord, UnitStatus};
use tacit_core::{
    BuiltinType, Draft, Scope, SessionId, Source, Timestamp, TokensFrom, WorkUnitOutcome,
};
use tacit_observer::estimated_tokens;
use tacit_store::EventQuery;
use tacit_work::Completed;

use super::consolidate::Consolidated;
use super::sessions::place;
use super::trail::Trail;
use super::{Report, Reporter, Said, WorkReport, contains};
use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::observe::entries;
use crate::remember::{Remembered, Request};

/// The most files, decisions and bytes of a decision that an outcome keeps.
const MOST_FILES: usize = 64;
const MOST_DECISIONS: usize = 20;
const LONGEST_DECISION: usize = 300;
/// Who put an outcome into words.
pub(crate) const GENERATOR: &str = "rules";

/// What finishing a unit of work left behind.
#[derive(Debug)]
pub struct Finished {
    /// The session the report was written to.
    pub session: SessionId,
    /// What is remembered of the unit.
    pub outcome: Remembered,
    /// Failures that QA had found and that are remembered now that the work succeeded.
    pub reflexions: Vec<Remembered>,
    /// What the units inside it taught together, if there were enough of them.
    pub consolidated: Consolidated,
    /// The phase that follows, if the methodology names one.
    pub next_phase: Option<String>,
}

impl Engine<'_> {
    /// Writes that a unit of work succeeded or failed, and remembers what came of it.
    pub fn finish_work(&mut self, by: &Reporter, report: &WorkReport) -> EngineResult<Finished> {
        report.check()?;
        let before = self.reports_of(report)?;
        let outcome = self.outcome(by, report, &before)?;
        // The report comes after, so that whoever is interrupted can do it again and loses nothing.
        let outcome = self.remember(Shelf::Project, Request { draft: outcome, reason: None })?;
        let session = self.report_work(by, report)?;
        let succeeded = report.status == UnitStatus::Succeeded;
        let (reflexions, consolidated) = if succeeded {
            (self.promote_reflexions(&report.unit)?, self.consolidate(&report.unit)?)
        } else {
            (Vec::new(), Consolidated::default())
        };
        let next = self.methodology().completion().next_phase.clone().filter(|_| succeeded);
        if let Some((own, universal)) = &next {
            self.report_phase(by, Some((own, *universal)))?;
        }
        let next_phase = next.map(|(own, _)| own);
        Ok(Finished { session, outcome, reflexions, consolidated, next_phase })
    }

    /// What was reported of this very unit before, the newest first.
    fn reports_of(&self, report: &WorkReport) -> EngineResult<Vec<Report>> {
        let query = EventQuery {
            kinds: vec![LogKind::WorkUnit],
            limit: super::LOOKED_AT,
            ..EventQuery::default()
        };
        let reports = self.events(&query)?.into_iter().filter_map(Report::read);
        let same = |said: &Said| matches!(said, Said::Unit { unit, .. } if unit.hierarchy() == report.unit.hierarchy() && unit.methodology() == report.unit.methodology());
        Ok(reports.filter(|before| same(&before.said)).collect())
    }

    /// When the first unit inside another was started.
    fn first_inside(&self, report: &WorkReport) -> EngineResult<Option<Timestamp>> {
        let query = EventQuery {
            kinds: vec![LogKind::WorkUnit],
            limit: super::LOOKED_AT,
            ..EventQuery::default()
        };
        let reports = self.events(&query)?.into_iter().filter_map(Report::read);
        let inside = |said: &Said| matches!(said, Said::Unit { unit, .. } if contains(&report.unit, unit) && unit.hierarchy() != report.unit.hierarchy());
        Ok(reports.filter(|before| inside(&before.said)).map(|before| before.at).min())
    }

    fn outcome(
        &self,
        by: &Reporter,
        report: &WorkReport,
        before: &[Report],
    ) -> EngineResult<Draft> {
        let status = |report: &Report| match report.said {
            Said::Unit { status, .. } => Some(status),
            Said::Phase(_) => None,
        };
        let begun: Vec<&Report> = before
            .iter()
            .take_while(|report| status(report) == Some(UnitStatus::Started))
            .collect();
        let since = match begun.last() {
            Some(first) => Some(first.at),
            // It began with the first unit inside it.
            None => self.first_inside(report)?,
        };
        let branch =
            begun.last().and_then(|first| first.branch.clone()).or_else(|| by.here.branch.clone());
        let mut events = Vec::new();
        let mut sessions = Vec::new();
        let mut decisions = report.decisions.clone();
        for session in self.sessions_since(since)? {
            let notes = self.notes_of(&session)?;
            let there = place(&notes).branch;
            let reported = begun.iter().any(|report| report.session == session);
            // Without a beginning, only what is known to belong to it is counted.
            let here = match (&there, &branch) {
                // On a branch that names no work, everything is done.
                (Some(there), Some(branch)) => {
                    let named = self.methodology().infer(Some(branch), None).is_some();
                    there == branch && (since.is_some() || named)
                }
                _ => since.is_some(),
            };
            if !(here || reported || by.here.session.as_ref() == Some(&session)) {
                continue;
            }
            for note in notes.iter().rev().filter(|note| since.is_none_or(|s| note.at >= s)) {
                if let NoteRecord::Agent(agent) = &note.record
                    && agent.memory_type == BuiltinType::Decision.into()
                {
                    decisions.push(note.text.clone());
                }
            }
            events.extend(self.history_of(&session, since)?);
            sessions.push(session);
        }
        let trail = Trail::of(&events);
        let mut files = report.files.clone();
        files.extend(trail.files);
        files.sort();
        files.dedup();
        files.truncate(MOST_FILES);
        for decision in &mut decisions {
            decision.truncate(decision.floor_char_boundary(LONGEST_DECISION));
        }
        decisions.truncate(MOST_DECISIONS);
        let tokens = match self.reported_tokens(&sessions)? {
            Some(tokens) => Some((tokens, TokensFrom::Reported)),
            None => {
                let estimated = estimated_tokens(&entries(events.into_iter().rev().collect()));
                (estimated > 0).then_some((estimated, TokensFrom::Estimated))
            }
        };
        let succeeded = report.status == UnitStatus::Succeeded;
        let failures = before.iter().filter(|r| status(r) == Some(UnitStatus::Failed)).count();
        let outcome = WorkUnitOutcome {
            succeeded,
            files_modified: files.clone(),
            key_decisions: decisions,
            steps_taken: trail.steps,
            context_tokens_used: tokens.map(|(tokens, _)| tokens),
            context_tokens_from: tokens.map(|(_, from)| from),
            retry_count: u32::try_from(failures).unwrap_or(u32::MAX),
            failure_reason: report.summary.clone().filter(|_| !succeeded),
        };
        let methodology = self.methodology();
        let state: Map<String, Value> = methodology.extract_work_state(&trail.output);
        let completed = Completed { unit: &report.unit, outcome: &outcome, state: &state };
        let mut content = methodology.tell_outcome(&completed);
        if let Some(summary) = report.summary.as_deref().filter(|_| succeeded) {
            content = format!("{content} {summary}");
        }
        Ok(Draft {
            content,
            kind: Some(BuiltinType::WorkUnitOutcome.to_string()),
            details: Some(serde_json::to_value(&outcome)?),
            scope: Some(Scope::WorkUnit.to_string()),
            work_unit: Some(report.unit.clone()),
            tags: methodology.completion().tags.clone(),
            related_files: files.iter().map(ToString::to_string).collect(),
            session: sessions.last().map(ToString::to_string),
            source: Some(Source::ObserverInferred.to_string()),
            generator: Some(GENERATOR.into()),
            ..Draft::default()
        })
    }
}
