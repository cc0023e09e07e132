//! What is put before an agent, and when: at the start of a session, with a prompt, before a
//! command, after a file was read, when something failed, and at the end.
//!
//! A layer takes an event and an open engine and says what to show; it does not read or write
//! standard streams, and it does not write to the store. What it decided, and why, is in
//! [`Decision`], for whoever asks later.

mod command;
mod end;
mod failure;
mod file;
mod guard;
mod item;
mod prompt;
mod start;

use std::path::Path;
use std::time::Duration;

use tacit_core::log::NoteRecord;
use tacit_core::{AgentEvent, EventKind, MemoryId, RepoPath, Timestamp, UniversalPhase};
use tacit_engine::{Engine, EngineResult};
use tacit_store::{Injection, InjectionQuery, Note, Session, SessionChange};
use tacit_work::Work;
use tacit_work::scope::Position;

use crate::inside;
pub use guard::changed_files;
pub use item::Item;
pub use start::hot_topics;
use tacit_agents::Reply;
use tacit_agents::render_notes;

/// How many injections of a session are looked through.
const REMEMBERED: usize = 500;

/// How much is shown, and what is allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// About how many tokens the start of a session may take.
    pub session_tokens: usize,
    /// The same for a prompt.
    pub prompt_tokens: usize,
    /// The same for an event of a tool.
    pub tool_tokens: usize,
    /// Whether the user may be asked before a command that is known to be dangerous.
    pub guard: bool,
    /// What the agent is told about storing what it learns: `ask-first`, `silent` or `off`.
    pub capture_mode: String,
    /// How much it may store without asking.
    pub silent_budget: u64,
    /// The phase of work.
    pub phase: Option<UniversalPhase>,
    /// How long to wait for a server that embeds a question.
    pub patience: Option<Duration>,
}

/// Everything a layer can look at.
pub struct Desk<'d, 'e> {
    /// The open stores.
    pub engine: &'d Engine<'e>,
    /// How much is shown.
    pub settings: &'d Settings,
    /// The session as it was before this event.
    pub session: Option<Session>,
    /// The identifier of the event.
    pub event_id: String,
    /// The present moment.
    pub now: Timestamp,
    /// The root of the worktree, which paths are relative to.
    pub root: &'d Path,
    /// The branch that is checked out.
    pub branch: Option<String>,
    /// What is being worked on.
    pub work: Work,
    /// Why a command is worth a look, if it is.
    pub hot: Option<String>,
    /// Lines that offer entries of the trigger index.
    pub offers: Vec<String>,
    /// A line of the files that a prompt is surely about.
    pub likely: Option<String>,
    /// What the agent should do before it stops.
    pub wanted: Wanted,
}

/// What an agent should do before it stops.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Nothing.
    #[default]
    Nothing,
    /// To write down what it learnt, if anything: nobody knows what the session was about.
    Anything,
    /// This, because of what was said since it was last asked.
    This(String),
}

/// What a layer decided.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// What the client is answered.
    pub reply: Reply,
    /// What the agent is shown, to be recorded.
    pub injections: Vec<Injection>,
    /// What is noted.
    pub notes: Vec<Note>,
    /// What becomes of the session.
    pub changes: Vec<SessionChange>,
    /// What was considered, what was cut and why, a line each.
    pub trace: Vec<String>,
}

/// Decides what to do about an event.
pub fn decide(desk: &Desk<'_, '_>, event: &AgentEvent) -> EngineResult<Decision> {
    let mut decision = Decision::default();
    match &event.kind {
        EventKind::SessionStarted { source, .. } => {
            decision.notes.push(file::place(desk, event));
            start::session(desk, event, *source, &mut decision)?;
        }
        EventKind::SubagentStarted => start::subagent(desk, event, &mut decision)?,
        EventKind::PromptSubmitted { prompt, automatic: false, planning } => {
            prompt::prompt(desk, event, prompt, *planning, &mut decision)?;
        }
        EventKind::ToolStarting { tool } => command::before(desk, event, tool, &mut decision)?,
        EventKind::ToolFinished { tool, outcome, .. } => {
            file::after(desk, event, tool, outcome, &mut decision)?;
        }
        EventKind::ToolFailed { tool, failure, .. } => {
            failure::failed(desk, event, tool, failure, &mut decision)?;
        }
        EventKind::BatchFinished { calls } => failure::batch(desk, event, calls, &mut decision)?,
        EventKind::TurnStopped { stop_hook_active, .. } => {
            end::turn(desk, *stop_hook_active, &mut decision);
        }
        EventKind::Compacted { .. } => start::compacted(desk, event, &mut decision)?,
        EventKind::SessionEnded { reason } => {
            decision.notes.push(file::place(desk, event));
            let reason = reason.clone().unwrap_or_else(|| "other".into());
            decision.changes.push(SessionChange::Ended(reason));
        }
        EventKind::PromptSubmitted { .. }
        | EventKind::SubagentStopped { .. }
        | EventKind::Compacting { .. } => {}
    }
    Ok(decision)
}

