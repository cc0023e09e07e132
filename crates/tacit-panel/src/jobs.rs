//! Long work that a page starts: it runs on a thread of its own, reports its progress as events, and stops
//! at the next step when asked to.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde_json::json;
use tacit_app::bulk::BulkReport;
use tacit_app::jobs::{JobKind, run};
use tacit_app::{App, ProgressKind, Watcher, panics};
use tacit_engine::EngineResult;

use crate::error::ApiError;
use crate::phrase::Sentence;
use crate::state::{ServerState, held};
use crate::wire::job::{Job, JobState};

/// The finished jobs that are remembered.
const REMEMBERED: usize = 50;
/// The shortest time between two reports of progress.
const BETWEEN_REPORTS: Duration = Duration::from_millis(200);

/// The jobs of this server, oldest first.
#[derive(Default)]
pub(crate) struct Jobs(Mutex<Vec<Running>>);

struct Running {
    job: Job,
    cancel: Arc<AtomicBool>,
}

impl Jobs {
    pub(crate) fn all(&self) -> Vec<Job> {
        held(&self.0).iter().map(|running| running.job.clone()).collect()
    }

    pub(crate) fn find(&self, id: &str) -> Result<Job, ApiError> {
        let found =
            held(&self.0).iter().find(|running| running.job.id == id).map(|it| it.job.clone());
        found.ok_or_else(|| ApiError::not_found(format!("there is no job `{id}`")))
    }

    pub(crate) fn are_running(&self) -> bool {
        held(&self.0).iter().any(|running| running.job.state == JobState::Running)
    }

    /// Fails while a job runs: what replaces or erases a store would wait for it.
    pub(crate) fn check_idle(&self) -> Result<(), ApiError> {
        let jobs = held(&self.0);
        let running = jobs.iter().find(|running| running.job.state == JobState::Running);
        running.map_or(Ok(()), |running| {
            let busy = ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "busy",
                format!("`{}` is running; nothing was done", running.job.job),
            );
            Err(busy.hint("stop it, or wait until it is done"))
        })
    }

    /// Asks a job to stop; one that has ended stays as it is.
    pub(crate) fn cancel(&self, id: &str) -> Result<Job, ApiError> {
        for running in held(&self.0).iter_mut().filter(|running| running.job.id == id) {
            running.cancel.store(true, Ordering::Relaxed);
            running.job.cancelling = running.job.state == JobState::Running;
        }
        self.find(id)
    }

    pub(crate) fn cancel_all(&self) {
        held(&self.0).iter().for_each(|running| running.cancel.store(true, Ordering::Relaxed));
    }

    /// Changes a job. Returns it as it is now.
    fn update(&self, id: &str, change: impl FnOnce(&mut Job)) -> Option<Job> {
        let mut jobs = held(&self.0);
        let running = jobs.iter_mut().find(|running| running.job.id == id)?;
        change(&mut running.job);
        Some(running.job.clone())
    }
}

/// Starts a job, or returns the one of this kind that runs.
pub(crate) fn start(state: &Arc<ServerState>, kind: JobKind) -> Result<Job, ApiError> {
    let app = state.app()?;
    let id = app.environment.ids.next_id(app.now()).to_string();
    let cancel = Arc::new(AtomicBool::new(false));
    let job = Job::new(id.clone(), kind.as_str(), app.now());
    {
        let mut jobs = held(&state.jobs.0);
        let same =
            jobs.iter().find(|it| it.job.job == kind.as_str() && it.job.state == JobState::Running);
        if let Some(running) = same {
            return Ok(running.job.clone());
        }
        note(&mut jobs, Running { job: job.clone(), cancel: cancel.clone() });
    }
    publish(state, &job);
    let reporter = Reporter { state: state.clone(), id: id.clone(), last: Mutex::new(None) };
    let shared = state.clone();
    std::thread::spawn(move || {
        let watcher = Box::new(reporter);
        let done = panics::catch(|| {
            let app = shared.host.open(watcher)?;
            run(&app, kind, &|| cancel.load(Ordering::Relaxed))
        });
        let done = done.unwrap_or_else(|fault| Err(fault.into()));
        shared.cache.clear();
        let now = shared.app().map(|app| app.now()).ok();
        let ended = shared.jobs.update(&id, |job| {
            job.ended_at = now.map(|now| now.to_string());
            job.cancelling = false;
            match done {
                Ok(report) => {
                    job.state = match report.was_cancelled {
                        true => JobState::Cancelled,
                        false => JobState::Done,
                    };
                    job.result = report.counts;
                    job.message = Some(report.message.into());
                }
                Err(error) => {
                    job.state = JobState::Failed;
                    job.message = Some(tacit_core::visible(&error.message).into());
                }
            }
        });
        if let Some(job) = ended {
            publish(&shared, &job);
        }
    });
    Ok(job)
}

