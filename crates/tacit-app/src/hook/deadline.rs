//! The time a hook has: the agent waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tacit_store::Record;

use super::{Hook, log};

/// Ends the process in time, whatever it hangs on.
pub(super) struct Deadline(Arc<AtomicBool>);

impl Deadline {
    /// Starts to count. What is kept of the event is kept also if the time runs out.
    pub(super) fn start(hook: &Hook<'_>, kept: &Record) -> Deadline {
        let done = Arc::new(AtomicBool::new(false));
        let (seen, kept, id) = (done.clone(), kept.clone(), hook.id);
        let (places, clock) = (hook.place.places.clone(), hook.environment.clock.clone());
        let millis = hook.config().hooks_deadline_ms;
        let keeps = !hook.config().capture_paused;
        let wait = move || {
            std::thread::sleep(Duration::from_millis(millis));
            if seen.swap(true, Ordering::SeqCst) {
                return;
            }
            if keeps && let Err(error) = places.keep(&id, &kept) {
                log::write(&places.project, clock.as_ref(), &format!("an event is lost: {error}"));
            }
            let problem = format!("gave up after {millis} ms");
            log::write(&places.project, clock.as_ref(), &problem);
            give_up();
        };
        // Without a thread there is no deadline, and the client's own holds.
        let _ = std::thread::Builder::new().stack_size(64 * 1024).spawn(wait);
        Deadline(done)
    }

    /// From here on nothing hangs.
    pub(super) fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Ends the process with nothing said.
#[expect(clippy::disallowed_methods, reason = "nothing is left to be cleaned up that matters")]
fn give_up() -> ! {
    std::process::exit(0)
}
