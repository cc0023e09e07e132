//! The steps of `tacit maintain`: one that fails keeps no other from being done, and is told until
//! it succeeds. A row that cannot be read costs no more than itself.

use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};
use tacit_testkit::env::{RunOutput, TestEnv};

use crate::hooks::Agent;
use crate::initialised;

/// A memory that waits for its vectors.
fn import_one(env: &TestEnv) {
    let line = r#"{"content":"Close the connection pool before the process forks"}"#;
    let more = r#"{"content":"Names of new files are written in kebab case"}"#;
    let file = env.project().join("two.jsonl");
    fs::write(&file, format!("{line}\n{more}\n")).expect("a file");
    env.run(["import", "two.jsonl", "--trust"]).succeeded();
    fs::remove_file(file).expect("removed");
}

fn pending(env: &TestEnv) -> i64 {
    let sql = "SELECT count(*) FROM vector_queue";
    database(env).query_row(sql, [], |row| row.get(0)).expect("a count")
}

fn database(env: &TestEnv) -> Connection {
    Connection::open(env.store().join("memory.db")).expect("the database")
}

/// Runs `tacit maintain` with a step that panics.
fn maintain_with_fault(env: &TestEnv, step: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = env.command();
    command.env("TACIT_PANIC_AT", format!("maintain:{step}")).arg("maintain").args(arguments);
    let output = command.output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

fn finding(ran: &RunOutput, what: &str) -> Value {
    let findings = ran.json()["findings"].clone();
    let found = findings.as_array().expect("a list").iter().find(|finding| finding["what"] == what);
    found.cloned().unwrap_or_default()
}

#[test]
fn a_step_that_panics_keeps_no_other_from_being_done() {
    let env = initialised();
    import_one(&env);
    assert!(pending(&env) > 0);
    let (code, said) = maintain_with_fault(&env, "learn from sessions", &[]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("embedded 1 memory; 1 step failed"), "{said}");
    let error = "error: project: cannot learn from sessions: this is a bug in tacit: failpoint";
    assert!(said.contains(error), "{said}");
    assert_eq!(pending(&env), 0, "it is embedded all the same");

    let log = fs::read_to_string(env.store().join("logs/maintain.log")).expect("a log");
    assert_eq!(log.lines().count(), 1, "{log}");
    assert!(log.contains("Z learn from sessions: this is a bug in tacit: failpoint"), "{log}");

    // Reported with its time and what to do, by all three, as text and as JSON.
    let health = raw(&env, &["doctor", "--quick"]);
    let told = "maintenance could not learn from sessions just now (at 20";
    assert!(health.0 == Some(1) && health.1.contains(told), "{health:?}");
    assert!(health.1.contains("; `tacit maintain` tries again"), "{health:?}");
    let health = raw(&env, &["doctor", "--quick", "--json"]);
    let health: Value = serde_json::from_str(&health.1).expect("JSON");
    assert_eq!(health["healthy"], false);
    let failed = &health["stores"][0]["failed_steps"][0];
    assert_eq!(failed["step"], "learn from sessions", "{health}");
    assert!(failed["at"].as_str().is_some_and(|at| at.starts_with("20")), "{health}");
    for command in ["status", "doctor"] {
        let (_, text) = raw(&env, &[command]);
        assert!(text.contains(told) && text.contains("logs/maintain.log"), "{command}: {text}");
        let (_, json) = raw(&env, &[command, "--json"]);
        assert!(json.contains("project maintenance") && json.contains(told), "{command}: {json}");
    }

    env.run(["maintain"]).succeeded();
    env.run(["doctor", "--quick"]).succeeded();
    assert!(!env.store().join("maintain-failures.jsonl").exists());
}

/// Exit code and output of a command that may quote a fault.
fn raw(env: &TestEnv, arguments: &[&str]) -> (Option<i32>, String) {
    let output = env.command().args(arguments).output().expect("it starts");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_failure_is_kept_until_its_own_step_succeeds() {
    let env = initialised();
    maintain_with_fault(&env, "embed", &[]);
    let (code, said) = maintain_with_fault(&env, "complete rows", &["--json"]);
    assert_eq!(code, Some(1), "{said}");
    let said: Value = serde_json::from_str(&said).expect("nothing but JSON");
    assert_eq!(said[0]["failed"][0]["step"], "complete rows", "{said}");
    let kept = fs::read_to_string(env.store().join("maintain-failures.jsonl")).expect("a file");
    let steps: Vec<Value> = kept
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["step"].take())
        .collect();
    assert_eq!(steps, ["complete rows"], "embedding succeeded meanwhile");
}

#[test]
fn maintenance_in_the_background_fails_without_a_word() {
    let env = initialised();
    let (code, said) = maintain_with_fault(&env, "embed", &["--quiet", "--background"]);
    assert_eq!((code, said.as_str()), (Some(1), ""));
    assert!(env.store().join("logs/maintain.log").exists());
}

#[test]
fn a_store_that_cannot_be_opened_is_logged() {
    let env = initialised();
    fs::write(env.store().join("memory.db"), "nonsense").expect("written");
    for ending in ["-wal", "-shm"] {
        drop(fs::remove_file(env.store().join(format!("memory.db{ending}"))));
    }
    let ran = env.run(["maintain"]);
    assert_eq!(ran.code, Some(6), "{}", ran.stderr);
    assert!(ran.stderr.contains("error: project: cannot open the store: "), "{}", ran.stderr);
    let log = fs::read_to_string(env.store().join("logs/maintain.log")).expect("a log");
    assert!(log.contains("open the store: the database at "), "{log}");
}

#[test]
fn a_row_that_cannot_be_read_stops_neither_learning_nor_embedding() {
    for (table, damage) in [
        ("agent_events", "UPDATE agent_events SET at = 9223372036854775807 WHERE seq = 2"),
        ("agent_events", "UPDATE agent_events SET session = '' WHERE seq = 2"),
        ("agent_events", "UPDATE agent_events SET body = 'nonsense' WHERE seq = 2"),
        ("agent_events", "UPDATE agent_events SET body = CAST(x'ff' AS TEXT) WHERE seq = 2"),
        ("agent_sessions", "UPDATE agent_sessions SET started_at = 9223372036854775807"),
        ("agent_sessions", "UPDATE agent_sessions SET id = CAST(x'ff' AS TEXT)"),
        (
            "agent_notes",
            "INSERT INTO agent_notes (id, session, at, kind, text, files, body)
             VALUES ('n', 's-1', 1, 'agent', 'a note', 'nonsense', '{}')",
        ),
        (
            "agent_injections",
            "INSERT INTO agent_injections
             (session, context, at, layer, event, memory, text, tokens, why)
             VALUES ('s-1', 0, 1, 'prompt', 'e', x'00', 'shown', 1, '')",
        ),
        (
            "observer_sessions",
            "INSERT INTO observer_sessions (session, tree, upto, state, at, digest)
             VALUES ('s-9', 's-9', 1, 'done', 1, 'nonsense')",
        ),
        (
            "observer_file_nodes",
            "INSERT INTO observer_file_nodes (file_path, last_accessed_at) VALUES ('../up', 1)",
        ),
    ] {
        let env = initialised();
        let agent = Agent::new(&env, "s-1");
        agent.starts("startup");
        agent.says("why does the pool leak?");
        agent.has_failed("cargo test", "error: pool is closed");
        agent.says("and now?");
        env.run(["maintain"]).succeeded();
        env.run(["doctor", "--quick"]).succeeded();
        import_one(&env);
        assert!(database(&env).execute(damage, []).expect(damage) > 0, "{damage}");

        let ran = env.run(["maintain"]).succeeded();
        assert!(ran.stdout.ends_with("everything is up to date\n"), "{damage}: {}", ran.stdout);
        assert_eq!(pending(&env), 0, "{damage}");
        let health = env.run(["doctor", "--quick", "--json"]);
        assert_eq!(health.code, Some(1), "{damage}: {}", health.stdout);
        let rows = &health.json()["stores"][0]["unreadable_rows"][0];
        assert_eq!((&rows["table"], &rows["rows"]), (&json!(table), &json!(1)), "{damage}");
        let text = env.run(["doctor", "--quick"]).stdout;
        assert!(text.contains(&format!("cannot read 1 row of {table}: ")), "{damage}: {text}");
        let status = finding(&env.run(["status", "--json"]), "project sessions");
        assert_eq!(status["state"], "wrong", "{damage}: {status}");
        let doctor = finding(&env.run(["doctor", "--json"]), "project database");
        assert_eq!(doctor["state"], "wrong", "{damage}: {doctor}");

        let fixed = env.run(["doctor", "--fix", "--json"]);
        assert_eq!(fixed.code, Some(0), "{damage}: {}", fixed.stdout);
        let mended = finding(&fixed, "project database");
        assert_eq!(mended["state"], "mended", "{damage}: {mended}");
        let file = env.store().join("quarantine.jsonl");
        assert!(
            mended["note"].as_str().is_some_and(|n| n.contains("quarantine.jsonl")),
            "{mended}"
        );
        let kept = fs::read_to_string(&file).expect("the quarantine");
        let row: Value = serde_json::from_str(&kept).expect("one line of JSON");
        assert_eq!(row["table"], table, "{kept}");
        assert!(row["row"].as_object().is_some_and(|row| row.len() > 3), "{kept}");
        env.run(["doctor", "--quick"]).succeeded();
        let note = finding(&env.run(["doctor", "--json"]), "project quarantine");
        assert_eq!(note["state"], "note", "{damage}: {note}");
        env.run(["maintain"]).succeeded();
    }
}
