//! `cargo xtask bench graph`: the cost of indexing compared with parsing, and of queries.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::bench::env::BenchEnv;
use crate::bench::measure::{Sample, Spread, children, millis, ratio, sample};
use crate::workspace::{Workspace, run};

/// Measure indexing and impact.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchGraph {
    /// Folder of sources to index; by default the packages that cargo has downloaded.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Number of runs of the cold process.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Skip the cold process, which needs the whole program.
    #[arg(long)]
    in_process: bool,
}

impl BenchGraph {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        run(&mut workspace.cargo([
            "build",
            "--release",
            "-p",
            "tacit-codebase",
            "--example",
            "measure",
        ]))?;
        let measure = workspace.target()?.join("release/examples/measure");
        let folder = match self.folder.clone() {
            Some(folder) => folder,
            None => sources()?,
        };
        let directory = tempfile::tempdir()?;
        let graphs = directory.path().join("graphs").display().to_string();
        let folder = folder.display().to_string();
        let (parse, parse_cpu) = ask(&measure, &["parse", &folder])?;
        let (first, first_cpu) = ask(&measure, &["index", &folder, &graphs])?;
        let (again, again_cpu) = ask(&measure, &["index", &folder, &graphs])?;
        let seconds = |value: &Value| value["seconds"].as_f64().unwrap_or_default();
        let cpu = Duration::as_secs_f64;
        println!(
            "{folder}: {} lines, {} files, {} nodes, {} edges",
            parse["lines"], first["files"], first["nodes"], first["edges"]
        );
        println!("                       elapsed   processor");
        println!("bare parsing       {:>9.2} s {:>9.2} s", seconds(&parse), cpu(&parse_cpu));
        println!(
            "first index        {:>9.2} s {:>9.2} s   {:.2} and {:.2} of parsing, at most {} MB",
            seconds(&first),
            cpu(&first_cpu),
            seconds(&first) / seconds(&parse),
            ratio(first_cpu, parse_cpu),
            first["peak_mb"]
        );
        println!(
            "unchanged          {:>9.2} s {:>9.2} s   {:.1} % and {:.1} % of the first",
            seconds(&again),
            cpu(&again_cpu),
            100.0 * seconds(&again) / seconds(&first),
            100.0 * ratio(again_cpu, first_cpu)
        );
        for nodes in ["20000", "100000", "1000000"] {
            let (walk, _) = ask(&measure, &["walk", nodes])?;
            println!(
                "impact at {nodes:>7} nodes, depth 3: p50 {} ms, p99 {} ms, {} files reached on average, {} bytes",
                walk["p50_ms"], walk["p99_ms"], walk["reached"], walk["bytes"]
            );
        }
        if self.in_process { Ok(()) } else { self.cold(workspace) }
    }

    /// Measures processes that answer one query, without changes and after an edit.
    fn cold(&self, workspace: &Workspace) -> Result<()> {
        let env = BenchEnv::prepare(workspace, false)?;
        for files in [2_000, 10_000] {
            let project = env.project(&format!("graph-{files}"))?;
            write_project(&project, files)?;
            run(env.tacit(&project).args(["code", "index"]))?;
            let query = |_| sample(env.tacit(&project).args(["code", "impact", "src/m1.ts"]));
            print(files, "nothing changed", (0..self.runs).map(query))?;
            let edited = |run: u32| {
                let path = project.join("src/m1.ts");
                let text = std::fs::read_to_string(&path)?;
                std::fs::write(&path, format!("{text}export function late{run}() {{ g1(); }}\n"))?;
                query(run)
            };
            print(files, "after an edit", (0..self.runs.min(10)).map(edited))?;
            let edited_inside = |run: u32| {
                let path = project.join("src/m1.ts");
                let text = std::fs::read_to_string(&path)?;
                std::fs::write(&path, text.replacen("f1() {", "f1() { f2();", 1))?;
                query(run)
            };
            print(files, "after one inside a function", (0..self.runs.min(10)).map(edited_inside))?;
        }
        Ok(())
    }
}

/// Prints the cost of a query.
fn print(files: usize, when: &str, samples: impl Iterator<Item = Result<Sample>>) -> Result<()> {
    let samples = samples.collect::<Result<Vec<_>>>()?;
    let wall = Spread::of(samples.iter().map(|sample| sample.wall));
    let cpu = Spread::of(samples.iter().map(|sample| sample.cpu));
    println!(
        "cold `tacit code impact`, {files} files, {when}: median {:.1} ms ({:.1} ms of processor), p95 {:.1} ms",
        millis(wall.median),
        millis(cpu.median),
        millis(wall.p95)
    );
    Ok(())
}

/// Returns the folder of packages that cargo has downloaded.
fn sources() -> Result<PathBuf> {
    let home = std::env::home_dir().context("no home directory")?;
    Ok(home.join(".cargo/registry/src"))
}

/// Returns the JSON output of a program and the processor time it took.
fn ask(program: &Path, arguments: &[&str]) -> Result<(Value, Duration)> {
    let before = children()?;
    let output = Command::new(program).args(arguments).output()?;
    let cpu = children()?.saturating_sub(before);
    let text = String::from_utf8_lossy(&output.stdout);
    let value = serde_json::from_str(text.trim()).with_context(|| {
        format!("`{}` failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr))
    })?;
    Ok((value, cpu))
}

/// Writes files of nine functions that call each other.
fn write_project(project: &Path, files: usize) -> Result<()> {
    std::fs::create_dir_all(project.join("src"))?;
    for file in 0..files {
        let mut text = String::new();
        for step in 1..=4 {
            let other = (file * step * 7 + step) % files;
            text += &format!("import {{ f1 as g{step} }} from './m{other}';\n");
        }
        for function in 1..=9 {
            text += &format!("export function f{function}() {{ g{}(); }}\n", function % 4 + 1);
        }
        std::fs::write(project.join(format!("src/m{file}.ts")), text)?;
    }
    Ok(())
}
