//! Access of the observer to stored memories: earlier sessions, recipes, and the nearest memory to
//! a candidate.
//!
//! Memories about different files are different, however similar their texts, and so are errors
//! with different fingerprints. Among memories about the same files, shared words decide whether
//! they say the same.

use tacit_core::{
    BuiltinType, Details, Memory, MemoryType, RepoPath, Scope, SessionId, Source, jaccard, tokenize,
};
use tacit_observer::promotion::{Basis, MemoryCandidate, NearestMemory};
use tacit_observer::recipes::KnownRecipe;
use tacit_observer::rules::KnownObservation;
use tacit_observer::{KnownMemories, SessionDigest};
use tacit_store::{Filter, ListOrder, Session};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;
use crate::recall::{RecallRequest, SearchChannels};
use crate::remember::fingerprint;

/// The most earlier sessions that rules can read.
const PAST: usize = 120;
/// The most recipes that are read.
const RECIPES: usize = 200;
/// The most observations of the application that are read.
const OBSERVATIONS: usize = 500;
/// The most memories about the same subject that are compared.
const COMPARED: usize = 20;
/// The share of common words from which on two texts say the same.
const SAME_WORDS: f64 = 0.6;

/// The memories of a project, for a tree of these sessions.
pub(super) struct ProjectMemories<'s, 'e> {
    pub(super) engine: &'s Engine<'e>,
    pub(super) sessions: &'s [Session],
}

impl KnownMemories for ProjectMemories<'_, '_> {
    type Error = EngineError;

    fn past_digests(&self) -> EngineResult<Vec<SessionDigest>> {
        let engine = self.engine;
        let store = engine.store(StoreScope::Project).ok_or_else(|| engine.not_initialised())?;
        let own = |digest: &SessionDigest| self.sessions.iter().any(|own| own.id == digest.session);
        let read = store.digests(PAST)?;
        // An unreadable digest of another version is ignored.
        let digests =
            read.iter().filter_map(|json| serde_json::from_str::<SessionDigest>(json).ok());
        Ok(digests.filter(|digest| !own(digest)).collect())
    }

    fn recipes(&self) -> EngineResult<Vec<KnownRecipe>> {
        let types = vec![BuiltinType::WorkflowRecipe.into()];
        let filter = Filter { types, ..Filter::default() };
        let newest = ListOrder::Newest;
        let found = self.engine.list(Some(StoreScope::Project), &filter, newest, RECIPES, 0)?;
        let recipes = found.into_iter().filter_map(|StoredMemory { memory, .. }| {
            let Details::WorkflowRecipe(recipe) = memory.body.subject.details() else {
                return None;
            };
            Some(KnownRecipe {
                id: memory.id,
                recipe: recipe.clone(),
                confidence: memory.body.confidence.value(),
                stale: memory.body.trust.stale_at.is_some(),
            })
        });
        Ok(recipes.collect())
    }

    fn observations(&self) -> EngineResult<Vec<KnownObservation>> {
        let filter = Filter {
            types: vec![BuiltinType::E2eObservation.into()],
            sources: vec![Source::McpAuto],
            ..Filter::default()
        };
        let newest = ListOrder::Newest;
        let found =
            self.engine.list(Some(StoreScope::Project), &filter, newest, OBSERVATIONS, 0)?;
        let known = found.into_iter().filter_map(|StoredMemory { memory, .. }| {
            let Details::E2eObservation(seen) = memory.body.subject.details() else { return None };
            let (kind, content) = (seen.observation_type, memory.body.content.to_string());
            Some(KnownObservation { id: memory.id, kind, content })
        });
        Ok(known.collect())
    }

    fn nearest(&self, candidate: &MemoryCandidate) -> EngineResult<Option<NearestMemory>> {
        let draft = &candidate.draft;
        let kind = draft.kind.as_deref().and_then(|kind| kind.parse::<MemoryType>().ok());
        // The outcome of a unit of work is about that unit alone, whatever words it shares with
        // others.
        let alone = candidate.replaces || draft.scope.as_deref() == Some(Scope::WorkUnit.as_str());
        let Some(kind) = kind.filter(|_| !alone) else { return Ok(None) };
        let is_error = kind == MemoryType::Builtin(BuiltinType::ErrorPattern);
        let details = Details::from_json(&kind, draft.details.clone()).ok();
        let fingerprint = details.and_then(|details| fingerprint(&details, &draft.content));
        if is_error && fingerprint.is_none() {
            return Ok(None);
        }
        let filter = Filter { types: vec![kind], fingerprint, ..Filter::default() };
        let mut known = self.about_the_same(filter, candidate)?;
        // A session does not confirm its own memory, and nothing confirms the note of a commit.
        let own = |session: &SessionId| Some(session.as_str()) == draft.session.as_deref();
        known.retain(|memory| {
            memory.body.origin.source != Source::CommitAuto
                && !memory.body.origin.sessions.iter().any(own)
        });
        if is_error {
            return Ok(known
                .first()
                .map(|memory| NearestMemory { id: memory.id, similarity: 1.0 }));
        }
        let nearest = known.into_iter().map(|memory| NearestMemory {
            id: memory.id,
            similarity: similarity(candidate, &memory),
        });
        Ok(nearest.max_by(|a, b| a.similarity.total_cmp(&b.similarity)))
    }
}

/// Returns 1 if a memory has the subject of a candidate, and otherwise the share of common words.
/// Conclusions about files share most words of their text, so that only the files count.
fn similarity(candidate: &MemoryCandidate, memory: &Memory) -> f64 {
    let draft = &candidate.draft;
    if candidate.basis == Basis::CoAccess {
        let known: Vec<&str> = memory.body.files.iter().map(RepoPath::as_str).collect();
        let same = draft.related_files.len() == known.len()
            && draft.related_files.iter().all(|file| known.contains(&file.as_str()));
        return if same { 1.0 } else { 0.0 };
    }
    let shared = jaccard(&tokenize(&draft.content), &tokenize(memory.body.content.as_str()));
    if shared >= SAME_WORDS { 1.0 } else { shared }
}

impl ProjectMemories<'_, '_> {
    /// Returns memories that pass the filter and are about one of the candidate's files; without
    /// files, those of the same error or with similar words.
    fn about_the_same(
        &self,
        filter: Filter,
        candidate: &MemoryCandidate,
    ) -> EngineResult<Vec<Memory>> {
        let named = candidate.draft.related_files.iter();
        let files: Vec<RepoPath> =
            named.filter_map(|file| RepoPath::new(file.as_str()).ok()).collect();
        if files.is_empty() {
            let query =
                if filter.fingerprint.is_some() { "" } else { candidate.draft.content.as_str() };
            let mut recall = RecallRequest::explicit(query, filter, COMPARED);
            recall.channels = SearchChannels::Words;
            let found =
                self.engine.recall(&recall)?.shown.into_iter().map(|answer| answer.found.memory);
            // Observations get their files later, from the code.
            let is_alike = |memory: &Memory| {
                memory.body.files.is_empty()
                    || memory.memory_type() == BuiltinType::E2eObservation.into()
            };
            return Ok(found.filter(is_alike).collect());
        }
        let engine = self.engine;
        let store = engine.store(StoreScope::Project).ok_or_else(|| engine.not_initialised())?;
        let keys = store.keys_about(&files, &filter, COMPARED)?;
        Ok(store.read_keys(&keys, &filter)?.into_iter().map(|(_, memory)| memory).collect())
    }
}
