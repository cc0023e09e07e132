//! Remembering, with what follows it: links to the code, a vector, and work for later.

use tacit_core::{Draft, SessionId};
use tacit_engine::{
    Engine, EngineError, EngineResult, RememberRequest, RememberResult, Requester, StoreScope,
};

use crate::app::App;
use crate::code::link_learnt;

/// The tag of what an agent wants kept for all projects, which is up to the user.
const PROPOSED_FOR_ALL: &str = "proposed-global";

/// Something that is told.
#[derive(Debug)]
pub struct Telling {
    /// The memory as a draft.
    pub draft: Draft,
    /// True if it is meant for all projects.
    pub for_all: bool,
    /// The session whose budget is used, if nobody asked for it.
    pub unasked: Option<SessionId>,
}

/// The fate of something that was told.
#[derive(Debug)]
pub struct Told {
    /// The result of the write gate.
    pub remembered: RememberResult,
    /// The shelf it is on.
    pub scope: StoreScope,
    /// True if the user was seen to type it.
    pub is_typed: bool,
    /// True if it was meant for all projects and is kept in this one.
    pub is_proposed: bool,
    /// Number of memories the session has stored unasked, and the most it may store.
    pub unasked: Option<(u64, u64)>,
    /// True if something was left to `tacit maintain`.
    pub leaves_work: bool,
}

/// Remembers what a person or an agent tells. What the user typed themselves is kept as theirs,
/// looked for in the session that the agent's client named, if it did.
pub fn remember(
    app: &App,
    engine: &mut Engine<'_>,
    named: Option<SessionId>,
    telling: Telling,
) -> EngineResult<Told> {
    let Telling { draft, for_all, unasked } = telling;
    let by_agent = engine.requester() == Requester::Agent;
    let mut request = RememberRequest { draft, reason: None };
    let typed = match by_agent {
        true => engine.remember_typed(named, &request, || app.user())?,
        false => None,
    };
    let is_typed = typed.is_some();
    // The user's own store is not written to because an agent says so.
    let written = if for_all && !by_agent { StoreScope::Global } else { StoreScope::Project };
    let (scope, remembered) = match (typed, &unasked) {
        (Some(kept), _) => kept,
        (None, Some(_)) if for_all => {
            let why = "what is for all projects is stored only if the user asks for it";
            return Err(EngineError::AskFirst(why.to_owned()));
        }
        (None, Some(session)) => (written, engine.remember_silently(session, request)?),
        (None, None) => {
            if for_all && by_agent {
                request.draft.tags.push(PROPOSED_FOR_ALL.to_owned());
            }
            (written, engine.remember(written, request)?)
        }
    };
    follow_up(app, engine, scope, &remembered);
    let unasked = unasked.map(|session| engine.silent_captures(&session)).transpose()?;
    let leaves_work = embed_few(engine, written);
    let is_proposed = for_all && scope == StoreScope::Project;
    Ok(Told { remembered, scope, is_typed, is_proposed, unasked, leaves_work })
}

/// Links what was learnt to the code as it is. That it cannot be does not make it less learnt:
/// `tacit maintain` links what is left.
pub fn follow_up(
    app: &App,
    engine: &mut Engine<'_>,
    scope: StoreScope,
    remembered: &RememberResult,
) {
    if let Some(memory) = remembered.memory.as_ref().filter(|_| scope == StoreScope::Project) {
        let _ = link_learnt(app, engine, memory);
    }
}

/// Gives vectors to what was just written, if that is quick. Returns true if more waits than that.
pub fn embed_few(engine: &mut Engine<'_>, scope: StoreScope) -> bool {
    const FEW: usize = 1;
    // What cannot be embedded now is embedded later; the memory itself is safe.
    let _ = engine.embed_pending(scope, FEW, &mut |_, _| {});
    engine.models(scope).is_ok_and(|models| models.iter().any(|model| model.pending > 0))
}
