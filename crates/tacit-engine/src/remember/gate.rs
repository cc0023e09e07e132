//! The steps that need the store, in one transaction: a request is compared with what is known
//! (identify), what shall be done is decided (`resolve.rs`), written (persist), and made findable
//! (index).

use tacit_core::{
    Confidence, Config, Details, FingerprintDigest, IdSource, Memory, MemoryId, NewMemory, Plain,
    Relation, RelationKind, Signature, Source, StatusKind, Target, Timestamp, Tokens, jaccard,
    tokenize,
};
use tacit_observer::error_fingerprint;
use tacit_recall::FieldTokens;
use tacit_store::{Action, ChangeId, IndexEntry, Transaction};

use super::resolve::{Resolution, resolve};
use super::{Outcome, Prepared, Remembered};
use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;

/// Number of likely twins that are compared word by word.
const COMPARED: usize = 8;
/// The share of words that two memories must have in common for the newer one to be linked as a
/// proposal to supersede the older. Both are always stored.
const NEAR_DUPLICATE: f64 = 0.8;

/// A transaction that requests pass into the store by.
pub(crate) struct Gate<'t> {
    pub(crate) transaction: Box<dyn Transaction + 't>,
    pub(crate) now: Timestamp,
    ids: &'t dyn IdSource,
    config: Config,
}

impl Engine<'_> {
    /// Begins a transaction. Unless `patient`, another process that writes is not waited for.
    pub(crate) fn open_gate(
        &mut self,
        shelf: Shelf,
        action: Action,
        patient: bool,
    ) -> EngineResult<Gate<'_>> {
        let (now, ids, config) = (action.at, self.ids, self.config.clone());
        let store = self.store_mut(shelf)?;
        let transaction = if patient { store.begin(action)? } else { store.begin_now(action)? };
        Ok(Gate { transaction, now, ids, config })
    }
}

impl Gate<'_> {
    /// Takes a request through identify, resolve, persist and index.
    pub(crate) fn pass(&mut self, request: Prepared) -> EngineResult<Remembered> {
        let Prepared { said, treatment, .. } = request;
        let identical = self.identical(&said)?;
        let in_use = identical.iter().any(|memory| memory.status.kind() == StatusKind::Active);
        let near = if in_use { None } else { self.nearest(&said)? };
        let (outcome, memory, left_out) = match resolve(identical, said, self.now, &self.config)? {
            Resolution::Create(said) => {
                let mut memory = Memory::begin(self.free_id()?, *said, self.now);
                if let Some((other, similarity)) = near {
                    propose_to_supersede(&mut memory, other, similarity);
                }
                self.transaction.insert(&memory)?;
                (Outcome::Stored, memory, Vec::new())
            }
            Resolution::Reinforce { before, after, left_out } => {
                self.transaction.update(&before, &after)?;
                (Outcome::Reinforced, *after, left_out)
            }
        };
        index(self.transaction.as_mut(), &memory)?;
        Ok(Remembered { outcome, memory: Some(memory), treatment, near, left_out })
    }

    /// Keeps what passed.
    pub(crate) fn commit(self) -> EngineResult<Option<ChangeId>> {
        Ok(self.transaction.commit()?)
    }

    /// The memories that say the same, whatever their status.
    pub(crate) fn identical(&self, said: &NewMemory) -> EngineResult<Vec<Memory>> {
        let matches = self.transaction.find_identical(&said.content_hash())?;
        let ids: Vec<_> = matches.iter().map(|found| found.id).collect();
        Ok(if ids.is_empty() { Vec::new() } else { self.transaction.read(&ids)? })
    }

    /// The memory in use that says nearly the same, and how nearly.
    fn nearest(&self, said: &NewMemory) -> EngineResult<Option<(MemoryId, f64)>> {
        let tokens = body_tokens(said);
        let Some(signature) = Signature::of(&tokens) else { return Ok(None) };
        let candidates = self.transaction.find_similar(&signature, COMPARED)?;
        if candidates.is_empty() {
            return Ok(None);
        }
        let memories = self.transaction.read(&candidates)?.into_iter();
        Ok(memories
            .map(|memory| (memory.id, jaccard(&tokens, &body_tokens(&memory.said))))
            .filter(|(_, similarity)| *similarity >= NEAR_DUPLICATE)
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
        target: Target::Memory(other),
        kind: RelationKind::Supersedes,
        confidence: Confidence::new(similarity).unwrap_or(Confidence::LOW),
        auto_extracted: true,
    };
    if let Ok(relations) = memory.said.relations.with(relation) {
        memory.said.relations = relations;
    }
}

/// Makes a memory findable, as it is now.
pub(crate) fn index(transaction: &mut dyn Transaction, memory: &Memory) -> EngineResult<()> {
    Ok(transaction.index(&memory.id, &index_entry(&memory.said))?)
}

/// Builds the index entry of a memory.
pub fn index_entry(said: &NewMemory) -> IndexEntry {
    let FieldTokens { title, body, labels } = field_tokens(said);
    let signature = match &said.reasoning {
        None => Signature::of(&body),
        Some(_) => Signature::of(&body_tokens(said)),
    };
    let meaning = embedded_text(said).map(|text| text_number(&text));
    let fingerprint = fingerprint(said.subject.details(), said.content.as_str());
    IndexEntry { title, body, labels, signature, meaning, fingerprint }
}

/// The error that something was learnt from. Whoever only tells of one quotes it.
pub(crate) fn fingerprint(details: &Details, content: &str) -> Option<FingerprintDigest> {
    match details {
        Details::ErrorPattern(error) => Some(error.fingerprint.clone()),
        Details::Plain(Plain::ErrorPattern) => {
            error_fingerprint("", content).map(|print| print.digest().clone())
        }
        _ => None,
    }
}

/// The words a memory is found by.
pub(crate) fn field_tokens(said: &NewMemory) -> FieldTokens {
    let mut labels = String::from(said.subject.memory_type().as_str());
    let tags = said.tags.iter().map(|tag| tag.as_str());
    let files = said.files.iter().map(|file| file.as_str());
    let modules = said.modules.iter().map(|module| module.as_str());
    let symbols = said.symbols.iter().map(|symbol| symbol.name());
    for label in tags.chain(files).chain(symbols).chain(modules) {
        labels.push(' ');
        labels.push_str(label);
    }
    FieldTokens {
        title: said.title.as_ref().map(|title| tokenize(title.as_str())).unwrap_or_default(),
        body: match &said.reasoning {
            None => body_tokens(said),
            Some(reasoning) => tokenize(&format!("{}\n{reasoning}", said.content)),
        },
        labels: tokenize(&labels),
    }
}

/// The tokens by which two memories are compared.
fn body_tokens(said: &NewMemory) -> Tokens {
    tokenize(said.content.as_str())
}

/// The text whose meaning is searched; none for types that are many and never asked for by
/// meaning.
pub(crate) fn embedded_text(said: &NewMemory) -> Option<String> {
    let kind = said.subject.memory_type();
    if matches!(kind.as_str(), "work_unit_outcome" | "context_cost")
        || said.origin.source == Source::CommitAuto
    {
        return None;
    }
    Some(titled_text(said))
}

/// The content below its title, if it has one.
pub(crate) fn titled_text(said: &NewMemory) -> String {
    match &said.title {
        Some(title) => format!("{title}\n{}", said.content),
        None => said.content.to_string(),
    }
}

/// A number that differs where the text does, within what an SQL integer holds.
fn text_number(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash >> 1
}
