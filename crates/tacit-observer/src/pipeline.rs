//! The learning pipeline: turns the log of a session tree into memories, with a trace of every
//! rejected candidate.

use std::collections::BTreeSet;

use tacit_core::log::{Complexity, NoteRecord};
use tacit_core::{Draft, MemoryId, SessionId, Timestamp};

use crate::cues::add_cues;
use crate::digest::SessionDigest;
use crate::lessons::{self, LessonsQuestion, WrittenLesson};
use crate::log::LogEvent;
use crate::observations::{self, ObservationsQuestion, WrittenObservation};
use crate::promotion::{
    Basis, MemoryCandidate, NearestMemory, PromotionDecision, PromotionStage, SessionCommit,
    TraceEntry, commit_memories, decide, filter_candidates, infer_complexity,
};
use crate::recipes::{KnownRecipe, RecipeChange, review_recipe};
use crate::reverts::{AbandonedApproach, abandoned_approaches};
use crate::rules::{KnownObservation, RuleInput, contradicted_observations, infer};
use crate::session_tree::{Release, SessionTree, release, unit_states};
use crate::signals::SessionSignals;
use crate::text::counted;
use crate::timeline::{StepKind, Timeline};
use crate::turns::turns;
use crate::validation::{SessionVerdict, verdict};

/// Queries about stored memories that learning needs.
pub trait KnownMemories {
    /// The error of a failed query.
    type Error;

    /// Lists the digests of earlier trees, newest first.
    fn past_digests(&self) -> Result<Vec<SessionDigest>, Self::Error>;

    /// Lists the recipes learnt so far.
    fn recipes(&self) -> Result<Vec<KnownRecipe>, Self::Error>;

    /// Lists the observations of the running application that the rules wrote.
    fn observations(&self) -> Result<Vec<KnownObservation>, Self::Error>;

    /// Finds the nearest memory of the same type and files as a candidate.
    fn nearest(&self, candidate: &MemoryCandidate) -> Result<Option<NearestMemory>, Self::Error>;
}

/// The conclusions from a session tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Conclusions {
    /// The result of all checks.
    pub verdict: SessionVerdict,
    /// The decision whether anything may be promoted now.
    pub release: Release,
    /// The size of the task.
    pub complexity: Complexity,
    /// The digest for later sessions.
    pub digest: SessionDigest,
    /// Candidates that become a memory or confirm one.
    pub decisions: Vec<PromotionDecision>,
    /// Memories of the commits of this tree, each with its key.
    pub commits: Vec<(String, Draft)>,
    /// Changes to known recipes.
    pub recipes: Vec<(KnownRecipe, RecipeChange)>,
    /// Observations of the application that this tree contradicts.
    pub contradicted: Vec<MemoryId>,
    /// Every candidate with the reason why it was kept or dropped.
    pub trace: Vec<TraceEntry>,
}

/// Learns from a session tree by rules alone. The result does not depend on the order of the log.
///
/// # Errors
/// Returns the error of `known` if a query fails.
pub fn learn<K: KnownMemories>(
    tree: &SessionTree,
    known: &K,
    now: Timestamp,
) -> Result<Conclusions, K::Error> {
    examine(tree, known, now)?.conclude(known, now)
}

/// A session tree with the candidates that the rules found.
#[derive(Debug)]
pub struct ExaminedTree<'t> {
    tree: &'t SessionTree,
    timeline: Timeline,
    verdict: SessionVerdict,
    abandoned_approaches: Vec<AbandonedApproach>,
    release: Release,
    complexity: Complexity,
    digest: SessionDigest,
    candidates: Vec<MemoryCandidate>,
    recipes: Vec<(KnownRecipe, RecipeChange)>,
    contradicted: Vec<MemoryId>,
    trace: Vec<TraceEntry>,
}

