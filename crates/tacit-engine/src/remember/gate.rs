//! The steps of the write gate that need the store, in one transaction: find duplicates (identify),
//! decide (`resolve.rs`), write (persist) and index.

use tacit_core::{
    Confidence, Config, Details, FingerprintDigest, IdSource, Memory, MemoryBody, MemoryId,
    PlainType, Relation, RelationKind, RelationTarget, Signature, Source, StatusKind, Timestamp,
    Tokens, jaccard, tokenize,
};
use tacit_observer::error_fingerprint;
use tacit_recall::FieldTokens;
use tacit_store::{Action, ChangeId, IndexEntry, Transaction};

use super::resolve::{GateDecision, resolve};
use super::{PreparedRequest, RememberOutcome, RememberResult};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

/// The most near-duplicates that are compared word by word.
const COMPARED: usize = 8;
/// The share of words that two memories must have in common for the newer one to be linked as a
/// proposal to supersede the older. Both are always stored.
const NEAR_DUPLICATE: f64 = 0.8;

/// A transaction through which requests enter the store.
pub(crate) struct WriteGate<'t> {
    pub(crate) transaction: Box<dyn Transaction + 't>,
    pub(crate) now: Timestamp,
    ids: &'t dyn IdSource,
    config: Config,
}

impl Engine<'_> {
    /// Starts a transaction. Unless `patient`, fails at once if another process is writing.
    pub(crate) fn open_gate(
        &mut self,
        scope: StoreScope,
        action: Action,
        patient: bool,
    ) -> EngineResult<WriteGate<'_>> {
        let (now, ids, config) = (action.at, self.ids, self.config.clone());
        let store = self.store_mut(scope)?;
        let transaction = if patient { store.begin(action)? } else { store.try_begin(action)? };
        Ok(WriteGate { transaction, now, ids, config })
    }
}

impl WriteGate<'_> {
    /// Claims a request, if it has an identifier.
    pub(super) fn claim(&mut self, id: Option<MemoryId>) -> EngineResult<()> {
        if let Some(id) = id {
            self.transaction.claim_request(&id.to_string())?;
        }
        Ok(())
    }

    /// Identifies, resolves, persists and indexes a request.
    pub(crate) fn submit(&mut self, request: PreparedRequest) -> EngineResult<RememberResult> {
        let PreparedRequest { body, cleanup, .. } = request;
        let identical = self.identical(&body)?;
        let in_use = identical.iter().any(|memory| memory.status.kind() == StatusKind::Active);
        let near = if in_use { None } else { self.nearest(&body)? };
        let asks_private = !body.visibility.is_team();
        let (outcome, memory, left_out) = match resolve(identical, body, self.now, &self.config)? {
            GateDecision::Create(body) => {
                let mut memory = Memory::new(self.free_id()?, *body, self.now);
                if let Some((other, similarity)) = near {
                    propose_to_supersede(&mut memory, other, similarity);
                }
                self.transaction.insert(&memory)?;
                (RememberOutcome::Stored, memory, Vec::new())
            }
            GateDecision::Reinforce { before, after, left_out } => {
                self.transaction.update(&before, &after)?;
                (RememberOutcome::Reinforced, *after, left_out)
            }
        };
        index(self.transaction.as_mut(), &memory)?;
        let stays_team = asks_private && memory.body.visibility.is_team();
        let memory = Some(memory);
        Ok(RememberResult { outcome, memory, cleanup, similar: near, left_out, stays_team })
    }

    /// Commits the accepted requests.
    pub(crate) fn commit(self) -> EngineResult<Option<ChangeId>> {
        Ok(self.transaction.commit()?)
    }

    /// Returns the stored duplicates of a memory, of any status.
    pub(crate) fn identical(&self, body: &MemoryBody) -> EngineResult<Vec<Memory>> {
        let matches = self.transaction.find_identical(&body.content_hash())?;
        let ids: Vec<_> = matches.iter().map(|found| found.id).collect();
        Ok(if ids.is_empty() { Vec::new() } else { self.transaction.read(&ids)? })
    }

    /// Returns the most similar active memory and the similarity, if it is a near-duplicate.
    fn nearest(&self, body: &MemoryBody) -> EngineResult<Option<(MemoryId, f64)>> {
        let tokens = content_tokens(body);
        let Some(signature) = Signature::of(&tokens) else { return Ok(None) };
        let candidates = self.transaction.find_similar(&signature, COMPARED)?;
        if candidates.is_empty() {
            return Ok(None);
        }
        let memories = self.transaction.read(&candidates)?.into_iter();
        Ok(memories
            .map(|memory| (memory.id, jaccard(&tokens, &content_tokens(&memory.body))))
            .filter(|(_, similarity)| *similarity >= NEAR_DUPLICATE)
            .max_by(|(a, x), (b, y)| x.total_cmp(y).then(a.cmp(b))))
    }

    /// Returns an identifier whose short form is unused.
    fn free_id(&self) -> EngineResult<MemoryId> {
        loop {
            let id = self.ids.next_id(self.now);
            if !self.transaction.is_taken(id.short())? {
                return Ok(id);
            }
        }
    }
}

