//! What files of other tools become, and that no file can do harm.

mod databases;
mod markdown;
mod properties;
mod samples;
mod settings;

use tacit_bridges::{ImportContent, ImportItem};
use tacit_core::Draft;

/// Returns the drafts among what was found.
fn drafts(items: &[ImportItem]) -> Vec<&Draft> {
    items
        .iter()
        .filter_map(|item| match &item.content {
            ImportContent::Draft(draft) => Some(draft.as_ref()),
            _ => None,
        })
        .collect()
}

/// What was left out, and why.
fn skipped(items: &[ImportItem]) -> Vec<(usize, &'static str)> {
    items
        .iter()
        .filter_map(|item| match item.content {
            ImportContent::Skipped(why) => Some((item.line, why)),
            _ => None,
        })
        .collect()
}