/// Applies the rules to a session tree.
///
/// # Errors
/// Returns the error of `known` if a query fails.
pub fn examine<'t, K: KnownMemories>(
    tree: &'t SessionTree,
    known: &K,
    now: Timestamp,
) -> Result<ExaminedTree<'t>, K::Error> {
    // Timeline: log entries become steps, ordered by time.
    let timeline = Timeline::of_project(&tree.log, &tree.tasks, &tree.app_tools);

    // Checks: passed and failed commands decide up to which step the work counts.
    let verdict = verdict(&timeline);
    let abandoned_approaches = abandoned_approaches(&timeline);
    let mut states = unit_states(&tree.log);
    states.extend(tree.siblings.iter().cloned());
    let release = release(&verdict, tree.unit(), &states, now);
    let complexity = declared_complexity(tree).unwrap_or_else(|| infer_complexity(&timeline));

    // Signals: patterns in this tree and in the digests of earlier ones.
    let signals = SessionSignals::from_timeline(&timeline);
    let mut digest = SessionDigest::summarise(tree, &timeline, &signals, &verdict);
    let (past_digests, recipes) = (known.past_digests()?, known.recipes()?);

    // Rules: signals become drafts of memories.
    let found = infer(&RuleInput {
        tree,
        timeline: &timeline,
        verdict: &verdict,
        abandoned_approaches: &abandoned_approaches,
        digest: &digest,
        past_digests: &past_digests,
        recipes: &recipes,
    });
    for error in &mut digest.errors {
        let ended = found.resolved.iter().find(|(print, _)| *print == error.fingerprint);
        error.resolved_how = ended.map(|(_, how)| how.clone());
    }
    digest.flaky.clone_from(&found.flaky);
    digest.lint_rules.clone_from(&found.lint_rules);
    let reviewed = recipes.into_iter().filter_map(|recipe| {
        let change = review_recipe(&recipe, &digest, now)?;
        Some((recipe, change))
    });
    let recipes = reviewed.collect();

    let has_app_calls = timeline.steps.iter().any(|step| matches!(step.kind, StepKind::AppCall(_)));
    let contradicted = match has_app_calls {
        true => contradicted_observations(&known.observations()?, &timeline),
        false => Vec::new(),
    };

    let mut trace = found.trace;
    trace.extend(unused_signals(&signals));
    Ok(ExaminedTree {
        tree,
        timeline,
        verdict,
        abandoned_approaches,
        release,
        complexity,
        digest,
        candidates: found.candidates,
        recipes,
        contradicted,
        trace,
    })
}

impl ExaminedTree<'_> {
    /// Returns the sessions with turns that taught something. There are none if the work failed or
    /// waits for other work.
    pub fn teaching_sessions(&self) -> Vec<SessionId> {
        if !self.may_teach() {
            return Vec::new();
        }
        let turns = turns(&self.timeline, &self.abandoned_approaches);
        let taught = turns.iter().filter(|turn| !turn.signs.is_empty());
        let sessions: BTreeSet<&SessionId> =
            taught.map(|turn| &self.timeline.steps[turn.last_step].session).collect();
        sessions.into_iter().cloned().collect()
    }

    /// Returns the sessions that used the running application. There are none if the work failed or
    /// waits for other work.
    pub fn testing_sessions(&self) -> Vec<SessionId> {
        let steps = self.timeline.steps.iter();
        let steps = steps.filter(|step| matches!(step.kind, StepKind::AppCall(_)));
        let sessions: BTreeSet<&SessionId> = steps.map(|step| &step.session).collect();
        sessions.into_iter().filter(|_| self.may_teach()).cloned().collect()
    }

    fn may_teach(&self) -> bool {
        !matches!(self.verdict, SessionVerdict::Failed { .. })
            && !matches!(self.release, Release::Wait(_))
    }

    /// Returns the question for a text model about the calls of some sessions to the application, if
    /// there is one.
    pub fn observations_question(&self, sessions: &[SessionId]) -> Option<ObservationsQuestion> {
        ObservationsQuestion::new(&self.timeline, &self.candidates, sessions)
    }

    /// Adds what a text model answered, with its name; `None` if it gave no usable answer.
    pub fn add_observations(
        &mut self,
        question: &ObservationsQuestion,
        answer: Option<(Vec<WrittenObservation>, String)>,
    ) {
        let mut reject = |about: String, why: &str| {
            let (basis, stage) = (Basis::Observation, PromotionStage::Rule);
            self.trace.push(TraceEntry::dropped(basis, about, 1, stage, why));
        };
        let Some((written, generator)) = answer else {
            reject("observations".to_owned(), "the text model gave no answer that can be used");
            return;
        };
        let (kept, rejected) = observations::candidates(self.tree, question, written, &generator);
        for (about, why) in rejected {
            reject(about, why);
        }
        self.candidates.extend(kept);
    }

    /// Returns the question for a text model about the turns of some sessions that taught
    /// something, if there are any.
    pub fn lessons_question(&self, sessions: &[SessionId]) -> Option<LessonsQuestion> {
        let (timeline, abandoned) = (&self.timeline, &self.abandoned_approaches);
        LessonsQuestion::new(timeline, abandoned, &self.candidates, sessions)
    }

    /// Adds what a text model answered, with its name; `None` if it gave no usable answer.
    pub fn add_lessons(
        &mut self,
        question: &LessonsQuestion,
        answer: Option<(Vec<WrittenLesson>, String)>,
    ) {
        let mut reject = |about: String, why: &str| {
            let (basis, stage) = (Basis::Lesson, PromotionStage::Rule);
            self.trace.push(TraceEntry::dropped(basis, about, 1, stage, why));
        };
        let Some((lessons, generator)) = answer else {
            reject("lessons".to_owned(), "the text model gave no answer that can be used");
            return;
        };
        let (kept, rejected) = lessons::candidates(self.tree, question, lessons, &generator);
        for (about, why) in rejected {
            reject(about, why);
        }
        self.candidates.extend(kept);
    }

    /// Promotes the candidates: each stage filters them and extends the trace.
    ///
    /// # Errors
    /// Returns the error of `known` if a query fails.
    pub fn conclude<K: KnownMemories>(
        self,
        known: &K,
        now: Timestamp,
    ) -> Result<Conclusions, K::Error> {
        let ExaminedTree {
            tree, verdict, release, complexity, digest, recipes, contradicted, ..
        } = self;
        let mut trace = self.trace;
        let abandoned = &self.abandoned_approaches;
        let mut candidates =
            filter_candidates(self.candidates, &verdict, &release, abandoned, &mut trace);
        add_cues(&mut candidates, &self.timeline);
        let near = candidates.iter().map(|candidate| known.nearest(candidate));
        let near = near.collect::<Result<Vec<_>, _>>()?;
        let candidates = candidates.into_iter().zip(near).collect();
        let commits = commits(tree);
        let decisions = decide(candidates, complexity, &commits, now, &mut trace);
        let commits = commit_memories(tree, &verdict, &release, &commits);
        Ok(Conclusions {
            verdict,
            release,
            complexity,
            digest,
            decisions,
            commits,
            recipes,
            contradicted,
            trace,
        })
    }
}

