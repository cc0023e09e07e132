//! `cargo xtask bench triggers`: the cost of opening a decision, and of checking and ranking many.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::bench::env::BenchEnv;
use crate::bench::measure::sample;
use crate::bench::report::{Figure, Process, Report, Target};
use crate::workspace::{Workspace, run};

/// Number of entries in the index.
const ENTRIES: &str = "150";
/// The example that measures inside a process and creates projects.
const EXAMPLE: [&str; 6] =
    ["--release", "--locked", "--package", "tacit-triggers", "--example", "bench_triggers"];

/// Measure opening a decision by its trigger, each time in a fresh process, and checking and
/// ranking many.
///
/// Times are relative to an empty process measured in between. Exits with 0 whatever the numbers
/// are.
#[derive(Debug, clap::Args)]
pub(crate) struct Triggers {
    /// Number of runs of each process.
    #[arg(long, value_name = "COUNT", default_value_t = 40,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) runs: u32,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
    /// Keep the projects, for example for a profiler.
    #[arg(long)]
    pub(crate) keep: bool,
}

impl Triggers {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let env = BenchEnv::prepare(workspace, self.keep)?;
        let report = Report {
            processes: processes(workspace, &env, self.runs as usize)?,
            figures: figures(workspace)?,
            notes: vec![
                format!(
                    "{ENTRIES} entries over 10 files, {} runs each, in turn; median and 95th \
                     percentile; file caches are warm, processes are not.",
                    self.runs
                ),
                "Checking and ranking are medians inside a process, without reading files.".into(),
            ],
        };
        if self.json {
            println!("{:#}", report.to_json());
        } else {
            println!("\n{report}");
        }
        Ok(())
    }
}

fn processes(workspace: &Workspace, env: &BenchEnv, runs: usize) -> Result<Vec<Process>> {
    /// The number of first runs to ignore, which fill the file-system caches.
    const WARM_UP: usize = 3;
    let project = env.project("project")?;
    let large = env.project("large")?;
    for (directory, entries) in [(&project, ENTRIES), (&large, "1000")] {
        let mut make = workspace.cargo(["run", "--quiet"]);
        make.args(EXAMPLE).args(["--", "--make"]).arg(directory).arg(entries);
        run(&mut make)?;
    }
    let tacit = |words: &[&str]| {
        let mut command = env.tacit(&project);
        command.args(words);
        command
    };
    let three = Some(Target::AtMost(3.0));
    type Make<'a> = Box<dyn Fn() -> Command + 'a>;
    let kinds: [(&str, Option<Target>, Make<'_>); 7] = [
        ("empty process", None, Box::new(|| env.empty(&project))),
        ("tacit --version", None, Box::new(|| tacit(&["--version"]))),
        (
            "when, the exact trigger",
            three,
            Box::new(|| tacit(&["when", "naming", "tokens", "across", "shards"])),
        ),
        ("when, a few letters", three, Box::new(|| tacit(&["when", "name", "token", "shard"]))),
        ("when, a section", three, Box::new(|| tacit(&["when", ".Group 3"]))),
        ("when, a file", three, Box::new(|| tacit(&["when", "..area-3.md"]))),
        (
            "triggers validate, 1,000 entries",
            None,
            Box::new(|| {
                let mut command = env.tacit(&large);
                command.args(["triggers", "validate"]);
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
    for round in 0..WARM_UP + runs {
        for (process, (_, _, make)) in processes.iter_mut().zip(&kinds) {
            let measured = sample(&mut make())?;
            if round >= WARM_UP {
                process.samples.push(measured);
            }
        }
    }
    Ok(processes)
}

/// Returns the figures that the example measures.
fn figures(workspace: &Workspace) -> Result<Vec<Figure>> {
    let mut command = workspace.cargo(["run", "--quiet"]);
    command.args(EXAMPLE);
    let output = command.output().context("cannot run cargo")?;
    ensure!(output.status.success(), "{command:?} failed");
    let found: Value = serde_json::from_slice(&output.stdout).context("not JSON")?;
    let goals = [
        ("validate_exact", "checking 1,000 headings, exact triggers", 100_000.0),
        ("validate_compressed", "checking 1,000 headings, compressed triggers", 100_000.0),
        ("rank", "ranking 10,000 candidates", 5_000.0),
        ("rank_common", "ranking 10,000 candidates that all match", 5_000.0),
    ];
    goals
        .iter()
        .map(|(key, name, most)| {
            let value = found[*key].as_f64().with_context(|| format!("no `{key}`"))?;
            let target = Some(Target::AtMost(*most));
            Ok(Figure { name: (*name).to_owned(), value, unit: "µs", target })
        })
        .collect()
}
