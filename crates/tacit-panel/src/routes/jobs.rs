//! Long work.

use axum::http::{Method, StatusCode};
use schemars::JsonSchema;
use serde::Serialize;
use tacit_app::jobs::JobKind;

use crate::error::ApiError;
use crate::jobs::start;
use crate::route::{ApiCall, Route};
use crate::wire::job::{Job, NewJob};
use crate::wire::memory::Nothing;

/// The jobs of this server, oldest first.
#[derive(Debug, Serialize, JsonSchema)]
struct JobList {
    jobs: Vec<Job>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/jobs", "Start long work.", begin)
            .with_status(StatusCode::ACCEPTED),
        Route::new(Method::GET, "/jobs", "List the work that was started.", list),
        Route::new(Method::GET, "/jobs/{id}", "Show how far work is.", show),
        Route::new(Method::DELETE, "/jobs/{id}", "Ask work to stop.", stop),
    ]
}

fn begin(call: &ApiCall<'_>, input: NewJob) -> Result<Job, ApiError> {
    start(call.state, JobKind::find(&input.job)?)
}

fn list(call: &ApiCall<'_>, _: Nothing) -> Result<JobList, ApiError> {
    Ok(JobList { jobs: call.state.jobs.all() })
}

fn show(call: &ApiCall<'_>, _: Nothing) -> Result<Job, ApiError> {
    call.state.jobs.find(call.name())
}

fn stop(call: &ApiCall<'_>, _: Nothing) -> Result<Job, ApiError> {
    call.state.jobs.cancel(call.name())
}
