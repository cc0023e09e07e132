//! `tacit report`: what memories were shown, what came of it, and what it cost.
//!
//! `gather.rs` reads the store; everything else here is pure, so that a report can be computed again
//! from the same rows and every door shows the same numbers. Nothing but the log of sessions, their
//! injections and the memories themselves is used, and no figure that the observer derived.

pub mod errors;
mod gather;
pub mod holdout;
pub mod injections;
pub mod memories;
pub mod modules;
pub mod period;
pub mod sessions;
pub mod statistics;
#[cfg(test)]
mod tests;
pub mod tokens;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tacit_core::{MemoryId, Timestamp};
use tacit_engine::ModelCall;
use tacit_store::Injection;

use errors::ErrorReport;
pub use gather::{measured_use, report};
use holdout::HoldoutReport;
use injections::InjectionReport;
use memories::{ActiveMemory, MemoryUseReport};
use modules::{MemoryPlaces, ModuleReport};
use period::ReportPeriod;
use sessions::{KnownErrors, MeasuredSession};
use tokens::TokenReport;

/// The version of the JSON form. It grows when a field changes its meaning or is removed.
pub const VERSION: u32 = 1;

/// The report of a period.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BenefitReport {
    /// The version of the form.
    pub version: u32,
    /// The period.
    pub period: ReportPeriod,
    /// The sessions.
    pub sessions: SessionCounts,
    /// The injections, with their fates.
    pub injections: InjectionReport,
    /// The errors that earlier sessions met.
    pub errors: ErrorReport,
    /// The tokens shown and saved.
    pub tokens: TokenReport,
    /// The coverage of modules.
    pub modules: ModuleReport,
    /// The best and the dead memories.
    pub memories: MemoryUseReport,
    /// The calls of text models, by purpose.
    pub models: Vec<ModelCost>,
    /// The comparison with held-out sessions; `None` if none was held out.
    pub holdout: Option<HoldoutReport>,
}

/// The numbers of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct SessionCounts {
    /// Sessions that were ever recorded, as far as they are looked at.
    pub recorded: u64,
    /// Sessions that started in the period.
    pub started: u64,
    /// Sessions of these whose log was read and has tool calls.
    pub measured: u64,
    /// Measured sessions from which memories were withheld.
    pub held_out: u64,
    /// True if older sessions of the period were not read, because there are too many.
    pub cut: bool,
}

/// The calls of text models for a purpose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[expect(missing_docs, reason = "each is what it says")]
pub struct ModelCost {
    pub purpose: String,
    pub calls: u64,
    pub failed: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
}

/// The sessions and injections that a report is computed from.
pub struct MeasuredUse {
    /// The start of each session that was ever recorded.
    pub recorded: Vec<Timestamp>,
    /// The number of these, the newest, whose log was read.
    pub read: usize,
    /// The measured sessions. Those before a period are the ones by which its errors are known.
    pub sessions: Vec<MeasuredSession>,
    /// The injections, newest first.
    pub injections: Vec<Injection>,
    /// True if older injections were left out.
    pub injections_cut: bool,
}

/// The data that a report is computed from.
pub struct ReportInput {
    /// The period.
    pub period: ReportPeriod,
    /// The sessions and injections.
    pub measured: MeasuredUse,
    /// The active memories.
    pub active: Vec<ActiveMemory>,
    /// The places that the active memories are about, module cards excluded.
    pub places: Vec<MemoryPlaces>,
    /// The memories that were shown at any time.
    pub ever_shown: BTreeSet<MemoryId>,
    /// The modules of the code graph; `None` without one.
    pub modules: Option<Vec<String>>,
    /// The calls of text models.
    pub calls: Vec<ModelCall>,
}

/// The sections of a report that follow from sessions and injections alone.
#[derive(Debug, Clone, PartialEq)]
pub struct UseReport {
    /// The sessions.
    pub sessions: SessionCounts,
    /// The injections, with their fates.
    pub injections: InjectionReport,
    /// The errors that earlier sessions met.
    pub errors: ErrorReport,
    /// The tokens shown and saved.
    pub tokens: TokenReport,
    /// The comparison with held-out sessions; `None` if none was held out.
    pub holdout: Option<HoldoutReport>,
}

impl UseReport {
    /// Computes the sections.
    #[must_use]
    pub fn new(measured: &MeasuredUse, period: &ReportPeriod) -> UseReport {
        let sessions = measured.sessions_of(period);
        let known = KnownErrors::of(measured.sessions.iter().map(|session| &session.outcome));
        let MeasuredUse { recorded, injections, .. } = measured;
        let shown = InjectionReport::new(injections, period, measured.injections_cut);
        let errors = ErrorReport::new(&sessions, &known, injections, period);
        let holdout = HoldoutReport::new(&sessions, &known);
        let held_out = sessions.iter().filter(|session| session.held_out == Some(true)).count();
        let mut unread = recorded.iter().skip(measured.read);
        UseReport {
            sessions: SessionCounts {
                recorded: recorded.len() as u64,
                started: recorded.iter().filter(|at| period.contains(**at)).count() as u64,
                measured: sessions.len() as u64,
                held_out: held_out as u64,
                cut: unread.any(|at| period.contains(*at)),
            },
            tokens: TokenReport::new(shown.tokens, &sessions, &errors, holdout.as_ref()),
            injections: shown,
            errors,
            holdout,
        }
    }
}

impl MeasuredUse {
    /// Returns the sessions that started in a period.
    fn sessions_of(&self, period: &ReportPeriod) -> Vec<&MeasuredSession> {
        self.sessions.iter().filter(|session| period.contains(session.started_at)).collect()
    }
}

impl BenefitReport {
    /// Computes the report.
    #[must_use]
    pub fn new(input: &ReportInput) -> BenefitReport {
        let ReportInput { period, measured, .. } = input;
        let UseReport { sessions, injections, errors, tokens, holdout } =
            UseReport::new(measured, period);
        let changed = measured.sessions_of(period);
        let changes = changed.iter().map(|session| session.outcome.changed.as_slice());
        let shown = &measured.injections;
        BenefitReport {
            version: VERSION,
            period: period.clone(),
            sessions,
            injections,
            errors,
            tokens,
            modules: ModuleReport::new(input.modules.as_deref(), &input.places, changes),
            memories: MemoryUseReport::new(shown, &input.active, &input.ever_shown, period),
            models: model_costs(&input.calls, period),
            holdout,
        }
    }
}

fn model_costs(calls: &[ModelCall], period: &ReportPeriod) -> Vec<ModelCost> {
    let mut costs: BTreeMap<&str, ModelCost> = BTreeMap::new();
    for call in calls.iter().filter(|call| period.contains(call.at)) {
        let cost = costs.entry(&call.purpose).or_default();
        cost.calls += 1;
        cost.failed += u64::from(!call.succeeded());
        cost.tokens_in = cost.tokens_in.saturating_add(call.tokens_in);
        cost.tokens_out = cost.tokens_out.saturating_add(call.tokens_out);
    }
    costs
        .into_iter()
        .map(|(purpose, cost)| ModelCost { purpose: purpose.to_owned(), ..cost })
        .collect()
}
