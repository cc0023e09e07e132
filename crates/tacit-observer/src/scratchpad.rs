//! What is noticed while a session goes on, for the session itself: an error that was just ended, an
//! edit that was just corrected. Told by the last steps alone, so that it costs next to nothing.
//!
//! Nothing here is for keeping. What is learnt from a session is told by all of it, once it is over.

use tacit_core::{FingerprintDigest, RepoPath, Timestamp};

use crate::digest::Digest;
use crate::files::is_checked;
use crate::log::LogEntry;
use crate::promotion::Basis;
use crate::reverts::abandoned;
use crate::rules::{Found, Scene, error_fixes};
use crate::session_tree::Tree;
use crate::signals::{Backtrack, LikelyCause, Signals, backtracks};
use crate::text::{counted, key, names};
use crate::timeline::Timeline;
use crate::validation::{Outcome, checked, verdict};

/// How far back a failure is looked for that may have been ended, in calls of tools.
pub const ENDED_WINDOW: usize = 100;
/// How many calls before that failure are looked at: they tell a test that was just written, or a
/// command that fails now and then.
pub const BEFORE_FAILURE: usize = 10;
/// How many when an edit may have been corrected: some of others come between.
pub const CORRECTED_WINDOW: usize = 12;

/// Something that was noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noticed {
    /// The same for the same thing in the same session.
    pub key: String,
    /// What it rests on.
    pub basis: Basis,
    /// What it says.
    pub text: String,
    /// The files it is about.
    pub files: Vec<RepoPath>,
    /// The fingerprint of the error it is about.
    pub error: Option<FingerprintDigest>,
    /// The subagent that did it; none in the main conversation.
    pub agent: Option<String>,
    /// When it was complete.
    pub at: Timestamp,
}

/// What is the same for command lines that do the same, told by the line alone.
pub fn run_key(line: &str) -> String {
    checked(line, "", None).key
}

/// Whether a line tells of a command that failed.
pub fn has_failed(entry: &LogEntry) -> bool {
    let timeline = Timeline::of(std::slice::from_ref(entry));
    timeline.runs().any(|(_, run)| run.checked.outcome == Outcome::Failed)
}

/// What was noticed since a moment in the last lines of a session.
pub fn noticed(log: &[LogEntry], since: Timestamp) -> Vec<Noticed> {
    let Some(last) = log.last() else { return Vec::new() };
    let timeline = Timeline::of(log);
    let tree = Tree {
        session: last.session.clone(),
        log: Vec::new(),
        notes: Vec::new(),
        siblings: Vec::new(),
        context_tokens: None,
    };
    let (signals, verdict) = (Signals::default(), verdict(&timeline));
    let digest = Digest::of(&tree, &timeline, &signals, &verdict);
    let scene = Scene {
        tree: &tree,
        timeline: &timeline,
        signals: &signals,
        verdict: &verdict,
        abandoned: &abandoned(&timeline),
        digest: &digest,
        past: &[],
        recipes: &[],
    };
    let mut found = Found::default();
    error_fixes(&scene, &mut found);
    let agent = |place: usize| timeline.steps.get(place).and_then(|step| step.agent.clone());
    let mut all = Vec::new();
    for candidate in found.candidates {
        let Some(place) = candidate.place else { continue };
        let error = candidate.fingerprint();
        let named = candidate.draft.related_files.iter();
        all.push(Noticed {
            basis: candidate.basis,
            text: candidate.draft.content,
            files: named.filter_map(|file| RepoPath::new(file.as_str()).ok()).collect(),
            error,
            agent: agent(place),
            at: candidate.at,
            key: candidate.key,
        });
    }
    let corrected = backtracks(&timeline).into_iter();
    for backtrack in corrected.filter(|one| is_checked(&one.file)) {
        all.push(Noticed {
            key: key(&["backtrack", backtrack.file.as_str(), &backtrack.correction]),
            basis: Basis::Backtrack,
            text: told(&backtrack),
            agent: agent(backtrack.place),
            at: scene.at(backtrack.place),
            files: [vec![backtrack.file], backtrack.between].concat(),
            error: None,
        });
    }
    all.retain(|one| one.at >= since);
    all
}

fn told(backtrack: &Backtrack) -> String {
    let cause = match backtrack.likely_cause {
        LikelyCause::WrongAssumption => "the first assumption was wrong".to_owned(),
        LikelyCause::MissingContext => "something that was read in between told better".to_owned(),
        LikelyCause::CascadingChange => {
            let between: Vec<&str> = backtrack.between.iter().map(RepoPath::as_str).collect();
            let was = if between.len() == 1 { "was" } else { "were" };
            format!("{} {was} changed in between", names(&between))
        }
    };
    format!(
        "What was written in `{}` was corrected {} later: {}. Likely cause: {cause}.",
        backtrack.file,
        counted(backtrack.within_steps, "step", "steps"),
        backtrack.correction
    )
}
