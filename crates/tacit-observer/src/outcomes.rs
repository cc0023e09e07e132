//! The outcome of a session in numbers: tool calls, tokens, repeated reads, and the errors of its
//! commands until they passed. Computed from the log of the session alone, so that reports can be
//! reproduced from it.

use std::collections::{BTreeMap, HashSet};

use tacit_core::{FingerprintDigest, RepoPath, SessionId, Timestamp};

use crate::digest::BYTES_PER_TOKEN;
use crate::fingerprint::error_fingerprint;
use crate::log::LogEntry;
use crate::rules::{covers, only_inspects};
use crate::timeline::{CommandRun, StepKind, Timeline, TimelineStep};
use crate::validation::CheckOutcome;

/// The outcome of a session in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOutcome {
    /// The measured session.
    pub session: SessionId,
    /// The number of tool calls.
    pub calls: u64,
    /// The approximate number of tokens of its conversations, without what hooks showed.
    pub tokens: u64,
    /// The reads of a file that the same conversation had read, with no change in between.
    pub rereads: u64,
    /// The errors of commands, in order.
    pub errors: Vec<ErrorCase>,
    /// The checks that failed, each until it passed or the session ended.
    pub failed_checks: Vec<FailedCheckStreak>,
    /// The files that were changed, by path.
    pub changed: Vec<RepoPath>,
}

/// An error of a command, from its first failure until the command passes, fails with another error,
/// or the session ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorCase {
    /// The fingerprint, equal for equal errors.
    pub fingerprint: FingerprintDigest,
    /// The time of the first failure.
    pub at: Timestamp,
    /// The log entries of the runs that failed with it; never empty.
    pub failures: Vec<String>,
    /// The effort until the command passed; `None` if it did not, or failed with another error first.
    pub resolution: Option<Resolution>,
}

/// The effort between the first failure of a command and its first pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolution {
    /// The tool calls, the one that passed included.
    pub calls: u64,
    /// The approximate number of tokens of the conversation in between.
    pub tokens: u64,
}

/// The runs of a check that failed in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FailedCheckStreak {
    /// The number of runs that failed.
    pub failures: u32,
    /// True if a later run passed.
    pub passed: bool,
}

impl ErrorCase {
    /// Returns the number of runs after the first that failed with the same error.
    pub fn repeats(&self) -> u64 {
        self.failures.len() as u64 - 1
    }

    /// Returns true if the run after the first failure passed.
    pub fn passed_next(&self) -> bool {
        self.failures.len() == 1 && self.resolution.is_some()
    }
}

impl SessionOutcome {
    /// Measures a session by its log, in whatever order its entries are.
    pub fn measure(session: SessionId, log: &[LogEntry]) -> SessionOutcome {
        let timeline = Timeline::from_log(log);
        let mut open = OpenFailures::default();
        for step in &timeline.steps {
            open.follow(step);
        }
        let (errors, failed_checks) = open.close();
        SessionOutcome {
            session,
            calls: timeline.calls() as u64,
            tokens: timeline.bytes / BYTES_PER_TOKEN,
            rereads: rereads(&timeline),
            errors,
            failed_checks,
            changed: timeline.changed_files(),
        }
    }
}

/// Counts the reads of files that the conversation has read, unless a session of the tree changed the
/// file since. Reads after a compaction count, although they may be necessary.
fn rereads(timeline: &Timeline) -> u64 {
    let mut read: HashSet<(usize, &RepoPath)> = HashSet::new();
    let mut again = 0;
    for step in &timeline.steps {
        match &step.kind {
            StepKind::Read(file) => again += u64::from(!read.insert((step.conversation, file))),
            StepKind::Edit(files) => {
                read.retain(|(_, known)| files.iter().all(|(file, _)| file != *known));
            }
            _ => {}
        }
    }
    again
}

/// Commands that failed and did not pass yet.
#[derive(Default)]
struct OpenFailures<'t> {
    open: Vec<OpenCommand<'t>>,
    /// The bytes of each conversation so far.
    bytes: BTreeMap<usize, u64>,
    closed: Vec<(usize, ErrorCase)>,
    streaks: Vec<FailedCheckStreak>,
    /// The number of cases that were opened, by which they are ordered.
    cases: usize,
}

/// A command that failed and did not pass yet.
struct OpenCommand<'t> {
    run: &'t CommandRun,
    conversation: usize,
    failures: u32,
    error: Option<OpenCase>,
}

struct OpenCase {
    number: usize,
    case: ErrorCase,
    first_call: usize,
    bytes_before: u64,
}

impl<'t> OpenFailures<'t> {
    fn follow(&mut self, step: &'t TimelineStep) {
        let bytes = self.bytes.entry(step.conversation).or_default();
        *bytes += step.bytes;
        let StepKind::Command(run) = &step.kind else { return };
        match run.check.outcome {
            CheckOutcome::Failed if !only_inspects(&run.line) => self.fail(step, run),
            CheckOutcome::Passed => self.pass(step, run),
            _ => {}
        }
    }

    fn fail(&mut self, step: &'t TimelineStep, run: &'t CommandRun) {
        let conversation = step.conversation;
        let same = |open: &OpenCommand<'_>| {
            open.conversation == conversation && open.run.check.key == run.check.key
        };
        let known = self.open.iter().position(same).unwrap_or_else(|| {
            self.open.push(OpenCommand { run, conversation, failures: 0, error: None });
            self.open.len() - 1
        });
        let open = &mut self.open[known];
        (open.run, open.failures) = (run, open.failures + 1);
        let Some(print) = error_fingerprint(&run.tool, &run.output) else { return };
        if let Some(error) = &mut open.error
            && error.case.fingerprint == *print.digest()
        {
            error.case.failures.push(step.event.clone());
            return;
        }
        let next = OpenCase {
            number: self.cases,
            case: ErrorCase {
                fingerprint: print.digest().clone(),
                at: step.at,
                failures: vec![step.event.clone()],
                resolution: None,
            },
            first_call: step.call_number,
            bytes_before: self.bytes.get(&conversation).copied().unwrap_or_default(),
        };
        self.cases += 1;
        let replaced = open.error.replace(next);
        self.closed.extend(replaced.map(|replaced| (replaced.number, replaced.case)));
    }

    fn pass(&mut self, step: &TimelineStep, run: &CommandRun) {
        let bytes = self.bytes.get(&step.conversation).copied().unwrap_or_default();
        let (passed, open): (Vec<_>, Vec<_>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|open| open.conversation == step.conversation && covers(run, open.run));
        self.open = open;
        for command in passed {
            self.streaks.extend(command.streak(true));
            if let Some(OpenCase { number, mut case, first_call, bytes_before }) = command.error {
                case.resolution = Some(Resolution {
                    calls: step.call_number.saturating_sub(first_call) as u64,
                    tokens: bytes.saturating_sub(bytes_before) / BYTES_PER_TOKEN,
                });
                self.closed.push((number, case));
            }
        }
    }

    fn close(mut self) -> (Vec<ErrorCase>, Vec<FailedCheckStreak>) {
        for command in self.open {
            self.streaks.extend(command.streak(false));
            self.closed.extend(command.error.map(|error| (error.number, error.case)));
        }
        self.closed.sort_by_key(|(number, _)| *number);
        (self.closed.into_iter().map(|(_, case)| case).collect(), self.streaks)
    }
}

impl OpenCommand<'_> {
    fn streak(&self, passed: bool) -> Option<FailedCheckStreak> {
        let is_check = !self.run.check.checks.is_empty();
        is_check.then_some(FailedCheckStreak { failures: self.failures, passed })
    }
}
