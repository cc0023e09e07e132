//! Work that is killed at every step: nothing is lost, nothing is left, and `doctor` is honest.
//!
//! Each kind of work is started over and over from the same prepared place, and killed one step
//! later each time (`tacit_fs::failpoint`), then within statements of the database, then at
//! random moments. After each death the next process has to find everything in order.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use tacit_testkit::env::{RunOutput, TestEnv};
use tacit_testkit::realistic::TestRandom;

use crate::damage::remove_damaged;
use crate::{bare, files, initialised};

/// Number of memories in each place.
const MEMORIES: usize = 12;
/// A word that only the memory to be purged has.
const SECRET: &str = "quetzalcoatl";

/// A kind of work.
struct Work {
    /// Prepares a place in which it can be done.
    prepare: fn() -> TestEnv,
    /// The command, given the place.
    command: fn(&TestEnv) -> Vec<String>,
    /// Looks at what was left.
    judge: fn(&TestEnv),
    /// Number of deaths within statements.
    ticks: u64,
    moments: u64,
}

/// The end of a process.
#[derive(Debug, PartialEq)]
enum End {
    Killed,
    Done,
}

#[derive(Clone, Copy)]
enum Death {
    Step(u64),
    Tick(u64),
    After(Duration),
}

impl Work {
    /// Kills it everywhere; how often.
    fn rounds(&self) -> u64 {
        let template = (self.prepare)();
        let command = (self.command)(&template);
        let mut rounds = 0;
        let mut round = |death: Death| {
            let env = copy_of(&template);
            let end = die(&env, &command, death);
            rounds += u64::from(end == End::Killed);
            (self.judge)(&env);
            end
        };
        let mut step = 1;
        while round(Death::Step(step)) == End::Killed {
            step += 1;
        }
        // As far apart as makes for so many.
        let mut last = 1;
        while round(Death::Tick(last)) == End::Killed {
            last *= 2;
        }
        let stride = (last / 2 / self.ticks.max(1)).max(1);
        for tick in (0..self.ticks).map(|tick| 1 + tick * stride) {
            round(Death::Tick(tick));
        }
        let began = Instant::now();
        die(&copy_of(&template), &command, Death::Step(0));
        let whole = u64::try_from(began.elapsed().as_micros()).unwrap_or(1);
        let mut dice = TestRandom::new(17);
        for _ in 0..self.moments {
            let after = dice.below(usize::try_from(whole).unwrap_or(1)) as u64;
            round(Death::After(Duration::from_micros(after)));
        }
        rounds
    }
}

/// Starts a command and lets it die.
fn die(env: &TestEnv, arguments: &[String], death: Death) -> End {
    let mut command = env.command();
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    match death {
        Death::Step(step) => drop(command.env("TACIT_KILL_AT_STEP", step.to_string())),
        Death::Tick(tick) => drop(command.env("TACIT_KILL_AT_TICK", tick.to_string())),
        Death::After(_) => {}
    }
    let mut child = command.spawn().expect("the binary starts");
    if let Death::After(time) = death {
        let at = Instant::now() + time;
        while Instant::now() < at && child.try_wait().expect("a state").is_none() {
            std::thread::yield_now();
        }
        let _ = child.kill();
    }
    match child.wait().expect("it ends").code() {
        None => End::Killed,
        Some(_) => End::Done,
    }
}

/// The same files in another place.
pub(super) fn copy_of(template: &TestEnv) -> TestEnv {
    let env = bare();
    for (from, to) in [(template.project(), env.project()), (template.home(), env.home())] {
        if from.is_dir() {
            copy(&from, &to);
        }
    }
    env
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    let mode = fs::metadata(from).expect("a folder").permissions();
    fs::set_permissions(to, mode).expect("permissions");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).expect("a copy");
        }
    }
}

fn fact(number: usize) -> String {
    format!("fact number {number} about the parser")
}

/// A place with some memories, and nothing that embeds.
fn filled() -> TestEnv {
    filled_with(0..MEMORIES)
}

fn filled_with(facts: Range<usize>) -> TestEnv {
    let env = initialised();
    env.run(["config", "set", "embedding.provider", "off", "--global"]).succeeded();
    remember(&env, facts);
    env
}

fn remember(env: &TestEnv, facts: Range<usize>) {
    for number in facts {
        env.run(["remember", &fact(number)]).succeeded();
    }
}

/// Counts the memories that a command finds; `None` if it fails.
fn found(env: &TestEnv) -> Option<usize> {
    let ran = env.run(["list", "--limit", "1000", "--json"]);
    if ran.code != Some(0) {
        return None;
    }
    let listed = ran.json();
    let texts: Vec<&str> =
        listed.as_array()?.iter().filter_map(|memory| memory["content"].as_str()).collect();
    Some((0..MEMORIES).filter(|number| texts.contains(&fact(*number).as_str())).count())
}

