//! Embedding of the memories that wait for vectors.

use tacit_engine::{Engine, StoreScope};

use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::AppResult;

/// The memories that are embedded between two looks at whether to stop: about a second's work.
const BATCH: usize = 64;

/// Embeds the memories of a store that wait, until none does or `is_cancelled` returns true. Returns their
/// number.
pub(crate) fn embed_waiting(
    app: &App,
    engine: &mut Engine<'_>,
    scope: StoreScope,
    is_cancelled: &dyn Fn() -> bool,
) -> AppResult<usize> {
    let (mut embedded, mut left) = (0, u64::MAX);
    while !is_cancelled() {
        let (before, mut waiting) = (embedded as u64, 0);
        let mut progress = |done: u64, still: u64| {
            waiting = still;
            app.watcher.progress(ProgressKind::Vectors, before + done, before + done + still);
        };
        embedded += engine.embed_pending(scope, BATCH, &mut progress)?;
        // Memories that others keep changing would be embedded for ever.
        if waiting == 0 || waiting >= left {
            break;
        }
        left = waiting;
    }
    Ok(embedded)
}
