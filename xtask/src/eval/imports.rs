//! `cargo xtask eval imports`: compares import edges in published packages with those of
//! compiler-grade tools: TypeScript's own resolver, `grimp`, and the files that rustc reads.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use tacit_codebase::{Codebase, RefreshOptions};
use tacit_graph::{EdgeKind, NodeKind};

use crate::workspace::{Workspace, run};

/// Compare import edges with those of compilers, on packages from the registries.
#[derive(Debug, clap::Args)]
pub(crate) struct EvalImports {
    /// Directory that keeps packages between runs.
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Number of differing edges to show, of each kind.
    #[arg(long, default_value_t = 0)]
    show: usize,
}

/// Packages that are published with their sources.
const NPM: [&str; 7] = [
    "rxjs",
    "effect",
    "@reduxjs/toolkit",
    "@tanstack/query-core",
    "three",
    "@trpc/server",
    "lodash-es",
];
const PYPI: [&str; 8] =
    ["django", "flask", "requests", "rich", "sqlalchemy", "networkx", "pydantic", "httpx"];

type Edges = BTreeSet<(String, String)>;

/// The graph of a folder.
struct FolderGraph {
    edges: Edges,
    /// The number of files that were not parsed.
    skipped: BTreeSet<String>,
    /// Edges inside the module trees of crates.
    parts: Edges,
}

#[derive(Default)]
struct Totals {
    right: usize,
    ours: usize,
    truth: usize,
}

impl EvalImports {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let work = self.work.clone().unwrap_or_else(|| folder.path().to_path_buf());
        fs::create_dir_all(&work)?;
        let scripts = workspace.root.join("xtask/src/eval/imports");
        println!(
            "{:<24} {:>7} {:>7} {:>9} {:>7}",
            "package", "truth", "ours", "precision", "recall"
        );
        self.typescript(&work.join("npm"), &scripts)?;
        self.python(&work.join("pypi"), &scripts)?;
        self.rust(workspace, &work.join("crates"))
    }

    fn typescript(&self, work: &Path, scripts: &Path) -> Result<()> {
        fs::create_dir_all(work)?;
        if !work.join("node_modules/typescript").exists() {
            fs::write(work.join("package.json"), "{}")?;
            let quiet =
                ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps"];
            run(Command::new("npm").args(quiet).arg("typescript@5").args(NPM).current_dir(work))?;
        }
        let mut totals = Totals::default();
        for package in NPM {
            let from = work.join("node_modules").join(package);
            let to = empty_folder(&work.join("judged").join(package.replace('/', "_")))?;
            // As in a repository: sources and manifests, and no build output.
            for entry in fs::read_dir(&from)? {
                let path = entry?.path();
                if path.is_file() || path.ends_with("src") {
                    run_quietly(Command::new("cp").arg("-R").arg(&path).arg(&to))?;
                }
            }
            let output = Command::new("node")
                .arg(scripts.join("truth.cjs"))
                .args([&work.join("node_modules/typescript"), &to])
                .output()?;
            let mut truth = lines(&output)?;
            let mut ours = ours(&to)?;
            let unbuilt: BTreeSet<String> =
                truth.iter().filter(|(_, to)| to == "?").map(|(from, _)| from.clone()).collect();
            truth.retain(|(from, to)| to != "?" && !ours.skipped.contains(from));
            ours.edges.retain(|edge| truth.contains(edge) || !unbuilt.contains(&edge.0));
            self.score(package, &ours.edges, &truth, &mut totals);
        }
        totals.print("TypeScript");
        Ok(())
    }

    fn python(&self, work: &Path, scripts: &Path) -> Result<()> {
        fs::create_dir_all(work)?;
        let (packages, tools) = (work.join("packages"), work.join("tools"));
        if !tools.join("grimp").exists() {
            let install = |to: &Path, names: &[&str], more: &[&str]| {
                let mut pip = Command::new("pip");
                run(pip.args(["install", "--quiet", "--target"]).arg(to).args(more).args(names))
            };
            install(&packages, &PYPI, &["--no-deps"])?;
            install(&tools, &["grimp"], &[])?;
        }
        let mut totals = Totals::default();
        for package in PYPI {
            let to = empty_folder(&work.join("judged").join(package))?;
            run_quietly(Command::new("cp").arg("-R").arg(packages.join(package)).arg(&to))?;
            let path = std::env::join_paths([&tools, &to])?;
            let output = Command::new("python3")
                .arg(scripts.join("truth.py"))
                .arg(&to)
                .arg(package)
                .env("PYTHONPATH", path)
                .output()?;
            let (known, mut truth): (Edges, Edges) =
                lines(&output)?.into_iter().partition(|(from, _)| from.is_empty());
            let known: BTreeSet<String> = known.into_iter().map(|(_, file)| file).collect();
            let mut ours = ours(&to)?;
            truth.retain(|(from, _)| !ours.skipped.contains(from));
            ours.edges.retain(|(from, to)| known.contains(from) && known.contains(to));
            self.score(package, &ours.edges, &truth, &mut totals);
        }
        totals.print("Python");
        Ok(())
    }

    /// Compares the module trees of crates built here with the files that rustc read.
    fn rust(&self, workspace: &Workspace, work: &Path) -> Result<()> {
        let deps = workspace.target()?.join("debug/deps");
        let mut totals = Totals::default();
        let mut judged = BTreeSet::new();
        let mut listings: Vec<PathBuf> = fs::read_dir(&deps)
            .with_context(|| format!("build something first: no `{}`", deps.display()))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|ending| ending == "d"))
            .collect();
        listings.sort();
        for listing in listings {
            let Some((root, read)) = files_read(&fs::read_to_string(&listing)?) else { continue };
            if read.len() < 10 || !judged.insert(root.clone()) {
                continue;
            }
            let name = root
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            let to = empty_folder(&work.join(&name))?;
            run_quietly(
                Command::new("cp")
                    .arg("-R")
                    .arg(root.join("src"))
                    .arg(root.join("Cargo.toml"))
                    .arg(&to),
            )?;
            let ours = ours(&to)?;
            let tree = |edges: &Edges| -> Edges {
                edges.iter().map(|(_, to)| (name.clone(), to.clone())).collect()
            };
            let truth: Edges = read
                .into_iter()
                .filter(|file| !file.ends_with("lib.rs") && !ours.skipped.contains(file))
                .map(|file| (name.clone(), file))
                .collect();
            // Modules for tests, other systems and other features are in the tree but not read:
            // rustc's list only shows missing files.
            let found: Edges = tree(&ours.parts).intersection(&truth).cloned().collect();
            self.score(&name, &found, &truth, &mut totals);
        }
        totals.print("Rust modules");
        Ok(())
    }

    fn score(&self, name: &str, ours: &Edges, truth: &Edges, totals: &mut Totals) {
        let right = ours.intersection(truth).count();
        let one = Totals { right, ours: ours.len(), truth: truth.len() };
        one.print(name);
        totals.right += right;
        totals.ours += ours.len();
        totals.truth += truth.len();
        for (from, to) in ours.difference(truth).take(self.show) {
            println!("  + {from} -> {to}");
        }
        for (from, to) in truth.difference(ours).take(self.show) {
            println!("  - {from} -> {to}");
        }
    }
}

