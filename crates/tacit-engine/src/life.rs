//! The life of memories in a store: plans what [`life_step`] decides about each memory, and applies
//! the plan. Every step is a change in the history with its reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tacit_core::{
    BuiltinType, Details, LearntMemory, LifeFacts, LifeStep, Memory, MemoryId, MemoryType,
    RECIPE_COMMIT_DAYS, Reasoning, RepoPath, Scope, SessionId, Status, StatusKind, Timestamp,
    WorkUnitRef, depends_on_files, life_step, surplus,
};
use tacit_store::{Action, ActionKind, ChangeQuery, Filter, ListOrder, ListQuery, Store, TeamRole};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::lookup::StoredMemory;
use crate::remember::index;

/// The number of memories read or changed at a time.
const PAGE: usize = 500;
/// The most memories purged in one run: a purge rewrites the store.
const MOST_PURGED: usize = 500;
/// The most changes of a memory that are searched for its past.
const CHANGES_EXAMINED: usize = 100;
/// The number of digits shown of a commit.
const COMMIT_DIGITS: usize = 7;

/// The state of the project's files and branches.
pub trait ProjectState {
    /// Returns true if a file or directory exists.
    fn exists(&self, path: &RepoPath) -> bool;

    /// Returns true if a file that does not exist counts as gone: not if another worktree has it.
    fn is_gone(&self, path: &RepoPath) -> bool;

    /// Returns the last commit that touched a file, at or after a time if one is given.
    fn last_commit(&self, path: &RepoPath, since: Option<Timestamp>) -> Option<String>;

    /// Returns true if a branch has changes that the main branch does not have.
    fn is_open_branch(&self, branch: &str) -> bool;

    /// Returns true if a branch is the main one.
    fn is_main_branch(&self, branch: &str) -> bool;

    /// Returns true if a commit is part of the main branch.
    fn is_on_main(&self, commit: &str) -> bool;

    /// Returns true if a commit is part of a branch whose changes the main branch has under other
    /// commit IDs.
    fn was_squashed(&self, branch: &str, commit: &str) -> bool;
}

/// A step that is due.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedLife {
    /// The memory as it is now.
    pub found: StoredMemory,
    /// The step, with its reason.
    pub step: LifeStep,
}

/// The number of memories that each step changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LifeReport {
    /// Memories that became stale.
    pub stale: usize,
    /// Memories that are no longer stale.
    pub refreshed: usize,
    /// Memories that were retired.
    pub retired: usize,
    /// Memories that were archived.
    pub archived: usize,
    /// Memories that were purged.
    pub purged: usize,
}

/// Facts about all memories together.
#[derive(Default)]
struct Overview {
    surplus: BTreeSet<MemoryId>,
    units_over: Vec<WorkUnitRef>,
}

/// The memories of a unit of work.
#[derive(Default)]
struct UnitMemories {
    has_outcome: bool,
    sessions: BTreeSet<SessionId>,
    commits: BTreeSet<String>,
}

