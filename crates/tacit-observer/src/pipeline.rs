//! Learning, from top to bottom: the log of a session tree goes in, and out comes what is to be
//! remembered of it, and why nothing else is.

use tacit_core::Timestamp;
use tacit_core::log::{Complexity, NoteRecord};

use crate::digest::Digest;
use crate::log::Logged;
use crate::promotion::{
    Basis, Candidate, Commit, Considered, Decision, Near, Stage, checked, decide, infer_complexity,
};
use crate::recipes::{KnownRecipe, RecipeChange, review_recipe};
use crate::reverts::abandoned;
use crate::rules::{Scene, infer};
use crate::session_tree::{Release, Tree, release, unit_states};
use crate::signals::Signals;
use crate::text::counted;
use crate::timeline::Timeline;
use crate::validation::{Verdict, verdict};

/// Stored memories, as far as learning must ask about them.
pub trait Known {
    /// The reason for which an answer cannot be given.
    type Error;

    /// Lists the digests of earlier trees, newest first.
    fn past(&self) -> Result<Vec<Digest>, Self::Error>;

    /// The recipes that were learnt.
    fn recipes(&self) -> Result<Vec<KnownRecipe>, Self::Error>;

    /// The nearest memory about the same as a candidate.
    fn nearest(&self, candidate: &Candidate) -> Result<Option<Near>, Self::Error>;
}

/// The conclusions from a session tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusions {
    /// What the checks say.
    pub verdict: Verdict,
    /// Whether anything may be promoted now.
    pub release: Release,
    /// How large the task was.
    pub complexity: Complexity,
    /// What is kept of it for later sessions.
    pub digest: Digest,
    /// Candidates that become a memory or confirm one.
    pub decisions: Vec<Decision>,
    /// What becomes of recipes that are known.
    pub recipes: Vec<(KnownRecipe, RecipeChange)>,
    /// All candidates, with the reason why each was kept or dropped.
    pub trace: Vec<Considered>,
}

/// Learns from a tree. The same values give the same answer, in whatever order the log is.
///
/// # Errors
/// When something that is known cannot be read.
pub fn learn<K: Known>(tree: &Tree, known: &K, now: Timestamp) -> Result<Conclusions, K::Error> {
    // Timeline: lines of the log as steps, by time.
    let timeline = Timeline::of(&tree.log);

    // Checks: which commands passed or failed, and up to which step the work holds.
    let verdict = verdict(&timeline);
    let abandoned = abandoned(&timeline);
    let mut states = unit_states(&tree.log);
    states.extend(tree.siblings.iter().cloned());
    let release = release(&verdict, tree.unit(), &states, now);
    let complexity = declared_complexity(tree).unwrap_or_else(|| infer_complexity(&timeline));

    // Signals: what behaviour shows, here and in what is kept of earlier trees.
    let signals = Signals::of(&timeline);
    let mut digest = Digest::of(tree, &timeline, &signals, &verdict);
    let (past, recipes) = (known.past()?, known.recipes()?);

    // Rules: drafts of memories.
    let found = infer(&Scene {
        tree,
        timeline: &timeline,
        signals: &signals,
        verdict: &verdict,
        abandoned: &abandoned,
        digest: &digest,
        past: &past,
        recipes: &recipes,
    });
    for error in &mut digest.errors {
        let ended = found.resolved.iter().find(|(print, _)| *print == error.fingerprint);
        error.resolved_how = ended.map(|(_, how)| how.clone());
    }
    let reviewed = recipes.into_iter().filter_map(|recipe| {
        let change = review_recipe(&recipe, &digest, now)?;
        Some((recipe, change))
    });
    let recipes = reviewed.collect();

    // Promotion: stage after stage, with a trace.
    let mut trace = found.trace;
    trace.extend(only_seen(&signals));
    let candidates = checked(found.candidates, &verdict, &release, &abandoned, &mut trace);
    let near = candidates.iter().map(|candidate| known.nearest(candidate));
    let near = near.collect::<Result<Vec<_>, _>>()?;
    let candidates = candidates.into_iter().zip(near).collect();
    let decisions = decide(candidates, complexity, &commits(tree), now, &mut trace);

    Ok(Conclusions { verdict, release, complexity, digest, decisions, recipes, trace })
}

/// How large the unit of work is, if somebody said so; the last word counts.
fn declared_complexity(tree: &Tree) -> Option<Complexity> {
    let declared = tree.log.iter().filter_map(|entry| match &entry.what {
        Logged::Unit(unit) => Some((entry.moment(), unit.complexity?)),
        _ => None,
    });
    declared.max_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, complexity)| complexity)
}

fn commits(tree: &Tree) -> Vec<Commit> {
    let mut commits: Vec<Commit> = tree
        .notes
        .iter()
        .filter_map(|note| match &note.record {
            NoteRecord::Commit(commit) => {
                Some(Commit { sha: commit.sha.clone(), at: note.at, files: note.files.clone() })
            }
            _ => None,
        })
        .collect();
    commits.sort_by(|a, b| (a.at, a.sha.as_str()).cmp(&(b.at, b.sha.as_str())));
    commits
}

/// How many files and pairs are named one by one.
const NAMED: usize = 30;

/// Signals from which nothing follows in one session: they are kept for later ones.
fn only_seen(signals: &Signals) -> Vec<Considered> {
    let seen = |basis, about: String, count: u32| {
        Considered::seen(basis, about, count, Stage::Signal, "kept for later sessions")
    };
    let mut all = Vec::new();
    for used in signals.file_accesses.iter().take(NAMED) {
        let about = format!("`{}`, read {}×, changed {}×", used.file, used.reads, used.changes);
        all.push(seen(Basis::FileAccess, about, used.reads + used.changes));
    }
    for pair in signals.co_accesses.iter().take(NAMED) {
        let (first, second) = if pair.a_first { (&pair.a, &pair.b) } else { (&pair.b, &pair.a) };
        let steps = counted(pair.step_delta, "step", "steps");
        let about = format!("`{first}`, then `{second}` {steps} later");
        all.push(seen(Basis::CoAccess, about, 1));
    }
    for (basis, count) in [
        (Basis::FileAccess, signals.file_accesses.len()),
        (Basis::CoAccess, signals.co_accesses.len()),
    ] {
        if let Some(more) = count.checked_sub(NAMED).filter(|more| *more > 0) {
            all.push(seen(basis, format!("{more} more"), more as u32));
        }
    }
    all
}
