//! Finds branches whose changes reached the main branch as other commits: squashed or rebased.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::spawn::{RunLimits, run};

/// The most commits of the main branch that a branch is compared with.
const MOST_COMMITS: &str = "--max-count=500";
/// Limits for each comparison. A branch that takes longer counts as open.
const COMPARE: RunLimits = RunLimits { deadline: Duration::from_secs(30), bytes: 64 << 20 };
/// Options of every diff: the same text whatever the configuration says, and no lines around the
/// changes, because they differ if the main branch went on.
const DIFF: [&str; 8] = [
    "diff-tree",
    "-r",
    "-p",
    "-U0",
    "--full-index",
    "--no-renames",
    "--no-ext-diff",
    "--no-textconv",
];

/// Returns true if all changes of a branch are in the main branch, as commits with other IDs: one
/// for each commit (after a rebase), one with the same changes in all, or one that a forge made of
/// the branch, with `(#NUMBER)` in its subject and the subjects of the branch's commits in its
/// message. False if git cannot tell. Both references are full names.
#[must_use]
pub fn is_squashed(worktree: &Path, branch: &str, main: &str) -> bool {
    find_squashed(worktree, branch, main).unwrap_or(false)
}

fn find_squashed(worktree: &Path, branch: &str, main: &str) -> Option<bool> {
    let base = lines(worktree, &["merge-base", main, branch], &[])?.into_iter().next()?;
    let own = format!("{base}..{branch}");
    let subjects = lines(worktree, &["log", "--no-merges", "--format=%s", &own, "--"], &[])?;
    if subjects.is_empty() {
        return Some(false);
    }
    let both = format!("{main}...{branch}");
    let arguments =
        ["rev-list", "--cherry-pick", "--right-only", "--no-merges", "--max-count=1", &both, "--"];
    if lines(worktree, &arguments, &[])?.is_empty() {
        return Some(true);
    }
    let files = changed_between(worktree, &base, branch)?;
    // One commit has all changes, so the commits of one of the files are enough.
    let Some(file) = files.first() else { return Some(false) };
    let (since, file) = (format!("{base}..{main}"), format!(":(top,literal){file}"));
    let arguments = ["rev-list", "--no-merges", MOST_COMMITS, &since, "--", &file];
    let commits = lines(worktree, &arguments, &[])?;
    if commits.is_empty() {
        return Some(false);
    }
    let has_patch = has_same_patch(worktree, &base, branch, &commits);
    Some(has_patch? || is_forge_merge(worktree, &files, &subjects, &commits)?)
}

/// Returns true if one of the commits makes the changes between two others.
fn has_same_patch(worktree: &Path, base: &str, branch: &str, commits: &[String]) -> Option<bool> {
    let whole = stdout(worktree, &[&DIFF[..], &[base, branch, "--"]].concat(), &[])?;
    let single = format!("{}\n", commits.join("\n"));
    let single = stdout(worktree, &[&DIFF[..], &["--stdin"]].concat(), single.as_bytes())?;
    let patches = |diff: &[u8]| -> Option<BTreeSet<String>> {
        let ids = lines(worktree, &["patch-id", "--stable"], diff)?;
        Some(ids.iter().filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect())
    };
    let (whole, single) = (patches(&whole)?, patches(&single)?);
    Some(!whole.is_disjoint(&single))
}

/// Returns true if a forge made one of the commits of a branch with these files and subjects.
fn is_forge_merge(
    worktree: &Path,
    files: &[String],
    subjects: &[String],
    commits: &[String],
) -> Option<bool> {
    let ids = format!("{}\n", commits.join("\n"));
    let arguments = ["log", "--no-walk=unsorted", "--stdin", "--format=%H%x00%B%x00", "-z"];
    let messages = stdout(worktree, &arguments, ids.as_bytes())?;
    let messages = String::from_utf8_lossy(&messages).into_owned();
    let mut items = messages.split('\0').map(str::trim).filter(|item| !item.is_empty());
    while let (Some(commit), Some(message)) = (items.next(), items.next()) {
        if names_all(message, subjects) {
            let changed = changed_between(worktree, &format!("{commit}^"), commit)?;
            if files.iter().all(|file| changed.contains(file)) {
                return Some(true);
            }
        }
    }
    Some(false)
}

/// Returns true if a message is that of a merged pull request with commits of these subjects.
fn names_all(message: &str, subjects: &[String]) -> bool {
    let (first, body) = message.split_once('\n').unwrap_or((message, ""));
    let Some((title, number)) = first.trim_end().rsplit_once(" (#") else { return false };
    let Some(number) = number.strip_suffix(')') else { return false };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let listed: BTreeSet<&str> =
        body.lines().filter_map(|line| line.strip_prefix("* ")).map(str::trim).collect();
    match subjects {
        [only] => only == title || listed.contains(only.as_str()),
        _ => subjects.iter().all(|subject| listed.contains(subject.as_str())),
    }
}

