//! Recipes: steps that led to success repeatedly in the same order, and their further fate.

use tacit_core::{
    FileRole, MemoryId, RecipeStep, RepoPath, StepAction, StepFile, Timestamp, WorkflowRecipe,
};

use crate::digest::SessionDigest;
use crate::signals::{SequenceAction, SequenceStep};

/// Minimum number of steps.
pub(crate) const MIN_RECIPE_STEPS: usize = 4;
/// Minimum number of steps that change files: checks alone are no recipe.
const MIN_RECIPE_CHANGES: usize = 3;
/// Minimum number of sessions that passed.
const MIN_RECIPE_SESSIONS: usize = 3;
/// Maximum age of these sessions in days.
const MAX_RECIPE_DAYS: f64 = 30.0;
/// Days without use after which a recipe is stale.
const UNUSED_DAYS: f64 = 60.0;
/// Confidence of a new recipe.
pub(crate) const RECIPE_CONFIDENCE: f64 = 0.7;
/// Gain of confidence per success, and its maximum.
const SUCCESS_BONUS: f64 = 0.05;
const MAX_CONFIDENCE: f64 = 0.95;

/// Words that say nothing about a task.
const STOP_WORDS: [&str; 38] = [
    "a", "an", "the", "to", "of", "in", "for", "and", "or", "with", "please", "can", "you", "we",
    "i", "it", "is", "that", "this", "on", "so", "be", "as", "at", "by", "from", "now", "need",
    "want", "should", "would", "new", "me", "my", "our", "also", "then", "do",
];

/// A stored recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownRecipe {
    /// The memory that holds it.
    pub id: MemoryId,
    /// The task pattern, steps and success count.
    pub recipe: WorkflowRecipe,
    /// The confidence from 0 to 1.
    pub confidence: f64,
    /// True if it is marked as stale.
    pub stale: bool,
}

/// A change to a recipe.
#[derive(Debug, Clone, PartialEq)]
pub enum RecipeChange {
    /// A session followed it and passed.
    Worked {
        /// The updated recipe.
        recipe: WorkflowRecipe,
        /// The new confidence.
        confidence: f64,
    },
    /// Mark it as stale, for this reason.
    Stale(String),
}

/// Minimum number of words that the tasks of a recipe share.
const MIN_TASK_WORDS: usize = 2;
/// Minimum number of matching edits for a failed session to count as following a recipe.
const MIN_FOLLOWED_CHANGES: usize = 2;

/// Decides how a session changes a recipe.
pub fn review_recipe(
    known: &KnownRecipe,
    digest: &SessionDigest,
    now: Timestamp,
) -> Option<RecipeChange> {
    let follows = follows(&known.recipe.steps, &digest.sequence);
    // A session seen before does not count again.
    let is_later = digest.at > known.recipe.last_validated_at;
    if follows && digest.validated && is_later {
        let mut recipe = known.recipe.clone();
        recipe.success_count += 1;
        recipe.last_validated_at = digest.at;
        let confidence =
            (known.confidence + SUCCESS_BONUS).clamp(0.0, MAX_CONFIDENCE.max(known.confidence));
        let confidence = (confidence * 100.0).round() / 100.0;
        return Some(RecipeChange::Worked { recipe, confidence });
    }
    if known.stale {
        return None;
    }
    // Failed checks are not steps: a session that made all edits has followed the recipe.
    if digest.failed && is_later && follows_changes(&known.recipe.steps, &digest.sequence) {
        return Some(RecipeChange::Stale("a session that followed it failed".into()));
    }
    if !follows && digest.validated && is_later {
        let files = known.recipe.steps.iter().filter_map(|step| step.canonical_file.as_ref());
        for file in files {
            if digest.changed().any(|changed| changed == file) {
                return Some(RecipeChange::Stale(format!(
                    "`{file}` has since been changed differently"
                )));
            }
        }
    }
    if now.days_since(known.recipe.last_validated_at) > UNUSED_DAYS {
        return Some(RecipeChange::Stale(format!("not followed for {UNUSED_DAYS} days")));
    }
    None
}

