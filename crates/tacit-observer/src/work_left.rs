//! The work that a session left behind: changes that were not committed, and checks that failed and
//! have not passed since.

use tacit_core::RepoPath;

use crate::findings::{FindingKind, findings};
use crate::git_commits::commit_commands;
use crate::reverts::GitRevert;
use crate::shell::joined_commands;
use crate::text::one_line;
use crate::timeline::{CommandRun, StepKind, Timeline};
use crate::validation::{
    CheckCommand, CheckOutcome, FailedCheck, SessionVerdict, evaluate_command, verdict,
};

/// Maximum length of a finding, in characters.
const MAX_FINDING: usize = 120;

/// The work that a session left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkLeft {
    /// The changed files that were not committed, last changed first.
    pub uncommitted: Vec<RepoPath>,
    /// True if something was committed.
    pub committed: bool,
    /// The checks that failed and have not passed since.
    pub open_checks: Vec<OpenCheck>,
    /// The last check that passed after all changes.
    pub passed: Option<String>,
    /// The checks that passed and have not failed since.
    passed_checks: Vec<CheckCommand>,
}

/// A check that failed and has not passed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCheck {
    /// The command, without what filters its output.
    pub command: String,
    /// The first finding that it printed.
    pub finding: Option<String>,
    /// True if files were changed since, so that it may pass now.
    pub changed_since: bool,
}

impl WorkLeft {
    /// Reads a timeline.
    pub fn from_timeline(timeline: &Timeline) -> WorkLeft {
        let mut left = WorkLeft::default();
        for step in &timeline.steps {
            match &step.kind {
                StepKind::Edit(files) => {
                    let changed = files.iter().filter(|(_, edit)| !edit.is_formatting());
                    for (file, _) in changed {
                        left.uncommitted.retain(|known| known != file);
                        left.uncommitted.insert(0, file.clone());
                        left.passed = None;
                    }
                }
                StepKind::Command(run) => left.follow(run),
                _ => {}
            }
        }
        left.open_checks = open_checks(timeline);
        left.passed = left.passed.filter(|_| left.open_checks.is_empty());
        left
    }

    /// Returns true if all checks of a command passed in this session.
    pub fn passes(&self, command: &str) -> bool {
        let checks = evaluate_command(command, "", Some(false)).checks;
        let passed = |check: &CheckCommand| self.passed_checks.iter().any(|one| one.covers(check));
        !checks.is_empty() && checks.iter().all(passed)
    }

    fn follow(&mut self, run: &CommandRun) {
        if run.succeeded == Some(true) {
            if !commit_commands(&run.line).is_empty() {
                self.committed = true;
                self.uncommitted.clear();
            }
            // Stashed changes come back.
            for revert in &run.reverts {
                if let GitRevert::Discard(discarded, _) = revert {
                    self.uncommitted.retain(|file| !discarded.include(file));
                }
            }
        }
        if run.check.outcome == CheckOutcome::Failed {
            let failed = &run.check.checks;
            self.passed_checks.retain(|one| !failed.iter().any(|check| one.covers(check)));
        }
        if run.check.outcome == CheckOutcome::Passed && !run.check.checks.is_empty() {
            self.passed_checks.extend(run.check.checks.iter().cloned());
            self.passed = Some(shown_checks(&run.line, &run.check.checks));
        }
    }
}

/// Returns the checks that failed and have not passed since, under any runner that covers them.
/// Nobody knows whether a check still fails after changes that something else accepted: it does not
/// count.
pub fn open_checks(timeline: &Timeline) -> Vec<OpenCheck> {
    let SessionVerdict::Failed { open, .. } = verdict(timeline) else { return Vec::new() };
    // A wider check that fails later says the same.
    let is_repeated = |failed: &FailedCheck| {
        let later = open.iter().filter(|other| other.step_index > failed.step_index);
        let mut checks = later.filter_map(|other| other.check.as_ref());
        failed.check.as_ref().is_some_and(|check| checks.any(|wider| wider.covers(check)))
    };
    let open = open.iter().filter(|failed| !is_repeated(failed)).filter_map(|failed| {
        let check = failed.check.clone()?;
        let StepKind::Command(run) = &timeline.steps.get(failed.step_index)?.kind else {
            return None;
        };
        let changed = timeline.changes().map(|(at, ..)| at).find(|at| *at > failed.step_index);
        let accepted = changed.is_some_and(|changed| {
            timeline.runs().any(|(at, run)| at > changed && run.succeeded == Some(true))
        });
        (!accepted).then(|| OpenCheck {
            command: shown_checks(&run.line, std::slice::from_ref(&check)),
            finding: first_finding(&run.output),
            changed_since: changed.is_some(),
        })
    });
    open.collect()
}

