//! Voices: the limits on what an agent may write and claim.
//!
//! An agent can be made to say anything by a repository it reads. So what it says is kept as told
//! by an agent, whatever its call claims, until a person confirms it; and where it changes what
//! somebody else vouched for, nobody vouches for the result.

use tacit_core::{Draft, Memory, Review, Source, StatusKind};

use crate::engine::{Engine, Requester, StoreScope};
use crate::error::{EngineError, EngineResult};

impl Engine<'_> {
    /// The draft as whoever speaks can say it. An agent has one source, confirms nothing, and does
    /// not write to the user's own store.
    pub(crate) fn as_said(&self, shelf: StoreScope, draft: Draft) -> EngineResult<Draft> {
        if self.voice == Requester::Person {
            return Ok(draft);
        }
        if shelf == StoreScope::Global {
            return Err(EngineError::PersonOnly("keep something for all projects"));
        }
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

    /// Makes sure that an agent takes back none but its own changes: what a person forgot or
    /// doubted would come back as trusted as it was.
    pub(crate) fn may_take_back(&self, actor: &tacit_core::Author) -> EngineResult<()> {
        let name = |author: &tacit_core::Author| {
            author.as_str().split_whitespace().next().unwrap_or_default().to_owned()
        };
        if self.voice == Requester::Person || name(actor) == name(&self.actor) {
            return Ok(());
        }
        Err(EngineError::PersonOnly("take back a change that this agent did not make"))
    }
}

/// Takes from a memory that an agent changed what only others could vouch for.
pub(crate) fn as_changed(
    voice: Requester,
    shelf: StoreScope,
    before: &Memory,
    after: &mut Memory,
) -> EngineResult<()> {
    if voice == Requester::Person {
        return Ok(());
    }
    let reworded = words(before) != words(after);
    if before != after && shelf == StoreScope::Global {
        return Err(EngineError::PersonOnly("change what is kept for all projects"));
    }
    if after.body.trust.review == Review::Verified && before.body.trust.review != Review::Verified {
        return Err(EngineError::PersonOnly("confirm a memory"));
    }
    let active = |memory: &Memory| memory.status.kind() == StatusKind::Active;
    let brought_back = active(after) && !active(before);
    if reworded || after.body.origin != before.body.origin {
        after.body.origin.source = Source::AgentExplicit;
        after.body.origin.author = None;
        after.observations = 1;
    }
    if after.body.trust.review == Review::Verified && (reworded || brought_back) {
        after.body.trust.review = Review::Needed;
    }
    Ok(())
}

/// The generator of what a person typed.
const BY_USER: &str = "user";

/// Returns every field of a memory that readers see as its words.
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
