//! `cargo xtask bench observe`: the cost of learning from a long session.

use std::convert::Infallible;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use serde_json::{Value, json};
use tacit_core::log::{ClientRecord, LogRecord};
use tacit_core::{AgentEvent, SessionId, Timestamp};
use tacit_observer::log::LogEntry;
use tacit_observer::promotion::{MemoryCandidate, NearestMemory};
use tacit_observer::recipes::KnownRecipe;
use tacit_observer::rules::KnownObservation;
use tacit_observer::session_tree::SessionTree;
use tacit_observer::{Conclusions, KnownMemories, SessionDigest, learn};
use tacit_store::{ActivityBatch, ActivityStore, Event, SessionChange, SessionUpdate};
use tacit_store_sqlite::{OpenMode, OpenOptions, SqliteStore};

use crate::bench::env::{BenchEnv, database};
use crate::bench::measure::{Spread, millis, sample};
use crate::bench::report::{Figure, Process, Report, Target};
use crate::workspace::Workspace;

/// Measure learning from a long session: in its own process, and per event.
///
/// Hooks only record events. The time per event is what a hook would additionally cost if it
/// evaluated its event at once.
#[derive(Debug, clap::Args)]
pub(crate) struct Observe {
    /// Number of events in the session.
    #[arg(long, value_name = "COUNT", default_value_t = 2_000,
          value_parser = clap::value_parser!(u32).range(10..))]
    pub(crate) events: u32,
    /// Number of sessions to measure.
    #[arg(long, value_name = "COUNT", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Observe {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let env = BenchEnv::prepare(workspace, false)?;
        let project = env.project("project")?;
        let mut empty = Vec::new();
        let mut observe_runs = Vec::new();
        let mut per_event = Vec::new();
        for run in 0..self.runs {
            let session = format!("bench-{run}");
            let events = events(&session, self.events as usize)?;
            per_event.push(learning_time(&events)? / self.events);
            write(&project, &session, events)?;
            empty.push(sample(&mut env.empty(&project))?);
            observe_runs.push(sample(env.tacit(&project).args(["session", "learn", &session]))?);
        }
        let stats = BenchEnv::ask(env.tacit(&project).args(["status", "--stats", "--json"]))?;
        let kept = stats["project"]["counts"]["by_status"]["active"].as_u64().unwrap_or(0);
        ensure!(kept > 0, "nothing was concluded: {stats}");
        let whole = Spread::of(observe_runs.iter().map(|sample| sample.wall)).p95;
        let figures = vec![
            Figure {
                name: format!("a session of {} events, 95th percentile", self.events),
                value: millis(whole),
                unit: "ms",
                target: Some(Target::AtMost(2_000.0)),
            },
            Figure {
                name: "one event".into(),
                value: millis(Spread::of(per_event).p95),
                unit: "ms",
                target: Some(Target::AtMost(1.0)),
            },
        ];
        let process = |name: &str, samples| Process { name: name.into(), target: None, samples };
        let processes = vec![process("empty process", empty), process("observe run", observe_runs)];
        let notes = vec![format!("{} sessions, {kept} memories came of them.", self.runs)];
        let report = Report { processes, figures, notes };
        if self.json {
            println!("{:#}", report.to_json());
        } else {
            println!("\n{report}");
        }
        Ok(())
    }
}

/// Measures learning from events, without reading or writing.
fn learning_time(events: &[Event]) -> Result<Duration> {
    let start = Instant::now();
    let log = events.iter().enumerate().filter_map(|(order, event)| {
        let Event { id, session, at, record } = event.clone();
        LogEntry::new(id, session, at, order, record)
    });
    let session: SessionId = events.first().context("an event")?.session.clone();
    let tree = SessionTree {
        session,
        log: log.collect(),
        notes: Vec::new(),
        siblings: Vec::new(),
        tasks: tacit_observer::TaskDefinitions::default(),
        app_tools: tacit_observer::application::AppTools::default(),
        context_tokens: None,
    };
    let now = events.last().context("an event")?.at;
    let Ok(Conclusions { verdict, .. }) = learn(&tree, &EmptyMemory, now);
    ensure!(verdict.passed(), "the session did not pass: {verdict:?}");
    Ok(start.elapsed())
}

