//! `tacit map`

mod scan;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tacit_core::RepoPath;
use tacit_engine::{Needs, Shelf};
use tacit_graph::{Community, Module, modules};
use tacit_store::{Filter, ListOrder};

use crate::app::App;
use crate::commands::count;
use crate::error::CliResult;
use crate::graph::{codebase, open};

/// How many memories of a module are counted.
const COUNTED: usize = 1_000;
/// The most characters of what a module is for.
const LONGEST_PURPOSE: usize = 200;

/// The modules of the project: what each is for, where to start, what it uses, and how much is
/// remembered about it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit map
  tacit map --json
  tacit map --remember          keep what each module is, for agents")]
pub(crate) struct Map {
    /// Keep a card of each module as a memory, or bring the one that is there up to date.
    #[arg(long)]
    remember: bool,
}

impl Map {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let graph = open(app)?;
        let manifests: BTreeSet<String> = codebase(app).manifests()?.into_iter().collect();
        let modules = modules(&graph.packed(), &manifests);
        if self.remember {
            return remember(app, &modules);
        }
        let mut values = Vec::new();
        for module in &modules {
            let purpose = purpose(app, module);
            let remembered = remembered(app, module)?;
            if app.json {
                values.push(to_json(module, purpose.as_deref(), remembered));
                continue;
            }
            let name = if module.path.is_empty() { "." } else { &module.path };
            let files = count(module.files as usize, "file", "files");
            let (lines, tests) = (module.lines, module.tests);
            let memories = count(remembered, "memory", "memories");
            app.ui.line(format!("{name}  {files}, {lines} lines, {tests} tests, {memories}"))?;
            if let Some(purpose) = purpose {
                app.ui.line(format!("  {purpose}"))?;
            }
            let list = |app: &mut App, what: &str, items: Vec<&str>| -> CliResult<()> {
                if !items.is_empty() {
                    app.ui.line(format!("  {what}: {}", items.join(", ")))?;
                }
                Ok(())
            };
            list(
                app,
                "start with",
                module.entry_points.iter().take(3).map(String::as_str).collect(),
            )?;
            list(app, "parts", parts(module).iter().map(String::as_str).collect())?;
            list(
                app,
                "uses",
                module
                    .uses
                    .keys()
                    .map(|name| if name.is_empty() { "." } else { name.as_str() })
                    .collect(),
            )?;
        }
        if app.json {
            app.ui.json(&Value::Array(values))?;
        }
        Ok(())
    }
}

/// Keeps a card of each module, and says so as it goes.
fn remember(app: &mut App, modules: &[Module]) -> CliResult<()> {
    let mut values = Vec::new();
    for module in modules {
        let purpose = purpose(app, module);
        let mut engine = app.engine(Needs::Write(Shelf::Project))?;
        let kept = scan::keep(&mut engine, module, purpose.as_deref())?;
        drop(engine);
        if app.json {
            values.push(json!({"path": module.path, "outcome": kept.as_str()}));
        } else {
            app.ui.line(format!("{}: {}", scan::name(module), kept.as_str()))?;
            app.ui.flush()?;
        }
    }
    if app.json {
        app.ui.json(&Value::Array(values))?;
    }
    app.maintain_in_background();
    Ok(())
}

fn to_json(module: &Module, purpose: Option<&str>, remembered: usize) -> Value {
    json!({
        "path": module.path, "purpose": purpose, "files": module.files, "lines": module.lines,
        "tests": module.tests, "entry_points": module.entry_points, "exports": module.exports,
        "uses": module.uses, "used": module.used, "memories": remembered,
        "communities": module.communities.iter().map(|part| json!({
            "name": part.name, "directory": part.directory, "central": part.central,
            "files": part.files,
        })).collect::<Vec<_>>(),
    })
}

/// The parts of large directories, as text.
fn parts(module: &Module) -> Vec<String> {
    let part = |part: &Community| {
        let files = count(part.files.len(), "file", "files");
        let around = part.central.rsplit('/').next().unwrap_or(&part.central);
        format!("{} ({files} around {around})", part.name)
    };
    module.communities.iter().map(part).collect()
}

/// The first paragraph of the module's README.
fn purpose(app: &App, module: &Module) -> Option<String> {
    let folder = app.worktree().join(&module.path);
    let text = ["README.md", "readme.md", "README"]
        .iter()
        .find_map(|name| std::fs::read_to_string(folder.join(name)).ok())?;
    let paragraph = text.split("\n\n").map(str::trim).find(|part| {
        !part.is_empty() && !part.starts_with(['#', '<', '[', '!', '=', '-', '`', '|'])
    })?;
    let line = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = line.char_indices().nth(LONGEST_PURPOSE).map_or(line.len(), |(at, _)| at);
    Some(crate::render::visible(&line[..end]))
}

/// How many memories there are about files of a module.
fn remembered(app: &App, module: &Module) -> CliResult<usize> {
    let Ok(path) = RepoPath::new(module.path.as_str()) else { return Ok(0) };
    if !app.places.database(Shelf::Project).exists() {
        return Ok(0);
    }
    let engine = app.engine(Needs::Read(Shelf::Project))?;
    let filter = Filter { files: vec![path], ..Filter::default() };
    Ok(engine.list(Some(Shelf::Project), &filter, ListOrder::Newest, COUNTED, 0)?.len())
}
