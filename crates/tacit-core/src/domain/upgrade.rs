//! Conclusions of schema 12 or earlier, which were sentences, in the fields they have now.

use super::details::{Details, PlainType};
use super::error_pattern::{ErrorFix, ErrorPattern, ErrorResolution, LineChange};
use super::memory::MemoryBody;
use super::placement::Subject;
use super::recipe::{CheckKind, FileRole, StepAction, StepFile, WorkflowRecipe};
use super::values::{FingerprintDigest, RepoPath, Tag, Tags};

impl MemoryBody {
    /// Gives a conclusion of schema 12 or earlier its fields. Of an error, a tag held the fingerprint
    /// and a sentence all the rest.
    pub fn upgrade(&mut self) {
        let (details, tags) = match self.subject.details() {
            Details::Plain(PlainType::ErrorPattern) => {
                let digest = |tag: &Tag| digest_of_token(tag.as_str());
                let Some(fingerprint) = self.tags.iter().find_map(digest) else { return };
                let fix = fix_of_sentence(self.content.as_str());
                let others = self.tags.iter().filter(|tag| digest(tag).is_none()).cloned();
                let details = Details::ErrorPattern(ErrorPattern { fingerprint, fix });
                (details, Tags::collect(others))
            }
            Details::WorkflowRecipe(recipe) => {
                let mut recipe = recipe.clone();
                upgrade_steps(&mut recipe);
                (Details::WorkflowRecipe(recipe), Ok(self.tags.clone()))
            }
            _ => return,
        };
        if let (Ok(subject), Ok(tags)) =
            (Subject::new(details, self.subject.placement().clone()), tags)
        {
            (self.subject, self.tags) = (subject, tags);
        }
    }
}

/// Steps that were observed had only a sentence.
fn upgrade_steps(recipe: &mut WorkflowRecipe) {
    for step in recipe.steps.iter_mut().filter(|step| step.action.is_none()) {
        if let Some(action) = step.description.as_deref().and_then(action_of_sentence) {
            (step.action, step.description) = (Some(action), None);
        }
    }
}

/// The action of which this is the sentence. What stands in backticks leaves few to choose from.
fn action_of_sentence(text: &str) -> Option<StepAction> {
    let name = text.split('`').nth(1)?;
    let roles = std::iter::once(None).chain(FileRole::ALL.iter().copied().map(Some));
    let like = roles.map(|role| StepFile::Like { role, directory: name.to_owned() });
    let files = RepoPath::new(name).ok().map(StepFile::Named).into_iter().chain(like);
    let on_files = files.flat_map(|file| [StepAction::Write(file.clone()), StepAction::Edit(file)]);
    let checks = CheckKind::ALL.iter().map(|&kind| {
        let runner = name.to_owned();
        StepAction::Check { kind, runner }
    });
    on_files.chain(checks).find(|action| action.to_string() == text)
}

/// The fingerprint that was a word of letters alone: `zq`, the digits as letters, `q`.
pub fn digest_of_token(token: &str) -> Option<FingerprintDigest> {
    let digits = token.strip_prefix("zq")?.strip_suffix('q')?.bytes().map(|letter| match letter {
        b'g'..=b'p' => char::from(b'0' + (letter - b'g')),
        other => char::from(other),
    });
    FingerprintDigest::new(digits.collect::<String>()).ok()
}

/// Reads `` `COMMAND` failed 2 times: ERROR (test `NAME`). It passed after … ``.
fn fix_of_sentence(text: &str) -> Option<ErrorFix> {
    let (failing_command, rest) = text.strip_prefix('`')?.split_once("` failed")?;
    let (failures, rest) = rest.split_once(": ")?;
    let failures = match failures.trim().strip_suffix(" times") {
        Some(count) => count.parse().ok()?,
        None => 1,
    };
    let (error, how) = rest.rsplit_once(". It passed after ")?;
    let (error, failed_test) =
        match error.strip_suffix("`)").and_then(|e| e.rsplit_once(" (test `")) {
            Some((error, test)) => (error, Some(test.to_owned())),
            None => (error, None),
        };
    Some(ErrorFix {
        failing_command: failing_command.to_owned(),
        error: error.to_owned(),
        failed_test,
        failures,
        resolution: resolution_of_sentence(how)?,
    })
}

