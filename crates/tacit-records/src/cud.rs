//! What happens in the end: create, update, delete (which retires) or nothing. What can be seen
//! mechanically comes first, what whoever drafted the record thinks comes second.

use std::fmt;
use std::str::FromStr;

use tacit_core::Problem;

/// What the records themselves allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structural {
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

impl Structural {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Structural::Create => "CREATE",
            Structural::Update => "UPDATE",
            Structural::UpdateOrDelete => "UPDATE_OR_DELETE",
            Structural::Veto => "VETO",
            Structural::Noop => "NOOP",
        }
    }
}

/// What is done, or what the author of a draft wants done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cud {
    /// A new record.
    Create,
    /// A change to one.
    Update,
    /// One is retired.
    Delete,
    /// Nothing.
    Noop,
}

impl Cud {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Cud::Create => "CREATE",
            Cud::Update => "UPDATE",
            Cud::Delete => "DELETE",
            Cud::Noop => "NOOP",
        }
    }
}

impl fmt::Display for Cud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Cud {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Cud, Problem> {
        [Cud::Create, Cud::Update, Cud::Delete, Cud::Noop]
            .into_iter()
            .find(|action| action.as_str().eq_ignore_ascii_case(text))
            .ok_or_else(|| Problem::unexpected(text, "an action (create, update, delete, noop)"))
    }
}

/// Settles on one action. What is mechanical trumps what was judged; where the two disagree, the
/// less destructive wins.
pub fn resolve(structural: Structural, wanted: Cud) -> Cud {
    match (structural, wanted) {
        (Structural::Veto | Structural::Noop, _) | (_, Cud::Noop) => Cud::Noop,
        (Structural::Create, Cud::Delete) => Cud::Noop,
        // Without a candidate there is nothing to update, but what was said is still new.
        (_, Cud::Create) | (Structural::Create, Cud::Update) => Cud::Create,
        (Structural::UpdateOrDelete, Cud::Delete) => Cud::Delete,
        (_, Cud::Update) | (Structural::Update, Cud::Delete) => Cud::Update,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table() {
        use Cud::{Create, Delete, Noop, Update};
        for (structural, [create, update, delete, noop]) in [
            (Structural::Create, [Create, Create, Noop, Noop]),
            (Structural::UpdateOrDelete, [Create, Update, Delete, Noop]),
            (Structural::Update, [Create, Update, Update, Noop]),
            (Structural::Veto, [Noop; 4]),
            (Structural::Noop, [Noop; 4]),
        ] {
            for (wanted, expected) in
                [(Create, create), (Update, update), (Delete, delete), (Noop, noop)]
            {
                assert_eq!(resolve(structural, wanted), expected, "{structural:?} {wanted}");
            }
        }
    }
}
