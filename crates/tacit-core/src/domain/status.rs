//! Whether a memory is in use, and whether somebody vouches for it.

use serde::{Deserialize, Serialize};

use super::values::Reasoning;
use super::words::word_enum;
use crate::clock::Timestamp;

word_enum! {
    /// The three states of a memory's life.
    StatusKind, "a status" {
        /// In use.
        Active = "active",
        /// Forgotten: no recall finds it, and it will be removed in time.
        Retired = "retired",
        /// Set aside: no recall finds it, and it is kept.
        Archived = "archived",
    }
}

/// A memory's status, with when and why it left use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum Status {
    /// In use.
    Active,
    /// Forgotten.
    Retired {
        /// When.
        at: Timestamp,
        /// Why.
        reason: Reasoning,
    },
    /// Set aside.
    Archived {
        /// When.
        at: Timestamp,
        /// Why.
        reason: Reasoning,
    },
}

impl Status {
    /// The state without its date and reason.
    pub fn kind(&self) -> StatusKind {
        match self {
            Status::Active => StatusKind::Active,
            Status::Retired { .. } => StatusKind::Retired,
            Status::Archived { .. } => StatusKind::Archived,
        }
    }

    /// When and why the memory left use.
    pub fn inactive_since(&self) -> Option<(Timestamp, &Reasoning)> {
        match self {
            Status::Active => None,
            Status::Retired { at, reason } | Status::Archived { at, reason } => Some((*at, reason)),
        }
    }
}

word_enum! {
    /// Whether a person has looked at a memory.
    Review, "a review state" {
        /// Nobody has, and nobody must.
        None = "none",
        /// Somebody should.
        Needed = "needed",
        /// Somebody did, and it is true.
        Verified = "verified",
    }
}
