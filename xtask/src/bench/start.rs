//! `cargo xtask bench start`: the cost of starting, recalling and storing.

use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use tacit_core::Draft;
use tacit_testkit::realistic;

use crate::bench::env::{BenchEnv, database};
use crate::bench::measure::{Spread, sample};
use crate::bench::report::{Figure, Process, Report, Target};
use crate::bench::words::Words;
use crate::workspace::Workspace;

/// Number of times an import is repeated.
const IMPORTS: usize = 3;

/// Number of memories stored one by one.
const SINGLES: usize = 1_000;

/// A query of about forty tokens, like a prompt.
pub(crate) const QUESTION: [&str; 1] =
    ["why do webhook retries sometimes run twice after a deploy, and what should \
     I check in the queue worker before I change the timeout of the database connection again"];
/// A query of three words, each of which is in many memories.
pub(crate) const THREE_TERMS: [&str; 3] = ["retry", "webhook", "timeout"];

/// Measure starting, recalling and storing, each time in a fresh process.
///
/// Times are relative to an empty process measured in between, so that results of different
/// machines can be compared. Exits with 0 whatever the numbers are.
#[derive(Debug, clap::Args)]
pub(crate) struct Start {
    /// Number of memories in the database.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) memories: u32,
    /// Number of runs of each process.
    #[arg(long, value_name = "COUNT", default_value_t = 40,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep the databases, for example for a profiler.
    #[arg(long)]
    pub(crate) keep: bool,
}

impl Start {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let env = BenchEnv::prepare(workspace, self.keep)?;
        let drafts: Vec<Draft> = (0..self.memories as usize).map(realistic::draft).collect();
        let (project, batch) = import(&env, &drafts)?;
        let size = size(&env, &project)?;
        let words = Words::of(&drafts);
        eprintln!("embedding {} memories", drafts.len());
        let embedding = sample(env.tacit(&project).args(["maintain", "--quiet"]))?;
        let processes = processes(&env, &project, &words, self.runs as usize)?;
        let single = singles(&env, &project, drafts.len())?;
        let mut notes = notes(&words, drafts.len(), self.runs);
        notes.extend(size.note());
        notes.push(format!(
            "Embedding: {:.0} memories/s in `tacit maintain`.",
            drafts.len() as f64 / embedding.wall.as_secs_f64()
        ));
        let report = Report { processes, figures: figures(&batch, single, &size), notes };
        if self.json {
            println!("{:#}", report.to_json());
        } else {
            println!("\n{report}");
        }
        Ok(())
    }
}

/// Number of memories that an import stores per second.
struct Rate {
    wall: f64,
    cpu: f64,
}

/// Imports the drafts into new databases; returns the last project and the median rate.
fn import(env: &BenchEnv, drafts: &[Draft]) -> Result<(PathBuf, Rate)> {
    let file = env.path("memories.jsonl");
    let mut lines = BufWriter::new(fs::File::create(&file)?);
    for draft in drafts {
        writeln!(lines, "{}", serde_json::to_string(draft)?)?;
    }
    lines.flush()?;
    let mut project = PathBuf::new();
    let mut samples = Vec::new();
    for trial in 1..=IMPORTS {
        eprintln!("import {trial} of {IMPORTS}: {} memories", drafts.len());
        project = env.project(&format!("project-{trial}"))?;
        samples.push(sample(env.tacit(&project).args(["import", "--trust"]).arg(&file))?);
    }
    let rate = |spread: Spread| drafts.len() as f64 / spread.median.as_secs_f64();
    let wall = rate(Spread::of(samples.iter().map(|sample| sample.wall)));
    let cpu = rate(Spread::of(samples.iter().map(|sample| sample.cpu)));
    Ok((project, Rate { wall, cpu }))
}

/// The sizes of a database that was just filled.
struct Size {
    memories: u64,
    database: u64,
    log: u64,
    /// True if the database alone contains every memory.
    complete: bool,
}

/// Measures the sizes. SQLite copies the log into the database when an import commits, but does not
/// shorten the log file; a copy of the database without its log shows whether it is complete.
fn size(env: &BenchEnv, project: &Path) -> Result<Size> {
    let count = |project: &Path| -> Result<u64> {
        let stats = BenchEnv::ask(env.tacit(project).args(["status", "--stats", "--json"]))?;
        let by_status = stats["project"]["counts"]["by_status"]
            .as_object()
            .context("`tacit status --stats` does not count by status")?;
        Ok(by_status.values().filter_map(Value::as_u64).sum())
    };
    let whole = database(project);
    let log = whole.with_extension("db-wal");
    let without_log = env.project("without-log")?;
    let copy = database(&without_log);
    let _ = fs::remove_file(copy.with_extension("db-wal"));
    let _ = fs::remove_file(copy.with_extension("db-shm"));
    fs::copy(&whole, &copy)?;
    let memories = count(project)?;
    Ok(Size {
        memories,
        database: fs::metadata(&whole)?.len(),
        log: fs::metadata(&log).map_or(0, |file| file.len()),
        complete: count(&without_log).is_ok_and(|without_log| without_log == memories),
    })
}

impl Size {
    fn per_memory(&self, bytes: u64) -> f64 {
        bytes as f64 / self.memories.max(1) as f64
    }

    fn note(&self) -> Option<String> {
        (!self.complete).then(|| {
            "Part of the memories was still in the log: the database's size is too small.".into()
        })
    }
}

