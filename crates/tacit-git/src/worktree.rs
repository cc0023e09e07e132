//! The working tree, as git sees it.

use std::path::Path;

use crate::error::{GitError, GitResult, refusal};
use crate::spawn::{LONG, QUICK, run};

/// Returns true if git ignores a file of a worktree; false also if git cannot say.
#[must_use]
pub fn is_ignored(worktree: &Path, file: &str) -> bool {
    run(worktree, &["check-ignore", "-q", "--", file], &[], QUICK)
        .is_ok_and(|output| output.status.success())
}

/// The files of a worktree that differ from the last commit, without untracked ones.
///
/// Filters are not run, not even those of the user's own configuration such as `lfs`: attributes of
/// the repository choose which files they would be given. A file that is kept filtered therefore
/// counts as changed once its time or size differs from the index.
pub fn uncommitted_files(worktree: &Path) -> GitResult<Vec<String>> {
    let without_filters = no_filters(worktree)?;
    let mut arguments: Vec<&str> =
        without_filters.iter().flat_map(|setting| ["-c", setting]).collect();
    arguments.extend(["diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv"]);
    // Whether a submodule has changes is found by running git in it, with its configuration.
    arguments.extend(["--ignore-submodules=all", "-z", "HEAD", "--"]);
    let output = run(worktree, &arguments, &[], LONG)?;
    if !output.status.success() {
        return Err(refusal(worktree, "diff", &output));
    }
    // Names are told from the root of the repository, which is where a worktree begins.
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Settings that switch off every filter that the configuration defines.
fn no_filters(worktree: &Path) -> GitResult<Vec<String>> {
    let arguments = ["config", "-z", "--name-only", "--get-regexp", r"^filter\."];
    let output = run(worktree, &arguments, &[], QUICK)?;
    // It fails with code 1 if there are none.
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(refusal(worktree, "config", &output));
    }
    let mut settings = Vec::new();
    for key in output.stdout.split(|byte| *byte == 0).filter(|key| !key.is_empty()) {
        let driver = driver(key).ok_or_else(|| GitError::Refused {
            command: "diff".to_owned(),
            directory: worktree.to_path_buf(),
            stderr: format!("cannot switch off the filter `{}`", String::from_utf8_lossy(key)),
        })?;
        let off = ["clean=", "smudge=", "process=", "required=false"];
        settings.extend(off.map(|setting| format!("filter.{driver}.{setting}")));
    }
    settings.sort();
    settings.dedup();
    Ok(settings)
}

/// The name between `filter.` and the last dot. None for one that cannot stand before the `=` of a
/// setting.
fn driver(key: &[u8]) -> Option<&str> {
    let (name, _) = std::str::from_utf8(key).ok()?.strip_prefix("filter.")?.rsplit_once('.')?;
    (!name.contains(['=', '\n'])).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::driver;

    #[test]
    fn filters_are_known_by_their_names() {
        for (key, expected) in [
            ("filter.lfs.clean", Some("lfs")),
            ("filter.A b.c.process", Some("A b.c")),
            ("filter.a=b.clean", None),
            ("filter.clean", None),
        ] {
            assert_eq!(driver(key.as_bytes()), expected, "{key}");
        }
    }
}
