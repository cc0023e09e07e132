//! Injection: decides what an agent is shown at the start of a session, with a prompt, before a
//! command, after a file was read, after a failure, and at the end of a turn.
//!
//! A layer takes an event and an open engine and returns a [`HookDecision`], with its reasons. It
//! does not use standard streams and does not write to the store.

mod command;
mod danger;
mod end;
mod error_names;
mod failure;
mod file;
mod focus;
mod guard;
mod item;
mod observed;
mod presence;
mod prompt;
mod start;
mod unverified;

use std::cell::OnceCell;
use std::path::Path;
use std::time::Duration;

use tacit_core::log::{ClientProcess, NoteRecord};
use tacit_core::{
    AgentEvent, CommandGuard, EventKind, EventName, Memory, MemoryId, RepoPath, Scope, Silence,
    Timestamp, UniversalPhase,
};
use tacit_engine::{Engine, EngineResult, WorkContext};
use tacit_store::{Injection, InjectionQuery, Note, Session, SessionChange};
use tacit_work::CurrentWork;
use tacit_work::scope::{Position, applies};

use crate::path_in_project;
pub use danger::commands_warned_of;
pub use end::is_stop_request;
pub use guard::changed_files;
pub use item::InjectionItem;
pub(crate) use observed::{NoteContext, notes};
pub use presence::FilePresence;
pub use prompt::LIMIT as PROMPT_LIMIT;
pub use start::{commands_named_by, hot_topics};
use tacit_agents::install::MemoryTools;
use tacit_agents::{BYTES_PER_TOKEN, CONTEXT_LIMIT, Client, Reply, ReplyPart, render_notes};

/// The maximum number of injections examined of a session.
const INJECTIONS_EXAMINED: usize = 500;
/// The maximum number of QA issues shown at once.
const QA_ISSUES: usize = 3;

/// The budgets and permissions of the layers.
#[derive(Debug, Clone, PartialEq)]
pub struct InjectionSettings {
    /// The token budget at the start of a session.
    pub session_tokens: usize,
    /// The token budget for a prompt.
    pub prompt_tokens: usize,
    /// The token budget for a tool event.
    pub tool_tokens: usize,
    /// The way to stop an agent before a command that is known to be dangerous.
    pub guard: CommandGuard,
    /// The capture mode: `ask-first`, `silent` or `off`.
    pub capture_mode: String,
    /// The number of memories a session may store without asking.
    pub silent_budget: u64,
    /// The current phase of work.
    pub phase: Option<UniversalPhase>,
    /// The time to wait for a server that embeds a query.
    pub embedding_timeout: Option<Duration>,
}

/// The data that a layer can use.
pub struct HookContext<'d, 'e> {
    /// The open stores.
    pub engine: &'d Engine<'e>,
    /// The budgets and permissions.
    pub settings: &'d InjectionSettings,
    /// The session before this event.
    pub session: Option<Session>,
    /// The identifier of the event.
    pub event_id: String,
    /// The current time.
    pub now: Timestamp,
    /// The root of the worktree; paths in memories are relative to it.
    pub root: &'d Path,
    /// The session, the checked-out branch and the worktree.
    pub here: WorkContext,
    /// The process of the client, for events at which a session starts or ends.
    pub client: Option<ClientProcess>,
    /// The current work, looked up when a layer first needs it.
    pub work: OnceCell<CurrentWork>,
    /// The reason to consult the memory.
    pub occasion: Occasion,
    /// True if a person watches the session and can be asked.
    pub attended: bool,
    /// Matching entries of the trigger index.
    pub offers: Vec<String>,
    /// The line that names the files that the prompt is about.
    pub likely: Option<String>,
    /// The request to make of the agent before it stops.
    pub stop_request: StopRequest,
    /// The means of storing a memory that the agent has.
    pub memory_tools: MemoryTools,
    /// The files of memories that were looked up for this event.
    pub files: FilePresence,
    /// True if nothing is shown in this session, to measure what showing is worth. The decisions are
    /// recorded all the same.
    pub held_out: bool,
}

