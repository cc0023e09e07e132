//! Learning from what is there already when Tacit comes into a project.

pub mod transcripts;
