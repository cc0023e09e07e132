//! Records through the real binary: many writers, sudden deaths, files that come and go.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use tacit_testkit::env::{RunOutput, TestEnv};
use tacit_testkit::realistic::TestRandom;

use crate::initialised;

fn decision(title: &str, text: &str) -> Value {
    json!({
        "title": title, "tags": ["t"],
        "content": {
            "status": "accepted", "context": "there was a choice", "decision": text,
            "rationale": ["it is simple"],
        },
    })
}

fn create(env: &TestEnv, title: &str, text: &str) -> RunOutput {
    env.run_with_input(
        ["records", "create", "decision"],
        decision(title, text).to_string().as_bytes(),
    )
}

fn file(env: &TestEnv, name: &str) -> PathBuf {
    env.project().join(".claude/memory/decisions").join(format!("{name}.json"))
}

fn recalled(env: &TestEnv, question: &str) -> usize {
    let answer = env.run(["recall", question, "--json"]).succeeded().json();
    let found = answer.as_array().cloned().unwrap_or_default();
    found.iter().filter(|memory| memory["clear"] == true).count()
}

#[test]
fn sixteen_updaters_lose_nothing() {
    let env = initialised();
    create(&env, "Shared", "everybody writes here").succeeded();
    std::thread::scope(|scope| {
        for writer in 0..16 {
            let env = &env;
            scope.spawn(move || {
                loop {
                    let shown = env.run(["records", "show", "shared", "--json"]).succeeded().json();
                    let mut record = shown["record"].clone();
                    let change = json!({"date": "2026-11-15", "summary": format!("w{writer}")});
                    record["changes"].as_array_mut().expect("changes").push(change);
                    let hash = shown["hash"].as_str().expect("a hash");
                    let ran = env.run_with_input(
                        ["records", "update", "shared", "--hash", hash],
                        record.to_string().as_bytes(),
                    );
                    if ran.code == Some(0) {
                        break;
                    }
                    assert!(ran.stderr.contains("OCC_CONFLICT"), "{}", ran.stderr);
                }
            });
        }
    });
    let shown = env.run(["records", "show", "shared", "--json"]).succeeded().json();
    assert_eq!(shown["record"]["times_updated"], 16);
    let changes = shown["record"]["changes"].as_array().expect("changes");
    for writer in 0..16 {
        let summary = format!("w{writer}");
        let found = changes.iter().filter(|change| change["summary"] == summary.as_str());
        assert_eq!(found.count(), 1, "{summary}");
    }
    assert_eq!(recalled(&env, "everybody writes"), 1);
}

