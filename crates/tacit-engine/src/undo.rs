//! Taking changes back.

use serde_json::{Map, Value};
use tacit_core::Memory;
use tacit_store::{
    ActionKind, Change, ChangeId, ChangeItem, ChangeQuery, Transaction, apply_patch,
};

use crate::change::forbid_twin;
use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::index;

/// A change that was taken back.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoResult {
    /// The change.
    pub change: Change,
    /// The change that took it back.
    pub by: Option<ChangeId>,
}

impl Engine<'_> {
    /// Takes back a change, or the last one that was neither taken back nor itself an undo. If that
    /// was a purge, or if something that the change set has changed since, nothing is done.
    pub fn undo(&mut self, shelf: StoreScope, which: Option<ChangeId>) -> EngineResult<UndoResult> {
        let store = self.store(shelf).ok_or_else(|| self.not_initialised())?;
        let query = ChangeQuery {
            id: which,
            undoable: which.is_none(),
            limit: 1,
            ..ChangeQuery::default()
        };
        let change = match (store.changes(&query)?.pop(), which) {
            (Some(change), _) => change,
            (None, Some(id)) => return Err(EngineError::NoSuchChange(id)),
            (None, None) => return Err(EngineError::NothingToUndo),
        };
        let cannot = |why: String| EngineError::CannotUndo { change: change.id, why };
        match (change.action.kind, which) {
            (ActionKind::Purge, None) => return Err(EngineError::LastWasPurge(change.id)),
            (ActionKind::Purge, Some(_)) => return Err(cannot("a purge is final".into())),
            _ => {}
        }
        self.may_take_back(&change.action.actor)?;
        if let Some(by) = change.reverted_by {
            return Err(cannot(format!("change {by} took it back already")));
        }
        let mut action = self.action(ActionKind::Undo, None);
        action.reverts = Some(change.id);
        let mut transaction = self.store_mut(shelf)?.begin(action)?;
        let mut restored = Vec::new();
        for item in change.items.iter().rev() {
            let memory = revert(transaction.as_mut(), item).map_err(|error| match error {
                Conflict::Error(error) => error,
                Conflict::Changed(why) => cannot(why),
            })?;
            restored.extend(memory);
        }
        // Only now, for halfway two memories that swapped their words say the same.
        for memory in &restored {
            forbid_twin(transaction.as_ref(), memory)?;
        }
        let by = transaction.commit()?;
        Ok(UndoResult { change, by })
    }

    /// Changes, the newest first.
    pub fn history(&self, shelf: StoreScope, query: &ChangeQuery) -> EngineResult<Vec<Change>> {
        let Some(store) = self.store(shelf) else { return self.nothing_on(shelf) };
        Ok(store.changes(query)?)
    }
}

enum Conflict {
    Error(EngineError),
    Changed(String),
}

impl<E: Into<EngineError>> From<E> for Conflict {
    fn from(error: E) -> Conflict {
        Conflict::Error(error.into())
    }
}

/// Brings one memory back to what it was; the memory, if there was one.
fn revert(
    transaction: &mut dyn Transaction,
    item: &ChangeItem,
) -> Result<Option<Memory>, Conflict> {
    let present = transaction.read(&[item.memory])?.pop();
    let short = item.memory.short();
    match (&item.before, &item.after, present) {
        (None, None, _) => Err(Conflict::Changed(format!("memory {short} was purged"))),
        (_, Some(_), None) => Err(Conflict::Changed(format!("memory {short} is no longer there"))),
        (_, None, Some(_)) => Err(Conflict::Changed(format!("memory {short} is there again"))),
        (Some(before), None, None) => {
            let memory = parse(before.clone())?;
            transaction.insert(&memory)?;
            index(transaction, &memory)?;
            Ok(Some(memory))
        }
        (None, Some(after), Some(present)) => {
            // The change set every field, also those it left empty.
            let mut set = fields(&parse(after.clone())?);
            for key in fields(&present).keys() {
                set.entry(key.as_str()).or_insert(Value::Null);
            }
            unchanged(&present, &set)?;
            transaction.remove(&present)?;
            Ok(None)
        }
        (Some(before), Some(after), Some(present)) => {
            unchanged(&present, after)?;
            let mut fields = fields(&present);
            apply_patch(&mut fields, before);
            let memory = parse(fields)?;
            transaction.update(&present, &memory)?;
            index(transaction, &memory)?;
            Ok(Some(memory))
        }
    }
}

/// Makes sure that what a change set is still as it set it.
fn unchanged(present: &Memory, after: &Map<String, Value>) -> Result<(), Conflict> {
    const COUNTED: [&str; 2] = ["access_count", "last_accessed_at"];
    let fields = fields(present);
    let changed: Vec<&str> = after
        .iter()
        .filter(|(key, _)| !COUNTED.contains(&key.as_str()))
        .filter(|(key, value)| fields.get(*key).unwrap_or(&Value::Null) != *value)
        .map(|(key, _)| key.as_str())
        .collect();
    if changed.is_empty() {
        return Ok(());
    }
    Err(Conflict::Changed(format!(
        "memory {} has changed since ({}); undo the later changes first",
        present.id.short(),
        changed.join(", ")
    )))
}

fn fields(memory: &Memory) -> Map<String, Value> {
    match memory.to_json() {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn parse(fields: Map<String, Value>) -> Result<Memory, Conflict> {
    Memory::from_json(Value::Object(fields))
        .map_err(|error| Conflict::Changed(format!("the history cannot be read: {error}")))
}