/// Returns true if a sequence contains the steps of a recipe in order, apart from its checks.
fn follows_changes(steps: &[RecipeStep], sequence: &[SequenceStep]) -> bool {
    let changes: Vec<RecipeStep> = steps.iter().filter(|step| !is_check(step)).cloned().collect();
    changes.len() >= MIN_FOLLOWED_CHANGES && follows(&changes, sequence)
}

fn is_check(step: &RecipeStep) -> bool {
    matches!(step.action, Some(StepAction::Check { .. }))
}

/// Returns true if a sequence contains the steps of a recipe in order.
pub fn follows(steps: &[RecipeStep], sequence: &[SequenceStep]) -> bool {
    let mut rest = sequence.iter();
    steps.iter().all(|step| {
        rest.any(|done| {
            step.action == Some(action(done, None))
                || step.action == Some(action(done, done.file.as_ref()))
        })
    })
}

/// Steps that a session shares with earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub struct RepeatedSteps {
    /// The steps in order.
    pub steps: Vec<RecipeStep>,
    /// The words that the tasks share, with the module.
    pub task_pattern: String,
    /// The number of sessions with these steps.
    pub sessions: usize,
}

/// Finds the steps that the newest session shares with enough recent others, in the same module and
/// order.
pub fn find_repeated_steps(
    newest: &SessionDigest,
    past: &[&SessionDigest],
) -> Option<RepeatedSteps> {
    let module = newest.module.as_deref()?;
    let mut others: Vec<&SessionDigest> = past
        .iter()
        .copied()
        .filter(|digest| {
            digest.validated
                && digest.session != newest.session
                && digest.module.as_deref() == Some(module)
                && newest.at.days_since(digest.at).abs() <= MAX_RECIPE_DAYS
        })
        .collect();
    // The most similar first, so that the common part shrinks slowly.
    others.sort_by_cached_key(|digest| {
        let shared = common_steps(&newest.sequence, &digest.sequence).len();
        (std::cmp::Reverse(shared), digest.session.clone())
    });
    let mut shared = newest.sequence.clone();
    let mut matching = vec![newest];
    for digest in others {
        let both = common_steps(&shared, &digest.sequence);
        if both.len() >= MIN_RECIPE_STEPS {
            shared = both;
            matching.push(digest);
        }
    }
    let is_change = |step: &&SequenceStep| !matches!(step.action, SequenceAction::Check(_));
    let changes = shared.iter().filter(is_change).count();
    if matching.len() < MIN_RECIPE_SESSIONS
        || shared.len() < MIN_RECIPE_STEPS
        || changes < MIN_RECIPE_CHANGES
    {
        return None;
    }
    let steps = shared.iter().zip(1..).map(|(step, order)| {
        let canonical = step.file.clone().filter(|file| {
            matching
                .iter()
                .all(|digest| digest.sequence.iter().any(|other| other.file.as_ref() == Some(file)))
        });
        RecipeStep {
            order,
            description: None,
            action: Some(action(step, canonical.as_ref())),
            canonical_file: canonical,
            canonical_line: None,
        }
    });
    Some(RepeatedSteps {
        steps: steps.collect(),
        task_pattern: task_pattern(module, &matching)?,
        sessions: matching.len(),
    })
}