fn assert_whole(env: &TestEnv) {
    assert_eq!(found(env), Some(MEMORIES));
    let recalled = env.run(["recall", "parser", "--json"]);
    assert_eq!(recalled.code, Some(0), "{recalled:?}");
    let doctor = env.run(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
}

/// Asserts that a killed process left no file beside the store.
fn assert_tidy(env: &TestEnv) {
    for path in files(&env.store()) {
        let name = path.display().to_string();
        assert!(!name.contains(".repair") && !name.contains("pending"), "{name} is left");
    }
}

fn database(env: &TestEnv) -> Connection {
    Connection::open(env.store().join("memory.db")).expect("the database")
}

/// Every memory can be saved: an index is damaged, and no table is. The last memories are in the log
/// alone.
fn damaged() -> TestEnv {
    let env = filled_with(0..MEMORIES - 3);
    let connection = database(&env);
    connection.pragma_update(None, "wal_checkpoint", "truncate").expect("a checkpoint");
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'memories_commit'";
    let page: u32 = connection.query_row(sql, [], |row| row.get(0)).expect("a page");
    let page = page as usize;
    drop(connection);
    let path = env.store().join("memory.db");
    let mut bytes = fs::read(&path).expect("the database");
    bytes[(page - 1) * 4096..page * 4096].fill(0xff);
    fs::write(&path, bytes).expect("the database");
    let holder = database(&env);
    holder.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).expect("a setting");
    holder.query_row("SELECT count(*) FROM memories", [], |_| Ok(())).expect("a read");
    remember(&env, MEMORIES - 3..MEMORIES);
    drop(holder);
    assert!(fs::metadata(env.store().join("memory.db-wal")).is_ok_and(|meta| meta.len() > 0));
    assert_eq!(env.run(["doctor"]).code, Some(1));
    env
}

fn judge_repair(env: &TestEnv) {
    let doctor = env.run(["doctor"]);
    let all_there = found(env) == Some(MEMORIES);
    assert!(doctor.code == Some(1) || all_there, "healthy, and memories are missing: {doctor:?}");
    let fixed = env.run(["doctor", "--fix"]);
    assert_eq!(fixed.code, Some(0), "{fixed:?}");
    assert_tidy(env);
    assert_eq!(remove_damaged(&env.store()), 1, "the damaged database is kept, once");
    assert_whole(env);
    let history = env.run(["history", "--limit", "1000", "--json"]).succeeded().json();
    assert_eq!(history.as_array().map(Vec::len), Some(MEMORIES));
}

fn with_secret() -> TestEnv {
    let env = filled();
    let text = format!("the {SECRET} protocol must go");
    env.run(["remember", &text, "-t", "preference", "--tag", "cheat-sheet"]).succeeded();
    for (event, fields) in [
        ("SessionStart", "\"source\":\"startup\""),
        ("UserPromptSubmit", "\"prompt\":\"is it true that the quetzalcoatl protocol must go\""),
    ] {
        let payload = format!(
            "{{\"hook_event_name\":\"{event}\",\"session_id\":\"s-1\",\"cwd\":{:?},{fields}}}",
            env.project()
        );
        env.run_with_input(["hook", "claude"], payload.as_bytes());
    }
    assert!(left_of_secret(&env).len() > 1);
    env
}

/// The files in which the word is.
fn left_of_secret(env: &TestEnv) -> Vec<PathBuf> {
    let mut left = files(&env.store());
    left.extend(files(&env.home()));
    left.retain(|path| {
        let bytes = fs::read(path).expect("a file");
        bytes.windows(SECRET.len()).any(|window| window.eq_ignore_ascii_case(SECRET.as_bytes()))
    });
    left
}

fn secret_id(env: &TestEnv) -> Option<String> {
    let listed = env.run(["list", "--limit", "1000", "--json"]).succeeded().json();
    let secret =
        listed.as_array().expect("a list").iter().find(|memory| {
            memory["content"].as_str().is_some_and(|content| content.contains(SECRET))
        });
    secret.and_then(|memory| memory["id"].as_str()).map(str::to_owned)
}

fn judge_purge(env: &TestEnv) {
    // Asking is the next process: what was begun is finished then.
    if let Some(id) = secret_id(env) {
        env.run(["forget", &id, "--purge", "--yes"]).succeeded();
    }
    assert_eq!(left_of_secret(env), [] as [PathBuf; 0]);
    assert_tidy(env);
    assert_whole(env);
    let undo = env.run(["undo"]);
    assert!(undo.stderr.contains("the last change was a purge"), "{undo:?}");
}

