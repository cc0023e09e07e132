//! Learns from what a project had before its memory: its commits and committed files (`git/`), and past
//! sessions of agents (`transcripts/`).

pub mod git;
pub mod transcripts;

use std::time::Duration;

/// Returns an estimated time in words, such as `about 2 s`.
fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..=1.0 => "about 1 s".to_owned(),
        ..=90.0 => format!("about {} s", seconds.ceil()),
        _ => format!("about {} min", (seconds / 60.0).ceil()),
    }
}
