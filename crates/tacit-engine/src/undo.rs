//! Undo of changes, and the history.

use serde_json::{Map, Value};
use tacit_core::Memory;
use tacit_store::{
    ActionKind, Change, ChangeId, ChangeItem, ChangeQuery, Transaction, apply_patch,
};

use crate::change::reject_duplicate;
use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::index;

/// The result of an undo.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoResult {
    /// The change that was undone.
    pub change: Change,
    /// The change that undid it.
    pub by: Option<ChangeId>,
}

/// The number of a team's last changes among which the user's own last one is looked for.
const TEAM_CHANGES: usize = 500;

impl Engine<'_> {
    /// Undoes a change, or the last one that was neither undone nor an undo; in a shared store, the last one
    /// of this user. Fails without effect if that was a purge, or if a field it set has changed since.
    pub fn undo(&mut self, scope: StoreScope, which: Option<ChangeId>) -> EngineResult<UndoResult> {
        if scope == StoreScope::Project {
            // The copy of a team's memories does not have their history.
            self.reach_team()?;
        }
        let store = self.store(scope).ok_or_else(|| self.not_initialised())?;
        // In a team, the last change may be somebody else's; in the global store, an exchange with the
        // user's other machines.
        let is_shared = match scope {
            StoreScope::Project => self.is_in_team(),
            StoreScope::Global => self.paths.preferences_state().is_some(),
        };
        let only_own = which.is_none() && is_shared;
        let limit = if only_own { TEAM_CHANGES } else { 1 };
        let undoable = which.is_none();
        let query = ChangeQuery { id: which, undoable, limit, ..ChangeQuery::default() };
        let mut changes = store.changes(&query)?.into_iter();
        let found = changes.find(|change| !only_own || change.action.actor == self.actor);
        let change = match (found, which) {
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
        self.check_may_undo(&change.action.actor)?;
        if let Some(by) = change.reverted_by {
            return Err(cannot(format!("change {by} has already undone it")));
        }
        let mut action = self.action(ActionKind::Undo, None);
        action.reverts = Some(change.id);
        let mut transaction = self.store_mut(scope)?.begin(action)?;
        let mut restored = Vec::new();
        for item in change.items.iter().rev() {
            let memory = revert(transaction.as_mut(), item).map_err(|error| match error {
                Conflict::Error(error) => error,
                Conflict::Changed(why) => cannot(why),
            })?;
            restored.extend(memory);
        }
        // Checked only now: halfway, two memories that swapped their texts are equal.
        for memory in &restored {
            reject_duplicate(transaction.as_ref(), memory)?;
        }
        let by = transaction.commit()?;
        Ok(UndoResult { change, by })
    }

    /// Returns changes, newest first.
    pub fn history(&self, scope: StoreScope, query: &ChangeQuery) -> EngineResult<Vec<Change>> {
        let Some(store) = self.store(scope) else { return self.missing_store(scope) };
        Ok(store.changes(query)?)
    }

    /// Number of changes that a query means, whatever its limit.
    pub fn count_history(&self, scope: StoreScope, query: &ChangeQuery) -> EngineResult<usize> {
        self.store(scope).map_or(Ok(0), |store| Ok(store.count_changes(query)?))
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

/// Reverts the change of one memory. Returns the memory, if it existed before.
fn revert(
    transaction: &mut dyn Transaction,
    item: &ChangeItem,
) -> Result<Option<Memory>, Conflict> {
    let present = transaction.read(&[item.memory])?.pop();
    let short = item.memory.short();
    match (&item.before, &item.after, present) {
        (None, None, _) => Err(Conflict::Changed(format!("memory {short} was purged"))),
        (_, Some(_), None) => Err(Conflict::Changed(format!("memory {short} no longer exists"))),
        (_, None, Some(_)) => Err(Conflict::Changed(format!("memory {short} exists again"))),
        (Some(before), None, None) => {
            let memory = parse(before.clone())?;
            transaction.insert(&memory)?;
            index(transaction, &memory)?;
            Ok(Some(memory))
        }
        (None, Some(after), Some(present)) => {
            // The insertion set every field, including those it left empty.
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

/// Checks that the fields a change set are still unchanged.
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
