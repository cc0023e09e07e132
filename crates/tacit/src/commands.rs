//! One file per command: its arguments, its help, and `run`.

pub(crate) mod cochange;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod flow;
pub(crate) mod forget;
pub(crate) mod graph;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod hook;
pub(crate) mod hooks;
pub(crate) mod how;
pub(crate) mod impact;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod ledger;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod locate;
pub(crate) mod maintain;
pub(crate) mod map;
pub(crate) mod mcp;
pub(crate) mod methodology;
pub(crate) mod observe;
pub(crate) mod phase;
pub(crate) mod proactive;
pub(crate) mod qa;
pub(crate) mod recall;
pub(crate) mod records;
pub(crate) mod remember;
pub(crate) mod report;
pub(crate) mod restore;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod status;
pub(crate) mod tag;
pub(crate) mod triggers;
pub(crate) mod undo;
pub(crate) mod uninstall;
pub(crate) mod validate;
pub(crate) mod verify;
pub(crate) mod when;
pub(crate) mod work;

use serde_json::{Map, Value, json};
use tacit_core::MemoryId;
use tacit_engine::remember::Treatment;
use tacit_engine::{Engine, Shelf};

use crate::error::CliResult;

/// Gives vectors to what was just written, if that is quick; whether more waits than that.
pub(crate) fn embed_few(engine: &mut Engine<'_>, shelf: Shelf) -> bool {
    const FEW: usize = 1;
    // What cannot be embedded now is embedded later; the memory itself is safe.
    let _ = engine.embed_pending(shelf, FEW, &mut |_, _| {});
    engine.models(shelf).is_ok_and(|models| models.iter().any(|model| model.pending > 0))
}

/// What was done to a text before it was kept, in words.
fn treatment_notes(treatment: &Treatment) -> Vec<String> {
    let mut notes = Vec::new();
    for (rule, count) in &treatment.redacted {
        notes.push(format!("redacted {count} × {rule}: secrets are never stored"));
    }
    if treatment.removed_controls > 0 {
        let what = count(treatment.removed_controls, "control character", "control characters");
        notes.push(format!("removed {what}"));
    }
    notes
}

/// What was done to a text, as JSON, to be put beside what became of it.
fn treatment_json(treatment: &Treatment) -> [(&'static str, Value); 2] {
    let redacted: Map<String, Value> =
        treatment.redacted.iter().map(|(rule, count)| (rule.clone(), json!(count))).collect();
    [("redacted", Value::Object(redacted)), ("removed_controls", json!(treatment.removed_controls))]
}

/// `1 memory`, `2 memories`.
fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// The memories that ids mean, each once. All are looked up before anything is done to one, so
/// that a mistyped id does not leave half of the work done.
fn find_all(engine: &Engine<'_>, ids: &[String]) -> CliResult<Vec<MemoryId>> {
    let mut found = Vec::new();
    for id in ids {
        let id = engine.find(id)?.memory.id;
        if !found.contains(&id) {
            found.push(id);
        }
    }
    Ok(found)
}

/// That memories cannot be found, in words.
fn unindexed(number: u64) -> String {
    match number {
        1 => "1 memory is not indexed".into(),
        _ => format!("{number} memories are not indexed"),
    }
}

/// That requests wait in the spool, in words.
fn waiting(number: usize) -> String {
    match number {
        1 => "1 request waits in the spool for the database".into(),
        _ => format!("{number} requests wait in the spool for the database"),
    }
}

/// That requests in the spool could not be stored, in words.
fn set_aside(number: usize) -> String {
    format!("{} could not be stored", count(number, "request", "requests"))
}