fn first_finding(output: &str) -> Option<String> {
    let found = findings(output).into_iter().find(|found| found.kind != FindingKind::Usage)?;
    let name = found.test.or(found.file);
    let text = match name {
        Some(name) if found.message.is_empty() => name,
        Some(name) => format!("{name}: {}", found.message),
        None => found.message,
    };
    (!text.is_empty()).then(|| one_line(&text, MAX_FINDING))
}

/// Returns the checks of a command line as they were typed, without redirections and filters.
pub fn shown_checks(line: &str, checks: &[CheckCommand]) -> String {
    let commands = joined_commands(line);
    let words = checks.iter().filter_map(|check| commands.get(check.command_index));
    let shown: Vec<String> = words.map(|command| typed(&command.words)).collect();
    let shown = if shown.is_empty() { line.to_owned() } else { shown.join(" && ") };
    one_line(&shown, MAX_FINDING)
}

/// Joins the words of a command, with quotes around those that a shell would split or expand.
fn typed(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+~^$".contains(c);
        let needs = word.is_empty() || !word.chars().all(plain);
        if needs { format!("'{word}'") } else { word.clone() }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_core::{SessionId, Timestamp};

    use crate::FileEdit;
    use crate::timeline::TimelineStep;

    #[derive(Debug)]
    enum Did {
        Edit,
        Pass(&'static str),
        Fail(&'static str),
    }
    use Did::{Edit, Fail, Pass};

    fn timeline(did: &[Did]) -> Timeline {
        let run = |line: &str, succeeded: bool| {
            StepKind::Command(Box::new(CommandRun {
                tool: "Bash".into(),
                line: line.into(),
                output: String::new(),
                succeeded: Some(succeeded),
                check: evaluate_command(line, "", Some(succeeded)),
                reverts: crate::reverts::git_reverts(line, |word| RepoPath::new(word).ok()),
            }))
        };
        let steps = did.iter().enumerate().map(|(at, did)| TimelineStep {
            event: at.to_string(),
            at: Timestamp::from_millis(at as i64).unwrap_or(Timestamp::MIN),
            session: SessionId::new("s").expect("an id"),
            agent: None,
            conversation: 0,
            call_number: at,
            bytes: 0,
            kind: match did {
                Edit => StepKind::Edit(vec![(
                    "src/a.rs".parse().expect("a path"),
                    FileEdit { old: "a".into(), new: "b".into(), whole_file: false },
                )]),
                Pass(line) => run(line, true),
                Fail(line) => run(line, false),
            },
        });
        Timeline { steps: steps.collect(), ..Timeline::default() }
    }

    #[test]
    fn checks_are_open_until_something_that_covers_them_passes() {
        for (did, expected) in [
            (vec![Fail("cargo test 2>&1")], vec!["cargo test"]),
            (vec![Fail("cargo test a"), Pass("cargo test")], vec![]),
            (vec![Fail("cargo test a"), Fail("cargo test")], vec!["cargo test"]),
            (vec![Fail("npx jest cart"), Pass("pnpm test")], vec![]),
            (vec![Fail("cargo test"), Pass("ls")], vec!["cargo test"]),
            (vec![Fail("cargo test"), Edit], vec!["cargo test"]),
            (vec![Fail("cargo test"), Edit, Pass("git push")], vec![]),
            (vec![Fail("pytest /tmp/x.py"), Fail("/tmp/shop unknown")], vec![]),
            (vec![Fail("git stash && cargo test; git stash pop")], vec![]),
            (vec![Fail("gh release view v1")], vec![]),
        ] {
            let open = open_checks(&timeline(&did));
            let open: Vec<&str> = open.iter().map(|check| check.command.as_str()).collect();
            assert_eq!(open, expected, "{did:?}");
        }
    }

    #[test]
    fn commits_and_discards_leave_no_changes() {
        for (did, uncommitted, committed, passed) in [
            (vec![Edit], 1, false, None),
            (vec![Edit, Pass("cargo test")], 1, false, Some("cargo test")),
            (vec![Pass("cargo test"), Edit], 1, false, None),
            (vec![Edit, Pass("git commit -am x")], 0, true, None),
            (vec![Edit, Fail("git commit -am x")], 1, false, None),
            (vec![Edit, Pass("git commit -am x"), Edit], 1, true, None),
            (vec![Edit, Pass("git checkout -- src")], 0, false, None),
            (vec![Edit, Pass("git checkout -- docs")], 1, false, None),
            (vec![Edit, Pass("git stash"), Pass("git stash pop")], 1, false, None),
        ] {
            let left = WorkLeft::from_timeline(&timeline(&did));
            assert_eq!(
                (left.uncommitted.len(), left.committed, left.passed.as_deref()),
                (uncommitted, committed, passed)
            );
        }
    }
}