/// A reason to consult the memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occasion {
    /// The event itself.
    Event,
    /// A command that is a hot topic, with the pattern that matches.
    HotTopic(String),
    /// A command that a memory warns of, with the form that matches.
    Danger(String),
    /// A finished command whose output shows that a check failed.
    FailedCheck,
}

/// A request to make of an agent before it stops.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopRequest {
    /// The task to write records of what was said since the last such task.
    pub records: Option<String>,
    /// True to ask for the lesson of the turn.
    pub lesson: bool,
}

/// The decision of a layer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HookDecision {
    /// The reply to the client.
    pub reply: Reply,
    /// The injections to record.
    pub injections: Vec<Injection>,
    /// The notes to record.
    pub notes: Vec<Note>,
    /// Changes to the session.
    pub changes: Vec<SessionChange>,
    /// The items considered, shown and cut, with the reasons; one line each.
    pub trace: Vec<String>,
}

/// Decides what to do about an event.
pub fn decide(ctx: &HookContext<'_, '_>, event: &AgentEvent) -> EngineResult<HookDecision> {
    let noted = NoteContext {
        event_id: &ctx.event_id,
        now: ctx.now,
        branch: ctx.branch(),
        root: ctx.root,
        client: ctx.client.as_ref(),
    };
    let mut decision = HookDecision { notes: notes(&noted, event), ..HookDecision::default() };
    match &event.kind {
        EventKind::SessionStarted { source, .. } => {
            start::session(ctx, event, *source, &mut decision)?;
        }
        EventKind::SubagentStarted => start::subagent(ctx, event, &mut decision)?,
        EventKind::PromptSubmitted { prompt, automatic: false, planning } => {
            prompt::prompt(ctx, event, prompt, *planning, &mut decision)?;
        }
        EventKind::ToolStarting { tool, can_ask } => {
            command::before(ctx, event, tool, *can_ask, &mut decision)?;
        }
        EventKind::ToolFinished { tool, outcome, .. } => {
            if ctx.occasion == Occasion::FailedCheck {
                failure::finished(ctx, event, tool, outcome, &mut decision)?;
            }
            file::after(ctx, event, tool, &mut decision)?;
        }
        EventKind::ToolFailed { tool, failure, .. } => {
            failure::failed(ctx, event, tool, failure, &mut decision)?;
        }
        EventKind::BatchFinished { calls } => failure::batch(ctx, event, calls, &mut decision)?,
        EventKind::TurnStopped { .. } => end::turn(ctx, &mut decision),
        EventKind::Compacted { .. } => start::compacted(ctx, event, &mut decision)?,
        EventKind::SessionEnded { reason } => {
            let reason = reason.clone().unwrap_or_else(|| "other".into());
            decision.changes.push(SessionChange::Ended(reason));
        }
        EventKind::PromptSubmitted { .. }
        | EventKind::SubagentStopped { .. }
        | EventKind::Compacting { .. } => {}
    }
    Ok(decision)
}

/// Returns true if a layer may act on an event; other events are only recorded. Commands that are
/// about to run are not decided here: hot topics do that. `root` is that of the worktree.
pub fn may_act_on(event: &AgentEvent, root: &Path) -> bool {
    match &event.kind {
        EventKind::ToolFinished { tool, outcome, .. } => {
            file::may_act_on(event, tool, outcome, root)
        }
        EventKind::BatchFinished { calls } => failure::may_act_on(calls),
        EventKind::PromptSubmitted { automatic, .. } => !automatic,
        EventKind::SubagentStopped { .. } | EventKind::Compacting { .. } => false,
        _ => true,
    }
}

