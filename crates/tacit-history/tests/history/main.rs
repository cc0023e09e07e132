//! What commits say, from bytes to estimates.

mod estimates;
mod logs;

use tacit_history::{Change, Commit};

const DAY: i64 = 86_400;

/// A commit on a day that touched files.
fn commit(day: i64, files: &[&str]) -> Commit {
    let changes = files.iter().map(|path| Change::Modified((*path).to_owned())).collect();
    Commit { at: day * DAY, changes, ..Commit::default() }
}
