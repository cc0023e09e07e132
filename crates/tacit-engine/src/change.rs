//! Changes of stored memories. Every change is checked, redacted, recorded and indexed in the same
//! way.

use serde_json::{Map, Value};
use tacit_core::{
    FieldError, Files, Memory, MemoryId, Problem, Reasoning, Relation, RelationKind,
    RelationTarget, RepoPath, StatusKind, SymbolRef, Tag, Tags, Timestamp, clean,
};
use tacit_store::{ActionKind, ChangeId, Transaction};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;
use crate::remember::{TextCleanup, index, redact_json, redact_memory, reject_global_files};
use crate::requester::restrict_change;

/// Fields that cannot be edited, because the store and the history own them.
const FIXED: [&str; 9] = [
    "id",
    "status",
    "observations",
    "created_at",
    "updated_at",
    "access_count",
    "last_accessed_at",
    "sessions",
    "relations",
];

impl Engine<'_> {
    /// Sets fields of a memory in its JSON form; `null` clears a field.
    pub fn edit(
        &mut self,
        id: &str,
        patch: &Map<String, Value>,
        reason: Option<Reasoning>,
    ) -> EngineResult<(StoredMemory, TextCleanup)> {
        if let Some(field) = patch.keys().find(|key| FIXED.contains(&key.as_str())) {
            let problem = Problem::rule("cannot be edited");
            return Err(FieldError::new(field, problem).into());
        }
        let mut patch = Value::Object(patch.clone());
        let mut cleanup = TextCleanup::default();
        clean_json(&mut patch, &mut cleanup);
        redact_json(&mut patch, &mut cleanup);
        let found = self.change(id, ActionKind::Edit, reason, |memory| {
            let Value::Object(mut fields) = memory.to_json() else {
                return Err(EngineError::NoSuchMemory { text: memory.id.to_string() });
            };
            if let Value::Object(patch) = &patch {
                tacit_store::apply_patch(&mut fields, patch);
            }
            *memory = Memory::from_json(Value::Object(fields))?;
            // A memory about a symbol is also about the symbol's file.
            let paths = Files::collect(memory.body.symbols.iter().map(SymbolRef::path));
            memory.body.files = memory.body.files.merged(&paths.unwrap_or_default()).0;
            Ok(())
        })?;
        Ok((found, cleanup))
    }

    /// Adds and removes tags.
    pub fn retag(&mut self, id: &str, add: &[Tag], remove: &[Tag]) -> EngineResult<StoredMemory> {
        self.change(id, ActionKind::Tag, None, |memory| {
            let kept = memory.body.tags.iter().filter(|tag| !remove.contains(tag));
            let tags: Vec<Tag> = kept.chain(add).cloned().collect();
            memory.body.tags =
                Tags::collect(tags).map_err(|problem| FieldError::new("tags", problem))?;
            Ok(())
        })
    }

    /// Adds a relation and replaces an existing one of the same kind and target.
    pub fn link(&mut self, id: &str, relation: Relation) -> EngineResult<StoredMemory> {
        self.change(id, ActionKind::Link, None, move |memory| {
            if relation.target == RelationTarget::Memory(memory.id) {
                let problem = Problem::rule("a memory cannot relate to itself");
                return Err(FieldError::new("target", problem).into());
            }
            let relations = memory.body.relations.with(relation.clone());
            memory.body.relations =
                relations.map_err(|problem| FieldError::new("relations", problem))?;
            Ok(())
        })
    }

    /// Removes a relation.
    pub fn unlink(
        &mut self,
        id: &str,
        kind: RelationKind,
        target: &RelationTarget,
    ) -> EngineResult<StoredMemory> {
        self.change(id, ActionKind::Link, None, |memory| {
            let relations = memory.body.relations.without(kind, target);
            if relations == memory.body.relations {
                return Err(EngineError::AlreadyInState {
                    id: memory.id,
                    state: "without that link",
                });
            }
            memory.body.relations = relations;
            Ok(())
        })
    }

    /// Renames a file in every memory about it. Returns their number. The memories keep their time
    /// of change, so they decay as before.
    pub fn rename_file(
        &mut self,
        from: &RepoPath,
        to: &RepoPath,
    ) -> EngineResult<(usize, Option<ChangeId>)> {
        let reason = format!("{from} is now {to}");
        let action = self.tacit_action(ActionKind::Rename, &reason);
        let mut transaction = self.store_mut(StoreScope::Project)?.begin(action)?;
        let ids = transaction.find_by_file(from)?;
        for before in transaction.read(&ids)? {
            let mut after = before.clone();
            let renamed = |path: &RepoPath| if path == from { to.clone() } else { path.clone() };
            let files: Vec<RepoPath> = before.body.files.iter().map(renamed).collect();
            let relations = before.body.relations.iter().cloned().map(|mut relation| {
                if let RelationTarget::File(path) = &relation.target {
                    relation.target = RelationTarget::File(renamed(path));
                }
                relation
            });
            let symbols = before.body.symbols.iter().map(|symbol| {
                if symbol.path() == *from { symbol.moved(to) } else { symbol.clone() }
            });
            // Renaming cannot add entries, so the limits hold.
            after.body.symbols = tacit_core::Symbols::collect(symbols).unwrap_or_default();
            after.body.files = Files::collect(files).unwrap_or_default();
            after.body.relations = tacit_core::Relations::collect(relations).unwrap_or_default();
            transaction.update(&before, &after)?;
            index(transaction.as_mut(), &after)?;
        }
        let change = transaction.commit()?;
        self.store_mut(StoreScope::Project)?.move_links(from, to)?;
        Ok((ids.len(), change))
    }

    /// Like [`Engine::change_all`], for one memory.
    pub(crate) fn change(
        &mut self,
        id: &str,
        kind: ActionKind,
        reason: Option<Reasoning>,
        edit: impl FnMut(&mut Memory) -> EngineResult<()>,
    ) -> EngineResult<StoredMemory> {
        let changed = self.change_all(&[id], kind, reason, edit)?.pop();
        changed.ok_or_else(|| EngineError::NoSuchMemory { text: id.to_owned() })
    }

    /// Changes memories, all or none. Each edit is checked, recorded and indexed. It is one change
    /// in the history of each store involved.
    pub(crate) fn change_all(
        &mut self,
        ids: &[&str],
        kind: ActionKind,
        reason: Option<Reasoning>,
        mut edit: impl FnMut(&mut Memory) -> EngineResult<()>,
    ) -> EngineResult<Vec<StoredMemory>> {
        let mut wanted: Vec<(StoreScope, MemoryId)> = Vec::new();
        for id in ids {
            let found = self.find(id)?;
            if wanted.iter().all(|(_, known)| *known != found.memory.id) {
                wanted.push((found.store, found.memory.id));
            }
        }
        let action = self.action(kind, reason);
        let (now, mut changed) = (action.at, Vec::with_capacity(wanted.len()));
        let requester = self.requester;
        let Engine { project, global, .. } = self;
        let stores =
            [(StoreScope::Project, project.as_mut()), (StoreScope::Global, global.as_mut())];
        // Commits only after both stores succeeded.
        let mut transactions = Vec::new();
        for (scope, store) in stores {
            let ids = wanted.iter().filter(|(other, _)| *other == scope).map(|(_, id)| *id);
            let ids: Vec<MemoryId> = ids.collect();
            let (Some(store), false) = (store, ids.is_empty()) else { continue };
            let mut transaction = store.begin(action.clone())?;
            for id in ids {
                // The memory may have changed before the transaction began.
                let before = transaction
                    .read(&[id])?
                    .pop()
                    .ok_or_else(|| EngineError::NoSuchMemory { text: id.to_string() })?;
                let mut after = before.clone();
                edit(&mut after)?;
                restrict_change(requester, scope, &before, &mut after)?;
                if after != before {
                    after = rewrite(transaction.as_mut(), scope, &before, after, now)?;
                }
                changed.push(StoredMemory { store: scope, memory: after });
            }
            transactions.push(transaction);
        }
        for transaction in transactions {
            transaction.commit()?;
        }
        let place = |found: &StoredMemory| wanted.iter().position(|(_, id)| *id == found.memory.id);
        changed.sort_by_key(place);
        Ok(changed)
    }
}