/// Links a new memory to its near-duplicate. Both stay; a person or an agent decides. Skipped if
/// the memory has no room for another relation.
fn propose_to_supersede(memory: &mut Memory, other: MemoryId, similarity: f64) {
    let relation = Relation {
        target: RelationTarget::Memory(other),
        kind: RelationKind::Supersedes,
        confidence: Confidence::new(similarity).unwrap_or(Confidence::LOW),
        auto_extracted: true,
    };
    if let Ok(relations) = memory.body.relations.with(relation) {
        memory.body.relations = relations;
    }
}

/// Indexes a memory.
pub(crate) fn index(transaction: &mut dyn Transaction, memory: &Memory) -> EngineResult<()> {
    Ok(transaction.index(&memory.id, &index_entry(&memory.body))?)
}

/// Builds the index entry of a memory.
pub fn index_entry(body: &MemoryBody) -> IndexEntry {
    let FieldTokens { title, text, labels, cues } = field_tokens(body);
    let signature = match &body.reasoning {
        None => Signature::of(&text),
        Some(_) => Signature::of(&content_tokens(body)),
    };
    let meaning = embedded_texts(body).map(|texts| texts.hash());
    let fingerprint = fingerprint(body.subject.details(), body.content.as_str());
    IndexEntry { title, text, labels, cues, signature, embedding_hash: meaning, fingerprint }
}

/// Returns the fingerprint of the error that a memory is about. A memory without error details
/// quotes the error in its text.
pub(crate) fn fingerprint(details: &Details, content: &str) -> Option<FingerprintDigest> {
    match details {
        Details::ErrorPattern(error) => Some(error.fingerprint.clone()),
        Details::Plain(PlainType::ErrorPattern) => {
            error_fingerprint("", content).map(|print| print.digest().clone())
        }
        _ => None,
    }
}

/// Returns the tokens by which a memory is found.
pub(crate) fn field_tokens(body: &MemoryBody) -> FieldTokens {
    let mut labels = String::from(body.subject.memory_type().as_str());
    let tags = body.tags.iter().map(|tag| tag.as_str());
    let files = body.files.iter().map(|file| file.as_str());
    let modules = body.modules.iter().map(|module| module.as_str());
    let symbols = body.symbols.iter().map(|symbol| symbol.name());
    for label in tags.chain(files).chain(symbols).chain(modules) {
        labels.push(' ');
        labels.push_str(label);
    }
    FieldTokens {
        title: body.title.as_ref().map(|title| tokenize(title.as_str())).unwrap_or_default(),
        text: match &body.reasoning {
            None => content_tokens(body),
            Some(reasoning) => tokenize(&format!("{}\n{reasoning}", body.content)),
        },
        labels: tokenize(&labels),
        cues: cue_tokens(body),
    }
}

/// Returns the tokens of the cues. The lines keep words of neighbouring cues apart.
fn cue_tokens(body: &MemoryBody) -> Tokens {
    if body.cues.is_empty() {
        return Tokens::default();
    }
    let cues: Vec<&str> = body.cues.iter().map(|cue| cue.as_str()).collect();
    tokenize(&cues.join("\n"))
}

/// Returns the tokens by which memories are compared.
fn content_tokens(body: &MemoryBody) -> Tokens {
    tokenize(body.content.as_str())
}

/// The texts of a memory that are embedded.
pub(crate) struct EmbeddedTexts<'m> {
    pub(crate) text: String,
    pub(crate) cues: Vec<&'m str>,
}

impl EmbeddedTexts<'_> {
    /// Hashes the texts to a number that fits into an SQL integer.
    fn hash(&self) -> u64 {
        // A memory without cues has the hash of its text, as before there were cues.
        let cues = self.cues.iter().flat_map(|cue| ["\0", cue]);
        let bytes = std::iter::once(self.text.as_str()).chain(cues).flat_map(str::bytes);
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        hash >> 1
    }
}

/// Returns the texts to embed; `None` for types that are numerous and never searched by meaning.
pub(crate) fn embedded_texts(body: &MemoryBody) -> Option<EmbeddedTexts<'_>> {
    if body.is_measurement() || body.origin.source == Source::CommitAuto {
        return None;
    }
    let cues = body.cues.iter().map(|cue| cue.as_str()).collect();
    Some(EmbeddedTexts { text: titled_text(body), cues })
}

/// Returns the content below its title.
pub(crate) fn titled_text(body: &MemoryBody) -> String {
    match &body.title {
        Some(title) => format!("{title}\n{}", body.content),
        None => body.content.to_string(),
    }
}
