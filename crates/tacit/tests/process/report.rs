//! `tacit report` over simulated sessions: its numbers are those of the raw log, computed here again
//! in another way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rusqlite::Connection;
use serde_json::{Value, json};
use tacit_core::log::{ClientRecord, LogRecord, unpack_body};
use tacit_core::{AgentEvent, MemoryId, SessionId, Timestamp};
use tacit_store::{ActivityBatch, Event, Injection, SessionChange, SessionUpdate};
use tacit_testkit::env::{RunOutput, TestEnv};

use super::initialised;

/// The sessions of a holdout, and of one that is learnt from as well, which takes longer.
const SESSIONS: u64 = 200;
const FEW_SESSIONS: u64 = 60;
const HOUR: i64 = 3_600_000;
const ERRORS: [&str; 4] = [
    "Error: relation \"users\" does not exist",
    "Error: connect ECONNREFUSED 127.0.0.1:5432",
    "Error: Cannot find module 'left-pad'",
    "TypeError: cart.total is not a function",
];

/// A generator of numbers that is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A session that is being written.
struct Session {
    id: SessionId,
    at: Timestamp,
    is_held_out: bool,
    batch: ActivityBatch,
}

impl Session {
    fn start(number: u64, at: Timestamp, is_held_out: bool) -> Session {
        let id: SessionId = format!("s-{number:03}").parse().expect("an id");
        let mut session = Session { id, at, is_held_out, batch: ActivityBatch::default() };
        session.update(SessionChange::Seen);
        session
    }

    fn update(&mut self, change: SessionChange) {
        let (id, at) = (self.id.clone(), self.at);
        let held_out = Some(self.is_held_out);
        let client = "claude".into();
        self.batch.sessions.push(SessionUpdate { id, client, at, change, held_out });
    }

    /// Adds an event and returns its identifier.
    fn add(&mut self, subject: Option<&str>, what: &Value) -> String {
        self.at = Timestamp::from_millis(self.at.as_millis() + 10_000).expect("a time");
        let event = json!({"client": "claude", "session": self.id, "cwd": "/p", "what": what});
        let event: AgentEvent = serde_json::from_value(event).expect("an event");
        let record = ClientRecord::new(&event, subject.map(str::to_owned)).expect("a record");
        let id = format!("{}-{}", self.id, self.batch.events.len());
        let record = LogRecord::Client(record);
        self.batch.events.push(Event {
            id: id.clone(),
            session: self.id.clone(),
            at: self.at,
            record,
        });
        id
    }

    fn finishes(&mut self, name: &str, subject: &str, kind: &Value, text: &str) {
        let tool = json!({"name": name, "kind": kind});
        let what =
            json!({"tool_finished": {"tool": tool, "outcome": {"text": text, "exit_code": 0}}});
        self.add(Some(subject), &what);
    }

    fn fails(&mut self, error: &str) -> String {
        let tool = json!({"name": "Bash", "kind": {"shell": {"command": "npm test"}}});
        let failure = json!({"error": error, "exit_code": 1, "cause": "ran"});
        self.add(Some("npm test"), &json!({"tool_failed": {"tool": tool, "failure": failure}}))
    }

    fn is_shown(&mut self, event: String, memory: MemoryId) {
        self.batch.injections.push(Injection {
            session: self.id.clone(),
            agent: None,
            context: 0,
            at: self.at,
            layer: "tool_failed".into(),
            event,
            memory: Some(memory),
            text: "Start the database first".into(),
            tokens: 12,
            why: "learnt from the same error".into(),
            withheld: self.is_held_out,
            fate: None,
        });
    }

    fn leave(mut self, env: &TestEnv) {
        self.add(None, &json!({"session_ended": {"reason": "other"}}));
        self.update(SessionChange::Ended("other".into()));
        let folder = env.store().join("events");
        fs::create_dir_all(&folder).expect("a directory");
        let batch = serde_json::to_vec(&self.batch).expect("a batch");
        fs::write(folder.join(format!("{}.json", self.id)), batch).expect("written");
    }
}

