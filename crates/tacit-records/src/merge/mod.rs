//! Two versions of a record that grew from one: what both say is joined, and what only a person can
//! settle is marked. Pure: three versions in, one out.
//!
//! Lists keep what either side added and lose what either side took out, the list of changes keeps
//! every entry, and counts and times follow from both. Other fields that both sides changed, each in
//! its own way, are in conflict.

mod fields;
mod index;
mod marks;

use serde_json::Value;

use crate::files::parse;
use crate::record::Record;

pub use index::merge_index;

/// What came of merging.
#[derive(Debug, Clone, PartialEq)]
pub enum MergeResult {
    /// One record that has both.
    Clean(Box<Record>),
    /// A text with both sides where they differ, between the marks that git uses.
    Conflict {
        /// The text of the file.
        text: String,
        /// The fields, as paths; empty if the files could not be joined at all.
        fields: Vec<String>,
    },
}

/// Merges two versions of a record. Without a base, both sides made it.
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
        // Together they are more than a record may have.
        Err(_) => whole(&text(&ours), &text(&theirs)),
    }
}

/// Merges the bytes of three files. An empty base means that both sides made the record; a side
/// that is not a record is in conflict as a whole.
pub fn merge_files(base: &[u8], ours: &[u8], theirs: &[u8], path: &str) -> MergeResult {
    // A base that cannot be read tells nothing about what was changed.
    let base = parse(base, path).ok();
    match (parse(ours, path), parse(theirs, path)) {
        (Ok(ours), Ok(theirs)) => merge_records(base.as_ref(), &ours, &theirs),
        _ => whole(&String::from_utf8_lossy(ours), &String::from_utf8_lossy(theirs)),
    }
}

fn whole(ours: &str, theirs: &str) -> MergeResult {
    let mut text = String::new();
    marks::both(&mut text, ours, theirs);
    MergeResult::Conflict { text, fields: Vec::new() }
}

fn text(json: &Value) -> String {
    format!("{json:#}\n")
}
