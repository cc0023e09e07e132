//! Reading the log, by running git: walking commits and finding renames is what it does best.
//!
//! Nothing of the repository's configuration is let run a program, nothing is fetched, and no lock
//! is taken.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What can go wrong when git is asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// Git could not be run.
    #[error("cannot run `git`: {0}")]
    Run(std::io::Error),
    /// Git refused.
    #[error("`git {command}` failed in `{}`: {said}", directory.display())]
    Refused {
        /// What it was to do.
        command: String,
        /// Where.
        directory: PathBuf,
        /// What it said.
        said: String,
    },
}

/// What comes back.
pub type GitResult<T> = Result<T, GitError>;

/// The commit that is checked out; none if there is none yet.
pub fn head(worktree: &Path) -> GitResult<Option<String>> {
    let output = run(worktree, &["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], &[])?;
    let id = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    Ok((output.status.success() && !id.is_empty()).then_some(id))
}

/// The commits without merges that can be reached from `from` and not from `but`, parents before
/// children. None if git does not know one of them, any more or yet.
pub fn commits(worktree: &Path, from: &str, but: Option<&str>) -> GitResult<Option<Vec<String>>> {
    let without = but.map(|id| format!("^{id}"));
    let mut arguments = vec!["rev-list", "--topo-order", "--reverse", "--no-merges", from];
    arguments.extend(without.as_deref());
    arguments.push("--");
    let output = run(worktree, &arguments, &[])?;
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
            "-c",
            "log.showSignature=false",
            "log",
            "--no-walk=unsorted",
            "--stdin",
            "--raw",
            "--no-abbrev",
            "--no-ext-diff",
            "--root",
            "--no-color",
            "--no-notes",
            "--no-mailmap",
            "-z",
            "--format=%x02%H%x00%ct%x00%B%x00",
            renames,
        ];
        let output = run(worktree, &arguments, names.as_bytes())?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        refused = Some(refusal(worktree, "log", &output));
    }
    Err(refused.unwrap_or_else(|| unreachable!("it was tried")))
}

/// The files of a worktree that are not as they were committed; those git was never told of are not
/// among them.
pub fn uncommitted(worktree: &Path) -> GitResult<Vec<String>> {
    let arguments = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", "HEAD", "--"];
    let output = run(worktree, &arguments, &[])?;
    if !output.status.success() {
        return Err(refusal(worktree, "diff", &output));
    }
    // Names are told from the root of the repository, which is where a worktree begins.
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// The newest commits that touched a file, at most `most`.
pub fn touching(worktree: &Path, path: &str, most: usize) -> GitResult<Vec<String>> {
    let most = format!("-n{most}");
    let file = format!(":(top,literal){path}");
    let arguments = ["-c", "log.showSignature=false", "log", "--format=%H", &most, "--", &file];
    let output = run(worktree, &arguments, &[])?;
    if !output.status.success() {
        return Err(refusal(worktree, "log", &output));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The paths at or below `prefix` that git keeps in the index of a worktree.
pub(crate) fn list_files(worktree: &Path, prefix: &str) -> GitResult<Vec<String>> {
    let below = format!(":(top,literal){prefix}");
    let output = run(worktree, &["ls-files", "-z", "--cached", "--", &below], &[])?;
    if !output.status.success() {
        return Err(refusal(worktree, "ls-files", &output));
    }
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// What a file contained in a commit; none if it was not there.
pub fn contents_at(worktree: &Path, commit: &str, path: &str) -> GitResult<Option<Vec<u8>>> {
    let name = format!("{commit}:{path}");
    let output = run(worktree, &["cat-file", "blob", &name], &[])?;
    Ok(output.status.success().then_some(output.stdout))
}

fn refusal(worktree: &Path, command: &str, output: &Output) -> GitError {
    GitError::Refused {
        command: command.to_owned(),
        directory: worktree.to_path_buf(),
        said: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    }
}

fn run(worktree: &Path, arguments: &[&str], input: &[u8]) -> GitResult<Output> {
    let mut child = Command::new("git")
        .arg("-C")
        .arg(worktree)
        .args(["-c", "core.fsmonitor=false"])
        .args(arguments)
        // Whoever called may itself be run by git, in another repository.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(GitError::Run)?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        // Git may print before it has read everything.
        scope.spawn(move || {
            if let Some(mut stdin) = stdin {
                // If git ends early, it says why itself.
                let _ = stdin.write_all(input);
            }
        });
        child.wait_with_output().map_err(GitError::Run)
    })
}
