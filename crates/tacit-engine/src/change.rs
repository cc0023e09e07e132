//! Changes of stored memories. Every change is checked, redacted, recorded and indexed in the same
//! way.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use serde_json::{Map, Value};
use tacit_core::{
    Confidence, Cue, Cues, FieldError, Files, Memory, MemoryId, Problem, Reasoning, Relation,
    RelationKind, RelationTarget, RepoPath, Review, Source, Status, StatusKind, SymbolRef, Tag,
    Tags, Timestamp, clean,
};
use tacit_store::{ActionKind, ChangeId, Transaction};

use crate::engine::{Engine, ProjectStore, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;
use crate::remember::{TextCleanup, index, redact_json, redact_memory, reject_global_files};
use crate::requester::restrict_change;

/// Fields that cannot be edited, because the store and the history own them.
const FIXED: [&str; 10] = [
    "id",
    "status",
    "observations",
    "created_at",
    "updated_at",
    "access_count",
    "last_accessed_at",
    "sessions",
    "relations",
    "derived_confidence",
];

/// Fields that a memory takes from its file, if it follows one.
const FROM_FILE: [&str; 5] = ["type", "title", "content", "details", "references"];

/// Tags, cues and links that an edit adds to a memory and removes from it.
#[derive(Debug, Clone, Default)]
pub struct ListChanges {
    /// Tags to add.
    pub add_tags: Vec<Tag>,
    /// Tags to remove, if they are there.
    pub remove_tags: Vec<Tag>,
    /// Cues to add.
    pub add_cues: Vec<Cue>,
    /// Cues to remove, if they are there.
    pub remove_cues: Vec<Cue>,
    /// Links to add; each replaces one of the same kind to the same target.
    pub add_links: Vec<Relation>,
    /// Links to remove, which must be there.
    pub remove_links: Vec<(RelationKind, RelationTarget)>,
}

impl ListChanges {
    /// Returns true if there is nothing to change.
    pub fn is_empty(&self) -> bool {
        !self.changes_tags() && !self.changes_cues() && !self.changes_links()
    }

    fn changes_tags(&self) -> bool {
        !self.add_tags.is_empty() || !self.remove_tags.is_empty()
    }

    fn changes_cues(&self) -> bool {
        !self.add_cues.is_empty() || !self.remove_cues.is_empty()
    }

    fn changes_links(&self) -> bool {
        !self.add_links.is_empty() || !self.remove_links.is_empty()
    }

    fn apply(&self, memory: &mut Memory) -> EngineResult<()> {
        let body = &mut memory.body;
        if self.changes_tags() {
            let kept = body.tags.iter().filter(|tag| !self.remove_tags.contains(tag));
            let tags: Vec<Tag> = kept.chain(&self.add_tags).cloned().collect();
            body.tags = Tags::collect(tags).map_err(|problem| FieldError::new("tags", problem))?;
        }
        if self.changes_cues() {
            let removed = |cue: &&Cue| self.remove_cues.iter().any(|other| other.is_same(cue));
            let kept = body.cues.iter().filter(|cue| !removed(cue));
            let cues: Vec<Cue> = kept.chain(&self.add_cues).cloned().collect();
            body.cues = Cues::collect(cues).map_err(|problem| FieldError::new("cues", problem))?;
        }
        for (kind, target) in &self.remove_links {
            let relations = body.relations.without(*kind, target);
            if relations == body.relations {
                return Err(EngineError::AlreadyInState {
                    id: memory.id,
                    state: "without that link",
                });
            }
            body.relations = relations;
        }
        for relation in &self.add_links {
            if relation.target == RelationTarget::Memory(memory.id) {
                let problem = Problem::rule("a memory cannot relate to itself");
                return Err(FieldError::new("target", problem).into());
            }
            let relations = body.relations.with(relation.clone());
            body.relations = relations.map_err(|problem| FieldError::new("relations", problem))?;
        }
        Ok(())
    }
}

impl Engine<'_> {
    /// Sets fields of a memory in its JSON form; `null` clears a field.
    pub fn edit(
        &mut self,
        id: &str,
        patch: &Map<String, Value>,
        reason: Option<Reasoning>,
    ) -> EngineResult<(StoredMemory, TextCleanup)> {
        self.edit_with_lists(id, patch, &ListChanges::default(), reason)
    }

    /// Sets fields of a memory and changes its tags, cues and links, as one change.
    pub fn edit_with_lists(
        &mut self,
        id: &str,
        patch: &Map<String, Value>,
        lists: &ListChanges,
        reason: Option<Reasoning>,
    ) -> EngineResult<(StoredMemory, TextCleanup)> {
        if let Some(field) = patch.keys().find(|key| FIXED.contains(&key.as_str())) {
            let problem = Problem::rule("cannot be edited");
            return Err(FieldError::new(field, problem).into());
        }
        if patch.keys().any(|key| FROM_FILE.contains(&key.as_str())) && !self.is_tacit() {
            let memory = self.find(id)?.memory;
            let file = memory.body.references.iter().next();
            if let Some(file) = file.filter(|_| memory.body.origin.source == Source::File) {
                return Err(EngineError::FollowsFile { id: memory.id, file: file.to_string() });
            }
        }
        if patch.get("review").is_some_and(|it| it == Review::Committed.as_str())
            && !self.is_tacit()
        {
            let rule = "only memories of files that the team committed have this state";
            return Err(FieldError::new("review", Problem::rule(rule)).into());
        }
        let mut patch = Value::Object(patch.clone());
        let mut cleanup = TextCleanup::default();
        clean_json(&mut patch, &mut cleanup);
        redact_json(&mut patch, &mut cleanup);
        let sets_fields = patch.as_object().is_some_and(|patch| !patch.is_empty());
        let sets_fields = sets_fields || lists.changes_cues();
        let kind = match (sets_fields, lists.changes_tags(), lists.changes_links()) {
            (false, true, false) => ActionKind::Tag,
            (false, false, true) => ActionKind::Link,
            _ => ActionKind::Edit,
        };
        let found = self.change(id, kind, reason, |memory| {
            if let Value::Object(patch) = &patch {
                set_fields(memory, patch)?;
            }
            // A memory about a symbol is also about the symbol's file.
            let paths = Files::collect(memory.body.symbols.iter().map(SymbolRef::path));
            memory.body.files = memory.body.files.merged(&paths.unwrap_or_default()).0;
            lists.apply(memory)
        })?;
        Ok((found, cleanup))
    }

    /// Sets fields of memories, all or none, as one change: those that `fields` returns for each, which hold no
    /// text of a person.
    pub fn edit_all(
        &mut self,
        ids: &[&str],
        reason: Option<Reasoning>,
        fields: impl Fn(&Memory) -> Map<String, Value>,
    ) -> EngineResult<Vec<StoredMemory>> {
        self.change_all(ids, ActionKind::Edit, reason, |memory| {
            let fields = fields(memory);
            let is_refused =
                |key: &&String| FIXED.contains(&key.as_str()) || FROM_FILE.contains(&key.as_str());
            if let Some(field) = fields.keys().find(is_refused) {
                return Err(FieldError::new(field, Problem::rule("cannot be edited")).into());
            }
            set_fields(memory, &fields)
        })
    }

    /// Adds tags to memories and removes tags, all or none, as one change.
    pub fn retag_all(
        &mut self,
        ids: &[&str],
        add: &[Tag],
        remove: &[Tag],
    ) -> EngineResult<Vec<StoredMemory>> {
        let lists = ListChanges {
            add_tags: add.to_vec(),
            remove_tags: remove.to_vec(),
            ..ListChanges::default()
        };
        self.change_all(ids, ActionKind::Tag, None, |memory| lists.apply(memory))
    }

    /// Adds and removes tags.
    pub fn retag(&mut self, id: &str, add: &[Tag], remove: &[Tag]) -> EngineResult<StoredMemory> {
        let changed = self.retag_all(&[id], add, remove)?.pop();
        changed.ok_or_else(|| EngineError::NoSuchMemory { text: id.to_owned() })
    }

    /// Adds a relation and replaces an existing one of the same kind and target.
    pub fn link(&mut self, id: &str, relation: Relation) -> EngineResult<StoredMemory> {
        let lists = ListChanges { add_links: vec![relation], ..ListChanges::default() };
        self.change(id, ActionKind::Link, None, |memory| lists.apply(memory))
    }

    /// Removes a relation.
    pub fn unlink(
        &mut self,
        id: &str,
        kind: RelationKind,
        target: &RelationTarget,
    ) -> EngineResult<StoredMemory> {
        let remove_links = vec![(kind, target.clone())];
        let lists = ListChanges { remove_links, ..ListChanges::default() };
        self.change(id, ActionKind::Link, None, |memory| lists.apply(memory))
    }

    /// Marks a memory as the duplicate of another, which supersedes it. It is retired, unless it needs
    /// review.
    pub fn mark_duplicate(
        &mut self,
        id: &str,
        original: &str,
        reason: Reasoning,
        review: Review,
    ) -> EngineResult<StoredMemory> {
        let duplicate = self.find(id)?.memory.id;
        if self.find(original)?.memory.id == duplicate {
            let problem = Problem::rule("a memory cannot be the duplicate of itself");
            return Err(FieldError::new("target", problem).into());
        }
        let link = Relation {
            target: RelationTarget::Memory(duplicate),
            kind: RelationKind::Supersedes,
            confidence: Confidence::HIGH,
            auto_extracted: false,
        };
        let lists = ListChanges { add_links: vec![link], ..ListChanges::default() };
        let retired = Status::Retired { at: self.clock.now(), reason: reason.clone() };
        let changed =
            self.change_all(&[id, original], ActionKind::Edit, Some(reason), |memory| {
                if memory.id != duplicate {
                    return lists.apply(memory);
                }
                match review {
                    Review::Needed => memory.body.trust.review = review,
                    _ => memory.status = retired.clone(),
                }
                Ok(())
            })?;
        let found = changed.into_iter().find(|found| found.memory.id == duplicate);
        found.ok_or_else(|| EngineError::NoSuchMemory { text: id.to_owned() })
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
        let mut places: HashMap<MemoryId, usize> = HashMap::new();
        for id in ids {
            let found = self.find(id)?;
            if let Entry::Vacant(place) = places.entry(found.memory.id) {
                place.insert(wanted.len());
                wanted.push((found.store, found.memory.id));
            }
        }
        let action = self.action(kind, reason);
        let (now, mut changed) = (action.at, Vec::with_capacity(wanted.len()));
        let requester = self.requester;
        let Engine { project, global, .. } = self;
        let project = project.as_mut().map(ProjectStore::get_mut);
        let stores = [(StoreScope::Project, project), (StoreScope::Global, global.as_deref_mut())];
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
        changed.sort_by_key(|found| places.get(&found.memory.id).copied());
        Ok(changed)
    }
}

/// Sets fields of a memory in its JSON form; `null` clears a field.
fn set_fields(memory: &mut Memory, patch: &Map<String, Value>) -> EngineResult<()> {
    let Value::Object(mut fields) = memory.to_json() else {
        return Err(EngineError::NoSuchMemory { text: memory.id.to_string() });
    };
    tacit_store::apply_patch(&mut fields, patch);
    *memory = Memory::from_json(Value::Object(fields))?;
    Ok(())
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
    forget_derived(before, &mut after);
    after.updated_at = now;
    reject_duplicate(transaction, &after)?;
    transaction.update(before, &after)?;
    index(transaction, &after)?;
    Ok(after)
}

/// Drops the confidence that was derived from an earlier one; maintenance derives it again.
pub(crate) fn forget_derived(before: &Memory, after: &mut Memory) {
    if after.body.confidence != before.body.confidence {
        after.body.derived_confidence = None;
    }
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
