//! A purge in a team: the server allows it before anything is touched, and it leaves no text on the machine
//! that purged or on that of anybody else.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::json;

use super::*;
use crate::files;
use crate::purged::{FACT, PARTS, quoting, session};

/// The first text of [`FACT`], as the earliest sessions quoted it.
const EARLIER: &str =
    "The zanzibar gateway never drops a socket, whatever the marmot daemon reports to the quokka";

/// Writes a file beside the store.
fn place(person: &Person, name: &str, text: &str) {
    let path = person.env.store().join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

/// Has sessions, queues, logs and a backup that quote [`FACT`].
fn quotes_everywhere(person: &Person) {
    session(&person.env);
    person.run(["team", "pull"]);
    // The backup has the events, too.
    person.run(["maintain", "--quiet"]);
    let quoted = json!({"draft": {"content": FACT}}).to_string();
    place(person, "spool/0000000009-x.broken", &quoted);
    place(person, "logs/hook.log", &format!("a line\n{}\nanother line\n", PARTS[1]));
    place(person, "maintain-failures.jsonl", &format!("{{\"error\":\"{}\"}}\n", PARTS[3]));
    assert!(!files(&person.env.store().join("backups")).is_empty());
    assert!(quoting(&person.env).len() > 3, "{:?}", quoting(&person.env));
}

/// Returns the files of a person's store that a purge would change, with their bytes.
fn untouched(person: &Person) -> BTreeMap<PathBuf, Vec<u8>> {
    let store = person.env.store();
    let named = ["spool/", "logs/hook.log", "maintain-failures.jsonl", "backups/", "pending/"];
    let is_named = |path: &PathBuf| {
        let name = path.strip_prefix(&store).expect("below it").to_string_lossy().into_owned();
        named.iter().any(|beginning| name.starts_with(beginning))
    };
    let found = files(&store).into_iter().filter(is_named);
    found.map(|path| (path.clone(), fs::read(&path).expect("a file"))).collect()
}

/// Returns the events and injections that commands see.
fn log_of(person: &Person) -> String {
    person.tries(["why", "-n", "100000", "--json"]).stdout
}

fn id_of(person: &Person, words: &str) -> String {
    let listed = person.tries(["list", "--limit", "1000", "--json"]).json();
    let all = listed.as_array().expect("a list");
    let has = |memory: &&Value| memory["content"].as_str().is_some_and(|it| it.contains(words));
    let found = all.iter().find(has).unwrap_or_else(|| panic!("no {words}: {listed}"));
    found["short_id"].as_str().expect("an id").to_owned()
}

/// Returns the files of a person that have a word.
fn holding(person: &Person, word: &str) -> Vec<String> {
    let mut found = files(&person.env.store());
    found.extend(files(&person.env.root().join("home")));
    found.retain(|path| {
        let bytes = fs::read(path).unwrap_or_default();
        bytes.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
    });
    found.iter().map(|path| path.display().to_string()).collect()
}

/// Runs a command that is killed at a step. Returns true if it died.
fn dies<const N: usize>(person: &Person, arguments: [&str; N], step: usize) -> bool {
    let mut command = person.env.command();
    command.args(arguments).env("TACIT_KILL_AT_STEP", step.to_string());
    let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    ended.expect("the binary starts").code().is_none()
}

#[test]
fn a_purge_that_the_server_does_not_allow_changes_nothing() {
    let team = Team::new();
    let ada = team.founder();
    ada.remembers(FACT);
    let (proxy, bo) = team.member_behind("bo", "contributor", &ada);
    quotes_everywhere(&bo);
    let id = id_of(&bo, "zanzibar");
    let (before, log) = (untouched(&bo), log_of(&bo));
    let refused = |code: i32, words: &str, hint: &str| {
        let ran = bo.tries(["forget", &id, "--purge", "--yes"]);
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.stderr.contains(words), "{ran:?}");
        assert!(ran.stderr.contains("\nhint: ") && ran.stderr.contains(hint), "{ran:?}");
        assert_eq!(untouched(&bo), before);
        assert_eq!(log_of(&bo), log);
        assert!(bo.knows().contains(&FACT.to_owned()));
    };
    refused(7, "your role on", "`tacit team members`");
    proxy.cut();
    refused(5, "cannot be reached", "check `database.url` and the network");
    proxy.heal();
    ada.run(["team", "add", &bo.login, "--role", "reader"]);
    refused(7, "your role on", "`tacit team members`");
    assert_eq!(team.memories(), 4);
    // Nothing of it is carried out later.
    ada.run(["team", "add", &bo.login, "--role", "curator"]);
    bo.run(["list"]);
    assert_eq!((untouched(&bo), team.memories()), (before, 4));
    bo.run(["forget", &id, "--purge", "--yes"]);
    assert_eq!(quoting(&bo.env), [] as [String; 0]);
    assert_eq!(team.memories(), 3);
}

