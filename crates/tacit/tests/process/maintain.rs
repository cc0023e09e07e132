//! Long work, where more than one process is at it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use tacit_testkit::env::{Ran, TestEnv};

use super::initialised;

/// The lock that a `tacit maintain` has while it is at work, taken.
fn at_work(env: &TestEnv) -> File {
    let path = env.store().join("maintain.lock");
    let lock = File::options().create(true).append(true).open(path).expect("a file");
    lock.lock().expect("the lock");
    lock
}

#[test]
fn whoever_asks_for_it_waits_for_another_that_is_at_work() {
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
    assert_eq!(line, "project: another `tacit maintain` is at work; waiting for it\n");
    assert!(child.try_wait().expect("a state").is_none(), "it waits");
    drop(lock);
    assert!(child.wait().expect("it ends").success());
    let mut said = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!(said, "project: embedded 0 memories; everything is up to date\n");
}

#[test]
fn what_nobody_waits_for_leaves_the_work_to_another() {
    let env = initialised();
    let _lock = at_work(&env);
    let ran = env.run(["maintain", "--quiet", "--background"]).succeeded();
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn what_was_parsed_leaves_when_no_worktree_had_it_for_a_week() {
    for (day, parsed) in [(7, 0), (9, 1)] {
        let env = initialised();
        let switch = |text: &str| {
            fs::write(env.project().join("pool.py"), text).expect("a file");
            env.run(["graph", "build", "--json"]).succeeded().json()["parsed"].clone()
        };
        let maintain = |day: u32| {
            let mut command = env.command();
            command.env("TACIT_NOW", format!("2030-01-{day:02}T00:00:00Z"));
            command.args(["maintain", "--quiet"]);
            Ran::from(command.output().expect("the binary starts")).succeeded();
        };
        switch("def acquire(): pass\n");
        switch("def release_all(): pass\n");
        maintain(1);
        maintain(day);
        assert_eq!(switch("def acquire(): pass\n"), parsed, "on day {day}");
    }
}
