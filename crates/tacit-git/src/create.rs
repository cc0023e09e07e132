//! Creates a repository.

use std::path::Path;

use crate::error::{GitResult, command_failed};
use crate::spawn::{QUICK, run};

/// Settings that make the result the same for every user, whatever they have configured.
const SETTINGS: [&str; 8] = [
    "-c",
    "init.defaultBranch=main",
    "-c",
    "user.name=Tacit",
    "-c",
    "user.email=tacit@localhost",
    "-c",
    "commit.gpgSign=false",
];

/// Creates a repository in a folder, and commits the files that are there. The user's templates are
/// not copied, and no name has to be configured.
pub fn create_repository(folder: &Path, message: &str) -> GitResult<()> {
    for command in [
        ["init", "-q", "--template="].as_slice(),
        // Files that the user ignores everywhere are committed as well.
        &["add", "--all", "--force"],
        &["commit", "-q", "-m", message],
    ] {
        let arguments: Vec<&str> = SETTINGS.iter().chain(command).copied().collect();
        let output = run(folder, &arguments, &[], QUICK)?;
        if !output.status.success() {
            return Err(command_failed(folder, command[0], &output));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::head_commit;

    #[test]
    fn the_files_of_a_new_repository_are_committed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "a").unwrap();
        create_repository(folder.path(), "first").unwrap();
        assert!(head_commit(folder.path()).unwrap().is_some());
        assert!(!folder.path().join(".git/hooks").exists());
    }
}
