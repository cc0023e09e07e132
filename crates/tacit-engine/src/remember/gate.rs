//! The steps that need the store, in one transaction: a request is compared with what is known
//! (identify), what shall be done is decided (`resolve.rs`), written (persist), and made findable
//! (index).

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

/// Number of likely twins that are compared word by word.
const COMPARED: usize = 8;

/// A transaction that requests pass into the store by.
pub(crate) struct WriteGate<'t> {
    pub(crate) transaction: Box<dyn Transaction + 't>,
    pub(crate) now: Timestamp,
    ids: &'t dyn IdSource,
    config: Config,
}

impl Engine<'_> {
    /// Begins a transaction. Unless `patient`, another process that writes is not waited for.
    pub(crate) fn open_gate(
        &mut self,
        shelf: StoreScope,
        action: Action,
        patient: bool,
    ) -> EngineResult<WriteGate<'_>> {
        let (now, ids, config) = (action.at, self.ids, self.config.clone());
        let store = self.store_mut(shelf)?;
        let transaction = if patient { store.begin(action)? } else { store.begin_now(action)? };
        Ok(WriteGate { transaction, now, ids, config })
    }
}

impl WriteGate<'_> {
    /// Takes a request through identify, resolve, persist and index.
    pub(crate) fn pass(&mut self, request: PreparedRequest) -> EngineResult<RememberResult> {
        let PreparedRequest { body, treatment, .. } = request;
        let identical = self.identical(&body)?;
        let in_use = identical.iter().any(|memory| memory.status.kind() == StatusKind::Active);
        let near = if in_use { None } else { self.nearest(&body)? };
        let (outcome, memory, left_out) = match resolve(identical, body, self.now, &self.config)? {
            GateDecision::Create(body) => {
                let mut memory = Memory::begin(self.free_id()?, *body, self.now);
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
        Ok(RememberResult { outcome, memory: Some(memory), treatment, near, left_out })
    }

    /// Keeps what passed.
    pub(crate) fn commit(self) -> EngineResult<Option<ChangeId>> {
        Ok(self.transaction.commit()?)
    }

    /// The memories that say the same, whatever their status.
    pub(crate) fn identical(&self, body: &MemoryBody) -> EngineResult<Vec<Memory>> {
        let matches = self.transaction.find_identical(&body.content_hash())?;
        let ids: Vec<_> = matches.iter().map(|found| found.id).collect();
        Ok(if ids.is_empty() { Vec::new() } else { self.transaction.read(&ids)? })
    }

    /// The memory in use that says nearly the same, and how nearly.
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
            .filter(|(_, similarity)| *similarity >= self.config.near_duplicate)
            .max_by(|(a, x), (b, y)| x.total_cmp(y).then(a.cmp(b))))
    }

    /// An identifier whose short form no other memory has.
    fn free_id(&self) -> EngineResult<MemoryId> {
        loop {
            let id = self.ids.next_id(self.now);
            if !self.transaction.is_taken(id.short())? {
                return Ok(id);
            }
        }
    }
}

/// Links the new memory to the one it resembles. Both stay; a person or an agent decides. A
/// memory that already has all the relations it can have goes without.
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

/// Makes a memory findable, as it is now.
pub(crate) fn index(transaction: &mut dyn Transaction, memory: &Memory) -> EngineResult<()> {
    Ok(transaction.index(&memory.id, &index_entry(&memory.body))?)
}

/// Builds the index entry of a memory.
pub fn index_entry(body: &MemoryBody) -> IndexEntry {
    let FieldTokens { title, text, labels } = field_tokens(body);
    let signature = match &body.reasoning {
        None => Signature::of(&text),
        Some(_) => Signature::of(&content_tokens(body)),
    };
    let meaning = embedded_text(body).map(|text| text_number(&text));
    let fingerprint = fingerprint(body.subject.details(), body.content.as_str());
    IndexEntry { title, text, labels, signature, meaning, fingerprint }
}

/// The error that something was learnt from. Whoever only tells of one quotes it.
pub(crate) fn fingerprint(details: &Details, content: &str) -> Option<FingerprintDigest> {
    match details {
        Details::ErrorPattern(error) => Some(error.fingerprint.clone()),
        Details::Plain(PlainType::ErrorPattern) => {
            error_fingerprint("", content).map(|print| print.digest().clone())
        }
        _ => None,
    }
}

/// The words a memory is found by.
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
    }
}

/// The tokens by which two memories are compared.
fn content_tokens(body: &MemoryBody) -> Tokens {
    tokenize(body.content.as_str())
}

/// The text whose meaning is searched; none for types that are many and never asked for by
/// meaning.
pub(crate) fn embedded_text(body: &MemoryBody) -> Option<String> {
    let kind = body.subject.memory_type();
    if matches!(kind.as_str(), "work_unit_outcome" | "context_cost")
        || body.origin.source == Source::CommitAuto
    {
        return None;
    }
    Some(titled_text(body))
}

/// The content below its title, if it has one.
pub(crate) fn titled_text(body: &MemoryBody) -> String {
    match &body.title {
        Some(title) => format!("{title}\n{}", body.content),
        None => body.content.to_string(),
    }
}

/// A number that differs where the text does, within what an SQL integer holds.
fn text_number(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash >> 1
}
