//! Reads what a report is computed from, with bounded queries.

use std::collections::BTreeSet;

use tacit_core::{BuiltinType, MemoryType, Source, Timestamp};
use tacit_engine::{Engine, SessionLog, StoreAccess, StoredMemory};
use tacit_observer::SessionOutcome;
use tacit_store::{Filter, InjectionQuery, ListOrder, Session};

use super::memories::ActiveMemory;
use super::modules::MemoryPlaces;
use super::period::ReportPeriod;
use super::sessions::{ChosenInjections, MeasuredSession};
use super::{BenefitReport, MeasuredUse, ReportInput};
use crate::app::App;
use crate::environment::ProgressKind;
use crate::error::AppResult;
use crate::graph::{codebase, threads};

/// The most injections that are read, the newest.
const INJECTIONS: usize = 200_000;
/// The most sessions that are looked at, and those whose log is read, the newest.
const SESSIONS: usize = 20_000;
const MEASURED: usize = 2_000;
/// The number of logs that are held at a time.
const LOGS: usize = 64;
/// The most memories that are read.
const MEMORIES: usize = 50_000;

/// Computes the report of a period.
pub fn report(app: &App, period: ReportPeriod) -> AppResult<BenefitReport> {
    // Events that hooks left beside the store belong to the log.
    let mut engine = app.engine(StoreAccess::Session)?;
    if let Err(error) = engine.flush_events() {
        app.watcher.warn(&format!("the latest events are missing: {error}"));
    }
    Ok(BenefitReport::new(&gather(app, &engine, period)?))
}

/// Reads and measures sessions, and reads the injections since a time.
pub fn measured_use(app: &App, engine: &Engine<'_>, since: Timestamp) -> AppResult<MeasuredUse> {
    let query =
        InjectionQuery { since: Some(since), limit: INJECTIONS, ..InjectionQuery::default() };
    let injections = engine.injections(&query)?;
    let recorded: Vec<Session> =
        engine.observed_sessions(SESSIONS)?.into_iter().map(|(session, _)| session).collect();
    let read = recorded.len().min(MEASURED);
    let outcomes = measure(app, engine, &recorded[..read])?;
    let chosen = ChosenInjections::by_session(&injections);
    let measured = recorded.iter().zip(outcomes).map(|(session, outcome)| MeasuredSession {
        started_at: session.started_at,
        held_out: session.held_out,
        outcome,
        chosen: chosen.get(&session.id).copied().unwrap_or_default(),
    });
    Ok(MeasuredUse {
        // Nothing happened in the others, or their log was deleted.
        sessions: measured.filter(|session| session.outcome.calls > 0).collect(),
        recorded: recorded.iter().map(|session| session.started_at).collect(),
        read,
        injections_cut: injections.len() == INJECTIONS,
        injections,
    })
}

fn gather(app: &App, engine: &Engine<'_>, period: ReportPeriod) -> AppResult<ReportInput> {
    let measured = measured_use(app, engine, period.since)?;
    let memories = engine.list(None, &Filter::default(), ListOrder::Newest, MEMORIES, 0)?;
    let ever_shown: BTreeSet<_> = engine.injection_counts(None)?.into_keys().collect();
    Ok(ReportInput {
        measured,
        active: memories.iter().map(active_memory).collect(),
        places: memories.iter().filter(|one| !is_card(one)).map(places).collect(),
        ever_shown,
        modules: module_paths(app),
        calls: app.places.ledger().read().map(|calls| calls.calls).unwrap_or_default(),
        period,
    })
}

/// Measures sessions. Logs are read on this thread, which has the store, and measured on all.
fn measure(app: &App, engine: &Engine<'_>, sessions: &[Session]) -> AppResult<Vec<SessionOutcome>> {
    let mut outcomes = Vec::with_capacity(sessions.len());
    for some in sessions.chunks(LOGS) {
        let logs: Vec<SessionLog> =
            some.iter().map(|session| engine.session_log(&session.id)).collect::<Result<_, _>>()?;
        outcomes.extend(on_all_threads(logs));
        app.watcher.progress(ProgressKind::Sessions, outcomes.len() as u64, sessions.len() as u64);
    }
    Ok(outcomes)
}

fn on_all_threads(mut logs: Vec<SessionLog>) -> Vec<SessionOutcome> {
    let share = logs.len().div_ceil(threads()).max(1);
    let mut parts = Vec::new();
    while !logs.is_empty() {
        let rest = logs.split_off(share.min(logs.len()));
        parts.push(std::mem::replace(&mut logs, rest));
    }
    let measure = |part: Vec<SessionLog>| -> Vec<SessionOutcome> {
        part.into_iter().map(SessionLog::measure).collect()
    };
    std::thread::scope(|scope| {
        let running: Vec<_> =
            parts.into_iter().map(|part| scope.spawn(move || measure(part))).collect();
        let joined = running.into_iter().map(|thread| match thread.join() {
            Ok(outcomes) => outcomes,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.flatten().collect()
    })
}

fn active_memory(found: &StoredMemory) -> ActiveMemory {
    let memory = &found.memory;
    ActiveMemory {
        id: memory.id,
        text: memory.headline(),
        created_at: memory.created_at,
        accessed: memory.usage.access_count,
    }
}

/// Returns true for the card of a module, which every scanned module has.
fn is_card(found: &StoredMemory) -> bool {
    let body = &found.memory.body;
    body.origin.source == Source::ObserverInferred
        && body.subject.memory_type() == MemoryType::Builtin(BuiltinType::ModuleInsight)
}

fn places(found: &StoredMemory) -> MemoryPlaces {
    let body = &found.memory.body;
    MemoryPlaces {
        files: body.files.iter().map(|file| file.as_str().to_owned()).collect(),
        modules: body.modules.iter().map(|module| module.as_str().to_owned()).collect(),
    }
}

/// Returns the modules of the code graph as last built; `None` without a graph that can be read. It
/// is not built or refreshed for a report.
fn module_paths(app: &App) -> Option<Vec<String>> {
    let codebase = codebase(app);
    if !codebase.exists() {
        return None;
    }
    let graph = codebase.open().ok()?;
    let manifests: BTreeSet<String> = codebase.manifests(&graph).into_iter().collect();
    let modules = tacit_graph::modules(&graph.packed(), &manifests);
    Some(modules.into_iter().map(|module| module.path).collect())
}
