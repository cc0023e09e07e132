//! Work that was thrown away: by git, or by writing what was there before.

use std::collections::BTreeMap;

use tacit_core::RepoPath;

use crate::git_commits::{commit_commands, program};
use crate::shell::joined_commands;
use crate::timeline::{StepKind, Timeline};

/// A file whose content returns to what it was counts as given up after so many steps.
pub const ABANDONED_STEPS: usize = 20;

/// What a command throws away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscardedPaths {
    /// Everything that is not committed.
    Everything,
    /// These files, and files in these directories.
    Paths(Vec<RepoPath>),
}

/// What a command line throws away by git, or takes back out of the stash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GitRevert {
    Discard(DiscardedPaths, &'static str),
    Restore,
}

/// Reads a command line; `inside` names a path as memories do.
pub(crate) fn git_revert(
    line: &str,
    to_repo_path: impl Fn(&str) -> Option<RepoPath>,
) -> Option<GitRevert> {
    for command in joined_commands(line) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let Some(("git", args)) = program(&words) else { continue };
        let args = match args {
            ["-C", _, rest @ ..] => rest,
            args => args,
        };
        let found = match args {
            ["checkout", rest @ ..]
                if !rest.iter().any(|w| matches!(*w, "-b" | "-B" | "--orphan")) =>
            {
                discarded_paths(rest, &to_repo_path)
                    .map(|discarded| GitRevert::Discard(discarded, "git checkout"))
            }
            ["restore", rest @ ..] => {
                let staged_only = rest.iter().any(|w| matches!(*w, "--staged" | "-S"))
                    && !rest.iter().any(|w| matches!(*w, "--worktree" | "-W"));
                let discarded =
                    if staged_only { None } else { discarded_paths(rest, &to_repo_path) };
                discarded.map(|discarded| GitRevert::Discard(discarded, "git restore"))
            }
            ["reset", rest @ ..] if rest.contains(&"--hard") => {
                Some(GitRevert::Discard(DiscardedPaths::Everything, "git reset --hard"))
            }
            ["stash"] | ["stash", "push" | "save" | "-u" | "--include-untracked", ..] => {
                Some(GitRevert::Discard(DiscardedPaths::Everything, "git stash"))
            }
            ["stash", "pop" | "apply", ..] => Some(GitRevert::Restore),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn discarded_paths(
    args: &[&str],
    to_repo_path: impl Fn(&str) -> Option<RepoPath>,
) -> Option<DiscardedPaths> {
    let mut operands: Vec<&str> = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match *word {
            "--source" | "-s" => drop(words.next()),
            "." | ":/" => return Some(DiscardedPaths::Everything),
            word if word.starts_with('-') => {}
            word => operands.push(word),
        }
    }
    let files: Vec<RepoPath> = operands.into_iter().filter_map(to_repo_path).collect();
    (!files.is_empty()).then_some(DiscardedPaths::Paths(files))
}

/// An approach that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbandonedApproach {
    /// The place of the first change that was thrown away.
    pub first_step: usize,
    /// The place at which it was thrown away.
    pub last_step: usize,
    /// How many calls of tools lie between.
    pub steps: usize,
    /// The files that were as before afterwards.
    pub files: Vec<RepoPath>,
    /// How it was thrown away, in words.
    pub how: &'static str,
}

impl AbandonedApproach {
    /// Whether what is about these files and complete at this place was thrown away with it.
    pub fn includes(&self, step_index: usize, files: &[RepoPath]) -> bool {
        (self.first_step..=self.last_step).contains(&step_index)
            && !files.is_empty()
            && files.iter().all(|file| self.files.contains(file))
    }
}

