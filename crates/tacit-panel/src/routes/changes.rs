//! Changes of memories: teach, edit, confirm, correct, flag, take out of use, and undo.

use axum::http::Method;
use serde_json::json;
use tacit_app::bulk::{BulkChange, MOST_AT_ONCE, change_many};
use tacit_app::change::{self, Correction, HistoryMark};
use tacit_app::remember::{Submission, check_custom_type, remember};
use tacit_app::review::{self, ReviewDecision, drop_waiting};
use tacit_app::verdict::Verdict;
use tacit_app::{App, ProgressKind};
use tacit_core::log::MemoryVerdict;
use tacit_core::{Cue, Draft, MemoryId, Reasoning, Review, Source, Tag};
use tacit_engine::remember::TextCleanup;
use tacit_engine::{
    Engine, EngineError, ForgetMode, ListChanges, RememberOutcome, Requester, StoreAccess,
    StoreScope, StoredMemory,
};
use tacit_store::ListOrder;

use crate::error::ApiError;
use crate::jobs::AttendedJob;
use crate::route::{ApiCall, Route};

use crate::wire::memory::{
    Bulk, BulkAction, BulkDone, Changed, CorrectionChoice, Edit, Failed, FlagVerdict, Flagged,
    Forget, Items, Nothing, Similar, Taught, Teach, UndoRef, UndoRequest, cleanup_notes,
};

/// The memories that one request may change by their ids, and those that an answer lists after an undo.
const MOST_IDS: usize = 1_000;
/// The reason for taking a memory out of use, if none is given.
const FORGOTTEN: &str = "forgotten in the panel";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/memories", "Teach: store a memory.", teach),
        Route::new(Method::POST, "/memories/bulk", "Change many memories.", bulk),
        Route::new(Method::PATCH, "/memories/{id}", "Change fields of a memory.", edit),
        Route::new(Method::POST, "/memories/{id}/confirm", "Confirm a memory.", confirm),
        Route::new(Method::POST, "/memories/{id}/correct", "Say what is wrong.", correct),
        Route::new(Method::POST, "/memories/{id}/flag", "Flag a memory for review.", flag),
        Route::new(Method::DELETE, "/memories/{id}", "Take a memory out of use.", forget),
        Route::new(Method::POST, "/memories/{id}/restore", "Bring a memory back.", restore),
        Route::new(Method::POST, "/undo", "Take changes back.", undo),
    ]
}

