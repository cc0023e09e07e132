//! `tacit code index`

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::code;
use tacit_app::graph::{query_whole_graph, refresh};
use tacit_codebase::IndexUse;
use tacit_engine::{StoreAccess, StoreScope};
use tacit_graph::summary;

use crate::app::CliApp;
use crate::commands::count;

/// Number of files missing from an index that are named.
const STALE_NAMED: usize = 5;

/// Bring the code graph up to date with the files.
///
/// If `index.scip` lies at the root of the worktree, its facts are added: calls on values, and
/// certainty about the rest. Files that have changed since the index was made are left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit code index
  tacit code index --all        read every file again
  tacit code index --stats      count nodes and edges, and list parse errors
  scip-typescript index && tacit code index")]
pub(crate) struct IndexArgs {
    /// Read every file again, even if it looks unchanged.
    #[arg(long)]
    all: bool,
    /// Show what the graph has, and what could not be parsed or resolved.
    #[arg(long, conflicts_with = "all")]
    stats: bool,
}

impl IndexArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        if self.stats { stats(app) } else { build(app, self.all) }
    }
}

fn build(app: &CliApp, all: bool) -> AppResult<()> {
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
    let state = if done.changed { "graph updated" } else { "nothing changed" };
    app.ui.line(format!(
        "{files}; {} read, {} parsed, {} removed; {state}",
        done.read, done.parsed, done.removed
    ))?;
    if done.unnameable > 0 {
        say_unnameable(app, done.unnameable)?;
    }
    say_index(app, &done.index)
}

fn say_unnameable(app: &CliApp, files: u64) -> AppResult<()> {
    let (one, many) = ("source file has a name that is", "source files have names that are");
    let what = count(files as usize, one, many);
    app.ui.line(format!("{what} not UTF-8; left out"))
}

fn index_json(index: &IndexUse) -> Value {
    match index {
        IndexUse::NotRead => Value::Null,
        IndexUse::Unreadable => json!({"readable": false}),
        IndexUse::Used(used) => json!({
            "readable": true, "files": used.documents, "edges": used.edges, "stale": used.stale,
        }),
    }
}

/// Prints how much an index that a compiler made has added.
fn say_index(app: &CliApp, index: &IndexUse) -> AppResult<()> {
    match index {
        IndexUse::NotRead => Ok(()),
        IndexUse::Unreadable => {
            let hint = "run the indexer again, or remove the file";
            app.ui.line(format!("`index.scip` is not a SCIP index and was ignored; {hint}"))
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

/// Compares memories with the graph, if there are any.
fn link(app: &CliApp) -> AppResult<()> {
    if app.places.database(StoreScope::Project).exists() {
        code::link_memories(app, &mut app.engine(StoreAccess::Write(StoreScope::Project))?)?;
    }
    Ok(())
}

fn stats(app: &CliApp) -> AppResult<()> {
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
