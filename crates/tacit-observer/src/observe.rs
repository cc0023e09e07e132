//! From a session tree to candidates: the first stages, and what is kept for later sessions.

use tacit_core::Timestamp;
use tacit_core::log::{Complexity, NoteRecord};

use crate::digest::Digest;
use crate::log::Logged;
use crate::promotion::{
    Basis, Candidate, Commit, Considered, Stage, infer_complexity, is_frequent, is_validated,
};
use crate::recipes::{KnownRecipe, RecipeChange, review_recipe};
use crate::reverts::abandoned;
use crate::rules::{Scene, infer};
use crate::session_tree::{Release, Tree, release, unit_states};
use crate::signals::Signals;
use crate::text::counted;
use crate::timeline::Timeline;
use crate::validation::{Verdict, verdict};

/// What a tree shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// What the checks say.
    pub verdict: Verdict,
    /// Whether anything may be promoted now.
    pub release: Release,
    /// How large the task was.
    pub complexity: Complexity,
    /// What is kept of it for later sessions.
    pub digest: Digest,
    /// What may become a memory, past the first two stages.
    pub candidates: Vec<Candidate>,
    /// The commits that were made.
    pub commits: Vec<Commit>,
    /// What becomes of recipes that are known.
    pub recipes: Vec<(KnownRecipe, RecipeChange)>,
    /// What was considered and dropped.
    pub trace: Vec<Considered>,
}

/// Looks at a tree, given what is kept of earlier ones (the newest first) and the recipes that are
/// known. The same values give the same answer, in whatever order the log is.
pub fn observe(
    tree: &Tree,
    past: &[Digest],
    recipes: &[KnownRecipe],
    now: Timestamp,
) -> Observation {
    let timeline = Timeline::of(&tree.log);
    let verdict = verdict(&timeline);
    let abandoned = abandoned(&timeline);
    let signals = Signals::of(&timeline);
    let mut digest = Digest::of(tree, &timeline, &signals, &verdict);
    let mut states = unit_states(&tree.log);
    states.extend(tree.siblings.iter().cloned());
    let release = release(&verdict, tree.unit(), &states, now);
    let scene = Scene {
        tree,
        timeline: &timeline,
        signals: &signals,
        verdict: &verdict,
        abandoned: &abandoned,
        digest: &digest,
        past,
        recipes,
    };
    let mut found = infer(&scene);
    found.trace.extend(only_seen(&signals));
    let mut candidates = Vec::new();
    for candidate in std::mem::take(&mut found.candidates) {
        let checked = is_validated(&candidate, &verdict, &release, &abandoned);
        match checked {
            Err(why) if matches!(release, Release::Wait(_)) => {
                found.trace.push(Considered::waits(&candidate, why));
            }
            Err(why) => {
                found.trace.push(Considered::dropped(&candidate, Stage::Validation, None, why));
            }
            Ok(()) if !is_frequent(candidate.basis, candidate.occurrences) => {
                let why =
                    format!("seen {} of {} times", candidate.occurrences, candidate.basis.least());
                found.trace.push(Considered::dropped(&candidate, Stage::Frequency, None, why));
            }
            Ok(()) => candidates.push(candidate),
        }
    }
    candidates.sort_by(|a, b| (a.place, &a.key).cmp(&(b.place, &b.key)));
    candidates.dedup_by(|a, b| a.key == b.key);
    for error in &mut digest.errors {
        let ended = found.resolved.iter().find(|(print, _)| *print == error.fingerprint);
        error.resolved_how = ended.map(|(_, how)| how.clone());
    }
    let changes = recipes
        .iter()
        .filter_map(|known| Some((known.clone(), review_recipe(known, &digest, now)?)))
        .collect();
    Observation {
        release,
        complexity: declared_complexity(tree).unwrap_or_else(|| infer_complexity(&timeline)),
        candidates,
        commits: commits(tree),
        recipes: changes,
        trace: found.trace,
        verdict,
        digest,
    }
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