/// A store without memories.
struct EmptyMemory;

impl KnownMemories for EmptyMemory {
    type Error = Infallible;

    fn past_digests(&self) -> Result<Vec<SessionDigest>, Infallible> {
        Ok(Vec::new())
    }

    fn recipes(&self) -> Result<Vec<KnownRecipe>, Infallible> {
        Ok(Vec::new())
    }

    fn observations(&self) -> Result<Vec<KnownObservation>, Infallible> {
        Ok(Vec::new())
    }

    fn nearest(&self, _: &MemoryCandidate) -> Result<Option<NearestMemory>, Infallible> {
        Ok(None)
    }
}

fn write(project: &Path, session: &str, events: Vec<Event>) -> Result<()> {
    let options = OpenOptions { access: OpenMode::Write, busy_timeout: Duration::from_secs(5) };
    let mut store = SqliteStore::open(&database(project), options)?;
    let last = events.last().context("an event")?.at;
    let change = SessionChange::Ended("other".into());
    let update = SessionUpdate {
        id: session.parse()?,
        client: "claude".into(),
        at: last,
        change,
        held_out: None,
    };
    store.record(&ActivityBatch { sessions: vec![update], events, ..ActivityBatch::default() })?;
    Ok(())
}

/// Creates a session of reads, edits, failures and passing checks over many files.
fn events(session: &str, count: usize) -> Result<Vec<Event>> {
    let now = 1_794_738_600_000_i64;
    (0..count)
        .map(|number| {
            let file = format!("src/part{}/file{}.rs", number % 7, number % 61);
            let command = format!("cargo test case_{}", number % 5);
            let (subject, what) = match number % 10 {
                _ if number + 1 == count => ("cargo test".to_owned(), passes("cargo test")),
                0 => (command.clone(), fails(&command, number)),
                5 => (command.clone(), passes(&command)),
                2 | 7 => (file.clone(), edits(&file, number)),
                _ => (file.clone(), reads(&file)),
            };
            Ok(Event {
                id: format!("{session}-{number:06}"),
                session: session.parse()?,
                at: Timestamp::from_millis(now + number as i64 * 3_000).context("a moment")?,
                record: record(session, &what, subject)?,
            })
        })
        .collect()
}

/// Creates the log record of a client event.
pub(super) fn record(session: &str, what: &Value, subject: String) -> Result<LogRecord> {
    let event = json!({"client": "claude", "session": session, "cwd": "/p", "what": what});
    let event: AgentEvent = serde_json::from_value(event)?;
    let record =
        ClientRecord::new(&event, Some(subject)).map_err(|problem| anyhow!("{problem}"))?;
    Ok(LogRecord::Client(record))
}

fn reads(file: &str) -> Value {
    let tool = json!({"name": "Read", "kind": {"read": {"file": format!("/p/{file}")}}});
    json!({"tool_finished": {"tool": tool, "outcome": {"text": "fn line() {}\n".repeat(300)}}})
}

fn edits(file: &str, number: usize) -> Value {
    let (old, new) = (format!("let a{number} = 1;"), format!("let a{number} = 2;"));
    let kind = json!({"edit": {"file": format!("/p/{file}"), "old": old, "new": new}});
    json!({"tool_finished": {"tool": {"name": "Edit", "kind": kind}}})
}

pub(super) fn fails(command: &str, number: usize) -> Value {
    let tool = json!({"name": "Bash", "kind": {"shell": {"command": command}}});
    let error = format!("{}error[E{:04}]: number of problems", "note\n".repeat(200), number % 9);
    json!({"tool_failed": {"tool": tool, "failure": {"error": error, "exit_code": 101, "cause": "ran"}}})
}

pub(super) fn passes(command: &str) -> Value {
    let tool = json!({"name": "Bash", "kind": {"shell": {"command": command}}});
    json!({"tool_finished": {"tool": tool, "outcome": {"text": "test result: ok. 3 passed; 0 failed"}}})
}
