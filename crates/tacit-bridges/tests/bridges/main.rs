//! Tests of importing files of other tools, including hostile ones.

mod databases;
mod markdown;
mod properties;
mod samples;
mod settings;

use tacit_bridges::{ImportContent, ImportItem};
use tacit_core::Draft;

/// Returns the drafts among the items.
fn drafts(items: &[ImportItem]) -> Vec<&Draft> {
    items
        .iter()
        .filter_map(|item| match &item.content {
            ImportContent::Draft(draft) => Some(draft.as_ref()),
            _ => None,
        })
        .collect()
}

/// Returns the lines of skipped items with the reasons.
fn skipped(items: &[ImportItem]) -> Vec<(usize, &'static str)> {
    items
        .iter()
        .filter_map(|item| match item.content {
            ImportContent::Skipped(reason) => Some((item.line, reason)),
            _ => None,
        })
        .collect()
}
