//! `cargo xtask bench scale`: recall over many memories, in fresh processes and in a long-running
//! one.

use std::fs;
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Result;
use tacit_core::tokenize;
use tacit_models::bundled::{DIMENSIONS, MODEL_ID};
use tacit_store::{VectorModel, VectorSet, VectorStore};
use tacit_store_sqlite::{OpenMode, OpenOptions, SqliteStore};
use tacit_testkit::realistic;

use crate::bench::env::{BenchEnv, database};
use crate::bench::measure::sample;
use crate::bench::report::{Figure, Process, Report, Target};
use crate::bench::start::{QUESTION, THREE_TERMS};
use crate::workspace::Workspace;

/// Duration of the long-running process in seconds.
const RESIDENT_SECONDS: u64 = 4;
/// Number of memories in one file, because the size of a file is limited.
const IMPORTED_AT_ONCE: usize = 100_000;
/// The number of first runs to ignore, which fill the file-system caches.
const WARM_UP: usize = 3;

/// Measure recall over many memories.
///
/// Vectors are computed from words and not by the model, which would take hours for a million;
/// searching them takes as long. The query itself is embedded by the model. Exits with 0 whatever
/// the numbers are.
#[derive(Debug, clap::Args)]
pub(crate) struct Scale {
    /// Number of memories in the database.
    #[arg(long, value_name = "COUNT", default_value_t = 100_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) memories: u32,
    /// Number of runs of each process.
    #[arg(long, value_name = "COUNT", default_value_t = 40,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// Directory of a project that an earlier run left with `--keep`.
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Keep the project for another run.
    #[arg(long)]
    pub(crate) keep: bool,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

impl Scale {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let env = BenchEnv::prepare(workspace, self.keep)?;
        let project = match &self.project {
            Some(project) => project.clone(),
            None => fill(&env, self.memories as usize)?,
        };
        let processes = processes(&env, &project, self.runs as usize)?;
        let mut figures = vec![Figure {
            name: "peak memory of a question".into(),
            value: env.peak(&project, &["recall", QUESTION[0]], fs::File::open("/dev/null")?)?
                / 1024.0,
            unit: "MB",
            target: Some(Target::AtMost(80.0)),
        }];
        for (name, words, target) in [
            ("resident, question of three words", &THREE_TERMS[..], Some(Target::AtLeast(300.0))),
            ("resident, question of forty tokens", &QUESTION[..], None),
        ] {
            figures.push(Figure {
                name: name.into(),
                value: env.resident(&project, RESIDENT_SECONDS, &words.join(" "))?,
                unit: "questions/s",
                target,
            });
        }
        let notes = vec![
            format!("{} memories; file caches are warm, processes are not.", self.memories),
            "Vectors are made from words, not by the model; the question's is the model's.".into(),
            "Resident: two threads in one process, each with its own connection.".into(),
        ];
        let report = Report { processes, figures, notes };
        if self.json {
            println!("{:#}", report.to_json());
        } else {
            println!("\n{report}");
        }
        Ok(())
    }
}

fn recall_command(env: &BenchEnv, project: &Path, words: &[&str]) -> Command {
    let mut command = env.tacit(project);
    command.arg("recall").args(words);
    command
}

fn processes(env: &BenchEnv, project: &Path, runs: usize) -> Result<Vec<Process>> {
    let kinds: [(&str, Option<&[&str]>); 3] = [
        ("empty process", None),
        ("recall, three words", Some(&THREE_TERMS)),
        ("recall, forty tokens", Some(&QUESTION)),
    ];
    let mut processes: Vec<Process> = kinds
        .iter()
        .map(|(name, _)| Process { name: (*name).into(), target: None, samples: Vec::new() })
        .collect();
    for run in 0..WARM_UP + runs {
        for (process, (_, words)) in processes.iter_mut().zip(&kinds) {
            let mut command = match words {
                None => env.empty(project),
                Some(words) => recall_command(env, project, words),
            };
            let measured = sample(&mut command)?;
            if run >= WARM_UP {
                process.samples.push(measured);
            }
        }
    }
    Ok(processes)
}

/// Creates a project with this many memories, each with a vector.
fn fill(env: &BenchEnv, memories: usize) -> Result<PathBuf> {
    let project = env.project("project")?;
    eprintln!("importing {memories} memories");
    for first in (0..memories).step_by(IMPORTED_AT_ONCE) {
        import(env, &project, first..memories.min(first + IMPORTED_AT_ONCE))?;
    }
    eprintln!("making vectors");
    let options = OpenOptions { access: OpenMode::Write, busy_timeout: Duration::from_secs(10) };
    let mut store = SqliteStore::open(&database(&project), options)?;
    let model = VectorModel { name: MODEL_ID.into(), dims: DIMENSIONS };
    store.add_model(&model)?;
    loop {
        let pending = store.pending(&model, 4_096)?;
        if pending.is_empty() {
            break;
        }
        let sets: Vec<VectorSet> = pending
            .into_iter()
            .map(|(key, memory)| VectorSet {
                key,
                memory_updated_at: memory.updated_at,
                pieces: vec![vector_of_words(memory.body.content.as_str())],
                cues: memory.body.cues.iter().map(|cue| vector_of_words(cue.as_str())).collect(),
            })
            .collect();
        store.put_vectors(&model, &sets)?;
    }
    drop(store);
    sample(env.tacit(&project).args(["maintain", "--rebuild", "--quiet"]))?;
    Ok(project)
}

/// Imports generated memories with these numbers.
fn import(env: &BenchEnv, project: &Path, numbers: Range<usize>) -> Result<()> {
    let file = env.path("memories.jsonl");
    let mut lines = BufWriter::new(fs::File::create(&file)?);
    for number in numbers {
        writeln!(lines, "{}", serde_json::to_string(&realistic::draft(number))?)?;
    }
    lines.flush()?;
    sample(
        env.tacit(project)
            .args(["import", "--trust"])
            .arg(&file)
            .env("TACIT_MAINTAIN_AUTO", "false"),
    )?;
    Ok(fs::remove_file(&file)?)
}

/// Computes a vector of length one in which each word has its own direction.
fn vector_of_words(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0_f32; DIMENSIONS];
    for token in tokenize(text).iter() {
        let mut state = token.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        for value in &mut vector {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *value += (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0;
        }
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(1e-6);
    vector.iter().map(|value| value / length).collect()
}
