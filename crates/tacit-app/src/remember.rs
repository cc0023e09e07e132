//! Remembering, with what follows it: links to the code, a vector, and work for later.

use tacit_core::{BuiltinType, Draft, SessionId};
use tacit_engine::{
    Engine, EngineError, EngineResult, RememberRequest, RememberResult, Requester, StoreScope,
};

use crate::app::App;
use crate::code::link_memory;

/// The tag of what an agent wants kept for all projects, which is up to the user.
const PROPOSED_FOR_ALL: &str = "proposed-global";

/// Something that is told.
#[derive(Debug)]
pub struct Submission {
    /// The memory as a draft.
    pub draft: Draft,
    /// True if it is meant for all projects.
    pub global: bool,
    /// The session whose silent-capture budget is used; `None` if the user asked for the memory.
    pub silent_session: Option<SessionId>,
}

/// The fate of something that was told.
#[derive(Debug)]
pub struct SubmissionResult {
    /// The result of the write gate.
    pub remembered: RememberResult,
    /// The shelf it is on.
    pub shelf: StoreScope,
    /// True if the user was seen to type it.
    pub typed_by_user: bool,
    /// True if it was meant for all projects and is kept in this one.
    pub only_proposed: bool,
    /// The silent captures of the session so far, and its budget.
    pub silent_captures: Option<(u64, u64)>,
    /// True if the type was inferred from the words, because none was given.
    pub is_type_inferred: bool,
    /// True if something was left to `tacit maintain`.
    pub needs_maintenance: bool,
}

/// Remembers what a person or an agent tells. What the user typed themselves is kept as theirs,
/// looked for in the session that the agent's client named, if it did.
pub fn remember(
    app: &App,
    engine: &mut Engine<'_>,
    named: Option<SessionId>,
    submission: Submission,
) -> EngineResult<SubmissionResult> {
    let Submission { mut draft, global, silent_session } = submission;
    let is_type_inferred = infer_type(&mut draft);
    let by_agent = engine.voice() == Requester::Agent;
    let mut request = RememberRequest { draft, reason: None };
    let typed = match by_agent {
        true => engine.remember_typed(named, &request, || app.user())?,
        false => None,
    };
    let typed_by_user = typed.is_some();
    // The user's own store is not written to because an agent says so.
    let written = if global && !by_agent { StoreScope::Global } else { StoreScope::Project };
    let (shelf, remembered) = match (typed, &silent_session) {
        (Some(kept), _) => kept,
        (None, Some(_)) if global => {
            let why = "what is for all projects is stored only if the user asks for it";
            return Err(EngineError::AskFirst(why.to_owned()));
        }
        (None, Some(session)) => (written, engine.remember_silently(session, request)?),
        (None, None) => {
            if global && by_agent {
                request.draft.tags.push(PROPOSED_FOR_ALL.to_owned());
            }
            (written, engine.remember(written, request)?)
        }
    };
    link_to_code(app, engine, shelf, &remembered);
    let silent_captures =
        silent_session.map(|session| engine.silent_captures(&session)).transpose()?;
    let needs_maintenance = embed_recent(engine, written);
    let only_proposed = global && shelf == StoreScope::Project;
    Ok(SubmissionResult {
        remembered,
        shelf,
        typed_by_user,
        only_proposed,
        silent_captures,
        is_type_inferred,
        needs_maintenance,
    })
}

/// Infers the type of a draft without type and category from its words, as an import of rules does.
/// Returns true if it did.
pub fn infer_type(draft: &mut Draft) -> bool {
    let is_missing = draft.kind.is_none() && draft.category.is_none() && draft.details.is_none();
    if is_missing {
        draft.kind = Some(BuiltinType::infer(&draft.content).as_str().to_owned());
    }
    is_missing
}

/// Links what was learnt to the code as it is. That it cannot be does not make it less learnt:
/// `tacit maintain` links what is left.
pub fn link_to_code(
    app: &App,
    engine: &mut Engine<'_>,
    shelf: StoreScope,
    remembered: &RememberResult,
) {
    if let Some(memory) = remembered.memory.as_ref().filter(|_| shelf == StoreScope::Project) {
        let _ = link_memory(app, engine, memory);
    }
}

/// Gives vectors to what was just written, if that is quick. Returns true if more waits than that.
pub fn embed_recent(engine: &mut Engine<'_>, shelf: StoreScope) -> bool {
    const FEW: usize = 1;
    // What cannot be embedded now is embedded later; the memory itself is safe.
    let _ = engine.embed_pending(shelf, FEW, &mut |_, _| {});
    engine.models(shelf).is_ok_and(|models| models.iter().any(|model| model.pending > 0))
}
