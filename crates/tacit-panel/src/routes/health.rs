//! The health dashboard and the map of modules.

use std::collections::BTreeMap;

use axum::http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use tacit_app::health::{covered_modules, health, recent_use};
use tacit_app::module_map::changed_together;
use tacit_app::scan;
use tacit_core::{Fate, Timestamp};
use tacit_engine::{Engine, StoreAccess, StoreScope};
use tacit_store::InjectionQuery;

use crate::error::ApiError;
use crate::route::{ApiCall, Route};
use crate::wire::health::{
    ActiveMethodology, Coverage, Day, HealthProblem, HealthView, Injections, LastSession,
    ReasonView, SessionMetrics,
};
use crate::wire::memory::Nothing;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// The days of the chart, and those of the metrics.
const CHART_DAYS: i64 = 90;
const RECENT_DAYS: i64 = 7;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/health", "Show the health of the memory.", show),
        Route::new(Method::GET, "/modules", "Show the modules and their edges.", modules),
    ]
}

fn show(call: &ApiCall<'_>, _: Nothing) -> Result<HealthView, ApiError> {
    let app = call.app;
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let measured = health(app, &engine)?;
    let methodology = app.methodology()?;
    let work = match engine.store(StoreScope::Project) {
        Some(_) => Some(engine.work(&app.here())?),
        None => None,
    };
    let phase = work.as_ref().and_then(|work| work.phase());
    let unit = work.as_ref().and_then(|work| work.unit().map(|unit| unit.label().to_string()));
    let problems = [StoreScope::Project, StoreScope::Global].into_iter().flat_map(|scope| {
        let failed = app.places.failed_steps(scope).unwrap_or_default();
        failed.into_iter().map(move |failed| HealthProblem {
            what: format!("{} maintenance", scope.as_str()),
            state: "wrong".to_owned(),
            note: tacit_core::visible_line(&format!("cannot {}: {}", failed.step, failed.error)),
        })
    });
    Ok(HealthView {
        totals: measured.totals.into(),
        tokens_saved: None,
        score: measured.score,
        reasons: measured.reasons.into_iter().map(ReasonView::from).collect(),
        modules: measured.modules.iter().map(Coverage::from).collect(),
        methodology: ActiveMethodology {
            id: methodology.id().to_string(),
            name: methodology.name().to_owned(),
            phase: phase.map(|phase| phase.to_string()),
            unit,
        },
        sessions: metrics(&engine, app.now())?,
        injections: injections(&engine, app.now())?,
        problems: problems.collect(),
    })
}

fn days_ago(now: Timestamp, days: i64) -> Timestamp {
    Timestamp::from_millis(now.as_millis() - days * DAY_MS).unwrap_or(now)
}

fn metrics(engine: &Engine<'_>, now: Timestamp) -> Result<SessionMetrics, ApiError> {
    if engine.store(StoreScope::Project).is_none() {
        return Ok(SessionMetrics::default());
    }
    let sessions = engine.observed_sessions(usize::MAX)?;
    let last = sessions.first().map(|(session, _)| LastSession {
        id: session.id.to_string(),
        client: session.client.clone(),
        at: session.last_at.to_string(),
    });
    let used = recent_use(engine, days_ago(now, RECENT_DAYS))?;
    Ok(SessionMetrics {
        total: sessions.len(),
        last,
        injections_7_days: used.injections,
        tokens_7_days: used.tokens,
        memories_7_days: used.memories,
    })
}

/// Counts injections and their fates by day; `None` until one was judged.
fn injections(engine: &Engine<'_>, now: Timestamp) -> Result<Option<Injections>, ApiError> {
    if engine.store(StoreScope::Project).is_none() {
        return Ok(None);
    }
    let since = Some(days_ago(now, CHART_DAYS));
    let query = InjectionQuery { since, limit: usize::MAX, ..InjectionQuery::default() };
    let mut days: BTreeMap<String, Day> = BTreeMap::new();
    let (mut judged, mut useful) = (0_u64, 0_u64);
    for injection in engine.injections(&query)? {
        let name: String = injection.at.to_string().chars().take("2026-11-18".len()).collect();
        let day = days.entry(name.clone()).or_insert_with(|| Day { day: name, ..Day::default() });
        match injection.withheld {
            true => day.withheld += 1,
            false => day.shown += 1,
        }
        if let Some(fate) = injection.fate.filter(|_| !injection.withheld).map(|judged| judged.fate)
        {
            *day.fates.entry(fate.as_str().to_owned()).or_default() += 1;
            judged += 1;
            useful += u64::from([Fate::Helped, Fate::ActedOn, Fate::Cited].contains(&fate));
        }
    }
    let precision = (judged > 0).then(|| useful as f64 / judged as f64);
    let days = days.into_values().collect();
    Ok((judged > 0).then_some(Injections { days, precision, recall: None }))
}

/// The modules and their edges.
#[derive(Debug, Serialize, JsonSchema)]
struct ModuleMap {
    modules: Vec<ModuleView>,
    imports: Vec<ImportEdge>,
    cochange: Vec<ChangeEdge>,
}

/// A module.
#[derive(Debug, Serialize, JsonSchema)]
struct ModuleView {
    path: String,
    name: String,
    purpose: Option<String>,
    files: u64,
    lines: u64,
    tests: u64,
    memories: usize,
    e2e: usize,
    covered: f64,
    entry_points: Vec<String>,
    used: u64,
}

/// One module uses another.
#[derive(Debug, Serialize, JsonSchema)]
struct ImportEdge {
    from: String,
    to: String,
    count: u64,
}

/// Two modules change together.
#[derive(Debug, Serialize, JsonSchema)]
struct ChangeEdge {
    a: String,
    b: String,
    weight: f64,
    count: u32,
}

fn modules(call: &ApiCall<'_>, _: Nothing) -> Result<Option<ModuleMap>, ApiError> {
    let app = call.app;
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let Some(covered) = covered_modules(app, &engine)? else { return Ok(None) };
    let plain: Vec<_> = covered.iter().map(|covered| covered.module.clone()).collect();
    let pairs = changed_together(app, &plain)?;
    let imports = covered.iter().flat_map(|covered| {
        let from = &covered.module.path;
        covered.module.uses.iter().map(move |(to, count)| ImportEdge {
            from: from.clone(),
            to: to.clone(),
            count: *count,
        })
    });
    let imports = imports.collect();
    let views = covered.iter().map(|covered| {
        let module = &covered.module;
        let name = module.path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(".");
        ModuleView {
            path: module.path.clone(),
            name: name.to_owned(),
            purpose: scan::purpose(app.worktree(), module),
            files: module.files,
            lines: module.lines,
            tests: module.tests,
            memories: covered.memories.memories,
            e2e: covered.memories.e2e,
            covered: covered.covered,
            entry_points: module.entry_points.clone(),
            used: module.used,
        }
    });
    let cochange = pairs.into_iter().map(|pair| ChangeEdge {
        a: pair.modules.0,
        b: pair.modules.1,
        weight: pair.weight,
        count: pair.commits,
    });
    Ok(Some(ModuleMap { modules: views.collect(), imports, cochange: cochange.collect() }))
}
