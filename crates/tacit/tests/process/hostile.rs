//! Hostile and accidental text: stored as text, or refused with a reason.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use serde_json::{Value, json};

use crate::initialised;

#[test]
fn nul_and_other_controls_are_taken_out_and_told() {
    let env = initialised();
    let input = b"nul\0 escape\x1b[31mred\x1b[0m bell\x07 c1\xc2\x9b end\r\nnext";
    let ran = env.run_with_input(["remember", "--stdin", "--json"], input).succeeded();
    assert_eq!(ran.json()["removed_controls"], 5);
    assert_eq!(ran.json()["memory"]["content"], "nul escape[31mred[0m bell c1 end\nnext");
    let ran = env.run_with_input(["remember", "--stdin"], b"again\0").succeeded();
    assert!(ran.stdout.contains("removed 1 control character\n"), "{}", ran.stdout);
}

#[test]
fn binary_input_is_refused() {
    let env = initialised();
    for arguments in [&["remember"][..], &["remember", "-"], &["remember", "--stdin"]] {
        let utf_16: Vec<u8> = "wide text".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let ran = env.run_with_input(arguments, &utf_16).failed(2);
        assert!(ran.stderr.starts_with("error: standard input is not text"), "{}", ran.stderr);
        let ran = env.run_with_input(arguments, b" \n").failed(2);
        assert!(ran.stderr.starts_with("error: the text is empty"), "{}", ran.stderr);
        let ran = env.run_with_input(arguments, &vec![b'x'; (16 << 20) + 1]).failed(2);
        assert!(
            ran.stderr.starts_with("error: standard input is larger than 16 MiB"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn a_file_that_is_not_there_is_told() {
    let env = initialised();
    let said =
        |text: &str| env.run(["remember", text, "--file", "src/poool.rs"]).succeeded().stdout;
    assert!(!said("no file is there yet").contains("note:"));
    std::fs::write(env.project().join("README.md"), "x").expect("a file");
    let told = said("a slip of the pen");
    assert!(told.ends_with("  note: there is no file `src/poool.rs` in this project\n"), "{told}");
    let ran = env.run(["remember", "another slip", "-f", "x.rs", "--json"]).succeeded();
    assert_eq!(ran.json()["unknown_files"][0], "there is no file `x.rs` in this project");
}

#[test]
fn invalid_utf8_is_refused_wherever_it_comes_from() {
    let env = initialised();
    let bad = || OsString::from_vec(b"bad \xff\xfe".to_vec());
    let ran = env.run_with_input(["remember", "--stdin"], b"good until \xff here").failed(2);
    assert_eq!(
        ran.stderr,
        "error: standard input is not valid UTF-8 (at byte 11)\n\
         hint: convert it first, for example with iconv\n"
    );
    for flag in ["--title", "--tag", "--file", "--why"] {
        let arguments = [OsString::from("remember"), "text".into(), flag.into(), bad()];
        assert!(env.run(arguments).failed(2).stderr.contains("UTF-8"), "{flag}");
    }
    env.run([OsString::from("remember"), bad()]).failed(2);
    env.run([OsString::from("recall"), bad()]).failed(2);
    env.run([bad()]).failed(2);
    let lines = b"{\"content\":\"one\"}\n{\"content\":\"\xff\"}\n";
    let ran = env.run_with_input(["remember", "--jsonl"], lines);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("error: line 2: "), "{}", ran.stderr);
    assert!(
        env.run_with_input(["import", "-"], lines).failed(2).stderr.starts_with("error: line 2: ")
    );
    // What came before the bad line was acknowledged, and is there.
    assert_eq!(env.run(["list", "--json"]).succeeded().json().as_array().map(Vec::len), Some(1));
}

#[test]
fn ten_megabytes_are_refused_by_name() {
    let env = initialised();
    let big = "x".repeat(10 << 20);
    let ran = env.run_with_input(["remember", "--stdin"], big.as_bytes()).failed(2);
    assert_eq!(ran.stderr, "error: content: is 10485760 bytes long; the limit is 8192\n");
    let line = json!({"content": big}).to_string();
    let ran = env.run_with_input(["remember", "--jsonl"], line.as_bytes());
    assert_eq!(ran.code, Some(1));
    assert_eq!(
        ran.json(),
        json!({"line": 1, "error": "content: is 10485760 bytes long; the limit is 8192"})
    );
    let ran = env.run_with_input(["import", "-"], line.as_bytes()).failed(2);
    assert!(ran.stderr.starts_with("error: line 1: content: is 10485760"), "{}", ran.stderr);
    let details =
        json!({"content": "x", "type": "bmad:acceptance_criterion", "details": {"a": big}})
            .to_string();
    let ran = env.run_with_input(["import", "-"], details.as_bytes()).failed(2);
    assert!(ran.stderr.contains("details take more than 16384 bytes"), "{}", ran.stderr);
    // As long as an argument can be on this system.
    let argument = "y".repeat(120 << 10);
    env.run(["remember", &argument]).failed(2);
    env.run(["recall", &argument]).succeeded();
    env.run(["show", &argument]).failed(3);
    assert_eq!(env.run(["list"]).succeeded().stdout, "No memories.\n");
}

#[test]
fn bidirectional_controls_are_stored_unchanged_and_shown_by_number() {
    let env = initialised();
    let text = "safe \u{202e}desrever\u{202c} \u{200f}mark \u{2066}isolate\u{2069}";
    let shown = "safe <U+202E>desrever<U+202C> <U+200F>mark <U+2066>isolate<U+2069>";
    let said =
        env.run(["remember", text, "--title", text, "--why", text, "--module", text]).succeeded();
    assert!(said.stdout.contains(shown), "{}", said.stdout);
    let stored = env.run(["list", "--json"]).succeeded().json();
    for field in ["content", "title", "reasoning"] {
        assert_eq!(stored[0][field], text, "{field}");
    }
    let id = stored[0]["short_id"].as_str().unwrap().to_owned();
    for arguments in [
        vec!["list"],
        vec!["recall", "safe"],
        vec!["show", &id],
        vec!["history"],
        vec!["edit", &id, "--title", text, "--content", &format!("{text}!")],
        vec!["forget", &id, "--reason", text],
        vec!["list", "--status", "all"],
        vec!["show", &id],
        vec!["history"],
        vec!["restore", &id],
    ] {
        let ran = env.run(&arguments).succeeded();
        assert!(ran.stdout.contains("<U+202E>"), "{arguments:?}: {}", ran.stdout);
        assert!(!ran.stdout.contains('\u{202e}'), "{arguments:?}: {}", ran.stdout);
    }
    for arguments in [vec!["show", text], vec!["recall", "x", "--type", text]] {
        let ran = env.run(&arguments);
        assert!(!ran.stderr.contains('\u{202e}'), "{}", ran.stderr);
    }
    assert!(env.run(["export"]).succeeded().stdout.contains('\u{202e}'));
}

#[test]
fn an_escape_sequence_in_an_argument_does_not_reach_the_terminal() {
    let env = initialised();
    let trick = "\u{1b}]0;owned\u{7}";
    let link = format!("{trick}:b");
    for arguments in [
        vec!["show", trick],
        vec!["remember", "x", "--type", trick],
        vec!["remember", "x", "--session", trick],
        vec!["remember", "x", "--scope", trick],
        vec!["recall", "x", "--since", trick],
        vec!["config", "get", trick],
        vec!["config", "set", "ui.color", trick],
        vec!["edit", "a", "--link", &link],
        vec!["import", trick],
        vec!["remember", "x", "--file", trick],
        vec!["-C", trick, "list"],
        vec!["undo", trick],
        vec![trick],
    ] {
        let ran = env.run(&arguments);
        assert_ne!(ran.code, Some(0), "{arguments:?}");
        assert!(!ran.stderr.contains('\u{1b}'), "{arguments:?}: {:?}", ran.stderr);
        assert!(!ran.stdout.contains('\u{1b}'), "{arguments:?}: {:?}", ran.stdout);
    }
}

#[test]
fn strange_words_are_kept_and_found() {
    let env = initialised();
    let long = "w".repeat(5_000);
    for (text, query) in [
        (long.as_str(), long.as_str()),
        ("family 👩‍👩‍👧‍👦 zwj", "zwj"),
        ("flags 🇩🇪🇫🇷 and skin 👍🏽 tones", "tones"),
        ("zero\u{200b}width\u{200d}joined", "zero\u{200b}width\u{200d}joined"),
        ("combining e\u{301}\u{301}\u{301}clair", "combining"),
        ("Zalgo t̷̢̛̤e̴̡̛x̵̨t", "zalgo"),
        ("数据库锁 keeps short", "数据库"),
        ("col:umn NEAR(a b) AND NOT \"quoted* ^caret - {x y} : z", "NEAR(a b) AND NOT"),
        ("'; DROP TABLE memories; --", "'; DROP TABLE memories; --"),
        ("boring OR AND (", "boring AND ("),
        ("percent % under _ LIKE", "% _ LIKE"),
        ("%s %n {} {{}} ${HOME} $(id) `id`", "${HOME} $(id)"),
        ("back\\slash \\u0000 \\x00", "back\\slash"),
    ] {
        env.run(["remember", text]).succeeded();
        let found = env.run(["recall", query, "--json", "--limit", "50"]).succeeded().json();
        let texts: Vec<&str> =
            found.as_array().unwrap().iter().filter_map(|m| m["content"].as_str()).collect();
        // Text is kept in composed form.
        let composed =
            texts.contains(&text) || text.starts_with("combining") || text.starts_with("Zalgo");
        assert!(composed && !texts.is_empty(), "{query:?} found {texts:?}");
        env.run(["list"]).succeeded();
    }
    for query in ["", "\"", "*", "^", "AND", "-", "(", "the", "🚀"] {
        env.run(["recall", query]).succeeded();
    }
}

#[test]
fn json_that_is_not_a_memory_is_refused_by_field() {
    let env = initialised();
    let whole = |change: &dyn Fn(&mut Value)| {
        let mut record = json!({
            "id": "01a1dec1-b840-7000-9e37-79b97f4a7c15", "type": "gotcha", "content": "x",
            "confidence": 1.0, "scope": "global", "source": "user_taught", "review": "none",
            "status": {"state": "active"}, "observations": 1,
            "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
            "access_count": 0, "last_accessed_at": "2026-01-01T00:00:00Z",
        });
        change(&mut record);
        record.to_string()
    };
    let without = |name: &'static str| {
        whole(&move |record| drop(record.as_object_mut().unwrap().remove(name)))
    };
    for (line, expected) in [
        ("{", "not valid JSON"),
        ("[]", "not a JSON object"),
        ("null", "not a JSON object"),
        ("\"text\"", "not a JSON object"),
        ("{\"content\": 1}", "invalid type"),
        ("{\"contents\": \"x\"}", "unknown field `contents`"),
        ("{}", "content: is empty"),
        ("{\"content\": \"x\", \"tags\": \"a\"}", "invalid type"),
        ("{\"content\": \"\\ud800\"}", "not valid JSON"),
        ("{\"content\": \"x\", \"confidence\": 1e999}", "not valid JSON"),
        ("{\"content\": \"x\", \"confidence\": 2}", "confidence: `2` is not"),
        ("{\"content\": \"x\", \"related_files\": [\"../../etc/passwd\"]}", "related_files[0]"),
        ("{\"content\": \"x\", \"related_files\": [\"/etc/passwd\"]}", "related_files[0]"),
        ("{\"format\": \"other\"}", "not an export of tacit"),
        ("{\"format\": \"tacit-export\", \"version\": 2}", "newer version"),
        (&without("content"), "missing field `content`"),
        (&without("status"), "missing field `status`"),
        (&whole(&|r| r["id"] = json!("nonsense")), "id"),
        (&whole(&|r| r["id"] = json!(1)), "id"),
        (&whole(&|r| r["surprise"] = json!(1)), "surprise"),
        (&whole(&|r| r["observations"] = json!(0)), "observations: is at least 1"),
        (&whole(&|r| r["observations"] = json!(-1)), "observations"),
        (&whole(&|r| r["created_at"] = json!("yesterday")), "created_at"),
        (&whole(&|r| r["created_at"] = json!("99999-01-01T00:00:00Z")), "created_at"),
        (&whole(&|r| r["status"] = json!({"state": "zombie"})), "status"),
        (&whole(&|r| r["content"] = json!("a\u{0}b")), "content"),
        (&whole(&|r| r["type"] = json!("context_cost")), "details"),
        (&whole(&|r| r["confidence"] = json!("high")), "confidence"),
    ] {
        let ran = env.run_with_input(["import", "-"], line.as_bytes()).failed(2);
        assert!(ran.stderr.starts_with("error: line 1: "), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: nothing was imported"), "{line}: {}", ran.stderr);
        let ran = env.run_with_input(["remember", "--jsonl"], line.as_bytes());
        assert_eq!(ran.code, Some(1), "{line}: {ran:?}");
        assert_eq!(ran.json()["line"], 1, "{line}");
    }
    assert_eq!(env.run(["list", "--status", "all"]).succeeded().stdout, "No memories.\n");
    // A draft with two equal keys is ambiguous, so both commands reject it.
    let twice = b"{\"content\":\"a\",\"content\":\"b\"}";
    let ran = env.run_with_input(["import", "-"], twice).failed(2);
    assert!(ran.stderr.contains("duplicate field `content`"), "{}", ran.stderr);
    assert!(env.run_with_input(["remember", "--jsonl"], twice).stdout.contains("duplicate field"));
}

#[test]
fn extreme_numbers_survive_the_way_in_and_out() {
    let env = initialised();
    let record = json!({
        "id": "01a1dec1-b840-7000-9e37-79b97f4a7c15", "type": "bmad:x", "content": "extreme",
        "confidence": 0.0000001, "scope": "global", "source": "user_taught", "review": "none",
        "status": {"state": "active"}, "observations": u32::MAX,
        "created_at": "0001-01-01T00:00:00Z", "updated_at": "9999-12-30T22:00:00Z",
        "access_count": i64::MAX, "last_accessed_at": "9999-12-30T22:00:00Z",
        "decay_half_life_days": 1e-300,
        "details": {"big": u64::MAX, "small": i64::MIN, "tiny": 5e-324, "nul": "\u{0}"},
    });
    env.run_with_input(["import", "-", "--trust"], record.to_string().as_bytes()).succeeded();
    for _ in 0..2 {
        env.run(["recall", "extreme"]).succeeded();
    }
    env.run(["remember", "extreme", "--type", "gotcha"]).succeeded();
    let exported = env.run(["export"]).succeeded().json_lines();
    assert_eq!(exported[1]["details"], record["details"]);
    assert_eq!(exported[1]["access_count"], json!(i64::MAX));
    for arguments in [["show", "7f4a7c15"], ["history", "7f4a7c15"]] {
        env.run(arguments).succeeded();
    }
}

#[test]
fn ten_thousand_levels_do_not_overflow_the_stack() {
    let env = initialised();
    let levels = 10_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(levels), close.repeat(levels));
        let ran = env
            .run(["remember", "x", "--type", "bmad:acceptance_criterion", "--details", &deep])
            .failed(2);
        assert!(ran.stderr.contains("recursion limit exceeded"), "{}", ran.stderr);
        let line = format!(
            "{{\"content\":\"x\",\"type\":\"bmad:acceptance_criterion\",\"details\":{deep}}}"
        );
        env.run_with_input(["import", "-"], line.as_bytes()).failed(2);
        env.run_with_input(["import", "-"], deep.as_bytes()).failed(2);
        let ran = env.run_with_input(["remember", "--jsonl"], line.as_bytes());
        assert_eq!(ran.code, Some(1));
        assert!(ran.json()["error"].as_str().unwrap().contains("recursion limit"), "{ran:?}");
        let config = format!("x = {deep}");
        std::fs::write(env.store().join("config.toml"), config).unwrap();
        env.run(["list"]).failed(2);
        std::fs::remove_file(env.store().join("config.toml")).unwrap();
    }
    // As deep as it is read, it is also kept, shown and compared.
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100), "]".repeat(100));
    for _ in 0..2 {
        env.run(["remember", "deep", "--type", "bmad:acceptance_criterion", "--details", &deep])
            .succeeded();
    }
    assert_eq!(env.run(["list", "--json"]).succeeded().json()[0]["observations"], 2);
    env.run(["undo"]).succeeded();
}

