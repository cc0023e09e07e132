//! Work states: where unfinished work stood when a session ended, for the next session on the same
//! unit or branch.

use serde_json::{Map, Value, json};
use tacit_core::{
    BuiltinType, Details, Draft, Memory, RepoPath, Review, Scope, SessionId, Source, Timestamp,
    WorkUnitRef, end_sentence, open_points,
};

use crate::activity::SessionActivity;
use crate::completion::GENERATOR;
use crate::definition::Methodology;
use crate::infer::is_trunk;
use crate::scope::{Position, applies};
use crate::work_state::{FieldKind, render_value};

/// Limits on files, on files that are named, and on failing checks.
const MAX_FILES: usize = 20;
const MAX_NAMED_FILES: usize = 6;
const MAX_FAILING: usize = 3;
/// The field with the commands that failed, to recognise them when they pass.
pub(crate) const FAILING_COMMANDS: &str = "failing_commands";
/// Older states would mislead, in days.
const MAX_AGE_DAYS: f64 = 14.0;

/// The changes and checks that a session left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionResult {
    /// The changed files that were not committed, last changed first.
    pub uncommitted: Vec<RepoPath>,
    /// True if something was committed.
    pub committed: bool,
    /// The checks that failed and have not passed since, oldest first.
    pub failed: Vec<UnresolvedCheck>,
    /// The last check that passed after all changes.
    pub passed: Option<String>,
    /// True if what failed at the end of the earlier session has passed.
    pub earlier_failures_passed: bool,
}

/// A check that failed and has not passed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedCheck {
    /// The command.
    pub command: String,
    /// The first finding that it printed.
    pub finding: Option<String>,
    /// True if files were changed since, so that it may pass now.
    pub changed_since: bool,
}

/// The way in which a session ended for the work on its branch or unit.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEnd {
    /// Nothing worth noting was done; an earlier state holds.
    Unchanged,
    /// The work was finished; an earlier state is outdated.
    Finished,
    /// Something is left to do.
    Left(UnfinishedWork),
}

/// The state of unfinished work.
#[derive(Debug, Clone, PartialEq)]
pub struct UnfinishedWork {
    /// The unit of work.
    pub unit: WorkUnitRef,
    /// The fields of the state.
    pub state: Map<String, Value>,
}

impl Methodology {
    /// Returns the unit of work that a state belongs to. A branch that names no unit stands for
    /// itself.
    pub fn unit_or_branch(
        &self,
        unit: Option<WorkUnitRef>,
        branch: Option<&str>,
    ) -> Option<WorkUnitRef> {
        let stand_in = || {
            WorkUnitRef::new(self.id(), vec![branch?.into()], format!("Branch {}", branch?)).ok()
        };
        unit.or_else(stand_in)
    }

    /// Concludes how a session ended. `before` is the state that an earlier session left on the
    /// same branch, and `declared` is true if the unit was started and not finished.
    pub fn session_end(
        &self,
        activity: &SessionActivity,
        result: &SessionResult,
        unit: WorkUnitRef,
        branch: Option<&str>,
        declared: bool,
        before: Option<&Map<String, Value>>,
    ) -> SessionEnd {
        if activity.edits == 0 {
            let is_settled = before.is_some_and(|before| self.is_settled(before, result));
            return if is_settled { SessionEnd::Finished } else { SessionEnd::Unchanged };
        }
        let message = activity.last_message.as_deref().unwrap_or_default();
        let mut state = self.extract_work_state(message);
        let in_progress = self
            .state
            .iter()
            .any(|field| field.kind == FieldKind::Text && state.contains_key(&field.name));
        let last_said = if in_progress { None } else { open_points(message) };
        let is_left = in_progress || last_said.is_some() || !result.failed.is_empty();
        if !is_left && result.uncommitted.is_empty() && (!declared || result.committed) {
            return SessionEnd::Finished;
        }
        // On a branch of its own, small work is a part of what was begun before.
        let before = before.filter(|_| branch.is_some_and(|branch| !is_trunk(branch)));
        let begun = before.and_then(|before| before.get("task")?.as_str());
        let minor = activity.is_minor();
        let task = begun.filter(|_| minor).or_else(|| activity.task());
        if !is_left && !declared && (task.is_none() || (minor && begun.is_none())) {
            return SessionEnd::Unchanged;
        }
        // On the trunk, git shows what is not committed: only open work is worth a memory.
        if !is_left && !declared && branch.is_some_and(is_trunk) {
            return SessionEnd::Finished;
        }
        let mut files: Vec<&str> = result.uncommitted.iter().map(RepoPath::as_str).collect();
        if !result.committed && begun.is_some() && minor {
            let earlier = before.and_then(|before| before.get("files_changed")?.as_array());
            let earlier = earlier.into_iter().flatten().filter_map(Value::as_str);
            let new: Vec<&str> = earlier.filter(|file| !files.contains(file)).collect();
            files.extend(new);
        }
        files.truncate(MAX_FILES);
        let failing: Vec<String> =
            result.failed.iter().rev().take(MAX_FAILING).map(UnresolvedCheck::describe).collect();
        let commands: Vec<&str> = result.failed.iter().map(|one| one.command.as_str()).collect();
        for (name, value) in [
            ("task", json!(task)),
            ("files_changed", json!(files)),
            ("still_failing", json!(failing)),
            (FAILING_COMMANDS, json!(commands)),
            ("passed", json!(result.passed.as_ref().map(|command| quote(command)))),
            ("last_said", json!(last_said)),
            ("branch", json!(branch)),
            ("unfinished", json!(is_left.then_some(true))),
        ] {
            let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if !empty {
                state.insert(name.to_owned(), value);
            }
        }
        SessionEnd::Left(UnfinishedWork { unit, state })
    }

