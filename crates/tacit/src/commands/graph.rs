//! `tacit graph`

use std::collections::BTreeMap;

use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::code;
use tacit_app::graph::{query_whole_graph, refresh};
use tacit_codebase::IndexUse;
use tacit_engine::{StoreAccess, StoreScope};
use tacit_graph::{summary, to_dot, to_graphml, to_json};

use crate::app::App;
use crate::commands::count;

/// How many files that an index no longer knows are named.
const STALE_NAMED: usize = 5;

/// The code graph: files, symbols, and what depends on what.
///
/// It is built when it is first asked for and kept up to date by `tacit maintain`; everything in it
/// can be made again.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit graph build
  tacit graph stats --json
  tacit graph export --format dot > code.dot")]
pub(crate) struct Graph {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Bring it up to date with the files.
    ///
    /// If `index.scip` lies at the root of the worktree, what the compiler that made it knows is taken
    /// in: calls on values, and certainty of the rest. Files that changed since are left out of it.
    #[command(after_help = "Examples:
  tacit graph build
  tacit graph build --all       read every file again
  scip-typescript index && tacit graph build")]
    Build {
        /// Read every file again, even those that look as they did.
        #[arg(long)]
        all: bool,
    },
    /// Say what is in it, and what could not be read or found.
    #[command(after_help = "Examples:
  tacit graph stats
  tacit graph stats --json")]
    Stats,
    /// Print all of it for other programs.
    #[command(after_help = "Examples:
  tacit graph export
  tacit graph export --format graphml > code.graphml")]
    Export {
        /// The format.
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// Every node and edge.
    Json,
    /// Files and imports, for Graphviz.
    Dot,
    /// Every node and edge, for graph editors.
    Graphml,
}

impl Graph {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        match self.command {
            Command::Build { all } => build(app, all),
            Command::Stats => stats(app),
            Command::Export { format } => export(app, format),
        }
    }
}

fn build(app: &App, all: bool) -> AppResult<()> {
    let done = refresh(app, all)?;
    link(app)?;
    if app.json {
        let value = json!({
            "files": done.files, "read": done.read, "parsed": done.parsed, "removed": done.removed,
            "unnameable": done.unnameable, "changed": done.changed, "generation": done.generation,
            "index": index_json(&done.index),
        });
        return app.ui.json(&value);
    }
    let files = count(done.files, "source file", "source files");
    let state = if done.changed { "linked anew" } else { "nothing changed" };
    app.ui.line(format!(
        "{files}; {} read, {} parsed, {} gone; {state}",
        done.read, done.parsed, done.removed
    ))?;
    if done.unnameable > 0 {
        say_unnameable(app, done.unnameable)?;
    }
    say_index(app, &done.index)
}

fn say_unnameable(app: &App, files: u64) -> AppResult<()> {
    let (one, many) = ("source file has a name that is", "source files have names that are");
    let what = count(files as usize, one, many);
    app.ui.line(format!("{what} not UTF-8; left out"))
}

fn index_json(index: &IndexUse) -> Value {
    match index {
        IndexUse::Nothing => Value::Null,
        IndexUse::Unreadable => json!({"readable": false}),
        IndexUse::Used(used) => json!({
            "readable": true, "files": used.documents, "edges": used.edges, "stale": used.stale,
        }),
    }
}

/// Says what came of an index that a compiler made.
fn say_index(app: &App, index: &IndexUse) -> AppResult<()> {
    match index {
        IndexUse::Nothing => Ok(()),
        IndexUse::Unreadable => {
            let hint = "run the indexer again, or take the file away";
            app.ui.line(format!("`index.scip` is no SCIP index and was left out; {hint}"))
        }
        IndexUse::Used(used) => {
            let files = count(used.documents as usize, "file", "files");
            let edges = count(used.edges as usize, "edge", "edges");
            app.ui.line(format!("`index.scip` knows {files}; {edges} more"))?;
            if used.stale.is_empty() {
                return Ok(());
            }
            let named: Vec<&str> =
                used.stale.iter().take(STALE_NAMED).map(String::as_str).collect();
            let rest = used.stale.len() - named.len();
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            let changed = count(used.stale.len(), "file", "files");
            let named = crate::render::visible_line(&named.join(", "));
            app.ui.line(format!(
                "  left out, newer than the index or not as it says: {changed}: {named}{more}"
            ))
        }
    }
}

/// Compares memories with the graph, where there are any.
fn link(app: &App) -> AppResult<()> {
    if app.places.database(StoreScope::Project).exists() {
        code::link_memories(app, &mut app.engine(StoreAccess::Write(StoreScope::Project))?)?;
    }
    Ok(())
}

fn stats(app: &App) -> AppResult<()> {
    let (found, generation) = query_whole_graph(app, |graph| {
        let packed = graph.packed();
        Ok((summary(&packed), packed.generation()))
    })?;
    if app.json {
        let errors: Vec<_> =
            found.errors.iter().map(|(path, line)| json!({"path": path, "line": line})).collect();
        return app.ui.json(&json!({
            "generation": generation, "nodes": found.nodes, "edges": found.edges,
            "origins": found.origins, "languages": found.languages, "lines": found.lines,
            "skipped": found.skipped, "errors": errors, "unresolved": found.unresolved,
            "dynamic_calls": found.dynamic_calls, "computed_imports": found.computed_imports,
            "unnameable": found.non_utf8,
        }));
    }
    let list = |counts: &BTreeMap<&str, u64>| {
        let parts: Vec<String> =
            counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
    };
    for (name, counts) in [
        ("nodes", &found.nodes),
        ("edges", &found.edges),
        ("known by", &found.origins),
        ("languages", &found.languages),
        ("not parsed", &found.skipped),
    ] {
        app.ui.line(format!("{name:<11} {}", list(counts)))?;
    }
    app.ui.line(format!("{:<11} {}", "lines", found.lines))?;
    app.ui.line(format!(
        "{:<11} {} imports, {} calls on values",
        "unresolved", found.unresolved, found.dynamic_calls
    ))?;
    if found.computed_imports > 0 {
        let imports = count(found.computed_imports as usize, "import", "imports");
        app.ui.line(format!("{:<11} {imports} put together at run time", "computed"))?;
    }
    if found.non_utf8 > 0 {
        say_unnameable(app, found.non_utf8)?;
    }
    app.ui.lines(
        found.errors.iter().map(|(path, line)| format!("{:<11} {path}, line {line}", "error")),
    )
}

fn export(app: &App, format: Format) -> AppResult<()> {
    let json = matches!(format, Format::Json);
    let (value, text) = query_whole_graph(app, |graph| {
        let packed = graph.packed();
        Ok(match format {
            Format::Json => (to_json(&packed), String::new()),
            Format::Dot => (Value::Null, to_dot(&packed)),
            Format::Graphml => (Value::Null, to_graphml(&packed)),
        })
    })?;
    if json { app.ui.json(&value) } else { app.ui.line(text.trim_end()) }
}
