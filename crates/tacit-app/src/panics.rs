//! Panics: turned into errors that are logged or printed where somebody reads them.

use std::fmt;
use std::io::Write;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tacit_core::visible_line;

use crate::error::{AppError, ErrorCode};

/// The first unreported panic. Later ones in other threads are often its consequences.
static CAPTURED: Mutex<Option<PanicReport>> = Mutex::new(None);
/// True if panics are printed at once instead of captured.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// The message and location of a panic, on one line and with secrets redacted.
#[derive(Debug, Clone)]
pub struct PanicReport(String);

impl fmt::Display for PanicReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "this is a bug in tacit: {}", self.0)
    }
}

impl From<PanicReport> for AppError {
    fn from(fault: PanicReport) -> AppError {
        AppError::new(ErrorCode::Failure, fault.to_string())
            .hint("please report it; `tacit doctor` checks the store")
    }
}

/// Captures panics from now on instead of printing them: an agent may read what a hook prints.
pub fn capture() {
    std::panic::set_hook(Box::new(|panic| {
        let fault = PanicReport::of(panic);
        if PRINTED.load(Ordering::Relaxed) {
            // If standard error is closed, the caller still gets an error.
            let _ = writeln!(std::io::stderr(), "tacit: {fault}");
        } else {
            CAPTURED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
        }
    }));
}

/// Prints panics from now on, each as one line on standard error. For the MCP server, which catches
/// panics of its calls and whose client logs standard error.
pub fn print_to_stderr() {
    PRINTED.store(true, Ordering::Relaxed);
}

/// Runs `work` and returns a panic in it as an error.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, PanicReport> {
    // Unwinding drops what `work` owned, and transactions and file replacements roll back.
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        take_unreported().unwrap_or_else(|| PanicReport("see the message above".to_owned()))
    })
}

/// Takes a captured panic that was not reported yet, such as one of a detached thread.
pub fn take_unreported() -> Option<PanicReport> {
    CAPTURED.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl PanicReport {
    fn of(panic: &PanicHookInfo<'_>) -> PanicReport {
        let message = panic.payload_as_str().unwrap_or("no message");
        let location = panic.location().map(|place| format!(" ({place})")).unwrap_or_default();
        PanicReport(visible_line(&tacit_redact::redact(&format!("{message}{location}")).text))
    }
}