/// Leaves sessions as hooks do, one in five held out. With an effect, sessions with memory fail once
/// or twice, 1.25 times on average; all others up to three times, twice on average.
fn simulate(env: &TestEnv, sessions: u64, seed: u64, has_effect: bool) {
    let stored = run(env, &["remember", "Start the database first", "--json"]).json();
    let memory: MemoryId = stored["memory"]["id"].as_str().expect("an id").parse().expect("an id");
    let first: Timestamp = "2026-10-25T08:00:00Z".parse().expect("a time");
    let mut random = Random(seed);
    for number in 0..sessions {
        let at = Timestamp::from_millis(first.as_millis() + number as i64 * 2 * HOUR);
        let is_held_out = random.below(5) == 0;
        let mut session = Session::start(number, at.expect("a time"), is_held_out);
        let prompt = "fix the cart ".repeat(1 + random.below(5) as usize);
        session.add(None, &json!({"prompt_submitted": {"prompt": prompt}}));
        for _ in 0..random.below(4) {
            session.finishes(
                "Read",
                "cart.ts",
                &json!({"read": {"file": "/p/cart.ts"}}),
                "let cart",
            );
        }
        let error = ERRORS[random.below(4) as usize];
        let failures = match has_effect && !is_held_out {
            true => 1 + u64::from(random.below(4) == 0),
            false => 1 + random.below(3),
        };
        for failure in 0..failures {
            let event = session.fails(error);
            if failure == 0 {
                session.is_shown(event, memory);
            }
            let edit = json!({"edit": {"file": "/p/cart.ts", "old": "a", "new": "bc"}});
            session.finishes("Edit", "cart.ts", &edit, "");
        }
        session.finishes(
            "Bash",
            "npm test",
            &json!({"shell": {"command": "npm test"}}),
            "1 passed",
        );
        session.leave(env);
    }
}

/// A number of a session.
type Measure = fn(&Counted) -> f64;

/// A session as its rows tell.
#[derive(Debug, Default)]
struct Counted {
    known_errors: f64,
    failed_runs: f64,
    calls: f64,
    bytes: f64,
    shown_tokens: f64,
    reads: f64,
    withheld: bool,
}

/// Counts the rows of the log without the code that the report uses.
fn count(env: &TestEnv) -> BTreeMap<String, Counted> {
    let connection = Connection::open(env.store().join("memory.db")).expect("the database");
    let mut sessions: BTreeMap<String, Counted> = BTreeMap::new();
    // The sessions do not overlap: an error is known if an earlier session printed the same text.
    let mut met: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let sql = "SELECT session, kind, body, packed FROM agent_events ORDER BY at, seq";
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| {
        let packed: Option<Vec<u8>> = row.get(3)?;
        let body = match packed {
            Some(packed) => unpack_body(&packed).expect("a body"),
            None => row.get(2)?,
        };
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, body))
    });
    for row in rows.expect("rows") {
        let (session, kind, body) = row.expect("a row");
        let body: Value = serde_json::from_str(&body).expect("JSON");
        let what = &body["what"][&kind];
        let length = |value: &Value| value.as_str().map_or(0.0, |text| text.len() as f64);
        let input = &what["tool"]["kind"];
        let counted = sessions.entry(session.clone()).or_default();
        counted.bytes += length(&what["prompt"])
            + length(&what["outcome"]["text"])
            + length(&what["failure"]["error"])
            + length(&input["shell"]["command"])
            + length(&input["edit"]["old"])
            + length(&input["edit"]["new"]);
        counted.calls += f64::from(u8::from(kind.starts_with("tool_")));
        counted.reads += f64::from(u8::from(input["read"].is_object()));
        if let Some(error) = what["failure"]["error"].as_str() {
            counted.failed_runs += 1.0;
            let before = met.entry(error.to_owned()).or_default();
            if before.iter().any(|other| *other != session) {
                counted.known_errors += 1.0;
            }
            before.insert(session);
        }
    }
    let sql = "SELECT session, tokens, withheld FROM agent_injections";
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    for row in rows.expect("rows") {
        let (session, tokens, withheld): (String, f64, bool) = row.expect("a row");
        let counted = sessions.entry(session).or_default();
        counted.withheld |= withheld;
        counted.shown_tokens += if withheld { 0.0 } else { tokens };
    }
    sessions
}

/// The mean of a group, and the standard error of that.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, (variance / count).sqrt())
}

/// Runs the binary days after the last session.
fn run(env: &TestEnv, arguments: &[&str]) -> RunOutput {
    let mut command = env.command();
    command.env("TACIT_NOW", "2026-11-15T10:30:00Z").args(arguments);
    RunOutput::from(command.output().expect("the binary starts")).succeeded()
}

fn report(env: &TestEnv) -> Value {
    run(env, &["report", "--json"]).json()
}

fn measure<'r>(report: &'r Value, name: &str) -> &'r Value {
    let measures = report["holdout"]["measures"].as_array().expect("measures");
    measures.iter().find(|one| one["measure"] == name).expect("the measure")
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Wilson's interval, solved from its definition: the shares whose distance from the observed one is
/// 1.96 of their own standard errors.
fn wilson(share: f64, count: f64) -> (f64, f64) {
    let distance =
        |other: f64| (share - other).abs() - 1.959_964 * (other * (1.0 - other) / count).sqrt();
    let solve = |mut inside: f64, mut outside: f64| {
        for _ in 0..60 {
            let middle = f64::midpoint(inside, outside);
            if distance(middle) < 0.0 { inside = middle } else { outside = middle }
        }
        inside
    };
    (solve(share, 0.0), solve(share, 1.0))
}