#[test]
fn a_death_leaves_the_old_file_or_the_new_one() {
    let env = initialised();
    create(&env, "Fragile", "version 0").succeeded();
    let path = file(&env, "fragile");
    let mut dice = TestRandom::new(11);
    let long = "x".repeat(6000);
    let mut versions = 0;
    for round in 1..=40 {
        let before = fs::read(&path).expect("the file is there");
        let part = json!({"content": {"decision": format!("version {round} {long}")}});
        let mut child = env
            .command()
            .args(["records", "update", "fragile", "--note", "again"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // It may be dead before it has read all.
        let _ = stdin.write_all(part.to_string().as_bytes());
        drop(stdin);
        for _ in 0..dice.below(600_000) {
            std::hint::spin_loop();
        }
        child.kill().expect("it dies");
        child.wait().expect("it ends");
        let after = fs::read(&path).expect("the file is there");
        let record: Value = serde_json::from_slice(&after).expect("a whole file");
        if after != before {
            versions += 1;
            let said = record["content"]["decision"].as_str().expect("a text");
            assert_eq!(said, format!("version {round} {long}"));
        }
    }
    // Whatever was left behind, the next command works, and the index follows the files.
    env.run_with_input(["records", "update", "fragile", "--note", "last"], b"{}").succeeded();
    let shown = env.run(["records", "show", "fragile", "--json"]).succeeded().json();
    assert_eq!(shown["record"]["times_updated"], versions + 1);
    env.run(["records", "index"]).succeeded();
    let doctor = env.run(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{}", doctor.stdout);
}

#[test]
fn files_that_come_change_and_go_are_followed() {
    let env = initialised();
    create(&env, "Wandering", "the heron nests in spring").succeeded();
    assert_eq!(recalled(&env, "heron"), 1);
    let path = file(&env, "wandering");
    let text = fs::read_to_string(&path).expect("the file is there");

    // Edited by hand, as by a pull.
    fs::write(&path, text.replace("heron nests", "kestrel hunts")).expect("written");
    assert_eq!((recalled(&env, "heron"), recalled(&env, "kestrel")), (0, 1));

    // Gone with another branch, and back again.
    fs::remove_file(&path).expect("removed");
    assert_eq!(recalled(&env, "kestrel"), 0);
    fs::write(&path, &text).expect("written");
    assert_eq!(recalled(&env, "heron"), 1);

    // Maintenance, which hooks start when they see that a file was written, follows as well.
    fs::write(&path, text.replace("heron nests", "otter swims")).expect("written");
    env.run(["maintain", "--quiet"]).succeeded();
    let listed = env.run(["list", "--json"]).succeeded().stdout;
    assert!(listed.contains("otter swims"), "{listed}");

    // Whatever became of the notes of what was indexed, nothing is indexed twice.
    let notes = fs::read_dir(env.store().join("records")).expect("a directory").next();
    let notes = notes.expect("a file").expect("a file").path();
    for broken in ["", "[]", "7", "{\"files\": [1]}", "{\"files\": {\"x\": 3}}"] {
        fs::write(&notes, broken).expect("written");
        env.run(["records", "list"]).succeeded();
        let listed = env.run(["list", "--json"]).succeeded().json();
        assert_eq!(listed.as_array().map(Vec::len), Some(1), "{broken}");
    }
}

#[test]
fn records_do_not_need_a_database() {
    let env = crate::bare();
    let ran = create(&env, "Alone", "no database here").succeeded();
    assert!(ran.stdout.contains("not indexed"), "{}", ran.stdout);
    env.run(["init", "--no-hooks"]).succeeded();
    env.run(["records", "list"]).succeeded();
    assert_eq!(recalled(&env, "database"), 1);
}

#[test]
fn excerpts_are_for_this_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let env = initialised();
    let line = json!({
        "type": "user",
        "message": {"role": "user", "content": "We decided on tabs because of the linter."},
    });
    fs::write(env.project().join("s.jsonl"), format!("{line}\n")).expect("written");
    let data = env.run(["records", "triage", "s.jsonl", "--json"]).succeeded().json();
    assert_eq!(data["categories"][0]["category"], "decision");
    let path = PathBuf::from(data["categories"][0]["context_file"].as_str().expect("a file"));
    assert!(path.starts_with(env.home()), "{}", path.display());
    let mode = |path: &std::path::Path| {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    assert_eq!((mode(&path), mode(path.parent().expect("a directory"))), (0o600, 0o700));

    let drafted = env.run(["records", "draft", "s.jsonl", "--json"]).succeeded().json();
    let name = drafted[0]["result"].as_str().expect("a name").to_owned();
    env.run(["records", "create", "decision", "--draft", &name]).succeeded();
    assert_eq!(recalled(&env, "tabs"), 1);
}

#[test]
fn records_in_another_worktree_stay_in_use() {
    let env = crate::bare();
    let main = env.project();
    env.git(&main, &["init", "-q", "-b", "main"]);
    env.run(["init", "--no-hooks"]).succeeded();
    create(&env, "Shared", "the heron nests in spring").succeeded();
    env.git(&main, &["add", "."]);
    env.git(&main, &["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]);
    let other = env.root().join("other");
    env.git(&main, &["worktree", "add", "-q", "-b", "other", other.to_str().expect("text")]);
    env.run_in(&other, ["records", "list"]).succeeded();
    let there = other.join(".claude/memory/decisions/shared.json");
    fs::remove_file(&there).expect("it is there");
    env.run_in(&other, ["records", "list"]).succeeded();
    assert_eq!(recalled(&env, "heron"), 1);
    fs::remove_file(file(&env, "shared")).expect("it is there");
    env.run(["records", "list"]).succeeded();
    assert_eq!(recalled(&env, "heron"), 0);
}

#[test]
fn a_folder_that_cannot_be_used_keeps_nothing_else_from_being_maintained() {
    let env = initialised();
    env.run(["remember", "The heron nests in spring by the river"]).succeeded();
    let elsewhere = env.root().join("elsewhere");
    fs::create_dir_all(elsewhere.join("memory")).expect("a folder");
    std::os::unix::fs::symlink(&elsewhere, env.project().join(".claude")).expect("a link");
    let ran = env.run(["maintain"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    assert!(ran.stdout.ends_with("; 1 step failed\n"), "{}", ran.stdout);
    let problem = "error: project: cannot index files: PATH_ERROR";
    assert!(ran.stderr.starts_with(problem), "{}", ran.stderr);
    assert_eq!(recalled(&env, "heron"), 1);
}
