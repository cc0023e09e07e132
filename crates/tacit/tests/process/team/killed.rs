//! A server that crashes while clients write, and one whose disk is full.

use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use serde_json::json;

use super::server::OwnServer;
use super::*;

/// The number of crashes, and of acknowledgements before and after each.
const CRASHES: usize = 5;
const BETWEEN: usize = 12;
/// The number of memories that one process stores as one change.
const BATCH: usize = 20;

/// Stores several memories as one change. Returns the texts that were acknowledged.
fn remember_together(person: &Person, texts: &[String]) -> Vec<String> {
    let lines: String =
        texts.iter().map(|text| format!("{}\n", json!({"content": text}))).collect();
    let ran = person.env.run_with_input(["remember", "--jsonl"], lines.as_bytes());
    person.keeps_secrets(&ran);
    let answers = ran.json_lines();
    let taken =
        |answer: &Value| ["stored", "spooled"].iter().any(|word| answer["outcome"] == *word);
    let acknowledged = texts.iter().zip(&answers).filter(|(_, answer)| taken(answer));
    acknowledged.map(|(text, _)| text.clone()).collect()
}

#[test]
fn acknowledged_memories_survive_crashes_of_the_server() {
    let mut server = OwnServer::start();
    let team = Team::on(server.database());
    let ada = team.founder();
    let people = ["bo", "cy", "di"].map(|name| team.member(name, "contributor", &ada));
    people.iter().for_each(Person::embeds_nothing);
    let done = AtomicBool::new(false);
    let (send, acknowledged) = mpsc::channel();
    let mut written = Vec::new();
    std::thread::scope(|scope| {
        for (writer, person) in people.iter().enumerate() {
            let (done, send) = (&done, send.clone());
            scope.spawn(move || {
                for round in 0.. {
                    let text = |n: usize| {
                        format!(
                            "writer{writer} round{round} saw comet{n} above tower{}",
                            n * 7 % 13
                        )
                    };
                    let stored = if writer == 0 {
                        remember_together(person, &(0..BATCH).map(text).collect::<Vec<_>>())
                    } else {
                        person.remembers(&text(0));
                        vec![text(0)]
                    };
                    send.send(stored).expect("somebody listens");
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut wait = |count: usize| {
            for _ in 0..count {
                written.extend(acknowledged.recv().expect("the writers go on"));
            }
        };
        for _ in 0..CRASHES {
            wait(BETWEEN);
            server.crashes();
            wait(BETWEEN);
            server.starts_again();
        }
        done.store(true, Ordering::Relaxed);
        written.extend(acknowledged.iter().flatten());
    });
    for person in &people {
        person.run(["team", "push"]);
        assert_eq!((person.spooled(), person.status()["refused"].clone()), (0, json!(0)));
    }
    written.extend([POOL, NAMES, INVOICES].map(str::to_owned));
    written.sort();
    assert_eq!(ada.knows(), written);
    assert_eq!(team.memories(), written.len());
    // Nothing is half-written: each memory has its change, its words, and the counters agree.
    for (what, sql) in [
        ("changes", "SELECT count(DISTINCT memory) FROM tacit.change_items"),
        ("words", "SELECT count(DISTINCT (project, seq)) FROM tacit.memory_words"),
    ] {
        assert_eq!(team.count(sql), written.len(), "{what}");
    }
    let doctor = ada.tries(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
    drop(team);
}

#[test]
fn a_change_that_the_server_did_not_finish_is_not_there() {
    let mut server = OwnServer::start();
    let team = Team::on(server.database());
    let ada = team.founder();
    // Keeps a writer in the middle of its change.
    team.database.run(
        "CREATE FUNCTION public.hang() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_sleep(600); RETURN NULL; END $$;
         CREATE TRIGGER hang AFTER INSERT ON tacit.memory_words FOR EACH STATEMENT EXECUTE FUNCTION hang()",
    );
    let mut command = ada.env.command();
    command.args(["remember", "Half of this must never be seen", "--json"]);
    let writing = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let hangs = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    while team.count(hangs) == 0 {
        std::thread::yield_now();
    }
    server.crashes();
    let ran = RunOutput::from(writing.wait_with_output().expect("it ends"));
    assert_eq!(ran.json()["outcome"], "spooled", "{ran:?}");
    server.starts_again();
    assert_eq!(team.memories(), 3);
    team.database.run("DROP TRIGGER hang ON tacit.memory_words");
    ada.run(["team", "push"]);
    assert_eq!((team.memories(), ada.spooled()), (4, 0));
    drop(team);
}

#[test]
fn requests_wait_for_a_server_whose_disk_is_full() {
    let server = OwnServer::start();
    let database = server.database();
    let name = database.name().to_owned();
    database.run(&format!("CREATE TABLESPACE tiny LOCATION '{}'", server.tiny_disk()));
    database.run(&format!("ALTER DATABASE {name} SET default_tablespace = tiny"));
    database.run("GRANT CREATE ON TABLESPACE tiny TO public");
    let team = Team::on(database);
    let ada = team.founder();
    team.database.run(
        "CREATE TABLE public.ballast (t text);
         ALTER TABLE public.ballast ALTER t SET STORAGE PLAIN;
         DO $$ BEGIN
             FOR size IN REVERSE 7..0 LOOP
                 LOOP
                     BEGIN
                         INSERT INTO public.ballast SELECT repeat('x', 7000) FROM generate_series(1, 1 << size);
                     EXCEPTION WHEN disk_full THEN EXIT;
                     END;
                 END LOOP;
             END LOOP;
         END $$",
    );
    let mut texts = vec![POOL.to_owned(), NAMES.to_owned(), INVOICES.to_owned()];
    let mut waiting = 0;
    // The last pages of the tables have room for some.
    for number in 0.. {
        let words: Vec<String> = (0..150).map(|n| format!("w{number}x{}", n * n)).collect();
        let text = format!("Bulky {number}: {}", words.join(" "));
        let outcome = ada.remembers(&text)["outcome"].clone();
        texts.push(text);
        waiting += usize::from(outcome == "spooled");
        if waiting == 3 {
            break;
        }
        assert!(number < 200, "the disk does not fill");
    }
    assert_eq!(ada.status()["waiting"], 3);
    assert!(ada.is_shown("full", ABOUT_POOL).contains(POOL));
    let listed = ada.tries(["list", "--json"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    let pushed = ada.tries(["team", "push"]);
    assert_eq!((pushed.code, ada.spooled()), (Some(1), 3), "{pushed:?}");
    assert!(pushed.stderr.contains("no space is left"), "{pushed:?}");
    team.database.run("DROP TABLE public.ballast");
    ada.run(["team", "push"]);
    assert_eq!(ada.spooled(), 0);
    texts.sort();
    assert_eq!(ada.knows(), texts);
    drop(team);
}
