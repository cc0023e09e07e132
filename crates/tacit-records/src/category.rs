//! The six categories of records, and their folders.

use std::fmt;
use std::str::FromStr;

use tacit_core::{Category, Problem};

/// The category of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordCategory {
    /// A snapshot to resume work from.
    SessionSummary,
    /// A choice and its reasons.
    Decision,
    /// Steps to diagnose, fix and verify an error.
    Runbook,
    /// A lasting limitation.
    Constraint,
    /// Work that was put off.
    TechDebt,
    /// A convention of the user or team.
    Preference,
}

impl RecordCategory {
    /// All categories, in the order of lists.
    pub const ALL: [RecordCategory; 6] = [
        RecordCategory::SessionSummary,
        RecordCategory::Decision,
        RecordCategory::Runbook,
        RecordCategory::Constraint,
        RecordCategory::TechDebt,
        RecordCategory::Preference,
    ];

    /// Returns the name used in records, settings and commands.
    pub fn as_str(self) -> &'static str {
        self.category().as_str()
    }

    /// Returns the memory category, the folder and the heading.
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

    /// Returns the name of its folder.
    pub fn folder(self) -> &'static str {
        self.names().1
    }

    /// Finds the category of a folder.
    pub fn of_folder(folder: &str) -> Option<RecordCategory> {
        RecordCategory::ALL.into_iter().find(|category| category.folder() == folder)
    }

    /// Returns its heading in the index.
    pub fn heading(self) -> &'static str {
        self.names().2
    }

    /// Returns the category of memories made from its records.
    pub fn category(self) -> Category {
        self.names().0
    }

    /// Returns true if capture may retire records of this category. Sessions leave by the rolling
    /// window; decisions and preferences are updated instead, which keeps their history.
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
    fn names_and_folders_round_trip() {
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
