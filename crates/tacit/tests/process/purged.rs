//! A purge leaves nothing: not in the database, and in no file beside it.

use std::fs;
use std::path::{Path, PathBuf};

use tacit_testkit::env::TestEnv;

use crate::initialised;

const WORD: &str = "quetzalcoatl";

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}

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