/// Returns the declared size of the unit of work; the latest declaration counts.
fn declared_complexity(tree: &SessionTree) -> Option<Complexity> {
    let declared = tree.log.iter().filter_map(|entry| match &entry.event {
        LogEvent::Unit(unit) => Some((entry.sort_key(), unit.complexity?)),
        _ => None,
    });
    declared.max_by(|(a, _), (b, _)| a.cmp(b)).map(|(_, complexity)| complexity)
}

fn commits(tree: &SessionTree) -> Vec<SessionCommit> {
    let mut commits: Vec<SessionCommit> = tree
        .notes
        .iter()
        .filter_map(|note| match &note.record {
            NoteRecord::Commit(commit) => Some(SessionCommit {
                sha: commit.sha.clone(),
                at: note.at,
                subject: note.text.clone(),
                files: note.files.clone(),
                amend: commit.amend,
            }),
            _ => None,
        })
        .collect();
    commits.sort_by(|a, b| (a.at, a.sha.as_str()).cmp(&(b.at, b.sha.as_str())));
    commits
}

/// Maximum number of files and pairs listed individually in the trace.
const MAX_NAMED: usize = 30;

/// Lists the signals that no rule uses within one session: they are kept for later sessions.
fn unused_signals(signals: &SessionSignals) -> Vec<TraceEntry> {
    let seen = |basis, about: String, count: u32| {
        TraceEntry::dropped(basis, about, count, PromotionStage::Signal, "kept for later sessions")
    };
    let mut all = Vec::new();
    for used in signals.file_accesses.iter().take(MAX_NAMED) {
        let about = format!("`{}`, read {}×, changed {}×", used.file, used.reads, used.changes);
        all.push(seen(Basis::FileAccess, about, used.reads + used.changes));
    }
    for pair in signals.co_accesses.iter().take(MAX_NAMED) {
        let (first, second) = if pair.a_first { (&pair.a, &pair.b) } else { (&pair.b, &pair.a) };
        let steps = counted(pair.step_delta, "step", "steps");
        let about = format!("`{first}`, then `{second}` {steps} later");
        all.push(seen(Basis::CoAccess, about, 1));
    }
    for (basis, count) in [
        (Basis::FileAccess, signals.file_accesses.len()),
        (Basis::CoAccess, signals.co_accesses.len()),
    ] {
        if let Some(more) = count.checked_sub(MAX_NAMED).filter(|more| *more > 0) {
            all.push(seen(basis, format!("{more} more"), more as u32));
        }
    }
    all
}
