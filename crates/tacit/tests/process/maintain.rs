//! Long work, where more than one process is at it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;
use tacit_testkit::env::TestEnv;

use super::initialised;
use crate::hooks::Agent;

/// The lock that a `tacit maintain` has while it is at work, taken.
fn at_work(env: &TestEnv) -> File {
    let path = env.store().join("maintain.lock");
    let lock = File::options().create(true).append(true).open(path).expect("a file");
    lock.lock().expect("the lock");
    lock
}

#[test]
fn maintain_waits_for_another_that_is_running() {
    let env = initialised();
    let lock = at_work(&env);
    let mut child = env
        .command()
        .arg("maintain")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut told = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    told.read_line(&mut line).expect("text");
    assert_eq!(line, "project: another `tacit maintain` is running; waiting for it\n");
    assert!(child.try_wait().expect("a state").is_none(), "it waits");
    drop(lock);
    assert!(child.wait().expect("it ends").success());
    let mut said = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!(said, "project: embedded 0 memories; everything is up to date\n");
}

#[test]
fn background_maintenance_exits_if_another_is_running() {
    let env = initialised();
    let _lock = at_work(&env);
    let ran = env.run(["maintain", "--quiet", "--background"]).succeeded();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn facts_and_words_that_no_worktree_has_leave_the_disk() {
    let env = initialised();
    let build = |text: &str| {
        fs::write(env.project().join("pool.py"), text).expect("a file");
        env.run(["code", "index", "--json"]).succeeded().json()["parsed"].clone()
    };
    let is_kept = || {
        let files = fs::read_dir(env.store().join("graph")).expect("a folder").flatten();
        let mut bytes = files.map(|file| fs::read(file.path()).unwrap_or_default());
        bytes.any(|bytes| bytes.windows(12).any(|window| window == b"zanzibarpool"))
    };
    build("def zanzibarpool(): pass\n");
    assert!(is_kept());
    build("def release_all(): pass\n");
    env.run(["maintain", "--quiet"]).succeeded();
    assert!(!is_kept());
    assert_eq!(build("def zanzibarpool(): pass\n"), 1, "it is parsed again");
}

/// An agent whose hooks may start maintenance, at a time.
fn unattended<'e>(env: &'e TestEnv, session: &str, time: &str) -> Agent<'e> {
    Agent::new(env, session)
        .with("TACIT_MAINTAIN_AUTO", "true")
        .with("TACIT_EMBEDDING_PROVIDER", "off")
        .with("TACIT_NOW", time)
}

/// Waits until the maintenance that began at a time has finished. Maintenance that a hook started
/// has the hook's clock.
fn is_maintained_at(env: &TestEnv, time: &str) {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let report = fs::read_to_string(env.store().join("maintain-report.json"));
        let report: Value = serde_json::from_str(&report.unwrap_or_default()).unwrap_or_default();
        let begun = report["started_at"].as_str().unwrap_or_default();
        if begun == time && !report["finished_at"].is_null() {
            return;
        }
        assert!(begun <= time, "maintenance ran at {begun}, after {time}");
        assert!(Instant::now() < deadline, "nothing was maintained at {time}: {report}");
        std::thread::yield_now();
    }
}

#[test]
fn hooks_start_maintenance_on_a_new_day_and_at_the_end_of_a_session() {
    let env = initialised();
    unattended(&env, "one", "2026-11-16T09:00:00.000Z").starts("startup");
    is_maintained_at(&env, "2026-11-16T09:00:00.000Z");
    // The same day again starts nothing: the end of the session is next.
    unattended(&env, "one", "2026-11-16T09:10:00.000Z").says("Count the pages of the report");
    unattended(&env, "one", "2026-11-16T09:20:00.000Z").ends("other");
    is_maintained_at(&env, "2026-11-16T09:20:00.000Z");
    // A session that goes on overnight is maintained with its first prompt.
    unattended(&env, "two", "2026-11-16T23:50:00.000Z").starts("startup");
    unattended(&env, "two", "2026-11-17T00:10:00.000Z").says("Count the pages of the report");
    is_maintained_at(&env, "2026-11-17T00:10:00.000Z");
}

#[test]
fn hooks_start_maintenance_after_twenty_sessions_of_a_day() {
    let env = initialised();
    let starts = |number: u32| {
        let time = format!("2026-11-16T10:{number:02}:00.000Z");
        unattended(&env, &format!("s{number}"), &time).starts("startup");
        time
    };
    is_maintained_at(&env, &starts(0));
    // The first session is as old as the maintenance. Twenty others follow, none of which ends.
    for number in 1..=20 {
        starts(number);
    }
    is_maintained_at(&env, &starts(21));
}

#[test]
fn nothing_is_maintained_in_the_background_if_that_is_turned_off() {
    let env = initialised();
    let agent = Agent::new(&env, "one");
    agent.starts("startup");
    agent.ends("other");
    assert!(!env.store().join("maintain-report.json").exists());
    assert!(!env.store().join("maintain.lock").exists(), "none has begun either");
}
