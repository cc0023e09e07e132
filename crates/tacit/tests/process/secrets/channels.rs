//! Commands, imports, records and tools.

use std::fs;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;
use tacit_testkit::mcp_client::McpClient;
use tacit_testkit::secrets::fill;

use super::search::SOURCES;
use super::{beginning, through};

/// A text that no other is like.
fn unlike(number: usize) -> String {
    fill("{L9} {L11} {L8} {L10} {L9}", number as u64 + 1)
}

fn source(env: &TestEnv, name: &str, text: &str) -> PathBuf {
    let folder = env.root().join(SOURCES);
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    fs::write(&path, text).expect("a file");
    path
}

#[test]
fn remember_line_by_line() {
    through(|env, cargo| {
        let mut drafts: Vec<Value> = Vec::new();
        drafts.extend(cargo.chunks.iter().map(|text| json!({"content": text})));
        for (number, text) in cargo.lines.iter().enumerate() {
            drafts.push(json!({
                "content": unlike(number), "title": text, "reasoning": text, "citation": text,
                "references": [text], "related_modules": [],
                "cues": [beginning(text, 150)],
            }));
        }
        for (number, name) in cargo.names.iter().enumerate() {
            let tag: String = name.chars().take(64).collect();
            let mut draft = json!({
                "content": unlike(1_000 + number), "session": name, "generator": name,
            });
            if tag.len() == name.len() {
                draft["tags"] = json!([tag]);
            }
            drafts.push(draft);
            drafts.push(json!({
                "content": unlike(2_000 + number), "related_files": [format!("src/{name}.rs")],
                "author": name,
            }));
        }
        let lines: Vec<String> = drafts.iter().map(Value::to_string).collect();
        let ran = env.run_with_input(["remember", "--jsonl"], lines.join("\n").as_bytes());
        let stored = ran.json_lines().iter().filter(|line| line["outcome"].is_string()).count();
        assert!(stored * 10 > drafts.len() * 9, "{stored} of {}: {}", drafts.len(), ran.stdout);
    });
}

#[test]
fn remember_edit_forget_and_the_spool() {
    through(|env, cargo| {
        // None begins like an option.
        let texts: Vec<String> = cargo.chunks.iter().map(|text| format!("See {text}")).collect();
        for (number, text) in texts.iter().enumerate() {
            let line = &cargo.lines[number];
            let reason = beginning(text, 400);
            let id = env.run(["remember", text, "--title", line, "--why", reason, "--json"]).json()
                ["memory"]["short_id"]
                .as_str()
                .unwrap_or_else(|| panic!("{line}"))
                .to_owned();
            let changed = format!("{number} {text}");
            let arguments = ["edit", &id, "--content", &changed, "--title", line, "--why", reason];
            env.run(arguments);
            env.run(["forget", &id, "--reason", line]);
            let entry =
                json!({"description": text, "name": format!("{} {line}", "word ".repeat(10))});
            env.run(["remember", "--entry-json", &entry.to_string()]);
        }
        let database = Connection::open(env.store().join("memory.db")).expect("the database");
        database.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
        for text in &texts {
            let mut command = env.command();
            command.args(["remember", text]).env("TACIT_TIMEOUTS_STORE_MS", "1");
            let ran = command.output().expect("the binary starts");
            assert!(ran.stdout.starts_with(b"Spooled"), "{ran:?}");
        }
    });
}

#[test]
fn tools_of_the_server() {
    through(|env, cargo| {
        let mut client = McpClient::start(env);
        for (number, text) in cargo.chunks.iter().enumerate() {
            client.call(
                "store_memory",
                &json!({
                    "name": unlike(number), "description": text, "reasoning": text,
                    "category": "patterns", "references": [cargo.lines[number]],
                }),
            );
            client.call("remember_this", &json!({"content": text}));
            client.call("memory_search", &json!({"query": text}));
            client.call("forget", &json!({"id": "nothing", "reason": text}));
            let text = beginning(text, 4_000);
            client.call(
                "report_validation",
                &json!({"passed": false, "summary": text, "command": cargo.lines[number]}),
            );
            client.call(
                "report_work_unit",
                &json!({
                    "hierarchy": [format!("unit {number}")], "label": cargo.lines[number],
                    "status": "failed", "summary": text,
                }),
            );
        }
        for (number, line) in cargo.lines.iter().enumerate().step_by(3) {
            // A title is cut: not before the secret in it is out.
            let name = format!("{} {line}", &unlike(number)[..44 - number % 20]);
            client.call(
                "store_memory",
                &json!({
                    "name": name, "description": unlike(3_000 + number), "reasoning": "it was so",
                    "category": "patterns",
                }),
            );
        }
        client.end();
    });
}

