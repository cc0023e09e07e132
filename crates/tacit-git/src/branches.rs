//! Local branches, and whether they are merged into the main branch.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::{GitResult, command_failed};
use crate::spawn::{LONG, QUICK, run};

/// Names of the main branch, if the remote does not name one.
const MAIN_NAMES: [&str; 3] = ["main", "master", "trunk"];
const HEADS: &str = "refs/heads/";
const ORIGIN: &str = "refs/remotes/origin/";

/// The state of a local branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchState {
    /// The main branch itself.
    Main,
    /// All its commits are part of the main branch.
    Merged,
    /// The branch has commits that the main branch does not have.
    Open,
    /// No local branch has this name.
    Gone,
}

/// The local branches of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Branches {
    /// The references of the main branch: the local one and the one of the remote, as far as they
    /// exist.
    pub main: Vec<String>,
    local: BTreeSet<String>,
    merged: BTreeSet<String>,
}

impl Branches {
    /// Reads the branches of a repository. `current` is the branch of the main worktree, which is
    /// the main branch if nothing else tells.
    pub fn read(worktree: &Path, current: Option<&str>) -> GitResult<Branches> {
        let format = "--format=%(refname)";
        let arguments = ["for-each-ref", format, "refs/heads", "refs/remotes/origin"];
        let output = run(worktree, &arguments, &[], QUICK)?;
        if !output.status.success() {
            return Err(command_failed(worktree, "for-each-ref", &output));
        }
        let listed = String::from_utf8_lossy(&output.stdout).into_owned();
        let all: BTreeSet<&str> = listed.lines().collect();
        let local: BTreeSet<String> =
            all.iter().filter_map(|name| name.strip_prefix(HEADS)).map(str::to_owned).collect();
        let head = run(worktree, &["symbolic-ref", "-q", "refs/remotes/origin/HEAD"], &[], QUICK)?;
        let head = String::from_utf8_lossy(&head.stdout).trim().to_owned();
        let name = head.strip_prefix(ORIGIN).or_else(|| {
            let usual = MAIN_NAMES.into_iter().find(|name| local.contains(*name));
            usual.or(current)
        });
        let main =
            name.into_iter().flat_map(|name| [HEADS, ORIGIN].map(|base| format!("{base}{name}")));
        let main: Vec<String> = main.filter(|name| all.contains(name.as_str())).collect();
        let mut merged = BTreeSet::new();
        for reference in &main {
            let into = format!("--merged={reference}");
            let output = run(worktree, &["for-each-ref", format, &into, "refs/heads"], &[], LONG)?;
            if !output.status.success() {
                return Err(command_failed(worktree, "for-each-ref", &output));
            }
            let names = String::from_utf8_lossy(&output.stdout).into_owned();
            let names = names.lines().filter_map(|name| name.strip_prefix(HEADS));
            merged.extend(names.map(str::to_owned));
        }
        Ok(Branches { main, local, merged })
    }

    /// Returns the state of a branch.
    #[must_use]
    pub fn state(&self, name: &str) -> BranchState {
        let is_main = |reference: &String| {
            reference.strip_prefix(HEADS).or_else(|| reference.strip_prefix(ORIGIN)) == Some(name)
        };
        if self.main.iter().any(is_main) {
            BranchState::Main
        } else if self.merged.contains(name) {
            BranchState::Merged
        } else if self.local.contains(name) {
            BranchState::Open
        } else {
            BranchState::Gone
        }
    }
}

/// Returns true if a commit is part of a reference. False if git knows only one of the two.
#[must_use]
pub fn is_ancestor(worktree: &Path, commit: &str, reference: &str) -> bool {
    // The ID may come from the output of an agent's command, and git accepts options anywhere.
    let is_id = (4..=64).contains(&commit.len()) && commit.bytes().all(|b| b.is_ascii_hexdigit());
    is_id
        && run(worktree, &["merge-base", "--is-ancestor", commit, reference], &[], LONG)
            .is_ok_and(|output| output.status.success())
}
