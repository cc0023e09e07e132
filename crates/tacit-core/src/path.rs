//! Paths as they are written; the disk is not looked at.

use std::path::{Component, Path, PathBuf};

/// A path without `.` and `..`, as it is written, whether or not it exists.
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
