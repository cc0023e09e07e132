//! Linking what was learnt to the commit that holds it.

use tacit_core::{CommitSha, Draft, RepoPath, Timestamp};

/// A commit that was made in a tree.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionCommit {
    /// Its name.
    pub sha: CommitSha,
    /// When it was made.
    pub at: Timestamp,
    /// The files it changed.
    pub files: Vec<RepoPath>,
}

/// Names in a draft the first commit after it was learnt that changed one of its files; if there is
/// none, the last one before.
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
