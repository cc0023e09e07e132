//! Methodologies and their definitions.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod definitions;
mod inference;
mod shipped;
mod texts;
mod unfinished;

use tacit_work::{Methodology, shipped_methodology};

fn methodology(id: &str) -> Methodology {
    shipped_methodology(id).unwrap()
}