/// The approaches of a timeline that were given up. Changes that were committed are not thrown away
/// by what follows.
pub fn abandoned_approaches(timeline: &Timeline) -> Vec<AbandonedApproach> {
    let mut found: Vec<AbandonedApproach> = Vec::new();
    // Changes that git could throw away, and the states each file has had.
    let mut uncommitted: Vec<(usize, RepoPath)> = Vec::new();
    let mut states: BTreeMap<RepoPath, FileStates> = BTreeMap::new();
    for (step_index, step) in timeline.steps.iter().enumerate() {
        match &step.kind {
            StepKind::Edit(files) => {
                for (file, change) in files.iter().filter(|(_, change)| !change.is_formatting()) {
                    uncommitted.push((step_index, file.clone()));
                    let state = states.entry(file.clone()).or_default();
                    if let Some((first_step, steps)) =
                        state.change(change, step_index, step.call_number)
                        && steps >= ABANDONED_STEPS
                    {
                        found.push(AbandonedApproach {
                            first_step,
                            last_step: step_index,
                            steps,
                            files: vec![file.clone()],
                            how: "what it held before was written back",
                        });
                    }
                }
            }
            StepKind::Command(run) if run.succeeded == Some(true) => {
                match &run.reverts {
                    Some(GitRevert::Discard(discarded, how)) => {
                        let is_discarded = |file: &RepoPath| match discarded {
                            DiscardedPaths::Everything => true,
                            DiscardedPaths::Paths(discarded_paths) => {
                                discarded_paths.iter().any(|path| {
                                    file == path
                                        || file
                                            .as_str()
                                            .strip_prefix(path.as_str())
                                            .is_some_and(|r| r.starts_with('/'))
                                })
                            }
                        };
                        let (lost, remaining): (Vec<_>, Vec<_>) = std::mem::take(&mut uncommitted)
                            .into_iter()
                            .partition(|(_, file)| is_discarded(file));
                        uncommitted = remaining;
                        let Some((first_step, _)) = lost.first() else { continue };
                        let mut files: Vec<RepoPath> =
                            lost.iter().map(|(_, file)| file.clone()).collect();
                        files.sort();
                        files.dedup();
                        for file in &files {
                            states.remove(file);
                        }
                        let first = &timeline.steps[*first_step];
                        let steps = if first.conversation == step.conversation {
                            step.call_number - first.call_number
                        } else {
                            0
                        };
                        found.push(AbandonedApproach {
                            first_step: *first_step,
                            last_step: step_index,
                            steps,
                            files,
                            how,
                        });
                    }
                    // What is taken out of the stash was not given up.
                    Some(GitRevert::Restore)
                        if found.last().is_some_and(|last| last.how == "git stash") =>
                    {
                        found.pop();
                    }
                    Some(GitRevert::Restore) | None => {}
                }
                if !commit_commands(&run.line).is_empty() {
                    uncommitted.clear();
                }
            }
            _ => {}
        }
    }
    found
}

/// The states a file has had: what is known of them is what was written, or which edits are in force.
#[derive(Default)]
struct FileStates {
    edits: Vec<(String, String)>,
    whole_file: Option<String>,
    seen: Vec<(String, usize, usize)>,
}

impl FileStates {
    /// Takes a change; if it leads back to an earlier state, where that state was left and how many
    /// steps ago.
    fn change(
        &mut self,
        change: &crate::file_edit::FileEdit,
        step_index: usize,
        number: usize,
    ) -> Option<(usize, usize)> {
        let before = self.name();
        if change.whole_file {
            self.whole_file = Some(crate::text::stable_key(&[&change.new]));
            self.edits.clear();
        } else {
            let undone =
                self.edits.iter().rposition(|(old, new)| *old == change.new && *new == change.old);
            match undone {
                Some(at) => drop(self.edits.remove(at)),
                None => self.edits.push((change.old.clone(), change.new.clone())),
            }
        }
        let now = self.name();
        let earlier = self.seen.iter().position(|(state, ..)| *state == now);
        let returned = earlier.map(|at| (self.seen[at].1, number.saturating_sub(self.seen[at].2)));
        match earlier {
            Some(at) => self.seen.truncate(at),
            None => self.seen.push((before, step_index, number)),
        }
        returned
    }

    fn name(&self) -> String {
        let mut parts: Vec<&str> = vec![self.whole_file.as_deref().unwrap_or_default()];
        for (old, new) in &self.edits {
            parts.extend([old.as_str(), new.as_str()]);
        }
        crate::text::stable_key(&parts)
    }
}
