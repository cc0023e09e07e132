//! Detects abandoned work: discarded with git, or written back to its earlier content.

use std::collections::{BTreeMap, HashSet};

use tacit_core::RepoPath;

use crate::git_commits::program;
use crate::shell::joined_commands;
use crate::timeline::{StepKind, Timeline};

/// Tool calls after which restored content counts as an abandoned approach.
pub const ABANDONED_STEPS: usize = 20;

/// Tenths of the discarded lines that show that an approach was fetched back.
const FETCHED_BACK_TENTHS: usize = 6;

/// The paths that a command discards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscardedPaths {
    /// All uncommitted changes.
    Everything,
    /// Files, or directories with everything in them.
    Paths(Vec<RepoPath>),
}

/// The effect of a git command on uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GitRevert {
    /// Removes changes.
    Discard(DiscardedPaths, &'static str),
    /// Sets changes aside.
    Stash(DiscardedPaths),
    /// Brings back the changes that were set aside last.
    Restore,
    /// Removes the changes that were set aside last.
    DropStash,
    /// Keeps all changes.
    Commit,
}

/// Reads the git commands of a command line in order; `to_repo_path` converts a path to the form
/// that memories use, and returns `None` outside the repository.
pub(crate) fn git_reverts(
    line: &str,
    to_repo_path: impl Fn(&str) -> Option<RepoPath>,
) -> Vec<GitRevert> {
    let mut found = Vec::new();
    let mut directory = String::new();
    for command in joined_commands(line) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let Some((name, args)) = program(&words) else { continue };
        if let ("cd" | "pushd", [to, ..]) = (name, args) {
            directory = join(&directory, to);
            continue;
        }
        if name != "git" {
            continue;
        }
        let (directory, args) = git_arguments(&directory, args);
        // Other repositories do not matter.
        if to_repo_path(&join(&directory, "any")).is_some() {
            found.extend(git_revert(args, |word| to_repo_path(&join(&directory, word))));
        }
    }
    found
}

/// Skips the options of git itself and follows `-C`.
fn git_arguments<'a, 'w>(directory: &str, mut args: &'w [&'a str]) -> (String, &'w [&'a str]) {
    let mut directory = directory.to_owned();
    loop {
        args = match args {
            ["-C", to, rest @ ..] => {
                directory = join(&directory, to);
                rest
            }
            ["-c" | "--git-dir" | "--work-tree" | "--namespace", _, rest @ ..] => rest,
            [option, rest @ ..] if option.starts_with('-') => rest,
            args => return (directory, args),
        }
    }
}

fn join(directory: &str, word: &str) -> String {
    if directory.is_empty() || word.starts_with(['/', '~']) {
        word.to_owned()
    } else {
        format!("{}/{word}", directory.trim_end_matches('/'))
    }
}

fn git_revert(args: &[&str], to_repo_path: impl Fn(&str) -> Option<RepoPath>) -> Option<GitRevert> {
    let has = |rest: &[&str], options: &[&str]| rest.iter().any(|word| options.contains(word));
    match args {
        ["checkout", rest @ ..] => {
            // A new branch keeps all changes, and a side of a conflict is no approach.
            if has(rest, &["-b", "-B", "--orphan", "--ours", "--theirs", "-p", "--patch"]) {
                None
            } else if has(rest, &["-f", "--force"]) && !rest.contains(&"--") {
                Some(GitRevert::Discard(DiscardedPaths::Everything, "git checkout --force"))
            } else {
                discarded_paths(rest, to_repo_path)
                    .map(|discarded| GitRevert::Discard(discarded, "git checkout"))
            }
        }
        ["switch", rest @ ..] if has(rest, &["-f", "--force", "--discard-changes"]) => {
            Some(GitRevert::Discard(DiscardedPaths::Everything, "git switch --discard-changes"))
        }
        ["restore", rest @ ..] => {
            let staged_only = has(rest, &["--staged", "-S"]) && !has(rest, &["--worktree", "-W"]);
            if staged_only || has(rest, &["-p", "--patch", "--ours", "--theirs"]) {
                return None;
            }
            discarded_paths(rest, to_repo_path)
                .map(|discarded| GitRevert::Discard(discarded, "git restore"))
        }
        ["reset", rest @ ..] if has(rest, &["--hard"]) => {
            Some(GitRevert::Discard(DiscardedPaths::Everything, "git reset --hard"))
        }
        ["stash", rest @ ..] => stash(rest, to_repo_path),
        ["commit", rest @ ..] if !has(rest, &["--dry-run", "--help", "-h"]) => {
            Some(GitRevert::Commit)
        }
        _ => None,
    }
}

