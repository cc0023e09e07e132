//! Resolves the action on a record: create, update, delete (which retires) or nothing. What the
//! records allow comes before what the drafter wants.

use std::fmt;
use std::str::FromStr;

use tacit_core::Problem;

/// The actions that the existing records allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedAction {
    /// Create: no record matches.
    Create,
    /// Update the matching record.
    Update,
    /// Update or retire the matching record.
    UpdateOrDelete,
    /// No action: a rule forbids any change.
    Veto,
    /// No action: there is nothing to do.
    Noop,
}

impl AllowedAction {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            AllowedAction::Create => "CREATE",
            AllowedAction::Update => "UPDATE",
            AllowedAction::UpdateOrDelete => "UPDATE_OR_DELETE",
            AllowedAction::Veto => "VETO",
            AllowedAction::Noop => "NOOP",
        }
    }
}

/// An action on a record, proposed or done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordAction {
    /// Create a record.
    Create,
    /// Update a record.
    Update,
    /// Retire a record.
    Delete,
    /// Do nothing.
    Noop,
}

impl RecordAction {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            RecordAction::Create => "CREATE",
            RecordAction::Update => "UPDATE",
            RecordAction::Delete => "DELETE",
            RecordAction::Noop => "NOOP",
        }
    }
}

impl fmt::Display for RecordAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for RecordAction {
    type Err = Problem;

    fn from_str(text: &str) -> Result<RecordAction, Problem> {
        [RecordAction::Create, RecordAction::Update, RecordAction::Delete, RecordAction::Noop]
            .into_iter()
            .find(|action| action.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| Problem::unexpected(text, "an action (create, update, delete, noop)"))
    }
}

/// Resolves the action. What the records allow overrides what the drafter wants; if the two
/// disagree, the less destructive action wins.
pub fn resolve_action(structural: AllowedAction, proposed: RecordAction) -> RecordAction {
    match (structural, proposed) {
        (AllowedAction::Veto | AllowedAction::Noop, _) | (_, RecordAction::Noop) => {
            RecordAction::Noop
        }
        (AllowedAction::Create, RecordAction::Delete) => RecordAction::Noop,
        // Without a candidate there is nothing to update, but the information is still new.
        (_, RecordAction::Create) | (AllowedAction::Create, RecordAction::Update) => {
            RecordAction::Create
        }
        (AllowedAction::UpdateOrDelete, RecordAction::Delete) => RecordAction::Delete,
        (_, RecordAction::Update) | (AllowedAction::Update, RecordAction::Delete) => {
            RecordAction::Update
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_actions_override_proposals() {
        use RecordAction::{Create, Delete, Noop, Update};
        for (structural, [create, update, delete, noop]) in [
            (AllowedAction::Create, [Create, Create, Noop, Noop]),
            (AllowedAction::UpdateOrDelete, [Create, Update, Delete, Noop]),
            (AllowedAction::Update, [Create, Update, Update, Noop]),
            (AllowedAction::Veto, [Noop; 4]),
            (AllowedAction::Noop, [Noop; 4]),
        ] {
            for (proposed, expected) in
                [(Create, create), (Update, update), (Delete, delete), (Noop, noop)]
            {
                assert_eq!(
                    resolve_action(structural, proposed),
                    expected,
                    "{structural:?} {proposed}"
                );
            }
        }
    }
}
