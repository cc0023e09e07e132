//! The append-only history of changes: who changed what, when, why, from what, to what.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tacit_core::{Author, MemoryId, Reasoning, Timestamp};

/// The number of a change; it grows with every change.
pub type ChangeId = i64;

/// The kind of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A memory was stored or reinforced.
    Remember,
    /// A memory was edited.
    Edit,
    /// A memory became inactive.
    Forget,
    /// A memory became active again.
    Restore,
    /// Tags were changed.
    Tag,
    /// Relations were changed.
    Link,
    /// Memories were imported from a file.
    Import,
    /// Paths were updated after a file was renamed.
    Rename,
    /// An earlier change was undone.
    Undo,
    /// A memory was purged.
    Purge,
}

impl ActionKind {
    /// All kinds.
    pub const ALL: [ActionKind; 10] = [
        ActionKind::Remember,
        ActionKind::Edit,
        ActionKind::Forget,
        ActionKind::Restore,
        ActionKind::Tag,
        ActionKind::Link,
        ActionKind::Import,
        ActionKind::Rename,
        ActionKind::Undo,
        ActionKind::Purge,
    ];

    /// Returns the stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            ActionKind::Remember => "remember",
            ActionKind::Edit => "edit",
            ActionKind::Forget => "forget",
            ActionKind::Restore => "restore",
            ActionKind::Tag => "tag",
            ActionKind::Link => "link",
            ActionKind::Import => "import",
            ActionKind::Rename => "rename",
            ActionKind::Undo => "undo",
            ActionKind::Purge => "purge",
        }
    }

    /// Parses the stored word.
    pub fn from_word(word: &str) -> Option<ActionKind> {
        ActionKind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// An action to perform; all its writes become one change.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The kind of action.
    pub kind: ActionKind,
    /// The time of the action.
    pub at: Timestamp,
    /// The person or program that acts.
    pub actor: Author,
    /// The reason for the action.
    pub reason: Option<Reasoning>,
    /// The change that it undoes.
    pub reverts: Option<ChangeId>,
}

/// A recorded change.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The number of the change.
    pub id: ChangeId,
    /// The action that caused it.
    pub action: Action,
    /// The change that undid this one.
    pub reverted_by: Option<ChangeId>,
    /// The changed memories.
    pub items: Vec<ChangeItem>,
}

/// The change of one memory. A created memory has no `before`, a removed one no `after`; otherwise
/// both hold the fields that differ, with `null` for a missing field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeItem {
    /// The changed memory.
    pub memory: MemoryId,
    /// The fields before the change.
    pub before: Option<Map<String, Value>>,
    /// The fields after the change.
    pub after: Option<Map<String, Value>>,
}

/// A query for changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeQuery {
    /// Only the change with this number.
    pub id: Option<ChangeId>,
    /// Changes of this memory, with its items alone.
    pub memory: Option<MemoryId>,
    /// Leave the items out: those of an import are as many as its memories.
    pub without_items: bool,
    /// Changes after this one.
    pub after: Option<ChangeId>,
    /// Only changes that `undo` may stop at: not undone, not an undo, and not emptied by a purge.
    /// Purges themselves are included.
    pub undoable: bool,
    /// The most changes to return, newest first.
    pub limit: usize,
}

/// Usage counters, which are not part of the history.
const USAGE: [&str; 2] = ["access_count", "last_accessed_at"];

/// Returns the fields in which two versions of a memory differ, before and after; `None` if they
/// are equal.
pub fn difference(
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Option<(Map<String, Value>, Map<String, Value>)> {
    let mut old = Map::new();
    let mut new = Map::new();
    for key in before.keys().chain(after.keys()) {
        if USAGE.contains(&key.as_str()) || old.contains_key(key) {
            continue;
        }
        let (was, is) = (before.get(key), after.get(key));
        if was != is {
            old.insert(key.clone(), was.cloned().unwrap_or(Value::Null));
            new.insert(key.clone(), is.cloned().unwrap_or(Value::Null));
        }
    }
    (!old.is_empty()).then_some((old, new))
}

/// Applies a patch to the fields of a memory; `null` removes a field.
pub fn apply_patch(fields: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (key, value) in patch {
        if value.is_null() {
            fields.remove(key);
        } else {
            fields.insert(key.clone(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> Map<String, Value> {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn differences_apply_in_both_directions() {
        let before = map(json!({"a": 1, "b": 2, "access_count": 1}));
        let after = map(json!({"a": 1, "b": 3, "c": [4], "access_count": 2}));
        let (old, new) = difference(&before, &after).unwrap();
        assert_eq!(old, map(json!({"b": 2, "c": null})));
        assert_eq!(new, map(json!({"b": 3, "c": [4]})));

        let mut forth = before.clone();
        apply_patch(&mut forth, &new);
        assert_eq!((forth.get("b"), forth.get("c")), (after.get("b"), after.get("c")));
        apply_patch(&mut forth, &old);
        assert_eq!(forth, before);
    }

    #[test]
    fn usage_changes_are_not_differences() {
        let before = map(json!({"a": 1, "access_count": 1, "last_accessed_at": "x"}));
        let after = map(json!({"a": 1, "access_count": 9, "last_accessed_at": "y"}));
        assert_eq!(difference(&before, &after), None);
    }

    #[test]
    fn action_kinds_survive_a_word_round_trip() {
        for kind in ActionKind::ALL {
            assert_eq!(ActionKind::from_word(kind.as_str()), Some(kind));
        }
    }
}