/// Reads `` `a` and `b` were changed: `x` became `y`; `z` was added. `` or `` `COMMAND` was run. ``.
fn resolution_of_sentence(how: &str) -> Option<ErrorResolution> {
    // What is between backticks alternates with the words around it.
    let mut words = how.split('`').skip(1);
    let mut resolution = ErrorResolution::default();
    let mut removed = None;
    let mut in_changes = false;
    while let (Some(quoted), Some(after)) = (words.next(), words.next()) {
        let quoted = quoted.to_owned();
        if in_changes {
            let change = match after.trim_end_matches(['.', ';', ' ']) {
                " became" => {
                    removed = Some(quoted);
                    continue;
                }
                " was taken out" => LineChange { removed: Some(quoted), added: None },
                _ => LineChange { removed: removed.take(), added: Some(quoted) },
            };
            resolution.changes.push(change);
        } else if after.starts_with(" was run") {
            resolution.commands.push(quoted);
        } else {
            resolution.files.push(RepoPath::new(quoted).ok()?);
            in_changes = after.contains(" changed");
        }
    }
    Some(resolution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sentences_of_before_become_fields() {
        for (text, expected) in [
            (
                "`cargo test` failed: error[E0308]: mismatched types. It passed after `src/a.rs` was changed.",
                json!({
                    "failing_command": "cargo test", "error": "error[E0308]: mismatched types",
                    "failures": 1, "resolution": {"files": ["src/a.rs"]},
                }),
            ),
            (
                "`make x` failed 3 times: assertion failed: a == b (test `adds`). It passed after `a.rs`, \
                 `b.rs` and `c.rs` were changed: `let x = 1;` became `let x = 2;`; `use y;` was added.",
                json!({
                    "failing_command": "make x", "error": "assertion failed: a == b",
                    "failed_test": "adds", "failures": 3,
                    "resolution": {
                        "files": ["a.rs", "b.rs", "c.rs"],
                        "changes": [
                            {"removed": "let x = 1;", "added": "let x = 2;"}, {"added": "use y;"},
                        ],
                    },
                }),
            ),
            (
                "`npm test` failed 2 times: no database. It passed after `docker compose up -d` was run.",
                json!({
                    "failing_command": "npm test", "error": "no database", "failures": 2,
                    "resolution": {"commands": ["docker compose up -d"]},
                }),
            ),
            (
                "`x` failed: y. It passed after `a.rs` was changed: `gone()` was taken out.",
                json!({
                    "failing_command": "x", "error": "y", "failures": 1,
                    "resolution": {"files": ["a.rs"], "changes": [{"removed": "gone()"}]},
                }),
            ),
        ] {
            let fix = fix_of_sentence(text).expect(text);
            assert_eq!(serde_json::to_value(fix).unwrap(), expected, "{text}");
        }
        assert_eq!(
            fix_of_sentence("Zero the arena first, as `make` failed: it passed then."),
            None
        );
    }

    #[test]
    fn steps_of_before_become_actions() {
        for (text, expected) in [
            ("Change `src/cli/mod.rs`", json!({"edit": {"named": "src/cli/mod.rs"}})),
            ("Write a file in `src/cli`", json!({"write": {"like": {"directory": "src/cli"}}})),
            (
                "Change a test file in `.`",
                json!({"edit": {"like": {"role": "test", "directory": "."}}}),
            ),
            (
                "Write a page in `docs`",
                json!({"write": {"like": {"role": "docs", "directory": "docs"}}}),
            ),
            ("Run the type checker (`tsc`)", json!({"check": {"kind": "types", "runner": "tsc"}})),
        ] {
            let action = action_of_sentence(text).expect(text);
            assert_eq!(serde_json::to_value(action).unwrap(), expected, "{text}");
        }
        for words in ["add the route", "Run the server (`make run`)", "Change `a` and `b`"] {
            assert_eq!(action_of_sentence(words), None);
        }
    }

    #[test]
    fn words_of_before_become_fingerprints() {
        for (token, digest) in [
            ("zqghijklmnopabcdefq", Some("0123456789abcdef")),
            ("zqqueueq", None),
            ("zq", None),
            ("cheat-sheet", None),
        ] {
            assert_eq!(digest_of_token(token).as_ref().map(FingerprintDigest::as_str), digest);
        }
    }
}