fn changed_between(worktree: &Path, from: &str, to: &str) -> Option<Vec<String>> {
    let arguments = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to, "--"];
    let names = stdout(worktree, &arguments, &[])?;
    let names = names.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Some(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

fn lines(worktree: &Path, arguments: &[&str], input: &[u8]) -> Option<Vec<String>> {
    let output = stdout(worktree, arguments, input)?;
    Some(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
}

fn stdout(worktree: &Path, arguments: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let output = run(worktree, arguments, input, COMPARE).ok()?;
    output.status.success().then_some(output.stdout)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::test_git::git;

    /// A repository with a branch `work` of two commits, and `main` checked out.
    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q", "-b", "main"]);
        commit(root, "a.rs", &numbered(1..=9), "files");
        git(root, &["checkout", "-q", "-b", "work"]);
        commit(root, "b.rs", "fn b() {}\n", "add b");
        commit(root, "a.rs", &numbered(1..=9).replace("line 5", "changed"), "change a");
        git(root, &["checkout", "-q", "main"]);
        folder
    }

    fn numbered(range: std::ops::RangeInclusive<u32>) -> String {
        range.map(|number| format!("line {number}\n")).collect()
    }

    fn commit(root: &Path, file: &str, text: &str, message: &str) {
        fs::write(root.join(file), text).unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", message]);
    }

    fn work_is_squashed(root: &Path) -> bool {
        is_squashed(root, "refs/heads/work", "refs/heads/main")
    }

    fn squash(root: &Path) {
        git(root, &["merge", "-q", "--squash", "work"]);
    }

    #[test]
    fn branches_are_squashed_once_the_main_branch_has_their_changes() {
        type Then = fn(&Path);
        let cases: [(&str, Then, bool); 10] = [
            ("nothing happened", |_| {}, false),
            ("the main branch goes on", |root| commit(root, "c.rs", "", "c"), false),
            (
                "one commit with all changes",
                |root| {
                    squash(root);
                    git(root, &["commit", "-q", "-m", "the work"]);
                    commit(root, "a.rs", "all new\n", "later");
                },
                true,
            ),
            (
                "one commit, after lines beside the changes became others",
                |root| {
                    let other = numbered(1..=9).replace("line 2", "other");
                    commit(root, "a.rs", &other, "before");
                    squash(root);
                    git(root, &["commit", "-q", "-m", "the work"]);
                },
                true,
            ),
            (
                "each commit again, with another ID",
                |root| {
                    commit(root, "c.rs", "", "c");
                    git(root, &["cherry-pick", "work~1", "work"]);
                },
                true,
            ),
            (
                "one of two commits",
                |root| {
                    commit(root, "c.rs", "", "c");
                    git(root, &["cherry-pick", "work~1"]);
                },
                false,
            ),
            (
                "the branch goes on after the merge",
                |root| {
                    squash(root);
                    git(root, &["commit", "-q", "-m", "the work (#7)", "-m", "* add b"]);
                    git(root, &["checkout", "-q", "work"]);
                    commit(root, "d.rs", "", "more");
                },
                false,
            ),
            (
                "a pull request with a change made on the forge",
                |root| {
                    squash(root);
                    fs::write(root.join("b.rs"), "fn b() { run() }\n").unwrap();
                    let body = "* add b\n\n* change a\n\n* fix typo";
                    git(root, &["commit", "-q", "-a", "-m", "The work (#7)", "-m", body]);
                },
                true,
            ),
            (
                "other changes under the subjects of the branch, without a number",
                |root| {
                    squash(root);
                    fs::write(root.join("b.rs"), "fn c() {}\n").unwrap();
                    let body = "* add b\n\n* change a";
                    git(root, &["commit", "-q", "-a", "-m", "The work", "-m", body]);
                },
                false,
            ),
            (
                "a pull request that names the commits, but not their files",
                |root| {
                    let body = "* add b\n\n* change a";
                    commit(root, "a.rs", "else\n", &format!("The work (#7)\n\n{body}"));
                },
                false,
            ),
        ];
        for (name, then, expected) in cases {
            let folder = repository();
            then(folder.path());
            assert_eq!(work_is_squashed(folder.path()), expected, "{name}");
        }
    }

    #[test]
    fn branches_without_commits_and_unknown_ones_are_not_squashed() {
        let folder = repository();
        git(folder.path(), &["branch", "empty"]);
        for name in ["refs/heads/empty", "refs/heads/unknown", "refs/heads/--output=written"] {
            assert!(!is_squashed(folder.path(), name, "refs/heads/main"), "{name}");
        }
        assert!(!folder.path().join("written").exists());
    }

    #[test]
    fn binary_files_are_compared_by_content() {
        let folder = repository();
        let root = folder.path();
        git(root, &["checkout", "-q", "-b", "logo"]);
        fs::write(root.join("logo.png"), b"\0one").unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "logo"]);
        git(root, &["checkout", "-q", "main"]);
        fs::write(root.join("logo.png"), b"\0two").unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-q", "-m", "another logo"]);
        assert!(!is_squashed(root, "refs/heads/logo", "refs/heads/main"));
    }

    #[test]
    fn the_subject_of_a_single_commit_may_be_the_title() {
        let one = ["fix it".to_owned()];
        let two = ["fix it".to_owned(), "test it".to_owned()];
        for (message, subjects, expected) in [
            ("fix it (#12)", &one[..], true),
            ("fix it (#12)", &two[..], false),
            ("All of it (#12)\n\n* fix it\n\n* test it\n", &two[..], true),
            ("fix it (#)", &one[..], false),
            ("fix it (#x)", &one[..], false),
            ("fix it", &one[..], false),
            ("", &one[..], false),
        ] {
            assert_eq!(names_all(message, subjects), expected, "{message}");
        }
    }
}
