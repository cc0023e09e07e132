//! Applies planned changes to files.

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use super::FileChange;

/// Larger settings files, in bytes, are not read.
const MAX_BYTES: u64 = 16 << 20;

/// The owner of a settings file, which determines where links may lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The repository, which strangers may have written: no link may lead out of it.
    Project,
    /// The user, who may store settings elsewhere and link to them.
    User,
}

/// The reason why a change was not applied.
#[derive(Debug, Error)]
pub enum ApplyError {
    /// The file was changed after it was read.
    #[error("`{0}` has changed in the meantime")]
    Changed(PathBuf),
    /// The file is read-only.
    #[error("`{0}` is read-only")]
    ReadOnly(PathBuf),
    /// The file or a folder in its path is a link that leads elsewhere.
    #[error("`{path}` leads out of `{root}`")]
    Outside {
        /// The file.
        path: PathBuf,
        /// The folder it must be in.
        root: PathBuf,
    },
    /// The file system refused the operation.
    #[error("`{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the file system.
        #[source]
        source: io::Error,
    },
}

/// Reads a file; `None` if it does not exist.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, ApplyError> {
    match tacit_fs::read_following(path, MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        // A broken link does not count as a missing file, because nothing may be written through
        // it.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => Ok(None),
        Err(error) => Err(failed(path)(error)),
    }
}

