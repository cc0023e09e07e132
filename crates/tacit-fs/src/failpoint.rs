//! Points at which a test kills the process. Release builds have none.
//!
//! Work that must survive a sudden end calls [`step`] before and after everything that touches the
//! disk. A test arms the counter and starts the same work over and over, one step later each time.

#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(debug_assertions)]
static LEFT: AtomicU64 = AtomicU64::new(0);

/// Lets the process die at the `step`th call of [`step`]; 0 lets it live.
#[cfg(debug_assertions)]
pub fn kill_at(step: u64) {
    LEFT.store(step, Ordering::Relaxed);
}

/// Whether [`kill_at`] armed the counter.
#[cfg(debug_assertions)]
pub fn is_armed() -> bool {
    LEFT.load(Ordering::Relaxed) > 0
}

/// Dies here if this is the step to die at.
#[cfg(debug_assertions)]
pub fn step() {
    let (order, counted) = (Ordering::Relaxed, |left: u64| left.checked_sub(1));
    if LEFT.fetch_update(order, order, counted) == Ok(1) {
        die();
    }
}

/// Ends the process as a power failure would: nothing is dropped, flushed or told.
#[cfg(all(debug_assertions, unix))]
fn die() {
    let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
}

#[cfg(all(debug_assertions, not(unix)))]
fn die() {
    std::process::abort();
}

/// Release builds cannot be killed.
#[cfg(not(debug_assertions))]
pub fn kill_at(_step: u64) {}

/// Release builds cannot be killed.
#[cfg(not(debug_assertions))]
pub fn is_armed() -> bool {
    false
}

/// Release builds cannot be killed.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn step() {}
