//! Imports of the memories of other tools, from their default locations.

use std::fs;
use std::os::unix::fs::symlink;

use rusqlite::Connection;
use serde_json::Value;
use tacit_testkit::env::TestEnv;

use crate::initialised;

/// The number of memories that were new, reinforced and unchanged.
fn import(env: &TestEnv, arguments: &[&str]) -> [u64; 3] {
    let given = ["import", "--json"].iter().chain(arguments);
    let done = env.run(given.copied()).succeeded().json();
    ["stored", "reinforced", "unchanged"].map(|name| done[name].as_u64().expect("a number"))
}

fn recalled(env: &TestEnv, words: &str) -> Value {
    env.run(["recall", words, "--json"]).succeeded().json()[0].clone()
}

#[test]
fn the_database_of_claude_mem() {
    let env = initialised();
    let folder = env.root().join("home/.claude-mem");
    fs::create_dir(&folder).expect("a directory");
    let path = folder.join("claude-mem.db");
    let database = Connection::open(&path).expect("a database");
    fs::create_dir(env.project().join("src")).expect("a directory");
    fs::write(env.project().join("src/pool.rs"), "").expect("a file");
    let inside = env.project().join("src/pool.rs").display().to_string();
    database
        .execute_batch(&format!(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, type TEXT,
                 title TEXT, narrative TEXT, files_modified TEXT, created_at TEXT);
             INSERT INTO observations VALUES
                 (1, 'project', 'bugfix', 'The pool leaked', 'Closing the pool stopped the leak',
                  '[\"{inside}\",\"gone.rs\",\"/etc/passwd\"]', '2025-10-03T09:12:00Z'),
                 (2, 'elsewhere', 'decision', 'Another matter', 'Decided elsewhere', NULL, NULL);"
        ))
        .expect("rows");
    // While the tool it belongs to is at work.
    assert_eq!(import(&env, &["--from", "claude-mem"]), [1, 0, 0]);
    assert_eq!(import(&env, &["--from", "claude-mem"]), [0, 0, 1]);
    let memory = recalled(&env, "pool leak");
    assert_eq!(memory["type"], "error_pattern");
    assert_eq!(memory["related_files"], serde_json::json!(["src/pool.rs"]));
    assert_eq!(memory["review"], "needed");
    let reference = "~/.claude-mem/claude-mem.db#observation 1, 2025-10-03";
    assert_eq!(memory["references"], serde_json::json!([reference]));

    let none = env.run(["import", "--from", "claude-mem", "--project", "unknown"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("nothing about `unknown`"), "{}", none.stderr);
    assert!(none.stderr.contains("elsewhere (1), project (1)"), "{}", none.stderr);
    let named = path.display().to_string();
    assert_eq!(import(&env, &[named.as_str(), "--global"]), [2, 0, 0]);
}

#[test]
fn notes_of_claude_code_about_this_project_are_imported() {
    let env = initialised();
    let slug: String = env
        .project()
        .display()
        .to_string()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let folder = env.root().join("home/.claude/projects").join(slug).join("memory");
    fs::create_dir_all(&folder).expect("a directory");
    let fact =
        "---\nname: tabs\ndescription: Indent with tabs\ntype: feedback\n---\nTabs, not spaces.\n";
    fs::write(folder.join("tabs.md"), fact).expect("a file");
    fs::write(folder.join("MEMORY.md"), "- [Tabs](tabs.md): indent\n").expect("a file");
    assert_eq!(import(&env, &["--from", "auto-memory"]), [1, 0, 0]);
    assert_eq!(import(&env, &["--from", "auto-memory"]), [0, 0, 1]);
    let memory = recalled(&env, "tabs spaces");
    assert_eq!(
        (&memory["type"], &memory["generator"]),
        (&"preference".into(), &"claude-code".into())
    );
}

#[test]
fn a_file_with_two_names_is_read_once() {
    let env = initialised();
    fs::write(env.project().join("CLAUDE.md"), "- Tabs, not spaces\n").expect("a file");
    symlink("CLAUDE.md", env.project().join("AGENTS.md")).expect("a link");
    assert_eq!(import(&env, &["--from", "rules"]), [1, 0, 0]);
    fs::write(env.project().join("GEMINI.md"), "- Tabs, not spaces\n").expect("a file");
    assert_eq!(import(&env, &["--from", "rules"]), [0, 1, 1]);
    assert_eq!(import(&env, &["--from", "rules"]), [0, 0, 2]);
    env.run(["undo"]).succeeded();
    env.run(["undo"]).succeeded();
    assert_eq!(import(&env, &["--from", "rules"]), [1, 1, 0]);
}

#[test]
fn the_file_of_a_line_that_is_wrong_is_named() {
    let env = initialised();
    fs::write(env.project().join("AGENTS.md"), "- Tabs, not spaces\n").expect("a file");
    fs::write(env.project().join("bad.jsonl"), "{\"content\":\"\"}\n").expect("a file");
    let failed = env.run(["import", "AGENTS.md", "bad.jsonl"]);
    assert_eq!(failed.code, Some(2));
    assert!(
        failed.stderr.contains("in `bad.jsonl`, line 1: content: is empty"),
        "{}",
        failed.stderr
    );
    assert_eq!(env.run(["list", "--json"]).succeeded().json(), serde_json::json!([]));
}

#[test]
fn a_crowd_of_one_session_keeps_its_budget() {
    let env = initialised();
    let started: Vec<_> = (0..12)
        .map(|number| {
            let text = format!("Something unasked, number {number}");
            env.command()
                .args(["remember", &text, "--silent", "--session", "s-1"])
                .env("TACIT_CAPTURE_MODE", "silent")
                .env("TACIT_CAPTURE_SILENT_BUDGET", "5")
                .env("TACIT_EMBEDDING_PROVIDER", "off")
                .env("TACIT_TIMEOUTS_STORE_MS", "30000")
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .spawn()
                .expect("a process")
        })
        .collect();
    let mut codes: Vec<Option<i32>> =
        started.into_iter().map(|mut child| child.wait().expect("an end").code()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [vec![Some(0); 5], vec![Some(7); 7]].concat());
    let kept = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(kept.as_array().map(Vec::len), Some(5));
}
