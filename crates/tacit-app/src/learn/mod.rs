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