/// Changes one memory, and finds out what takes the change back.
pub(super) fn changing(
    call: &ApiCall<'_>,
    id: &str,
    change: impl FnOnce(&mut Engine<'_>) -> Result<(StoredMemory, TextCleanup), ApiError>,
) -> Result<Changed, ApiError> {
    let app = call.app;
    let engine = app.engine_with_embedder(StoreAccess::WriteBoth)?;
    let mut engine = engine.on_behalf_of(app.voice());
    let id = engine.find(id)?.memory.id;
    let mark = HistoryMark::of(&engine)?;
    let (found, cleanup) = change(&mut engine)?;
    drop_waiting(&app.places);
    changed(call, &engine, &mark, &[id], &[found], &cleanup)
}

/// Renders changed memories with what takes the change back.
fn changed(
    call: &ApiCall<'_>,
    engine: &Engine<'_>,
    mark: &HistoryMark,
    ids: &[MemoryId],
    found: &[StoredMemory],
    cleanup: &TextCleanup,
) -> Result<Changed, ApiError> {
    let made = mark.changes_since(call.app, engine, ids)?;
    Ok(Changed {
        items: Items::read(engine)?.all(found),
        undo: made.into_iter().map(UndoRef::from).collect(),
        notes: cleanup_notes(cleanup),
    })
}

fn reason(text: Option<String>, otherwise: &str) -> Result<Reasoning, ApiError> {
    let text = text.filter(|text| !text.trim().is_empty());
    let reason = Reasoning::new(text.unwrap_or_else(|| otherwise.to_owned()));
    reason.map_err(|problem| ApiError::usage(format!("`reason` {problem}")))
}

fn optional_reason(text: Option<String>) -> Result<Option<Reasoning>, ApiError> {
    text.filter(|text| !text.trim().is_empty()).map(|text| reason(Some(text), "")).transpose()
}

fn teach(call: &ApiCall<'_>, input: Teach) -> Result<Taught, ApiError> {
    let app = call.app;
    let scope = input.store.map_or(StoreScope::Project, StoreScope::from);
    let paths = |typed: &[String]| -> Result<Vec<String>, ApiError> {
        typed.iter().map(|path| Ok(app.repo_path(path).map(String::from)?)).collect()
    };
    let draft = Draft {
        content: input.content,
        kind: input.kind,
        title: input.title,
        reasoning: input.reasoning,
        confidence: input.confidence,
        tags: input.tags,
        cues: input.cues,
        related_files: paths(&input.files)?,
        related_symbols: input.symbols,
        related_modules: input.modules,
        references: input.references,
        scope: input.scope,
        details: input.details,
        ..Draft::default()
    };
    store(call, scope, draft)
}

/// Stores a draft of the person at the page; below an agent, it is the agent's.
pub(super) fn store(
    call: &ApiCall<'_>,
    scope: StoreScope,
    mut draft: Draft,
) -> Result<Taught, ApiError> {
    let app = call.app;
    if app.voice() != Requester::Agent {
        draft.source = Some(Source::UserTaught.as_str().to_owned());
        draft.author = Some(app.actor().to_string());
        draft.generator = Some("user".to_owned());
    }
    let engine = app.engine_with_embedder(StoreAccess::WriteBoth)?;
    let mut engine = engine.on_behalf_of(app.voice());
    let mark = HistoryMark::of(&engine)?;
    let global = scope == StoreScope::Global;
    let submission = Submission { draft, global, silent_session: None };
    let done = remember(app, &mut engine, app.session(), submission)?;
    let stored = done.remembered.memory.map(|memory| StoredMemory { store: done.scope, memory });
    let ids: Vec<MemoryId> = stored.iter().map(|found| found.memory.id).collect();
    let cleanup = &done.remembered.cleanup;
    let changed = changed(call, &engine, &mark, &ids, stored.as_slice(), cleanup)?;
    let similar = done.remembered.similar.map(|(id, similarity)| {
        let found = engine.find(&id.to_string()).ok();
        let items = found.and_then(|found| Some(Items::read(&engine).ok()?.one(&found)));
        Similar { item: items, similarity }
    });
    let outcome = match done.remembered.outcome {
        RememberOutcome::Stored => "stored",
        RememberOutcome::Reinforced => "reinforced",
        RememberOutcome::Spooled => "spooled",
        RememberOutcome::LeftInInbox => "left_in_inbox",
    };
    drop(engine);
    drop_waiting(&app.places);
    if done.needs_maintenance {
        app.maintain_in_background();
    }
    Ok(Taught {
        changed,
        outcome: outcome.to_owned(),
        type_inferred: done.is_type_inferred,
        similar,
    })
}

fn edit(call: &ApiCall<'_>, input: Edit) -> Result<Changed, ApiError> {
    let kind = input.fields.get("type").and_then(|kind| kind.as_str());
    check_custom_type(call.app, kind).map_err(EngineError::from)?;
    let tags =
        |texts: &[String]| texts.iter().map(|text| text.parse::<Tag>()).collect::<Result<_, _>>();
    let cues =
        |texts: &[String]| texts.iter().map(|text| text.parse::<Cue>()).collect::<Result<_, _>>();
    let lists = ListChanges {
        add_tags: tags(&input.add_tags)?,
        remove_tags: tags(&input.remove_tags)?,
        add_cues: cues(&input.add_cues)?,
        remove_cues: cues(&input.remove_cues)?,
        ..ListChanges::default()
    };
    let why = optional_reason(input.reason)?;
    changing(call, call.name(), |engine| {
        let before = engine.find(call.name())?.memory.updated_at.to_string();
        if input.updated_at.is_some_and(|seen| seen != before) {
            let error = ApiError::refused("the memory was changed meanwhile; nothing was done");
            return Err(error.hint("look at it again").details(json!({"updated_at": before})));
        }
        Ok(change::edit(engine, call.name(), &input.fields, &lists, why)?)
    })
}

fn confirm(call: &ApiCall<'_>, _: Nothing) -> Result<Changed, ApiError> {
    decide(call, call.name(), |_| Ok(ReviewDecision::Confirm))
}

/// Applies the decision of a review.
pub(super) fn decide(
    call: &ApiCall<'_>,
    id: &str,
    decision: impl FnOnce(&Engine<'_>) -> Result<ReviewDecision, ApiError>,
) -> Result<Changed, ApiError> {
    let app = call.app;
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let id = engine.find(id)?.memory.id;
    let decision = decision(&engine)?;
    drop(engine);
    let decided = review::decide(app, id, decision)?;
    drop_waiting(&app.places);
    let engine = app.engine(StoreAccess::ReadBoth)?;
    Ok(Changed {
        items: Items::read(&engine)?.all([&decided.found]),
        undo: decided.change.into_iter().map(UndoRef::from).collect(),
        notes: Vec::new(),
    })
}

fn correct(call: &ApiCall<'_>, input: CorrectionChoice) -> Result<Changed, ApiError> {
    let (correction, why) = match input {
        CorrectionChoice::Inaccurate { content, reason } => {
            (Correction::Inaccurate(content), reason)
        }
        CorrectionChoice::Outdated { reason } => (Correction::Outdated, reason),
        CorrectionChoice::TooSpecific { content, reason } => {
            (Correction::TooSpecific(content), reason)
        }
        CorrectionChoice::Duplicate { of, reason } => (Correction::Duplicate(of), reason),
    };
    let why = why.filter(|why| !why.trim().is_empty());
    changing(call, call.name(), |engine| {
        Ok(change::correct(call.app, engine, call.name(), &correction, why.as_deref())?)
    })
}

fn flag(call: &ApiCall<'_>, input: Flagged) -> Result<Changed, ApiError> {
    let app = call.app;
    let verdict = Verdict::Plain(match input.verdict {
        FlagVerdict::Wrong => MemoryVerdict::Wrong,
        FlagVerdict::Outdated => MemoryVerdict::Outdated,
    });
    let why = verdict.reason(input.note.as_deref(), app.voice())?;
    changing(call, call.name(), |engine| {
        let judged = verdict.apply(engine, call.name(), why, Review::Needed, app.now())?;
        Ok((judged.found, TextCleanup::default()))
    })
}

fn forget(call: &ApiCall<'_>, input: Forget) -> Result<Changed, ApiError> {
    let why = reason(input.reason, FORGOTTEN)?;
    let mode = if input.archive { ForgetMode::Archive } else { ForgetMode::Retire };
    changing(call, call.name(), |engine| {
        Ok((engine.forget(call.name(), mode, why)?, TextCleanup::default()))
    })
}

fn restore(call: &ApiCall<'_>, _: Nothing) -> Result<Changed, ApiError> {
    changing(call, call.name(), |engine| Ok((engine.restore(call.name())?, TextCleanup::default())))
}

fn undo(call: &ApiCall<'_>, input: UndoRequest) -> Result<Changed, ApiError> {
    if input.undo.is_empty() {
        return Err(ApiError::usage("`undo` names no change"));
    }
    let changes: Vec<_> = input.undo.iter().map(|undo| (undo.store.into(), undo.change)).collect();
    let (found, done) = change::take_back_all(call.app, &changes)?;
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    Ok(Changed {
        items: Items::read(&engine)?.all(found.iter().take(MOST_IDS)),
        undo: done.into_iter().map(UndoRef::from).collect(),
        notes: Vec::new(),
    })
}

fn bulk(call: &ApiCall<'_>, input: Bulk) -> Result<BulkDone, ApiError> {
    let app = call.app;
    let engine = app.engine_with_embedder(StoreAccess::WriteBoth)?;
    let mut engine = engine.on_behalf_of(app.voice());
    let ids = chosen(call, &engine, &input)?;
    let mark = HistoryMark::of(&engine)?;
    let change = bulk_change(app, &input)?;
    // What takes more than a moment is a job, so that every page shows how far it is and can stop it.
    let job = (ids.len() > MOST_AT_ONCE).then(|| AttendedJob::start(call.state, app, "change"));
    let mut go_on = |done: usize| {
        job.as_ref().is_none_or(|job| job.go_on(ProgressKind::Memories, done, ids.len()))
    };
    let done = change_many(&mut engine, &ids, &change, app.now(), &mut go_on);
    if let Some(job) = job {
        job.end(&done);
    }
    let done = done?;
    let undo = mark.changes_since(app, &engine, &ids)?.into_iter().map(UndoRef::from).collect();
    drop(engine);
    drop_waiting(&app.places);
    let failed = done.failed.into_iter().map(|(id, error)| Failed {
        id: id.to_string(),
        message: ApiError::from(error).body.message.into(),
    });
    Ok(BulkDone {
        changed: done.changed,
        undo,
        failed: failed.collect(),
        cancelled: done.was_cancelled,
    })
}

/// Returns the change that a bulk action means.
fn bulk_change(app: &App, input: &Bulk) -> Result<BulkChange, ApiError> {
    let tags = || input.tags.iter().map(|text| text.parse::<Tag>()).collect::<Result<_, _>>();
    let why = || reason(input.reason.clone(), FORGOTTEN);
    let flag = |verdict| {
        let reason = Verdict::Plain(verdict).reason(input.reason.as_deref(), app.voice());
        Ok::<_, ApiError>(BulkChange::Flag(verdict, reason?))
    };
    Ok(match input.action {
        BulkAction::Confirm => BulkChange::Confirm(optional_reason(input.reason.clone())?),
        BulkAction::FlagWrong => flag(MemoryVerdict::Wrong)?,
        BulkAction::FlagOutdated => flag(MemoryVerdict::Outdated)?,
        BulkAction::Delete => BulkChange::Forget(ForgetMode::Retire, why()?),
        BulkAction::Archive => BulkChange::Forget(ForgetMode::Archive, why()?),
        BulkAction::Restore => BulkChange::Restore,
        BulkAction::Tag => BulkChange::Retag(tags()?, Vec::new()),
        BulkAction::Untag => BulkChange::Retag(Vec::new(), tags()?),
    })
}

/// Finds the memories that a bulk action means.
fn chosen(
    call: &ApiCall<'_>,
    engine: &Engine<'_>,
    input: &Bulk,
) -> Result<Vec<MemoryId>, ApiError> {
    let ids: Vec<MemoryId> = match (&input.filter, input.ids.as_slice()) {
        (None, []) => return Err(ApiError::usage("neither `ids` nor `filter` names a memory")),
        (Some(_), [_, ..]) => return Err(ApiError::usage("`ids` and `filter` exclude each other")),
        (None, ids) if ids.len() > MOST_IDS => {
            return Err(ApiError::usage(format!("`ids` has more than {MOST_IDS} entries")));
        }
        (None, ids) => {
            let found = ids.iter().map(|id| Ok(engine.find(id)?.memory.id));
            found.collect::<Result<_, ApiError>>()?
        }
        (Some(filters), []) => {
            let filter = filters.filter(call.app)?;
            let only = filters.only();
            let found = engine.list(only, &filter, ListOrder::Newest, usize::MAX, 0)?;
            found.iter().map(|found| found.memory.id).collect()
        }
    };
    match input.expect {
        Some(expected) if expected != ids.len() => {
            let message = format!("{} memories match now, not {expected}", ids.len());
            Err(ApiError::refused(message).hint("look at the list again"))
        }
        _ => Ok(ids),
    }
}