/// Runs all processes in turn, so that other load affects them equally.
fn processes(env: &BenchEnv, project: &Path, words: &Words, runs: usize) -> Result<Vec<Process>> {
    /// The number of first runs to ignore, which fill the file-system caches.
    const WARM_UP: usize = 3;
    let recall = |words: &[&str]| {
        let mut command = env.tacit(project);
        command.arg("recall").args(words);
        command
    };
    let by_words = |words: &[&str]| {
        let mut command = recall(words);
        command.arg("--words-only");
        command
    };
    let rare = [words.rare()];
    let common = [words.common()];
    for words in [&rare[..], &THREE_TERMS, &common] {
        let answers = BenchEnv::ask(recall(words).args(["--words-only", "--all", "--json"]))?;
        ensure!(answers.as_array().is_some_and(|a| !a.is_empty()), "{words:?} found nothing");
    }
    let remember = |run: usize, kind: usize| {
        let mut command = env.tacit(project);
        command.arg("remember").arg(realistic::draft(1_000_000 + 2 * run + kind).content);
        command
    };
    type Make<'a> = Box<dyn Fn(usize) -> Command + 'a>;
    let six = Some(Target::AtMost(6.0));
    let twenty = Some(Target::AtMost(20.0));
    let kinds: [(&str, Option<Target>, Make<'_>); 9] = [
        ("empty process", None, Box::new(|_| env.empty(project))),
        (
            "tacit --version",
            None,
            Box::new(|_| {
                let mut command = env.tacit(project);
                command.arg("--version");
                command
            }),
        ),
        ("recall by words, rare term", six, Box::new(|_| by_words(&rare))),
        ("recall by words, three terms", six, Box::new(|_| by_words(&THREE_TERMS))),
        ("recall by words, common term", six, Box::new(|_| by_words(&common))),
        ("recall by words and meaning", twenty, Box::new(|_| recall(&QUESTION))),
        ("recall, meaning of three terms", twenty, Box::new(|_| recall(&THREE_TERMS))),
        ("remember, name from git", None, Box::new(|run| remember(run, 0))),
        (
            "remember, name configured",
            None,
            Box::new(|run| {
                let mut command = remember(run, 1);
                command.env("TACIT_USER_NAME", "Bench");
                command
            }),
        ),
    ];
    let mut processes: Vec<Process> = kinds
        .iter()
        .map(|(name, target, _)| Process {
            name: (*name).to_owned(),
            target: *target,
            samples: Vec::with_capacity(runs),
        })
        .collect();
    eprintln!("{} processes, {runs} runs each", kinds.len());
    for run in 0..WARM_UP + runs {
        for (process, (_, _, make)) in processes.iter_mut().zip(&kinds) {
            let measured = sample(&mut make(run))?;
            if run >= WARM_UP {
                process.samples.push(measured);
            }
        }
    }
    Ok(processes)
}

/// Stores memories one by one, each after the response to the previous one; returns the rate per
/// second.
fn singles(env: &BenchEnv, project: &Path, known: usize) -> Result<f64> {
    eprintln!("{SINGLES} memories stored one by one");
    let mut child = env
        .tacit(project)
        .args(["remember", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        bail!("no pipes to `tacit remember --jsonl`");
    };
    let mut answers = BufReader::new(output).lines();
    let mut rate = 0.0;
    let start = Instant::now();
    for number in 0..SINGLES {
        let draft = realistic::draft(known + number);
        input.write_all(format!("{}\n", serde_json::to_string(&draft)?).as_bytes())?;
        let answer = answers.next().context("`tacit remember --jsonl` ended early")??;
        ensure!(answer.contains("\"outcome\""), "not stored: {answer}");
        rate = (number + 1) as f64 / start.elapsed().as_secs_f64();
    }
    drop(input);
    ensure!(child.wait()?.success(), "`tacit remember --jsonl` failed");
    Ok(rate)
}

fn figures(batch: &Rate, single: f64, size: &Size) -> Vec<Figure> {
    let figure =
        |name: &str, value, unit, target| Figure { name: name.into(), value, unit, target };
    vec![
        figure("batch import", batch.wall, "memories/s", Some(Target::AtLeast(2_000.0))),
        figure("batch import, processor time", batch.cpu, "memories/CPU s", None),
        figure("single durable writes", single, "memories/s", Some(Target::AtLeast(300.0))),
        figure(
            "database, log copied in",
            size.per_memory(size.database),
            "bytes/memory",
            Some(Target::AtMost(3_072.0)),
        ),
        figure(
            "database and log as left on disk",
            size.per_memory(size.database + size.log),
            "bytes/memory",
            None,
        ),
    ]
}

fn notes(words: &Words, memories: usize, runs: u32) -> Vec<String> {
    let having = |words_of: &[&str]| {
        format!("`{}` (in {} of {memories})", words_of.join(" "), words.matching(words_of))
    };
    vec![
        format!(
            "{memories} memories, {runs} runs each, in turn; median and 95th percentile; file \
             caches are warm, processes are not."
        ),
        format!("rare: {}", having(&[words.rare()])),
        format!("three terms, any of them: {}", having(&THREE_TERMS)),
        format!("common: {}", having(&[words.common()])),
        format!(
            "Imports: median of {IMPORTS} into new databases. Single writes: {SINGLES} lines of \
             `tacit remember --jsonl`, each sent after the answer to the one before."
        ),
        "Size: `memory.db` after an import, whose end copies the log into it (checked by counting \
         the memories of a copy without the log)."
            .into(),
    ]
}
