//! Many processes at once, some of them killed: what was acknowledged is there.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;
use tacit_testkit::realistic::TestRandom;

use crate::{bare, initialised};

const WRITERS: usize = 16;
const WRITES: usize = 500;

fn fact(writer: usize, number: usize) -> String {
    format!("writer{writer} learnt fact{number} about module{}", number % 7)
}

/// Starts one process, feeds it all facts from `from` on, and kills it after some answers, if
/// asked to. How many facts it acknowledged before it ended.
fn feed(env: &TestEnv, writer: usize, from: usize, kill_after: Option<usize>) -> usize {
    let mut child = env
        .command()
        .args(["remember", "--jsonl"])
        .env("TACIT_USER_NAME", format!("writer {writer}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let lines: String =
        (from..WRITES).map(|n| format!("{}\n", json!({"content": fact(writer, n)}))).collect();
    let feeder = std::thread::spawn(move || drop(stdin.write_all(lines.as_bytes())));
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut acknowledged = 0;
    let mut line = String::new();
    // Also what it printed in the moment before its death counts, if the line is whole.
    while answers.read_line(&mut line).expect("text") > 0 && line.ends_with('\n') {
        let answer: Value = serde_json::from_str(&line).expect("an answer");
        let outcome = answer["outcome"].as_str().unwrap_or_default();
        assert!(["stored", "reinforced", "spooled"].contains(&outcome), "{line}");
        acknowledged += 1;
        if kill_after == Some(acknowledged) {
            child.kill().expect("it dies");
        }
        line.clear();
    }
    let status = child.wait().expect("it ends");
    feeder.join().expect("all was sent");
    if kill_after.is_none() {
        assert!(status.success(), "{status}");
    }
    acknowledged
}

#[test]
fn sixteen_writers_with_sudden_deaths_lose_nothing() {
    let env = initialised();
    let (deaths, at_work) = (AtomicUsize::new(0), AtomicUsize::new(WRITERS));
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (env, deaths, at_work) = (&env, &deaths, &at_work);
            scope.spawn(move || {
                let mut dice = TestRandom::new(writer as u64 + 1);
                let mut done = 0;
                while done < WRITES {
                    // About three deaths a writer.
                    let kill = (dice.below(4) > 0).then(|| 1 + dice.below(250));
                    deaths.fetch_add(usize::from(kill.is_some()), Ordering::Relaxed);
                    done += feed(env, writer, done, kill);
                }
                at_work.fetch_sub(1, Ordering::Relaxed);
            });
        }
        // Readers are not in anybody's way, nor is anybody in theirs.
        while at_work.load(Ordering::Relaxed) > 0 {
            env.run(["recall", "fact1", "--json"]).succeeded().json();
        }
    });
    assert!(deaths.load(Ordering::Relaxed) >= WRITERS, "{deaths:?}");

    let doctor = env.run(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{}", doctor.stdout);
    let listed = env.run(["list", "--limit", "100000", "--json"]).succeeded().json();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for memory in listed.as_array().expect("a list") {
        *found.entry(memory["content"].as_str().expect("a text")).or_default() += 1;
    }
    for writer in 0..WRITERS {
        for number in 0..WRITES {
            assert_eq!(found.get(fact(writer, number).as_str()), Some(&1), "{writer} {number}");
        }
    }
    assert_eq!(found.len(), WRITERS * WRITES);
}

#[test]
fn the_first_writers_of_all_create_the_store_together() {
    // Creating the file, switching it to its log and making the tables are three steps, each of
    // which another process can come between.
    for round in 0..4 {
        let env = bare();
        std::thread::scope(|scope| {
            for writer in 0..12 {
                let env = &env;
                scope.spawn(move || {
                    let text = format!("round {round} writer {writer}");
                    env.run(["remember", "--global", &text]).succeeded();
                });
            }
        });
        let listed = env.run(["list", "--global", "--limit", "100", "--json"]).succeeded().json();
        assert_eq!(listed.as_array().map(Vec::len), Some(12));
    }
}

#[test]
fn many_can_initialise_at_once() {
    let env = bare();
    env.git(&env.project(), &["init", "-q"]);
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| env.run(["init"]).succeeded());
        }
    });
    env.run(["remember", "it works"]).succeeded();
    let doctor = env.run(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{}", doctor.stdout);
}

#[test]
fn scanning_modules_waits_for_other_scans() {
    let env = bare();
    let write = |path: &str, text: &str| {
        let path = env.project().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("aa/main.py", "def f(): pass\n");
    write("bb/main.py", "def f(): pass\n");
    env.run(["init", "--no-hooks"]).succeeded();
    write("aa/main.py", "def g(): pass\n");
    std::thread::scope(|scope| {
        let once = || scope.spawn(|| env.run(["code", "map", "--remember"]).succeeded());
        let running: Vec<_> = (0..5).map(|_| once()).collect();
        running.into_iter().for_each(|one| drop(one.join().expect("it ends well")));
    });
    let kept = env.run(["list", "--type", "module_insight", "--json"]).succeeded().json();
    assert_eq!(kept.as_array().map(Vec::len), Some(2), "{kept}");
}