impl Totals {
    fn print(&self, name: &str) {
        let share = |of: usize| if of == 0 { 1.0 } else { self.right as f64 / of as f64 };
        let (truth, ours) = (self.truth, self.ours);
        println!("{name:<24} {truth:>7} {ours:>7} {:>9.4} {:>7.4}", share(ours), share(truth));
    }
}

/// Creates an empty folder.
fn empty_folder(path: &Path) -> Result<PathBuf> {
    if path.exists() {
        fs::remove_dir_all(path)?;
    }
    fs::create_dir_all(path)?;
    Ok(path.to_path_buf())
}

fn run_quietly(command: &mut Command) -> Result<()> {
    let status = command.status()?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}

/// Parses lines of two columns.
fn lines(output: &std::process::Output) -> Result<Edges> {
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    Ok(pairs.map(|(from, to)| (from.to_owned(), to.to_owned())).collect())
}

/// Builds the graph of a folder.
fn ours(root: &Path) -> Result<FolderGraph> {
    let kept = tempfile::tempdir()?;
    let codebase = Codebase::new(root, kept.path());
    codebase.refresh(&RefreshOptions { threads: 2, reread_all: false, progress: &|_, _| {} })?;
    let open = codebase.open()?;
    let graph = open.packed();
    let mut ours =
        FolderGraph { edges: Edges::new(), skipped: BTreeSet::new(), parts: Edges::new() };
    for file in 0..graph.files() {
        if graph.file(file).is_some_and(|file| file.skipped.is_some()) {
            ours.skipped.insert(graph.path(file).to_owned());
        }
        for edge in graph.dependencies(graph.range(file).start) {
            if graph.kind(edge.to) == Some(NodeKind::File) {
                let pair = (graph.path(file).to_owned(), graph.name(edge.to).to_owned());
                if edge.kind == EdgeKind::Exports {
                    ours.parts.insert(pair.clone());
                }
                ours.edges.insert(pair);
            }
        }
    }
    Ok(ours)
}

/// Returns the root of a crate and the files that rustc read, from its dependency file.
fn files_read(listing: &str) -> Option<(PathBuf, Vec<String>)> {
    let line = listing.lines().find(|line| line.contains(".rmeta:") || line.contains(".rlib:"))?;
    let (_, files) = line.split_once(": ")?;
    let paths: Vec<&str> = files.split_whitespace().filter(|path| path.ends_with(".rs")).collect();
    let lib = paths
        .iter()
        .find(|path| path.ends_with("/src/lib.rs") && path.contains("/registry/src/"))?;
    let root = PathBuf::from(lib.strip_suffix("/src/lib.rs")?);
    let inside = paths.iter().filter_map(|path| Path::new(path).strip_prefix(&root).ok());
    Some((root.clone(), inside.filter_map(|path| Some(normalised(path.to_str()?))).collect()))
}

/// Normalises a path by removing `..`.
fn normalised(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}
