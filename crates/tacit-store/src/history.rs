//! The append-only history: who changed what, when, why, from what, to what.

use serde::Serialize;
use serde_json::{Map, Value};
use tacit_core::{Author, MemoryId, Reasoning, Timestamp};

/// The number of a change; later changes have larger numbers.
pub type ChangeId = i64;

/// What kind of thing was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A memory was stored or reinforced.
    Remember,
    /// A memory was edited.
    Edit,
    /// A memory left use.
    Forget,
    /// A memory came back into use.
    Restore,
    /// Tags were changed.
    Tag,
    /// Relations were changed.
    Link,
    /// Memories were read from a file.
    Import,
    /// Paths followed a renamed file.
    Rename,
    /// An earlier change was taken back.
    Undo,
    /// A memory was removed for good.
    Purge,
}

impl ActionKind {
    /// Every kind.
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

    /// The word for this kind.
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

    /// The kind a word stands for.
    pub fn from_word(word: &str) -> Option<ActionKind> {
        ActionKind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// Something that is about to be done; all its writes become one change.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// What kind of thing.
    pub kind: ActionKind,
    /// When.
    pub at: Timestamp,
    /// By whom.
    pub actor: Author,
    /// Why.
    pub reason: Option<Reasoning>,
    /// The change it takes back.
    pub reverts: Option<ChangeId>,
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Its number.
    pub id: ChangeId,
    /// What was done.
    pub action: Action,
    /// The change that took this one back.
    pub reverted_by: Option<ChangeId>,
    /// What became of each memory it touched.
    pub items: Vec<ChangeItem>,
}

/// What became of one memory. A memory that came to be has no `before`, one that was removed no
/// `after`; otherwise both hold the fields that differ, and `null` where a field was not there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangeItem {
    /// Which memory.
    pub memory: MemoryId,
    /// Its fields before.
    pub before: Option<Map<String, Value>>,
    /// Its fields after.
    pub after: Option<Map<String, Value>>,
}

/// Which changes are meant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChangeQuery {
    /// This one.
    pub id: Option<ChangeId>,
    /// Those that touched this memory.
    pub memory: Option<MemoryId>,
    /// Those after this one.
    pub after: Option<ChangeId>,
    /// Only those that `undo` comes upon: neither taken back nor themselves taking back, nor those of
    /// which a removal for good left nothing. The removal itself is one of them.
    pub undoable: bool,
    /// How many at most, the newest first.
    pub limit: usize,
}

/// Fields that count how a memory is used; they are not part of its history.
const USAGE: [&str; 2] = ["access_count", "last_accessed_at"];

/// The fields in which two forms of a memory differ, as they are before and after; `None` if they
/// do not.
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

/// Puts the fields of a patch into a memory's fields; `null` takes a field away.
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
    fn differences_apply_both_ways() {
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
    fn usage_alone_is_no_difference() {
        let before = map(json!({"a": 1, "access_count": 1, "last_accessed_at": "x"}));
        let after = map(json!({"a": 1, "access_count": 9, "last_accessed_at": "y"}));
        assert_eq!(difference(&before, &after), None);
    }

    #[test]
    fn words_and_back() {
        for kind in ActionKind::ALL {
            assert_eq!(ActionKind::from_word(kind.as_str()), Some(kind));
        }
    }
}
