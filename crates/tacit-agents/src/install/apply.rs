//! Doing what was planned.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::Change;

/// Why a planned change was not made.
#[derive(Debug, Error)]
pub enum ApplyError {
    /// Somebody else changed the file since it was read.
    #[error("`{0}` was changed meanwhile")]
    Changed(PathBuf),
    /// Its owner does not want it written to.
    #[error("`{0}` is read-only")]
    ReadOnly(PathBuf),
    /// A folder on the way is a link that leads elsewhere.
    #[error("`{path}` leads out of `{root}`")]
    Outside {
        /// The file.
        path: PathBuf,
        /// What it should be in.
        root: PathBuf,
    },
    /// The file system did not allow it.
    #[error("`{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

/// What a file holds; `None` if there is none.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, ApplyError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        // A link that leads nowhere is not the same as no file: nothing is written through it.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) => Err(failed(path)(error)),
    }
}

/// Tells why a change could not be made, as far as that can be told without making it; for those who
/// make several changes or none.
pub fn check(root: &Path, path: &Path, change: &Change) -> Result<(), ApplyError> {
    if read(path)? != change.before {
        return Err(ApplyError::Changed(path.to_owned()));
    }
    if change.is_empty() {
        return Ok(());
    }
    // Renaming would replace such a file all the same.
    if fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(ApplyError::ReadOnly(path.to_owned()));
    }
    check_inside(root, path.parent().unwrap_or(root), path)
}

/// Makes a change to a file below `root`, if it still holds what the plan was made from.
///
/// Readers see the old file or the new one. A settings file that is itself a link, as those who keep
/// their settings elsewhere have it, is changed where it leads; folders on the way must not lead out
/// of `root`, so that a repository cannot have files of others changed. When a file goes, folders
/// below `root` that are empty then go too.
pub fn apply(root: &Path, path: &Path, change: &Change) -> Result<(), ApplyError> {
    check(root, path, change)?;
    if change.is_empty() {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(root);
    match &change.after {
        Some(bytes) => {
            fs::create_dir_all(folder).map_err(failed(folder))?;
            let target = if path.is_symlink() {
                fs::canonicalize(path).map_err(failed(path))?
            } else {
                path.to_owned()
            };
            replace(&target, bytes).map_err(failed(&target))
        }
        None => {
            fs::remove_file(path).map_err(failed(path))?;
            for folder in path.ancestors().skip(1) {
                if folder == root || !folder.starts_with(root) || fs::remove_dir(folder).is_err() {
                    break;
                }
            }
            Ok(())
        }
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> ApplyError + '_ {
    |source| ApplyError::Io { path: path.to_owned(), source }
}

/// Refuses a folder that is not really below the root. What is not there yet cannot lead elsewhere.
fn check_inside(root: &Path, folder: &Path, path: &Path) -> Result<(), ApplyError> {
    let real_root = fs::canonicalize(root).map_err(failed(root))?;
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(root);
    let real = fs::canonicalize(existing).map_err(failed(existing))?;
    // A link that leads nowhere does not exist; creating folders would follow it all the same.
    let broken = folder
        .ancestors()
        .take_while(|folder| *folder != root)
        .any(|folder| folder.is_symlink() && !folder.exists());
    if real.starts_with(&real_root) && !broken {
        Ok(())
    } else {
        Err(ApplyError::Outside { path: path.to_owned(), root: root.to_owned() })
    }
}

/// Writes beside the file and renames, keeping its permissions.
fn replace(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut name = std::ffi::OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".tacit-{}", std::process::id()));
    let temporary = folder.join(name);
    let written =
        write_new(&temporary, target, bytes).and_then(|()| fs::rename(&temporary, target));
    if written.is_err() {
        // Nothing can be done about a file that cannot be removed either.
        let _ = fs::remove_file(&temporary);
        return written;
    }
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}

fn write_new(temporary: &Path, target: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).create_new(true).open(temporary)?;
    if let Ok(metadata) = fs::metadata(target) {
        file.set_permissions(metadata.permissions())?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: Option<&str>, after: Option<&str>) -> Change {
        let bytes = |side: Option<&str>| side.map(|text| text.as_bytes().to_vec());
        Change { before: bytes(before), after: bytes(after) }
    }

    #[test]
    fn a_file_comes_and_goes_with_its_folders() {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join(".github/hooks/tacit.json");
        apply(root.path(), &path, &change(None, Some("{}"))).expect("a file");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "{}");
        assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("a folder").count(), 1);
        apply(root.path(), &path, &change(Some("{}"), None)).expect("no file");
        assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn folders_with_other_files_stay() {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join("a/b/c.json");
        apply(root.path(), &path, &change(None, Some("{}"))).expect("a file");
        fs::write(root.path().join("a/other"), "x").expect("a file");
        apply(root.path(), &path, &change(Some("{}"), None)).expect("no file");
        assert!(root.path().join("a/other").exists() && !root.path().join("a/b").exists());
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join("s.json");
        fs::write(&path, "new").expect("a file");
        let error = apply(root.path(), &path, &change(Some("old"), Some("x"))).expect_err("no");
        assert!(matches!(error, ApplyError::Changed(_)));
        assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let root = tempfile::tempdir().expect("a directory");
        let elsewhere = tempfile::tempdir().expect("a directory");
        let real = elsewhere.path().join("settings.json");
        fs::write(&real, "old").expect("a file");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("permissions");
        let path = root.path().join("settings.json");
        symlink(&real, &path).expect("a link");
        apply(root.path(), &path, &change(Some("old"), Some("new"))).expect("a change");
        assert!(path.is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("a file"), "new");
        let mode = fs::metadata(&real).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_lead_elsewhere_are_refused() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().expect("a directory");
        let elsewhere = tempfile::tempdir().expect("a directory");
        symlink(elsewhere.path(), root.path().join(".claude")).expect("a link");
        symlink(elsewhere.path().join("nowhere"), root.path().join(".codex")).expect("a link");
        symlink(elsewhere.path().join("x"), root.path().join("s.json")).expect("a link");
        for file in [".claude/settings.json", ".claude/new/settings.json", ".codex/hooks.json"] {
            let path = root.path().join(file);
            let error = apply(root.path(), &path, &change(None, Some("{}"))).expect_err("no");
            assert!(matches!(error, ApplyError::Outside { .. }), "{file}: {error}");
        }
        assert!(
            apply(root.path(), &root.path().join("s.json"), &change(None, Some("{}"))).is_err()
        );
        assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_is_read_only_is_left_alone() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join("settings.json");
        fs::write(&path, "{}").expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("permissions");
        for after in [Some("{ }"), None] {
            let error = apply(root.path(), &path, &change(Some("{}"), after)).expect_err("refused");
            assert!(matches!(error, ApplyError::ReadOnly(_)), "{error}");
        }
        check(root.path(), &path, &change(Some("{}"), Some("{}"))).expect("nothing to do");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "{}");
    }
}
