//! Links a memory to the commit that contains it, and notes the commits themselves.

use tacit_core::{CommitSha, Draft, RepoPath, Scope, Source, Timestamp};

use crate::rules::draft;
use crate::session_tree::{Release, SessionTree};
use crate::text::one_line;
use crate::validation::SessionVerdict;

/// The most files of a commit that its memory names, and is about.
const NAMED_FILES: usize = 3;
const MAX_FILES: usize = 20;
/// The length of a commit's hash in the text, and of its subject, in characters.
const SHORT_SHA: usize = 8;
const MAX_SUBJECT: usize = 100;
/// The confidence of what git recorded.
const CONFIDENCE: f64 = 0.9;

/// A commit made in a session tree.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionCommit {
    /// The hash as git printed it.
    pub sha: CommitSha,
    /// The time of the commit.
    pub at: Timestamp,
    /// The first line of its message.
    pub subject: String,
    /// The files it changed.
    pub files: Vec<RepoPath>,
    /// True if it replaced the commit before it.
    pub amend: bool,
}

/// Returns the memories of commits, with the key of each. Only work that passed its checks is noted,
/// and an amended commit only as it is in the end.
pub(crate) fn commit_memories(
    tree: &SessionTree,
    verdict: &SessionVerdict,
    release: &Release,
    commits: &[SessionCommit],
) -> Vec<(String, Draft)> {
    if !matches!((verdict, release), (SessionVerdict::Passed { .. }, Release::Now)) {
        return Vec::new();
    }
    let mut last: Vec<&SessionCommit> = Vec::new();
    for commit in commits {
        if commit.amend {
            last.pop();
        }
        last.push(commit);
    }
    let noted = last.into_iter().filter(|commit| !commit.files.is_empty());
    noted.map(|commit| (format!("commit {}", commit.sha), commit_memory(tree, commit))).collect()
}

fn commit_memory(tree: &SessionTree, commit: &SessionCommit) -> Draft {
    let sha: String = commit.sha.as_str().chars().take(SHORT_SHA).collect();
    let named: Vec<&str> = commit.files.iter().map(RepoPath::as_str).take(NAMED_FILES).collect();
    let more = match commit.files.len().saturating_sub(NAMED_FILES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let subject = match one_line(&commit.subject, MAX_SUBJECT) {
        subject if subject.is_empty() => String::new(),
        subject => format!(" “{subject}”"),
    };
    let content = format!("Commit {sha}{subject} changed {}{more}.", named.join(", "));
    let files = &commit.files[..commit.files.len().min(MAX_FILES)];
    let mut draft = draft(tree, "module_insight", content, files, CONFIDENCE);
    let scope = if draft.related_modules.is_empty() { Scope::Global } else { Scope::Module };
    draft.scope = Some(scope.to_string());
    draft.source = Some(Source::CommitAuto.to_string());
    draft.commit = Some(commit.sha.to_string());
    draft
}

/// Links a draft to the first commit after `at` that changed one of its files, or else to the last
/// one before.
pub fn link_commit(draft: &mut Draft, at: Timestamp, commits: &[SessionCommit]) {
    let shares = |commit: &&SessionCommit| {
        commit.files.iter().any(|file| draft.related_files.iter().any(|own| own == file.as_str()))
    };
    let after = commits
        .iter()
        .filter(|commit| commit.at >= at)
        .filter(shares)
        .min_by_key(|commit| commit.at);
    let found = after.or_else(|| commits.iter().filter(shares).max_by_key(|commit| commit.at));
    draft.commit = found.map(|commit| commit.sha.to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_later_commit_of_a_file_is_linked() {
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let commit = |sha: &str, millis, file: &str| SessionCommit {
            sha: CommitSha::new(sha).unwrap(),
            at: at(millis),
            subject: String::new(),
            amend: false,
            files: vec![RepoPath::new(file).unwrap()],
        };
        let commits = [
            commit("aaaaaaa", 10, "a.rs"),
            commit("bbbbbbb", 30, "a.rs"),
            commit("ccccccc", 40, "a.rs"),
            commit("ddddddd", 25, "b.rs"),
        ];
        for (learnt, file, expected) in [
            (20, "a.rs", Some("bbbbbbb")),
            (30, "a.rs", Some("bbbbbbb")),
            (50, "a.rs", Some("ccccccc")),
            (20, "c.rs", None),
        ] {
            let mut draft = Draft { related_files: vec![file.into()], ..Draft::default() };
            link_commit(&mut draft, at(learnt), &commits);
            assert_eq!(draft.commit.as_deref(), expected, "{learnt} {file}");
        }
    }
}
