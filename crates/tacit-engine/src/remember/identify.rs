//! The third step: is this known already, or nearly?

use tacit_core::{Config, Memory, MemoryId, NewMemory, StatusKind, jaccard};
use tacit_store::Transaction;

use super::index::body_tokens;
use crate::error::EngineResult;

/// How many likely twins are compared word by word.
const COMPARED: usize = 8;

/// What is known of a learning before it is stored.
pub(super) struct Identity {
    /// The memories that say the same, whatever their status.
    pub(super) identical: Vec<Memory>,
    /// The memory in use that says nearly the same, and how nearly.
    pub(super) near: Option<(MemoryId, f64)>,
}

/// Looks for the same learning, and if there is none in use, for its nearest relative.
pub(super) fn identify(
    transaction: &dyn Transaction,
    said: &NewMemory,
    config: &Config,
) -> EngineResult<Identity> {
    let matches = transaction.find_identical(&said.content_hash())?;
    let ids: Vec<_> = matches.iter().map(|found| found.id).collect();
    let identical = if ids.is_empty() { Vec::new() } else { transaction.read(&ids)? };
    if identical.iter().any(|memory| memory.status.kind() == StatusKind::Active) {
        return Ok(Identity { identical, near: None });
    }
    let tokens = body_tokens(said);
    let Some(signature) = tacit_core::Signature::of(&tokens) else {
        return Ok(Identity { identical, near: None });
    };
    let candidates = transaction.find_similar(&signature, COMPARED)?;
    let near = if candidates.is_empty() {
        None
    } else {
        transaction
            .read(&candidates)?
            .into_iter()
            .map(|memory| {
                let similarity = jaccard(&tokens, &body_tokens(&memory.said));
                (memory.id, similarity)
            })
            .filter(|(_, similarity)| *similarity >= config.near_duplicate)
            .max_by(|(a, x), (b, y)| x.total_cmp(y).then(a.cmp(b)))
    };
    Ok(Identity { identical, near })
}
