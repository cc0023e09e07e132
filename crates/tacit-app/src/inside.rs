//! Files as they are named from the root of a project.

use std::path::{Path, PathBuf};

use tacit_core::normalise_path;

/// The way from a root to a file that somebody in the directory `from` names; none if the file is
/// elsewhere. Only a file that seems to be elsewhere is looked for on the disk: the way to it may
/// lead through a symbolic link.
///
/// ```
/// # use std::path::Path;
/// let inside = |file| tacit_app::inside(Path::new("/p"), Path::new("/p/src"), file);
/// assert_eq!(inside("../a.rs").as_deref(), Some(Path::new("a.rs")));
/// assert_eq!(inside("../../a.rs"), None);
/// ```
pub fn inside(root: &Path, from: &Path, file: &str) -> Option<PathBuf> {
    let absolute = normalise_path(&from.join(file));
    let inside = match absolute.strip_prefix(root) {
        Ok(inside) => inside.to_path_buf(),
        Err(_) => followed(&absolute).strip_prefix(root).ok()?.to_path_buf(),
    };
    Some(inside)
}

/// A path with the symbolic links in the part of it that exists followed.
fn followed(path: &Path) -> PathBuf {
    let real = path.ancestors().find_map(|ancestor| {
        let rest = path.strip_prefix(ancestor).ok()?;
        Some(ancestor.canonicalize().ok()?.join(rest))
    });
    real.unwrap_or_else(|| path.to_path_buf())
}