impl Engine<'_> {
    /// Returns the steps that are due, oldest memory first. Without a project, files and units of
    /// work are not looked at.
    pub fn plan_life(
        &self,
        scope: StoreScope,
        project: Option<&dyn ProjectState>,
    ) -> EngineResult<Vec<PlannedLife>> {
        let Some(store) = self.store(scope) else { return Ok(Vec::new()) };
        let overview = self.overview(store, project)?;
        let mut plan = Vec::new();
        each_memory(store, |memory| {
            if let Some(step) = self.planned_step(store, &memory, project, &overview)? {
                plan.push(PlannedLife { found: StoredMemory { store: scope, memory }, step });
            }
            Ok(())
        })?;
        Ok(plan)
    }

    fn overview(
        &self,
        store: &dyn Store,
        project: Option<&dyn ProjectState>,
    ) -> EngineResult<Overview> {
        let now = self.clock.now();
        let mut learnt = Vec::new();
        let mut units: HashMap<WorkUnitRef, UnitMemories> = HashMap::new();
        each_memory(store, |memory| {
            learnt.extend(LearntMemory::of(&memory, now));
            let body = &memory.body;
            let unit = body.subject.placement().work_unit();
            if let Some(unit) = unit.filter(|_| memory.status == Status::Active) {
                let about = units.entry(unit.clone()).or_default();
                about.has_outcome |= is_outcome(&memory);
                about.sessions.extend(body.origin.sessions.iter().cloned());
                about.commits.extend(body.origin.commit.iter().map(ToString::to_string));
            }
            Ok(())
        })?;
        let mut overview = Overview { surplus: surplus(learnt), ..Overview::default() };
        let Some(project) = project else { return Ok(overview) };
        for (unit, about) in units {
            let UnitMemories { has_outcome, sessions, commits } = about;
            let evidence = self.unit_evidence(&unit, has_outcome, &sessions, commits)?;
            if evidence.is_over(project) {
                overview.units_over.push(unit);
            }
        }
        Ok(overview)
    }

    fn planned_step(
        &self,
        store: &dyn Store,
        memory: &Memory,
        project: Option<&dyn ProjectState>,
        overview: &Overview,
    ) -> EngineResult<Option<LifeStep>> {
        let now = self.clock.now();
        let placement = memory.body.subject.placement();
        // The history is read only for memories that may leave.
        let mut facts = LifeFacts { pruned: true, ..LifeFacts::default() };
        facts.is_surplus = overview.surplus.contains(&memory.id);
        facts.unit_over =
            placement.work_unit().is_some_and(|unit| overview.units_over.contains(unit));
        if memory.status == Status::Active {
            if let Some(session) =
                placement.session().filter(|_| placement.scope() == Scope::Session)
            {
                let session = self.session(session)?;
                facts.session_ended = session.is_some_and(|session| session.ended.is_some());
            }
            if let Some(project) = project {
                add_file_facts(memory, project, &mut facts);
            }
        }
        let step = life_step(memory, &facts, now);
        let leaves =
            matches!(step, Some(LifeStep::Retire(_) | LifeStep::Archive(_) | LifeStep::Purge(_)));
        if !leaves {
            return Ok(step);
        }
        let query = ChangeQuery {
            memory: Some(memory.id),
            limit: CHANGES_EXAMINED,
            ..ChangeQuery::default()
        };
        let changes = store.changes(&query)?;
        let by_person = |action: &Action| !Engine::is_tacits(&action.actor);
        let returns = [ActionKind::Restore, ActionKind::Undo];
        facts.kept_by_person = changes
            .iter()
            .any(|change| returns.contains(&change.action.kind) && by_person(&change.action));
        let left = changes.iter().find(|change| change.action.kind == ActionKind::Forget);
        facts.pruned = left.is_some_and(|change| !by_person(&change.action));
        Ok(life_step(memory, &facts, now))
    }

    /// Applies steps. A memory that changed since the plan was made is left as it is.
    pub fn apply_life(
        &mut self,
        scope: StoreScope,
        plan: &[PlannedLife],
    ) -> EngineResult<LifeReport> {
        let mut report = LifeReport::default();
        let mut groups: BTreeMap<(&str, &str), Vec<&PlannedLife>> = BTreeMap::new();
        for planned in plan {
            // One purge costs as much as many.
            let reason = match &planned.step {
                LifeStep::Purge(_) => "",
                step => step.reason(),
            };
            groups.entry((planned.step.as_str(), reason)).or_default().push(planned);
        }
        for ((_, reason), group) in groups {
            let Some(first) = group.first() else { continue };
            match &first.step {
                LifeStep::Purge(why) => report.purged += self.purge_group(why, &group)?,
                LifeStep::MarkStale(..) => {
                    report.stale += self.change_group(scope, ActionKind::Edit, reason, &group)?;
                }
                LifeStep::Refresh(_) => {
                    report.refreshed +=
                        self.change_group(scope, ActionKind::Edit, reason, &group)?;
                }
                LifeStep::Retire(_) => {
                    report.retired +=
                        self.change_group(scope, ActionKind::Forget, reason, &group)?;
                }
                LifeStep::Archive(_) => {
                    report.archived +=
                        self.change_group(scope, ActionKind::Forget, reason, &group)?;
                }
            }
        }
        Ok(report)
    }

    /// Applies the same kind of step to memories. Returns the number of memories that changed.
    fn change_group(
        &mut self,
        scope: StoreScope,
        kind: ActionKind,
        reason: &str,
        group: &[&PlannedLife],
    ) -> EngineResult<usize> {
        let mut changed = 0;
        for part in group.chunks(PAGE) {
            let action = self.tacit_action(kind, reason);
            let now = action.at;
            let mut transaction = self.store_mut(scope)?.begin(action)?;
            for planned in part {
                let expected = &planned.found.memory;
                let Some(before) = transaction.read(&[expected.id])?.pop() else { continue };
                // Somebody may have confirmed or restored it meanwhile.
                if before.status != expected.status || before.body.trust != expected.body.trust {
                    continue;
                }
                let mut after = before.clone();
                apply(&planned.step, &mut after, now);
                transaction.update(&before, &after)?;
                index(transaction.as_mut(), &after)?;
                changed += 1;
            }
            transaction.commit()?;
        }
        Ok(changed)
    }

    /// Purges memories, all in one purge. The reason is that of the first. What a team shares is left to a
    /// curator's machine.
    fn purge_group(&mut self, why: &str, group: &[&PlannedLife]) -> EngineResult<usize> {
        let role = self.membership()?.map(|membership| membership.role);
        let curates = role.is_none_or(|role| role >= TeamRole::Curator);
        let may_purge = |found: &StoredMemory| {
            curates || found.store == StoreScope::Global || !found.memory.body.visibility.is_team()
        };
        let ids: Vec<String> = group
            .iter()
            .filter(|planned| may_purge(&planned.found))
            .take(MOST_PURGED)
            .map(|planned| planned.found.memory.id.to_string())
            .collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        if ids.is_empty() {
            return Ok(0);
        }
        let Ok(reason) = Reasoning::new(why) else { return Ok(0) };
        Ok(self.purge(&ids, reason, false)?.memories.len())
    }
}

