//! Errors of resolving a query. Agents know these messages.

use thiserror::Error;

/// An error of resolving a query; its message is printed as it is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ResolveError {
    /// No entry matches.
    #[error("No match for '{query}'.{}", listed(" Did you mean:", suggestions))]
    NoMatch {
        /// The query.
        query: String,
        /// The most similar entries.
        suggestions: Vec<String>,
    },
    /// Several entries match equally well.
    #[error("'{query}' matches several entries.{}", listed(" Did you mean:", suggestions))]
    Ambiguous {
        /// The query.
        query: String,
        /// The entries.
        suggestions: Vec<String>,
    },
    /// The entry exists, but its heading does not.
    #[error("Entry '{entry}' has no heading in {file}. Run `tacit triggers validate`.")]
    NoHeading {
        /// The entry.
        entry: String,
        /// The file that should have the heading.
        file: String,
    },
    /// The section does not exist.
    #[error("Section '{name}' not found.{}", listed(" Available:", available))]
    NoSection {
        /// The query.
        name: String,
        /// Existing sections, the most similar first.
        available: Vec<String>,
    },
    /// Several sections have the name.
    #[error("Section '{name}' is in several places. Candidates:{}", listed("", candidates))]
    ManySections {
        /// The query.
        name: String,
        /// A query for each of them.
        candidates: Vec<String>,
    },
    /// The file does not exist.
    #[error("File '{name}' not found in {directory}.{}", listed(" Available:", available))]
    NoFile {
        /// The query.
        name: String,
        /// The searched directories.
        directory: String,
        /// Existing files.
        available: Vec<String>,
    },
}

impl ResolveError {
    /// Returns the suggested queries.
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