#[test]
fn a_purge_leaves_nothing_on_any_machine_of_the_team() {
    let (team, ada, bo) = Team::of_two();
    let cy = team.member("cy", "reader", &ada);
    ada.remembers(EARLIER);
    for person in [&ada, &bo, &cy] {
        person.run(["team", "pull"]);
        let shown = person.is_shown("early", "what does the zanzibar gateway do with a socket?");
        assert!(shown.contains("marmot"), "{shown}");
    }
    let id = id_of(&ada, "zanzibar");
    ada.run(["edit", &id, "--content", FACT]);
    for person in [&ada, &bo, &cy] {
        person.run(["team", "pull"]);
        quotes_everywhere(person);
    }
    let purged = ada.run(["forget", &id, "--purge", "--yes", "--json"]).json();
    assert_eq!((&purged["finished"], &purged["proof"]["left_in"]), (&json!(true), &json!([])));
    assert_eq!((quoting(&ada.env), holding(&ada, "marmot")), (vec![], vec![]));
    for table in ["memories", "memory_words", "change_items", "observer_sessions"] {
        let sql = format!("SELECT count(*) FROM tacit.{table} t WHERE t::text ~* 'kraken|marmot'");
        assert_eq!(team.count(&sql), 0, "{table}");
    }
    // A hook shows it no more, and leaves the rest to maintenance or the next command.
    for (person, command) in
        [(&bo, &["maintain", "--quiet"][..]), (&cy, &["recall", "connection pool"])]
    {
        let shown = person.is_shown("late", "what does the zanzibar gateway do with idle sockets?");
        assert!(!shown.contains("kraken"), "{shown}");
        assert!(person.env.store().join("pending").exists());
        let ran = person.env.run(command);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(quoting(&person.env), [] as [String; 0], "{command:?}");
        assert_eq!(holding(person, "marmot"), [] as [String; 0], "{command:?}");
        assert!(!person.env.store().join("pending").exists());
        let log = fs::read_to_string(person.env.store().join("logs/hook.log")).expect("the log");
        assert!(log.starts_with("a line\nanother line\n"), "{log}");
        let doctor = person.tries(["doctor"]);
        assert_eq!(doctor.code, Some(0), "{doctor:?}");
        assert_eq!(person.knows().len(), 3);
    }
}

#[test]
fn memories_that_were_only_undone_stay_in_sessions() {
    let (_team, ada, bo) = Team::of_two();
    ada.remembers(FACT);
    bo.run(["team", "pull"]);
    session(&bo.env);
    bo.run(["list"]);
    let log = log_of(&bo);
    ada.run(["undo"]);
    bo.run(["team", "pull"]);
    assert_eq!((bo.knows().len(), log_of(&bo)), (3, log));
}

/// A memory with a word of its own, and the word.
fn numbered(number: usize) -> (String, String) {
    let word = format!("quetzal{number}x");
    (format!("The {word} protocol of the northern depot must go before the harbour freezes"), word)
}

