//! The state that all requests share.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tacit_app::{App, SilentWatcher};
use tokio::sync::{Notify, Semaphore};

use crate::assets::Asset;
use crate::cache::Cache;
use crate::error::ApiError;
use crate::events::Hub;
use crate::host::ProjectHost;
use crate::jobs::Jobs;
use crate::route::Route;
use crate::token::{Failures, PanelToken};

/// The requests that work on the stores at once; others wait.
///
/// Few, because each thread keeps for a while what its largest request needed, such as the pages of a store that it
/// read whole: 20 MB and more for 10,000 memories.
pub(crate) const MAX_CONCURRENT: usize = 3;

/// The questions that may wait for a text model at once, stopped ones included: the model cannot be interrupted.
const MAX_WAITING: usize = 8;

/// The server, as every request sees it.
pub(crate) struct ServerState {
    pub(crate) host: Arc<dyn ProjectHost>,
    pub(crate) token: PanelToken,
    pub(crate) port: u16,
    pub(crate) assets: &'static [Asset],
    pub(crate) idle: Option<Duration>,
    pub(crate) failures: Mutex<Failures>,
    pub(crate) turns: Arc<Semaphore>,
    /// The places of requests that wait for others, such as a text model.
    pub(crate) waiting: Arc<Semaphore>,
    pub(crate) hub: Hub,
    pub(crate) jobs: Jobs,
    pub(crate) cache: Cache,
    pub(crate) routes: Vec<Route>,
    /// The time of the last request of the API.
    last_request: Mutex<Instant>,
    /// The time at which freed memory was last given back to the system.
    released: Mutex<Instant>,
    /// Notified when the server must end.
    pub(crate) end: Notify,
}

impl ServerState {
    pub(crate) fn new(
        host: Arc<dyn ProjectHost>,
        token: PanelToken,
        port: u16,
        assets: &'static [Asset],
        idle: Option<Duration>,
    ) -> ServerState {
        ServerState {
            host,
            token,
            port,
            assets,
            idle,
            failures: Mutex::default(),
            turns: Arc::new(Semaphore::new(MAX_CONCURRENT)),
            waiting: Arc::new(Semaphore::new(MAX_WAITING)),
            hub: Hub::default(),
            jobs: Jobs::default(),
            cache: Cache::default(),
            routes: crate::routes::all(),
            last_request: Mutex::new(Instant::now()),
            released: Mutex::new(Instant::now()),
            end: Notify::new(),
        }
    }

    /// Opens the project for one request.
    pub(crate) fn app(&self) -> Result<App, ApiError> {
        Ok(self.host.open(Box::new(SilentWatcher))?)
    }

    pub(crate) fn note_request(&self) {
        *held(&self.last_request) = Instant::now();
    }

    /// Gives freed memory back to the system if there were requests since the last time.
    pub(crate) fn release_memory(&self) {
        let mut released = held(&self.released);
        if *held(&self.last_request) > *released {
            *released = Instant::now();
            tacit_simd::heap::release_freed();
        }
    }

    /// Returns the time until the server ends if no request comes; `None` if it never does.
    pub(crate) fn idle_left(&self) -> Option<Duration> {
        let idle = self.idle?;
        Some(idle.saturating_sub(held(&self.last_request).elapsed()))
    }
}

/// Locks a mutex. A thread that panicked left a whole value behind: each change is one assignment.
pub(crate) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
