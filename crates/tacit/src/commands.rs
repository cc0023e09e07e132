//! One file per command: its arguments, its help, and `run`.

pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod export;
pub(crate) mod forget;
pub(crate) mod health;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod recall;
pub(crate) mod remember;
pub(crate) mod restore;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod tag;
pub(crate) mod undo;

use tacit_engine::remember::Treatment;

/// What was done to a text before it was kept, in words.
fn treatment_notes(treatment: &Treatment) -> Vec<String> {
    let mut notes = Vec::new();
    for (rule, count) in &treatment.redacted {
        notes.push(format!("redacted {count} × {rule}: secrets are never stored"));
    }
    if treatment.removed_controls > 0 {
        notes.push(format!("removed {} control characters", treatment.removed_controls));
    }
    notes
}

/// `1 memory`, `2 memories`.
fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}
