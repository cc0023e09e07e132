//! Points at which a test kills the process or makes it panic. Release builds have none.
//!
//! Code that must survive a crash calls [`step`] before and after every access to the disk, and
//! [`tick`] repeatedly during long operations. A test arms one of the counters and runs the same
//! code again and again, one point later each time.
//!
//! Code whose panics are caught calls [`reach`] with its name. The feature `failpoints` keeps these
//! points in a release build, so that tests can cover release behaviour.

use std::sync::OnceLock;

#[cfg(debug_assertions)]
mod armed {
    use std::sync::atomic::{AtomicU64, Ordering};

    static STEPS: AtomicU64 = AtomicU64::new(0);
    static TICKS: AtomicU64 = AtomicU64::new(0);

    /// Kills the process at the given call of [`step`] or of [`tick`], counted from 1; 0 disarms.
    pub fn kill_at(step: u64, tick: u64) {
        STEPS.store(step, Ordering::Relaxed);
        TICKS.store(tick, Ordering::Relaxed);
    }

    /// Returns true if the tick counter is armed, so that [`tick`] must be called.
    pub fn has_ticks() -> bool {
        TICKS.load(Ordering::Relaxed) > 0
    }

    /// Kills the process if this is the armed step.
    pub fn step() {
        count(&STEPS);
    }

    /// Kills the process if this is the armed tick.
    pub fn tick() {
        count(&TICKS);
    }

    fn count(left: &AtomicU64) {
        let order = Ordering::Relaxed;
        if left.fetch_update(order, order, |left| left.checked_sub(1)) == Ok(1) {
            crate::platform::die();
        }
    }
}

#[cfg(not(debug_assertions))]
mod armed {
    /// Does nothing: release builds cannot be killed.
    pub fn kill_at(_step: u64, _tick: u64) {}

    /// Returns false: release builds cannot be killed.
    pub fn has_ticks() -> bool {
        false
    }

    /// Does nothing: release builds cannot be killed.
    #[inline(always)]
    pub fn step() {}

    /// Does nothing: release builds cannot be killed.
    #[inline(always)]
    pub fn tick() {}
}

pub use armed::{has_ticks, kill_at, step, tick};

/// True if this build can panic at failpoints.
pub const PANICS: bool = cfg!(any(debug_assertions, feature = "failpoints"));

static PANIC_AT: OnceLock<String> = OnceLock::new();

/// Makes the process panic at the point `KIND:NAME`, every time it is reached.
pub fn panic_at(point: String) {
    // Set once, when the process starts.
    PANIC_AT.get_or_init(|| point);
}

/// Panics if this is the armed point.
#[inline]
pub fn reach(kind: &str, name: &str) {
    if PANICS && PANIC_AT.get().and_then(|point| point.split_once(':')) == Some((kind, name)) {
        panic!("failpoint {kind}:{name}");
    }
}
