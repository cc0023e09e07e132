//! Records: format, write rules, files, merging and triage.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod candidates;
mod disk;
mod drafting;
mod excerpts;
mod lifetimes;
mod merging;
mod protections;
mod shapes;
mod support;
mod triage;
