//! The head of the index of triggers, which `tacit init` writes.

/// The head of an index, which explains its use.
pub const CONSUMPTION_HEADER: &str = include_str!("../assets/header.md");
/// The decisions directory that the head names by default.
pub const DEFAULT_DECISIONS: &str = "agents/decisions";

/// Returns the head of an index for a decisions directory.
pub fn consumption_header(decisions: &str) -> String {
    CONSUMPTION_HEADER.replace(DEFAULT_DECISIONS, decisions.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::{TriggerIndex, parse_index};

    #[test]
    fn the_head_of_an_index_is_valid() {
        assert_eq!(parse_index(CONSUMPTION_HEADER.as_bytes()), TriggerIndex::default());
    }

    #[test]
    fn the_head_names_the_configured_directory() {
        let header = consumption_header("docs/decided/");
        assert!(header.contains("(relative to docs/decided/)"));
        assert!(!header.contains(DEFAULT_DECISIONS));
    }
}
