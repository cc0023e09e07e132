//! Private, paused and switched-off text leaves no trace.

use std::fs;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::hook;
use super::search::SOURCES;

/// A word that is in nothing but what a session says.
const WORD: &str = "quetzalcoatl";

/// Returns true if any written file holds the word.
fn is_kept(env: &TestEnv) -> bool {
    fn holds(folder: &std::path::Path) -> bool {
        fs::read_dir(folder).expect("a folder").any(|entry| {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                return path.file_name().is_some_and(|name| name != SOURCES) && holds(&path);
            }
            let bytes = fs::read(path).unwrap_or_default().to_ascii_lowercase();
            bytes.windows(WORD.len()).any(|window| window == WORD.as_bytes())
        })
    }
    holds(&env.root())
}

fn transcript(env: &TestEnv, text: &str) -> String {
    let folder = env.root().join(SOURCES);
    fs::create_dir_all(&folder).expect("a folder");
    let line = json!({"type": "user", "message": {"role": "user", "content": text}}).to_string();
    let path = folder.join("s.jsonl");
    fs::write(&path, format!("{line}\n").repeat(4)).expect("a file");
    path.display().to_string()
}

/// A session that says the word wherever it can.
fn talk(env: &TestEnv, said: &str) {
    let transcript = transcript(env, &format!("We decided to do so because {said}"));
    let fire = |event: &str, mut fields: Value| {
        fields["transcript_path"] = json!(transcript);
        hook(env, "s", event, fields).succeeded()
    };
    fire("UserPromptSubmit", json!({"prompt": said}));
    fire("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": said}}));
    fire(
        "PostToolUseFailure",
        json!({"tool_name": "Bash", "tool_input": {"command": said}, "error": said}),
    );
    fire("Stop", json!({"last_assistant_message": said, "stop_hook_active": false}));
}

fn finish(env: &TestEnv, said: &str) {
    let transcript = transcript(env, said);
    let fields = json!({"reason": "clear", "transcript_path": transcript});
    hook(env, "s", "SessionEnd", fields).succeeded();
    env.run(["maintain"]);
}

/// A project that draws records from sessions.
fn capturing(extractor: &str) -> TestEnv {
    let env = super::without_vectors();
    fs::create_dir_all(env.project().join(".claude/memory")).expect("a folder");
    env.run(["config", "set", "capture.extractor", extractor]).succeeded();
    env
}

#[test]
fn statements_are_captured_otherwise() {
    for extractor in ["rules", "agent"] {
        let env = capturing(extractor);
        talk(&env, WORD);
        finish(&env, WORD);
        assert!(is_kept(&env), "{extractor}");
    }
}

#[test]
fn private_text_is_kept_nowhere() {
    for extractor in ["rules", "agent"] {
        let env = capturing(extractor);
        for said in [
            format!("ship <private>{WORD}</private> it"),
            format!("ship <PRIVATE why=\"x\">\n{WORD} <private>x</private>\n\n{WORD}</Private> it"),
            format!("ship <private>x\n{}{WORD}", "long ".repeat(40_000)),
        ] {
            talk(&env, &said);
            finish(&env, &said);
            env.run_with_input(["remember", "--stdin"], said.as_bytes());
        }
        env.run(["remember", "--why", &format!("as <private>{WORD}</private>"), "pools leak"])
            .succeeded();
        assert!(!is_kept(&env), "{extractor}");
        let only = env.run(["remember", &format!("<private>{WORD}</private>")]);
        assert!(only.stderr.contains("everything in it is private"), "{only:?}");
    }
}

#[test]
fn a_paused_project_captures_nothing_and_recalls() {
    for extractor in ["rules", "agent"] {
        let env = capturing(extractor);
        env.run(["remember", "Close the pool before the fork", "-t", "preference"]).succeeded();
        env.run(["config", "set", "capture.paused", "true"]).succeeded();
        talk(&env, WORD);
        let asked = json!({"prompt": "when do we close the pool before the fork?"});
        let told = hook(&env, "s", "UserPromptSubmit", asked).succeeded().stdout;
        assert!(told.contains("Close the pool"), "{told}");
        assert!(env.run(["why"]).succeeded().stdout.contains("Capture is paused"));
        // What was said meanwhile is in the transcript, and stays out for good.
        env.run(["config", "set", "capture.paused", "false"]).succeeded();
        finish(&env, WORD);
        assert!(!is_kept(&env), "{extractor}");
        assert_eq!(env.run(["why", "--json"]).succeeded().json().as_array().map(Vec::len), Some(1));
        env.run(["config", "set", "capture.paused", "true"]).succeeded();
        env.run(["remember", "what is asked for is stored"]).succeeded();
    }
}

#[test]
fn a_session_is_switched_off_and_on() {
    for (off, on) in [("/memory off", "/memory on"), ("/tacit:memory OFF", "/tacit:memory on")] {
        let env = capturing("agent");
        env.run(["remember", "Close the pool before the fork", "-t", "preference"]).succeeded();
        let say = |prompt: &str| hook(&env, "s", "UserPromptSubmit", json!({"prompt": prompt}));
        say(off).succeeded();
        talk(&env, WORD);
        let asked = "when do we close the pool before the fork?";
        assert_eq!(say(asked).succeeded().stdout, "", "nothing is shown");
        assert!(env.run(["why"]).succeeded().stdout.contains("Session s is off"));
        let other = hook(&env, "t", "UserPromptSubmit", json!({"prompt": asked})).succeeded();
        assert!(other.stdout.contains("Close the pool"), "another session is as it was");
        say(on).succeeded();
        assert!(say(asked).succeeded().stdout.contains("Close the pool"));
        assert!(!env.run(["why"]).succeeded().stdout.contains("is off"));
        finish(&env, WORD);
        assert!(!is_kept(&env), "{off}");
    }
}

#[test]
fn hooks_do_nothing_where_tacit_is_off() {
    let env = crate::initialised();
    let files = || {
        let list = |folder: std::path::PathBuf| -> Vec<_> {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let mut names: Vec<_> =
                entries.map(|e| (e.file_name(), e.metadata().map(|m| m.len()).ok())).collect();
            names.sort();
            names
        };
        [env.store(), env.store().join("events"), env.store().join("logs"), env.home()].map(list)
    };
    let before = files();
    for (value, off) in [("1", true), ("yes", true), ("0", false)] {
        for event in ["SessionStart", "UserPromptSubmit", "Stop", "broken"] {
            let payload = json!({
                "session_id": "s", "cwd": env.project(), "hook_event_name": event, "prompt": WORD,
                "source": "startup",
            });
            let mut child = env
                .command()
                .args(["hook", "claude"])
                .env("TACIT_OFF", value)
                .stdin(std::process::Stdio::piped())
                .stdout(std::process::Stdio::piped())
                .spawn()
                .expect("the binary starts");
            // It may be gone before it has read all.
            let _ = std::io::Write::write_all(
                &mut child.stdin.take().expect("a pipe"),
                payload.to_string().as_bytes(),
            );
            let output = child.wait_with_output().expect("it ends");
            assert!(output.status.success());
            if off {
                assert_eq!(output.stdout, b"", "{value} {event}");
            }
        }
        assert_eq!(files() == before, off, "{value}");
    }
}
