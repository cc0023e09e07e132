//! The log of hooks: one line for each thing that went wrong.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use tacit_core::Clock;

use crate::environment::Environment;
use crate::render::visible;

/// A log longer than this is set aside, and the one set aside before is dropped.
const MOST_BYTES: u64 = 1024 * 1024;

/// Adds a line to the log of a project. If that fails too, nobody can be told.
pub(super) fn write(project: &Path, environment: &Environment, problem: &str) {
    let directory = project.join("logs");
    let file = directory.join("hook.log");
    let _ = fs::create_dir_all(&directory);
    if file.metadata().is_ok_and(|meta| meta.len() > MOST_BYTES) {
        let _ = fs::rename(&file, directory.join("hook.log.1"));
    }
    let problem = tacit_redact::redact(problem);
    let line = format!("{} {}\n", environment.clock().now(), visible(&problem.text));
    let opened = File::options().create(true).append(true).open(&file);
    let _ = opened.and_then(|mut file| file.write_all(line.as_bytes()));
}
