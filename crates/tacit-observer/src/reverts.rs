//! Work that was thrown away: by git, or by writing what was there before.

use std::collections::BTreeMap;

use tacit_core::RepoPath;

use crate::git_commits::{commit_commands, program};
use crate::shell::joined_commands;
use crate::timeline::{Act, Timeline};

/// A file whose content returns to what it was counts as given up after so many steps.
pub const ABANDONED_STEPS: usize = 20;

/// What a command throws away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ThrownAway {
    /// Everything that is not committed.
    Everything,
    /// These files, and files in these directories.
    Paths(Vec<RepoPath>),
}

/// What a command line throws away by git, or takes back out of the stash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GitRevert {
    Away(ThrownAway, &'static str),
    Back,
}

/// Reads a command line; `inside` names a path as memories do.
pub(crate) fn git_revert(
    line: &str,
    inside: impl Fn(&str) -> Option<RepoPath>,
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
                paths(rest, &inside).map(|thrown| GitRevert::Away(thrown, "git checkout"))
            }
            ["restore", rest @ ..] => {
                let staged_only = rest.iter().any(|w| matches!(*w, "--staged" | "-S"))
                    && !rest.iter().any(|w| matches!(*w, "--worktree" | "-W"));
                let thrown = if staged_only { None } else { paths(rest, &inside) };
                thrown.map(|thrown| GitRevert::Away(thrown, "git restore"))
            }
            ["reset", rest @ ..] if rest.contains(&"--hard") => {
                Some(GitRevert::Away(ThrownAway::Everything, "git reset --hard"))
            }
            ["stash"] | ["stash", "push" | "save" | "-u" | "--include-untracked", ..] => {
                Some(GitRevert::Away(ThrownAway::Everything, "git stash"))
            }
            ["stash", "pop" | "apply", ..] => Some(GitRevert::Back),
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn paths(args: &[&str], inside: impl Fn(&str) -> Option<RepoPath>) -> Option<ThrownAway> {
    let mut operands: Vec<&str> = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match *word {
            "--source" | "-s" => drop(words.next()),
            "." | ":/" => return Some(ThrownAway::Everything),
            word if word.starts_with('-') => {}
            word => operands.push(word),
        }
    }
    let files: Vec<RepoPath> = operands.into_iter().filter_map(inside).collect();
    (!files.is_empty()).then_some(ThrownAway::Paths(files))
}

/// An approach that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abandoned {
    /// The place of the first change that was thrown away.
    pub from: usize,
    /// The place at which it was thrown away.
    pub upto: usize,
    /// How many calls of tools lie between.
    pub steps: usize,
    /// The files that were as before afterwards.
    pub files: Vec<RepoPath>,
    /// How it was thrown away, in words.
    pub how: &'static str,
}

impl Abandoned {
    /// Whether what is about these files and complete at this place was thrown away with it.
    pub fn includes(&self, place: usize, files: &[RepoPath]) -> bool {
        (self.from..=self.upto).contains(&place)
            && !files.is_empty()
            && files.iter().all(|file| self.files.contains(file))
    }
}

/// The approaches of a timeline that were given up. Changes that were committed are not thrown away
/// by what follows.
pub fn abandoned(timeline: &Timeline) -> Vec<Abandoned> {
    let mut found: Vec<Abandoned> = Vec::new();
    // Changes that git could throw away, and the states each file has had.
    let mut loose: Vec<(usize, RepoPath)> = Vec::new();
    let mut states: BTreeMap<RepoPath, States> = BTreeMap::new();
    for (place, step) in timeline.steps.iter().enumerate() {
        match &step.act {
            Act::Changed(files) => {
                for (file, change) in files.iter().filter(|(_, change)| !change.is_formatting()) {
                    loose.push((place, file.clone()));
                    let state = states.entry(file.clone()).or_default();
                    if let Some((from, steps)) = state.change(change, place, step.number)
                        && steps >= ABANDONED_STEPS
                    {
                        found.push(Abandoned {
                            from,
                            upto: place,
                            steps,
                            files: vec![file.clone()],
                            how: "what it held before was written back",
                        });
                    }
                }
            }
            Act::Ran(run) if run.succeeded == Some(true) => {
                match &run.reverts {
                    Some(GitRevert::Away(thrown, how)) => {
                        let is_thrown = |file: &RepoPath| match thrown {
                            ThrownAway::Everything => true,
                            ThrownAway::Paths(paths) => paths.iter().any(|path| {
                                file == path
                                    || file
                                        .as_str()
                                        .strip_prefix(path.as_str())
                                        .is_some_and(|r| r.starts_with('/'))
                            }),
                        };
                        let (away, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut loose)
                            .into_iter()
                            .partition(|(_, file)| is_thrown(file));
                        loose = kept;
                        let Some((from, _)) = away.first() else { continue };
                        let mut files: Vec<RepoPath> =
                            away.iter().map(|(_, file)| file.clone()).collect();
                        files.sort();
                        files.dedup();
                        for file in &files {
                            states.remove(file);
                        }
                        let began = &timeline.steps[*from];
                        let steps = if began.strand == step.strand {
                            step.number - began.number
                        } else {
                            0
                        };
                        found.push(Abandoned { from: *from, upto: place, steps, files, how });
                    }
                    // What is taken out of the stash was not given up.
                    Some(GitRevert::Back)
                        if found.last().is_some_and(|last| last.how == "git stash") =>
                    {
                        found.pop();
                    }
                    Some(GitRevert::Back) | None => {}
                }
                if !commit_commands(&run.line).is_empty() {
                    loose.clear();
                }
            }
            _ => {}
        }
    }
    found
}

/// The states a file has had: what is known of them is what was written, or which edits are in force.
#[derive(Default)]
struct States {
    edits: Vec<(String, String)>,
    whole: Option<String>,
    seen: Vec<(String, usize, usize)>,
}

impl States {
    /// Takes a change; if it leads back to an earlier state, where that state was left and how many
    /// steps ago.
    fn change(
        &mut self,
        change: &crate::change::Change,
        place: usize,
        number: usize,
    ) -> Option<(usize, usize)> {
        let before = self.name();
        if change.whole {
            self.whole = Some(crate::text::key(&[&change.new]));
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
        let back = self.seen.iter().position(|(state, ..)| *state == now);
        let left = back.map(|at| (self.seen[at].1, number.saturating_sub(self.seen[at].2)));
        match back {
            Some(at) => self.seen.truncate(at),
            None => self.seen.push((before, place, number)),
        }
        left
    }

    fn name(&self) -> String {
        let mut parts: Vec<&str> = vec![self.whole.as_deref().unwrap_or_default()];
        for (old, new) in &self.edits {
            parts.extend([old.as_str(), new.as_str()]);
        }
        crate::text::key(&parts)
    }
}
