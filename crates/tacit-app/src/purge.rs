//! The proof of a purge: what is left of the memories, and where Tacit does not delete.

use std::fs;
use std::path::{Path, PathBuf};

use tacit_engine::{PurgeResult, TraceScan, quotes_in_file};

use crate::app::App;
use crate::triggers;

/// Files of agent clients in a worktree that often repeat what a memory says.
const INSTRUCTIONS: [&str; 3] = ["CLAUDE.md", "AGENTS.md", "GEMINI.md"];
/// The folder of records in a worktree.
const RECORDS: &str = ".claude/memory";
/// The deepest folder of records or decisions that is searched.
const DEPTH: usize = 4;

/// The remains of purged memories.
#[derive(Debug, Default)]
pub struct PurgeProof {
    /// The search of every file of the stores.
    pub scan: TraceScan,
    /// Files of the repository and of agent clients that quote a memory. Tacit does not change them.
    pub not_touched: Vec<PathBuf>,
}

/// Searches for what is left of purged memories. No engine may be open.
pub fn prove(app: &App, purged: &PurgeResult) -> PurgeProof {
    let quotations = &purged.quotations;
    let scan = TraceScan::of(&app.places, quotations);
    let mut not_touched = Vec::new();
    let mut look = |path: &Path| {
        if quotes_in_file(path, quotations).is_ok_and(|(_, found)| found) {
            not_touched.push(path.to_owned());
        }
    };
    let root = app.worktree();
    let layout = triggers::layout_at(root, app.config());
    let files = layout.indexes.iter().map(String::as_str).chain(INSTRUCTIONS);
    files.for_each(|name| look(&root.join(name)));
    let folders = layout.decisions.iter().map(String::as_str).chain([RECORDS]);
    folders.for_each(|name| visit(&root.join(name), DEPTH, &mut look));
    purged.transcripts.iter().for_each(|path| look(path));
    not_touched.sort();
    not_touched.dedup();
    PurgeProof { scan, not_touched }
}

fn visit(folder: &Path, depth: usize, look: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => visit(&entry.path(), depth - 1, look),
            Ok(kind) if kind.is_file() => look(&entry.path()),
            _ => {}
        }
    }
}
