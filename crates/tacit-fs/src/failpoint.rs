//! Points at which a test kills the process. Release builds have none.
//!
//! Work that must survive a sudden end calls [`step`] before and after everything that touches the
//! disk, and [`tick`] again and again within what takes long. A test arms one of the counters and
//! starts the same work over and over, one point later each time.

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
