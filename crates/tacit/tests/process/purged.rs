//! A purge leaves nothing: not in the database, and in no file beside it.

use std::fs;
use std::path::PathBuf;

use tacit_testkit::env::TestEnv;

use crate::{files, initialised};

const WORD: &str = "quetzalcoatl";

fn holding(env: &TestEnv) -> Vec<String> {
    let all = files(&env.store()).into_iter().chain(files(&env.root().join("home")));
    let holds = |path: &PathBuf| {
        let bytes = fs::read(path).expect("a file");
        bytes.windows(WORD.len()).any(|window| window.eq_ignore_ascii_case(WORD.as_bytes()))
    };
    all.filter(holds).map(|path| path.display().to_string()).collect()
}

fn kept(env: &TestEnv, text: &str) -> String {
    let ran = env.run(["remember", text, "--json"]).succeeded();
    ran.json()["memory"]["short_id"].as_str().expect("an id").to_owned()
}

#[test]
fn nothing_that_quotes_a_purged_memory_is_left_in_any_file() {
    let env = initialised();
    let text = format!("the {WORD} protocol:\nnever send \"raw\" {WORD} frames over the backplane");
    let id = kept(&env, &text);
    env.run(["edit", &id, "--when", &format!("a {WORD} frame is lost")]).succeeded();
    kept(&env, "another fact about the backplane");
    for (event, fields) in [
        ("SessionStart", serde_json::json!({"source": "startup"})),
        (
            "UserPromptSubmit",
            serde_json::json!({"prompt": format!("remember this: {text}, please")}),
        ),
        (
            "PostToolUse",
            serde_json::json!({
                "tool_name": "Bash", "tool_use_id": "t-1",
                "tool_input": {"command": format!("tacit remember '{text}'")},
                "tool_response": {"stdout": text},
            }),
        ),
    ] {
        let mut payload = fields;
        payload["hook_event_name"] = event.into();
        payload["session_id"] = "s-1".into();
        payload["cwd"] = env.project().display().to_string().into();
        env.run_with_input(["hook", "claude"], payload.to_string().as_bytes());
    }
    let store = env.store();
    let place = |name: &str, text: &str| {
        let path = store.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let quoted = serde_json::json!({"text": text}).to_string();
    place("logs/hook.log", &format!("a line\nthe {WORD} protocol: failed\nanother line\n"));
    place("spool/0000000009-x.broken", &quoted);
    place("events/x.tmp", &quoted);
    place("events/y.broken", &quoted);
    place(&format!("edit-{id}.toml"), &format!("content = \"{WORD}\"\n"));
    place("edit-00000000.toml", &format!("content = \"\"\"the {WORD} protocol:\n\"\"\"\n"));
    place("hot-topics.json", &quoted);
    place("vectors/old.vec.tmp", WORD);
    place(".hot-topics.json.tacit-1-0", &quoted);
    assert!(holding(&env).len() > 5);
    env.run(["forget", &id, "--purge", "--yes"]).succeeded();
    assert_eq!(holding(&env), [] as [String; 0]);
    let log = fs::read_to_string(store.join("logs/hook.log")).expect("the log");
    assert_eq!(log, "a line\nanother line\n");
    assert!(!store.join("pending").exists());
    let found = env.run(["recall", "backplane", "--json"]).succeeded().json();
    assert_eq!(found.as_array().map(Vec::len), Some(1));
    env.run(["doctor"]).succeeded();
}

/// A memory whose parts appear in every place that can quote it.
pub(crate) const FACT: &str = "The zanzibar gateway drops idle sockets after ninety seconds; \
                    keepalive frames from the kraken client prevent that";

/// Parts of the fact, as sessions quote them: the whole, its middle, its end, in other case.
pub(crate) const PARTS: [&str; 4] = [
    FACT,
    "gateway drops idle sockets after ninety seconds",
    "KEEPALIVE FRAMES FROM THE KRAKEN CLIENT",
    "from the kraken client prevent that",
];

/// Returns the files that have five words of the fact in a row, in any case and with anything
/// between them.
pub(crate) fn quoting(env: &TestEnv) -> Vec<String> {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric());
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let runs: Vec<String> = words(FACT).windows(5).map(|run| run.join(" ")).collect();
    let mut found = Vec::new();
    for path in files(&env.store()).into_iter().chain(files(&env.root().join("home"))) {
        let text = String::from_utf8_lossy(&fs::read(&path).expect("a file")).into_owned();
        let text = words(&text.replace("\\n", " ")).join(" ");
        if runs.iter().any(|run| text.contains(run.as_str())) {
            found.push(path.display().to_string());
        }
    }
    found
}

