//! Git's configuration.

use std::path::Path;

use crate::error::{GitResult, refusal};
use crate::spawn::{QUICK, run};

/// The user's name as git knows it in a worktree; outside one, as it knows it everywhere. None if
/// it is not set or git cannot tell.
#[must_use]
pub fn user_name(worktree: Option<&Path>) -> Option<String> {
    // At the root of the file system there is no repository to take a name from.
    let directory = worktree.unwrap_or(Path::new(if cfg!(windows) { "C:\\" } else { "/" }));
    let output = run(directory, &["config", "user.name"], &[], QUICK).ok()?;
    let name = String::from_utf8(output.stdout).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Sets a key in the configuration of a repository.
pub fn set_config(worktree: &Path, key: &str, value: &str) -> GitResult<()> {
    change(worktree, &["config", "--local", key, value])
}

/// Removes a section from the configuration of a repository. One that is not there is an error.
pub fn remove_section(worktree: &Path, section: &str) -> GitResult<()> {
    change(worktree, &["config", "--local", "--remove-section", section])
}

fn change(worktree: &Path, arguments: &[&str]) -> GitResult<()> {
    let output = run(worktree, arguments, &[], QUICK)?;
    if output.status.success() { Ok(()) } else { Err(refusal(worktree, "config", &output)) }
}