fn stash(args: &[&str], to_repo_path: impl Fn(&str) -> Option<RepoPath>) -> Option<GitRevert> {
    match args {
        ["pop" | "apply" | "branch", ..] => Some(GitRevert::Restore),
        ["drop" | "clear", ..] => Some(GitRevert::DropStash),
        ["list" | "show" | "create" | "store" | "export" | "import", ..] => None,
        ["save", ..] => Some(GitRevert::Stash(DiscardedPaths::Everything)),
        args => {
            let args = match args {
                ["push", rest @ ..] => rest,
                args => args,
            };
            // What is staged or chosen by hand is unknown.
            if args.iter().any(|arg| matches!(*arg, "-p" | "--patch" | "-S" | "--staged")) {
                return None;
            }
            let mut words = Vec::new();
            let mut rest = args.iter();
            while let Some(word) = rest.next() {
                match *word {
                    "-m" | "--message" => drop(rest.next()),
                    word => words.push(word),
                }
            }
            let paths = discarded_paths(&words, to_repo_path);
            Some(GitRevert::Stash(paths.unwrap_or(DiscardedPaths::Everything)))
        }
    }
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
            word => operands.push(word.trim_end_matches('/')),
        }
    }
    let files: Vec<RepoPath> = operands.into_iter().filter_map(to_repo_path).collect();
    (!files.is_empty()).then_some(DiscardedPaths::Paths(files))
}

impl DiscardedPaths {
    pub(crate) fn include(&self, file: &RepoPath) -> bool {
        match self {
            DiscardedPaths::Everything => true,
            DiscardedPaths::Paths(paths) => paths.iter().any(|path| {
                let rest = file.as_str().strip_prefix(path.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }),
        }
    }
}

/// An approach that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AbandonedApproach {
    /// The index of the first discarded change.
    pub first_step: usize,
    /// The index of the step that discarded it.
    pub last_step: usize,
    /// The number of tool calls in between.
    pub steps: usize,
    /// The files that were restored.
    pub files: Vec<RepoPath>,
    /// The way it was discarded, in words.
    pub how: &'static str,
}

impl AbandonedApproach {
    /// Returns true if something about these files that was complete at this step was discarded
    /// with it.
    pub fn includes(&self, step_index: usize, files: &[RepoPath]) -> bool {
        (self.first_step..=self.last_step).contains(&step_index)
            && !files.is_empty()
            && files.iter().all(|file| self.files.contains(file))
    }
}

/// Finds the abandoned approaches of a timeline, in order. Committed changes are never discarded,
/// and work that was fetched back later was not given up.
pub fn abandoned_approaches(timeline: &Timeline) -> Vec<AbandonedApproach> {
    let mut work = UncommittedWork::default();
    let mut states: BTreeMap<RepoPath, FileStates> = BTreeMap::new();
    for (step_index, step) in timeline.steps.iter().enumerate() {
        match &step.kind {
            StepKind::Edit(files) => {
                for (file, change) in files.iter().filter(|(_, change)| !change.is_formatting()) {
                    work.changes.push((step_index, file.clone()));
                    let state = states.entry(file.clone()).or_default();
                    if let Some((first_step, steps)) =
                        state.change(change, step_index, step.call_number)
                        && (steps >= ABANDONED_STEPS
                            || is_taken_back(timeline, first_step, step_index))
                    {
                        work.found.push(AbandonedApproach {
                            first_step,
                            last_step: step_index,
                            steps,
                            files: vec![file.clone()],
                            how: "its earlier content was written back",
                        });
                    }
                }
            }
            StepKind::Command(run) if run.succeeded == Some(true) => {
                for revert in &run.reverts {
                    work.apply(timeline, step_index, revert, &mut states);
                }
            }
            _ => {}
        }
    }
    let mut found = work.found;
    for (step_index, changes) in work.stashed {
        found.extend(approach(timeline, step_index, &changes, "git stash"));
    }
    found.retain(|approach| !is_fetched_back(timeline, approach));
    found.sort_by_key(|approach| (approach.last_step, approach.first_step));
    found
}

