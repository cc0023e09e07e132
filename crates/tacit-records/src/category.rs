//! The six categories of records, and where each is kept.

use std::fmt;
use std::str::FromStr;

use tacit_core::{Category, Problem};

/// What a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordCategory {
    /// A snapshot from which work can be resumed.
    SessionSummary,
    /// A choice and its rationale.
    Decision,
    /// How to diagnose, fix and verify an error.
    Runbook,
    /// An enduring limitation.
    Constraint,
    /// Deferred work.
    TechDebt,
    /// A convention.
    Preference,
}

impl RecordCategory {
    /// Every category, in the order in which they are listed.
    pub const ALL: [RecordCategory; 6] = [
        RecordCategory::SessionSummary,
        RecordCategory::Decision,
        RecordCategory::Runbook,
        RecordCategory::Constraint,
        RecordCategory::TechDebt,
        RecordCategory::Preference,
    ];

    /// The word for it, as it stands in records, settings and commands.
    pub fn as_str(self) -> &'static str {
        self.category().as_str()
    }

    /// The category of its memories, the folder its records are in, and the heading above them.
    fn names(self) -> (Category, &'static str, &'static str) {
        match self {
            RecordCategory::SessionSummary => (Category::SessionSummary, "sessions", "Sessions"),
            RecordCategory::Decision => (Category::Decision, "decisions", "Decisions"),
            RecordCategory::Runbook => (Category::Runbook, "runbooks", "Runbooks"),
            RecordCategory::Constraint => (Category::Constraint, "constraints", "Constraints"),
            RecordCategory::TechDebt => (Category::TechDebt, "tech-debt", "Tech debt"),
            RecordCategory::Preference => (Category::Preference, "preferences", "Preferences"),
        }
    }

    /// The folder its records are in.
    pub fn folder(self) -> &'static str {
        self.names().1
    }

    /// The category whose records are in a folder.
    pub fn of_folder(folder: &str) -> Option<RecordCategory> {
        RecordCategory::ALL.into_iter().find(|category| category.folder() == folder)
    }

    /// The heading above its records in the index.
    pub fn heading(self) -> &'static str {
        self.names().2
    }

    /// The category a memory made from such a record has.
    pub fn category(self) -> Category {
        self.names().0
    }

    /// Whether what was learnt in a session may take a record out of use. Sessions leave by their
    /// window; decisions and preferences are overtaken by a change to them, which keeps what was
    /// there before.
    pub fn may_be_retired_by_learning(self) -> bool {
        use RecordCategory::{Constraint, Runbook, TechDebt};
        matches!(self, Runbook | Constraint | TechDebt)
    }
}

impl fmt::Display for RecordCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for RecordCategory {
    type Err = Problem;

    fn from_str(text: &str) -> Result<RecordCategory, Problem> {
        RecordCategory::ALL.into_iter().find(|category| category.as_str() == text).ok_or_else(
            || {
                let words = RecordCategory::ALL.map(RecordCategory::as_str).join(", ");
                Problem::unexpected(text, format!("a category of records ({words})"))
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_folders_lead_back() {
        for category in RecordCategory::ALL {
            assert_eq!(category.as_str().parse(), Ok(category));
            assert_eq!(RecordCategory::of_folder(category.folder()), Some(category));
        }
        for wrong in ["DECISION", "decisions", "patterns", ""] {
            assert!(wrong.parse::<RecordCategory>().is_err(), "{wrong}");
        }
        assert_eq!(RecordCategory::of_folder("tech_debt"), None);
    }
}
