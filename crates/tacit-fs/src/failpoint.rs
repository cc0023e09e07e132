//! Points at which a test kills the process, or lets it panic. Release builds have none.
//!
//! Work that must survive a sudden end calls [`step`] before and after everything that touches the
//! disk, and [`tick`] again and again within what takes long. A test arms one of the counters and
//! starts the same work over and over, one point later each time.
//!
//! Work whose panics are caught calls [`reach`] with its name. The feature `failpoints` keeps these
//! points in a release build, so that a test can prove what a release does.

use std::sync::OnceLock;

#[cfg(debug_assertions)]
mod armed {
    use std::sync::atomic::{AtomicU64, Ordering};

    static STEPS: AtomicU64 = AtomicU64::new(0);
    static TICKS: AtomicU64 = AtomicU64::new(0);

    /// Lets the process die at this call of [`step`], or at this one of [`tick`]; 0 lets it live.
    pub fn kill_at(step: u64, tick: u64) {
        STEPS.store(step, Ordering::Relaxed);
        TICKS.store(tick, Ordering::Relaxed);
    }

    /// Returns true if [`tick`] has to be called.
    pub fn has_ticks() -> bool {
        TICKS.load(Ordering::Relaxed) > 0
    }

    /// Dies here if this is the step to die at.
    pub fn step() {
        count(&STEPS);
    }

    /// Dies here if this is the tick to die at.
    pub fn tick() {
        count(&TICKS);
    }

    fn count(left: &AtomicU64) {
        let order = Ordering::Relaxed;
        if left.fetch_update(order, order, |left| left.checked_sub(1)) == Ok(1) {
            die();
        }
    }

    /// Ends the process as a power failure would: nothing is dropped, flushed or told.
    #[cfg(unix)]
    fn die() {
        let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
    }

    #[cfg(not(unix))]
    fn die() {
        std::process::abort();
    }
}

#[cfg(not(debug_assertions))]
mod armed {
    /// Does nothing: release builds cannot be killed.
    pub fn kill_at(_step: u64, _tick: u64) {}

    /// Says no: release builds cannot be killed.
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

/// True if this build has points at which it panics.
pub const PANICS: bool = cfg!(any(debug_assertions, feature = "failpoints"));

/// The point to panic at.
static PANIC_AT: OnceLock<String> = OnceLock::new();

/// Lets the process panic at the point `KIND:NAME`, every time it is reached.
pub fn panic_at(point: String) {
    // Set once, when the process starts.
    PANIC_AT.get_or_init(|| point);
}

/// Panics here if this is the point to panic at.
#[inline]
pub fn reach(kind: &str, name: &str) {
    if PANICS && PANIC_AT.get().and_then(|point| point.split_once(':')) == Some((kind, name)) {
        panic!("failpoint {kind}:{name}");
    }
}
