//! `cargo xtask bench graph`: what indexing costs beside bare parsing, and what answers cost.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::bench::measure::{Spread, millis, sample};
use crate::bench::place::Place;
use crate::workspace::{Workspace, run};

/// Measure indexing and impact.
#[derive(Debug, clap::Args)]
pub(crate) struct Graph {
    /// A folder of sources to index; what cargo downloaded, unless told.
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// How often a cold process is measured.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Leave out the cold process, which needs the whole program.
    #[arg(long)]
    in_process: bool,
}

impl Graph {
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
        let kept = tempfile::tempdir()?;
        let graphs = kept.path().join("graphs").display().to_string();
        let folder = folder.display().to_string();
        let parse = ask(&measure, &["parse", &folder])?;
        let first = ask(&measure, &["index", &folder, &graphs])?;
        let again = ask(&measure, &["index", &folder, &graphs])?;
        let seconds = |value: &Value| value["seconds"].as_f64().unwrap_or_default();
        println!(
            "{folder}: {} lines, {} files, {} nodes, {} edges",
            parse["lines"], first["files"], first["nodes"], first["edges"]
        );
        println!("bare parsing       {:>8.2} s", seconds(&parse));
        println!(
            "first index        {:>8.2} s   {:.2} of parsing",
            seconds(&first),
            seconds(&first) / seconds(&parse)
        );
        println!(
            "unchanged          {:>8.2} s   {:.1} % of the first",
            seconds(&again),
            100.0 * seconds(&again) / seconds(&first)
        );
        for nodes in ["20000", "100000", "1000000"] {
            let walk = ask(&measure, &["walk", nodes])?;
            println!(
                "impact at {nodes:>7} nodes, depth 3: p50 {} ms, p99 {} ms, {} files reached on average, {} bytes",
                walk["p50_ms"], walk["p99_ms"], walk["reached"], walk["bytes"]
            );
        }
        if self.in_process { Ok(()) } else { self.cold(workspace) }
    }

    /// A process that answers one question about a project of about 20,000 nodes.
    fn cold(&self, workspace: &Workspace) -> Result<()> {
        let place = Place::prepare(workspace, false)?;
        let project = place.project("graph")?;
        project_of(&project, 2_000)?;
        run(place.tacit(&project).args(["graph", "build"]))?;
        let times: Result<Vec<_>> = (0..self.runs)
            .map(|_| Ok(sample(place.tacit(&project).args(["impact", "src/m1.ts"]))?.wall))
            .collect();
        let spread = Spread::of(times?);
        println!(
            "cold `tacit impact`: median {:.1} ms, p95 {:.1} ms",
            millis(spread.median),
            millis(spread.p95)
        );
        Ok(())
    }
}

/// What cargo has downloaded.
fn sources() -> Result<PathBuf> {
    let home = std::env::home_dir().context("no home directory")?;
    Ok(home.join(".cargo/registry/src"))
}

fn ask(program: &Path, arguments: &[&str]) -> Result<Value> {
    let output = Command::new(program).args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.trim()).with_context(|| {
        format!("`{}` failed: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr))
    })
}

/// Files of nine functions that use each other.
fn project_of(project: &Path, files: usize) -> Result<()> {
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
