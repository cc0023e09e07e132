//! Reads the history by running git, which walks commits and detects renames faster than we could.

use std::path::Path;

use crate::error::{GitResult, command_failed};
use crate::spawn::{LONG, QUICK, run};

/// Returns the commit that is checked out, or `None` if there is no commit yet.
pub fn head_commit(worktree: &Path) -> GitResult<Option<String>> {
    let output = run(worktree, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], &[], QUICK)?;
    let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !id.is_empty()).then_some(id))
}

/// Lists the commits reachable from `from` but not from `but`, without merges, parents before
/// children. Returns `None` if git does not know one of the two.
pub fn list_commits(
    worktree: &Path,
    from: &str,
    but: Option<&str>,
) -> GitResult<Option<Vec<String>>> {
    let without = but.map(|id| format!("^{id}"));
    let mut arguments = vec!["rev-list", "--topo-order", "--reverse", "--no-merges", from];
    arguments.extend(without.as_deref());
    arguments.push("--");
    let output = run(worktree, &arguments, &[], LONG)?;
    if !output.status.success() {
        return Ok(None);
    }
    Ok(Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()))
}

/// Returns git's output about some commits, in the given order. For each commit: a byte 2 and the
/// commit ID, the time in seconds, the name of the author, the message, then the raw changes with renames. Every item ends
/// with a zero byte.
pub fn read_log(worktree: &Path, commits: &[String]) -> GitResult<Vec<u8>> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let ids = commits.join("\n") + "\n";
    // In a partial clone, file contents may be missing and are not fetched. Then git can only
    // detect renames of files with unchanged contents.
    let mut failure = None;
    for renames in ["--find-renames", "--find-renames=100%"] {
        let arguments = [
            "-c",
            "diff.renameLimit=1000",
            "log",
            "--no-walk=unsorted",
            "--stdin",
            "--raw",
            "--no-abbrev",
            "--no-ext-diff",
            "--no-textconv",
            "--root",
            "--no-color",
            "--no-notes",
            "--no-mailmap",
            "-z",
            "--format=%x02%H%x00%ct%x00%aN%x00%B%x00",
            renames,
        ];
        let output = run(worktree, &arguments, ids.as_bytes(), LONG)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        failure = Some(command_failed(worktree, "log", &output));
    }
    Err(failure.unwrap_or_else(|| unreachable!("the loop runs at least once")))
}

/// Returns the newest commits that touched a file, at most `most`.
pub fn commits_touching(worktree: &Path, path: &str, most: usize) -> GitResult<Vec<String>> {
    let most = format!("-n{most}");
    let file = format!(":(top,literal){path}");
    let arguments = ["log", "--format=%H", &most, "--", &file];
    let output = run(worktree, &arguments, &[], LONG)?;
    if !output.status.success() {
        return Err(command_failed(worktree, "log", &output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// Returns the newest commit that touched a file at or after a time, in seconds since 1970.
pub fn commit_since(worktree: &Path, path: &str, since: i64) -> GitResult<Option<String>> {
    let since = format!("--since={since}");
    let file = format!(":(top,literal){path}");
    let output = run(worktree, &["log", "--format=%H", "-n1", &since, "--", &file], &[], LONG)?;
    if !output.status.success() {
        return Err(command_failed(worktree, "log", &output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned))
}

/// Returns the contents of a file in a commit, or `None` if the commit does not have it.
pub fn contents_at(worktree: &Path, commit: &str, path: &str) -> GitResult<Option<Vec<u8>>> {
    let name = format!("{commit}:{path}");
    let output = run(worktree, &["cat-file", "blob", &name], &[], LONG)?;
    Ok(output.status.success().then_some(output.stdout))
}

/// Returns the paths of the files that a commit changed, or `None` if `commit` is not a valid ID.
#[must_use]
pub fn changed_files(directory: &Path, commit: &str) -> Option<Vec<String>> {
    // The ID comes from the output of an agent's command, and git accepts options anywhere.
    if !(4..=64).contains(&commit.len()) || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let arguments = ["diff-tree", "--root", "--no-commit-id", "--name-only", "--no-ext-diff"];
    let arguments = [&arguments[..], &["--no-textconv", "-r", "-z", commit]].concat();
    let output = run(directory, &arguments, &[], QUICK).ok()?;
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    output.status.success().then(|| {
        names.filter_map(|name| Some(std::str::from_utf8(name).ok()?.to_owned())).collect()
    })
}