fn hook(env: &TestEnv, event: &str, fields: serde_json::Value) {
    let mut payload = fields;
    payload["hook_event_name"] = event.into();
    payload["session_id"] = "s-1".into();
    payload["transcript_path"] = env.root().join("transcript.jsonl").display().to_string().into();
    payload["cwd"] = env.project().display().to_string().into();
    let ran = env.run_with_input(["hook", "claude"], payload.to_string().as_bytes());
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// A session whose prompts, commands, outputs and messages quote the fact.
pub(crate) fn session(env: &TestEnv) {
    hook(env, "SessionStart", serde_json::json!({"source": "startup"}));
    for (number, part) in PARTS.iter().enumerate() {
        hook(env, "UserPromptSubmit", serde_json::json!({"prompt": format!("hm, {part}?")}));
        // Long enough to be compressed.
        let output = format!("{}{part}\n{}", "a line\n".repeat(200), "another\n".repeat(200));
        hook(
            env,
            "PostToolUse",
            serde_json::json!({
                "tool_name": "Bash", "tool_use_id": format!("t-{number}"),
                "tool_input": {"command": format!("grep \"{part}\" notes.txt")},
                "tool_response": {"stdout": output},
            }),
        );
        hook(
            env,
            "PostToolUseFailure",
            serde_json::json!({
                "tool_name": "Bash", "tool_use_id": format!("f-{number}"),
                "tool_input": {"command": "cargo test"}, "error": format!("exit 1: {part}"),
            }),
        );
    }
    hook(env, "Stop", serde_json::json!({"last_assistant_message": PARTS[1]}));
    hook(env, "SessionEnd", serde_json::json!({"reason": "exit"}));
}

#[test]
fn a_purge_reaches_parts_of_a_memory_in_every_place() {
    let env = initialised();
    let id = kept(&env, FACT);
    kept(&env, "another fact about the frontend");
    let edited = kept(&env, "an unrelated remark");
    let quoting_once = format!("an unrelated remark; by the way, {}", PARTS[1]);
    env.run(["edit", &edited, "--content", &quoting_once]).succeeded();
    env.run(["edit", &edited, "--content", "an unrelated remark, corrected"]).succeeded();
    fs::write(env.root().join("transcript.jsonl"), format!("{{\"text\":\"{FACT}\"}}\n")).unwrap();
    session(&env);
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(files(&env.store().join("backups")).len(), 1);
    // A request that waits, because the database is locked.
    let holder = rusqlite::Connection::open(env.store().join("memory.db")).expect("the database");
    holder.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let mut command = env.command();
    command.args(["remember", FACT]).env("TACIT_TIMEOUTS_STORE_MS", "20");
    assert!(command.status().expect("the binary starts").success());
    assert_eq!(files(&env.store().join("spool")).len(), 1);
    drop(holder);
    let place = |path: PathBuf, text: &str| {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    let excerpt = env.home().join("triage/0123456789abcdef/context-decision.txt");
    place(excerpt.clone(), &format!("[user] {}\n", PARTS[2]));
    place(
        env.store().join("maintain-failures.jsonl"),
        &format!(
            "{{\"step\":\"embed\",\"at\":\"2026-11-18T09:00:00Z\",\"error\":\"{}\"}}\n",
            PARTS[3]
        ),
    );
    place(env.store().join("quarantine.jsonl"), &format!("{{\"row\":\"{}\"}}\n", PARTS[1]));
    place(env.store().join("logs/maintain.log.1"), &format!("ok\n{}\nok\n", PARTS[2]));
    assert!(quoting(&env).len() > 5, "{:?}", quoting(&env));

    let ran = env.run(["forget", &id, "--purge", "--yes", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(quoting(&env), [] as [String; 0], "{}", ran.stdout);
    assert!(!excerpt.exists());
    let told = ran.json();
    let proof = &told["proof"];
    assert_eq!(proof["left_in"], serde_json::json!([]), "{told}");
    assert_eq!(proof["rewritten_backups"].as_array().map(Vec::len), Some(1), "{told}");
    assert!(proof["searched_bytes"].as_u64() > Some(100_000), "{told}");
    let transcript = env.root().join("transcript.jsonl");
    assert_eq!(proof["not_touched"], serde_json::json!([transcript]), "{told}");
    let tables: Vec<&str> = proof["erased_rows"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| row["table"].as_str().expect("a table"))
        .collect();
    for table in ["agent_events", "change_items"] {
        assert!(tables.contains(&table), "{told}");
    }
    assert!(transcript.exists());
    assert_eq!(env.run(["list", "--json"]).succeeded().json().as_array().map(Vec::len), Some(2));
    env.run(["doctor"]).succeeded();
    // The backup has everything but the memory.
    env.run(["restore", "--backup", "latest"]).succeeded();
    assert_eq!(quoting(&env), [] as [String; 0]);
    assert_eq!(env.run(["list", "--json"]).succeeded().json().as_array().map(Vec::len), Some(2));
    env.run(["doctor"]).succeeded();
}

#[test]
fn a_memory_that_quotes_a_purged_one_is_named() {
    let env = initialised();
    let id = kept(&env, FACT);
    let other = kept(&env, &format!("Ask the network team why: {}", PARTS[1]));
    let ran = env.run(["forget", &id, "--purge", "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("1 file still has words of it"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains(&format!("memory {other} says the same in part")),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_backup_that_cannot_be_rewritten_is_deleted() {
    let env = initialised();
    let id = kept(&env, FACT);
    env.run(["maintain", "--quiet"]).succeeded();
    let backup = files(&env.store().join("backups")).remove(0);
    let mut bytes = fs::read(&backup).expect("the backup");
    let half = bytes.len() / 2;
    bytes[4096..half].fill(0xff);
    fs::write(&backup, bytes).expect("the backup");
    let ran = env.run(["forget", &id, "--purge", "--yes"]).succeeded();
    assert!(ran.stdout.contains("Deleted 1 backup that could not be rewritten"), "{}", ran.stdout);
    assert!(!backup.exists());
    assert_eq!(quoting(&env), [] as [String; 0]);
}

#[test]
fn damaged_copies_are_named_and_removed_if_asked() {
    for remove in [false, true] {
        let env = initialised();
        let id = kept(&env, &format!("the {WORD} protocol must go"));
        let copy = env.store().join("memory.db.damaged-2026-11-16T09-00-00Z");
        fs::write(&copy, WORD).expect("a copy");
        let mut arguments = vec!["forget", &id, "--purge", "--yes"];
        arguments.extend(remove.then_some("--damaged-copies"));
        let ran = env.run(&arguments);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(copy.exists(), !remove);
        assert_eq!(holding(&env).len(), usize::from(!remove));
        assert_eq!(ran.stderr.contains("may still hold it"), !remove, "{ran:?}");
    }
}

#[test]
fn several_memories_are_one_purge_and_an_undo_refuses_it() {
    let env = initialised();
    kept(&env, "a fact that stays");
    let one = kept(&env, "one fact that goes");
    let other = kept(&env, "another fact that goes");
    env.run(["forget", &one, &other, "--purge", "--yes"]).succeeded();
    let history = env.run(["history", "--json"]).succeeded().json();
    assert_eq!(history[0]["kind"], "purge");
    assert_eq!(history[0]["items"].as_array().map(Vec::len), Some(2));
    let ran = env.run(["undo"]).failed(7);
    assert!(ran.stderr.contains("the last change was a purge"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: `tacit history`"), "{}", ran.stderr);
    let listed = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
}

#[test]
fn several_memories_are_forgotten_and_brought_back_as_one() {
    let env = initialised();
    let ids: Vec<String> = (0..3).map(|n| kept(&env, &format!("fact number {n}"))).collect();
    let forget: Vec<&str> = ["forget"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    env.run(&forget).succeeded();
    assert_eq!(env.run(["undo"]).succeeded().stdout, "Undid change 4 (forget, 3 memories)\n");
    let listed = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(listed.as_array().map(Vec::len), Some(3));
}

#[test]
fn a_purge_that_failed_is_not_carried_out_later() {
    let env = initialised();
    env.run(["remember", "tabs, never spaces", "--global"]).succeeded();
    env.run(["config", "set", "timeouts.store_ms", "10", "--global"]).succeeded();
    let kept = || {
        let listed = env.run(["list", "--global", "--json"]).succeeded().json();
        listed.as_array().map(Vec::len)
    };
    let listed = env.run(["list", "--global", "--json"]).succeeded().json();
    let id = listed[0]["short_id"].as_str().expect("an id").to_owned();
    let holder = rusqlite::Connection::open(env.home().join("memory.db")).expect("the database");
    holder.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    env.run(["forget", &id, "--purge", "--yes"]).failed(5);
    drop(holder);
    env.run(["remember", "something else", "--global"]).succeeded();
    assert_eq!(kept(), Some(2), "the user was not warned of its removal");
}

#[test]
fn a_purge_reaches_the_inbox_and_nothing_behind_a_link() {
    const TEXT: &str = "the tower bridge lifts at noon on Sundays";
    for linked in [false, true] {
        let env = initialised();
        env.run(["remember", TEXT]).succeeded();
        let shared = env.project().join(".tacit");
        let real = if linked { env.root().join("elsewhere") } else { shared.clone() };
        fs::create_dir_all(real.join("inbox")).expect("a folder");
        let request = real.join("inbox/0000000001-a.broken");
        fs::write(&request, format!("{{\"draft\":{{\"content\":\"{TEXT}\"}}}}")).expect("a file");
        if linked {
            fs::remove_dir(&shared).expect("an empty folder");
            std::os::unix::fs::symlink(&real, &shared).expect("a link");
        }
        let listed = env.run(["list", "--json"]).succeeded().json();
        let id = listed[0]["short_id"].as_str().expect("an id").to_owned();
        env.run(["forget", &id, "--purge", "--yes"]).succeeded();
        assert_eq!(request.exists(), linked, "behind a link: {linked}");
    }
}

#[test]
fn a_purge_whose_note_cannot_be_read_is_reported_until_somebody_acts() {
    let env = initialised();
    let id = kept(&env, &format!("the {WORD} protocol must go"));
    let folder = env.store().join("pending");
    fs::create_dir(&folder).expect("a folder");
    let note = folder.join("purge-01234567.json");
    fs::write(&note, "{\"ids\": [\"0123").expect("a note");
    // A command that opens the store finishes what it can; this it cannot.
    env.run(["list"]).succeeded();
    assert!(note.exists());
    let ran = env.run(["doctor", "--quick", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let health = ran.json();
    assert_eq!(
        (&health["healthy"], &health["stores"][0]["unfinished_purges"]),
        (&false.into(), &1.into())
    );
    for command in [&["doctor", "--quick"][..], &["doctor"]] {
        let ran = env.run(command);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let told = ran.stdout;
        assert!(
            told.contains("purge-01234567.json` cannot be read; purge the memory again"),
            "{told}"
        );
    }
    // Other purges go on, and do not take the note for theirs.
    env.run(["forget", &id, "--purge", "--yes"]).succeeded();
    assert_eq!(holding(&env), [] as [String; 0]);
    assert!(note.exists());
    fs::remove_file(&note).expect("the note");
    env.run(["doctor", "--quick"]).succeeded();
    assert!(!folder.exists());
}
