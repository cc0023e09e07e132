//! Learns from what a project had before its memory: its commits and its committed files, and past
//! sessions of agents.

mod committed;
mod draft;
mod estimate;
pub mod git;
mod settle;
mod state;
pub mod transcripts;

pub use estimate::{LearnEstimate, estimate};
pub use git::{LearnReport, LearnRequest, has_learnt, keep_current, learn};
pub use settle::{LessonOutcome, SettledLesson};

/// Returns an estimated time in words, such as `about 2 s`.
fn about(time: std::time::Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..=1.0 => "about 1 s".to_owned(),
        ..=90.0 => format!("about {} s", seconds.ceil()),
        _ => format!("about {} min", (seconds / 60.0).ceil()),
    }
}
