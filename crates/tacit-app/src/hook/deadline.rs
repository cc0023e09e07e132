//! The time a hook has: the agent waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tacit_core::{Clock, MemoryId};
use tacit_engine::StorePaths;
use tacit_store::ActivityBatch;

use super::{Hook, log};

/// Ends the process in time, whatever it hangs on. The event is kept for later then, and if the
/// process panics.
pub(super) struct Deadline(Arc<Unfinished>);

/// An event that is neither recorded nor kept yet.
struct Unfinished {
    done: AtomicBool,
    places: StorePaths,
    clock: Arc<dyn Clock + Send + Sync>,
    id: MemoryId,
    /// None if capture is paused.
    kept: Option<ActivityBatch>,
}

impl Deadline {
    /// Starts to count.
    pub(super) fn start(hook: &Hook<'_>, kept: &ActivityBatch) -> Deadline {
        let unfinished = Arc::new(Unfinished {
            done: AtomicBool::new(false),
            places: hook.place.places.clone(),
            clock: hook.environment.clock.clone(),
            id: hook.id,
            kept: Some(kept.clone()).filter(|_| !hook.config().capture_paused),
        });
        let (seen, millis) = (unfinished.clone(), hook.config().hooks_deadline_ms);
        // Without a thread there is no deadline, and the client's own holds.
        let _ = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
            std::thread::sleep(Duration::from_millis(millis));
            if seen.keep() {
                seen.log(&format!("gave up after {millis} ms"));
                give_up();
            }
        });
        Deadline(unfinished)
    }

    /// From here on nothing hangs.
    pub(super) fn stop(&self) {
        self.0.done.store(true, Ordering::SeqCst);
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.keep();
        }
    }
}

impl Unfinished {
    /// Keeps the event, unless it is done with. Returns true if it was not.
    fn keep(&self) -> bool {
        if self.done.swap(true, Ordering::SeqCst) {
            return false;
        }
        if let Some(kept) = &self.kept
            && let Err(error) = self.places.spool_batch(&self.id, kept)
        {
            self.log(&format!("an event is lost: {error}"));
        }
        true
    }

    fn log(&self, problem: &str) {
        log::write(&self.places.project, self.clock.as_ref(), problem);
    }
}

/// Ends the process with nothing said.
#[expect(clippy::disallowed_methods, reason = "nothing is left to be cleaned up that matters")]
fn give_up() -> ! {
    std::process::exit(0)
}