/// A store as version 9 of the schema had it.
fn from_before() -> TestEnv {
    let env = filled();
    database(&env)
        .execute_batch(
            "BEGIN;
             DROP TRIGGER changes_stay;
             CREATE TRIGGER changes_stay BEFORE UPDATE ON changes
             BEGIN SELECT RAISE(ABORT, 'the history is append-only'); END;
             ALTER TABLE memories DROP COLUMN failing_command;
             DROP INDEX memories_fingerprint; ALTER TABLE memories DROP COLUMN fingerprint;
             DROP INDEX memories_unlisted; ALTER TABLE memories DROP COLUMN lists;
             DROP INDEX memories_unlinked; DROP TABLE memory_links;
             ALTER TABLE memories DROP COLUMN linked_at;
             ALTER TABLE memories DROP COLUMN symbols;
             ALTER TABLE memories DROP COLUMN stale_why;
             DROP TABLE agent_event_paths;
             ALTER TABLE agent_events DROP COLUMN paths;
             ALTER TABLE agent_events DROP COLUMN packed;
             ALTER TABLE memories DROP COLUMN cues;
             ALTER TABLE memories DROP COLUMN stale_kind;
             ALTER TABLE memories DROP COLUMN phase;
             ALTER TABLE memories DROP COLUMN derived_confidence;
             ALTER TABLE memories DROP COLUMN visibility;
             DROP TABLE memory_uses;
             DROP TABLE team_copy;
             DROP INDEX agent_injections_memory;
             ALTER TABLE agent_injections DROP COLUMN withheld;
             ALTER TABLE agent_injections DROP COLUMN fate;
             ALTER TABLE agent_injections DROP COLUMN fate_why;
             ALTER TABLE agent_sessions DROP COLUMN judged_upto;
             ALTER TABLE agent_sessions DROP COLUMN held_out;
             PRAGMA user_version = 9;
             COMMIT;",
        )
        .expect("an older schema");
    env
}

fn judge_whole(env: &TestEnv) {
    assert_whole(env);
    assert_tidy(env);
}

fn to_be_maintained() -> TestEnv {
    let env = filled();
    env.run(["config", "set", "embedding.provider", "bundled", "--global"]).succeeded();
    env
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn survives(work: &Work, least: u64) {
    let rounds = work.rounds();
    assert!(rounds >= least, "killed only {rounds} times");
}

#[test]
fn a_repair_that_is_killed_is_finished_or_undone() {
    let work = Work {
        prepare: damaged,
        command: |_| words(&["doctor", "--fix"]),
        judge: judge_repair,
        ticks: 180,
        moments: 20,
    };
    survives(&work, 190);
}

#[test]
fn a_purge_that_is_killed_is_finished_by_the_next_process() {
    let work = Work {
        prepare: with_secret,
        command: |env| words(&["forget", &secret_id(env).expect("an id"), "--purge", "--yes"]),
        judge: judge_purge,
        ticks: 180,
        moments: 20,
    };
    survives(&work, 190);
}

#[test]
fn a_migration_that_is_killed_is_done_by_the_next_process() {
    let work = Work {
        prepare: from_before,
        command: |_| words(&["list"]),
        judge: judge_whole,
        ticks: 150,
        moments: 10,
    };
    survives(&work, 140);
}

#[test]
fn maintenance_that_is_killed_costs_nothing() {
    let work = Work {
        prepare: to_be_maintained,
        command: |_| words(&["maintain", "--quiet"]),
        judge: judge_whole,
        ticks: 150,
        moments: 10,
    };
    survives(&work, 140);
}

/// A store as earlier versions kept it in the worktree, with requests that wait and a log.
fn in_the_worktree() -> TestEnv {
    let env = filled_with(0..MEMORIES - 1);
    env.run(["config", "set", "recall.limit", "7"]).succeeded();
    let holder = database(&env);
    holder.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).expect("a setting");
    holder.query_row("SELECT count(*) FROM memories", [], |_| Ok(())).expect("a read");
    remember(&env, MEMORIES - 1..MEMORIES);
    drop(holder);
    assert!(fs::metadata(env.store().join("memory.db-wal")).is_ok_and(|meta| meta.len() > 0));
    for folder in ["events", "vectors", "graph"] {
        fs::create_dir_all(env.store().join(folder)).expect("a folder");
        fs::write(env.store().join(folder).join("left.over"), "x").expect("a file");
    }
    fs::rename(env.store(), env.project().join(".tacit")).expect("a move");
    env
}

fn judge_move(env: &TestEnv) {
    judge_whole(env);
    assert_eq!(env.run(["config", "get", "recall.limit"]).stdout, "7\n");
    assert!(env.store().join("vectors/left.over").exists());
    let old = env.project().join(".tacit");
    let left: Vec<PathBuf> = files(&old);
    assert_eq!(left, [old.join("config.toml")], "settings stay with the repository");
}

#[test]
fn a_move_that_is_killed_is_finished_by_the_next_process() {
    let work = Work {
        prepare: in_the_worktree,
        command: |_| words(&["recall", "parser"]),
        judge: judge_move,
        ticks: 40,
        moments: 20,
    };
    survives(&work, 20);
}

#[test]
fn a_purge_that_is_asked_for_again_says_that_it_was_finished() {
    let env = with_secret();
    let id = secret_id(&env).expect("an id");
    let command = words(&["forget", &id, "--purge", "--yes"]);
    // Somewhere after the note, and before the end.
    let mut step = 12;
    let again = loop {
        let env = copy_of(&env);
        assert_eq!(die(&env, &command, Death::Step(step)), End::Killed, "step {step}");
        let again =
            RunOutput::from(env.command().args(&command).output().expect("the binary starts"));
        if again.stdout.contains("finished what was interrupted") {
            break again;
        }
        step += 1;
    };
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.stdout.starts_with("Purged: finished what was interrupted (id "), "{again:?}");
}
