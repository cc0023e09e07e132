//! Memories and the code they are about, where there is more than one worktree.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::json;
use tacit_testkit::env::{RunOutput, TestEnv};
use tacit_testkit::mcp_client::{McpClient, lesson};

use super::bare;

fn write(directory: &Path, path: &str, text: &str) {
    let path = directory.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// A repository with a memory about a symbol, linked to it.
fn repository() -> TestEnv {
    let env = bare();
    let project = env.project();
    env.git(&project, &["init", "-q"]);
    write(&project, "src/pool.py", "def drain_pool():\n    return 1\n");
    env.git(&project, &["add", "."]);
    env.git(&project, &["commit", "-q", "-m", "a pool"]);
    env.run(["init", "--no-hooks", "--no-scan"]).succeeded();
    env.run(["remember", "Call `drain_pool` before the fork", "--type", "gotcha"]).succeeded();
    env.run(["code", "index"]).succeeded();
    env
}

/// Returns the memories to verify, with the reasons.
fn doubts(env: &TestEnv) -> Vec<String> {
    let listed = env.run(["review", "--stale", "--json"]).succeeded().json();
    let listed = listed.as_array().expect("a list").iter();
    listed.map(|memory| memory["stale_why"].as_str().expect("a reason").to_owned()).collect()
}

#[test]
fn changes_in_another_worktree_make_nothing_stale_until_merged() {
    let env = repository();
    let (main, other) = (env.project(), env.root().join("other"));
    let path = other.to_str().expect("a path");
    env.git(&main, &["worktree", "add", "-q", "-b", "work", path]);
    write(&other, "src/pool.py", "def drain_pool():\n    return 2\n");
    env.git(&other, &["commit", "-q", "-a", "-m", "drain twice"]);
    env.run_in(&other, ["code", "index"]).succeeded();
    env.run_in(&other, ["maintain", "--quiet"]).succeeded();
    assert_eq!(doubts(&env), Vec::<String>::new());

    env.git(&main, &["merge", "-q", "--ff-only", "work"]);
    // From wherever: it is the main worktree that counts.
    env.run_in(&other, ["maintain", "--quiet"]).succeeded();
    let [why] = &doubts(&env)[..] else { panic!("one is to be verified") };
    assert!(why.starts_with("`drain_pool` in src/pool.py changed in "), "{why}");
}

#[test]
fn the_commit_that_changed_a_symbol_is_told_and_not_the_last_that_touched_its_file() {
    let env = repository();
    let project = env.project();
    let commit = |text: &str, message: &str| {
        write(&project, "src/pool.py", text);
        env.git(&project, &["commit", "-q", "-a", "-m", message]);
        let head =
            env.command_for("git").args(["rev-parse", "HEAD"]).current_dir(&project).output();
        String::from_utf8(head.expect("git").stdout).expect("an id")[..7].to_owned()
    };
    let changed = commit("def drain_pool():\n    return 2\n", "drain twice");
    let later = commit("def drain_pool():\n    return 2\n\n\ndef fill_pool(): pass\n", "fill");
    env.run(["maintain", "--quiet"]).succeeded();
    let expected =
        format!("`drain_pool` in src/pool.py changed in {changed} since this was learnt");
    assert_eq!(doubts(&env), [expected]);
    let gone = commit("def fill_pool(): pass\n", "never drain");
    assert_ne!(later, gone);
    env.run(["undo"]).succeeded();
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(doubts(&env), [format!("`drain_pool` is no longer in src/pool.py, since {gone}")]);
    // What is taken back is as it was.
    env.git(&project, &["reset", "-q", "--hard", "HEAD~3"]);
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(doubts(&env), Vec::<String>::new());
}

#[test]
fn memories_that_come_from_elsewhere_are_linked_however_old_they_are() {
    let env = repository();
    let exported = env.run(["export"]).succeeded().stdout;
    let other = repository();
    let id = serde_json::from_str::<serde_json::Value>(exported.lines().last().expect("a line"))
        .expect("JSON")["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    fs::remove_file(other.store().join("memory.db")).expect("the store");
    other.run(["init", "--no-hooks", "--no-scan"]).succeeded();
    let file = other.root().join("old.jsonl");
    fs::write(&file, exported).expect("a file");
    other.run(["import", file.to_str().expect("a path")]).succeeded();
    other.run(["maintain", "--quiet"]).succeeded();
    let shown = other.run(["show", &id, "--json"]).succeeded().json();
    assert_eq!(shown[0]["linked_symbols"], serde_json::json!(["src/pool.py::drain_pool"]));
}

#[test]
fn a_memory_holds_for_the_code_as_it_was_when_it_was_learnt() {
    // Nothing is linked in between: what is changed before the first `tacit maintain` is noticed.
    for (taught, doubted) in [
        (&["Fill it slowly", "--symbol", "src/pool.py::fill_pool"][..], true),
        (&["Call `fill_pool` slowly", "--file", "src/pool.py"][..], true),
        (&["Call `fill_pool` slowly"][..], true),
        (&["Nothing changed in it", "--symbol", "src/pool.py::drain_pool"][..], false),
    ] {
        let env = repository();
        let project = env.project();
        let text = "def drain_pool():\n    return 1\n\ndef fill_pool():\n    return 1\n";
        // Written since the graph was made, and not committed.
        write(&project, "src/pool.py", text);
        if taught.len() == 1 {
            env.run(["code", "index"]).succeeded();
        }
        env.run(["remember", "--type", "gotcha"].iter().chain(taught)).succeeded();
        write(
            &project,
            "src/pool.py",
            &text.replace("fill_pool():\n    return 1", "fill_pool():\n    return 2"),
        );
        env.git(&project, &["commit", "-q", "-a", "-m", "fill twice"]);
        env.run(["maintain", "--quiet"]).succeeded();
        let doubts = doubts(&env);
        assert_eq!(doubts.iter().any(|why| why.contains("`fill_pool`")), doubted, "{taught:?}");
    }
}

#[test]
fn missing_symbols_are_linked_once_they_exist() {
    let env = repository();
    let ran = env.run(["remember", "Keep it short", "--symbol", "src/new.py::fresh"]);
    let note = "note: there is no file `src/new.py`, so no symbol `fresh` in it\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), note));
    env.run(["remember", "Never call `brand_new_one` twice"]).succeeded();
    write(&env.project(), "src/new.py", "def fresh(): pass\n\ndef brand_new_one(): pass\n");
    env.run(["maintain", "--quiet"]).succeeded();
    let listed = env.run(["list", "--json"]).succeeded().json();
    let ids = listed.as_array().expect("a list").iter().map(|one| one["id"].as_str().expect("id"));
    let shown: Vec<String> = ids
        .map(|id| {
            env.run(["show", id, "--json"]).succeeded().json()[0]["linked_symbols"].to_string()
        })
        .collect();
    assert!(shown.contains(&r#"["src/new.py::fresh"]"#.to_owned()), "{shown:?}");
    assert!(shown.contains(&r#"["src/new.py::brand_new_one"]"#.to_owned()), "{shown:?}");
}

#[test]
fn a_changed_comment_is_nothing_to_verify() {
    let env = repository();
    let project = env.project();
    env.run(["remember", "Drain it", "--symbol", "src/pool.py::drain_pool"]).succeeded();
    write(&project, "src/pool.py", "def drain_pool():\n    # once\n    return 1  # never 2\n");
    env.git(&project, &["commit", "-q", "-a", "-m", "say why"]);
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(doubts(&env), Vec::<String>::new());
}

#[test]
fn memories_of_agents_are_linked_to_the_current_code_at_once() {
    let filled = "def drain_pool():\n    return 1\n\ndef fill_pool():\n    return 1\n";
    for (description, files, linked) in [
        ("Fill it slowly, one by one", json!(["src/pool.py::fill_pool"]), "src/pool.py::fill_pool"),
        ("Let `fill_pool` take its time", json!(["src/pool.py"]), "src/pool.py::fill_pool"),
        ("No other thread may run `drain_pool`", json!([]), "src/pool.py::drain_pool"),
    ] {
        let env = repository();
        // Written since the graph was made, and not committed.
        write(&env.project(), "src/pool.py", filled);
        let mut client = McpClient::start(&env);
        let mut arguments = lesson(description);
        arguments["files"] = files;
        let said = client.call("store_memory", &arguments);
        client.end();
        let id = said.split_once("(id: ").and_then(|(_, rest)| rest.split_once(')'));
        let (id, _) = id.unwrap_or_else(|| panic!("{said}"));
        let shown = env.run(["show", id, "--json"]).succeeded().json();
        assert_eq!(shown[0]["linked_symbols"], json!([linked]), "{description}");
        // No change after that goes unnoticed.
        write(&env.project(), "src/pool.py", &filled.replace("return 1", "return 2"));
        env.git(&env.project(), &["commit", "-q", "-a", "-m", "twice"]);
        env.run(["maintain", "--quiet"]).succeeded();
        let shown = env.run(["show", id, "--json"]).succeeded().json();
        let why = shown[0]["stale_why"].as_str().unwrap_or_default();
        assert!(why.contains("changed in "), "{description}: {shown}");
    }
}

#[test]
fn a_comparison_that_fails_is_told() {
    let env = repository();
    write(&env.project(), "src/pool.py", "def drain_pool():\n    return 2\n");
    env.git(&env.project(), &["commit", "-q", "-a", "-m", "drain twice"]);
    // Somebody else writes, and does not end.
    let writer = Connection::open(env.store().join("memory.db")).expect("the database");
    writer.execute_batch("BEGIN IMMEDIATE").expect("the lock");
    let mut command = env.command();
    command.env("TACIT_TIMEOUTS_STORE_MS", "50");
    let ran =
        RunOutput::from(command.args(["review", "--stale"]).output().expect("it starts")).failed(5);
    let problem = "error: memories could not be compared with the code: ";
    assert!(ran.stderr.starts_with(problem), "{}", ran.stderr);
    assert!(ran.stderr.contains("\nhint: the list is of the last comparison"), "{}", ran.stderr);
    writer.execute_batch("ROLLBACK").expect("the end");
    assert_eq!(doubts(&env).len(), 1);
}

#[test]
fn all_memories_in_doubt_are_listed() {
    let env = repository();
    let line = |number: usize| {
        json!({"content": format!("lesson number {number} of a very long list")}).to_string()
    };
    let lines: Vec<String> = (0..450).map(line).collect();
    write(&env.project(), "many.jsonl", &lines.join("\n"));
    env.run(["import", "many.jsonl", "--trust"]).succeeded();
    let database = Connection::open(env.store().join("memory.db")).expect("the database");
    let sql = "UPDATE memories SET stale_at = created_at, stale_why = 'the code changed'
               WHERE type != 'gotcha'";
    let stale = database.execute(sql, []).expect("changed");
    assert!(stale > 400, "{stale}");
    assert_eq!(doubts(&env).len(), stale);
}
