//! Reads and writes git's configuration.

use std::path::Path;

use crate::error::{GitResult, command_failed};
use crate::spawn::{QUICK, run};

/// Returns the user name that git would use in a worktree, or the global one. Returns `None` if it
/// is not set or git cannot be run.
#[must_use]
pub fn user_name(worktree: Option<&Path>) -> Option<String> {
    // The root of the file system is in no repository, so that only the global name applies.
    let directory = worktree.unwrap_or(Path::new(if cfg!(windows) { "C:\\" } else { "/" }));
    let output = run(directory, &["config", "user.name"], &[], QUICK).ok()?;
    let name = String::from_utf8(output.stdout).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Returns the address that git fetches from for a remote of a worktree. Returns `None` if there is
/// none or git cannot be run.
#[must_use]
pub fn remote_url(worktree: &Path, remote: &str) -> Option<String> {
    let output = run(worktree, &["remote", "get-url", "--", remote], &[], QUICK).ok()?;
    let url = output.status.success().then(|| String::from_utf8(output.stdout).ok()).flatten()?;
    Some(url.trim().to_owned()).filter(|url| !url.is_empty())
}

/// Sets a key in the local configuration of a repository.
pub fn set_config(worktree: &Path, key: &str, value: &str) -> GitResult<()> {
    change(worktree, &["config", "--local", key, value])
}

/// Removes a section from the local configuration of a repository. Fails if it does not exist.
pub fn remove_section(worktree: &Path, section: &str) -> GitResult<()> {
    change(worktree, &["config", "--local", "--remove-section", section])
}

fn change(worktree: &Path, arguments: &[&str]) -> GitResult<()> {
    let output = run(worktree, arguments, &[], QUICK)?;
    if output.status.success() { Ok(()) } else { Err(command_failed(worktree, "config", &output)) }
}
