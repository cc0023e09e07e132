//! What follows from what was seen: one file per rule, each from signals to drafts of memories with
//! the files they are about and a text that can be read, without any model.

mod application;
mod averages;
mod confusing;
mod dead_end;
mod error_fix;
mod gotcha;
mod notes;
mod prefetch;
mod recipe;
mod together;

use averages::{AVERAGED_SESSIONS, LEAST_SAMPLES};
pub use error_fix::MOST_FILES;
pub(crate) use error_fix::infer as error_fixes;

use tacit_core::{Draft, FingerprintDigest, RepoPath, Source, Timestamp};

use crate::digest::Digest;
use crate::files::module;
use crate::promotion::{Basis, Candidate, Considered, Stage};
use crate::recipes::KnownRecipe;
use crate::reverts::Abandoned;
use crate::session_tree::Tree;
use crate::signals::Signals;
use crate::timeline::Timeline;
use crate::validation::Verdict;

/// What is written in a memory as what put it into words.
pub const GENERATOR: &str = "rules";

/// Everything a rule can look at.
pub(crate) struct Scene<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) timeline: &'a Timeline,
    pub(crate) signals: &'a Signals,
    pub(crate) verdict: &'a Verdict,
    pub(crate) abandoned: &'a [Abandoned],
    pub(crate) digest: &'a Digest,
    pub(crate) past: &'a [Digest],
    pub(crate) recipes: &'a [KnownRecipe],
}

/// What rules found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) trace: Vec<Considered>,
    /// Errors, by fingerprint, and what ended them.
    pub(crate) resolved: Vec<(FingerprintDigest, String)>,
}

impl Found {
    pub(crate) fn drop(
        &mut self,
        basis: Basis,
        about: impl Into<String>,
        occurrences: u32,
        why: impl Into<String>,
    ) {
        self.trace.push(Considered::seen(basis, about, occurrences, Stage::Rule, why));
    }

    /// Whether there are enough samples; says so if not.
    pub(crate) fn has_enough(&mut self, about: &str, samples: usize) -> bool {
        let enough = samples >= LEAST_SAMPLES;
        if !enough {
            let why = format!("{samples} of {LEAST_SAMPLES} sessions");
            self.drop(Basis::FileAccess, about, samples as u32, why);
        }
        enough
    }
}

/// Applies every rule.
pub(crate) fn infer(scene: &Scene<'_>) -> Found {
    let mut found = Found::default();
    for rule in [
        error_fix::infer,
        dead_end::infer,
        gotcha::infer,
        together::infer,
        confusing::infer,
        prefetch::infer,
        averages::infer,
        recipe::infer,
        application::infer,
        notes::infer,
        crate::corrections::infer,
    ] {
        rule(scene, &mut found);
    }
    found
}

impl Scene<'_> {
    /// The sessions before this one that passed, the newest first, without this one.
    pub(crate) fn passed_before(&self) -> impl Iterator<Item = &Digest> {
        self.past.iter().filter(|digest| digest.validated && digest.session != self.digest.session)
    }

    /// This session and those before it that passed and were in the same module, the newest first, as
    /// many as are averaged over.
    pub(crate) fn in_module(&self, module: &str) -> Vec<&Digest> {
        std::iter::once(self.digest)
            .chain(self.passed_before())
            .filter(|digest| digest.module.as_deref() == Some(module))
            .take(AVERAGED_SESSIONS)
            .collect()
    }

    /// When the step at a place happened.
    pub(crate) fn at(&self, place: usize) -> Timestamp {
        self.timeline.steps.get(place).map_or(self.digest.at, |step| step.at)
    }

    /// The place of the check that passed, where all of the tree is complete.
    pub(crate) fn end(&self) -> usize {
        match self.verdict {
            Verdict::Passed { upto, .. } => *upto,
            _ => self.timeline.steps.len(),
        }
    }

    /// A candidate that holds once all of the tree was checked.
    pub(crate) fn at_end(
        &self,
        basis: Basis,
        key: String,
        about: String,
        occurrences: u32,
        draft: Draft,
    ) -> Candidate {
        let (at, place) = (self.digest.at, Some(self.end()));
        Candidate { basis, key, about, occurrences, at, place, draft, replaces: false }
    }

    /// A draft of a memory that these files are about.
    pub(crate) fn draft(
        &self,
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
            work_unit: self.tree.unit().cloned(),
            session: Some(self.tree.session.to_string()),
            source: Some(Source::ObserverInferred.to_string()),
            generator: Some(GENERATOR.to_owned()),
            ..Draft::default()
        }
    }
}
