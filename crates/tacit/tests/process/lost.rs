//! Acknowledged memories that vanish with the database's log are missed.

use std::fs::{self, File};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tacit_testkit::env::TestEnv;

use crate::initialised;

/// A store whose newest two memories are in the log alone.
fn with_a_log() -> TestEnv {
    let env = initialised();
    env.run(["config", "set", "embedding.provider", "off", "--global"]).succeeded();
    env.run(["remember", "a fact in the file"]).succeeded();
    let holder = Connection::open(env.store().join("memory.db")).expect("the database");
    holder.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).expect("a setting");
    holder.pragma_update(None, "wal_checkpoint", "truncate").expect("a checkpoint");
    holder.query_row("SELECT count(*) FROM memories", [], |_| Ok(())).expect("a read");
    env.run(["remember", "a first fact in the log"]).succeeded();
    env.run(["remember", "a second fact in the log"]).succeeded();
    drop(holder);
    assert!(fs::metadata(env.store().join("memory.db-wal")).is_ok_and(|meta| meta.len() > 0));
    env
}

fn remove_log(env: &TestEnv) {
    for name in ["memory.db-wal", "memory.db-shm"] {
        let _ = fs::remove_file(env.store().join(name));
    }
}

const LOST: &str =
    "2 memories that were stored are missing: the database's log was damaged or removed";

#[test]
fn memories_that_vanish_with_the_log_are_missed() {
    type Damage = fn(&TestEnv);
    let damages: [(&str, Damage); 3] = [
        ("removed", remove_log),
        ("cut", |env| {
            let log = File::options().write(true).open(env.store().join("memory.db-wal"));
            log.and_then(|log| log.set_len(40)).expect("a cut");
        }),
        ("overwritten", |env| {
            let path = env.store().join("memory.db-wal");
            let length = fs::metadata(&path).expect("a log").len();
            fs::write(&path, vec![0xa5; usize::try_from(length).expect("a length")])
                .expect("a log");
        }),
    ];
    for (what, damage) in damages {
        // Whichever command comes first notices it, and it stays known.
        for first in
            [&["list"][..], &["recall", "fact"], &["remember", "more"], &["doctor", "--quick"]]
        {
            let env = with_a_log();
            damage(&env);
            env.run(first);
            let ran = env.run(["list"]);
            assert_eq!(ran.code, Some(0), "{what}");
            assert_eq!(
                ran.stderr,
                format!("warning: project: {LOST}; see `tacit doctor`\n"),
                "{what}, {first:?}"
            );
            let health = env.run(["doctor", "--quick"]);
            assert_eq!(health.code, Some(1), "{health:?}");
            assert!(health.stdout.contains(LOST), "{health:?}");
            let doctor = env.run(["doctor"]);
            assert_eq!(doctor.code, Some(1), "{doctor:?}");
            assert!(doctor.stdout.contains(LOST), "{doctor:?}");
            let fixed = env.run(["doctor", "--fix"]).succeeded();
            assert!(fixed.stdout.contains("mended project database"), "{fixed:?}");
            env.run(["list"]).succeeded();
            env.run(["doctor"]).succeeded();
        }
    }
}

#[test]
fn nothing_is_missed_that_was_taken_back_or_put_back() {
    // A purge and an undo.
    let env = with_a_log();
    let listed = env.run(["list", "--json"]).succeeded().json();
    let id = listed[0]["short_id"].as_str().expect("an id").to_owned();
    env.run(["undo"]).succeeded();
    env.run(["list"]).succeeded();
    env.run(["remember", "another fact"]).succeeded();
    let id = if env.run(["show", &id]).code == Some(0) {
        id
    } else {
        let listed = env.run(["list", "--json"]).succeeded().json();
        listed[0]["short_id"].as_str().expect("an id").to_owned()
    };
    env.run(["forget", &id, "--purge", "--yes"]).succeeded();
    env.run(["list"]).succeeded();
    env.run(["doctor"]).succeeded();

    // An older copy of the database.
    let env = with_a_log();
    let (path, backup) = (env.store().join("memory.db"), env.root().join("backup.db"));
    env.run(["list"]).succeeded();
    fs::copy(&path, &backup).expect("a copy");
    env.run(["remember", "a fact after the backup"]).succeeded();
    remove_log(&env);
    fs::copy(&backup, &path).expect("a copy");
    env.run(["list"]).succeeded();
    env.run(["doctor"]).succeeded();

    // A new store in the place of one that was removed.
    let env = with_a_log();
    remove_log(&env);
    fs::remove_file(env.store().join("memory.db")).expect("it goes");
    env.run(["init", "--no-hooks"]).succeeded();
    env.run(["list"]).succeeded();
    env.run(["doctor"]).succeeded();
}

#[test]
fn a_database_that_was_emptied_is_missed() {
    let env = initialised();
    for text in ["one fact of three", "another fact of three", "the last fact of three"] {
        env.run(["remember", text]).succeeded();
    }
    fs::write(env.store().join("memory.db"), "").expect("it is emptied");
    remove_log(&env);
    let ran = env.run(["list"]);
    assert!(ran.stderr.contains("3 memories"), "{}", ran.stderr);
    assert_eq!(env.run(["doctor"]).code, Some(1));
    assert_eq!(env.run(["doctor", "--quick"]).code, Some(1));
}
