//! Reading the log, by running git: walking commits and finding renames is what it does best.

use std::path::Path;

use crate::error::{GitResult, refusal};
use crate::spawn::{LONG, QUICK, run};

/// The commit that is checked out; none if there is none yet.
pub fn head_commit(worktree: &Path) -> GitResult<Option<String>> {
    let output = run(worktree, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], &[], QUICK)?;
    let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !id.is_empty()).then_some(id))
}

/// The commits without merges that can be reached from `from` and not from `but`, parents before
/// children. None if git does not know one of them, any more or yet.
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

/// What git prints about some commits, in their order: for each a byte 2 and its name, its time in
/// seconds, its message, then the raw differences with renames, everything closed by a zero byte.
pub fn read_log(worktree: &Path, commits: &[String]) -> GitResult<Vec<u8>> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let names = commits.join("\n") + "\n";
    // Where contents are not here and are not fetched, only files that did not change otherwise
    // can be seen to be renamed.
    let mut refused = None;
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
            "--format=%x02%H%x00%ct%x00%B%x00",
            renames,
        ];
        let output = run(worktree, &arguments, names.as_bytes(), LONG)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        refused = Some(refusal(worktree, "log", &output));
    }
    Err(refused.unwrap_or_else(|| unreachable!("it was tried")))
}

/// The newest commits that touched a file, at most `most`.
pub fn commits_touching(worktree: &Path, path: &str, most: usize) -> GitResult<Vec<String>> {
    let most = format!("-n{most}");
    let file = format!(":(top,literal){path}");
    let arguments = ["log", "--format=%H", &most, "--", &file];
    let output = run(worktree, &arguments, &[], LONG)?;
    if !output.status.success() {
        return Err(refusal(worktree, "log", &output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// What a file contained in a commit; none if it was not there.
pub fn contents_at(worktree: &Path, commit: &str, path: &str) -> GitResult<Option<Vec<u8>>> {
    let name = format!("{commit}:{path}");
    let output = run(worktree, &["cat-file", "blob", &name], &[], LONG)?;
    Ok(output.status.success().then_some(output.stdout))
}

/// The files that a commit changed, as git tells them. None if `commit` is no name of a commit.
#[must_use]
pub fn changed_files(directory: &Path, commit: &str) -> Option<Vec<String>> {
    // The name comes from what an agent's command printed, and git takes options anywhere.
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
