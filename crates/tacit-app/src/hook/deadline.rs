//! The deadline of a hook: the agent waits for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tacit_core::{Clock, MemoryId};
use tacit_engine::StorePaths;
use tacit_store::ActivityBatch;

use super::{Hook, log};

/// Ends the process when the time is up, whatever it hangs on. Then, or if the process panics, the
/// event is saved to be recorded later.
pub(super) struct HookDeadline(Arc<Unfinished>);

/// An event that is neither recorded nor saved yet.
struct Unfinished {
    done: AtomicBool,
    places: StorePaths,
    clock: Arc<dyn Clock + Send + Sync>,
    id: MemoryId,
    /// The event to save; `None` if capture is paused.
    record: Option<ActivityBatch>,
}

impl HookDeadline {
    /// Starts the countdown.
    pub(super) fn start(hook: &Hook<'_>, record: &ActivityBatch) -> HookDeadline {
        let unfinished = Arc::new(Unfinished {
            done: AtomicBool::new(false),
            places: hook.project.places.clone(),
            clock: hook.environment.clock.clone(),
            id: hook.id,
            record: Some(record.clone()).filter(|_| !hook.config().capture_paused),
        });
        let (watched, millis) = (unfinished.clone(), hook.config().hooks_deadline_ms);
        // If no thread can be started, only the client's own timeout applies.
        let _ = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
            std::thread::sleep(Duration::from_millis(millis));
            if watched.save() {
                watched.log(&format!("gave up after {millis} ms"));
                give_up();
            }
        });
        HookDeadline(unfinished)
    }

    /// Cancels the deadline: nothing that follows can hang.
    pub(super) fn stop(&self) {
        self.0.done.store(true, Ordering::SeqCst);
    }
}

impl Drop for HookDeadline {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.save();
        }
    }
}

impl Unfinished {
    /// Saves the event unless it is already recorded or saved. Returns true if this call did it.
    fn save(&self) -> bool {
        if self.done.swap(true, Ordering::SeqCst) {
            return false;
        }
        if let Some(record) = &self.record
            && let Err(error) = self.places.keep(&self.id, record)
        {
            self.log(&format!("event lost: {error}"));
        }
        true
    }

    fn log(&self, problem: &str) {
        log::write(&self.places.project, self.clock.as_ref(), problem);
    }
}

/// Ends the process without output.
#[expect(clippy::disallowed_methods, reason = "nothing that needs cleanup is left")]
fn give_up() -> ! {
    std::process::exit(0)
}
