//! `cargo xtask bench hooks`: how long agents wait for hooks.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tacit_core::{Draft, MemoryId, Timestamp};
use tacit_store::{ActivityBatch, ActivityStore, Event};
use tacit_store_sqlite::{OpenMode, OpenOptions, SqliteStore};
use tacit_testkit::realistic;

use crate::bench::env::{BenchEnv, database};
use crate::bench::measure::{Spread, millis, sample};
use crate::bench::observe::{fails, passes, record};
use crate::bench::report::{Figure, Process, Report, Target};
use crate::workspace::Workspace;

/// The number of events in the log, like a project in which agents have worked for a while.
const EVENTS: usize = 20_000;
/// The number of first runs to ignore, which fill the file-system caches.
const WARM_UP: usize = 3;
/// The number of runs in which memory is measured.
const PEAKS: usize = 5;
/// A prompt of about forty tokens.
const PROMPT: &str = "why do webhook retries sometimes run twice after a deploy, and what should I \
                      check in the queue worker before I change the timeout of the database \
                      connection again";

/// Measure how long agents wait for hooks, each in a fresh process.
///
/// Times are relative to an empty process measured in between, so that results of different
/// machines can be compared. Exits with 0 whatever the numbers are.
#[derive(Debug, clap::Args)]
pub(crate) struct Hooks {
    /// Number of memories in the database.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) memories: u32,
    /// Number of cues of each memory.
    #[arg(long, value_name = "COUNT", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=8))]
    pub(crate) cues: u32,
    /// Number of runs of each process.
    #[arg(long, value_name = "COUNT", default_value_t = 40,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep the database, for example for a profiler.
    #[arg(long)]
    pub(crate) keep: bool,
    /// Directory of a project from an earlier run; created if it does not exist.
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) store: Option<PathBuf>,
}

impl Hooks {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let env = BenchEnv::prepare(workspace, self.keep)?;
        let project = self.project(&env)?;
        let cases = cases();
        for case in &cases {
            case.check(&env, &project)?;
        }
        let processes = processes(&env, &project, &cases, self.runs as usize)?;
        let figures = figures(&env, &project, &cases, &processes)?;
        let notes = vec![format!(
            "{} memories with {} cues each and vectors, {EVENTS} events in the log, {} runs each, in turn; median \
             and 95th percentile; file caches are warm, processes are not.",
            self.memories, self.cues, self.runs
        )];
        let report = Report { processes, figures, notes };
        if self.json {
            println!("{:#}", report.to_json());
        } else {
            println!("\n{report}");
        }
        Ok(())
    }

    /// Prepares a project with memories, vectors and a log.
    fn project(&self, env: &BenchEnv) -> Result<PathBuf> {
        let project = match &self.store {
            Some(store) => std::path::absolute(store)?,
            None => env.path("project"),
        };
        if database(&project).exists() {
            eprintln!("using the memories in {}", project.display());
        } else {
            fs::create_dir_all(&project)?;
            fill(env, &project, self.memories as usize, self.cues as usize)?;
        }
        let stats = BenchEnv::ask(env.tacit(&project).args(["status", "--stats", "--json"]))?;
        let active = stats["project"]["counts"]["by_status"]["active"].as_u64().unwrap_or(0);
        let expected = u64::from(self.memories);
        ensure!(
            active >= expected && active < expected + 100,
            "`{}` has {active} memories and not {expected}: name another directory, or --memories",
            project.display()
        );
        Ok(project)
    }
}

fn fill(env: &BenchEnv, project: &Path, memories: usize, cues: usize) -> Result<()> {
    env.initialise(project)?;
    let file = env.path("memories.jsonl");
    let draft = |number| Draft { cues: realistic::cues(number, cues), ..realistic::draft(number) };
    let drafts: Vec<Draft> = (0..memories).map(draft).collect();
    let lines: Result<Vec<String>, _> = drafts.iter().map(serde_json::to_string).collect();
    fs::write(&file, lines?.join("\n"))?;
    eprintln!("importing {memories} memories");
    sample(env.tacit(project).args(["import", "--trust"]).arg(&file))?;
    for (text, more) in [
        ("`docker compose push` fails while the registry is being mirrored", &["-t", "gotcha"][..]),
        ("The pool must be closed before a fork", &["-t", "gotcha", "-f", "src/pool.rs"]),
        ("Run `just check` before every commit", &["--tag", "cheat-sheet"]),
    ] {
        sample(env.tacit(project).args(["remember", text]).args(more))?;
    }
    eprintln!("embedding {memories} memories");
    sample(env.tacit(project).args(["maintain", "--quiet"]))?;
    log(project)
}

/// Writes a log of many sessions.
fn log(project: &Path) -> Result<()> {
    let database = database(project);
    let options = OpenOptions { access: OpenMode::Write, busy_timeout: Duration::from_secs(5) };
    let mut store = SqliteStore::open(&database, options)?;
    // Far in the future, so that the first new session does not delete the events as too old.
    let now = Timestamp::from_millis(4_000_000_000_000).context("a moment")?;
    let event = |number: usize| -> Result<Event> {
        let mut random = [0; 10];
        random[2..].copy_from_slice(&(number as u64).to_be_bytes());
        let session = format!("earlier-{}", number / 200);
        let command = format!("cargo test case_{number}");
        let what =
            if number.is_multiple_of(50) { fails(&command, number) } else { passes(&command) };
        Ok(Event {
            id: MemoryId::from_parts(now, random).to_string(),
            session: session.parse()?,
            at: now,
            record: record(&session, &what, command)?,
        })
    };
    let events: Result<Vec<Event>> = (0..EVENTS).map(event).collect();
    store.record(&ActivityBatch { events: events?, ..ActivityBatch::default() })?;
    Ok(())
}

