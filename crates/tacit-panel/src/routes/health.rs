//! The health dashboard and the map of modules.

use std::sync::Arc;

use axum::http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use tacit_app::health::{covered_modules, health, recent_use};
use tacit_app::module_map::changed_together;
use tacit_app::report::period::ReportPeriod;
use tacit_app::report::{UseReport, measured_use};
use tacit_app::scan;
use tacit_core::Timestamp;
use tacit_engine::{Engine, StoreAccess, StoreScope};

use crate::cache::DataVersion;
use crate::error::ApiError;
use crate::route::{ApiCall, Route};
use crate::wire::health::{
    ActiveMethodology, Coverage, Day, HealthProblem, HealthView, Injections, LastSession,
    ReasonView, SessionMetrics,
};
use crate::wire::memory::Nothing;

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
/// The days of the chart, those of its figures, which `tacit report` shows, and those of the metrics.
const CHART_DAYS: u32 = 90;
const REPORT_DAYS: i64 = 30;
const RECENT_DAYS: i64 = 7;
/// The use of memories is computed again after this many times as long as that took.
const COMPUTED_AGAIN_AFTER: u32 = 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/health", "Show the health of the memory.", show).cached(),
        Route::new(Method::GET, "/modules", "Show the modules and their edges.", modules).cached(),
    ]
}

fn show(call: &ApiCall<'_>, _: Nothing) -> Result<HealthView, ApiError> {
    let app = call.app;
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let measured = health(app, &engine)?;
    let used = use_of_memories(call, &engine)?;
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
            what: format!("{} maintenance", scope.as_str()).into(),
            state: "wrong".to_owned(),
            note: tacit_core::visible_line(&format!("cannot {}: {}", failed.step, failed.error))
                .into(),
        })
    });
    Ok(HealthView {
        totals: measured.totals.into(),
        tokens_saved: used.as_ref().and_then(|used| saved(&used.recent)),
        score: measured.score,
        reasons: measured.reasons.into_iter().map(ReasonView::from).collect(),
        modules: measured.modules.iter().map(Coverage::from).collect(),
        methodology: ActiveMethodology {
            id: methodology.id().to_string(),
            name: methodology.name().into(),
            phase: phase.map(|phase| phase.to_string()),
            unit,
        },
        sessions: metrics(&engine, app.now())?,
        injections: used.and_then(|used| injections(&used)),
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

/// The use of memories, as `tacit report` counts it.
struct MemoryUse {
    /// The last 30 days, as `tacit report` shows them.
    recent: UseReport,
    /// The days of the chart.
    chart: ReportPeriod,
    daily: UseReport,
}

/// Measures the use of memories; `None` without a project. Reading the logs of thousands of sessions takes
/// a second, and a running session changes them all the time.
fn use_of_memories(
    call: &ApiCall<'_>,
    engine: &Engine<'_>,
) -> Result<Option<Arc<MemoryUse>>, ApiError> {
    let app = call.app;
    if engine.store(StoreScope::Project).is_none() {
        return Ok(None);
    }
    let measure = || {
        let now = app.now();
        let chart = ReportPeriod::days(CHART_DAYS, now);
        let recent = ReportPeriod::new(days_ago(now, REPORT_DAYS), now);
        let measured = measured_use(app, engine, chart.since)?;
        Ok(MemoryUse {
            recent: UseReport::new(&measured, &recent),
            daily: UseReport::new(&measured, &chart),
            chart,
        })
    };
    let cache = &call.state.cache;
    cache.get_within("use", &DataVersion::of(app), COMPUTED_AGAIN_AFTER, measure).map(Some)
}

/// Returns the tokens that memories saved, if there were enough cases to tell.
fn saved(used: &UseReport) -> Option<i64> {
    used.tokens.saved_on_errors.value.map(|tokens| tokens.round() as i64)
}

/// Renders injections and known errors by day, from the first day with any; `None` if there is none.
fn injections(used: &MemoryUse) -> Option<Injections> {
    let MemoryUse { recent, chart, daily } = used;
    let fates = daily.injections.over_time.iter();
    let days = chart.parts.iter().zip(fates).zip(&daily.errors.over_time);
    let days = days.map(|((begin, fates), errors)| Day {
        day: begin.to_string().chars().take("2026-11-18".len()).collect(),
        shown: fates.judged() + fates.not_judged,
        fates: fates.by_name(),
        known_errors: errors.cases,
        answered: errors.answered,
    });
    let days: Vec<Day> = days.skip_while(|day| day.shown == 0 && day.known_errors == 0).collect();
    (!days.is_empty()).then(|| Injections {
        days,
        precision: recent.injections.fates.precision(),
        recall: recent.errors.recall(),
    })
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
