//! Panics: a fault of tacit ends the work it is in, and is told where somebody reads it.

use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tacit_core::visible_line;

use crate::error::{AppError, ErrorCode};

/// The first panic that was not told yet: later ones are often its consequences, in other threads.
static CAPTURED: Mutex<Option<PanicReport>> = Mutex::new(None);
/// True if panics are printed as they happen, and not noted.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// A panic: its message and where it happened, on one line and without secrets.
#[derive(Debug, Clone)]
pub struct PanicReport(String);

impl fmt::Display for PanicReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "this is a fault of tacit: {}", self.0)
    }
}

impl From<PanicReport> for AppError {
    fn from(fault: PanicReport) -> AppError {
        AppError::new(ErrorCode::Failure, fault.to_string())
            .hint("please report it; `tacit doctor` checks that the store is whole")
    }
}

/// Notes panics from now on instead of printing them: an agent may read what a process prints.
pub fn capture() {
    std::panic::set_hook(Box::new(|panic| {
        let fault = PanicReport::of(panic);
        if PRINTED.load(Ordering::Relaxed) {
            // With nowhere to say it, whoever asked still gets an error.
            let _ = writeln!(std::io::stderr(), "tacit: {fault}");
        } else {
            CAPTURED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
        }
    }));
}

/// Prints panics from now on, each on one line of standard error: for a server, which catches those
/// of its calls and whose client keeps what it prints.
pub fn print_to_stderr() {
    PRINTED.store(true, Ordering::Relaxed);
}

/// Does some work; a panic in it is an error.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, PanicReport> {
    // Whatever the work had in its hands is dropped with it, or holds locks that undo what is half
    // done: transactions and replacements of files.
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        take_unreported().unwrap_or_else(|| PanicReport("it was told above".to_owned()))
    })
}

/// Takes a panic that nobody was told of, such as one of a thread that nothing waited for.
pub fn take_unreported() -> Option<PanicReport> {
    CAPTURED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl PanicReport {
    fn of(panic: &PanicHookInfo<'_>) -> PanicReport {
        let message = panic.payload_as_str().unwrap_or("no message");
        let place = panic.location().map(|place| format!(" ({place})")).unwrap_or_default();
        PanicReport(visible_line(&tacit_redact::redact(&format!("{message}{place}")).text))
    }
}
