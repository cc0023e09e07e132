//! Applies what a file says to its memories: creates, changes, restores and retires them.

use std::collections::BTreeMap;

use serde_json::{Map, json};
use tacit_core::{
    Draft, FieldError, Memory, MemoryBody, MemoryId, Reasoning, Review, Source, StatusKind,
};
use tacit_engine::{
    Engine, EngineError, ForgetMode, RememberOutcome, RememberRequest, StoreAccess, StoreScope,
};
use tacit_records::files::UnreadableFile;
use tacit_records::{RecordCategory, RecordError};
use tacit_store::{Filter, ListOrder};

use super::sources::cut;
use super::state::RECORDS;
use super::sync::FileSync;
use crate::error::AppResult;

/// The reason for retiring a memory whose file or section was deleted.
pub(super) const DELETED: &str = "the file no longer says it";
/// The reason for retiring the memory of a rule that was reworded.
pub(super) const REPLACED: &str = "the file says it differently now";
/// The reason for retiring the memories of a file that is left out by the configuration.
pub(super) const UNFOLLOWED: &str = "its file is no longer followed";

impl<'a> FileSync<'a> {
    /// Creates or updates the memory of a record or a section.
    pub(super) fn upsert(
        &mut self,
        name: &str,
        mut draft: Draft,
        known: Option<MemoryId>,
        compared: Comparison,
    ) -> AppResult<Option<MemoryId>> {
        let problems = self.report.problems.len();
        draft.review = compared.committed.then(|| Review::Committed.to_string());
        let updated = match known {
            Some(id) => self.rewrite(name, id, &draft, compared)?,
            None => None,
        };
        let id = match updated {
            Some(id) => Some(id),
            None => self.create(name, &draft, compared)?,
        };
        if self.report.problems.len() == problems {
            let is_section = draft.references.iter().any(|place| place == name);
            let list =
                if is_section { &mut self.report.sections } else { &mut self.report.indexed };
            list.push(name.to_owned());
        }
        Ok(id)
    }

