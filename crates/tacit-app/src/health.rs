//! The health of the memory: a score from 0 to 100, what lowers it, and what fixes each.

use tacit_core::Timestamp;
use tacit_engine::{Engine, EngineResult, StoreScope};
use tacit_graph::Module;
use tacit_store::{Filter, InjectionQuery, StoreStats};

use crate::app::App;
use crate::error::AppResult;
use crate::graph::codebase;
use crate::jobs::JobKind;
use crate::module_map::{ModuleMemories, indexed_modules, remembered};
use crate::review::{ReviewReason, review_queue};

/// The best score.
const BEST: u32 = 100;
/// The days after which maintenance is late.
const MAINTENANCE_DAYS: f64 = 7.0;
/// The source files from which on a module should have a memory.
const MODULE_FILES: u64 = 3;
const SCOPES: [StoreScope; 2] = [StoreScope::Project, StoreScope::Global];

/// The numbers from which the score follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what is counted")]
pub struct HealthFacts {
    pub has_store: bool,
    pub active: u64,
    /// Memories that wait for review for another reason than those below.
    pub waiting: u64,
    pub flagged: u64,
    pub conflicts: u64,
    pub stale: u64,
    pub without_vectors: u64,
    /// Modules with enough files to need a memory.
    pub modules: u64,
    pub uncovered_modules: u64,
    pub has_graph: bool,
    pub maintained: bool,
    pub failed_steps: u64,
    /// The servers of teams that do not answer: 0 or 1.
    pub unreachable: u64,
    /// Requests that wait for the server.
    pub undelivered: u64,
    /// Requests that the server refused.
    pub refused: u64,
}

/// Something that lowers the score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthReason {
    /// The name, for translations.
    pub id: &'static str,
    /// The reason in words.
    pub text: String,
    /// The points that it takes off the score.
    pub points: u32,
    /// The number of things that it is about.
    pub count: u64,
    /// The remedy.
    pub remedy: Remedy,
}

/// The remedy for a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remedy {
    /// Look at the review queue.
    Review,
    /// Look at the memories that are stale.
    StaleMemories,
    /// Look at the modules.
    Modules,
    /// Let long work run.
    Job(JobKind),
    /// Run a command.
    Command(&'static str),
}

/// Returns the score and what lowers it, the weightiest first.
pub fn score(facts: &HealthFacts) -> (u32, Vec<HealthReason>) {
    if !facts.has_store {
        let text = "this project has no memory yet".to_owned();
        let remedy = Remedy::Command("tacit init");
        return (0, vec![HealthReason { id: "no_store", text, points: BEST, count: 1, remedy }]);
    }
    let active = facts.active.max(1) as f64;
    // Everything in this state costs `whole`; one thing costs at least a point.
    let share =
        |count: u64, of: f64, whole: f64| (whole * (count as f64 / of).min(1.0)).ceil() as u32;
    let each = |count: u64, points: u64, most: u64| (count * points).min(most) as u32;
    let rows = [
        (
            "review_waiting",
            facts.waiting,
            share(facts.waiting, active, 25.0),
            Remedy::Review,
            ("memory waits", "memories wait"),
            "for review",
        ),
        (
            "flagged",
            facts.flagged,
            each(facts.flagged, 2, 10),
            Remedy::Review,
            ("memory is", "memories are"),
            "flagged as wrong or outdated",
        ),
        (
            "conflicts",
            facts.conflicts,
            each(facts.conflicts, 3, 15),
            Remedy::Review,
            ("memory contradicts", "memories contradict"),
            "others",
        ),
        (
            "stale",
            facts.stale,
            share(facts.stale, active, 20.0),
            Remedy::StaleMemories,
            ("memory is", "memories are"),
            "stale",
        ),
        (
            "no_vectors",
            facts.without_vectors,
            share(facts.without_vectors, active, 10.0),
            Remedy::Job(JobKind::Reindex),
            ("memory is", "memories are"),
            "found by words alone",
        ),
        (
            "modules_uncovered",
            facts.uncovered_modules,
            share(facts.uncovered_modules, facts.modules.max(1) as f64, 10.0),
            Remedy::Modules,
            ("module has", "modules have"),
            "no memory",
        ),
        (
            "store_problem",
            facts.failed_steps,
            each(facts.failed_steps, 5, 15),
            Remedy::Command("tacit doctor"),
            ("maintenance step", "maintenance steps"),
            "failed",
        ),
        (
            "server_unreachable",
            facts.unreachable,
            each(facts.unreachable, 15, 15),
            Remedy::Command("tacit team status"),
            ("team server does", "team servers do"),
            "not answer",
        ),
        (
            "undelivered",
            facts.undelivered,
            each(facts.undelivered, 1, 5),
            Remedy::Command("tacit team push"),
            ("request waits", "requests wait"),
            "for the team's server",
        ),
        (
            "refused",
            facts.refused,
            each(facts.refused, 2, 10),
            Remedy::Command("tacit team status"),
            ("request was", "requests were"),
            "refused by the team's server",
        ),
        (
            "never_maintained",
            u64::from(!facts.maintained),
            each(u64::from(!facts.maintained), 5, 5),
            Remedy::Job(JobKind::Maintain),
            ("week", "weeks"),
            "without maintenance",
        ),
        (
            "no_graph",
            u64::from(!facts.has_graph),
            each(u64::from(!facts.has_graph), 5, 5),
            Remedy::Job(JobKind::Index),
            ("index of the code", "indexes of the code"),
            "is missing",
        ),
    ];
    let mut reasons: Vec<HealthReason> = rows
        .into_iter()
        .filter(|(_, count, ..)| *count > 0)
        .map(|(id, count, points, remedy, (one, many), rest)| {
            let what = if count == 1 { one } else { many };
            HealthReason { id, text: format!("{count} {what} {rest}"), points, count, remedy }
        })
        .collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.points));
    let lost: u32 = reasons.iter().map(|reason| reason.points).sum();
    (BEST.saturating_sub(lost), reasons)
}