/// Checks whether a change can be applied, without applying it: for callers that apply several
/// changes or none.
pub fn check(
    owner: Owner,
    root: &Path,
    path: &Path,
    change: &FileChange,
) -> Result<(), ApplyError> {
    if read(path)? != change.before {
        return Err(ApplyError::Changed(path.to_owned()));
    }
    if change.is_empty() {
        return Ok(());
    }
    // Renaming would replace a read-only file.
    if fs::metadata(path).is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(ApplyError::ReadOnly(path.to_owned()));
    }
    check_inside(root, path.parent().unwrap_or(root), path)?;
    let leads_out = || !real(path).is_ok_and(|real| is_below(&real, root));
    match owner {
        Owner::Project if path.is_symlink() && leads_out() => {
            Err(ApplyError::Outside { path: path.to_owned(), root: root.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Applies a change to a file below `root`, if the file still has the content that the plan was
/// made from.
///
/// Readers see the old file or the new one. If the settings file is a link, its target is changed.
/// Neither the file nor a folder in its path may lead out of a project's `root`, so that a
/// repository cannot have other files changed. When a file is deleted, folders below `root` that
/// become empty are deleted too.
pub fn apply(
    owner: Owner,
    root: &Path,
    path: &Path,
    change: &FileChange,
) -> Result<(), ApplyError> {
    check(owner, root, path, change)?;
    if change.is_empty() {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(root);
    match &change.after {
        Some(bytes) => {
            fs::create_dir_all(folder).map_err(failed(folder))?;
            let target = real(path).map_err(failed(path))?;
            tacit_fs::replace_shared(&target, bytes).map_err(failed(&target))
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

/// Resolves links in a path; the file itself need not exist yet.
fn real(path: &Path) -> io::Result<PathBuf> {
    if path.is_symlink() {
        return fs::canonicalize(path);
    }
    let folder = fs::canonicalize(path.parent().unwrap_or(Path::new(".")))?;
    Ok(folder.join(path.file_name().unwrap_or_default()))
}

fn is_below(real: &Path, root: &Path) -> bool {
    fs::canonicalize(root).is_ok_and(|root| real.starts_with(root))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> ApplyError + '_ {
    |source| ApplyError::Io { path: path.to_owned(), source }
}

/// Rejects a folder that is not really below the root. A folder that does not exist yet cannot lead
/// elsewhere.
fn check_inside(root: &Path, folder: &Path, path: &Path) -> Result<(), ApplyError> {
    // Folders that are still to be created lead nowhere else.
    if !root.exists() && !root.is_symlink() {
        return Ok(());
    }
    let real_root = fs::canonicalize(root).map_err(failed(root))?;
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(root);
    let real = fs::canonicalize(existing).map_err(failed(existing))?;
    // A broken link does not exist, but creating folders would follow it.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn change(before: Option<&str>, after: Option<&str>) -> FileChange {
        let bytes = |side: Option<&str>| side.map(|text| text.as_bytes().to_vec());
        FileChange { before: bytes(before), after: bytes(after) }
    }

    #[test]
    fn a_root_that_does_not_exist_is_created() {
        let parent = tempfile::tempdir().expect("a directory");
        let root = parent.path().join("home");
        let path = root.join(".settings.json");
        apply(Owner::User, &root, &path, &change(None, Some("{}"))).expect("a file");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "{}");
    }

    #[test]
    fn files_are_created_and_deleted_with_their_folders() {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join(".github/hooks/tacit.json");
        apply(Owner::Project, root.path(), &path, &change(None, Some("{}"))).expect("a file");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "{}");
        assert_eq!(fs::read_dir(path.parent().expect("a folder")).expect("a folder").count(), 1);
        apply(Owner::Project, root.path(), &path, &change(Some("{}"), None)).expect("no file");
        assert_eq!(fs::read_dir(root.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn folders_with_other_files_are_kept() {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join("a/b/c.json");
        apply(Owner::Project, root.path(), &path, &change(None, Some("{}"))).expect("a file");
        fs::write(root.path().join("a/other"), "x").expect("a file");
        apply(Owner::Project, root.path(), &path, &change(Some("{}"), None)).expect("no file");
        assert!(root.path().join("a/other").exists() && !root.path().join("a/b").exists());
    }

    #[test]
    fn files_that_have_changed_are_not_written() {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join("s.json");
        fs::write(&path, "new").expect("a file");
        let error = apply(Owner::Project, root.path(), &path, &change(Some("old"), Some("x")))
            .expect_err("no");
        assert!(matches!(error, ApplyError::Changed(_)));
        assert_eq!(fs::read_to_string(&path).expect("a file"), "new");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let root = tempfile::tempdir().expect("a directory");
        let elsewhere = tempfile::tempdir().expect("a directory");
        let real = elsewhere.path().join("settings.json");
        fs::write(&real, "old").expect("a file");
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("permissions");
        let path = root.path().join("settings.json");
        symlink(&real, &path).expect("a link");
        let new = change(Some("old"), Some("new"));
        let error = apply(Owner::Project, root.path(), &path, &new).expect_err("a stranger's link");
        assert!(matches!(error, ApplyError::Outside { .. }), "{error}");
        assert_eq!(fs::read_to_string(&real).expect("a file"), "old");
        apply(Owner::User, root.path(), &path, &new).expect("a change");
        assert!(path.is_symlink());
        assert_eq!(fs::read_to_string(&real).expect("a file"), "new");
        let mode = fs::metadata(&real).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_lead_elsewhere_are_rejected() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().expect("a directory");
        let elsewhere = tempfile::tempdir().expect("a directory");
        symlink(elsewhere.path(), root.path().join(".claude")).expect("a link");
        symlink(elsewhere.path().join("nowhere"), root.path().join(".codex")).expect("a link");
        symlink(elsewhere.path().join("x"), root.path().join("s.json")).expect("a link");
        for file in [".claude/settings.json", ".claude/new/settings.json", ".codex/hooks.json"] {
            let path = root.path().join(file);
            let error = apply(Owner::Project, root.path(), &path, &change(None, Some("{}")))
                .expect_err("no");
            assert!(matches!(error, ApplyError::Outside { .. }), "{file}: {error}");
        }
        assert!(
            apply(
                Owner::Project,
                root.path(),
                &root.path().join("s.json"),
                &change(None, Some("{}"))
            )
            .is_err()
        );
        assert_eq!(fs::read_dir(elsewhere.path()).expect("a folder").count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn links_inside_a_project_are_followed() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join(".claude/settings.json");
        fs::create_dir(root.path().join("config")).expect("a directory");
        fs::write(root.path().join("config/settings.json"), "old").expect("a file");
        symlink("config", root.path().join(".claude")).expect("a link");
        let set = |before, after| {
            apply(Owner::Project, root.path(), &path, &change(Some(before), Some(after)))
                .expect("a change");
        };
        set("old", "new");
        fs::rename(&path, root.path().join("real")).expect("a file");
        symlink("../real", root.path().join("config/settings.json")).expect("a link");
        set("new", "newer");
        assert_eq!(fs::read_to_string(root.path().join("real")).expect("a file"), "newer");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_not_read() {
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join("settings.json");
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
        assert!(matches!(read(&path), Err(ApplyError::Io { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn read_only_files_are_not_written() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().expect("a directory");
        let path = root.path().join("settings.json");
        fs::write(&path, "{}").expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("permissions");
        for after in [Some("{ }"), None] {
            let error = apply(Owner::Project, root.path(), &path, &change(Some("{}"), after))
                .expect_err("refused");
            assert!(matches!(error, ApplyError::ReadOnly(_)), "{error}");
        }
        check(Owner::Project, root.path(), &path, &change(Some("{}"), Some("{}")))
            .expect("nothing to do");
        assert_eq!(fs::read_to_string(&path).expect("a file"), "{}");
    }
}