    /// Returns true if a session settled an earlier state: what failed has passed, or the work was
    /// committed and nothing failed.
    pub fn is_settled(&self, before: &Map<String, Value>, result: &SessionResult) -> bool {
        if !result.failed.is_empty() {
            return false;
        }
        let commits_the_rest = result.committed
            && failing_commands(before).is_empty()
            && !self.has_open_points(before);
        result.earlier_failures_passed || commits_the_rest
    }

    /// Returns true if a state says what is left to do.
    pub fn has_open_points(&self, state: &Map<String, Value>) -> bool {
        let is_text = |name: &str| {
            self.state.iter().any(|field| field.kind == FieldKind::Text && field.name == name)
        };
        state.keys().any(|name| name == "last_said" || is_text(name))
    }

    /// Tells the state of unfinished work, with the task in the first line.
    pub fn describe_unfinished(&self, left: &UnfinishedWork) -> String {
        let state = &left.state;
        let text = |name: &str| state.get(name).and_then(Value::as_str);
        let branch = text("branch").map(quote);
        let label = left.unit.label();
        let subject = match (branch, text("branch")) {
            // The name of a branch says as much as the unit that is named after it.
            (Some(branch), Some(name)) if is_named_after(&left.unit, name) => branch,
            (Some(branch), _) => format!("{label} ({branch})"),
            (None, _) => label.to_owned(),
        };
        let head = if state.contains_key("unfinished") {
            format!("Work on {subject} was left unfinished")
        } else {
            format!("Last work on {subject}")
        };
        let task =
            text("task").map_or_else(String::new, |task| format!(": {}", end_sentence(task)));
        let mut lines = vec![format!("{head}{task}")];
        for field in &self.state {
            if let Some(value) = state.get(&field.name).and_then(render_value) {
                lines.push(format!("{}: {value}", field.label));
            }
        }
        let list = |name: &str| -> Vec<&str> {
            let values = state.get(name).and_then(Value::as_array);
            values.into_iter().flatten().filter_map(Value::as_str).collect()
        };
        let files = list("files_changed");
        if !files.is_empty() {
            let more = files.len().saturating_sub(MAX_NAMED_FILES);
            let named = files[..files.len() - more].join(", ");
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            lines.push(format!("Changed, not committed in the session: {named}{more}"));
        }
        let failing = list("still_failing");
        if !failing.is_empty() {
            lines.push(format!("Still failing: {}", failing.join("; ")));
        }
        if let Some(passed) = text("passed") {
            lines.push(format!("Passed at the end: {passed}"));
        }
        if let Some(said) = text("last_said") {
            lines.push(format!("Last said: {said}"));
        }
        lines.join("\n")
    }
}

/// Returns true if the last part of a unit is named after a branch.
fn is_named_after(unit: &WorkUnitRef, branch: &str) -> bool {
    let joined = branch.replace('/', "-").to_lowercase();
    unit.hierarchy().last().is_some_and(|name| {
        *name == branch || joined.contains(&name.replace('/', "-").to_lowercase())
    })
}

