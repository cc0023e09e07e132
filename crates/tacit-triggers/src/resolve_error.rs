//! Why a query has no answer, in the words that agents know.

use thiserror::Error;

/// Why there is no answer, in the words that are printed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ResolveError {
    /// No entry matches.
    #[error("No match for '{query}'.{}", listed(" Did you mean:", suggestions))]
    NoMatch {
        /// What was asked for.
        query: String,
        /// The nearest entries.
        suggestions: Vec<String>,
    },
    /// Several entries match equally well.
    #[error("'{query}' matches several entries.{}", listed(" Did you mean:", suggestions))]
    Ambiguous {
        /// What was asked for.
        query: String,
        /// The entries.
        suggestions: Vec<String>,
    },
    /// The entry is there, but not the heading it stands for.
    #[error("Entry '{entry}' has no heading in {file}. Run `tacit triggers validate`.")]
    NoHeading {
        /// The entry.
        entry: String,
        /// The file that should have the heading.
        file: String,
    },
    /// No such section.
    #[error("Section '{name}' not found.{}", listed(" Available:", available))]
    NoSection {
        /// What was asked for.
        name: String,
        /// The sections there are, the nearest first.
        available: Vec<String>,
    },
    /// Several sections of that name.
    #[error("Section '{name}' is in several places. Candidates:{}", listed("", candidates))]
    ManySections {
        /// What was asked for.
        name: String,
        /// A query for each of them.
        candidates: Vec<String>,
    },
    /// No such file.
    #[error("File '{name}' not found in {directory}.{}", listed(" Available:", available))]
    NoFile {
        /// What was asked for.
        name: String,
        /// Where files are looked for.
        directory: String,
        /// The files there are.
        available: Vec<String>,
    },
}

impl ResolveError {
    /// The queries that are suggested.
    pub fn suggestions(&self) -> &[String] {
        match self {
            ResolveError::NoMatch { suggestions, .. }
            | ResolveError::Ambiguous { suggestions, .. } => suggestions,
            ResolveError::NoSection { available, .. } | ResolveError::NoFile { available, .. } => {
                available
            }
            ResolveError::ManySections { candidates, .. } => candidates,
            ResolveError::NoHeading { .. } => &[],
        }
    }
}

fn listed(heading: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("\n  {line}")).collect();
    format!("{heading}{lines}")
}