/// Words with which people take something back.
const REJECTIONS: [&str; 12] = [
    "don't like",
    "don't want",
    "do not want",
    "take it out",
    "take that out",
    "take this out",
    "get rid of",
    "remove",
    "revert",
    "undo",
    "roll back",
    "rather not",
];

/// Returns true if a text asks to take something back.
fn rejects(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    REJECTIONS.iter().any(|phrase| lower.contains(phrase))
}

/// Returns true if the user asked between two steps to take something back.
fn is_taken_back(timeline: &Timeline, first_step: usize, last_step: usize) -> bool {
    let between = timeline.steps[first_step..last_step].iter().rev();
    let mut prompts = between.filter_map(|step| match &step.kind {
        StepKind::Prompt(prompt) if step.agent.is_none() => Some(prompt),
        _ => None,
    });
    prompts.next().is_some_and(|prompt| rejects(prompt))
}

/// The changes that git could discard.
#[derive(Default)]
struct UncommittedWork {
    /// The edits with their step.
    changes: Vec<(usize, RepoPath)>,
    /// The edits that are set aside, with the step that did it.
    stashed: Vec<(usize, Vec<(usize, RepoPath)>)>,
    found: Vec<AbandonedApproach>,
}

impl UncommittedWork {
    fn apply(
        &mut self,
        timeline: &Timeline,
        step_index: usize,
        revert: &GitRevert,
        states: &mut BTreeMap<RepoPath, FileStates>,
    ) {
        match revert {
            GitRevert::Discard(paths, how) => {
                let lost = self.take(paths);
                for (_, file) in &lost {
                    states.remove(file);
                }
                self.found.extend(approach(timeline, step_index, &lost, how));
            }
            GitRevert::Stash(paths) => {
                let changes = self.take(paths);
                self.stashed.push((step_index, changes));
            }
            GitRevert::Restore => {
                self.changes
                    .extend(self.stashed.pop().into_iter().flat_map(|(_, changes)| changes));
            }
            GitRevert::DropStash => {
                if let Some((step_index, changes)) = self.stashed.pop() {
                    self.found.extend(approach(timeline, step_index, &changes, "git stash drop"));
                }
            }
            GitRevert::Commit => self.changes.clear(),
        }
    }

    fn take(&mut self, paths: &DiscardedPaths) -> Vec<(usize, RepoPath)> {
        let changes = std::mem::take(&mut self.changes).into_iter();
        let (taken, remaining) = changes.partition(|(_, file)| paths.include(file));
        self.changes = remaining;
        taken
    }
}

fn approach(
    timeline: &Timeline,
    last_step: usize,
    changes: &[(usize, RepoPath)],
    how: &'static str,
) -> Option<AbandonedApproach> {
    let first_step = changes.iter().map(|(step_index, _)| *step_index).min()?;
    let mut files: Vec<RepoPath> = changes.iter().map(|(_, file)| file.clone()).collect();
    files.sort();
    files.dedup();
    let (first, last) = (&timeline.steps[first_step], &timeline.steps[last_step]);
    let steps = if first.conversation == last.conversation {
        last.call_number - first.call_number
    } else {
        0
    };
    Some(AbandonedApproach { first_step, last_step, steps, files, how })
}

