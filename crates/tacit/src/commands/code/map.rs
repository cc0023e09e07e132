//! `tacit code map`

use std::collections::HashMap;

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::graph::{query_whole_graph, refresh};
use tacit_app::module_map;
use tacit_app::scan::{self, ScannedModule};
use tacit_engine::{StoreAccess, StoreScope};
use tacit_graph::{Community, Module};

use crate::app::CliApp;
use crate::commands::count;

/// Show the modules of the project.
///
/// For each module: its purpose, its entry points, the modules it uses, and the number of memories
/// about it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit code map
  tacit code map --json
  tacit code map --remember          store a memory about each module")]
pub(crate) struct MapArgs {
    /// Store a memory about each module, or update it: a card of facts, or a paragraph by the text
    /// model of `generation.provider`.
    #[arg(long)]
    remember: bool,
}

impl MapArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        if self.remember {
            // The graph must be current before it becomes a memory.
            refresh(app, false)?;
            return remember(app, &scan::scan(app)?);
        }
        let scanned = query_whole_graph(app, |graph| scan::scan_graph(app, graph))?;
        if scanned.is_empty() && !app.json {
            return app.ui.line("There are no source files here, so there are no modules.");
        }
        let modules: Vec<Module> = scanned.into_iter().map(|scanned| scanned.module).collect();
        let counts = remembered(app, &modules)?;
        let mut values = Vec::new();
        for module in &modules {
            let purpose = scan::purpose(app.worktree(), module);
            let remembered = counts.get(&module.path).copied().unwrap_or(0);
            if app.json {
                values.push(to_json(module, purpose.as_deref(), remembered));
                continue;
            }
            let name = if module.path.is_empty() { "." } else { &module.path };
            let files = count(module.files as usize, "file", "files");
            let lines = count(module.lines as usize, "line", "lines");
            let tests = count(module.tests as usize, "test", "tests");
            let memories = count(remembered, "memory", "memories");
            app.ui.line(format!("{name}  {files}, {lines}, {tests}, {memories}"))?;
            if let Some(purpose) = purpose {
                app.ui.line(format!("  {purpose}"))?;
            }
            let list = |app: &CliApp, what: &str, items: Vec<&str>| -> AppResult<()> {
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

/// Stores a memory about each module, and prints the outcomes.
fn remember(app: &CliApp, scanned: &[ScannedModule]) -> AppResult<()> {
    let kept = scan::store_cards(app, scanned)?;
    if app.json {
        let values = kept.outcomes.iter();
        let values =
            values.map(|(name, kept)| json!({"path": path(name), "outcome": kept.as_str()}));
        app.ui.json(&Value::Array(values.collect()))?;
        return Ok(());
    }
    app.ui.lines(
        kept.outcomes
            .iter()
            .map(|(name, kept)| format!("{}: {}", crate::render::visible(name), kept.as_str())),
    )?;
    if let Some(why) = &kept.failure {
        app.ui.line(format!("Not described by the text model: {}", crate::render::visible(why)))?;
    }
    Ok(())
}

/// Returns the directory of a module by its name.
fn path(name: &str) -> &str {
    if name == "." { "" } else { name }
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

/// Describes the parts of large directories.
fn parts(module: &Module) -> Vec<String> {
    let part = |part: &Community| {
        let files = count(part.files.len(), "file", "files");
        let around = part.central.rsplit('/').next().unwrap_or(&part.central);
        format!("{} ({files} around {around})", part.name)
    };
    module.communities.iter().map(part).collect()
}

/// Counts the memories about each module, by its path.
fn remembered(app: &CliApp, modules: &[Module]) -> AppResult<HashMap<String, usize>> {
    if !app.places.database(StoreScope::Project).exists() {
        return Ok(HashMap::new());
    }
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let counts = module_map::remembered(&engine, modules)?;
    Ok(counts.into_iter().map(|(path, about)| (path, about.memories)).collect())
}
