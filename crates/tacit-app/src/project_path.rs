//! Paths relative to the root of a project.

use std::path::{Path, PathBuf};

use tacit_core::plain_path;

/// Returns the path of a file relative to `root`, if the file is inside. `file` is relative to the
/// directory `from`. Only a path that seems to lead outside is looked up on disk, because it may go
/// through a symbolic link.
///
/// ```
/// # use std::path::Path;
/// let relative = |file| tacit_app::path_in_project(Path::new("/p"), Path::new("/p/src"), file);
/// assert_eq!(relative("../a.rs").as_deref(), Some(Path::new("a.rs")));
/// assert_eq!(relative("../../a.rs"), None);
/// ```
pub fn path_in_project(root: &Path, from: &Path, file: &str) -> Option<PathBuf> {
    let absolute = plain_path(&from.join(file));
    let relative = match absolute.strip_prefix(root) {
        Ok(relative) => relative.to_path_buf(),
        Err(_) => resolve_links(&absolute).strip_prefix(root).ok()?.to_path_buf(),
    };
    Some(relative)
}

/// Resolves the symbolic links in the part of a path that exists.
fn resolve_links(path: &Path) -> PathBuf {
    let real = path.ancestors().find_map(|ancestor| {
        let rest = path.strip_prefix(ancestor).ok()?;
        Some(ancestor.canonicalize().ok()?.join(rest))
    });
    real.unwrap_or_else(|| path.to_path_buf())
}