/// Returns the longest common subsequence, as steps of `one`.
fn common_steps(one: &[SequenceStep], other: &[SequenceStep]) -> Vec<SequenceStep> {
    let mut lengths = vec![vec![0_usize; other.len() + 1]; one.len() + 1];
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            lengths[i][j] = if is_same(&one[i], &other[j]) {
                lengths[i + 1][j + 1] + 1
            } else {
                lengths[i + 1][j].max(lengths[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut shared = Vec::new();
    while i < one.len() && j < other.len() {
        if is_same(&one[i], &other[j]) {
            shared.push(one[i].clone());
            (i, j) = (i + 1, j + 1);
        } else if lengths[i + 1][j] >= lengths[i][j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    shared
}

/// Returns true if two steps do the same to the same file, or to a file of a kind of which each
/// task has its own.
fn is_same(one: &SequenceStep, other: &SequenceStep) -> bool {
    let is_task_specific = one.action == SequenceAction::Write
        || matches!(
            one.role,
            Some(FileRole::Test | FileRole::Migration | FileRole::Docs | FileRole::Translation)
        );
    one.is_similar(other) && (one.file == other.file || is_task_specific)
}

/// Converts a step to the action of a recipe, on the named file or on any similar one.
fn action(step: &SequenceStep, named: Option<&RepoPath>) -> StepAction {
    let file = || match named {
        Some(file) => StepFile::Named(file.clone()),
        None => StepFile::Like {
            role: step.role.filter(|role| !matches!(role, FileRole::Source | FileRole::Other)),
            directory: step.location.clone(),
        },
    };
    match step.action {
        SequenceAction::Write => StepAction::Write(file()),
        SequenceAction::Edit => StepAction::Edit(file()),
        SequenceAction::Check(kind) => {
            StepAction::Check { kind, runner: step.location.trim().to_owned() }
        }
    }
}

/// Returns the words that all tasks share, in the order of the first, with the module. Tasks that
/// share too few are different tasks.
fn task_pattern(module: &str, matching: &[&SessionDigest]) -> Option<String> {
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_')
            .map(str::to_lowercase)
            .filter(|word| word.len() > 1 && !STOP_WORDS.contains(&word.as_str()))
            .collect()
    };
    let tasks: Vec<Vec<String>> = matching.iter().map(|digest| words(&digest.task)).collect();
    let mut shared: Vec<&str> = Vec::new();
    for word in tasks.first().into_iter().flatten() {
        if tasks.iter().all(|task| task.contains(word)) && !shared.contains(&word.as_str()) {
            shared.push(word);
        }
    }
    (shared.len() >= MIN_TASK_WORDS).then(|| format!("{} in {module}", shared.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(days: f64) -> Timestamp {
        Timestamp::from_millis(1_794_738_600_000).unwrap().plus_days(days)
    }

    fn step(does: &str, file: &str) -> serde_json::Value {
        let (place, _) = file.rsplit_once('/').unwrap_or((".", file));
        serde_json::json!({"does": does, "role": "source", "place": place, "file": file})
    }

    fn session(name: &str, days: f64, files: &[&str]) -> SessionDigest {
        let sequence: Vec<_> = files
            .iter()
            .map(|file| if file.contains("new") { step("write", file) } else { step("edit", file) })
            .collect();
        serde_json::from_value(serde_json::json!({
            "session": name, "at": at(days).to_string(), "validated": true, "module": "src/cli", "methodology": "native",
            "task": format!("please add a {name} command"),
            "files": files.iter().map(|file| serde_json::json!({"file": file, "reads": 0, "changes": 1})).collect::<Vec<_>>(),
            "pairs": [], "errors": [],
            "sequence": sequence, "tokens": 0, "plan": null
        }))
        .unwrap()
    }

    const FILES: [&str; 5] =
        ["src/cli/new_a.rs", "src/cli/mod.rs", "src/cli/help.rs", "src/main.rs", "src/app.rs"];

    #[test]
    fn recipes_need_steps_sessions_recency_and_one_module() {
        for (what, steps, sessions, days, module, expected) in [
            ("enough of all", 4, 3, 30.0, "src/cli", true),
            ("more of all", 5, 4, 10.0, "src/cli", true),
            ("three steps", 3, 3, 10.0, "src/cli", false),
            ("two sessions", 4, 2, 10.0, "src/cli", false),
            ("too long ago", 4, 3, 31.0, "src/cli", false),
            ("another module", 4, 3, 10.0, "src/web", false),
        ] {
            let newest = session("s0", 0.0, &FILES[..steps]);
            let others: Vec<SessionDigest> = (1..sessions)
                .map(|number| SessionDigest {
                    module: Some(module.into()),
                    ..session(&format!("s{number}"), -days, &FILES[..steps])
                })
                .collect();
            let found = find_repeated_steps(&newest, &others.iter().collect::<Vec<_>>());
            assert_eq!(found.is_some(), expected, "{what}");
        }
    }

    #[test]
    fn new_files_may_differ_between_tasks() {
        let newest = session(
            "alpha",
            0.0,
            &["src/cli/new_a.rs", "src/cli/mod.rs", "src/main.rs", "src/app.rs"],
        );
        let others = [
            session(
                "beta",
                -1.0,
                &[
                    "src/cli/new_b.rs",
                    "src/other.rs",
                    "src/cli/mod.rs",
                    "src/main.rs",
                    "src/app.rs",
                ],
            ),
            session(
                "gamma",
                -2.0,
                &["src/cli/new_c.rs", "src/cli/mod.rs", "src/main.rs", "src/app.rs", "src/z.rs"],
            ),
        ];
        let found = find_repeated_steps(&newest, &others.iter().collect::<Vec<_>>()).unwrap();
        let steps: Vec<String> = found.steps.iter().map(RecipeStep::to_string).collect();
        assert_eq!(
            steps,
            [
                "Write a file in `src/cli`",
                "Change `src/cli/mod.rs`",
                "Change `src/main.rs`",
                "Change `src/app.rs`"
            ]
        );
        assert_eq!(found.task_pattern, "add command in src/cli");
        assert!(others.iter().all(|digest| follows(&found.steps, &digest.sequence)));
    }

    #[test]
    fn sessions_confirm_or_outdate_a_recipe() {
        let newest = session("alpha", 0.0, &FILES);
        let others = [session("beta", -1.0, &FILES), session("gamma", -2.0, &FILES)];
        let found = find_repeated_steps(&newest, &others.iter().collect::<Vec<_>>()).unwrap();
        let recipe = WorkflowRecipe {
            task_pattern: found.task_pattern,
            steps: found.steps,
            last_validated_at: at(0.0),
            success_count: 3,
        };
        let id = MemoryId::from_parts(at(0.0), [1; 10]);
        let known =
            |confidence, stale| KnownRecipe { id, recipe: recipe.clone(), confidence, stale };
        let failed = SessionDigest { validated: false, failed: true, ..session("d", 1.0, &FILES) };
        let mut unchecked = failed.clone();
        unchecked.sequence.retain(|step| !matches!(step.action, SequenceAction::Check(_)));
        let elsewhere = session("d", 1.0, &["src/cli/mod.rs"]);
        let unrelated = session("d", 1.0, &["src/q.rs"]);
        for (what, digest, days, confidence, stale, expected) in [
            ("followed", session("d", 1.0, &FILES), 1.0, 0.7, false, "worked 4 0.75"),
            ("followed though stale", session("d", 1.0, &FILES), 1.0, 0.7, true, "worked 4 0.75"),
            ("as sure as can be", session("d", 1.0, &FILES), 1.0, 0.95, false, "worked 4 0.95"),
            ("the same session", session("alpha", 0.0, &FILES), 1.0, 0.7, false, "nothing"),
            ("followed and failed", failed.clone(), 1.0, 0.7, false, "stale"),
            ("followed up to the check that failed", unchecked, 1.0, 0.7, false, "stale"),
            ("failed, stale before", failed, 1.0, 0.7, true, "nothing"),
            ("canonical file changed", elsewhere, 1.0, 0.7, false, "stale"),
            ("unrelated", unrelated.clone(), 1.0, 0.7, false, "nothing"),
            ("60 days", unrelated.clone(), 60.0, 0.7, false, "nothing"),
            ("61 days", unrelated, 61.0, 0.7, false, "stale"),
        ] {
            let change = match review_recipe(&known(confidence, stale), &digest, at(days)) {
                None => "nothing".to_owned(),
                Some(RecipeChange::Stale(_)) => "stale".to_owned(),
                Some(RecipeChange::Worked { recipe, confidence }) => {
                    format!("worked {} {confidence}", recipe.success_count)
                }
            };
            assert_eq!(change, expected, "{what}");
        }
    }
}
