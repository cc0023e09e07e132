//! Repair and cleanup, and the locks that make them safe.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, UNIX_EPOCH};

use tacit_testkit::env::RunOutput;

use super::damage::remove_damaged;
use super::initialised;

#[test]
fn a_database_is_replaced_only_while_nobody_has_it_open() {
    let env = initialised();
    env.run(["remember", "a fact from before"]).succeeded();
    let database = env.store().join("memory.db");
    fs::write(&database, "nonsense").expect("the database");
    // The lock of a process that has the database open.
    let other = File::open(env.store()).expect("the directory");
    other.lock_shared().expect("the lock");
    let mend = || {
        let mut command = env.command();
        command.env("TACIT_TIMEOUTS_STORE_MS", "20").args(["doctor", "--fix"]);
        RunOutput::from(command.output().expect("the binary starts"))
    };
    let ran = mend();
    assert_eq!(ran.code, Some(5));
    let waits =
        "project: waiting for other processes that use the store\nerror: the database is locked";
    assert!(ran.stderr.starts_with(waits), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: "), "{}", ran.stderr);
    assert_eq!(fs::read(&database).expect("the database"), b"nonsense");
    drop(other);
    mend().succeeded();
    assert_eq!(remove_damaged(&env.store()), 1);
    env.run(["remember", "a fact from after"]).succeeded();
    env.run(["doctor"]).succeeded();
}

#[test]
fn a_repair_waits_for_background_maintenance() {
    let env = initialised();
    env.run(["remember", "a fact"]).succeeded();
    let lock = File::options().create(true).append(true).open(env.store().join("maintain.lock"));
    let lock = lock.expect("a file");
    lock.lock().expect("the lock");
    let mut child = env
        .command()
        .args(["doctor", "--fix"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut told = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    told.read_line(&mut line).expect("text");
    assert_eq!(line, "project: waiting for `tacit maintain`, which is at work in the background\n");
    assert!(child.try_wait().expect("a state").is_none(), "it waits");
    drop(lock);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn databases_cannot_be_opened_while_they_are_replaced() {
    let env = initialised();
    let mender = File::open(env.store()).expect("the directory");
    mender.lock().expect("the lock");
    let mut command = env.command();
    command.env("TACIT_TIMEOUTS_STORE_MS", "20").args(["list"]);
    RunOutput::from(command.output().expect("the binary starts")).failed(5);
    drop(mender);
    env.run(["list"]).succeeded();
}

#[test]
fn old_quarantined_files_are_removed() {
    let env = initialised();
    // The first second of 2030.
    let now = UNIX_EPOCH + Duration::from_secs(1_893_456_000);
    for folder in ["spool", "events"] {
        let folder = env.store().join(folder);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, days) in [("old", 91), ("new", 89)] {
            let path = folder.join(format!("{name}.broken"));
            let at = now - Duration::from_secs(days * 86_400);
            let file = File::create(path).expect("a file");
            file.set_modified(at).expect("a time");
        }
    }
    let mut command = env.command();
    command.env("TACIT_NOW", "2030-01-01T00:00:00Z").args(["maintain", "--quiet"]);
    RunOutput::from(command.output().expect("the binary starts")).succeeded();
    for folder in ["spool", "events"] {
        let there = |name: &str| env.store().join(folder).join(name).exists();
        assert_eq!((there("old.broken"), there("new.broken")), (false, true), "{folder}");
    }
}

#[test]
fn a_clock_or_a_seed_that_is_none_is_told() {
    let env = initialised();
    for (variable, value, what) in [
        ("TACIT_NOW", "yesterday", "`TACIT_NOW` is not a time: `yesterday`"),
        ("TACIT_ID_SEED", "-1", "`TACIT_ID_SEED` is not a whole number: `-1`"),
    ] {
        let mut command = env.command();
        command.env(variable, value).arg("list");
        let ran = RunOutput::from(command.output().expect("the binary starts")).failed(2);
        assert!(ran.stderr.contains(what), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: write a time as"), "{}", ran.stderr);
    }
}

#[test]
fn permissions_of_every_file_are_checked_and_restored() {
    let env = initialised();
    env.run(["remember", "a fact"]).succeeded();
    env.run(["maintain", "--quiet"]).succeeded();
    let backups = env.store().join("backups");
    let backup = fs::read_dir(&backups).expect("a folder").next().expect("one").expect("it").path();
    let mode = |path: &Path| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    for (path, open, closed) in [
        (env.store().join("memory.db"), 0o644, 0o600),
        (backups, 0o755, 0o700),
        (backup, 0o640, 0o600),
    ] {
        fs::set_permissions(&path, fs::Permissions::from_mode(open)).expect("permissions");
        let ran = env.run(["doctor"]).succeeded();
        let told = format!("could read, if they could enter the folder, `{}`", path.display());
        assert!(ran.stdout.contains(&told), "{}", ran.stdout);
        assert_eq!(mode(&path), open, "looking changes nothing");
        let ran = env.run(["doctor", "--fix"]).succeeded();
        assert!(ran.stdout.contains("mended project permissions"), "{}", ran.stdout);
        assert_eq!(mode(&path), closed);
        assert!(env.run(["doctor"]).succeeded().stdout.contains("ok     project permissions"));
    }
}

#[test]
fn memories_without_vectors_are_found_and_embedded_again() {
    let env = initialised();
    env.run(["remember", "a fact about the parser"]).succeeded();
    env.run(["maintain", "--quiet"]).succeeded();
    env.run(["doctor"]).succeeded();
    let database = rusqlite::Connection::open(env.store().join("memory.db")).expect("the database");
    database.execute_batch("UPDATE memory_vectors SET vector = x'00'").expect("damage");
    drop(database);
    let ran = env.run(["doctor"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stdout.contains("1 memory without vectors"), "{}", ran.stdout);
    let ran = env.run(["doctor", "--fix"]).succeeded();
    assert!(ran.stdout.contains("mended project database"), "{}", ran.stdout);
    env.run(["doctor"]).succeeded();
    env.run(["maintain", "--quiet"]).succeeded();
    let database = rusqlite::Connection::open(env.store().join("memory.db")).expect("the database");
    let whole: i64 = database
        .query_row("SELECT count(*) FROM memory_vectors WHERE length(vector) > 100", [], |row| {
            row.get(0)
        })
        .expect("a number");
    assert_eq!(whole, 1);
}

#[test]
fn rows_from_the_future_are_mentioned() {
    let env = initialised();
    env.run(["remember", "a fact"]).succeeded();
    assert!(!env.run(["doctor"]).succeeded().stdout.contains("project clock"));
    let mut command = env.command();
    command.env("TACIT_NOW", "2099-01-01T00:00:00Z").args(["remember", "a fact of tomorrow"]);
    RunOutput::from(command.output().expect("the binary starts")).succeeded();
    let ran = env.run(["doctor"]).succeeded();
    assert!(ran.stdout.contains("note   project clock"), "{}", ran.stdout);
    assert!(ran.stdout.contains("the newest row is of 2099-01-01"), "{}", ran.stdout);
}
