//! What files of other tools become, and that no file can do harm.

mod databases;
mod markdown;
mod properties;
mod samples;
mod settings;

use tacit_bridges::{Item, What};
use tacit_core::Draft;

/// The drafts among what was found.
fn drafts(items: &[Item]) -> Vec<&Draft> {
    items
        .iter()
        .filter_map(|item| match &item.what {
            What::Draft(draft) => Some(draft.as_ref()),
            _ => None,
        })
        .collect()
}

/// What was left out, and why.
fn skipped(items: &[Item]) -> Vec<(usize, &'static str)> {
    items
        .iter()
        .filter_map(|item| match item.what {
            What::Skipped(why) => Some((item.line, why)),
            _ => None,
        })
        .collect()
}
