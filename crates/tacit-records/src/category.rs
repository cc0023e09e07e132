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

    /// The folder its records are in.
    pub fn folder(self) -> &'static str {
        match self {
            RecordCategory::SessionSummary => "sessions",
            RecordCategory::Decision => "decisions",
            RecordCategory::Runbook => "runbooks",
            RecordCategory::Constraint => "constraints",
            RecordCategory::TechDebt => "tech-debt",
            RecordCategory::Preference => "preferences",
        }
    }

    /// The category whose records are in a folder.
    pub fn of_folder(folder: &str) -> Option<RecordCategory> {
        RecordCategory::ALL.into_iter().find(|category| category.folder() == folder)
    }

    /// The heading above its records in the index.
    pub fn heading(self) -> &'static str {
        match self {
            RecordCategory::SessionSummary => "Sessions",
            RecordCategory::Decision => "Decisions",
            RecordCategory::Runbook => "Runbooks",
            RecordCategory::Constraint => "Constraints",
            RecordCategory::TechDebt => "Tech debt",
            RecordCategory::Preference => "Preferences",
        }
    }

    /// The category a memory made from such a record has.
    pub fn category(self) -> Category {
        match self {
            RecordCategory::SessionSummary => Category::SessionSummary,
            RecordCategory::Decision => Category::Decision,
            RecordCategory::Runbook => Category::Runbook,
            RecordCategory::Constraint => Category::Constraint,
            RecordCategory::TechDebt => Category::TechDebt,
            RecordCategory::Preference => Category::Preference,
        }
    }

    /// Whether what was learnt in a session may take a record out of use. Sessions leave by their
    /// window; decisions and preferences are overtaken by a change to them, which keeps what was
    /// there before.
    pub fn may_be_retired_by_learning(self) -> bool {
        match self {
            RecordCategory::SessionSummary
            | RecordCategory::Decision
            | RecordCategory::Preference => false,
            RecordCategory::Runbook | RecordCategory::Constraint | RecordCategory::TechDebt => true,
        }
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
