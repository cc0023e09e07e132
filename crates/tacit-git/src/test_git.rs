//! Runs git for tests.

use std::path::Path;
use std::process::Command;

/// Runs git in a directory, and fails the test if git fails.
#[expect(clippy::disallowed_methods, reason = "tests make repositories")]
pub(crate) fn git(directory: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(directory)
        .output()
        .expect("git runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}
