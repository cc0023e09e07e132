//! Long work, where more than one process is at it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use tacit_testkit::env::TestEnv;

use super::initialised;

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
