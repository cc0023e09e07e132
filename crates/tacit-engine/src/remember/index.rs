//! The last step: what was written can be found.

use tacit_core::{Memory, NewMemory, Signature, Tokens, tokenize};
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
    }
}

/// The tokens by which two memories are compared.
pub(super) fn body_tokens(said: &NewMemory) -> Tokens {
    tokenize(said.content.as_str())
}
