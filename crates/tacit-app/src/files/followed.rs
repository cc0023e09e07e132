//! The rules that are followed now, as the last sync left them.

use std::collections::BTreeSet;

use crate::app::App;

use super::state::FileSyncState;

/// The rules that memories follow in a worktree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FollowedRules {
    /// The number of rules; the same rule in two files counts once.
    pub rules: usize,
    /// The files that have some, in order.
    pub files: Vec<String>,
}

/// Returns the rules that are followed in the current worktree. Opens no store and reads none of the
/// files.
pub fn followed_rules(app: &App) -> FollowedRules {
    let state = FileSyncState::of(&app.places.project, app.worktree()).read();
    let files = state.rule_files();
    let ids: BTreeSet<_> = files.values().flat_map(|file| file.memories.values()).collect();
    let rules = ids.len();
    let files = files.into_iter().filter(|(_, file)| !file.memories.is_empty());
    FollowedRules { rules, files: files.map(|(path, _)| path).collect() }
}

impl FollowedRules {
    /// Returns the rules in words, such as `14 rules of CLAUDE.md and 2 other files`; `None` if there
    /// are none.
    pub fn in_words(&self) -> Option<String> {
        let first = self.files.first()?;
        let rules = if self.rules == 1 { "rule" } else { "rules" };
        let others = match self.files.len() - 1 {
            0 => String::new(),
            1 => format!(" and {}", self.files[1]),
            more => format!(" and {more} other files"),
        };
        Some(format!("{} {rules} of {first}{others}", self.rules))
    }
}

#[cfg(test)]
mod tests {
    use super::FollowedRules;

    #[test]
    fn files_are_named_as_far_as_they_fit() {
        let words = |rules, files: &[&str]| {
            let files = files.iter().map(|&file| file.to_owned()).collect();
            FollowedRules { rules, files }.in_words()
        };
        assert_eq!(words(0, &[]), None);
        assert_eq!(words(1, &["AGENTS.md"]).as_deref(), Some("1 rule of AGENTS.md"));
        assert_eq!(words(3, &["a", "b"]).as_deref(), Some("3 rules of a and b"));
        assert_eq!(words(9, &["a", "b", "c"]).as_deref(), Some("9 rules of a and 2 other files"));
    }
}
