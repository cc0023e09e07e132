//! Voices: the limits on what an agent may write and claim.
//!
//! An agent can be made to say anything by a repository it reads. So what it says is kept as told
//! by an agent, whatever its call claims, until a person confirms it; and where it changes what
//! somebody else vouched for, nobody vouches for the result.

use tacit_core::{Draft, Memory, Review, Source, StatusKind};

use crate::engine::{Engine, Shelf, Voice};
use crate::error::{EngineError, EngineResult};

impl Engine<'_> {
    /// The draft as whoever speaks can say it. An agent has one source, confirms nothing, and does
    /// not write to the user's own store.
    pub(crate) fn as_said(&self, shelf: Shelf, draft: Draft) -> EngineResult<Draft> {
        if self.voice == Voice::Person {
            return Ok(draft);
        }
        if shelf == Shelf::Global {
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
        if self.voice == Voice::Person || name(actor) == name(&self.actor) {
            return Ok(());
        }
        Err(EngineError::PersonOnly("take back a change that this agent did not make"))
    }
}

/// Takes from a memory that an agent changed what only others could vouch for.
pub(crate) fn as_changed(
    voice: Voice,
    shelf: Shelf,
    before: &Memory,
    after: &mut Memory,
) -> EngineResult<()> {
    if voice == Voice::Person {
        return Ok(());
    }
    let reworded = words(before) != words(after);
    if before != after && shelf == Shelf::Global {
        return Err(EngineError::PersonOnly("change what is kept for all projects"));
    }
    if after.said.trust.review == Review::Verified && before.said.trust.review != Review::Verified {
        return Err(EngineError::PersonOnly("confirm a memory"));
    }
    let active = |memory: &Memory| memory.status.kind() == StatusKind::Active;
    let brought_back = active(after) && !active(before);
    if reworded || after.said.origin != before.said.origin {
        after.said.origin.source = Source::AgentExplicit;
        after.said.origin.author = None;
        after.observations = 1;
    }
    if after.said.trust.review == Review::Verified && (reworded || brought_back) {
        after.said.trust.review = Review::Needed;
    }
    Ok(())
}

/// The generator of what a person typed.
const BY_USER: &str = "user";

/// Returns every field of a memory that readers see as its words.
fn words(memory: &Memory) -> impl PartialEq + '_ {
    let said = &memory.said;
    (
        &said.title,
        &said.content,
        &said.reasoning,
        &said.subject,
        &said.references,
        &said.trust.citation,
    )
}
