//! Lexical path operations, without file system access.

use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` from a path lexically; the path need not exist.
pub fn normalise_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}
