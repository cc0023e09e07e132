//! Compares the working tree with the repository.

use std::path::Path;

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
    let without_filters = disable_filters(worktree)?;
    let mut arguments: Vec<&str> =
        without_filters.iter().flat_map(|setting| ["-c", setting]).collect();
    arguments.extend(["diff", "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv"]);
    // To look for changes in a submodule, git would run there with the submodule's configuration.
    arguments.extend(["--ignore-submodules=all", "-z", "HEAD", "--"]);
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
    use super::filter_name;

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
