//! The real binary as processes: many at once, killed, fed with hostile text, in broken places.

mod agents;
mod backups;
mod bridges;
mod capture;
mod corrupted;
mod crowd;
mod damage;
mod demo;
mod edits;
mod facts;
mod file_sync;
mod generation;
mod hooks;
mod hostile;
mod killed;
mod learn;
mod life;
mod links;
mod lost;
mod maintain;
mod mcp;
mod mending;
mod output;
mod owned;
mod panel;
mod panics;
mod places;
mod planted;
mod plugin;
mod poison;
mod purged;
mod records;
mod report;
mod review;
mod said;
mod sandbox;
mod scenario;
mod secrets;
mod steps;
mod strangers;
mod team;
mod undo;
mod written;

use std::fs;
use std::path::{Path, PathBuf};

use tacit_testkit::env::TestEnv;

const BINARY: &str = env!("CARGO_BIN_EXE_tacit");

/// A repository without a memory.
fn bare() -> TestEnv {
    TestEnv::new(BINARY)
}

/// A directory outside git, without a memory.
fn plain() -> TestEnv {
    TestEnv::without_git(BINARY)
}

/// A place whose project has an empty memory.
fn initialised() -> TestEnv {
    TestEnv::initialised(BINARY)
}

/// The files in a folder and in the folders below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}