/// Returns true if most of the discarded lines were written again later.
fn is_fetched_back(timeline: &Timeline, approach: &AbandonedApproach) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim).filter(|line| line.len() > 3);
        lines.map(str::to_owned).collect()
    };
    let of_files = timeline.changes().filter(|(_, file, _)| approach.files.contains(file));
    let (mut written, mut again) = (HashSet::new(), HashSet::new());
    for (step_index, _, change) in of_files {
        if (approach.first_step..approach.last_step).contains(&step_index) {
            let old: HashSet<String> = lines(&change.old).into_iter().collect();
            written.extend(lines(&change.new).into_iter().filter(|line| !old.contains(line)));
        } else if step_index > approach.last_step {
            again.extend(lines(&change.new));
        }
    }
    let common = written.intersection(&again).count();
    !written.is_empty() && common * 10 >= written.len() * FETCHED_BACK_TENTHS
}

/// The states that a file has had, known by what was written and which edits are in force.
#[derive(Default)]
struct FileStates {
    edits: Vec<(String, String)>,
    whole_file: Option<String>,
    seen: Vec<(String, usize, usize)>,
}

impl FileStates {
    /// Applies a change. If it restores an earlier state, returns the step that left that state and
    /// the number of calls since.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn reverts(line: &str) -> Vec<GitRevert> {
        git_reverts(line, |word| {
            let path = word.strip_prefix("/p/").unwrap_or(word);
            if path.starts_with(['/', '~']) { None } else { RepoPath::new(path).ok() }
        })
    }

    #[test]
    fn git_commands_are_read_for_what_they_do() {
        use DiscardedPaths::{Everything, Paths};
        use GitRevert::{Commit, Discard, DropStash, Restore, Stash};
        let paths = |names: &[&str]| {
            Paths(names.iter().map(|name| RepoPath::new(*name).unwrap()).collect())
        };
        for (line, expected) in [
            ("git stash && cargo test; git stash pop", vec![Stash(Everything), Restore]),
            ("git stash push src/a.rs -m 'wip a'", vec![Stash(paths(&["src/a.rs"]))]),
            ("git stash -- src/a.rs src/b.rs", vec![Stash(paths(&["src/a.rs", "src/b.rs"]))]),
            ("git stash -u", vec![Stash(Everything)]),
            ("git stash push -p", vec![]),
            ("git stash list; git stash show -p", vec![]),
            ("git stash drop", vec![DropStash]),
            ("git checkout -- a.rs", vec![Discard(paths(&["a.rs"]), "git checkout")]),
            ("git -C /p checkout -- a.rs", vec![Discard(paths(&["a.rs"]), "git checkout")]),
            ("cd /p && git checkout -- a.rs", vec![Discard(paths(&["a.rs"]), "git checkout")]),
            ("cd web && git restore a.ts", vec![Discard(paths(&["web/a.ts"]), "git restore")]),
            ("git -C /tmp/other reset --hard", vec![]),
            ("cd /tmp/other && git stash", vec![]),
            ("git checkout .", vec![Discard(Everything, "git checkout")]),
            ("git checkout -b topic", vec![]),
            ("git checkout --theirs a.rs", vec![]),
            ("git restore --staged a.rs", vec![]),
            ("git restore -SW a.rs", vec![Discard(paths(&["a.rs"]), "git restore")]),
            ("git reset a.rs", vec![]),
            ("git reset --hard HEAD", vec![Discard(Everything, "git reset --hard")]),
            ("git switch main", vec![]),
            ("git worktree add ../b topic", vec![]),
            ("git bisect start && git bisect bad", vec![]),
            ("git rebase main", vec![]),
            ("git add -A && git commit --amend --no-edit", vec![Commit]),
            ("git stash; git commit -m x", vec![Stash(Everything), Commit]),
            ("echo git stash", vec![]),
        ] {
            assert_eq!(reverts(line), expected, "{line}");
        }
    }
}
