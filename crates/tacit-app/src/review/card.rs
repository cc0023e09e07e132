//! Everything that a person needs to judge a memory.

use tacit_core::log::{LogKind, LogRecord};
use tacit_core::{Details, Memory};
use tacit_engine::{Engine, EngineResult, StoreScope, StoredMemory};
use tacit_store::EventQuery;

use super::queue::ReviewItem;

/// The most reports of phases that are searched.
const PHASES: usize = 100;
/// The most other memories on a card.
const OTHERS: usize = 5;

/// A memory of the queue with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewCard {
    /// The memory, and why it waits.
    pub item: ReviewItem,
    /// The reason in words.
    pub why: String,
    /// Details beyond the reason.
    pub detail: Option<String>,
    /// The phase of work in which it was learnt, in the methodology's terms.
    pub phase: Option<String>,
    /// The evidence for the memory.
    pub evidence: MemoryEvidence,
    /// The memories that it contradicts or may replace.
    pub others: Vec<StoredMemory>,
}

/// The evidence for a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryEvidence {
    /// The commands that failed, and those that helped.
    pub commands: Vec<String>,
    /// The line of the output that states the error.
    pub error: Option<String>,
    /// The lines that were removed (`-`) and added (`+`).
    pub changes: Vec<String>,
    /// The commit that produced it.
    pub commit: Option<String>,
    /// The reasoning, which quotes what a person or an agent said.
    pub reasoning: Option<String>,
}

/// Gathers what a person needs to judge a memory.
pub fn card(engine: &Engine<'_>, item: ReviewItem) -> EngineResult<ReviewCard> {
    let memory = &item.found.memory;
    let (why, detail) = (item.why(engine)?, item.detail(engine)?);
    let phase = phase(engine, memory)?;
    let ids = item.reason.others().iter().take(OTHERS);
    // One that was purged since is left out.
    let others = ids.filter_map(|id| engine.find(&id.to_string()).ok()).collect();
    let evidence = MemoryEvidence::of(memory);
    Ok(ReviewCard { item, why, detail, phase, evidence, others })
}

impl MemoryEvidence {
    /// Reads the evidence from the fields of a memory.
    pub fn of(memory: &Memory) -> MemoryEvidence {
        let body = &memory.body;
        let mut evidence = MemoryEvidence {
            commit: body.origin.commit.as_ref().map(ToString::to_string),
            reasoning: body.reasoning.as_ref().map(ToString::to_string),
            ..MemoryEvidence::default()
        };
        match body.subject.details() {
            Details::ErrorPattern(pattern) => {
                let Some(fix) = &pattern.fix else { return evidence };
                evidence.commands.push(fix.failing_command.clone());
                evidence.commands.extend(fix.resolution.commands.iter().cloned());
                evidence.error = Some(fix.error.clone());
                for change in &fix.resolution.changes {
                    evidence.changes.extend(change.removed.iter().map(|line| format!("- {line}")));
                    evidence.changes.extend(change.added.iter().map(|line| format!("+ {line}")));
                }
            }
            Details::DeadEnd(given_up) => evidence.error = Some(given_up.why_it_failed.clone()),
            _ => {}
        }
        evidence
    }
}

/// Returns the phase that was declared in the memory's session when the memory was learnt.
fn phase(engine: &Engine<'_>, memory: &Memory) -> EngineResult<Option<String>> {
    let session = memory.body.origin.sessions.iter().next();
    let (Some(session), Some(_)) = (session, engine.store(StoreScope::Project)) else {
        return Ok(None);
    };
    let query = EventQuery {
        session: Some(session.clone()),
        kinds: vec![LogKind::Phase],
        limit: PHASES,
        ..EventQuery::default()
    };
    let reports = engine.events(&query)?;
    let last = reports.into_iter().find(|report| report.at <= memory.created_at);
    Ok(last.and_then(|report| match report.record {
        LogRecord::Phase(report) => report.phase.map(|phase| phase.own),
        _ => None,
    }))
}
