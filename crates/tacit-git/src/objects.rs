//! References, trees and blobs, read without checking anything out.

use std::path::Path;
use std::time::Duration;

use crate::error::{GitResult, command_failed};
use crate::spawn::{LONG, RunLimits, run};

/// A reference and the commit it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitReference {
    /// The full name.
    pub name: String,
    /// The identifier of the commit.
    pub commit: String,
}

/// A file in the tree of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// The path in the tree.
    pub path: String,
    /// The identifier of the blob.
    pub blob: String,
    /// The size in bytes.
    pub size: u64,
}

/// Returns the references that match patterns of `git for-each-ref`, newest commit first.
pub fn references(worktree: &Path, patterns: &[&str], most: usize) -> GitResult<Vec<GitReference>> {
    let count = format!("--count={most}");
    let format = "--format=%(objectname) %(refname)";
    let mut arguments = vec!["for-each-ref", "--sort=-committerdate", &count, format];
    arguments.extend(patterns);
    let output = run(worktree, &arguments, &[], LONG)?;
    if !output.status.success() {
        return Err(command_failed(worktree, "for-each-ref", &output));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let reference = |line: &str| {
        let (commit, name) = line.split_once(' ')?;
        is_id(commit).then(|| GitReference { name: name.to_owned(), commit: commit.to_owned() })
    };
    Ok(text.lines().filter_map(reference).collect())
}

/// Returns the files in the tree of a commit. Links and submodules are left out.
pub fn tree_files(worktree: &Path, commit: &str) -> GitResult<Vec<TreeFile>> {
    if !is_id(commit) {
        return Ok(Vec::new());
    }
    let arguments = ["ls-tree", "-r", "-l", "-z", "--full-tree", commit];
    let output = run(worktree, &arguments, &[], LONG)?;
    if !output.status.success() {
        return Err(command_failed(worktree, "ls-tree", &output));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let file = |entry: &str| {
        let (about, path) = entry.split_once('\t')?;
        let mut fields = about.split_ascii_whitespace();
        let (mode, kind) = (fields.next()?, fields.next()?);
        let (blob, size) = (fields.next()?, fields.next()?.parse().ok()?);
        let is_file = kind == "blob" && mode.starts_with("100");
        is_file.then(|| TreeFile { path: path.to_owned(), blob: blob.to_owned(), size })
    };
    Ok(text.split('\0').filter_map(file).collect())
}

/// Reads a blob of at most `max_bytes`.
pub fn read_blob(worktree: &Path, blob: &str, max_bytes: u64) -> GitResult<Vec<u8>> {
    if !is_id(blob) {
        return Ok(Vec::new());
    }
    let limits = RunLimits { deadline: Duration::from_secs(60), bytes: max_bytes };
    let output = run(worktree, &["cat-file", "blob", blob], &[], limits)?;
    if !output.status.success() {
        return Err(command_failed(worktree, "cat-file", &output));
    }
    Ok(output.stdout)
}

fn is_id(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_git::git;

    #[test]
    fn files_of_other_references_are_read_without_a_checkout() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir(root.join("a")).unwrap();
        std::fs::write(root.join("a/full.jsonl"), "{}\n").unwrap();
        git(root, &["init", "-q"]);
        git(root, &["add", "-A"]);
        git(root, &["commit", "-qm", "One"]);
        git(root, &["update-ref", "refs/entire/checkpoints/ab/x", "HEAD"]);
        let found = references(root, &["refs/entire/checkpoints"], 10).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "refs/entire/checkpoints/ab/x");
        let files = tree_files(root, &found[0].commit).unwrap();
        let file = files.iter().find(|file| file.path == "a/full.jsonl").unwrap();
        assert_eq!(file.size, 3);
        assert_eq!(read_blob(root, &file.blob, 10).unwrap(), b"{}\n");
        assert!(read_blob(root, &file.blob, 2).is_err(), "too large");
    }

    #[test]
    fn only_identifiers_reach_git() {
        let folder = Path::new("/");
        assert_eq!(tree_files(folder, "--help").unwrap(), []);
        assert_eq!(read_blob(folder, "--textconv", 10).unwrap(), b"");
    }
}
