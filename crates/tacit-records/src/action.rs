//! What happens in the end: create, update, delete (which retires) or nothing. What can be seen
//! mechanically comes first, what whoever drafted the record thinks comes second.

use std::fmt;
use std::str::FromStr;

use tacit_core::Problem;

/// What the records themselves allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedAction {
    /// There is no record it could belong to.
    Create,
    /// There is one, which may be changed.
    Update,
    /// There is one, which may be changed or taken out of use.
    UpdateOrDelete,
    /// A rule forbids any change.
    Veto,
    /// There is nothing to do.
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

/// What is done, or what the author of a draft wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordAction {
    /// A new record.
    Create,
    /// A change to one.
    Update,
    /// One is retired.
    Delete,
    /// Nothing.
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

/// Settles on one action. What is mechanical trumps what was judged; where the two disagree, the
/// less destructive wins.
pub fn resolve_action(structural: AllowedAction, wanted: RecordAction) -> RecordAction {
    match (structural, wanted) {
        (AllowedAction::Veto | AllowedAction::Noop, _) | (_, RecordAction::Noop) => {
            RecordAction::Noop
        }
        (AllowedAction::Create, RecordAction::Delete) => RecordAction::Noop,
        // Without a candidate there is nothing to update, but what was said is still new.
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
    fn the_whole_table() {
        use RecordAction::{Create, Delete, Noop, Update};
        for (structural, [create, update, delete, noop]) in [
            (AllowedAction::Create, [Create, Create, Noop, Noop]),
            (AllowedAction::UpdateOrDelete, [Create, Update, Delete, Noop]),
            (AllowedAction::Update, [Create, Update, Update, Noop]),
            (AllowedAction::Veto, [Noop; 4]),
            (AllowedAction::Noop, [Noop; 4]),
        ] {
            for (wanted, expected) in
                [(Create, create), (Update, update), (Delete, delete), (Noop, noop)]
            {
                assert_eq!(resolve_action(structural, wanted), expected, "{structural:?} {wanted}");
            }
        }
    }
}