/// The counts of memories, of both stores together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what is counted")]
pub struct MemoryTotals {
    pub all: u64,
    pub active: u64,
    pub stale: u64,
    pub retired: u64,
    pub archived: u64,
    pub needs_review: u64,
    pub auto_confirmed: u64,
}

/// A module with the memories about it.
#[derive(Debug, Clone)]
pub struct CoveredModule {
    /// The module.
    pub module: Module,
    /// The memories about it.
    pub memories: ModuleMemories,
    /// The share of its files that a memory is about.
    pub covered: f64,
}

/// The health of the memory.
#[derive(Debug, Clone, Default)]
pub struct Health {
    /// The score, from 0 to 100.
    pub score: u32,
    /// The reasons that lower it.
    pub reasons: Vec<HealthReason>,
    /// The counts of memories.
    pub totals: MemoryTotals,
    /// The modules, the largest first.
    pub modules: Vec<CoveredModule>,
}

/// Measures the health.
pub fn health(app: &App, engine: &Engine<'_>) -> AppResult<Health> {
    let mut totals = MemoryTotals::default();
    let mut facts = HealthFacts {
        has_store: engine.store(StoreScope::Project).is_some(),
        has_graph: codebase(app).exists(),
        ..HealthFacts::default()
    };
    for (_, store) in engine.stores() {
        add(&mut totals, &store.stats()?);
        let waiting = store.models()?.iter().map(|state| state.pending).max();
        facts.without_vectors += waiting.unwrap_or_default();
    }
    if app.config().embedding_provider == "off" {
        facts.without_vectors = 0;
    }
    let queue = review_queue(engine, app.now())?;
    totals.needs_review = queue.items.len() as u64;
    totals.auto_confirmed = queue.auto_confirmed as u64;
    for item in &queue.items {
        match item.reason {
            ReviewReason::Flagged => facts.flagged += 1,
            ReviewReason::Conflict(_) => facts.conflicts += 1,
            // These are stale, and count there.
            ReviewReason::CodeChanged => {}
            ReviewReason::Replaces(_) | ReviewReason::Unused(_) | ReviewReason::Unconfirmed => {
                facts.waiting += 1;
            }
        }
    }
    if app.places.is_in_team() {
        let spool = app.places.spool(StoreScope::Project);
        facts.unreachable = u64::from(engine.reach_team().is_err());
        facts.undelivered = spool.len().unwrap_or_default() as u64;
        facts.refused = (spool.refused_count() + spool.quarantined_count()) as u64;
    }
    (facts.active, facts.stale) = (totals.active, totals.stale);
    facts.maintained = is_maintained(app, app.now());
    for scope in SCOPES {
        facts.failed_steps += app.places.failed_steps(scope).map_or(0, |steps| steps.len() as u64);
    }
    let modules = covered_modules(app, engine)?.unwrap_or_default();
    let large = modules.iter().filter(|covered| covered.module.files >= MODULE_FILES);
    facts.modules = large.clone().count() as u64;
    facts.uncovered_modules = large.filter(|covered| covered.memories.memories == 0).count() as u64;
    let (score, reasons) = score(&facts);
    Ok(Health { score, reasons, totals, modules })
}