/// Calls a function with every memory of a store, oldest first.
pub(crate) fn each_memory(
    store: &dyn Store,
    mut look: impl FnMut(Memory) -> EngineResult<()>,
) -> EngineResult<()> {
    let mut query = ListQuery {
        filter: Filter::everything(),
        order: ListOrder::Oldest,
        limit: PAGE,
        offset: 0,
    };
    loop {
        let page = store.list(&query)?;
        query.offset += page.len();
        if page.is_empty() {
            return Ok(());
        }
        page.into_iter().try_for_each(&mut look)?;
    }
}

fn is_outcome(memory: &Memory) -> bool {
    memory.memory_type() == MemoryType::Builtin(BuiltinType::WorkUnitOutcome)
}

/// Adds the facts about the files of an active memory.
fn add_file_facts(memory: &Memory, project: &dyn ProjectState, facts: &mut LifeFacts) {
    let body = &memory.body;
    let short = |commit: String| commit.chars().take(COMMIT_DIGITS).collect::<String>();
    if depends_on_files(memory) {
        let mut gone = body
            .files
            .iter()
            .filter(|path| !project.exists(path))
            .filter(|path| project.is_gone(path));
        if let Some(first) = gone.next() {
            facts.all_files_missing = gone.count() + 1 == body.files.iter().len();
            let is_known = body.trust.stale_cause() == Some(tacit_core::StaleKind::FileMissing);
            let commit = if is_known { None } else { project.last_commit(first, None) };
            facts.missing_file = Some(match commit {
                Some(commit) => format!("`{first}` was deleted in {}", short(commit)),
                None => format!("`{first}` no longer exists"),
            });
        }
    }
    if let Details::WorkflowRecipe(recipe) = body.subject.details()
        && body.trust.stale_at.is_none()
    {
        let since = recipe.last_validated_at.plus_days(RECIPE_COMMIT_DAYS);
        let files = recipe.steps.iter().filter_map(|step| step.canonical_file.as_ref());
        facts.recipe_change = files.into_iter().find_map(|file| {
            let commit = short(project.last_commit(file, Some(since))?);
            Some(format!("`{file}` changed in {commit} since the recipe last worked"))
        });
    }
}

/// Changes a memory by a step.
fn apply(step: &LifeStep, memory: &mut Memory, now: Timestamp) {
    match step {
        // `updated_at` stays, so that the memory decays as before.
        LifeStep::MarkStale(kind, why) => {
            memory.body.trust.mark_stale(now, *kind, Reasoning::new(why.as_str()).ok());
        }
        LifeStep::Refresh(_) => memory.body.trust.clear_stale(),
        LifeStep::Retire(why) | LifeStep::Archive(why) => {
            let Ok(reason) = Reasoning::new(why.as_str()) else { return };
            memory.updated_at = now;
            memory.status = match step {
                LifeStep::Retire(_) => Status::Retired { at: now, reason },
                _ => Status::Archived { at: now, reason },
            };
            debug_assert_ne!(memory.status.kind(), StatusKind::Active);
        }
        LifeStep::Purge(_) => {}
    }
}