#[test]
fn a_purge_that_is_killed_is_finished_by_the_next_process() {
    let (team, ada, _bo) = Team::of_two();
    ada.embeds_nothing();
    let mut finished = 0;
    for step in 1.. {
        let (text, word) = numbered(step);
        ada.remembers(&text);
        ada.is_shown(&format!("s-{step}"), &format!("is it true? {text}"));
        ada.run(["team", "pull"]);
        let id = id_of(&ada, &word);
        let died = dies(&ada, ["forget", &id, "--purge", "--yes"], step);
        // The next process finishes it, or it was not begun and can be.
        let listed = ada.tries(["list", "--json"]);
        if contents(&listed.json()).contains(&text) {
            ada.run(["forget", &id, "--purge", "--yes"]);
        } else {
            finished += usize::from(died);
        }
        assert_eq!(holding(&ada, &word), [] as [String; 0], "step {step}");
        assert!(!ada.env.store().join("pending").exists(), "step {step}");
        assert_eq!(team.memories(), 3, "step {step}");
        if !died {
            break;
        }
    }
    assert!(finished > 10, "killed after the server had removed it only {finished} times");
    let doctor = ada.tries(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
}

#[test]
fn a_purge_elsewhere_is_followed_however_often_that_is_killed() {
    let (_team, ada, bo) = Team::of_two();
    ada.embeds_nothing();
    bo.embeds_nothing();
    for hook in [false, true] {
        for step in 1.. {
            let (text, word) = numbered(step);
            ada.remembers(&text);
            bo.run(["team", "pull"]);
            bo.is_shown(&format!("s-{hook}-{step}"), &format!("is it true? {text}"));
            let id = id_of(&ada, &word);
            ada.run(["forget", &id, "--purge", "--yes"]);
            assert!(!holding(&bo, &word).is_empty());
            let died = if hook {
                let agent = Agent::new(&bo.env, "late");
                agent.dies_at(step, "and what about the northern depot?")
            } else {
                dies(&bo, ["team", "pull"], step)
            };
            // What the hook did not do, the next process does.
            bo.run(["team", "pull"]);
            assert_eq!(holding(&bo, &word), [] as [String; 0], "hook: {hook}, step {step}");
            assert!(!bo.env.store().join("pending").exists(), "hook: {hook}, step {step}");
            if !died {
                assert!(step > 5, "hook: {hook}, {step}");
                break;
            }
        }
    }
    assert_eq!(bo.knows().len(), 3);
}

#[test]
fn a_purge_whose_answer_was_lost_is_finished_or_not_begun() {
    let team = Team::new();
    let ada = team.founder();
    let (proxy, bo) = team.member_behind("bo", "curator", &ada);
    bo.embeds_nothing();
    let mut unanswered = 0;
    for chunks in 0.. {
        let (text, word) = numbered(chunks);
        bo.remembers(&text);
        bo.is_shown(&format!("s-{chunks}"), &format!("is it true? {text}"));
        bo.run(["team", "pull"]);
        let (id, log) = (id_of(&bo, &word), log_of(&bo));
        proxy.cut_after(chunks);
        let ran = bo.tries(["forget", &id, "--purge", "--yes"]);
        proxy.heal();
        bo.forgets_failure();
        let is_lost = ran.stderr.contains("the answer to the purge was lost");
        unanswered += usize::from(is_lost);
        if ran.code != Some(0) {
            assert_eq!(ran.code, Some(5), "{chunks}: {ran:?}");
            assert!(ran.stderr.contains("\nhint: "), "{chunks}: {ran:?}");
        }
        if ran.code != Some(0) && !is_lost {
            assert_eq!((team.memories(), log_of(&bo)), (4, log), "{chunks}: {ran:?}");
            bo.run(["forget", &id, "--purge", "--yes"]);
        } else {
            bo.run(["list"]);
        }
        assert_eq!((team.memories(), holding(&bo, &word)), (3, vec![]), "{chunks}: {ran:?}");
        assert!(!bo.env.store().join("pending").exists(), "{chunks}: {ran:?}");
        if ran.code == Some(0) && ran.stderr.is_empty() {
            break;
        }
        assert!(chunks < 200, "a purge needs too many messages");
    }
    assert!(unanswered > 0);
}

#[test]
fn a_purge_reaches_the_database_of_an_interrupted_move() {
    let (_team, ada, _bo) = Team::of_two();
    ada.remembers(FACT);
    let has_it = || quoting(&ada.env).iter().any(|path| path.contains("/migration/"));
    let mut step = 1;
    while !has_it() {
        assert!(dies(&ada, ["migrate", "--to", "local"], step), "step {step}");
        step += 1;
    }
    let id = id_of(&ada, "zanzibar");
    ada.run(["forget", &id, "--purge", "--yes"]);
    assert_eq!(quoting(&ada.env), [] as [String; 0]);
    let moved = ada.run(["migrate", "--to", "local", "--json"]).json();
    assert_eq!(moved["differences"], json!([]), "{moved}");
    assert_eq!((ada.knows().len(), quoting(&ada.env)), (3, vec![]));
}

#[test]
fn a_purge_of_an_own_memory_leaves_nothing_on_the_users_other_machine() {
    let team = Team::new();
    let ada = team.founder();
    ada.run(["remember", "--global", FACT, "--type", "preference"]);
    ada.run(["team", "pull"]);
    let laptop = team.person("ada");
    laptop.run(["team", "join", &laptop.url]);
    quotes_everywhere(&laptop);
    let listed = ada.run(["list", "--global", "--json"]).json();
    let id = listed[0]["short_id"].as_str().expect("an id").to_owned();
    ada.run(["forget", &id, "--purge", "--yes"]);
    ada.run(["team", "pull"]);
    assert_eq!(quoting(&ada.env), [] as [String; 0]);
    laptop.run(["team", "pull"]);
    assert_eq!(quoting(&laptop.env), [] as [String; 0]);
    assert!(!laptop.env.store().join("pending").exists());
    assert!(!laptop.env.home().join("pending").exists());
}
