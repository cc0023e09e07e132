//! Compares the working tree with the repository.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use crate::error::{GitError, GitResult, command_failed};
use crate::spawn::{LONG, QUICK, run};

/// Returns true if git ignores a file of a worktree. Returns false if git cannot tell.
#[must_use]
pub fn is_ignored(worktree: &Path, file: &str) -> bool {
    run(worktree, &["check-ignore", "-q", "--", file], &[], QUICK)
        .is_ok_and(|output| output.status.success())
}

/// Returns the tracked files of a worktree that differ from the last commit.
///
/// No filters are run, not even those of the user's own configuration such as `lfs`: attributes of
/// the repository would choose their input. A filtered file therefore counts as changed once its
/// time or size differs from the index.
pub fn uncommitted_files(worktree: &Path) -> GitResult<Vec<String>> {
    uncommitted_below(worktree, &[])
}

/// Returns the regular files at or below some paths that are in the last commit and have not changed
/// since. There are none before the first commit. Paths that lead out of the worktree are left out,
/// because git would refuse all paths with them.
pub fn committed_below(worktree: &Path, paths: &[String]) -> GitResult<BTreeSet<String>> {
    let paths: Vec<String> = paths.iter().filter(|path| is_inside(path)).cloned().collect();
    if paths.is_empty() {
        return Ok(BTreeSet::new());
    }
    let mut arguments = vec!["ls-tree", "-r", "-z", "--full-tree", "HEAD", "--"];
    arguments.extend(paths.iter().map(String::as_str));
    let output = run(worktree, &arguments, &[], LONG)?;
    if !output.status.success() {
        return match has_no_commit(worktree)? {
            true => Ok(BTreeSet::new()),
            false => Err(command_failed(worktree, "ls-tree", &output)),
        };
    }
    let entries = output.stdout.split(|byte| *byte == 0);
    let mut files: BTreeSet<String> = entries
        .filter_map(|entry| {
            let (kind, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
            // A link has the mode 120000.
            kind.starts_with("100").then(|| path.to_owned())
        })
        .collect();
    if !files.is_empty() {
        for changed in uncommitted_below(worktree, &paths)? {
            files.remove(&changed);
        }
    }
    Ok(files)
}

/// Returns true for a path that names a file or folder below the root in git's own way.
fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Returns true if the branch has no commit yet.
fn has_no_commit(worktree: &Path) -> GitResult<bool> {
    let output = run(worktree, &["rev-parse", "--quiet", "--verify", "HEAD"], &[], QUICK)?;
    Ok(output.status.code() == Some(1))
}

fn uncommitted_below(worktree: &Path, paths: &[String]) -> GitResult<Vec<String>> {
    let without_filters = disable_filters(worktree)?;
    let mut arguments: Vec<&str> =
        without_filters.iter().flat_map(|setting| ["-c", setting]).collect();
    arguments.extend(["diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv"]);
    // To look for changes in a submodule, git would run there with the submodule's configuration.
    arguments.extend(["--ignore-submodules=all", "-z", "HEAD", "--"]);
    let paths: Vec<String> = paths.iter().map(|path| format!(":(top,literal){path}")).collect();
    arguments.extend(paths.iter().map(String::as_str));
    let output = run(worktree, &arguments, &[], LONG)?;
    if !output.status.success() {
        return Err(command_failed(worktree, "diff", &output));
    }
    // Paths are relative to the root of the repository, which is the root of the worktree.
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Returns settings that disable every filter in the configuration.
fn disable_filters(worktree: &Path) -> GitResult<Vec<String>> {
    let arguments = ["config", "-z", "--name-only", "--get-regexp", r"^filter\."];
    let output = run(worktree, &arguments, &[], QUICK)?;
    // Exit code 1 means that there are none.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(command_failed(worktree, "config", &output));
    }
    let mut settings = Vec::new();
    for key in output.stdout.split(|byte| *byte == 0).filter(|key| !key.is_empty()) {
        let filter_name = filter_name(key).ok_or_else(|| GitError::Refused {
            command: "diff".to_owned(),
            directory: worktree.to_path_buf(),
            stderr: format!("cannot disable the filter `{}`", String::from_utf8_lossy(key)),
        })?;
        let off = ["clean=", "smudge=", "process=", "required=false"];
        settings.extend(off.map(|setting| format!("filter.{filter_name}.{setting}")));
    }
    settings.sort();
    settings.dedup();
    Ok(settings)
}

/// Returns the name between `filter.` and the last dot, or `None` if it cannot be used in a `-c`
/// setting.
fn filter_name(key: &[u8]) -> Option<&str> {
    let (name, _) = std::str::from_utf8(key).ok()?.strip_prefix("filter.")?.rsplit_once('.')?;
    (!name.contains(['=', '\n'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::test_git::git;

    #[test]
    fn only_unchanged_files_of_the_last_commit_are_committed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let below = |paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            committed_below(root, &paths).unwrap().into_iter().collect::<Vec<_>>()
        };
        git(root, &["init", "-q"]);
        fs::create_dir_all(root.join("notes/deep")).unwrap();
        for name in ["notes/a.md", "notes/deep/b.md", "notes/c.md", "other.md"] {
            fs::write(root.join(name), name).unwrap();
        }
        git(root, &["add", "notes"]);
        assert!(below(&["notes"]).is_empty(), "there is no commit yet");
        git(root, &["commit", "-qm", "first"]);
        assert_eq!(below(&["notes"]), ["notes/a.md", "notes/c.md", "notes/deep/b.md"]);
        assert!(below(&[]).is_empty());

        // Changed, staged, deleted and new files are not.
        fs::write(root.join("notes/a.md"), "changed").unwrap();
        fs::write(root.join("notes/c.md"), "staged").unwrap();
        fs::write(root.join("notes/new.md"), "new").unwrap();
        git(root, &["add", "notes/c.md", "notes/new.md"]);
        assert_eq!(below(&["notes", "other.md"]), ["notes/deep/b.md"]);
        git(root, &["commit", "-qam", "second"]);
        assert_eq!(below(&["notes/a.md", "notes/new.md"]), ["notes/a.md", "notes/new.md"]);

        // A link says what another file says.
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a.md", root.join("notes/link.md")).unwrap();
            git(root, &["add", "."]);
            git(root, &["commit", "-qm", "third"]);
            assert!(below(&["notes/link.md"]).is_empty());
        }
    }

    #[test]
    fn paths_outside_the_worktree_do_not_hide_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        fs::create_dir_all(root.join("notes")).unwrap();
        git(&root, &["init", "-q"]);
        fs::write(root.join("notes/a.md"), "a").unwrap();
        git(&root, &["add", "."]);
        git(&root, &["commit", "-qm", "first"]);
        for outside in ["../other", "/etc", "notes/../../x", "", "."] {
            let paths = ["notes".to_owned(), outside.to_owned()];
            let files: Vec<String> = committed_below(&root, &paths).unwrap().into_iter().collect();
            assert_eq!(files, ["notes/a.md"], "{outside}");
        }
    }

    #[test]
    fn a_commit_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "-q", "-b", "main"]);
        fs::write(root.join("a.md"), "a").unwrap();
        git(root, &["add", "."]);
        git(root, &["commit", "-qm", "first"]);
        fs::write(root.join(".git/refs/heads/main"), format!("{}\n", "1".repeat(40))).unwrap();
        assert!(committed_below(root, &["a.md".to_owned()]).is_err());
    }

    #[test]
    fn filter_names_are_parsed_from_keys() {
        for (key, expected) in [
            ("filter.lfs.clean", Some("lfs")),
            ("filter.A b.c.process", Some("A b.c")),
            ("filter.a=b.clean", None),
            ("filter.clean", None),
        ] {
            assert_eq!(filter_name(key.as_bytes()), expected, "{key}");
        }
    }
}
