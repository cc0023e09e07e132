//! Pruning by hand: rules that a person applies at once, instead of waiting for maintenance.

use std::collections::BTreeMap;

use tacit_core::{BuiltinType, LifeStep, Memory, MemoryId, Reasoning, StaleKind};
use tacit_engine::{Engine, ForgetMode, StoreScope, StoredMemory};
use tacit_store::{Filter, ListOrder};

use crate::app::App;
use crate::error::{AppError, AppResult};
use crate::life;

/// A rule of pruning.
#[derive(Debug, Clone, PartialEq)]
pub enum PruneRule {
    /// Memories whose files are gone.
    MissingFiles,
    /// Memories of these units of work, as their hierarchies with slashes, such as `spec_1/task_2`, or with their
    /// methodology, such as `native:spec_1/task_2`, if several have that hierarchy.
    FinishedWork(Vec<String>),
    /// Unconfirmed memories below a confidence that were not used for some days.
    LowConfidence {
        /// The effective confidence.
        below: f64,
        /// Days without use.
        unused_days: f64,
    },
}

/// A memory that a rule takes out of use.
#[derive(Debug, Clone)]
pub struct Pruned {
    /// The memory as it is now.
    pub found: StoredMemory,
    /// The reason in words.
    pub reason: String,
}

impl PruneRule {
    /// Returns how the rule takes memories out of use.
    pub fn mode(&self) -> ForgetMode {
        match self {
            PruneRule::FinishedWork(_) => ForgetMode::Archive,
            _ => ForgetMode::Retire,
        }
    }
}

/// Returns the memories that a rule takes out of use.
pub fn plan(app: &App, engine: &Engine<'_>, rule: &PruneRule) -> AppResult<Vec<Pruned>> {
    let mut missing: BTreeMap<MemoryId, String> = BTreeMap::new();
    if *rule == PruneRule::MissingFiles && engine.store(StoreScope::Project).is_some() {
        for planned in life::plan(app, engine, StoreScope::Project)? {
            if let LifeStep::MarkStale(StaleKind::FileMissing, why) = planned.step {
                missing.insert(planned.found.memory.id, why);
            }
        }
    }
    if let PruneRule::FinishedWork(units) = rule {
        check_units(&units_with_memories(engine)?, units)?;
    }
    let filter = Filter { statistics: true, ..Filter::default() };
    let now = app.now();
    let mut pruned = Vec::new();
    for found in engine.list(None, &filter, ListOrder::Newest, usize::MAX, 0)? {
        let body = &found.memory.body;
        let reason = match rule {
            PruneRule::MissingFiles => match body.trust.stale_cause() {
                Some(StaleKind::FileMissing) => Some("its files no longer exist".to_owned()),
                _ => missing.remove(&found.memory.id),
            },
            PruneRule::FinishedWork(units) => body
                .subject
                .placement()
                .work_unit()
                .filter(|unit| {
                    let path = unit.hierarchy().join("/");
                    units.contains(&qualified(unit.methodology(), &path)) || units.contains(&path)
                })
                .map(|unit| format!("the work on {} is finished", unit.label())),
            PruneRule::LowConfidence { below, unused_days } => {
                let confidence = body.effective_confidence().value();
                let unused = now.days_since(found.memory.usage.last_accessed_at);
                let is_pruned = confidence < *below
                    && unused >= *unused_days
                    && !body.trust.review.is_confirmed();
                is_pruned.then(|| {
                    format!("its confidence is {confidence:.2}, and it was not used for {unused:.0} days")
                })
            }
        };
        pruned.extend(reason.map(|reason| Pruned { found, reason }));
    }
    Ok(pruned)
}

/// Takes memories out of use as one change per store.
pub fn apply(
    engine: &mut Engine<'_>,
    rule: &PruneRule,
    pruned: &[Pruned],
) -> AppResult<Vec<StoredMemory>> {
    let ids: Vec<String> = pruned.iter().map(|one| one.found.memory.id.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let reason = match rule {
        PruneRule::MissingFiles => "pruned: its files no longer exist",
        PruneRule::FinishedWork(_) => "pruned: its unit of work is finished",
        PruneRule::LowConfidence { .. } => "pruned: low confidence and unused",
    };
    Ok(engine.forget_all(&ids, rule.mode(), Reasoning::new(reason)?)?)
}

/// A unit of work with memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedUnit {
    /// The methodology.
    pub methodology: String,
    /// The entries of its hierarchy, with slashes; after its methodology if several have that hierarchy.
    pub path: String,
    /// The name in the methodology's terms.
    pub label: String,
    /// The active memories that are about it alone.
    pub memories: usize,
    /// True if its outcome was noted.
    pub finished: bool,
}

/// Returns the units of work that memories are about.
pub fn remembered_units(engine: &Engine<'_>) -> AppResult<Vec<RememberedUnit>> {
    let mut units = units_with_memories(engine)?;
    let ambiguous: Vec<bool> =
        units.iter().map(|unit| methodologies(&units, &unit.path).count() > 1).collect();
    for (unit, _) in units.iter_mut().zip(ambiguous).filter(|(_, ambiguous)| *ambiguous) {
        unit.path = qualified(&unit.methodology, &unit.path);
    }
    Ok(units)
}

/// Fails if a hierarchy without a methodology means units of several.
fn check_units(known: &[RememberedUnit], named: &[String]) -> AppResult<()> {
    for path in named {
        let found: Vec<String> = methodologies(known, path)
            .map(|methodology| format!("`{}`", qualified(methodology, path)))
            .collect();
        if found.len() > 1 {
            let message = format!("`{path}` is a unit of several methodologies");
            return Err(AppError::usage(message).hint(format!("name {}", found.join(" or "))));
        }
    }
    Ok(())
}

/// Returns the methodologies that have a unit with a hierarchy.
fn methodologies<'u>(units: &'u [RememberedUnit], path: &'u str) -> impl Iterator<Item = &'u str> {
    units.iter().filter(move |unit| unit.path == path).map(|unit| unit.methodology.as_str())
}

fn qualified(methodology: &str, path: &str) -> String {
    format!("{methodology}:{path}")
}

/// Returns the units of work that memories are about, with their plain hierarchies.
fn units_with_memories(engine: &Engine<'_>) -> AppResult<Vec<RememberedUnit>> {
    let filter = Filter { statistics: true, ..Filter::default() };
    let mut units: BTreeMap<(String, String), RememberedUnit> = BTreeMap::new();
    let mut count = |memory: &Memory| {
        let Some(unit) = memory.body.subject.placement().work_unit() else { return Ok(()) };
        let (methodology, path) = (unit.methodology().to_string(), unit.hierarchy().join("/"));
        let entry = units.entry((methodology.clone(), path.clone()));
        let known = entry.or_insert_with(|| RememberedUnit {
            methodology,
            path,
            label: unit.label().to_string(),
            memories: 0,
            finished: false,
        });
        known.memories += 1;
        known.finished |= memory.memory_type() == BuiltinType::WorkUnitOutcome.into();
        Ok(())
    };
    // In pages: all of 100,000 memories would take 200 MB.
    for (scope, _) in engine.stores() {
        engine.export(scope, &filter, &mut count)?;
    }
    Ok(units.into_values().collect())
}