impl UnresolvedCheck {
    fn describe(&self) -> String {
        let mut text = quote(&self.command);
        if let Some(finding) = &self.finding {
            text.push_str(&format!(" ({finding})"));
        }
        if self.changed_since {
            text.push_str(", changed since and not run again");
        }
        text
    }
}

/// Quotes a command or a name.
fn quote(text: &str) -> String {
    format!("`{}`", text.replace('`', "'"))
}

impl UnfinishedWork {
    /// Drafts the memory of the state, with the methodology's text.
    pub fn draft(self, session: &SessionId, text: String) -> Draft {
        Draft {
            content: text,
            kind: Some(BuiltinType::WorkState.to_string()),
            details: Some(Value::Object(self.state)),
            scope: Some(Scope::WorkUnit.to_string()),
            work_unit: Some(self.unit),
            session: Some(session.to_string()),
            source: Some(Source::ObserverInferred.to_string()),
            generator: Some(GENERATOR.into()),
            // The state is outdated before anyone could review it.
            review: Some(Review::None.to_string()),
            ..Draft::default()
        }
    }
}

/// Returns the commands that failed at the end of a session.
pub fn failing_commands(state: &Map<String, Value>) -> Vec<&str> {
    let commands = state.get(FAILING_COMMANDS).and_then(Value::as_array);
    commands.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the files of a state that were changed and not committed.
pub fn uncommitted_files(state: &Map<String, Value>) -> Vec<&str> {
    let files = state.get("files_changed").and_then(Value::as_array);
    files.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the fields of an earlier state of the same work: there is one for each unit and branch.
/// States that people wrote have no branch and are left alone.
pub fn earlier_state<'m>(
    memory: &'m Memory,
    unit: &WorkUnitRef,
    branch: Option<&str>,
) -> Option<&'m Map<String, Value>> {
    let Details::WorkState(state) = memory.body.subject.details() else { return None };
    let same = is_about_unit(memory, unit) && branch_of(memory) == branch;
    same.then_some(state)
}

/// Returns the state to show at the start of a session: that of its unit, else of its branch, else
/// one without a branch. `states` must be ordered by last change, newest first.
pub fn last_state<'m>(
    states: impl IntoIterator<Item = &'m Memory>,
    unit: Option<&WorkUnitRef>,
    branch: Option<&str>,
    now: Timestamp,
) -> Option<&'m Memory> {
    // States are shown without being asked for, so a file or an agent alone must not be able to set
    // one.
    let usable = |memory: &&Memory| {
        now.days_since(memory.updated_at) <= MAX_AGE_DAYS && !memory.is_unconfirmed_claim()
    };
    let states: Vec<&Memory> = states.into_iter().filter(usable).collect();
    let find = |meant: &dyn Fn(&Memory) -> bool| states.iter().copied().find(|state| meant(state));
    let here = Position { session: None, unit };
    let unbound = |memory: &Memory| {
        branch_of(memory).is_none() && applies(memory.body.subject.placement(), &here)
    };
    find(&|memory| unit.is_some_and(|unit| is_about_unit(memory, unit)))
        .or_else(|| find(&|memory| branch.is_some_and(|branch| is_on_branch(memory, branch))))
        .or_else(|| find(&unbound))
}

/// Returns true if a state is about this unit, in any methodology.
fn is_about_unit(memory: &Memory, unit: &WorkUnitRef) -> bool {
    let own = memory.body.subject.placement().work_unit();
    own.is_some_and(|own| own.hierarchy() == unit.hierarchy())
}

fn is_on_branch(memory: &Memory, branch: &str) -> bool {
    if let Some(own) = branch_of(memory) {
        return own == branch;
    }
    // A state that a person wrote names the branch in its own way.
    let unit = memory.body.subject.placement().work_unit();
    let named = |unit: &WorkUnitRef| unit.hierarchy().iter().any(|entry| branch.contains(entry));
    unit.is_some_and(named) || memory.body.tags.iter().any(|tag| tag.as_str() == branch)
}

/// Returns the branch that a state records.
fn branch_of(memory: &Memory) -> Option<&str> {
    match memory.body.subject.details() {
        Details::WorkState(state) => state.get("branch")?.as_str(),
        _ => None,
    }
}