/// Replaces a memory and returns it as it was stored.
fn rewrite(
    transaction: &mut dyn Transaction,
    scope: StoreScope,
    before: &Memory,
    after: Memory,
    now: Timestamp,
) -> EngineResult<Memory> {
    let mut after = redact_memory(after, &mut TextCleanup::default())?;
    if after.body.files != before.body.files && !after.body.files.is_empty() {
        reject_global_files(scope)?;
    }
    after.updated_at = now;
    reject_duplicate(transaction, &after)?;
    transaction.update(before, &after)?;
    index(transaction, &after)?;
    Ok(after)
}

/// Rejects a memory that duplicates another active one.
pub(crate) fn reject_duplicate(transaction: &dyn Transaction, memory: &Memory) -> EngineResult<()> {
    if memory.status.kind() != StatusKind::Active {
        return Ok(());
    }
    let twin = transaction
        .find_identical(&memory.content_hash())?
        .into_iter()
        .find(|other| other.id != memory.id && other.status == StatusKind::Active);
    match twin {
        None => Ok(()),
        Some(twin) => Err(EngineError::Duplicate(twin.id)),
    }
}

/// Cleans every text of an edit.
fn clean_json(value: &mut Value, cleanup: &mut TextCleanup) {
    match value {
        Value::String(text) => {
            let cleaned = clean(text);
            cleanup.removed_controls += cleaned.removed;
            *text = cleaned.text.into_owned();
        }
        Value::Array(items) => items.iter_mut().for_each(|item| clean_json(item, cleanup)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| clean_json(field, cleanup));
        }
        _ => {}
    }
}
