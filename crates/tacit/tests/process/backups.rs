//! Backups: made by maintenance, rotated, checked, and restored.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tacit_testkit::env::{RunOutput, TestEnv};

use crate::initialised;

fn prepared() -> TestEnv {
    let env = initialised();
    env.run(["config", "set", "embedding.provider", "off", "--global"]).succeeded();
    env
}

fn run_at(env: &TestEnv, now: &str, arguments: &[&str]) -> RunOutput {
    let mut command = env.command();
    command.env("TACIT_NOW", format!("{now}T09:00:00Z")).args(arguments);
    RunOutput::from(command.output().expect("the binary starts"))
}

/// Stores a fact and runs maintenance, both on a day.
fn day(env: &TestEnv, date: &str) {
    run_at(env, date, &["remember", &format!("a fact of {date}")]).succeeded();
    run_at(env, date, &["maintain", "--quiet"]).succeeded();
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn dates(env: &TestEnv) -> Vec<String> {
    let names = names(&env.store().join("backups"));
    names.iter().map(|name| name[7..17].to_owned()).collect()
}

fn facts(env: &TestEnv) -> Vec<String> {
    let listed = env.run(["list", "--limit", "100", "--json"]).json();
    let listed = listed.as_array().expect("a list").iter();
    let mut texts: Vec<String> =
        listed.map(|memory| memory["content"].as_str().expect("text").to_owned()).collect();
    texts.sort();
    texts
}

#[test]
fn a_backup_is_made_once_a_day_if_something_changed() {
    let env = prepared();
    day(&env, "2026-11-02");
    assert_eq!(dates(&env), ["2026-11-02"]);
    day(&env, "2026-11-02");
    assert_eq!(dates(&env), ["2026-11-02"], "one a day is enough");
    run_at(&env, "2026-11-03", &["maintain", "--quiet"]).succeeded();
    assert_eq!(dates(&env), ["2026-11-02", "2026-11-03"], "the second fact was not in it");
    run_at(&env, "2026-11-04", &["maintain", "--quiet"]).succeeded();
    assert_eq!(dates(&env), ["2026-11-02", "2026-11-03"], "nothing changed");
    let folder = env.store().join("backups");
    let mode = |path: &Path| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for name in names(&folder) {
        assert_eq!(mode(&folder.join(name)), 0o600);
    }
}

/// Returns the names of the project's backups, newest first.
fn listed(env: &TestEnv) -> Vec<String> {
    let listed = env.run(["restore", "--backups", "--json"]).json();
    let listed = listed.as_array().expect("a list").iter();
    let name = |backup: &serde_json::Value| backup["name"].as_str().expect("a name").to_owned();
    listed.filter(|backup| backup["store"] == "project").map(name).collect()
}

#[test]
fn requested_backups_are_always_made_and_do_not_count_as_daily() {
    let env = prepared();
    env.run(["config", "set", "backups.daily", "1", "--global"]).succeeded();
    env.run(["config", "set", "backups.weekly", "0", "--global"]).succeeded();
    env.run(["remember", "a fact"]).succeeded();
    for _ in 0..2 {
        run_at(&env, "2026-11-02", &["maintain", "--backup"]).succeeded();
    }
    let requested =
        ["000002-2026-11-02T09-00-00Z-requested", "000001-2026-11-02T09-00-00Z-requested"];
    assert_eq!(listed(&env), requested, "each has a name of its own");
    // Those of each day come and go as if there were none.
    run_at(&env, "2026-11-02", &["maintain", "--quiet"]).succeeded();
    assert_eq!(listed(&env)[0], "000003-2026-11-02T09-00-00Z");
    day(&env, "2026-11-03");
    let daily = "000004-2026-11-03T09-00-00Z";
    assert_eq!(listed(&env), [daily, requested[0], requested[1]]);
    env.run(["config", "set", "backups.daily", "0", "--global"]).succeeded();
    run_at(&env, "2026-11-03", &["maintain", "--backup"]).succeeded();
    assert_eq!(listed(&env)[0], "000005-2026-11-03T09-00-00Z-requested");
    env.run(["remember", "another fact"]).succeeded();
    env.run(["restore", "--backup", requested[1]]).succeeded();
    assert_eq!(facts(&env), ["a fact"]);
}

#[test]
fn old_backups_are_deleted_and_a_wrong_clock_deletes_no_good_ones() {
    let env = prepared();
    for date in 1..=9 {
        day(&env, &format!("2026-11-0{date}"));
    }
    // 2026-11-01 is a Sunday, the last day of its week.
    let week: Vec<String> = ["01", "03", "04", "05", "06", "07", "08", "09"]
        .iter()
        .map(|day| format!("2026-11-{day}"))
        .collect();
    assert_eq!(dates(&env), week);
    day(&env, "2099-01-01");
    day(&env, "2001-01-01");
    let left = dates(&env);
    for date in ["2026-11-05", "2026-11-06", "2026-11-07", "2026-11-08", "2026-11-09"] {
        assert!(left.contains(&date.to_owned()), "{date} is gone: {left:?}");
    }
}

#[test]
fn the_number_of_backups_can_be_set_and_they_can_be_turned_off() {
    let env = prepared();
    env.run(["config", "set", "backups.daily", "2", "--global"]).succeeded();
    env.run(["config", "set", "backups.weekly", "0", "--global"]).succeeded();
    for date in 1..=4 {
        day(&env, &format!("2026-11-0{date}"));
    }
    assert_eq!(dates(&env), ["2026-11-03", "2026-11-04"]);
    env.run(["config", "set", "backups.daily", "0", "--global"]).succeeded();
    day(&env, "2026-11-05");
    assert_eq!(dates(&env), ["2026-11-03", "2026-11-04"], "none is made, none is deleted");
}

#[test]
fn a_restored_backup_can_be_taken_back() {
    let env = prepared();
    day(&env, "2026-11-02");
    day(&env, "2026-11-03");
    env.run(["remember", "a fact of today"]).succeeded();
    let all = ["a fact of 2026-11-02", "a fact of 2026-11-03", "a fact of today"];
    let ran = env.run(["restore", "--backup", "2026-11-02"]).succeeded();
    assert!(ran.stdout.contains(": 1 memory\n"), "{}", ran.stdout);
    assert_eq!(facts(&env), all[..1]);
    env.run(["doctor"]).succeeded();
    let undo = ran.stdout.lines().find_map(|line| line.strip_prefix("Undo: tacit "));
    let undo: Vec<&str> = undo.expect("a way back").split(' ').collect();
    env.run(&undo).succeeded();
    assert_eq!(facts(&env), all);
    env.run(["doctor"]).succeeded();
    env.run(["restore", "--backup", "latest"]).succeeded();
    assert_eq!(facts(&env), all[..2]);
    // Memories can be stored as before.
    env.run(["remember", "a fact after all"]).succeeded();
    assert_eq!(facts(&env).len(), 3);
}

#[test]
fn a_lost_or_damaged_database_is_restored_from_a_backup() {
    for damage in ["missing", "garbage"] {
        let env = prepared();
        day(&env, "2026-11-02");
        let path = env.store().join("memory.db");
        match damage {
            "missing" => fs::remove_file(&path).expect("it goes"),
            _ => fs::write(&path, "garbage".repeat(2_000)).expect("garbage"),
        }
        if damage == "garbage" {
            let fixed = env.run(["doctor", "--fix"]).succeeded();
            assert!(fixed.stdout.contains("the last backup has 1 memory"), "{}", fixed.stdout);
        }
        let ran = env.run(["restore", "--backup", "latest"]);
        assert_eq!(ran.code, Some(0), "{damage}: {ran:?}");
        assert_eq!(facts(&env), ["a fact of 2026-11-02"], "{damage}");
        let kept = names(&env.store()).iter().any(|name| name.starts_with("memory.db.damaged-"));
        assert_eq!(kept, damage == "garbage");
    }
}

#[test]
fn both_stores_are_backed_up_and_restored_by_themselves() {
    let env = prepared();
    run_at(&env, "2026-11-02", &["remember", "my own fact", "--global"]).succeeded();
    day(&env, "2026-11-02");
    assert_eq!(names(&env.home().join("backups")).len(), 1);
    env.run(["remember", "another of my own", "--global"]).succeeded();
    env.run(["restore", "--backup", "latest", "--global"]).succeeded();
    let own = env.run(["list", "--global", "--json"]).succeeded().json();
    assert_eq!(own.as_array().map(Vec::len), Some(1));
    let listed = env.run(["restore", "--backups", "--json"]).succeeded().json();
    let listed = listed.as_array().expect("a list");
    let stores: Vec<_> = listed.iter().map(|it| it["store"].as_str().expect("text")).collect();
    assert_eq!(stores, ["project", "global", "global"]);
    assert_eq!(listed[2]["replaced"], true);
}

#[test]
fn a_backup_that_cannot_be_made_disturbs_nothing_else() {
    let env = prepared();
    fs::write(env.store().join("backups"), "a file").expect("a file");
    run_at(&env, "2026-11-02", &["remember", "a fact"]).succeeded();
    let ran = run_at(&env, "2026-11-02", &["maintain"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("cannot back up"), "{ran:?}");
    let log = fs::read_to_string(env.store().join("logs/maintain.log")).expect("a log");
    assert!(log.contains("back up: "), "{log}");
    assert_eq!(facts(&env), ["a fact"]);
    fs::remove_file(env.store().join("backups")).expect("it goes");
    run_at(&env, "2026-11-02", &["maintain", "--quiet"]).succeeded();
    assert_eq!(dates(&env), ["2026-11-02"]);
    env.run(["doctor", "--quick"]).succeeded();
}

#[test]
fn unfinished_backups_do_not_count_and_are_removed() {
    let env = prepared();
    day(&env, "2026-11-02");
    let half: PathBuf = env.store().join("backups/.unfinished.db");
    fs::write(&half, "half").expect("a file");
    let listed = env.run(["restore", "--backups", "--json"]).succeeded().json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    day(&env, "2026-11-03");
    assert!(!half.exists());
}

#[test]
fn a_damaged_backup_is_reported_and_refused() {
    let env = prepared();
    day(&env, "2026-11-02");
    let name = names(&env.store().join("backups")).remove(0);
    let path = env.store().join("backups").join(name);
    let mut bytes = fs::read(&path).expect("the backup");
    bytes[4096..12288].fill(0xff);
    fs::write(&path, bytes).expect("the backup");
    let doctor = env.run(["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.stdout.contains("cannot be restored"), "{}", doctor.stdout);
    let before = fs::read(env.store().join("memory.db")).expect("the database");
    let ran = env.run(["restore", "--backup", "latest"]);
    assert_eq!(ran.code, Some(6), "{ran:?}");
    assert_eq!(fs::read(env.store().join("memory.db")).expect("the database"), before);
    assert_eq!(facts(&env), ["a fact of 2026-11-02"]);
    // The next day has a good one again.
    run_at(&env, "2026-11-03", &["maintain", "--quiet"]).succeeded();
    assert_eq!(dates(&env), ["2026-11-02", "2026-11-03"]);
}

#[test]
fn an_unknown_backup_is_named() {
    let env = prepared();
    let ran = env.run(["restore", "--backup", "2026-11-02"]).failed(3);
    assert!(ran.stderr.contains("the project store has no backup `2026-11-02`"), "{}", ran.stderr);
    assert_eq!(
        env.run(["restore", "--backups"]).succeeded().stdout,
        "No backups. `tacit maintain` makes one a day.\n"
    );
}