/// Returns the modules with the memories about them, the largest first; `None` without an index.
pub fn covered_modules(app: &App, engine: &Engine<'_>) -> AppResult<Option<Vec<CoveredModule>>> {
    let Some(modules) = indexed_modules(app)? else { return Ok(None) };
    let mut counts = remembered(engine, &modules)?;
    let mut covered: Vec<CoveredModule> = modules
        .into_iter()
        .map(|module| {
            let memories = counts.remove(&module.path).unwrap_or_default();
            let share = memories.files.len() as f64 / module.files.max(1) as f64;
            CoveredModule { module, memories, covered: share.min(1.0) }
        })
        .collect();
    covered.sort_by_key(|covered| std::cmp::Reverse(covered.module.files));
    Ok(Some(covered))
}

fn add(totals: &mut MemoryTotals, stats: &StoreStats) {
    for (status, count) in &stats.by_status {
        totals.all += count;
        match status.as_str() {
            "active" => totals.active += count,
            "retired" => totals.retired += count,
            "archived" => totals.archived += count,
            _ => {}
        }
    }
    totals.stale += stats.stale;
}

fn is_maintained(app: &App, now: Timestamp) -> bool {
    let last = app.places.last_run(StoreScope::Project);
    last.is_some_and(|run| now.days_since(run.started_at).abs() < MAINTENANCE_DAYS)
}

/// The activity of the last days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say what is counted")]
pub struct RecentUse {
    pub injections: u64,
    pub tokens: u64,
    pub memories: u64,
}

/// Counts what was shown and learnt since a time.
pub fn recent_use(engine: &Engine<'_>, since: Timestamp) -> EngineResult<RecentUse> {
    let mut used = RecentUse::default();
    if engine.store(StoreScope::Project).is_none() {
        return Ok(used);
    }
    let query =
        InjectionQuery { since: Some(since), limit: usize::MAX, ..InjectionQuery::default() };
    for injection in engine.injections(&query)?.iter().filter(|injection| !injection.withheld) {
        used.injections += 1;
        used.tokens += u64::from(injection.tokens);
    }
    let filter = Filter { since: Some(since), ..Filter::default() };
    used.memories = engine.count(Some(StoreScope::Project), &filter)? as u64;
    Ok(used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> HealthFacts {
        HealthFacts {
            has_store: true,
            active: 100,
            has_graph: true,
            maintained: true,
            modules: 10,
            ..HealthFacts::default()
        }
    }

    #[test]
    fn each_reason_takes_its_points() {
        type Case = (&'static str, fn(&mut HealthFacts), u32);
        let cases: [Case; 17] = [
            ("", |_| {}, 100),
            ("no_store", |facts| facts.has_store = false, 0),
            ("review_waiting", |facts| facts.waiting = 1, 99),
            ("review_waiting", |facts| facts.waiting = 40, 90),
            ("review_waiting", |facts| facts.waiting = 1_000, 75),
            ("flagged", |facts| facts.flagged = 2, 96),
            ("flagged", |facts| facts.flagged = 50, 90),
            ("conflicts", |facts| facts.conflicts = 2, 94),
            ("stale", |facts| facts.stale = 50, 90),
            ("no_vectors", |facts| facts.without_vectors = 100, 90),
            ("modules_uncovered", |facts| facts.uncovered_modules = 5, 95),
            ("store_problem", |facts| facts.failed_steps = 1, 95),
            ("server_unreachable", |facts| facts.unreachable = 1, 85),
            ("undelivered", |facts| facts.undelivered = 9, 95),
            ("refused", |facts| facts.refused = 1, 98),
            ("never_maintained", |facts| facts.maintained = false, 95),
            ("no_graph", |facts| facts.has_graph = false, 95),
        ];
        for (id, change, expected) in cases {
            let mut facts = whole();
            change(&mut facts);
            let (score, reasons) = score(&facts);
            let ids: Vec<&str> = reasons.iter().map(|reason| reason.id).collect();
            assert_eq!((ids.join(" ").as_str(), score), (id, expected));
        }
    }

    #[test]
    fn everything_at_once_is_not_below_zero_and_the_weightiest_comes_first() {
        let facts = HealthFacts {
            has_store: true,
            active: 10,
            waiting: 10,
            flagged: 10,
            conflicts: 10,
            stale: 10,
            without_vectors: 10,
            modules: 10,
            uncovered_modules: 10,
            failed_steps: 10,
            ..HealthFacts::default()
        };
        let (score, reasons) = score(&facts);
        assert_eq!(score, 0);
        assert!(reasons.is_sorted_by(|a, b| a.points >= b.points));
        assert_eq!(reasons.len(), 9);
    }
}
