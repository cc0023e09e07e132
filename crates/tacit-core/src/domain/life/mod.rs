//! The life of a memory: what happens to it at a given time, and why.
//!
//! [`life_step`] is the only place that decides this. Maintenance applies its steps, and the preview
//! shows them. Memories that people confirmed never become inactive here.

use std::collections::{BTreeMap, BTreeSet};

use super::details::Details;
use super::kind::{BuiltinType, MemoryType};
use super::memory::Memory;
use super::placement::Scope;
use super::status::{StaleKind, Status};
use super::values::Source;
use crate::clock::Timestamp;
use crate::id::MemoryId;

/// Days that a memory about one session is kept if the session does not end.
pub(crate) const SESSION_DAYS: f64 = 7.0;
/// The confidence, after decay, below which an unused memory is retired.
pub(crate) const LEAST_CONFIDENCE: f64 = 0.2;
/// Days without use after which a memory of little confidence is retired.
pub(crate) const UNUSED_DAYS: f64 = 60.0;
/// Days without success after which a recipe is retired.
pub(crate) const RECIPE_DAYS: f64 = 60.0;
/// Days after a recipe last worked in which a commit of its files belongs to the work that followed
/// it.
pub const RECIPE_COMMIT_DAYS: f64 = 1.0;
/// Days between retirement and archive.
pub(crate) const RETIRED_DAYS: f64 = 30.0;
/// Days between archive and purge.
pub(crate) const ARCHIVED_DAYS: f64 = 90.0;
/// The most active memories of a type and a module that Tacit keeps of those it learnt itself.
pub(crate) const MOST_LEARNT: usize = 50;
/// The most pairs of files that change together, for each module.
pub(crate) const MOST_PAIRS: usize = 200;
/// The most samples of the cost of work in a module.
pub(crate) const MOST_COSTS: usize = 30;

/// Facts about a memory and its surroundings that decide on its life.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LifeFacts {
    /// The first file of the memory that no longer exists, with the commit that deleted it, in
    /// words.
    pub missing_file: Option<String>,
    /// True if it has files and none of them exists.
    pub all_files_missing: bool,
    /// True if the session to which it applies has ended.
    pub session_ended: bool,
    /// True if its unit of work is merged and closed.
    pub unit_over: bool,
    /// The change to a file of a recipe since the recipe last worked, in words.
    pub recipe_change: Option<String>,
    /// True if there are too many of its kind, and this one is worth least.
    pub is_surplus: bool,
    /// True if a person made it active again after Tacit had pruned it.
    pub kept_by_person: bool,
    /// True if Tacit made it inactive, not a person.
    pub pruned: bool,
}

/// A step in the life of a memory, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LifeStep {
    /// The memory becomes stale.
    MarkStale(StaleKind, String),
    /// The memory is no longer stale.
    Refresh(String),
    /// The memory is retired.
    Retire(String),
    /// The memory is archived.
    Archive(String),
    /// The memory is deleted for good.
    Purge(String),
}

impl LifeStep {
    /// Returns the word for the step.
    pub fn as_str(&self) -> &'static str {
        match self {
            LifeStep::MarkStale(..) => "mark_stale",
            LifeStep::Refresh(_) => "refresh",
            LifeStep::Retire(_) => "retire",
            LifeStep::Archive(_) => "archive",
            LifeStep::Purge(_) => "purge",
        }
    }

    /// Returns the reason in words.
    pub fn reason(&self) -> &str {
        match self {
            LifeStep::MarkStale(_, why)
            | LifeStep::Refresh(why)
            | LifeStep::Retire(why)
            | LifeStep::Archive(why)
            | LifeStep::Purge(why) => why,
        }
    }
}

/// Returns what happens to a memory at a time, and why; `None` if it stays as it is.
pub fn life_step(memory: &Memory, facts: &LifeFacts, now: Timestamp) -> Option<LifeStep> {
    let is_safe = memory.body.trust.review.is_confirmed();
    match &memory.status {
        Status::Active => {
            let leaves = if is_safe || facts.kept_by_person {
                None
            } else {
                leaving_step(memory, facts, now)
            };
            leaves.or_else(|| staleness_step(memory, facts))
        }
        Status::Retired { at, reason } if facts.pruned && !is_safe => {
            let is_due = now.days_since(*at) >= RETIRED_DAYS;
            is_due.then(|| LifeStep::Archive(format!("retired for {RETIRED_DAYS} days: {reason}")))
        }
        Status::Archived { at, reason } if facts.pruned && !is_safe => {
            let is_due = now.days_since(*at) >= ARCHIVED_DAYS;
            is_due.then(|| LifeStep::Purge(format!("archived for {ARCHIVED_DAYS} days: {reason}")))
        }
        Status::Retired { .. } | Status::Archived { .. } => None,
    }
}

