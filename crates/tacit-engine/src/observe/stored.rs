//! Answers from stored memories to the questions of the learning pipeline: earlier sessions,
//! recipes, and the nearest memory about the same subject as a candidate.
//!
//! Two memories about different files are two, however alike they sound; so are two errors with
//! different fingerprints. Of those about the same, meaning decides whether they say the same, and
//! the words they share how much is new.

use tacit_core::{
    BuiltinType, Details, Memory, MemoryType, RepoPath, Scope, SessionId, jaccard, tokenize,
};
use tacit_models::TextKind;
use tacit_observer::promotion::{MemoryCandidate, NearestMemory, SAME_SIMILARITY};
use tacit_observer::recipes::KnownRecipe;
use tacit_observer::{KnownMemories, SessionDigest};
use tacit_store::{Filter, ListOrder, Session};

use crate::engine::{Engine, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::lookup::StoredMemory;
use crate::recall::{RecallRequest, SearchChannels};
use crate::remember::fingerprint;
use crate::semantic::dot;

/// Number of earlier sessions that rules can look at.
const PAST: usize = 120;
/// Number of recipes that are looked at.
const RECIPES: usize = 200;
/// Number of memories about the same subject that are compared.
const COMPARED: usize = 20;
/// The share of words from which on meaning is compared.
const ALIKE: f64 = 0.2;

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
        // One that another version wrote and cannot be read is as if it had not been kept.
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

    fn nearest(&self, candidate: &MemoryCandidate) -> EngineResult<Option<NearestMemory>> {
        let draft = &candidate.draft;
        let kind = draft.kind.as_deref().and_then(|kind| kind.parse::<MemoryType>().ok());
        // How a unit of work ended is about that unit alone, whatever words it shares with others.
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
        // What a session has said itself, it does not confirm.
        let own = |session: &SessionId| Some(session.as_str()) == draft.session.as_deref();
        known.retain(|memory| !memory.body.origin.sessions.iter().any(own));
        if is_error {
            return Ok(known
                .first()
                .map(|memory| NearestMemory { id: memory.id, similarity: 1.0 }));
        }
        let words = tokenize(&draft.content);
        let mut nearest: Option<(f64, Memory)> = None;
        for memory in known {
            let shared = jaccard(&words, &tokenize(memory.body.content.as_str()));
            if nearest.as_ref().is_none_or(|(most, _)| shared > *most) {
                nearest = Some((shared, memory));
            }
        }
        Ok(nearest.map(|(shared, memory)| {
            let meant = if shared >= ALIKE { self.cosine(&draft.content, &memory) } else { None };
            let similarity = meant.filter(|cosine| *cosine >= SAME_SIMILARITY).unwrap_or(shared);
            NearestMemory { id: memory.id, similarity }
        }))
    }
}

impl ProjectMemories<'_, '_> {
    /// Memories that pass a filter and are about one of the files of a candidate; if it has none,
    /// those without files, from the same error or of the same words.
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
            return Ok(found.filter(|memory| memory.body.files.is_empty()).collect());
        }
        let engine = self.engine;
        let store = engine.store(StoreScope::Project).ok_or_else(|| engine.not_initialised())?;
        let keys = store.keys_about(&files, &filter, COMPARED)?;
        Ok(store.read_keys(&keys, &filter)?.into_iter().map(|(_, memory)| memory).collect())
    }

    /// Returns the cosine similarity of two texts, if there is an embedder.
    fn cosine(&self, content: &str, memory: &Memory) -> Option<f64> {
        let texts = [content, memory.body.content.as_str()];
        let vectors = self.engine.embedder.as_ref()?.embed(&texts, TextKind::Passage, None).ok()?;
        match vectors.as_slice() {
            [one, other] => Some(f64::from(dot(one, other))),
            _ => None,
        }
    }
}
