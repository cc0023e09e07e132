//! The interface to the program that runs the panel: the panel reads no environment and no clock.

use tacit_app::{App, AppResult, Watcher};

/// Opens the project. Called for each request, so that a request sees the configuration as it is.
pub trait ProjectHost: Send + Sync + 'static {
    /// Opens the project; notes, warnings and progress go to `watcher`.
    fn open(&self, watcher: Box<dyn Watcher>) -> AppResult<App>;
}
