//! The commands, one file each: arguments, help, and `run`. Groups of commands have a folder.

pub(crate) mod agents;
pub(crate) mod code;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod debug;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod edit;
pub(crate) mod eval;
pub(crate) mod export;
pub(crate) mod flag;
pub(crate) mod forget;
pub(crate) mod history;
pub(crate) mod how;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod learn;
pub(crate) mod ledger;
pub(crate) mod list;
pub(crate) mod maintain;
pub(crate) mod mcp;
pub(crate) mod migrate;
pub(crate) mod open;
pub(crate) mod panel;
pub(crate) mod recall;
pub(crate) mod records;
pub(crate) mod remember;
pub(crate) mod report;
pub(crate) mod restore;
pub(crate) mod review;
pub(crate) mod session;
pub(crate) mod share;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod team;
pub(crate) mod triggers;
pub(crate) mod undo;
pub(crate) mod uninstall;
pub(crate) mod validate;
pub(crate) mod when;
pub(crate) mod why;
pub(crate) mod work;

use serde_json::{Map, Value, json};
use tacit_app::human_time::ago;
use tacit_core::Timestamp;
use tacit_engine::remember::TextCleanup;
use tacit_engine::{FailedStep, LostWrites};
use tacit_store::UnreadableRows;

/// Describes the changes that the gate made to a text.
fn treatment_notes(treatment: &TextCleanup) -> Vec<String> {
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

/// Renders the changes that the gate made to a text, as fields of JSON.
fn treatment_json(treatment: &TextCleanup) -> [(&'static str, Value); 2] {
    let redacted: Map<String, Value> =
        treatment.redacted.iter().map(|(rule, count)| (rule.clone(), json!(count))).collect();
    [("redacted", Value::Object(redacted)), ("removed_controls", json!(treatment.removed_controls))]
}

/// `1 memory`, `2 memories`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// `1,083 commits`.
pub(crate) fn count_large(number: usize, one: &str, many: &str) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{grouped} {}", if number == 1 { one } else { many })
}

/// Returns the last line of a truncated list; `None` if all of it is shown.
pub(crate) fn footer(offset: usize, shown: usize, total: usize) -> Option<String> {
    match offset {
        _ if shown == 0 || (offset == 0 && shown >= total) => None,
        0 => Some(format!("{shown} of {total}; --limit {total} shows all")),
        _ => Some(format!("{} to {} of {total}", offset + 1, offset + shown)),
    }
}

/// Describes memories that are missing from the index.
fn unindexed(number: u64) -> String {
    match number {
        1 => "1 memory is not indexed".into(),
        _ => format!("{number} memories are not indexed"),
    }
}

/// Describes requests that wait in the spool.
fn waiting(number: usize) -> String {
    match number {
        1 => "1 request waits in the spool for the database".into(),
        _ => format!("{number} requests wait in the spool for the database"),
    }
}

/// Describes acknowledged writes that are missing.
pub(crate) fn lost(losses: &LostWrites) -> String {
    let what = match (losses.memories, losses.changes) {
        (0, changes) => {
            format!("{} that {} stored", of(changes, "change", "changes"), was(changes))
        }
        (memories, _) => {
            format!("{} that {} stored", of(memories, "memory", "memories"), was(memories))
        }
    };
    let is = if losses.memories.max(losses.changes) == 1 { "is" } else { "are" };
    format!("{what} {is} missing: the database's log was damaged or removed")
}

pub(crate) fn of(number: u64, one: &str, many: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), one, many)
}

fn was(number: u64) -> &'static str {
    if number == 1 { "was" } else { "were" }
}

/// Describes purges that were interrupted.
pub(crate) fn pending(health: &tacit_engine::StoreHealth) -> String {
    if let [note, ..] = health.unreadable_purges.as_slice() {
        return format!(
            "a purge was interrupted and its note `{}` cannot be read; purge the memory again if it \
             is still there, then remove the file",
            note.display()
        );
    }
    match health.pending_purges {
        1 => "1 purge was interrupted; the next command finishes it".into(),
        number => format!("{number} purges were interrupted; the next command finishes them"),
    }
}

/// Describes rows about sessions that cannot be read.
pub(crate) fn unreadable(tables: &[UnreadableRows]) -> String {
    let table = |found: &UnreadableRows| {
        format!("{} of {}: {}", of(found.rows, "row", "rows"), found.table, found.why)
    };
    let tables: Vec<String> = tables.iter().map(table).collect();
    format!("cannot read {}", tables.join("; "))
}

/// Describes a step of maintenance that failed.
pub(crate) fn failed_step(failed: &FailedStep, now: Timestamp) -> String {
    let FailedStep { step, at, error } = failed;
    format!("maintenance could not {step} {} (at {at}): {error}", ago(*at, now))
}

/// Describes requests in the spool that could not be stored.
fn set_aside(number: usize) -> String {
    format!("{} could not be stored", count(number, "request", "requests"))
}

/// Describes requests that the server of a team refused.
pub(crate) fn refused(number: usize) -> String {
    let requests = count(number, "request was", "requests were");
    format!("{requests} refused by the team's server; `tacit team status` shows why")
}

/// Describes events of sessions that could not be read.
fn set_aside_events(number: usize) -> String {
    format!("{} could not be read", count(number, "event", "events"))
}

#[cfg(test)]
mod tests {
    use super::footer;

    #[test]
    fn a_list_that_is_cut_counts_what_there_is() {
        for (offset, shown, total, expected) in [
            (0, 10, 26, Some("10 of 26; --limit 26 shows all")),
            (0, 26, 26, None),
            (0, 0, 0, None),
            (10, 10, 26, Some("11 to 20 of 26")),
            (20, 6, 26, Some("21 to 26 of 26")),
            (30, 0, 26, None),
        ] {
            assert_eq!(footer(offset, shown, total).as_deref(), expected);
        }
    }
}