#[test]
fn a_simulated_holdout_reproduces_from_the_raw_log() {
    let env = initialised();
    simulate(&env, SESSIONS, 7, true);
    let report = report(&env);
    let counted = count(&env);
    assert_eq!(report["sessions"]["measured"], SESSIONS);

    let (out, with): (Vec<&Counted>, Vec<&Counted>) =
        counted.values().partition(|one| one.withheld);
    assert_eq!(report["holdout"]["held_out"], out.len());
    assert_eq!(report["holdout"]["with_memory"], with.len());

    let measures: [(&str, Measure); 5] = [
        ("known_errors", |one| one.known_errors),
        ("failed_runs_until_pass", |one| one.failed_runs),
        ("tool_calls", |one| one.calls),
        ("tokens", |one| (one.bytes / 4.0).floor() + one.shown_tokens),
        ("rereads", |one| (one.reads - 1.0).max(0.0)),
    ];
    for (name, value) in measures {
        let values = |group: &[&Counted]| group.iter().map(|one| value(one)).collect::<Vec<_>>();
        let ((with, with_error), (out, out_error)) = (mean(&values(&with)), mean(&values(&out)));
        let found = measure(&report, name);
        let close = |value: &Value, expected: f64, least: f64| {
            assert!((number(value) - expected).abs() <= least, "{name}: {value}, {expected}");
        };
        close(&found["with_memory"], with, 1e-9);
        close(&found["held_out"], out, 1e-9);
        close(&found["difference"], with - out, 1e-9);
        // The bootstrap of so many sessions is close to the normal distribution.
        let error = with_error.hypot(out_error);
        close(&found["interval"]["low"], with - out - 1.96 * error, 0.3 * error);
        close(&found["interval"]["high"], with - out + 1.96 * error, 0.3 * error);
    }
    let share = |group: &[&Counted]| {
        let met = group.iter().filter(|one| one.known_errors > 0.0).count();
        met as f64 / group.len() as f64
    };
    let (p, q) = (share(&with), share(&out));
    let (first, second) = (wilson(p, with.len() as f64), wilson(q, out.len() as f64));
    let found = measure(&report, "sessions_with_known_errors");
    let low = p - q - (p - first.0).hypot(second.1 - q);
    let high = p - q + (first.1 - p).hypot(q - second.0);
    assert!((number(&found["interval"]["low"]) - low).abs() < 1e-5, "{found} {low}");
    assert!((number(&found["interval"]["high"]) - high).abs() < 1e-5, "{found} {high}");

    // The simulated effect is inside the interval, which does not include zero.
    let found = measure(&report, "known_errors");
    let (low, high) = (number(&found["interval"]["low"]), number(&found["interval"]["high"]));
    assert!(low < -0.75 && -0.75 < high && high < 0.0, "{found}");
    assert_eq!(found["verdict"], "less");
}

#[test]
fn a_holdout_without_effect_shows_none() {
    let env = initialised();
    simulate(&env, SESSIONS, 3, false);
    let report = report(&env);
    for name in ["known_errors", "failed_runs_until_pass", "tool_calls", "rereads"] {
        let found = measure(&report, name);
        assert_eq!(found["verdict"], "not_shown", "{found}");
        let interval = &found["interval"];
        assert!(number(&interval["low"]) <= 0.0 && number(&interval["high"]) >= 0.0, "{found}");
    }
}

#[test]
fn derived_tables_do_not_change_the_report() {
    let env = initialised();
    simulate(&env, FEW_SESSIONS, 7, true);
    run(&env, &["maintain"]);
    let before = report(&env);
    let connection = Connection::open(env.store().join("memory.db")).expect("the database");
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'observer\\_%' ESCAPE '\\'";
    let mut statement = connection.prepare(tables).expect("a statement");
    let names = statement.query_map([], |row| row.get::<_, String>(0)).expect("rows");
    let names: Vec<String> = names.map(|name| name.expect("a name")).collect();
    assert!(names.len() > 3, "{names:?}");
    for name in names {
        connection.execute(&format!("DELETE FROM {name}"), []).expect("deleted");
    }
    connection
        .execute("UPDATE agent_injections SET fate = NULL, fate_why = NULL", [])
        .expect("deleted");
    drop(statement);
    drop(connection);
    let holdout = &report(&env)["holdout"];
    assert_eq!(*holdout, before["holdout"], "without any derived table");
    run(&env, &["maintain"]);
    assert_eq!(report(&env), before, "after they were computed again");
}
