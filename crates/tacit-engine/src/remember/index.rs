//! The last step: what was written can be found.

use tacit_core::{Memory, NewMemory, Signature, Source, Tokens, tokenize};
use tacit_store::{IndexEntry, Transaction};

use crate::error::EngineResult;

/// Makes a memory findable, as it is now.
pub(crate) fn index(transaction: &mut dyn Transaction, memory: &Memory) -> EngineResult<()> {
    Ok(transaction.index(&memory.id, &index_entry(&memory.said))?)
}

/// What a memory is found by.
pub fn index_entry(said: &NewMemory) -> IndexEntry {
    let mut labels = String::from(said.subject.memory_type().as_str());
    for label in said.tags.iter().map(|tag| tag.as_str()) {
        labels.push(' ');
        labels.push_str(label);
    }
    for label in said.files.iter().map(|file| file.as_str()) {
        labels.push(' ');
        labels.push_str(label);
    }
    for label in said.modules.iter().map(|module| module.as_str()) {
        labels.push(' ');
        labels.push_str(label);
    }
    let content = body_tokens(said);
    let body = match &said.reasoning {
        None => content.clone(),
        Some(reasoning) => tokenize(&format!("{}\n{reasoning}", said.content)),
    };
    IndexEntry {
        title: said.title.as_ref().map(|title| tokenize(title.as_str())).unwrap_or_default(),
        signature: Signature::of(&content),
        body,
        labels: tokenize(&labels),
        meaning: embedded_text(said).map(|text| fingerprint(&text)),
    }
}

/// The tokens by which two memories are compared.
pub(super) fn body_tokens(said: &NewMemory) -> Tokens {
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
    Some(match &said.title {
        Some(title) => format!("{title}\n{}", said.content),
        None => said.content.to_string(),
    })
}

/// A number that differs where the text does, within what an SQL integer holds.
fn fingerprint(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash >> 1
}
