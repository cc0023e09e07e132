//! Rules: one file each. A rule reads signals and drafts memories with their files and a readable
//! text, without a model.

mod account;
mod api_fact;
mod application;
mod averages;
mod co_access;
mod dead_end;
mod error_fix;
mod failures;
mod fix_commands;
mod fix_lines;
mod house_rules;
mod notes;
mod prefetch;
mod recipe;
mod rule_texts;
mod twin_values;
mod variant;

pub(crate) use account::is_name;
pub(crate) use application::observation_draft;
pub use application::{KnownObservation, shown_texts};
pub(crate) use application::{contradicted_by_calls, contradicted_observations};
use averages::{AVERAGED_SESSIONS, MIN_SAMPLES};
pub use co_access::is_obvious_pair;
pub use error_fix::MAX_FILES;
pub(crate) use error_fix::{infer as error_fixes, only_inspects};
pub(crate) use failures::covers;
pub use house_rules::{CHECKER_TAG, advice_about};
pub use variant::VARIANT_TAG;

use tacit_core::{Draft, FingerprintDigest, RepoPath, Source, Timestamp};

use crate::digest::{LintRule, SessionDigest};
use crate::files::module;
use crate::promotion::{Basis, MemoryCandidate, PromotionStage, TraceEntry};
use crate::recipes::KnownRecipe;
use crate::reverts::AbandonedApproach;
use crate::session_tree::SessionTree;
use crate::timeline::Timeline;
use crate::validation::SessionVerdict;

/// The generator recorded in memories that rules wrote.
pub const GENERATOR: &str = "rules";

/// The input of all rules.
pub(crate) struct RuleInput<'a> {
    pub(crate) tree: &'a SessionTree,
    pub(crate) timeline: &'a Timeline,
    pub(crate) verdict: &'a SessionVerdict,
    pub(crate) abandoned_approaches: &'a [AbandonedApproach],
    pub(crate) digest: &'a SessionDigest,
    pub(crate) past_digests: &'a [SessionDigest],
    pub(crate) recipes: &'a [KnownRecipe],
}

/// The candidates of all rules, and what they rejected.
#[derive(Default)]
pub(crate) struct RuleOutput {
    pub(crate) candidates: Vec<MemoryCandidate>,
    pub(crate) trace: Vec<TraceEntry>,
    /// Errors by fingerprint, with a description of the fix.
    pub(crate) resolved: Vec<(FingerprintDigest, String)>,
    /// Tests that failed and passed with nothing changed in between.
    pub(crate) flaky: Vec<String>,
    /// Rules of checkers that were violated and satisfied.
    pub(crate) lint_rules: Vec<LintRule>,
}

impl RuleOutput {
    pub(crate) fn reject(
        &mut self,
        basis: Basis,
        about: impl Into<String>,
        occurrences: u32,
        why: impl Into<String>,
    ) {
        self.trace.push(TraceEntry::dropped(basis, about, occurrences, PromotionStage::Rule, why));
    }

    /// Returns true if there are enough samples, and records the rejection otherwise.
    pub(crate) fn has_enough(&mut self, about: &str, samples: usize) -> bool {
        let enough = samples >= MIN_SAMPLES;
        if !enough {
            let why = format!("{samples} of {MIN_SAMPLES} sessions");
            self.reject(Basis::FileAccess, about, samples as u32, why);
        }
        enough
    }
}

/// Applies every rule.
pub(crate) fn infer(input: &RuleInput<'_>) -> RuleOutput {
    let mut results = RuleOutput::default();
    for rule in [
        variant::infer,
        error_fix::infer,
        house_rules::infer,
        account::infer,
        dead_end::infer,
        co_access::infer,
        twin_values::infer,
        prefetch::infer,
        averages::infer,
        recipe::infer,
        application::infer,
        notes::infer,
        crate::corrections::infer,
    ] {
        rule(input, &mut results);
    }
    results
}

impl RuleInput<'_> {
    /// Iterates over the earlier sessions that passed, newest first.
    pub(crate) fn passed_digests(&self) -> impl Iterator<Item = &SessionDigest> {
        self.past_digests
            .iter()
            .filter(|digest| digest.validated && digest.session != self.digest.session)
    }

    /// Returns this session and earlier ones in the same module that passed, newest first, as many
    /// as are averaged over.
    pub(crate) fn digests_in_module(&self, module: &str) -> Vec<&SessionDigest> {
        std::iter::once(self.digest)
            .chain(self.passed_digests())
            .filter(|digest| digest.module.as_deref() == Some(module))
            .take(AVERAGED_SESSIONS)
            .collect()
    }

    /// Returns the time of a step.
    pub(crate) fn time_of(&self, step_index: usize) -> Timestamp {
        self.timeline.steps.get(step_index).map_or(self.digest.at, |step| step.at)
    }

    /// Returns the index of the last passed check, at which the whole tree is complete.
    pub(crate) fn last_checked_step(&self) -> usize {
        self.verdict.last_passed_step().unwrap_or(self.timeline.steps.len())
    }

    /// Creates a candidate that is valid once the whole tree has been checked.
    pub(crate) fn candidate_at_end(
        &self,
        basis: Basis,
        key: String,
        about: String,
        occurrences: u32,
        draft: Draft,
    ) -> MemoryCandidate {
        let (at, step_index) = (self.digest.at, Some(self.last_checked_step()));
        MemoryCandidate { basis, key, about, occurrences, at, step_index, draft, replaces: false }
    }

    /// Creates a draft of a memory about these files.
    pub(crate) fn draft(
        &self,
        kind: &str,
        content: String,
        files: &[RepoPath],
        confidence: f64,
    ) -> Draft {
        draft(self.tree, kind, content, files, confidence)
    }
}

/// Creates a draft of a memory about these files, learnt from a tree.
pub(crate) fn draft(
    tree: &SessionTree,
    kind: &str,
    content: String,
    files: &[RepoPath],
    confidence: f64,
) -> Draft {
    let mut modules: Vec<String> =
        files.iter().map(module).filter(|module| module != ".").collect();
    modules.sort();
    modules.dedup();
    Draft {
        content,
        kind: Some(kind.to_owned()),
        confidence: Some(confidence),
        related_files: files.iter().map(ToString::to_string).collect(),
        related_modules: modules,
        work_unit: tree.unit().cloned(),
        session: Some(tree.session.to_string()),
        source: Some(Source::ObserverInferred.to_string()),
        generator: Some(GENERATOR.to_owned()),
        ..Draft::default()
    }
}
