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
use tacit_core::MemoryId;
use tacit_engine::ModelCall;
use tacit_observer::SessionOutcome;
use tacit_store::Injection;

use errors::ErrorReport;
pub use gather::report;
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

/// The data that a report is computed from.
pub struct ReportInput {
    /// The period.
    pub period: ReportPeriod,
    /// The number of sessions that were ever recorded.
    pub recorded: u64,
    /// The number of sessions that started in the period.
    pub started: u64,
    /// True if the log of older sessions of the period was not read.
    pub sessions_cut: bool,
    /// The measured sessions that started in the period.
    pub sessions: Vec<MeasuredSession>,
    /// The outcomes of earlier sessions, by which errors are known.
    pub earlier: Vec<SessionOutcome>,
    /// The injections since the start of the period, newest first.
    pub injections: Vec<Injection>,
    /// True if older injections of the period were left out.
    pub injections_cut: bool,
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

impl BenefitReport {
    /// Computes the report.
    #[must_use]
    pub fn new(input: &ReportInput) -> BenefitReport {
        let ReportInput { period, injections, .. } = input;
        let sessions: Vec<&MeasuredSession> = input.sessions.iter().collect();
        let outcomes = sessions.iter().map(|session| &session.outcome);
        let known = KnownErrors::of(outcomes.chain(&input.earlier));
        let shown = InjectionReport::new(injections, period, input.injections_cut);
        let errors = ErrorReport::new(&sessions, &known, injections);
        let holdout = HoldoutReport::new(&sessions, &known);
        let held_out = sessions.iter().filter(|session| session.held_out == Some(true)).count();
        let changes = sessions.iter().map(|session| session.outcome.changed.as_slice());
        BenefitReport {
            version: VERSION,
            period: period.clone(),
            sessions: SessionCounts {
                recorded: input.recorded,
                started: input.started,
                measured: sessions.len() as u64,
                held_out: held_out as u64,
                cut: input.sessions_cut,
            },
            tokens: TokenReport::new(shown.tokens, &sessions, &errors, holdout.as_ref()),
            injections: shown,
            errors,
            modules: ModuleReport::new(input.modules.as_deref(), &input.places, changes),
            memories: MemoryUseReport::new(injections, &input.active, &input.ever_shown, period),
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
