//! Every function is tried on planted links, pipes, devices and permissions.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::stat::Mode;
use tacit_fs::{
    Lock, Replacement, Wait, append, check_file, check_folder, create_folder, create_new,
    create_new_shared, link_or_copy, open, open_folder, open_following, open_nofollow,
    open_to_write, open_user_path, read, read_following, read_nofollow, read_start_following,
    read_text_following, remove_temporaries, replace, replace_shared, secure_folder,
};

type OpenFn = fn(&Path) -> std::io::Result<File>;

/// The functions that open a file without following links.
const OPEN_FNS: [(&str, OpenFn); 6] = [
    ("append", append as OpenFn),
    ("open", open as OpenFn),
    ("open_to_write", open_to_write as OpenFn),
    ("create_new", create_new as OpenFn),
    ("create_new_shared", create_new_shared as OpenFn),
    ("open_nofollow", open_nofollow as OpenFn),
];

fn folder() -> (tempfile::TempDir, PathBuf) {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().canonicalize().unwrap();
    (temp, path)
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn links_are_never_followed() {
    let (_temp, folder) = folder();
    let target = folder.join("profile");
    fs::write(&target, "before").unwrap();
    symlink(&target, folder.join("link")).unwrap();
    symlink(folder.join("nothing"), folder.join("dangling")).unwrap();
    for (name, open_fn) in OPEN_FNS {
        for link in ["link", "dangling"] {
            let error = open_fn(&folder.join(link)).expect_err(name);
            assert!(error.to_string().contains("symbolic link"), "{name}: {error}");
        }
    }
    assert_eq!(fs::read_to_string(&target).unwrap(), "before");
    assert!(!folder.join("nothing").exists());
}

#[test]
fn linked_folders_are_not_entered() {
    let (_temp, folder) = folder();
    fs::create_dir(folder.join("elsewhere")).unwrap();
    fs::write(folder.join("elsewhere/file"), "x").unwrap();
    symlink(folder.join("elsewhere"), folder.join("logs")).unwrap();
    for (name, open_fn) in OPEN_FNS {
        let error = open_fn(&folder.join("logs/file")).expect_err(name);
        assert!(error.to_string().contains("symbolic link"), "{name}: {error}");
    }
    assert!(replace(&folder.join("logs/new"), b"x").is_err());
    assert!(!folder.join("elsewhere/new").exists());
    assert!(create_folder(&folder.join("logs")).is_err());
}

#[test]
fn pipes_and_devices_are_refused_without_waiting() {
    let (_temp, folder) = folder();
    let pipe = folder.join("pipe");
    nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    for (name, open_fn) in OPEN_FNS {
        assert!(open_fn(&pipe).is_err(), "{name}");
    }
    assert!(open_following(&pipe).is_err());
    assert!(open_following(Path::new("/dev/zero")).is_err());
    assert!(read_following(Path::new("/dev/zero"), 10).is_err());
    assert!(open(&folder).is_err());
}

#[test]
fn new_files_are_private_to_their_owner() {
    let (_temp, folder) = folder();
    let deep = folder.join("a/b");
    create_folder(&deep).unwrap();
    create_folder(&deep).unwrap();
    assert_eq!([mode(&folder.join("a")), mode(&deep)], [0o700, 0o700]);
    drop(append(&deep.join("log")).unwrap());
    drop(create_new(&deep.join("new")).unwrap());
    replace(&deep.join("file"), b"x").unwrap();
    let lock = Lock::exclusive(&deep.join("lock"), Wait::NONE).unwrap();
    assert!(lock.is_some());
    for name in ["log", "new", "file", "lock"] {
        assert_eq!(mode(&deep.join(name)), 0o600, "{name}");
    }
}

#[test]
fn folders_writable_by_others_are_refused() {
    let (_temp, folder) = folder();
    assert!(!check_folder(&folder.join("missing")).unwrap());
    let shared = folder.join("shared");
    fs::create_dir(&shared).unwrap();
    for (bits, trusted) in [(0o700, true), (0o755, true), (0o775, false), (0o777, false)] {
        fs::set_permissions(&shared, fs::Permissions::from_mode(bits)).unwrap();
        assert_eq!(check_folder(&shared).is_ok(), trusted, "{bits:o}");
    }
    fs::write(folder.join("file"), "").unwrap();
    assert!(check_folder(&folder.join("file")).is_err());
}

#[test]
fn replace_overwrites_the_link_and_not_its_target() {
    let (_temp, folder) = folder();
    let target = folder.join("target");
    fs::write(&target, "before").unwrap();
    symlink(&target, folder.join("file")).unwrap();
    replace(&folder.join("file"), b"after").unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "before");
    assert_eq!(read(&folder.join("file"), 100).unwrap(), b"after");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left beside it");
}

