use std::fs;
use std::path::Path;

use tacit_triggers::commit::{JOURNAL, commit, recover};
use tacit_triggers::corpus::PlannedEdit;

fn edit(path: &str, before: Option<&str>, after: &str) -> PlannedEdit {
    PlannedEdit {
        path: path.into(),
        before: before.map(|text| text.as_bytes().to_vec()),
        after: after.as_bytes().to_vec(),
    }
}

fn names(root: &Path) -> Vec<String> {
    let entries = fs::read_dir(root).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_commit_changes_all_files_and_leaves_no_temporaries() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::write(root.join("a.md"), "old").unwrap();
    commit(root, &[edit("a.md", Some("old"), "new"), edit("b.md", None, "b")]).unwrap();
    assert_eq!(fs::read_to_string(root.join("a.md")).unwrap(), "new");
    assert_eq!(fs::read_to_string(root.join("b.md")).unwrap(), "b");
    assert_eq!(names(root), ["a.md", "b.md"]);
}

#[test]
fn a_concurrent_change_aborts_the_commit() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::write(root.join("a.md"), "old").unwrap();
    fs::write(root.join("b.md"), "touched").unwrap();
    let error = commit(root, &[edit("a.md", Some("old"), "new"), edit("b.md", Some("b"), "c")])
        .unwrap_err();
    assert_eq!(error.to_string(), "`b.md` has changed in the meantime");
    assert_eq!(fs::read_to_string(root.join("a.md")).unwrap(), "old");
    assert_eq!(names(root), ["a.md", "b.md"]);
}

#[test]
fn a_failed_write_restores_all_files() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::write(root.join("a.md"), "old").unwrap();
    fs::create_dir(root.join("b.md")).unwrap();
    fs::write(root.join("b.md/inside"), "x").unwrap();
    // A directory has the name: it cannot be replaced by a file.
    assert!(commit(root, &[edit("a.md", Some("old"), "new"), edit("b.md", None, "b")]).is_err());
    assert_eq!(fs::read_to_string(root.join("a.md")).unwrap(), "old");
    assert_eq!(names(root), ["a.md", "b.md"]);
}

#[test]
fn an_interrupted_commit_is_rolled_back() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    // As a process leaves it that died after the first of three renames.
    fs::write(root.join("a.md"), "new").unwrap();
    fs::write(root.join(".a.md.tacit-old"), "old").unwrap();
    fs::write(root.join("b.md"), "old").unwrap();
    fs::write(root.join(".b.md.tacit-old"), "old").unwrap();
    fs::write(root.join(".b.md.tacit-new"), "new").unwrap();
    fs::write(root.join("c.md"), "new").unwrap();
    let journal = r#"[{"path":"a.md","existed":true},{"path":"b.md","existed":true},{"path":"c.md","existed":false}]"#;
    fs::write(root.join(JOURNAL), format!("{journal}\n")).unwrap();
    assert!(recover(root).unwrap());
    assert_eq!(fs::read_to_string(root.join("a.md")).unwrap(), "old");
    assert_eq!(fs::read_to_string(root.join("b.md")).unwrap(), "old");
    assert_eq!(names(root), ["a.md", "b.md"]);
    assert!(!recover(root).unwrap());
}

#[test]
fn an_incomplete_journal_is_ignored() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::write(root.join("a.md"), "old").unwrap();
    fs::write(root.join(JOURNAL), r#"[{"path":"a.md","exi"#).unwrap();
    commit(root, &[edit("a.md", Some("old"), "new")]).unwrap();
    assert_eq!(fs::read_to_string(root.join("a.md")).unwrap(), "new");
    assert_eq!(names(root), ["a.md"]);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_preserved() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::write(root.join("real.md"), "old").unwrap();
    fs::set_permissions(root.join("real.md"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("real.md", root.join("link.md")).unwrap();
    commit(root, &[edit("link.md", Some("old"), "new")]).unwrap();
    assert!(fs::symlink_metadata(root.join("link.md")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(root.join("real.md")).unwrap(), "new");
    let mode = fs::metadata(root.join("real.md")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn nothing_outside_the_project_is_written_or_removed() {
    use std::os::unix::fs::symlink;

    let directory = tempfile::tempdir().unwrap();
    let (root, outside) = (directory.path().join("project"), directory.path().join("profile"));
    fs::create_dir(&root).unwrap();
    fs::write(&outside, "old").unwrap();
    let unharmed = |what: &str| assert_eq!(fs::read_to_string(&outside).unwrap(), "old", "{what}");
    // A link in the place of a file, of a folder, and of what is written beside.
    symlink(&outside, root.join("link.md")).unwrap();
    assert!(commit(&root, &[edit("link.md", Some("old"), "new")]).is_err());
    unharmed("link");
    symlink(directory.path(), root.join("folder")).unwrap();
    assert!(commit(&root, &[edit("folder/profile", Some("old"), "new")]).is_err());
    assert!(commit(&root, &[edit("folder/fresh.md", None, "new")]).is_err());
    assert!(commit(&root, &[edit("../profile", Some("old"), "new")]).is_err());
    unharmed("folder");
    fs::write(root.join("a.md"), "old").unwrap();
    for name in [".a.md.tacit-new", ".a.md.tacit-old"] {
        symlink(&outside, root.join(name)).unwrap();
    }
    commit(&root, &[edit("a.md", Some("old"), "new")]).unwrap();
    assert_eq!(fs::read_to_string(root.join("a.md")).unwrap(), "new");
    unharmed("beside");
    // A journal that came with the repository.
    for path in ["../profile", "link.md", "folder/profile"] {
        let journal = format!("[{{\"path\":\"{path}\",\"existed\":false}}]\n");
        fs::write(root.join(JOURNAL), journal).unwrap();
        let _ = recover(&root);
        unharmed(path);
        fs::remove_file(root.join(JOURNAL)).unwrap();
    }
    symlink(&outside, root.join(JOURNAL)).unwrap();
    assert!(commit(&root, &[edit("a.md", Some("new"), "newer")]).is_err());
    unharmed("journal");
}