/// Returns the step with which an active memory leaves.
fn leaving_step(memory: &Memory, facts: &LifeFacts, now: Timestamp) -> Option<LifeStep> {
    let kind = memory.memory_type();
    let is = |builtin: BuiltinType| kind == MemoryType::Builtin(builtin);
    let scope = memory.body.subject.placement().scope();
    let retire = |why: String| Some(LifeStep::Retire(why));
    if scope == Scope::Session {
        if facts.session_ended {
            return retire("the session it applied to has ended".into());
        }
        if now.days_since(memory.created_at) >= SESSION_DAYS {
            return retire(format!("it applied to one session, {SESSION_DAYS} days before"));
        }
    }
    if facts.unit_over && (scope == Scope::WorkUnit || is(BuiltinType::WorkUnitOutcome)) {
        return Some(LifeStep::Archive("its unit of work is merged and closed".into()));
    }
    let confidence = memory.body.effective_confidence().value() * memory.decay(now);
    let is_weak = confidence < LEAST_CONFIDENCE;
    if is(BuiltinType::WorkState) && is_weak {
        return retire(format!("its confidence has decayed below {LEAST_CONFIDENCE}"));
    }
    let is_insight_of_commit =
        is(BuiltinType::ModuleInsight) && memory.body.origin.source == Source::CommitAuto;
    if is_insight_of_commit && facts.all_files_missing {
        return retire("none of its files exists any more".into());
    }
    if let Details::WorkflowRecipe(recipe) = memory.body.subject.details()
        && now.days_since(recipe.last_validated_at) >= RECIPE_DAYS
    {
        return retire(format!("it was not followed with success for {RECIPE_DAYS} days"));
    }
    let is_unused = now.days_since(memory.usage.last_accessed_at) >= UNUSED_DAYS;
    if matches!(scope, Scope::Global | Scope::Module) && is_weak && is_unused {
        return retire(format!(
            "its confidence is below {LEAST_CONFIDENCE}, and it was not used for {UNUSED_DAYS} days"
        ));
    }
    if facts.is_surplus {
        let most = most_of(&kind);
        return retire(format!("there are more than {most} memories of this type and module"));
    }
    None
}

/// Returns the step with which an active memory becomes stale or fresh.
fn staleness_step(memory: &Memory, facts: &LifeFacts) -> Option<LifeStep> {
    let cause = memory.body.trust.stale_cause();
    match (&facts.missing_file, cause) {
        (Some(_), Some(StaleKind::FileMissing | StaleKind::Reported)) => return None,
        (Some(missing), _) => {
            return Some(LifeStep::MarkStale(StaleKind::FileMissing, missing.clone()));
        }
        (None, Some(StaleKind::FileMissing)) => {
            return Some(LifeStep::Refresh("its files exist again".into()));
        }
        (None, Some(_)) => return None,
        (None, None) => {}
    }
    let change = facts.recipe_change.clone()?;
    Some(LifeStep::MarkStale(StaleKind::RecipeDoubtful, change))
}

/// Returns true if a memory no longer holds once one of its files is gone. Memories of past work
/// name files that the work itself may have deleted.
pub fn depends_on_files(memory: &Memory) -> bool {
    match memory.memory_type() {
        MemoryType::Builtin(BuiltinType::WorkState | BuiltinType::WorkUnitOutcome) => false,
        MemoryType::Builtin(BuiltinType::DeadEnd) => {
            !matches!(memory.body.origin.source, Source::ObserverInferred | Source::GitHistory)
        }
        _ => !memory.body.files.is_empty(),
    }
}

/// Returns the most active memories of a type that Tacit keeps for each module.
pub(crate) fn most_of(kind: &MemoryType) -> usize {
    match kind {
        MemoryType::Builtin(BuiltinType::CausalDependency) => MOST_PAIRS,
        MemoryType::Builtin(BuiltinType::ContextCost) => MOST_COSTS,
        _ => MOST_LEARNT,
    }
}

/// The share of a memory in the limits of its type and module: the least valuable one sorts first.
#[derive(Debug, Clone, PartialEq)]
pub struct LearntMemory {
    /// The memory's identifier.
    pub id: MemoryId,
    kind: MemoryType,
    module: String,
    worth: f64,
    last: Timestamp,
}

impl LearntMemory {
    /// Returns the share of a memory; `None` if no limit applies to it, because people confirmed or
    /// told it.
    pub fn of(memory: &Memory, now: Timestamp) -> Option<LearntMemory> {
        let learnt =
            [Source::ObserverInferred, Source::QaAuto, Source::McpAuto, Source::CommitAuto];
        let body = &memory.body;
        let counts = memory.status == Status::Active
            && !body.trust.review.is_confirmed()
            && learnt.contains(&body.origin.source);
        let kind = memory.memory_type();
        let is_sample = matches!(body.subject.details(), Details::ContextCost(_));
        let module = match body.subject.details() {
            Details::ContextCost(cost) => cost.module.clone(),
            _ => body.modules.iter().next().map(ToString::to_string).unwrap_or_default(),
        };
        // Notes of commits are many, and displace only each other.
        let is_note = body.origin.source == Source::CommitAuto;
        let module = if is_note { format!("commits of {module}") } else { module };
        // Of samples, the newest count.
        let worth =
            if is_sample { 0.0 } else { body.effective_confidence().value() * memory.decay(now) };
        let last = if is_sample { memory.created_at } else { memory.usage.last_accessed_at };
        counts.then_some(LearntMemory { id: memory.id, kind, module, worth, last })
    }
}

/// Returns the memories beyond the limits of their types and modules.
pub fn surplus(learnt: Vec<LearntMemory>) -> BTreeSet<MemoryId> {
    let mut groups: BTreeMap<(MemoryType, String), Vec<LearntMemory>> = BTreeMap::new();
    for memory in learnt {
        groups.entry((memory.kind.clone(), memory.module.clone())).or_default().push(memory);
    }
    let mut beyond = BTreeSet::new();
    for ((kind, _), mut group) in groups {
        group.sort_by(|a, b| {
            b.worth.total_cmp(&a.worth).then_with(|| (b.last, b.id).cmp(&(a.last, a.id)))
        });
        beyond.extend(group.into_iter().skip(most_of(&kind)).map(|memory| memory.id));
    }
    beyond
}

#[cfg(test)]
mod tests;