impl HookContext<'_, '_> {
    /// Returns the current unit of work and phase. Without the log there are none.
    fn work(&self) -> &CurrentWork {
        self.work.get_or_init(|| self.engine.work(&self.here).unwrap_or_default())
    }

    /// Returns the checked-out branch.
    fn branch(&self) -> Option<&str> {
        self.here.branch.as_deref()
    }

    /// Returns the session and the unit of work of an event.
    fn position<'p>(&'p self, event: &'p AgentEvent) -> Position<'p> {
        self.work().position(Some(&event.session))
    }

    /// Returns false if a memory belongs to another session or other work. The current work is looked
    /// up only for memories of a unit of work.
    fn applies(&self, event: &AgentEvent, memory: &Memory) -> bool {
        let placement = memory.body.subject.placement();
        match placement.scope() {
            Scope::Global | Scope::Module => true,
            Scope::Session => {
                applies(placement, &Position { session: Some(&event.session), unit: None })
            }
            Scope::WorkUnit => applies(placement, &self.position(event)),
        }
    }

    /// Returns the reason for which a memory is not shown unasked: it is stale, or about a file that
    /// no longer exists.
    fn objection(&self, memory: &Memory) -> Option<&'static str> {
        self.files.objection(self.root, memory)
    }

    /// Returns true if a memory was shown often and never used, so that it is not shown unasked: at
    /// the start and with prompts, or anywhere if it was not used at its own occasions either.
    fn is_unused(&self, event: &AgentEvent, memory: &Memory) -> bool {
        let is_general = matches!(
            event.name(),
            EventName::SessionStarted
                | EventName::SubagentStarted
                | EventName::PromptSubmitted
                | EventName::Compacted
        );
        self.engine
            .silence(memory)
            .is_some_and(|silence| is_general || silence == Silence::Everywhere)
    }

    /// Returns true if the client passes notes on to the model at an event. Notes that it does not pass
    /// on are not recorded as shown, and stay for a later event.
    fn can_show(&self, event: &AgentEvent) -> bool {
        Client::named(event.client).takes(ReplyPart::Context, event.name())
    }

    /// Returns how often the session's context was compacted before this event.
    fn context_number(&self) -> u32 {
        self.session.as_ref().map_or(0, |session| session.context)
    }

    /// Returns what this agent was shown since its context was last compacted.
    fn shown(&self, event: &AgentEvent) -> EngineResult<Vec<Injection>> {
        let query = InjectionQuery {
            session: Some(event.session.clone()),
            context: Some(self.context_number()),
            limit: INJECTIONS_EXAMINED,
            ..InjectionQuery::default()
        };
        let agent = event.agent.as_ref().map(|agent| agent.id.as_str());
        let mut shown = self.engine.injections(&query)?;
        shown.retain(|injection| injection.agent.as_deref() == agent);
        Ok(shown)
    }

    fn seen(&self, event: &AgentEvent) -> EngineResult<Vec<MemoryId>> {
        Ok(self.shown(event)?.into_iter().filter_map(|injection| injection.memory).collect())
    }

    /// Returns true if a note is about something that this agent did itself in its current context.
    fn did_itself(&self, event: &AgentEvent, note: &Note) -> bool {
        let agent = event.agent.as_ref().map(|agent| agent.id.as_str());
        match &note.record {
            NoteRecord::Inferred(inferred) => {
                inferred.agent.as_deref() == agent && inferred.context == self.context_number()
            }
            _ => false,
        }
    }

    /// Returns the issues that QA found in the current work and that are not fixed yet, about these
    /// files if any are given.
    fn qa_issues(&self, files: &[RepoPath]) -> EngineResult<Vec<InjectionItem>> {
        let unit = || self.work().unit().cloned();
        let open = self.engine.open_qa_failures(unit, self.branch(), files)?;
        Ok(open.iter().take(QA_ISSUES).map(InjectionItem::qa_issue).collect())
    }

    /// Returns the offers that were not made since the last compaction.
    fn new_offers(&self, event: &AgentEvent) -> EngineResult<Vec<InjectionItem>> {
        self.not_shown(event, self.offers.iter().map(|offer| InjectionItem::offer(offer)).collect())
    }

    /// Returns the likely files, unless the same line was already shown.
    fn new_likely(&self, event: &AgentEvent) -> EngineResult<Vec<InjectionItem>> {
        self.not_shown(event, self.likely.iter().map(|line| InjectionItem::files(line)).collect())
    }

    fn not_shown(
        &self,
        event: &AgentEvent,
        mut items: Vec<InjectionItem>,
    ) -> EngineResult<Vec<InjectionItem>> {
        if !items.is_empty() {
            let shown = self.shown(event)?;
            items.retain(|item| shown.iter().all(|injection| injection.text != item.headline()));
        }
        Ok(items)
    }

    /// Converts a path to one relative to the worktree; `None` if it is outside the project.
    fn repo_path(&self, event: &AgentEvent, file: &str) -> Option<RepoPath> {
        repo_path(self.root, event.cwd.as_deref(), file)
    }

    /// Returns the working directory of an event from the root of the worktree; empty for the root,
    /// and outside the project.
    fn working_directory(&self, event: &AgentEvent) -> String {
        let directory = event.cwd.as_deref().and_then(|cwd| cwd.strip_prefix(self.root).ok());
        let directory = directory.and_then(Path::to_str).unwrap_or_default();
        directory.replace('\\', "/")
    }

    /// Returns the proven memories that conflict with memories about to be shown, each with the one
    /// it conflicts with.
    fn conflicts_of(&self, items: &[&InjectionItem]) -> Vec<(MemoryId, InjectionItem)> {
        let shown = items.iter().filter_map(|item| item.found()).map(|found| &found.memory);
        // Without the other side, a memory is still worth showing.
        let pairs = self.engine.conflicting(shown, true).unwrap_or_default();
        let item = |found| InjectionItem::memory(found, "conflicts with another one");
        let pairs = pairs.into_iter().filter(|(_, found)| self.objection(&found.memory).is_none());
        pairs.map(|(id, found)| (id, item(found))).collect()
    }

    /// Shows as many whole items as fit the budget, and records them as injections. Memories of
    /// other work are left out.
    fn show(
        &self,
        event: &AgentEvent,
        heading: &str,
        items: &[InjectionItem],
        budget: usize,
        decision: &mut HookDecision,
    ) {
        let client = Client::named(event.client);
        if !self.can_show(event) {
            if !items.is_empty() {
                decision.trace.push(format!("{} takes no notes at this event", client.title));
            }
            return;
        }
        // What the client would cut would be recorded as shown.
        let used = decision.reply.context.as_ref().map_or(0, String::len);
        let budget = budget.min(CONTEXT_LIMIT.saturating_sub(used) / BYTES_PER_TOKEN);
        let directory = self.working_directory(event);
        let mut kept = Vec::new();
        for item in items {
            let belongs_elsewhere =
                item.found().is_some_and(|found| !self.applies(event, &found.memory));
            let is_shown = item.memory_id().is_some_and(|id| {
                decision.injections.iter().any(|injection| injection.memory == Some(id))
            });
            let objection = item.found().and_then(|found| self.objection(&found.memory));
            let is_unused = item.found().is_some_and(|found| self.is_unused(event, &found.memory));
            let why = match (item, objection) {
                _ if is_unused => "shown often and never used",
                _ if belongs_elsewhere => "belongs to other work",
                _ if is_shown => "shown at this event already",
                (_, Some(objection)) => objection,
                (item, _) if item.is_loaded_by(client, self.root, &directory) => {
                    "the client loads its file"
                }
                (item, None) => {
                    kept.push(item);
                    continue;
                }
            };
            decision.trace.push(format!("cut {}: {why}", item.name()));
        }
        let mut conflicts = self.conflicts_of(&kept);
        conflicts.retain(|(_, item)| !item.is_loaded_by(client, self.root, &directory));
        // What is shown after a compaction belongs to the new context, which has seen nothing.
        let compacted = decision.changes.contains(&SessionChange::Compacted);
        let seen = match conflicts.is_empty() || compacted {
            true => Vec::new(),
            false => self.seen(event).unwrap_or_default(),
        };
        let (items, provenance) = arrange(&kept, &conflicts, &seen);
        let notes: Vec<_> =
            items.iter().zip(&provenance).map(|(item, parts)| item.note(parts)).collect();
        let Some(rendered) = render_notes(heading, &notes, budget) else {
            if !items.is_empty() {
                decision.trace.push(format!("nothing fits into {budget} tokens"));
            }
            return;
        };
        for (at, tokens) in &rendered.shown {
            let item = items[*at];
            decision.trace.push(format!("shown {}: {}", item.name(), item.why));
            decision.injections.push(Injection {
                session: event.session.clone(),
                agent: event.agent.as_ref().map(|agent| agent.id.clone()),
                context: self.context_number() + u32::from(compacted),
                at: self.now,
                layer: event.name().to_string(),
                event: self.event_id.clone(),
                memory: item.memory_id(),
                text: item.headline(),
                tokens: u32::try_from(*tokens).unwrap_or(u32::MAX),
                why: item.why.clone(),
                withheld: self.held_out,
                fate: None,
            });
        }
        for (at, item) in items.iter().enumerate() {
            if rendered.shown.iter().all(|(shown, _)| *shown != at) {
                decision.trace.push(format!("cut {}: beyond {budget} tokens", item.name()));
            }
        }
        if self.held_out {
            decision.trace.push("withheld: this session is held out".to_owned());
            return;
        }
        let context = decision.reply.context.get_or_insert_default();
        if !context.is_empty() {
            context.push('\n');
        }
        context.push_str(&rendered.text);
    }
}

