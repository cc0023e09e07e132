//! An error that was met: by what it is recognised, and what put an end to it.

use serde::{Deserialize, Serialize};

use super::details::{Details, Plain};
use super::memory::NewMemory;
use super::placement::Subject;
use super::values::{FingerprintDigest, RepoPath, Tags};

/// An error that was met.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorPattern {
    /// The fingerprint of what the failing command printed.
    pub fingerprint: FingerprintDigest,
    /// What was seen to put an end to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<ErrorFix>,
}

/// A command that failed and passed later, and what was done in between.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorFix {
    /// The command line.
    pub failing_command: String,
    /// The line of its output that tells what went wrong.
    pub error: String,
    /// The first test that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_test: Option<String>,
    /// How often it failed before it passed.
    pub failures: u32,
    /// What put an end to it.
    pub resolution: Resolution,
}

/// What put an end to an error: changed files, or if there are none, commands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Resolution {
    /// The files that were changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RepoPath>,
    /// The last of their changes, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<LineChange>,
    /// The commands that were run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
}

/// A change of a file, by the first line that went and the first that came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineChange {
    /// The line that went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<String>,
    /// The line that came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<String>,
}

impl NewMemory {
    /// Gives an error pattern of schema 12 or earlier its fields: until then a tag held the
    /// fingerprint, and a sentence all the rest.
    pub fn upgrade(&mut self) {
        let digest = |tag: &super::values::Tag| digest_of_token(tag.as_str());
        let Some(fingerprint) = self.tags.iter().find_map(digest) else { return };
        if *self.subject.details() != Details::Plain(Plain::ErrorPattern) {
            return;
        }
        let fix = fix_of_sentence(self.content.as_str());
        let details = Details::ErrorPattern(ErrorPattern { fingerprint, fix });
        let others = self.tags.iter().filter(|tag| digest(tag).is_none()).cloned();
        if let (Ok(subject), Ok(tags)) =
            (Subject::new(details, self.subject.placement().clone()), Tags::collect(others))
        {
            (self.subject, self.tags) = (subject, tags);
        }
    }
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
fn resolution_of_sentence(how: &str) -> Option<Resolution> {
    // What is between backticks alternates with the words around it.
    let mut words = how.split('`').skip(1);
    let mut resolution = Resolution::default();
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