/// A hook event to measure.
struct HookCase {
    name: &'static str,
    event: &'static str,
    fields: Value,
    target: Option<Target>,
    /// Text that the output must contain; `None` if it must be empty.
    expected_output: Option<&'static str>,
}

fn cases() -> Vec<HookCase> {
    let bash = |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}});
    let read = |file: &str| json!({"tool_name": "Read", "tool_input": {"file_path": file}});
    let at_most = |most| Some(Target::AtMost(most));
    let mut failed = bash("docker compose push");
    failed["error"] = json!("Exit code 1\ndocker compose push: the registry is being mirrored");
    let case = |name, event, fields, target, expected_output| HookCase {
        name,
        event,
        fields,
        target,
        expected_output,
    };
    let stop = json!({"stop_hook_active": false});
    vec![
        case("command, not hot", "PreToolUse", bash("cargo build"), at_most(3.0), None),
        case("command, hot", "PreToolUse", bash("docker compose push"), None, Some("mirrored")),
        case("file, something known", "PostToolUse", read("src/pool.rs"), None, Some("fork")),
        case("file, nothing known", "PostToolUse", read("src/none.rs"), None, None),
        case("failure", "PostToolUseFailure", failed, None, Some("mirrored")),
        case("start", "SessionStart", json!({"source": "startup"}), None, Some("just check")),
        case("end of a turn", "Stop", stop, at_most(6.0), None),
        case("end", "SessionEnd", json!({"reason": "other"}), at_most(6.0), None),
        case("prompt", "UserPromptSubmit", json!({"prompt": PROMPT}), at_most(20.0), Some("")),
    ]
}

impl HookCase {
    /// Creates the command of the hook, in a new session.
    fn command(&self, env: &BenchEnv, project: &Path, session: &str) -> Result<Command> {
        let mut command = env.tacit(project);
        command.args(["hook", "claude"]).stdin(File::open(self.payload(env, project, session)?)?);
        Ok(command)
    }

    fn payload(&self, env: &BenchEnv, project: &Path, session: &str) -> Result<PathBuf> {
        let mut payload = self.fields.clone();
        payload["hook_event_name"] = json!(self.event);
        payload["session_id"] = json!(session);
        payload["cwd"] = json!(project);
        let file = env.path("payload.json");
        fs::write(&file, payload.to_string())?;
        Ok(file)
    }

    /// Checks that the hook prints the expected output.
    fn check(&self, env: &BenchEnv, project: &Path) -> Result<()> {
        let session = format!("check-{}", std::process::id());
        let session = format!("{session}-{}", self.name.replace([' ', ','], "-"));
        let mut command = self.command(env, project, &session)?;
        let output = command.stdout(std::process::Stdio::piped()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let matches = match self.expected_output {
            Some("") => true,
            Some(expected_output) => text.contains(expected_output),
            None => text.is_empty(),
        };
        ensure!(matches, "the hook for {} told {text:?}", self.name);
        Ok(())
    }
}

/// Runs all hooks in turn, so that other load affects them equally.
fn processes(
    env: &BenchEnv,
    project: &Path,
    cases: &[HookCase],
    runs: usize,
) -> Result<Vec<Process>> {
    let named = |name: &str, target| Process { name: name.into(), target, samples: Vec::new() };
    let mut processes = vec![named("empty process", None)];
    processes.extend(cases.iter().map(|case| named(case.name, case.target)));
    eprintln!("{} processes, {runs} runs each", processes.len());
    for run in 0..WARM_UP + runs {
        for (number, process) in processes.iter_mut().enumerate() {
            let session = format!("bench-{}-{number}-{run}", std::process::id());
            let measured = match number.checked_sub(1) {
                None => sample(&mut env.empty(project))?,
                Some(at) => sample(&mut cases[at].command(env, project, &session)?)?,
            };
            if run >= WARM_UP {
                process.samples.push(measured);
            }
        }
    }
    Ok(processes)
}

fn figures(
    env: &BenchEnv,
    project: &Path,
    cases: &[HookCase],
    processes: &[Process],
) -> Result<Vec<Figure>> {
    let mut most = 0.0_f64;
    for run in 0..PEAKS {
        for case in cases {
            let session = format!("peak-{}-{run}", std::process::id());
            let payload = case.payload(env, project, &session)?;
            let kilobytes = env.peak(project, &["hook", "claude"], File::open(payload)?)?;
            most = most.max(kilobytes / 1024.0);
        }
    }
    let prompt = processes.iter().find(|process| process.name == "prompt");
    let walls = prompt
        .map_or_else(Vec::new, |prompt| prompt.samples.iter().map(|sample| sample.wall).collect());
    let figure = |name: &str, value, unit, most| Figure {
        name: name.into(),
        value,
        unit,
        target: Some(Target::AtMost(most)),
    };
    Ok(vec![
        figure("prompt, 95th percentile", millis(Spread::of(walls).p95), "ms", 20.0),
        figure("most memory of any hook", most, "MB", 80.0),
    ])
}