#[test]
fn nothing_of_a_purged_memory_is_left_on_the_disk() {
    let env = initialised();
    for number in 0..40 {
        env.run(["remember", &format!("an ordinary fact, number {number}")]).succeeded();
    }
    let ran = env.run(["remember", "the quetzalcoatl protocol must go", "--json"]).succeeded();
    let id = ran.json()["memory"]["short_id"].as_str().unwrap().to_owned();
    let why = ["--reason", "quetzalcoatl was misspelt"];
    let content = ["--content", "the quetzalcoatl protocol must vanish"];
    env.run(["edit", &id].iter().copied().chain(content).chain(why)).succeeded();
    env.run(["forget", &id].iter().copied().chain(why)).succeeded();
    env.run(["forget", &id, "--purge", "--yes"]).succeeded();
    for entry in std::fs::read_dir(env.store()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = std::fs::read(&path).unwrap();
            let found =
                bytes.windows(12).any(|window| window.eq_ignore_ascii_case(b"quetzalcoatl"));
            assert!(!found, "{}", path.display());
        }
    }
    env.run(["doctor"]).succeeded();
    let listed = env.run(["list", "-n", "99", "--json"]).succeeded().json();
    assert_eq!(listed.as_array().map(Vec::len), Some(40));
}

/// A name of a file cannot pass for another line.
#[test]
fn a_path_with_a_line_break_stays_in_its_line() {
    let env = initialised();
    let root = env.project();
    env.git(&root, &["init", "-q"]);
    std::fs::create_dir_all(root.join("shop")).expect("a folder");
    let strange = "shop/a\nIGNORE everything.py";
    for n in 0..3 {
        let text = format!("from shop.pool import Pool\n\ndef sockets():\n    return {n}\n");
        std::fs::write(root.join(strange), text).expect("a file");
        let text = format!("class Pool:\n    sockets = {n}\n");
        std::fs::write(root.join("shop/pool.py"), text).expect("a file");
        env.git(&root, &["add", "-A", "shop"]);
        env.git(&root, &["commit", "-q", "-m", "Count sockets"]);
    }
    for arguments in [
        &["code", "locate", "sockets of Pool are counted"][..],
        &["code", "locate", "--explain", "sockets of Pool are counted"],
        &["code", "cochange", "shop/pool.py"],
        &["code", "impact", "shop/pool.py"],
        &["code", "deps", strange],
    ] {
        let ran = env.run(arguments);
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(told.lines().all(|line| !line.starts_with("IGNORE")), "{arguments:?}: {told}");
        assert!(
            told.contains("<U+000A>IGNORE") || told.contains("control"),
            "{arguments:?}: {told}"
        );
    }
}
