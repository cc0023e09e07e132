//! Three-way merge of records. Pure.
//!
//! Lists keep the additions and removals of both sides, the change log keeps every entry, and
//! counters and times are combined. Other fields that both sides changed differently conflict.

mod fields;
mod index;
mod marks;

use serde_json::Value;

use crate::files::parse;
use crate::record::Record;

pub use index::merge_index;

/// The result of a merge.
#[derive(Debug, Clone, PartialEq)]
pub enum MergeResult {
    /// The merged record.
    Clean(Box<Record>),
    /// A text with git's conflict markers.
    Conflict {
        /// The contents of the file.
        text: String,
        /// The paths of conflicting fields; empty if the whole files conflict.
        fields: Vec<String>,
    },
}

/// Merges two versions of a record. Without a base, both sides created it.
pub fn merge_records(base: Option<&Record>, ours: &Record, theirs: &Record) -> MergeResult {
    let (ours, theirs) = (ours.to_json(), theirs.to_json());
    let base = base.map(Record::to_json);
    let (json, conflicts) = fields::merge(base.as_ref(), &ours, &theirs);
    if !conflicts.is_empty() {
        let fields = conflicts.iter().map(|conflict| conflict.path.clone()).collect();
        return MergeResult::Conflict { text: marks::marked(&json, &conflicts), fields };
    }
    match Record::from_json(json) {
        Ok(record) => MergeResult::Clean(Box::new(record)),
        // The merged record exceeds a limit.
        Err(_) => conflict_of_files(&text(&ours), &text(&theirs)),
    }
}

/// Merges three files. Without a valid base, both sides created the record; if a side is not a
/// valid record, the whole files conflict.
pub fn merge_files(base: &[u8], ours: &[u8], theirs: &[u8], path: &str) -> MergeResult {
    // An invalid base says nothing about the changes.
    let base = parse(base, path).ok();
    match (parse(ours, path), parse(theirs, path)) {
        (Ok(ours), Ok(theirs)) => merge_records(base.as_ref(), &ours, &theirs),
        _ => conflict_of_files(&String::from_utf8_lossy(ours), &String::from_utf8_lossy(theirs)),
    }
}

fn conflict_of_files(ours: &str, theirs: &str) -> MergeResult {
    let mut text = String::new();
    marks::both(&mut text, ours, theirs);
    MergeResult::Conflict { text, fields: Vec::new() }
}

fn text(json: &Value) -> String {
    format!("{json:#}\n")
}