/// Adds a job; the oldest one that has ended is forgotten if there are many.
fn note(jobs: &mut Vec<Running>, job: Running) {
    if jobs.len() >= REMEMBERED
        && let Some(oldest) = jobs.iter().position(|it| it.job.state != JobState::Running)
    {
        jobs.remove(oldest);
    }
    jobs.push(job);
}

/// A job that a request does itself, with its answer as the result. Pages see how far it is, and may stop it.
pub(crate) struct AttendedJob {
    reporter: Reporter,
    cancel: Arc<AtomicBool>,
    has_ended: bool,
}

impl AttendedJob {
    /// Starts a job; several of a name may run.
    pub(crate) fn start(state: &Arc<ServerState>, app: &App, name: &str) -> AttendedJob {
        let id = app.environment.ids.next_id(app.now()).to_string();
        let cancel = Arc::new(AtomicBool::new(false));
        let job = Job::new(id.clone(), name, app.now());
        note(&mut held(&state.jobs.0), Running { job: job.clone(), cancel: cancel.clone() });
        publish(state, &job);
        let reporter = Reporter { state: state.clone(), id, last: Mutex::new(None) };
        AttendedJob { reporter, cancel, has_ended: false }
    }

    /// Reports that so many are done. Returns false if somebody stopped the job.
    pub(crate) fn go_on(&self, kind: ProgressKind, done: usize, total: usize) -> bool {
        self.reporter.progress(kind, done as u64, total as u64);
        !self.cancel.load(Ordering::Relaxed)
    }

    /// Ends the job with the result of its request.
    pub(crate) fn end(mut self, result: &EngineResult<BulkReport>) {
        self.has_ended = true;
        let (state, message) = match result {
            Ok(report) if report.was_cancelled => (JobState::Cancelled, None),
            Ok(_) => (JobState::Done, None),
            Err(error) => (JobState::Failed, Some(tacit_core::visible(&error.to_string()).into())),
        };
        self.close(state, message);
    }

    fn close(&self, state: JobState, message: Option<Sentence>) {
        let server = &self.reporter.state;
        let now = server.app().map(|app| app.now()).ok();
        let ended = server.jobs.update(&self.reporter.id, |job| {
            job.ended_at = now.map(|now| now.to_string());
            (job.cancelling, job.state, job.message) = (false, state, message);
        });
        if let Some(job) = ended {
            publish(server, &job);
        }
    }
}

impl Drop for AttendedJob {
    fn drop(&mut self) {
        // A request that panicked must not leave a job that runs for ever.
        if !self.has_ended {
            self.close(JobState::Failed, None);
        }
    }
}

fn publish(state: &ServerState, job: &Job) {
    state.hub.publish("job", &json!(job));
}

/// Passes the progress of a use case on to the pages.
struct Reporter {
    state: Arc<ServerState>,
    id: String,
    last: Mutex<Option<Instant>>,
}

impl Watcher for Reporter {
    fn note(&self, text: &str) {
        self.state
            .jobs
            .update(&self.id, |job| job.message = Some(tacit_core::visible(text).into()));
    }

    fn warn(&self, text: &str) {
        self.note(text);
    }

    fn progress(&self, kind: ProgressKind, done: u64, total: u64) {
        let job = self.state.jobs.update(&self.id, |job| {
            let step = match kind {
                ProgressKind::Files => "files",
                ProgressKind::Vectors => "vectors",
                ProgressKind::Modules => "modules",
                ProgressKind::Commits => "commits",
                ProgressKind::Memories => "memories",
                ProgressKind::Rows => "rows",
                ProgressKind::Sessions => "sessions",
            };
            (job.step, job.done, job.total) = (Some(step.to_owned()), done, total);
        });
        let mut last = held(&self.last);
        let is_due = last.is_none_or(|last| last.elapsed() >= BETWEEN_REPORTS) || done == total;
        if let Some(job) = job.filter(|_| is_due) {
            *last = Some(Instant::now());
            publish(&self.state, &job);
        }
    }
}
