//! Many hooks at once, and hooks that are killed: what was acknowledged is in the log.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::process::Stdio;
use std::sync::Mutex;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;
use tacit_testkit::realistic::TestRandom;

use super::{Agent, events, log, remember};
use crate::initialised;

/// An event that names itself by a number, of one of the kinds that take different ways.
fn numbered(number: usize) -> (&'static str, Value) {
    let bash = |command: String| json!({"tool_name": "Bash", "tool_input": {"command": command}});
    match number % 6 {
        0 => ("PreToolUse", bash(format!("true e{number}"))),
        1 => ("PreToolUse", bash(format!("docker run e{number}"))),
        2 => (
            "PostToolUse",
            json!({"tool_name": "Read", "tool_input": {"file_path": format!("e{number}")}}),
        ),
        3 => {
            let mut fields = bash(format!("make e{number}"));
            fields["error"] = json!("Exit code 2\nno rule");
            ("PostToolUseFailure", fields)
        }
        4 => ("PostToolUse", bash(format!("ls e{number}"))),
        _ => ("PreToolUse", bash(format!("ssh host e{number}"))),
    }
}

/// The numbers in the log.
fn numbers(env: &TestEnv) -> BTreeSet<usize> {
    let number =
        |event: &Value| event["subject"].as_str()?.rsplit([' ', 'e']).next()?.parse::<usize>().ok();
    events(env).iter().filter_map(number).collect()
}

#[test]
fn thirty_two_at_once_lose_nothing() {
    for sessions in [1, 8] {
        let env = initialised();
        remember(&env, "`docker run` needs the proxy to be off", &["-t", "gotcha"]);
        std::thread::scope(|scope| {
            for number in 0..32 {
                let env = &env;
                scope.spawn(move || {
                    let agent = Agent::new(env, &format!("s{}", number % sessions));
                    let (event, fields) = numbered(number);
                    agent.fire(event, fields);
                });
            }
        });
        assert_eq!(numbers(&env), (0..32).collect(), "{}", log(&env));
        assert_eq!(events(&env).len(), 32, "and nothing twice");
        env.run(["doctor"]).succeeded();
    }
}

/// Runs a hook, and kills it after it has had this many turns of a loop, unless it has ended by
/// itself. Whether it said that all is well.
fn killed(agent: &Agent<'_>, number: usize, turns: usize) -> bool {
    let (event, fields) = numbered(number);
    let bytes = agent.payload(event, fields).to_string();
    let mut child = agent
        .env
        .command()
        .args(["hook", "claude"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("a pipe").write_all(bytes.as_bytes()).expect("it reads");
    for _ in 0..turns {
        if child.try_wait().expect("a child").is_some() {
            break;
        }
        std::thread::yield_now();
    }
    let _ = child.kill();
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!(said, "");
    child.wait().expect("it ends").success()
}

#[test]
fn acknowledged_events_survive_sudden_deaths() {
    const THREADS: usize = 4;
    const ROUNDS: usize = 200;
    let env = initialised();
    let acknowledged = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (env, acknowledged) = (&env, &acknowledged);
            scope.spawn(move || {
                let mut dice = TestRandom::new(thread as u64 + 1);
                let agent = Agent::new(env, &format!("s{thread}"));
                // How long a hook lives depends on the machine, so the time to kill it is looked
                // for: later after a death, sooner after a life.
                let mut most = 2_000_usize;
                for number in (thread..ROUNDS).step_by(THREADS) {
                    // On a busy machine the right time may not be found; some die at once and some
                    // live in any case.
                    let turns = match number / THREADS % 10 {
                        0 => 0,
                        5 => usize::MAX,
                        _ => dice.below(most) + 1,
                    };
                    if killed(&agent, number, turns) {
                        acknowledged.lock().expect("no panic").insert(number);
                        most = (most * 4 / 5).max(1);
                    } else {
                        most = (most * 5 / 4 + 10).min(10_000_000);
                    }
                }
            });
        }
    });
    let acknowledged = acknowledged.into_inner().expect("no panic");
    let deaths = ROUNDS - acknowledged.len();
    assert!(deaths > ROUNDS / 20, "only {deaths} died");
    assert!(acknowledged.len() > ROUNDS / 20, "only {} lived", acknowledged.len());
    let doctor = env.run(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{}", doctor.stdout);
    let missing: Vec<_> = acknowledged.difference(&numbers(&env)).copied().collect();
    assert!(missing.is_empty(), "{missing:?} of {}: {}", acknowledged.len(), log(&env));
    // And life goes on.
    assert!(Agent::new(&env, "last").starts("startup").context.is_some());
}
