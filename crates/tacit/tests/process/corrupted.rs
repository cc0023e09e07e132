//! Files of a store damaged at random, with fixed seeds: nothing panics or hangs, a hook lets the
//! agent go on, and everything readable is saved.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tacit_testkit::env::{RunOutput, TestEnv};
use tacit_testkit::realistic::TestRandom;

use crate::damage::{forget_log, remove_damaged};
use crate::initialised;
use crate::killed::copy_of;

/// The memories in the main file, and those in the log alone.
const IN_FILE: usize = 24;
const IN_LOG: usize = 3;
const PAGE: usize = 4096;
/// A process that takes longer hangs.
const FOREVER: Duration = Duration::from_secs(120);

/// A store as a working day leaves it: memories, a session, vectors, a backup, and a log.
fn template() -> TestEnv {
    let env = initialised();
    let fact = |number: usize| {
        let filler = "the parser reads a token at a time ".repeat(12);
        serde_json::json!({"content": format!("fact {number}: {filler}")}).to_string()
    };
    let facts: Vec<String> = (0..IN_FILE).map(fact).collect();
    env.run_with_input(["remember", "--jsonl"], facts.join("\n").as_bytes()).succeeded();
    hook(&env);
    env.run(["maintain", "--quiet"]).succeeded();
    let holder = Connection::open(env.store().join("memory.db")).expect("the database");
    holder.pragma_update(None, "wal_checkpoint", "truncate").expect("a checkpoint");
    holder.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).expect("a setting");
    holder.query_row("SELECT count(*) FROM memories", [], |_| Ok(())).expect("a read");
    for number in 0..IN_LOG {
        env.run(["remember", &format!("late fact {number} about the lexer")]).succeeded();
    }
    drop(holder);
    assert!(fs::metadata(env.store().join("memory.db-wal")).is_ok_and(|meta| meta.len() > 0));
    env
}

fn payload(env: &TestEnv) -> String {
    serde_json::json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s-1",
        "cwd": env.project(), "prompt": "how does the parser read a token?",
    })
    .to_string()
}

/// A hook exits with 0 and prints nothing, or JSON.
fn hook(env: &TestEnv) {
    let ran = bounded(env, &["hook", "claude"], Some(&payload(env)));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let is_valid =
        ran.stdout.is_empty() || serde_json::from_str::<serde_json::Value>(&ran.stdout).is_ok();
    assert!(is_valid, "{ran:?}");
}

/// Runs a command that must end.
fn bounded(env: &TestEnv, arguments: &[&str], input: Option<&str>) -> RunOutput {
    let given = env.root().join("input");
    fs::write(&given, input.unwrap_or_default()).expect("a file");
    let (out, err) = (env.root().join("stdout"), env.root().join("stderr"));
    let file = |path: &Path| Stdio::from(fs::File::create(path).expect("a file"));
    let mut child = env
        .command()
        .args(arguments)
        .env("TACIT_TIMEOUTS_STORE_MS", "500")
        .stdin(Stdio::from(fs::File::open(&given).expect("a file")))
        .stdout(file(&out))
        .stderr(file(&err))
        .spawn()
        .expect("the binary starts");
    let deadline = Instant::now() + FOREVER;
    let status = loop {
        match child.try_wait().expect("a state") {
            Some(status) => break status,
            None if Instant::now() > deadline => {
                let _ = child.kill();
                panic!("{arguments:?} hangs");
            }
            None => std::thread::yield_now(),
        }
    };
    let read = |path: &Path| fs::read(path).expect("output");
    RunOutput::from(std::process::Output { status, stdout: read(&out), stderr: read(&err) })
}

/// The damage that a seed does.
struct Damage {
    file: PathBuf,
    kind: &'static str,
    /// The damaged pages of the database, from 1; `None` if they are not known.
    pages: Option<BTreeSet<usize>>,
}

fn damage(env: &TestEnv, dice: &mut TestRandom) -> Damage {
    let vectors = fs::read_dir(env.store().join("vectors")).into_iter().flatten().flatten();
    let vectors = vectors
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "vec"));
    let named = |name: &str| env.store().join(name);
    let files = [
        named("memory.db"),
        named("memory.db"),
        named("memory.db"),
        named("memory.db"),
        named("memory.db-wal"),
        vectors.unwrap_or_else(|| named("memory.seq")),
        named("memory.seq"),
        named("hot-topics.json"),
    ];
    let file = files[dice.below(files.len())].clone();
    let mut bytes = fs::read(&file).unwrap_or_default();
    let size = bytes.len().max(1);
    let page = |dice: &mut TestRandom| dice.below(size.div_ceil(PAGE));
    let range = |page: usize| page * PAGE..((page + 1) * PAGE).min(size);
    bytes.resize(size, 0);
    let mut pages = BTreeSet::new();
    let kind = ["bytes", "zeroes", "noise", "copy", "cut"][dice.below(5)];
    match kind {
        "bytes" => {
            for _ in 0..=dice.below(32) {
                let at = dice.below(size);
                bytes[at] ^= 1 + dice.below(255) as u8;
                pages.insert(at / PAGE + 1);
            }
        }
        "zeroes" => {
            let page = page(dice);
            bytes[range(page)].fill(0);
            pages.insert(page + 1);
        }
        "noise" => {
            let page = page(dice);
            for byte in &mut bytes[range(page)] {
                *byte = dice.below(256) as u8;
            }
            pages.insert(page + 1);
        }
        "copy" => {
            let (from, to) = (page(dice), page(dice));
            let copied = bytes[range(from)].to_vec();
            for (place, byte) in bytes[range(to)].iter_mut().zip(copied) {
                *place = byte;
            }
            pages.insert(to + 1);
        }
        _ => bytes.truncate(dice.below(size)),
    }
    fs::write(&file, bytes).expect("the damage");
    Damage { file, kind, pages: Some(pages).filter(|_| kind != "cut") }
}

