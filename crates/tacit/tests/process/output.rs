//! Output for people, for pipes that close, and for programs that read JSON.

use std::io::Read;
use std::process::Stdio;

use serde_json::{Value, json};
use tacit_testkit::env::{RunOutput, TestEnv};

use crate::hooks::Agent;
use crate::{bare, initialised};

fn remember(env: &TestEnv, text: &str) -> String {
    let ran = env.run(["remember", text, "--json"]).succeeded().json();
    ran["memory"]["short_id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let env = initialised();
    let lines: String = (0..400)
        .map(|n| format!("{{\"content\":\"fact{n} {}\"}}\n", "word ".repeat(100)))
        .collect();
    env.run_with_input(["remember", "--jsonl"], lines.as_bytes()).succeeded();
    for arguments in [
        vec!["list", "--limit", "400"],
        vec!["list", "--limit", "400", "--json"],
        vec!["recall", "word", "--limit", "400"],
        vec!["export"],
        vec!["history", "--limit", "400"],
        vec!["completions", "zsh"],
        vec!["--help"],
    ] {
        let mut child = env
            .command()
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = [0; 1];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let ran = RunOutput::from(child.wait_with_output().unwrap());
        assert_eq!(ran.stderr, "", "{arguments:?}");
        assert!(matches!(ran.code, Some(0 | 1)), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn an_error_that_nobody_can_read_is_still_an_exit_code() {
    let env = bare();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = env.command().arg("list").stdout(Stdio::null()).stderr(writer).status().unwrap();
    assert_eq!(status.code(), Some(4));
}

#[test]
fn undo_and_redo() {
    let env = initialised();
    let id = remember(&env, "a fact");
    env.run(["edit", &id, "--tag", "x"]).succeeded();
    let ran = env.run(["undo"]).succeeded();
    assert_eq!(ran.stdout, "Undid change 2 (tag, 1 memory)\n");
    assert_eq!(env.run(["show", &id, "--json"]).succeeded().json()[0]["tags"], Value::Null);
    env.run(["undo", "3"]).succeeded();
    assert_eq!(env.run(["show", &id, "--json"]).succeeded().json()[0]["tags"], json!(["x"]));
    env.run(["undo"]).succeeded();
    env.run(["undo"]).succeeded();
    env.run(["show", &id]).failed(3);
    assert_eq!(env.run(["undo"]).failed(3).stderr, "error: there is nothing to undo\n");
    let ran = env.run(["undo", "2"]).failed(7);
    assert!(ran.stderr.contains("change 5 has already undone it"), "{}", ran.stderr);
    assert_eq!(
        env.run(["undo", "77"]).failed(3).stderr,
        "error: there is no change 77\nhint: `tacit history` lists the changes\n"
    );
}

#[test]
fn ids_that_can_mean_several_are_listed() {
    let env = initialised();
    remember(&env, "a bystander");
    let first = env.run(["export"]).succeeded().json_lines()[1].clone();
    let lines: String = [("0", "first of the two"), ("1", "second of the two")]
        .into_iter()
        .map(|(digit, text)| {
            let mut record = first.clone();
            record["id"] = json!(format!("01a1dec1-b84{digit}-7000-9e37-79b9deadbeef"));
            record["content"] = json!(text);
            format!("{record}\n")
        })
        .collect();
    env.run_with_input(["import", "-"], lines.as_bytes()).succeeded();
    for name in ["deadbeef", "dead", "DEADBEEF"] {
        for command in [
            vec!["show", name],
            vec!["forget", name],
            vec!["edit", name, "--title", "x"],
            vec!["edit", name, "--tag", "x"],
            vec!["history", name],
            vec!["edit", name, "--link", "supersedes:dead"],
        ] {
            let ran = env.run(&command).failed(3);
            assert!(
                ran.stderr
                    .starts_with(&format!("error: `{name}` is ambiguous: it matches 2 memories\n")),
                "{command:?} {}",
                ran.stderr
            );
            assert!(
                ran.stderr.contains(
                    "hint: give more of the id:\n  \
                 01a1dec1-b840-7000-9e37-79b9deadbeef  module_insight  first of the two\n  \
                 01a1dec1-b841-7000-9e37-79b9deadbeef  module_insight  second of the two\n"
                ),
                "{command:?} {}",
                ran.stderr
            );
        }
    }
    let full = "01a1dec1-b841-7000-9e37-79b9deadbeef";
    let shown = env.run(["show", full, "--json"]).succeeded().json();
    assert_eq!(shown[0]["content"], "second of the two");
    // None of the refused commands did anything.
    assert_eq!(
        env.run(["list", "--status", "all", "--json"]).json().as_array().map(Vec::len),
        Some(3)
    );
}

#[test]
fn every_command_speaks_json() {
    let env = initialised();
    let one = remember(&env, "one fact");
    let two = remember(&env, "two facts");
    let file = env.root().join("out.jsonl");
    let file = file.to_str().unwrap();
    let link = format!("supersedes:{two}");
    for arguments in [
        vec!["init"],
        vec!["remember", "three facts"],
        vec!["recall", "fact"],
        vec!["recall", "nothing-like-it"],
        vec!["show", &one, &two],
        vec!["list"],
        vec!["list", "--type", "gotcha"],
        vec!["edit", &one, "--title", "A title"],
        vec!["edit", &one, "--title", "A title"],
        vec!["list", "--tags"],
        vec!["show", &one],
        vec!["edit", &one, "--tag", "label"],
        vec!["edit", &one, "--link", &link],
        vec!["edit", &one, "--unlink", &link],
        vec!["forget", &two],
        vec!["restore", &two],
        vec!["undo"],
        vec!["history"],
        vec!["history", &one],
        vec!["export", "--output", file],
        vec!["import", file, "--dry-run"],
        vec!["import", file],
        vec!["config", "list"],
        vec!["config", "get", "recall.limit"],
        vec!["config", "set", "recall.limit", "7"],
        vec!["config", "unset", "recall.limit"],
        vec!["config", "explain"],
        vec!["config", "path"],
        vec!["status", "--stats"],
        vec!["doctor", "--quick"],
        vec!["doctor"],
        vec!["forget", &two, "--purge", "--yes"],
    ] {
        let ran = env.run(arguments.iter().chain(&["--json"])).succeeded();
        assert_eq!(ran.stdout.lines().count(), 1, "{arguments:?}");
        ran.json();
    }
    assert_eq!(env.run(["export", "--json"]).succeeded().json_lines().len(), 3);
    // An editor that changes nothing.
    let mut command = env.command();
    let ran = command.args(["edit", &one, "--json"]).env("EDITOR", "true").output().unwrap();
    assert_eq!(RunOutput::from(ran).succeeded().json()["short_id"], one);
}

#[test]
fn every_error_speaks_json_if_asked_to() {
    let env = initialised();
    remember(&env, "one fact");
    for (arguments, code) in [
        (vec!["show", "nonsense!"], 3),
        (vec!["show", "ffffffff"], 3),
        (vec!["remember", ""], 2),
        (vec!["remember", "x", "--type", "gotcah"], 2),
        (vec!["remember", "x", "--tag", "a b"], 2),
        (vec!["remember", "x", "--confidence", "7"], 2),
        (vec!["recall", "--since", "whenever"], 2),
        (vec!["list", "--limit", "few"], 2),
        (vec!["list", "--no-such-flag"], 2),
        (vec!["no-such-command"], 2),
        (vec!["forget", "--purge", "ffffffff"], 2),
        (vec!["undo", "77"], 3),
        (vec!["config", "get", "no.such.key"], 2),
        (vec!["import", "/no/such/file"], 2),
        (vec!["-C", "/no/such/directory", "list"], 2),
    ] {
        let ran = env.run(arguments.iter().chain(&["--json"]));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{arguments:?}");
        let error: Value = serde_json::from_str(&ran.stderr)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", ran.stderr));
        assert_eq!(error["code"], code, "{arguments:?}");
        assert!(error["error"].as_str().is_some_and(|text| !text.is_empty()), "{arguments:?}");
        assert!(error["hint"].is_string() || error["hint"].is_null(), "{arguments:?}");
    }
    // Asking for help is no error, also among JSON.
    assert!(env.run(["list", "--json", "--help"]).succeeded().stdout.contains("Usage:"));
    assert!(env.run(["--version"]).succeeded().stdout.starts_with("tacit "));
}

#[test]
fn no_line_is_wider_than_sixty_columns() {
    const COLUMNS: usize = 60;
    let env = initialised();
    let long = "The importer may only be run by one worker at a time, because it numbers the rows";
    let id = remember(&env, long);
    env.run(["remember", "Never push on Friday, the team is away", "--tag", "release"]);
    env.run(["remember", "Prices include tax", "--why", long, "--type", "decision"]);
    std::fs::write(env.project().join("AGENTS.md"), format!("- Never guess. {long}\n")).unwrap();
    std::fs::write(env.project().join("README.md"), long).unwrap();
    for arguments in [
        vec!["init"],
        vec!["remember", "Always sort the imports of a file before it is committed to main"],
        vec!["list"],
        vec!["list", "--limit", "1"],
        vec!["list", "--since", "soon"],
        vec!["list", "--type", "gotcah"],
        vec!["recall", "importer worker"],
        vec!["recall", "nothing of that kind is known here"],
        vec!["show", &id],
        vec!["edit", &id, "--confidence", "low", "--reason", long],
        vec!["forget", "--tag", "release"],
        vec!["forget", &id, "--reason", long],
        vec!["history"],
        vec!["undo"],
        vec!["undo", "999"],
        vec!["import"],
        vec!["import", "AGENTS.md", "--dry-run"],
        vec!["import", "README.md"],
        vec!["export", "--output", "out.jsonl"],
        vec!["status"],
        vec!["doctor"],
        vec!["config", "list"],
        vec!["config", "explain", "recall.limit"],
        vec!["config", "explain"],
    ] {
        let output = env.command().env("COLUMNS", "60").args(&arguments).output().unwrap();
        let ran = RunOutput::from(output);
        for line in ran.stdout.lines().chain(ran.stderr.lines()) {
            // A path cannot be broken, also in the last column of a table.
            let cell = line.rsplit("  ").next().unwrap_or(line);
            let is_one_word = cell.split_whitespace().nth(1).is_none();
            let width = line.chars().count();
            assert!(width <= COLUMNS || is_one_word, "{arguments:?}: {width} columns: {line}");
        }
    }
}

#[test]
fn table_rows_stay_on_one_line_at_sixty_columns() {
    let env = initialised();
    let long = "The importer may only be run by one worker at a time, because it numbers the rows";
    std::fs::write(env.project().join("pool.py"), "def open(): pass\n").unwrap();
    let lines: String = (0..3)
        .map(|n| {
            let kind = ["module_insight", "bmad:acceptance_criterion", "gotcha"][n];
            let text = format!("{n}. {long}");
            format!("{}\n", json!({"content": text, "type": kind, "related_files": ["pool.py"]}))
        })
        .collect();
    env.run_with_input(["import", "-"], lines.as_bytes()).succeeded();
    env.run(["remember", "--global", long, "--type", "preference"]).succeeded();
    let session = "0b7b1d5e-5d2c-4b55-9f0e-0a4c5c1f7a11";
    Agent::new(&env, session).starts("startup");
    let rows = |arguments: &[&str]| -> Vec<String> {
        let mut command = env.command();
        command
            .env("COLUMNS", "60")
            .env("TACIT_USER_NAME", "Augusta Ada King, Countess of Lovelace");
        let ran = RunOutput::from(command.args(arguments).output().unwrap()).succeeded();
        let rows: Vec<String> = ran.stdout.lines().map(str::to_owned).collect();
        assert!(rows.iter().all(|row| row.chars().count() <= 60), "{arguments:?}: {rows:#?}");
        rows
    };
    let is_memory = |row: &&String| {
        let id = row.trim_start().chars().take(8).collect::<String>();
        id.len() == 8 && id.chars().all(|c| c.is_ascii_hexdigit())
    };
    assert_eq!(rows(&["list"]).iter().filter(is_memory).count(), 4);
    assert_eq!(rows(&["list"]).len(), 4);
    let impact = rows(&["code", "impact", "pool.py"]);
    let heading = impact.iter().position(|row| row == "Remembered:").expect("memories");
    assert_eq!(impact[heading + 1..].iter().filter(is_memory).count(), 3, "{impact:#?}");
    assert_eq!(impact.len(), heading + 4, "{impact:#?}");
    let review = rows(&["review"]);
    assert_eq!(review.iter().filter(is_memory).count(), 3, "{review:#?}");
    let sessions = rows(&["session", "list"]);
    assert!(sessions.len() == 1 && sessions[0].starts_with(session), "{sessions:#?}");
    let listed = env.run(["list", "--json"]).succeeded().json();
    let is_imported = |memory: &&Value| memory["source"] == "imported";
    let imported = listed.as_array().unwrap().iter().find(is_imported).unwrap();
    rows(&["edit", imported["id"].as_str().unwrap(), "--tag", "x"]);
    rows(&["undo"]);
    let history = rows(&["history"]);
    assert!(history.iter().all(|row| row.starts_with("   ")), "{history:#?}");
    assert_eq!(history.iter().filter(|row| !row.starts_with("     ")).count(), 3, "{history:#?}");
}

#[test]
fn every_explained_key_is_listed_as_json() {
    let env = initialised();
    let listed = env.run(["config", "list", "--json", "--all"]).succeeded().json();
    let mut listed: Vec<String> = listed
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| {
            assert!(!entry["value"].is_null() && entry["origin"].is_string(), "{entry}");
            entry["key"].as_str().expect("a key").to_owned()
        })
        .collect();
    let explained = env.run(["config", "explain", "--json"]).succeeded().json();
    let mut keys: Vec<String> = Vec::new();
    for row in explained.as_array().expect("a list") {
        match row["defaults"].as_object() {
            Some(family) => keys.extend(family.keys().cloned()),
            None => keys.push(row["key"].as_str().expect("a key").to_owned()),
        }
    }
    keys.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, keys);
    for key in ["recall.limit", "records.decision.threshold", "ui.color"] {
        assert!(listed.iter().any(|listed| listed == key), "{key}");
    }
}