    fn create(
        &mut self,
        name: &str,
        draft: &Draft,
        compared: Comparison,
    ) -> AppResult<Option<MemoryId>> {
        let place = draft.references.first().map_or(name, String::as_str);
        let reason = Reasoning::new(cut(&format!("indexed from {place}"), 1000)).ok();
        let request = RememberRequest { draft: draft.clone(), reason };
        match self.engine()?.remember(StoreScope::Project, request) {
            Ok(remembered) => {
                let Some(memory) = remembered.memory else { return Ok(None) };
                // The text was known: from elsewhere, or from a section with another heading.
                let is_new = remembered.outcome == RememberOutcome::Stored;
                let is_followed = memory.body.origin.source == Source::File;
                if is_new {
                    return Ok(Some(memory.id));
                }
                if is_followed {
                    return self.rewrite(name, memory.id, draft, compared);
                }
                self.share_trust(&memory, compared)
            }
            Err(EngineError::Invalid(errors)) => Ok(self.refused(name, errors)),
            // The file exists again, so its memory may come back.
            Err(EngineError::RecentlyForgotten { id, .. }) => {
                self.rewrite(name, id, draft, compared)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the trust in a file to a memory that says the same and does not follow it.
    fn share_trust(
        &mut self,
        memory: &Memory,
        compared: Comparison,
    ) -> AppResult<Option<MemoryId>> {
        if let Some(review) = compared.review(&memory.body, false) {
            let mut patch = Map::new();
            patch.insert("review".into(), json!(review));
            self.engine()?.edit(&memory.id.to_string(), &patch, review_reason(review))?;
        }
        Ok(Some(memory.id))
    }

    /// Reports what the write gate refuses; everything else is synced all the same.
    pub(super) fn refused(&mut self, name: &str, errors: Vec<FieldError>) -> Option<MemoryId> {
        let error = RecordError::Invalid(errors);
        self.report.problems.push(UnreadableFile { path: name.to_owned(), error });
        None
    }

    /// Updates an existing memory; `None` if it does not exist or does not follow the file.
    fn rewrite(
        &mut self,
        name: &str,
        id: MemoryId,
        draft: &Draft,
        compared: Comparison,
    ) -> AppResult<Option<MemoryId>> {
        let engine = self.engine()?;
        let memory: Memory = match engine.find(&id.to_string()) {
            Ok(found) => found.memory,
            Err(EngineError::NoSuchMemory { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let said = &memory.body;
        // Another rendering of the same words says nothing new.
        let reworded = !compared.same_file
            && (said.content.as_str() != draft.content
                || said.title.as_ref().map(tacit_core::Title::as_str) != draft.title.as_deref());
        let place = draft.references.first().map_or(name, String::as_str);
        if !follows(said, place) {
            let is_same = said.content.as_str() == draft.content;
            if !is_same || memory.status.kind() != StatusKind::Active {
                return Ok(None);
            }
            return self.share_trust(&memory, compared);
        }
        // It was forgotten, and the section says nothing new. A record may have come back into use.
        let is_forgotten =
            memory.status.inactive_since().is_some_and(|(_, why)| why.as_str() != DELETED);
        let same_text = compared.same_text.unwrap_or(!reworded && !is_record(place));
        if is_forgotten && same_text {
            return Ok(Some(id));
        }
        let mut patch = Map::new();
        patch.insert("title".into(), json!(draft.title));
        patch.insert("content".into(), json!(draft.content));
        patch.insert("tags".into(), json!(draft.tags));
        patch.insert("related_files".into(), json!(draft.related_files));
        patch.insert("references".into(), json!(draft.references));
        patch.insert("details".into(), json!(draft.details));
        if let Some(confidence) = draft.confidence {
            patch.insert("confidence".into(), json!(confidence));
        }
        if !draft.cues.is_empty() {
            patch.insert("cues".into(), json!(draft.cues));
        }
        let review = compared.review(said, reworded);
        let reason = review.and_then(review_reason);
        if let Some(review) = review {
            patch.insert("review".into(), json!(review));
        }
        if reworded {
            // Other words may no longer be what was reported as outdated.
            patch.insert("stale_at".into(), json!(null));
            patch.insert("stale_kind".into(), json!(null));
            patch.insert("stale_why".into(), json!(null));
        }
        let edited = engine.edit(&id.to_string(), &patch, reason);
        let id = match edited {
            Ok((found, _)) => found.memory.id,
            // Another file has the same text: both share one memory.
            Err(EngineError::Duplicate(other)) => return Ok(Some(other)),
            Err(EngineError::Invalid(errors)) => {
                return Ok(self.refused(name, errors).or(Some(id)));
            }
            Err(error) => return Err(error.into()),
        };
        if memory.status.kind() != StatusKind::Active {
            match engine.restore(&id.to_string()) {
                Ok(_) | Err(EngineError::AlreadyInState { .. }) => {}
                Err(EngineError::Duplicate(other)) => return Ok(Some(other)),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Some(id))
    }

    /// Takes a memory out of use, unless another file has it or it does not follow this one.
    pub(super) fn forget(
        &mut self,
        file: &str,
        name: &str,
        id: MemoryId,
        mode: ForgetMode,
        reason: &str,
    ) -> AppResult<()> {
        let mut others = self.state.files.iter().filter(|(other, _)| *other != file);
        if others.any(|(_, other)| other.memories.values().any(|other| *other == id)) {
            return Ok(());
        }
        match self.engine()?.find(&id.to_string()) {
            Ok(found) if follows(&found.memory.body, file) => {}
            Ok(_) | Err(EngineError::NoSuchMemory { .. }) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        let reason = Reasoning::new(cut(reason, 1000)).or_else(|_| Reasoning::new(DELETED))?;
        match self.engine()?.forget(&id.to_string(), mode, reason) {
            Ok(_) => self.report.removed.push(name.to_owned()),
            Err(EngineError::AlreadyInState { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    pub(super) fn engine(&mut self) -> AppResult<&mut Engine<'a>> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            // Syncing is not what the user asked for, so the history credits it to Tacit.
            None => {
                self.app.engine_with_embedder(StoreAccess::Write(StoreScope::Project))?.as_tacit()
            }
        };
        Ok(self.engine.insert(engine))
    }

    /// Returns the memories made from files, by reference, in case the sync state is lost or
    /// another worktree created them.
    pub(super) fn known(&mut self) -> AppResult<&BTreeMap<String, MemoryId>> {
        if self.known.is_none() {
            let types = RecordCategory::ALL.map(|c| c.category().memory_type().into()).to_vec();
            let filter = Filter { types, ..Filter::everything() };
            let engine = self.engine()?;
            let listed = engine.list(
                Some(StoreScope::Project),
                &filter,
                ListOrder::Oldest,
                usize::MAX >> 1,
                0,
            )?;
            let places = listed.into_iter().flat_map(|found| {
                let (id, body) = (found.memory.id, found.memory.body);
                let places = body.references.iter().filter(|place| follows(&body, place.as_str()));
                let places: Vec<String> = places.map(ToString::to_string).collect();
                places.into_iter().map(move |place| (place, id))
            });
            self.known = Some(places.collect());
        }
        Ok(self.known.get_or_insert_default())
    }
}

/// A file and one of its sections, compared with the last sync.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comparison {
    /// True if it is in the last commit, unchanged.
    pub(super) committed: bool,
    /// The same at the last sync; `None` if that is not known.
    pub(super) before: Option<bool>,
    /// True if the section says the same; `None` if that is not known.
    pub(super) same_text: Option<bool>,
    /// True if the file is as it was at the last sync.
    pub(super) same_file: bool,
}

impl Comparison {
    /// Returns the review state that a memory gets from its file; `None` if it keeps its own.
    pub(super) fn review(self, said: &MemoryBody, reworded: bool) -> Option<Review> {
        match (said.trust.review, self.committed) {
            // A person verified these words.
            (Review::Verified, _) if !reworded => None,
            // Flagged by a person, and not committed since.
            (Review::Needed, true) if !reworded && self.before != Some(false) => None,
            (_, true) => Some(Review::Committed),
            // A pull or an agent's edit has not been verified.
            (Review::Verified, false) => Some(Review::Needed),
            (Review::Committed, false) => Some(Review::None),
            (Review::None | Review::Needed, false) => None,
        }
    }
}

/// Returns the reason for the history why a memory gets a review state from its file.
pub(super) fn review_reason(review: Review) -> Option<Reasoning> {
    let reason = match review {
        Review::Committed => "the team committed it",
        _ => "its file is not what was committed or verified",
    };
    Reasoning::new(reason).ok()
}

/// Returns true if a memory follows the file at a place: it was made from a file, or is shared as
/// this record. Any other memory may name the place as a source.
fn follows(said: &MemoryBody, place: &str) -> bool {
    said.origin.source == Source::File
        || (is_record(place) && said.references.iter().any(|own| own.as_str() == place))
}

fn is_record(place: &str) -> bool {
    place.strip_prefix(RECORDS).is_some_and(|rest| rest.starts_with('/'))
}