/// Whether a layer may have anything to do about an event; about the others, that they happened is
/// all there is to know. Says nothing about commands, which are looked up among the hot topics.
pub fn concerns(event: &AgentEvent) -> bool {
    match &event.kind {
        EventKind::ToolFinished { tool, outcome, .. } => file::concerns(tool, outcome),
        EventKind::BatchFinished { calls } => failure::concerns(calls),
        EventKind::PromptSubmitted { automatic, .. } => !automatic,
        EventKind::SubagentStopped { .. } | EventKind::Compacting { .. } => false,
        _ => true,
    }
}

impl Desk<'_, '_> {
    /// The session and the unit of work of an event.
    fn position<'p>(&'p self, event: &'p AgentEvent) -> Position<'p> {
        self.work.position(Some(&event.session))
    }

    /// How often the session's context has been summarised before this event.
    fn context(&self) -> u32 {
        self.session.as_ref().map_or(0, |session| session.context)
    }

    /// What this conversation was shown since its context was last summarised.
    fn shown(&self, event: &AgentEvent) -> EngineResult<Vec<Injection>> {
        let query = InjectionQuery {
            session: Some(event.session.clone()),
            context: Some(self.context()),
            limit: REMEMBERED,
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

    /// Whether a note is of something that this conversation did itself and still knows of.
    fn did_itself(&self, event: &AgentEvent, note: &Note) -> bool {
        let agent = event.agent.as_ref().map(|agent| agent.id.as_str());
        match &note.record {
            NoteRecord::Inferred(inferred) => {
                inferred.agent.as_deref() == agent && inferred.context == self.context()
            }
            _ => false,
        }
    }

    /// Offers that were not made yet since the context was last summarised.
    fn new_offers(&self, event: &AgentEvent) -> EngineResult<Vec<Item>> {
        self.not_shown(event, self.offers.iter().map(|offer| Item::offer(offer)).collect())
    }

    /// The files that a prompt is surely about, unless just these were told.
    fn new_likely(&self, event: &AgentEvent) -> EngineResult<Vec<Item>> {
        self.not_shown(event, self.likely.iter().map(|line| Item::files(line)).collect())
    }

    fn not_shown(&self, event: &AgentEvent, mut items: Vec<Item>) -> EngineResult<Vec<Item>> {
        if !items.is_empty() {
            let shown = self.shown(event)?;
            items.retain(|item| shown.iter().all(|injection| injection.text != item.headline()));
        }
        Ok(items)
    }

    /// A file as memories name it; none if it is outside the project.
    fn repo_path(&self, event: &AgentEvent, file: &str) -> Option<RepoPath> {
        let inside = inside(self.root, event.cwd.as_deref().unwrap_or(self.root), file)?;
        RepoPath::new(inside.to_str()?.replace('\\', "/")).ok()
    }

    /// Shows items, as many whole ones as fit, and notes that they were shown.
    fn show(
        &self,
        event: &AgentEvent,
        heading: &str,
        items: &[Item],
        budget: usize,
        decision: &mut Decision,
    ) {
        let provenance: Vec<Vec<String>> = items.iter().map(Item::provenance).collect();
        let notes: Vec<_> =
            items.iter().zip(&provenance).map(|(item, parts)| item.note(parts)).collect();
        let Some(rendered) = render_notes(heading, &notes, budget) else {
            if !items.is_empty() {
                decision.trace.push(format!("nothing fits into {budget} tokens"));
            }
            return;
        };
        // What is shown after the context was lost belongs to the new one.
        let lost = decision.changes.contains(&SessionChange::Compacted);
        for (at, tokens) in &rendered.shown {
            let item = &items[*at];
            decision.trace.push(format!("shown {}: {}", item.name(), item.why));
            decision.injections.push(Injection {
                session: event.session.clone(),
                agent: event.agent.as_ref().map(|agent| agent.id.clone()),
                context: self.context() + u32::from(lost),
                at: self.now,
                layer: event.name().to_string(),
                event: self.event_id.clone(),
                memory: item.memory_id(),
                text: item.headline(),
                tokens: u32::try_from(*tokens).unwrap_or(u32::MAX),
                why: item.why.clone(),
            });
        }
        for (at, item) in items.iter().enumerate() {
            if rendered.shown.iter().all(|(shown, _)| *shown != at) {
                decision.trace.push(format!("cut {}: beyond {budget} tokens", item.name()));
            }
        }
        let context = decision.reply.context.get_or_insert_default();
        if !context.is_empty() {
            context.push('\n');
        }
        context.push_str(&rendered.text);
    }
}
