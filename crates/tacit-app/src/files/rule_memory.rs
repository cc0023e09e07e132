//! The memory of a rule: created, brought back, adopted from an earlier import, and linked to its
//! lines.

use std::collections::BTreeMap;

use serde_json::{Map, json};
use tacit_core::{
    Confidence, Draft, Memory, MemoryId, Reasoning, Reference, References, Relation, RelationKind,
    RelationTarget, Review, Source,
};
use tacit_engine::{EngineError, RememberOutcome, RememberRequest, StoreScope};
use tacit_store::{ChangeQuery, Filter, ListOrder};

use super::apply::{Comparison, DELETED, REPLACED, UNFOLLOWED, review_reason};
use super::rules::SUPERSEDED;
use super::sources::cut;
use super::sync::FileSync;
use crate::error::AppResult;

/// The most changes of an imported memory that are searched for its first text.
const MAX_CHANGES: usize = 50;

/// A memory from a file of rules, in case the sync state is lost, another worktree created it, or it
/// was imported before the file was followed.
pub(super) struct WrittenMemory {
    id: MemoryId,
    file: String,
    /// The text, and those from before a person edited the memory.
    texts: Vec<String>,
}

impl FileSync<'_> {
    /// Finds the memory that already stands for a passage of a file, in use or not.
    pub(super) fn written_as(&mut self, file: &str, text: &str) -> AppResult<Option<MemoryId>> {
        if self.written.is_none() {
            self.written = Some(self.written_memories()?);
        }
        let mut known = self.written.iter().flatten();
        let found = known.find(|one| one.file == file && one.texts.iter().any(|own| own == text));
        Ok(found.map(|one| one.id))
    }

    fn written_memories(&mut self) -> AppResult<Vec<WrittenMemory>> {
        let sources = vec![Source::File, Source::Imported];
        let filter = Filter { sources, ..Filter::everything() };
        let engine = self.engine()?;
        let (scope, order) = (Some(StoreScope::Project), ListOrder::Oldest);
        let listed = engine.list(scope, &filter, order, usize::MAX >> 1, 0)?;
        let mut found = Vec::new();
        for memory in listed.into_iter().map(|found| found.memory) {
            let Some(file) = memory.body.references.iter().next().map(Reference::file) else {
                continue;
            };
            let mut texts = vec![memory.body.content.as_str().to_owned()];
            if memory.body.origin.source == Source::Imported {
                let query = ChangeQuery {
                    memory: Some(memory.id),
                    limit: MAX_CHANGES,
                    ..ChangeQuery::default()
                };
                for change in engine.history(StoreScope::Project, &query)? {
                    let items = change.items.into_iter().filter(|item| item.memory == memory.id);
                    let before = items.filter_map(|item| item.before);
                    texts
                        .extend(before.filter_map(|before| {
                            Some(before.get("content")?.as_str()?.to_owned())
                        }));
                }
            }
            found.push(WrittenMemory { id: memory.id, file: file.to_owned(), texts });
        }
        Ok(found)
    }

    pub(super) fn find(&mut self, id: MemoryId) -> AppResult<Option<Memory>> {
        match self.engine()?.find(&id.to_string()) {
            Ok(found) => Ok(Some(found.memory)),
            Err(EngineError::NoSuchMemory { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Brings a known memory of a rule back into use, unless a person forgot it, and gives it the
    /// trust in its files. Returns false if the rule needs a memory of its own.
    pub(super) fn settle_rule(
        &mut self,
        id: MemoryId,
        committed: bool,
        before: Option<bool>,
    ) -> AppResult<bool> {
        let Some(memory) = self.find(id)? else { return Ok(false) };
        if let Some((_, why)) = memory.status.inactive_since() {
            if !is_written(&memory) {
                return Ok(false);
            }
            if !is_ours(why.as_str()) {
                return Ok(true);
            }
            match self.engine()?.restore(&id.to_string()) {
                Ok(_) | Err(EngineError::AlreadyInState { .. }) => {}
                Err(EngineError::Duplicate(_)) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
        // An import needs a review until the file is followed; no person asked for it.
        let before = before.filter(|_| memory.body.origin.source != Source::Imported);
        let before = before.or(Some(false));
        let compared = Comparison { committed, before, same_text: Some(true), same_file: true };
        if let Some(review) = compared.review(&memory.body, false).filter(|it| shares(&memory, *it))
        {
            let mut patch = Map::new();
            patch.insert("review".into(), json!(review));
            self.engine()?.edit(&id.to_string(), &patch, review_reason(review))?;
        }
        Ok(true)
    }

    /// Creates the memory of a rule, or finds the one with its text.
    pub(super) fn create_rule(
        &mut self,
        name: &str,
        mut draft: Draft,
        committed: bool,
    ) -> AppResult<Option<MemoryId>> {
        draft.review = committed.then(|| Review::Committed.to_string());
        let reason = Reasoning::new(cut(&format!("followed from {name}"), 1000)).ok();
        match self.engine()?.remember(StoreScope::Project, RememberRequest { draft, reason }) {
            Ok(remembered) => {
                let Some(memory) = remembered.memory else { return Ok(None) };
                if remembered.outcome == RememberOutcome::Stored {
                    self.report.rules.push(name.to_owned());
                } else {
                    self.settle_rule(memory.id, committed, None)?;
                }
                Ok(Some(memory.id))
            }
            Err(EngineError::Invalid(errors)) => Ok(self.refused(name, errors)),
            Err(EngineError::RecentlyForgotten { id, .. }) => {
                Ok(self.settle_rule(id, committed, None)?.then_some(id))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Notes that a rule replaces another one.
    pub(super) fn supersede(&mut self, new: MemoryId, old: MemoryId) -> AppResult<()> {
        if new != old {
            let relation = Relation {
                target: RelationTarget::Memory(old),
                kind: RelationKind::Supersedes,
                confidence: Confidence::HIGH,
                auto_extracted: false,
            };
            self.engine()?.link(&new.to_string(), relation)?;
        }
        Ok(())
    }

    /// Points memories to the places of their rules. Other references stay.
    pub(super) fn point_to(&mut self, places: BTreeMap<MemoryId, Vec<String>>) -> AppResult<()> {
        let mut moves = Vec::new();
        for (id, places) in places {
            let Some(memory) = self.find(id)?.filter(is_written) else { continue };
            let own: Vec<Reference> =
                places.iter().filter_map(|place| Reference::new(place.as_str()).ok()).collect();
            let others = memory.body.references.iter().filter(|other| {
                !self.is_rule_file(other.file())
                    && own.iter().all(|place| place.file() != other.file())
            });
            let all = own.iter().chain(others).cloned().collect::<Vec<_>>();
            let Ok(references) = References::collect(all) else { continue };
            let is_same = references == memory.body.references;
            if !is_same || memory.body.origin.source == Source::Imported {
                moves.push((id, references));
            }
        }
        if !moves.is_empty() {
            self.engine()?.move_file_links(&moves)?;
        }
        Ok(())
    }

    /// Returns true for a file of rules, followed now or before this sync.
    fn is_rule_file(&self, file: &str) -> bool {
        self.state.files.get(file).is_some_and(|known| known.rules)
            || tacit_bridges::written::kind_of(file).is_some()
    }
}

/// Returns true if a memory was made from a file: it follows the file, or was imported from it.
fn is_written(memory: &Memory) -> bool {
    matches!(memory.body.origin.source, Source::File | Source::Imported)
}

/// Returns true if a memory may get a review state from its file: one that does not follow the file
/// gets trust, and loses none.
fn shares(memory: &Memory, review: Review) -> bool {
    is_written(memory) || review == Review::Committed
}

/// Returns true if the sync itself retired a memory, and not a person.
fn is_ours(reason: &str) -> bool {
    [DELETED, REPLACED, UNFOLLOWED].contains(&reason) || reason.starts_with(SUPERSEDED)
}
