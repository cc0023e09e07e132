//! `cargo xtask bench hooks`: what an agent waits for.

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

use crate::bench::measure::{Spread, millis, sample};
use crate::bench::observe::{fails, passes, record};
use crate::bench::place::{Place, database};
use crate::bench::report::{Figure, Process, Report, Target};
use crate::workspace::Workspace;

/// The log of a project in which agents have worked for a while.
const EVENTS: usize = 20_000;
/// The first runs fill the caches of the file system.
const WARM_UP: usize = 3;
/// Of how many runs the memory is taken.
const PEAKS: usize = 5;
/// A prompt of about forty tokens.
const PROMPT: &str = "why do webhook retries sometimes run twice after a deploy, and what should I \
                      check in the queue worker before I change the timeout of the database \
                      connection again";

/// What an agent waits for: every hook in a fresh process.
///
/// Processes are counted in empty processes measured in between, so that the numbers of a slow or
/// busy machine can be compared with those of another. Exits with 0 whatever the numbers are.
#[derive(Debug, clap::Args)]
pub(crate) struct Hooks {
    /// How many memories the database has.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) memories: u32,
    /// How often each process is run.
    #[arg(long, value_name = "COUNT", default_value_t = 40,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Leave the database where it is, to look into it with a profiler.
    #[arg(long)]
    pub(crate) keep: bool,
    /// Use the project in this directory, made by an earlier run; it is made if it is not there.
    #[arg(long, value_name = "DIRECTORY")]
    pub(crate) store: Option<PathBuf>,
}

