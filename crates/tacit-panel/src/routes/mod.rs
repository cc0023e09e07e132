//! The routes of the API: each calls a use case and renders its result.
#![expect(
    clippy::needless_pass_by_value,
    reason = "every route takes its input as it was read from the request"
)]

mod about;
mod changes;
mod chat;
mod health;
mod jobs;
mod memories;
mod purge;
mod recipes;
mod review;
mod sessions;
mod settings;
mod storage;

use crate::route::Route;

/// Returns every route. A path with fixed parts comes before one that takes any name there.
pub(crate) fn all() -> Vec<Route> {
    let areas = [
        about::routes(),
        health::routes(),
        purge::routes(),
        changes::routes(),
        memories::routes(),
        review::routes(),
        sessions::routes(),
        settings::routes(),
        storage::routes(),
        recipes::routes(),
        chat::routes(),
        jobs::routes(),
    ];
    areas.into_iter().flatten().collect()
}
