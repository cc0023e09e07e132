//! Restrictions on what an agent may write.
//!
//! A repository can make an agent say anything. An agent's memories are therefore marked as its
//! claims, whatever the call says, until a person confirms them; and if an agent changes a verified
//! memory, the result is no longer verified. Only a person decides who sees a memory.

use tacit_core::{Draft, Memory, Review, Source, StatusKind};

use crate::engine::{Engine, Requester, StoreScope};
use crate::error::{EngineError, EngineResult};

impl Engine<'_> {
    /// Restricts a draft to what the requester may set. An agent has one source, cannot confirm
    /// anything, cannot write to the global store, and cannot choose who sees a memory.
    pub(crate) fn restrict_draft(&self, scope: StoreScope, draft: Draft) -> EngineResult<Draft> {
        if self.requester == Requester::Person {
            return Ok(draft);
        }
        if scope == StoreScope::Global {
            return Err(EngineError::PersonOnly("store a global memory"));
        }
        refuse_private(&draft)?;
        Ok(Draft {
            source: Some(Source::AgentExplicit.to_string()),
            review: None,
            author: None,
            generator: draft
                .generator
                .filter(|by| by != BY_USER)
                .or_else(|| Some(self.actor.to_string())),
            ..draft
        })
    }

    /// Checks that an agent undoes only its own changes. Otherwise it could restore, as verified,
    /// what a person forgot or marked stale.
    pub(crate) fn check_may_undo(&self, actor: &tacit_core::Author) -> EngineResult<()> {
        let name = |author: &tacit_core::Author| {
            author.as_str().split_whitespace().next().unwrap_or_default().to_owned()
        };
        if self.requester == Requester::Person || name(actor) == name(&self.actor) {
            return Ok(());
        }
        Err(EngineError::PersonOnly("undo a change that this agent did not make"))
    }
}

/// Refuses a draft for a private memory. Without the request it would be stored for the whole team.
pub(crate) fn refuse_private(draft: &Draft) -> EngineResult<()> {
    if draft.is_private() {
        return Err(EngineError::PersonOnly("store a private memory"));
    }
    Ok(())
}

/// Removes the trust of a memory that an agent changed.
pub(crate) fn restrict_change(
    requester: Requester,
    scope: StoreScope,
    before: &Memory,
    after: &mut Memory,
) -> EngineResult<()> {
    if requester == Requester::Person {
        return Ok(());
    }
    let reworded = words(before) != words(after);
    if before != after && scope == StoreScope::Global {
        return Err(EngineError::PersonOnly("change a global memory"));
    }
    if after.body.visibility != before.body.visibility {
        return Err(EngineError::PersonOnly("change who sees a memory"));
    }
    let confirmed = |memory: &Memory| memory.body.trust.review.is_confirmed();
    if confirmed(after) && after.body.trust.review != before.body.trust.review {
        return Err(EngineError::PersonOnly("confirm a memory"));
    }
    let active = |memory: &Memory| memory.status.kind() == StatusKind::Active;
    let brought_back = active(after) && !active(before);
    if reworded || after.body.origin != before.body.origin {
        after.body.origin.source = Source::AgentExplicit;
        after.body.origin.author = None;
        after.observations = 1;
    }
    if confirmed(after) && (reworded || brought_back) {
        after.body.trust.review = Review::Needed;
    }
    Ok(())
}

/// The generator of text that a person typed.
const BY_USER: &str = "user";

/// Returns the fields of a memory that readers see as its text.
fn words(memory: &Memory) -> impl PartialEq + '_ {
    let body = &memory.body;
    (
        &body.title,
        &body.content,
        &body.reasoning,
        &body.subject,
        &body.references,
        &body.trust.citation,
    )
}
