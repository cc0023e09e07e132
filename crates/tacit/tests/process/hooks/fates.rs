//! What followed from showing memories: judged once a session is over, again when it goes on, and the
//! same from the same log.

use rusqlite::Connection;
use serde_json::json;
use tacit_testkit::env::TestEnv;

use super::{Agent, remember};
use crate::initialised;

const RULE: &str = "The scheduler keeps leases in memory, so a restart drops them";

/// A project whose hooks have time, on machines that are busy too.
fn patient() -> TestEnv {
    let env = initialised();
    env.run(["config", "set", "timeouts.hook_ms", "10000"]).succeeded();
    env
}

fn database(env: &TestEnv) -> Connection {
    Connection::open(env.store().join("memory.db")).expect("the database")
}

/// Returns all that is derived from the log: fates, counts of uses and confidences.
fn derived(env: &TestEnv) -> Vec<String> {
    let connection = database(env);
    let rows = |sql: &str| -> Vec<String> {
        let mut statement = connection.prepare(sql).expect("a query");
        let rows = statement.query_map([], |row| row.get(0)).expect("rows");
        rows.collect::<Result<_, _>>().expect("rows")
    };
    [
        rows(
            "SELECT concat_ws('|', session, event, hex(memory), fate, fate_why)
              FROM agent_injections ORDER BY seq",
        ),
        rows(
            "SELECT concat_ws('|', hex(memory), judged, sessions, used, helped, contradicted,
                     flagged, direct_judged, direct_sessions) FROM memory_uses ORDER BY memory",
        ),
        rows("SELECT concat_ws('|', hex(id), derived_confidence) FROM memories ORDER BY id"),
    ]
    .concat()
}

/// A session in which nothing comes of what was shown.
fn ignores(env: &TestEnv, name: &str) {
    let agent = Agent::new(env, name);
    agent.starts("startup");
    for number in 0..5 {
        agent.has_run(&format!("echo {number}"), "");
    }
    agent.stops(false);
    agent.ends("other");
}

/// Makes a memory one that two sessions taught and nobody confirmed.
fn make_inferred(env: &TestEnv) {
    let sql =
        "UPDATE memories SET source = 'observer_inferred', review = 'needed', observations = 2";
    assert_eq!(database(env).execute(sql, []), Ok(1));
}

#[test]
fn everything_is_computed_again_from_the_log() {
    let env = patient();
    remember(&env, RULE, &[]);
    for name in ["a", "b", "c"] {
        let agent = Agent::new(&env, name);
        agent.starts("startup");
        agent.fixes_the_clock();
        agent.stops(false);
        agent.ends("other");
        env.run(["maintain"]).succeeded();
    }
    let before = derived(&env);
    assert!(before.iter().any(|row| row.contains("|helped|")), "{before:#?}");
    let connection = database(&env);
    for sql in [
        "UPDATE agent_injections SET fate = NULL, fate_why = NULL",
        "UPDATE agent_sessions SET judged_upto = NULL",
        "UPDATE memories SET derived_confidence = NULL",
        "DELETE FROM memory_uses",
    ] {
        connection.execute(sql, []).expect("a change");
    }
    drop(connection);
    assert_ne!(derived(&env), before);
    env.run(["maintain"]).succeeded();
    assert_eq!(derived(&env), before);
    env.run(["maintain"]).succeeded();
    assert_eq!(derived(&env), before, "judging again changes nothing");
}

#[test]
fn fates_outlive_the_log() {
    let env = patient();
    remember(&env, RULE, &[]);
    ignores(&env, "a");
    env.run(["maintain"]).succeeded();
    let before = derived(&env);
    assert!(before.iter().any(|row| row.contains("|ignored|")), "{before:#?}");
    let connection = database(&env);
    connection.execute("DELETE FROM agent_events", []).expect("a change");
    connection.execute("UPDATE agent_sessions SET judged_upto = NULL", []).expect("a change");
    drop(connection);
    env.run(["maintain"]).succeeded();
    assert_eq!(derived(&env), before);
}

#[test]
fn a_session_that_goes_on_is_judged_again() {
    let env = patient();
    let id = remember(&env, RULE, &[]);
    ignores(&env, "a");
    env.run(["maintain"]).succeeded();
    let fate = || {
        let explained = env.run(["why", &id, "--json"]).succeeded().json();
        explained["shown"][0]["fate"].clone()
    };
    assert_eq!(fate(), "ignored");
    let agent = Agent::new(&env, "a");
    let fields = json!({"stop_hook_active": false, "last_assistant_message": format!("See {id}.")});
    agent.fire("Stop", fields);
    agent.ends("other");
    env.run(["maintain"]).succeeded();
    assert_eq!(fate(), "cited");
    let text = env.run(["why", &id]).succeeded().stdout;
    assert!(text.contains("cited: the"), "{text}");
    env.run(["flag", &id, "--wrong"]).succeeded();
    env.run(["maintain"]).succeeded();
    assert_eq!(fate(), "flagged", "a flag after the session was judged");
}

#[test]
fn what_is_shown_and_never_used_is_silenced_and_waits_for_review() {
    let env = patient();
    let id = remember(&env, RULE, &[]);
    make_inferred(&env);
    for number in 0..5 {
        let agent = Agent::new(&env, &format!("look-{number}"));
        assert!(agent.starts("startup").says(RULE), "session {number}");
        ignores(&env, &format!("s-{number}"));
        env.run(["maintain"]).succeeded();
    }
    let told = Agent::new(&env, "after").starts("startup");
    assert!(!told.says(RULE), "{told:?}");
    let queue = env.run(["review", "--list", "--json"]).succeeded().json();
    assert!(queue.to_string().contains("\"unused\""), "{queue}");
    let found = env.run(["recall", "what does a restart drop"]).succeeded().stdout;
    assert!(found.contains(&id), "explicit queries find it: {found}");
    env.run(["review", "confirm", &id]).succeeded();
    assert!(Agent::new(&env, "confirmed").starts("startup").says(RULE), "a person confirmed it");
}

#[test]
fn what_a_person_said_is_never_silenced() {
    let env = patient();
    remember(&env, RULE, &[]);
    for number in 0..6 {
        ignores(&env, &format!("s-{number}"));
    }
    env.run(["maintain"]).succeeded();
    assert!(Agent::new(&env, "after").starts("startup").says(RULE));
}