#[test]
fn reading_more_than_the_limit_fails() {
    let (_temp, folder) = folder();
    let file = folder.join("file");
    append(&file).unwrap().write_all(b"12345").unwrap();
    assert_eq!(read(&file, 5).unwrap(), b"12345");
    assert!(read(&file, 4).is_err());
}

#[test]
fn an_exclusive_lock_has_one_holder() {
    let (_temp, folder) = folder();
    let path = folder.join("lock");
    let lock = Lock::exclusive(&path, Wait::NONE).unwrap();
    assert!(lock.is_some());
    assert!(Lock::exclusive(&path, Wait::AtMost(Duration::from_millis(1))).unwrap().is_none());
    drop(lock);
    assert!(Lock::exclusive(&path, Wait::NONE).unwrap().is_some());
}

#[test]
fn shared_files_keep_their_permissions() {
    let (_temp, folder) = folder();
    let file = folder.join("record.json");
    replace_shared(&file, b"one").unwrap();
    fs::write(folder.join("ordinary"), "").unwrap();
    assert_eq!(mode(&file), mode(&folder.join("ordinary")));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    replace_shared(&file, b"two").unwrap();
    assert_eq!((mode(&file), read(&file, 10).unwrap()), (0o640, b"two".to_vec()));
    symlink(folder.join("ordinary"), folder.join("link")).unwrap();
    replace_shared(&folder.join("link"), b"three").unwrap();
    assert_eq!(fs::read(folder.join("ordinary")).unwrap(), b"");
}

#[test]
fn dropped_replacements_leave_no_file() {
    let (_temp, folder) = folder();
    let file = folder.join("file");
    replace(&file, b"old").unwrap();
    let mut replacement = Replacement::new(&file).unwrap();
    replacement.file().write_all(b"half").unwrap();
    drop(replacement);
    assert_eq!(read(&file, 10).unwrap(), b"old");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn temporaries_of_killed_processes_are_removed() {
    let (_temp, folder) = folder();
    let names = [".file.tacit-12-0", ".file.tacit-999-17", ".file.tacit-new", ".other.tacit-12-0"];
    for name in names {
        fs::write(folder.join(name), "").unwrap();
    }
    remove_temporaries(&folder.join("file")).unwrap();
    let left: Vec<bool> = names.iter().map(|name| folder.join(name).exists()).collect();
    assert_eq!(left, [false, false, true, true]);
}

#[test]
fn nofollow_refuses_links_and_following_reads_them() {
    let (_temp, folder) = folder();
    fs::write(folder.join("file"), "text").unwrap();
    symlink(folder.join("file"), folder.join("link")).unwrap();
    assert_eq!(read_nofollow(&folder.join("file"), 10).unwrap(), b"text");
    assert!(read_nofollow(&folder.join("link"), 10).is_err());
    assert_eq!(read_text_following(&folder.join("link"), 10).unwrap(), "text");
    assert_eq!(read_start_following(&folder.join("link"), 2).unwrap(), b"te");
}

#[test]
fn user_paths_may_be_devices_only_below_dev_and_proc() {
    let (_temp, folder) = folder();
    let pipe = folder.join("pipe");
    nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    symlink("/dev/zero", folder.join("link")).unwrap();
    assert!(open_user_path(&pipe).is_err());
    assert!(open_user_path(&folder.join("link")).is_err());
    assert!(open_user_path(Path::new("/dev/null")).is_ok());
}

#[test]
fn check_file_accepts_only_regular_files() {
    let (_temp, folder) = folder();
    assert!(!check_file(&folder.join("missing")).unwrap());
    assert!(!check_file(&folder.join("missing/file")).unwrap());
    fs::write(folder.join("file"), "").unwrap();
    assert!(check_file(&folder.join("file")).unwrap());
    symlink(folder.join("file"), folder.join("link")).unwrap();
    nix::unistd::mkfifo(&folder.join("pipe"), Mode::S_IRWXU).unwrap();
    for name in ["link", "pipe"] {
        assert!(check_file(&folder.join(name)).is_err(), "{name}");
    }
}

#[test]
fn secure_folder_removes_write_access_of_others() {
    let (_temp, folder) = folder();
    let logs = folder.join("logs");
    fs::create_dir(&logs).unwrap();
    fs::set_permissions(&logs, fs::Permissions::from_mode(0o775)).unwrap();
    secure_folder(&logs).unwrap();
    assert_eq!(mode(&logs), 0o700);
    symlink(&folder, folder.join("link")).unwrap();
    assert!(secure_folder(&folder.join("link")).is_err());
    assert!(open_folder(&folder.join("link")).is_err());
    assert!(open_folder(&logs).is_ok());
}

#[test]
fn link_or_copy_keeps_the_bytes() {
    let (_temp, folder) = folder();
    fs::write(folder.join("file"), "bytes").unwrap();
    link_or_copy(&folder.join("file"), &folder.join("copy")).unwrap();
    fs::remove_file(folder.join("file")).unwrap();
    assert_eq!(fs::read_to_string(folder.join("copy")).unwrap(), "bytes");
}