/// Converts a path, seen from a directory, to one relative to the root of the worktree; `None` if it
/// is outside the project.
fn repo_path(root: &Path, directory: Option<&Path>, file: &str) -> Option<RepoPath> {
    let inside = path_in_project(root, directory.unwrap_or(root), file)?;
    RepoPath::new(inside.to_str()?.replace('\\', "/")).ok()
}

/// Puts memories that conflict with an item after it, unless they are shown or were seen anyway.
/// Returns the items with their provenance, which names the conflicts.
pub(crate) fn arrange<'i>(
    items: &[&'i InjectionItem],
    conflicts: &'i [(MemoryId, InjectionItem)],
    seen: &[MemoryId],
) -> (Vec<&'i InjectionItem>, Vec<Vec<String>>) {
    let mut arranged: Vec<&InjectionItem> = Vec::new();
    for item in items {
        arranged.push(item);
        for (_, other) in conflicts.iter().filter(|(id, _)| item.memory_id() == Some(*id)) {
            let is_known = |one: &&InjectionItem| one.memory_id() == other.memory_id();
            let was_seen = other.memory_id().is_some_and(|id| seen.contains(&id));
            if !was_seen && !arranged.iter().any(is_known) && !items.iter().any(is_known) {
                arranged.push(other);
            }
        }
    }
    let provenance = arranged.iter().map(|item| {
        let mut parts = item.provenance();
        for (id, other) in conflicts {
            let opponent = match item.memory_id() {
                own if own == Some(*id) => other.memory_id(),
                own if own == other.memory_id() => Some(*id),
                _ => None,
            };
            let part = opponent.map(|opponent| format!("conflicts with {}", opponent.short()));
            parts.extend(part.filter(|part| !parts.contains(part)).into_iter().collect::<Vec<_>>());
        }
        parts
    });
    let provenance = provenance.collect();
    (arranged, provenance)
}