#[test]
fn files_of_other_tools() {
    through(|env, cargo| {
        let items = |texts: &[String]| -> String {
            texts.iter().map(|text| format!("- Mind that {text}\n")).collect()
        };
        let chunk = |number: usize, text: &String| format!("\n## Part {number}\n\nSee {text}\n");
        let chunks: String =
            cargo.chunks.iter().enumerate().map(|(number, text)| chunk(number, text)).collect();
        let lines = items(&cargo.lines);
        // What is never closed hides the rest of its file.
        let rules = format!("# Rules\n\n## {}\n\n{lines}{chunks}", "A heading that takes its room");
        let note = format!(
            "---\ntitle: {}\ntype: note\ntags: [a]\n---\n\n# N\n\n## Observations\n\n",
            cargo.lines[0]
        );
        let observed: String = cargo
            .lines
            .iter()
            .map(|text| format!("- [decision] {text} #t (in {text})\n"))
            .collect();
        let fact = |text: &String| {
            format!("---\nname: n\ndescription: {text}\ntype: project\n---\n{text}\n")
        };
        let drafts: Vec<String> =
            cargo.chunks.iter().map(|text| json!({"content": text}).to_string()).collect();
        let graph: Vec<String> = cargo
            .lines
            .iter()
            .map(|text| {
                json!({"type": "entity", "name": text, "entityType": "t", "observations": [text]})
                    .to_string()
            })
            .collect();
        let import = |from: &str, path: PathBuf| {
            let ran = env.command().args(["import", "--from", from]).arg(path).output();
            let ran = ran.expect("the binary starts");
            assert!(ran.status.success(), "{from}: {ran:?}");
        };
        import("rules", source(env, "CLAUDE.md", &rules));
        import("basic-memory", source(env, "note.md", &format!("{note}{observed}")));
        for (number, line) in cargo.lines.iter().enumerate().step_by(40) {
            import("auto-memory", source(env, &format!("fact-{number}.md"), &fact(line)));
        }
        import("tacit", source(env, "drafts.jsonl", &drafts.join("\n")));
        import("mcp-memory", source(env, "memory.jsonl", &graph.join("\n")));
        let path = source(env, "claude-mem.db", "");
        fs::remove_file(&path).expect("a file");
        let database = Connection::open(&path).expect("a database");
        database
            .execute_batch(
                "CREATE TABLE observations (id INTEGER PRIMARY KEY, project TEXT, type TEXT,
                 title TEXT, subtitle TEXT, narrative TEXT, concepts TEXT, created_at TEXT)",
            )
            .expect("a table");
        let all = cargo.lines.iter().chain(&cargo.chunks);
        for (number, text) in all.enumerate() {
            let title = format!("{} {text}", &unlike(number)[..44]);
            let concepts = json!([text]).to_string();
            database
                .execute(
                    "INSERT INTO observations VALUES (?1, 'project', 'bugfix', ?2, ?3, ?3, ?4, '2026-01-01T00:00:00Z')",
                    (number as i64, title, text, concepts),
                )
                .expect("a row");
        }
        import("claude-mem", path);
    });
}

#[test]
fn records_from_hand_and_from_transcripts() {
    through(|env, cargo| {
        let decision = |title: &str, text: &str| {
            json!({
                "title": title, "tags": ["t"],
                "content": {
                    "status": "accepted", "context": text, "decision": text, "rationale": [text],
                },
            })
            .to_string()
        };
        for (number, text) in cargo.chunks.iter().enumerate() {
            let title = format!("Choice {number}");
            let text = beginning(text, 1_500);
            env.run_with_input(
                ["records", "create", "decision"],
                decision(&title, text).as_bytes(),
            );
            let part = json!({"content": {"decision": text}}).to_string();
            let name = format!("choice-{number}");
            env.run_with_input(["records", "update", &name, "--note", text], part.as_bytes());
        }
        for line in cargo.lines.iter().step_by(16) {
            env.run_with_input(
                ["records", "create", "decision"],
                decision(line, "as it says").as_bytes(),
            );
        }
        env.run(["records", "retire", "choice-0", "--reason", &cargo.lines[0]]);
        let said = |role: &str, text: &str| {
            let kind = if role == "user" { "user" } else { "assistant" };
            json!({"type": kind, "message": {"role": role, "content": [{"type": "text", "text": text}]}})
                .to_string()
        };
        let mut transcript = Vec::new();
        for text in cargo.lines.iter().chain(&cargo.chunks) {
            transcript.push(said("user", &format!("We decided to use it because {text}")));
            transcript
                .push(said("assistant", &format!("Decision: we chose {text} instead of that")));
        }
        let path = source(env, "s.jsonl", &transcript.join("\n"));
        let path = path.to_str().expect("a path");
        env.run(["records", "triage", path]);
        env.run(["records", "draft", path]);
        env.run(["records", "draft", "--save", path]);
        env.run(["records", "index"]).succeeded();
    });
}
