//! The lifecycle status and the review state of a memory.

use serde::{Deserialize, Serialize};

use super::values::Reasoning;
use super::words::word_enum;
use crate::clock::Timestamp;

word_enum! {
    /// The lifecycle states of a memory.
    StatusKind, "a status" {
        /// Active: recall can find it.
        Active = "active",
        /// Forgotten: recall does not find it, and it may be deleted later.
        Retired = "retired",
        /// Archived: recall does not find it, and it is kept.
        Archived = "archived",
    }
}

/// The status of a memory, with the time and reason if it is not active.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum Status {
    /// Active: recall can find it.
    Active,
    /// Forgotten: recall does not find it.
    Retired {
        /// The time it was forgotten.
        at: Timestamp,
        /// The reason.
        reason: Reasoning,
    },
    /// Archived: kept for good, but recall does not find it.
    Archived {
        /// The time it was archived.
        at: Timestamp,
        /// The reason.
        reason: Reasoning,
    },
}

impl Status {
    /// Returns the state without time and reason.
    pub fn kind(&self) -> StatusKind {
        match self {
            Status::Active => StatusKind::Active,
            Status::Retired { .. } => StatusKind::Retired,
            Status::Archived { .. } => StatusKind::Archived,
        }
    }

    /// Returns when and why the memory became inactive; `None` if it is active.
    pub fn inactive_since(&self) -> Option<(Timestamp, &Reasoning)> {
        match self {
            Status::Active => None,
            Status::Retired { at, reason } | Status::Archived { at, reason } => Some((*at, reason)),
        }
    }
}

word_enum! {
    /// The cause of a memory's staleness.
    StaleKind, "a cause of staleness" {
        /// A file it is about no longer exists.
        FileMissing = "file_missing",
        /// A symbol it is about changed or is gone.
        CodeChanged = "code_changed",
        /// The steps of a recipe may no longer hold.
        RecipeDoubtful = "recipe_doubtful",
        /// A person or an agent reported it as outdated.
        Reported = "reported",
    }
}

word_enum! {
    /// The review state of a memory.
    Review, "a review state" {
        /// Unreviewed, and no review is needed.
        None = "none",
        /// A person should review it.
        Needed = "needed",
        /// The team committed the file that says it.
        Committed = "committed",
        /// A person confirmed it.
        Verified = "verified",
    }
}

impl Review {
    /// Returns true if people stand behind it: one confirmed it, or the team committed it.
    pub fn is_confirmed(self) -> bool {
        matches!(self, Review::Committed | Review::Verified)
    }
}
