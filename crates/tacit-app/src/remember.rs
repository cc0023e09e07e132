//! Stores a memory and does what follows: links it to the code, and embeds it.

use tacit_core::{BuiltinType, Draft, FieldError, Memory, Problem, SessionId};
use tacit_engine::{
    Engine, EngineError, EngineResult, RememberRequest, RememberResult, Requester, StoreScope,
};

use crate::app::App;
use crate::code::link_memory;
use crate::error::closest;
use crate::inject::{commands_named_by, commands_warned_of};
use crate::topics;

/// The tag of memories that an agent proposes for all projects; the user decides.
const PROPOSED_GLOBAL: &str = "proposed-global";

/// A memory that a person or an agent submits.
#[derive(Debug)]
pub struct Submission {
    /// The memory as a draft.
    pub draft: Draft,
    /// True if it is meant for the global store.
    pub global: bool,
    /// The session whose silent-capture budget is used; `None` if the user asked for the memory.
    pub silent_session: Option<SessionId>,
}

/// The result of a submission.
#[derive(Debug)]
pub struct SubmissionResult {
    /// The result of the write gate.
    pub remembered: RememberResult,
    /// The store that holds the memory.
    pub scope: StoreScope,
    /// True if the user typed the text themselves, behind `/remember`.
    pub typed_by_user: bool,
    /// True if it was meant for the global store but is stored in the project.
    pub only_proposed: bool,
    /// The silent captures of the session so far, and its budget.
    pub silent_captures: Option<(u64, u64)>,
    /// True if the type was inferred from the words, because none was given.
    pub is_type_inferred: bool,
    /// True if work is left for `tacit maintain`.
    pub needs_maintenance: bool,
}

/// Stores a submission. Text that the user typed themselves is stored as theirs; it is looked for
/// in `session`, if the agent's client names one.
pub fn remember(
    app: &App,
    engine: &mut Engine<'_>,
    session: Option<SessionId>,
    submission: Submission,
) -> EngineResult<SubmissionResult> {
    let Submission { mut draft, global, silent_session } = submission;
    let is_type_inferred = infer_type(&mut draft);
    check_custom_type(app, draft.kind.as_deref())?;
    let by_agent = engine.requester() == Requester::Agent;
    if draft.phase.is_none() && !global {
        // Without the log, no phase is known.
        let work = engine.declared_work(&app.here()).unwrap_or_default();
        draft.phase = work.phase().map(|phase| phase.to_string());
    }
    let mut request = RememberRequest { draft, reason: None };
    let typed = match by_agent {
        true => engine.remember_typed(session, &request, || app.user())?,
        false => None,
    };
    let typed_by_user = typed.is_some();
    // An agent may not write to the global store.
    let written = if global && !by_agent { StoreScope::Global } else { StoreScope::Project };
    let (scope, remembered) = match (typed, &silent_session) {
        (Some(kept), _) => kept,
        (None, Some(_)) if global => {
            let why = "a memory for all projects is stored only if the user asks for it";
            return Err(EngineError::AskFirst(why.to_owned()));
        }
        (None, Some(session)) => (written, engine.remember_silently(session, request)?),
        (None, None) => {
            if global && by_agent {
                request.draft.tags.push(PROPOSED_GLOBAL.to_owned());
            }
            (written, engine.remember(written, request)?)
        }
    };
    link_to_code(app, engine, scope, &remembered);
    if let Some(memory) = &remembered.memory {
        make_commands_hot(engine, memory);
    }
    let silent_captures =
        silent_session.map(|session| engine.silent_captures(&session)).transpose()?;
    let needs_maintenance = embed_recent(engine, written);
    let only_proposed = global && scope == StoreScope::Project;
    Ok(SubmissionResult {
        remembered,
        scope,
        typed_by_user,
        only_proposed,
        silent_captures,
        is_type_inferred,
        needs_maintenance,
    })
}

/// Makes the commands that a new or changed memory names hot topics of the running sessions.
pub fn make_commands_hot(engine: &Engine<'_>, memory: &Memory) {
    // If this fails, the next session finds the commands.
    let file = engine.paths().project.join("hot-topics.json");
    let _ = topics::add_commands(&file, commands_named_by(memory), commands_warned_of(memory));
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

/// Checks that a type, if it is a methodology's own, is defined there. Definitions are read only for
/// such types.
pub fn check_custom_type(app: &App, kind: Option<&str>) -> Result<(), FieldError> {
    let Some(kind) = kind.filter(|kind| kind.contains(':')) else {
        return Ok(());
    };
    let mut known: Vec<String> = Vec::new();
    for definition in app.places.definitions() {
        let is_own = kind.split(':').next() == Some(definition.name.as_str());
        match definition.methodology {
            Ok(it) => known.extend(it.types().iter().map(|added| added.kind.to_string())),
            // The types of a broken definition are not known.
            Err(_) if is_own => return Ok(()),
            Err(_) => {}
        }
    }
    if known.iter().any(|known| known == kind) {
        return Ok(());
    }
    let near = closest(kind, known.iter().map(String::as_str));
    let end = match near {
        Some(near) => format!("; did you mean `{near}`?"),
        None => "; `tacit work methodology show NAME` lists its types".to_owned(),
    };
    let rule = format!("`{kind}` is not defined by any methodology{end}");
    Err(FieldError::new("type", Problem::rule(rule)))
}

/// Links a new memory to the code. A failure does not matter: `tacit maintain` links the rest.
pub fn link_to_code(
    app: &App,
    engine: &mut Engine<'_>,
    scope: StoreScope,
    remembered: &RememberResult,
) {
    if let Some(memory) = remembered.memory.as_ref().filter(|_| scope == StoreScope::Project) {
        let _ = link_memory(app, engine, memory);
    }
}

/// Embeds the memory that was just stored. Returns true if more memories wait for embedding.
pub fn embed_recent(engine: &mut Engine<'_>, scope: StoreScope) -> bool {
    const LIMIT: usize = 1;
    // If this fails, the memory is embedded later.
    let _ = engine.embed_pending(scope, LIMIT, &mut |_, _| {});
    engine.waits_for_vectors(scope)
}