impl Hooks {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let place = Place::prepare(workspace, self.keep)?;
        let project = self.project(&place)?;
        let kinds = kinds();
        for kind in &kinds {
            kind.check(&place, &project)?;
        }
        let processes = processes(&place, &project, &kinds, self.runs as usize)?;
        let figures = figures(&place, &project, &kinds, &processes)?;
        let notes = vec![format!(
            "{} memories with vectors, {EVENTS} events in the log, {} runs each, in turn; median \
             and 95th percentile; file caches are warm, processes are not.",
            self.memories, self.runs
        )];
        let report = Report { processes, figures, notes };
        if self.json {
            println!("{:#}", report.to_json());
        } else {
            println!("\n{report}");
        }
        Ok(())
    }

    /// Returns a project with memories, their vectors, and a log.
    fn project(&self, place: &Place) -> Result<PathBuf> {
        let project = match &self.store {
            Some(store) => std::path::absolute(store)?,
            None => place.path("project"),
        };
        if database(&project).exists() {
            eprintln!("using the memories in {}", project.display());
        } else {
            fs::create_dir_all(&project)?;
            fill(place, &project, self.memories as usize)?;
        }
        let stats = Place::ask(place.tacit(&project).args(["status", "--stats", "--json"]))?;
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

fn fill(place: &Place, project: &Path, memories: usize) -> Result<()> {
    place.initialise(project)?;
    let file = place.path("memories.jsonl");
    let drafts: Vec<Draft> = (0..memories).map(realistic::draft).collect();
    let lines: Result<Vec<String>, _> = drafts.iter().map(serde_json::to_string).collect();
    fs::write(&file, lines?.join("\n"))?;
    eprintln!("importing {memories} memories");
    sample(place.tacit(project).args(["import", "--trust"]).arg(&file))?;
    for (text, more) in [
        ("`docker compose push` fails while the registry is being mirrored", &["-t", "gotcha"][..]),
        ("The pool must be closed before a fork", &["-t", "gotcha", "-f", "src/pool.rs"]),
        ("Run `just check` before every commit", &["--tag", "cheat-sheet"]),
    ] {
        sample(place.tacit(project).args(["remember", text]).args(more))?;
    }
    eprintln!("embedding {memories} memories");
    sample(place.tacit(project).args(["maintain", "--quiet"]))?;
    log(project)
}

/// Writes a log of many sessions.
fn log(project: &Path) -> Result<()> {
    let database = database(project);
    let options = OpenOptions { access: OpenMode::Write, busy_timeout: Duration::from_secs(5) };
    let mut store = SqliteStore::open(&database, options)?;
    // Far ahead, or the first session that starts would drop events as too old some day.
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

/// A kind of event.
struct Kind {
    name: &'static str,
    event: &'static str,
    fields: Value,
    target: Option<Target>,
    /// What must be told; nothing, if none.
    told: Option<&'static str>,
}

fn kinds() -> Vec<Kind> {
    let bash = |command: &str| json!({"tool_name": "Bash", "tool_input": {"command": command}});
    let read = |file: &str| json!({"tool_name": "Read", "tool_input": {"file_path": file}});
    let at_most = |most| Some(Target::AtMost(most));
    let mut failed = bash("docker compose push");
    failed["error"] = json!("Exit code 1\ndocker compose push: the registry is being mirrored");
    let kind = |name, event, fields, target, told| Kind { name, event, fields, target, told };
    let stop = json!({"stop_hook_active": false});
    vec![
        kind("command, not hot", "PreToolUse", bash("cargo build"), at_most(3.0), None),
        kind("command, hot", "PreToolUse", bash("docker compose push"), None, Some("mirrored")),
        kind("file, something known", "PostToolUse", read("src/pool.rs"), None, Some("fork")),
        kind("file, nothing known", "PostToolUse", read("src/none.rs"), None, None),
        kind("failure", "PostToolUseFailure", failed, None, Some("mirrored")),
        kind("start", "SessionStart", json!({"source": "startup"}), None, Some("just check")),
        kind("end of a turn", "Stop", stop, at_most(6.0), None),
        kind("end", "SessionEnd", json!({"reason": "other"}), at_most(6.0), None),
        kind("prompt", "UserPromptSubmit", json!({"prompt": PROMPT}), at_most(20.0), Some("")),
    ]
}

impl Kind {
    /// Returns the hook, in a session of its own.
    fn command(&self, place: &Place, project: &Path, session: &str) -> Result<Command> {
        let mut command = place.tacit(project);
        command.args(["hook", "claude"]).stdin(File::open(self.payload(place, project, session)?)?);
        Ok(command)
    }

    fn payload(&self, place: &Place, project: &Path, session: &str) -> Result<PathBuf> {
        let mut payload = self.fields.clone();
        payload["hook_event_name"] = json!(self.event);
        payload["session_id"] = json!(session);
        payload["cwd"] = json!(project);
        let file = place.path("payload.json");
        fs::write(&file, payload.to_string())?;
        Ok(file)
    }

    /// That what is measured is what is meant.
    fn check(&self, place: &Place, project: &Path) -> Result<()> {
        let session = format!("check-{}", std::process::id());
        let session = format!("{session}-{}", self.name.replace([' ', ','], "-"));
        let mut command = self.command(place, project, &session)?;
        let output = command.stdout(std::process::Stdio::piped()).output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let fits = match self.told {
            Some("") => true,
            Some(told) => text.contains(told),
            None => text.is_empty(),
        };
        ensure!(fits, "the hook for {} told {text:?}", self.name);
        Ok(())
    }
}

/// Runs every hook in turn, so that whatever else the machine does falls on all alike.
fn processes(place: &Place, project: &Path, kinds: &[Kind], runs: usize) -> Result<Vec<Process>> {
    let named = |name: &str, target| Process { name: name.into(), target, samples: Vec::new() };
    let mut processes = vec![named("empty process", None)];
    processes.extend(kinds.iter().map(|kind| named(kind.name, kind.target)));
    eprintln!("{} processes, {runs} runs each", processes.len());
    for run in 0..WARM_UP + runs {
        for (number, process) in processes.iter_mut().enumerate() {
            let session = format!("bench-{}-{number}-{run}", std::process::id());
            let taken = match number.checked_sub(1) {
                None => sample(&mut place.empty(project))?,
                Some(at) => sample(&mut kinds[at].command(place, project, &session)?)?,
            };
            if run >= WARM_UP {
                process.samples.push(taken);
            }
        }
    }
    Ok(processes)
}

fn figures(
    place: &Place,
    project: &Path,
    kinds: &[Kind],
    processes: &[Process],
) -> Result<Vec<Figure>> {
    let mut most = 0.0_f64;
    for run in 0..PEAKS {
        for kind in kinds {
            let session = format!("peak-{}-{run}", std::process::id());
            let payload = kind.payload(place, project, &session)?;
            let kilobytes = place.peak(project, &["hook", "claude"], File::open(payload)?)?;
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
