//! What definitions say and what they cannot.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod inferring;
mod reading;
mod shipped;
mod telling;

use tacit_work::{Methodology, shipped};

fn methodology(id: &str) -> Methodology {
    shipped(id).unwrap()
}
