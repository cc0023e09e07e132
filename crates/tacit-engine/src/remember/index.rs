//! The last step: what was written can be found.

use tacit_core::{
    Details, FingerprintDigest, Memory, NewMemory, Plain, Signature, Source, Tokens, tokenize,
};
use tacit_observer::error_fingerprint;
use tacit_recall::FieldTokens;
use tacit_store::{IndexEntry, Transaction};

use crate::error::EngineResult;

/// Makes a memory findable, as it is now.
pub(crate) fn index(transaction: &mut dyn Transaction, memory: &Memory) -> EngineResult<()> {
    Ok(transaction.index(&memory.id, &index_entry(&memory.said))?)
}

/// What a memory is found by.
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
fn text_number(text: &str) -> u64 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash >> 1
}