/// Returns the pages without which memories are lost: those of their table and of the schema.
fn vital_pages(env: &TestEnv) -> BTreeSet<usize> {
    let copy = env.root().join("vital.db");
    fs::copy(env.store().join("memory.db"), &copy).expect("a copy");
    let connection = Connection::open(&copy).expect("the database");
    let sql = "SELECT pageno FROM dbstat WHERE name IN ('memories', 'sqlite_schema')";
    let mut statement = connection.prepare(sql).expect("the pages");
    let pages = statement.query_map([], |row| row.get::<_, i64>(0)).expect("the pages");
    pages.map(|page| usize::try_from(page.expect("a page")).expect("a number")).collect()
}

fn memories(env: &TestEnv) -> Option<usize> {
    let ran = bounded(env, &["list", "--limit", "1000", "--json"], None);
    (ran.code == Some(0)).then(|| ran.json().as_array().map_or(0, Vec::len))
}

fn survives(template: &TestEnv, vital: &BTreeSet<usize>, seed: u64) {
    let env = copy_of(template);
    let mut dice = TestRandom::new(seed);
    let damage = damage(&env, &mut dice);
    let told = format!("seed {seed}: {} of {}", damage.kind, damage.file.display());
    hook(&env);
    for arguments in [&["recall", "parser"][..], &["list"], &["doctor", "--quick"]] {
        let ran = bounded(&env, arguments, None);
        assert!(matches!(ran.code, Some(0 | 1 | 3 | 6)), "{told}: {arguments:?}: {ran:?}");
    }
    let doctor = bounded(&env, &["doctor"], None);
    assert!(matches!(doctor.code, Some(0 | 1)), "{told}: {doctor:?}");
    let found = memories(&env);
    // A store that is called healthy has everything in it, except what only the log had.
    if doctor.code == Some(0) {
        assert!(found >= Some(IN_FILE), "{told}: healthy with {found:?} memories: {doctor:?}");
    }
    let fixed = bounded(&env, &["doctor", "--fix"], None);
    assert!(matches!(fixed.code, Some(0 | 1)), "{told}: {fixed:?}");
    let is_database = damage.file.ends_with("memory.db");
    let is_harmless =
        !is_database || damage.pages.as_ref().is_some_and(|pages| pages.is_disjoint(vital));
    if fixed.code == Some(0) {
        remove_damaged(&env.store());
        let after = memories(&env);
        assert!(after >= found, "{told}: the repair lost memories: {found:?}, then {after:?}");
        if is_harmless {
            assert!(after >= Some(IN_FILE), "{told}: {after:?} memories: {fixed:?}");
        }
        let doctor = bounded(&env, &["doctor"], None);
        assert_eq!(doctor.code, Some(0), "{told}: after the repair: {doctor:?}");
    } else {
        assert!(!is_harmless, "{told}: not repaired: {fixed:?}");
    }
    hook(&env);
    // A backup brings back everything that it had, whatever the state of the database.
    let restored = bounded(&env, &["restore", "--backup", "latest"], None);
    assert_eq!(restored.code, Some(0), "{told}: {restored:?}");
    remove_damaged(&env.store());
    assert_eq!(memories(&env), Some(IN_FILE), "{told}: after the restore");
}

fn survive(seeds: std::ops::Range<u64>) {
    let template = template();
    let vital = vital_pages(&template);
    assert!(vital.len() > 3);
    for seed in seeds {
        survives(&template, &vital, seed);
    }
}

#[test]
fn seeds_0_to_24_of_random_damage_are_survived() {
    survive(0..25);
}

#[test]
fn seeds_25_to_49_of_random_damage_are_survived() {
    survive(25..50);
}

#[test]
fn seeds_50_to_74_of_random_damage_are_survived() {
    survive(50..75);
}

#[test]
fn seeds_75_to_99_of_random_damage_are_survived() {
    survive(75..100);
}

#[test]
fn a_repair_that_fails_leaves_the_database_as_it_was() {
    let env = initialised();
    env.run(["remember", "a fact"]).succeeded();
    forget_log(&env);
    let path = env.store().join("memory.db");
    fs::write(&path, "garbage".repeat(2_000)).expect("the damage");
    // The new database cannot be made.
    fs::create_dir(env.store().join("memory.db.repair")).expect("a folder");
    let before = fs::read(&path).expect("the database");
    let ran = env.run(["doctor", "--fix"]);
    assert_ne!(ran.code, Some(0), "{ran:?}");
    assert_eq!(fs::read(&path).expect("the database"), before);
    fs::remove_dir(env.store().join("memory.db.repair")).expect("it goes");
    assert_eq!(env.run(["doctor", "--fix"]).code, Some(0));
}
