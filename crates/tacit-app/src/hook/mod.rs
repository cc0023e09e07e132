//! One event of an agent client: what is done about it, in the order in which it costs least.
//!
//! This is on the way of every prompt and every tool, so that nothing is opened that is not needed,
//! and it is never an obstacle: whatever goes wrong ends with no answer and a line in the log.

mod commit;
mod deadline;
mod edge;
mod guard;
mod likely;
pub(crate) mod log;
mod offers;
mod record;
mod switch;
mod triage;

use std::cell::OnceCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tacit_agents::Reply;
use tacit_core::{
    AgentEvent, Author, Config, EventKind, EventName, FailureCause, MemoryId, Problem, Timestamp,
    visible,
};
use tacit_engine::{CaptureState, Engine, RecallRequest, StoreAccess, WorkContext, redact_note};
use tacit_fs::failpoint;
use tacit_models::Choice;
use tacit_records::files::Folder;
use tacit_store::{ActivityBatch, SessionChange, SessionUpdate};
use tacit_work::Work;

use crate::app::{Haste, ahead, embedder, load_config, take_inbox, with_meaning};
use crate::environment::Environment;
use crate::error::{AppError, AppResult};
use crate::inject::{Decision, Desk, Settings, Wanted, concerns, decide, hot_topics};
use crate::panics;
use crate::project::Project;
use crate::question::question;
use crate::records::NotesFile;
use crate::topics::{self, Topics};
use deadline::Deadline;

/// Time a hook waits for the lock of a store, at most: the agent waits for the hook.
const PATIENCE: Duration = Duration::from_millis(300);
/// Time a hook waits for a server on this machine that embeds the query.
const SERVER_PATIENCE: Duration = Duration::from_millis(150);

/// The end of an event.
#[derive(Debug, Default)]
pub struct Handled {
    /// The answer to the client.
    pub reply: Reply,
    /// The directory whose long work is started once the client has its answer.
    pub leaves: Option<PathBuf>,
}

/// Answers an event, with everything recorded.
pub fn handle(environment: &Environment, mut event: AgentEvent, debug: bool) -> Handled {
    edge::enter(&mut event);
    let Some(place) = project_of(environment, event.cwd.as_deref(), debug) else {
        if debug {
            say("there is no memory here; `tacit init` makes one");
        }
        return Handled { leaves: old_store(environment, &event), ..Handled::default() };
    };
    match switch::turn(&event, &place.places) {
        switch::Turned::No => {}
        switch::Turned::Here(notice) => {
            let reply = Reply { notice: Some(notice), ..Reply::default() };
            return Handled { reply, leaves: None };
        }
        switch::Turned::Off => {
            if debug {
                say("the session is switched off; `/memory on` switches it on");
            }
            return Handled::default();
        }
        switch::Turned::Failed(problem) => {
            complain(environment, &place, debug, &problem);
            return Handled::default();
        }
    }
    let now = environment.clock.now();
    let id = environment.ids.next_id(now);
    let mut hook = Hook { environment, place, event, debug, now, id, config: OnceCell::new() };
    let answered = panics::caught(|| {
        let reply = hook.answer()?;
        Ok(Handled { reply, leaves: hook.leaves() })
    });
    // A thread that nothing waited for may have failed, too.
    if let Some(fault) = panics::untold() {
        complain(environment, &hook.place, debug, &fault.to_string());
    }
    answered.unwrap_or_else(|fault| Err(fault.into())).unwrap_or_else(|error: AppError| {
        let problem = format!("{}: {}", hook.event.name(), error.message);
        complain(environment, &hook.place, debug, &problem);
        Handled::default()
    })
}

/// Notes that a payload could not be read, in the project it came from as far as that can be told.
pub fn misunderstood(environment: &Environment, debug: bool, problem: &str) {
    match project_of(environment, None, debug) {
        Some(place) => complain(environment, &place, debug, problem),
        None if debug => say(problem),
        None => {}
    }
}

/// Prints a line for whoever debugs.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "tacit hook: {}", visible(line));
}

/// An event with where and when it happened.
struct Hook<'e> {
    environment: &'e Environment,
    place: Project,
    event: AgentEvent,
    debug: bool,
    now: Timestamp,
    id: MemoryId,
    config: OnceCell<Config>,
}

impl Hook<'_> {
    fn answer(&mut self) -> AppResult<Reply> {
        // First of all: a guard goes by the path as it is.
        let denial = guard::denial(&self.event, &self.place.worktree);
        let denial = denial.filter(|_| self.config().records.guard);
        if denial.is_none() && self.is_told_again() {
            return Ok(Reply::default());
        }
        edge::clean(&mut self.event);
        self.mark_if_paused();
        let kept = self.kept();
        if denial.is_some() {
            self.keep_for_later(&kept);
            return Ok(Reply { deny: denial, ..Reply::default() });
        }
        let Some(occasion) = self.occasion() else {
            self.keep_for_later(&kept);
            return Ok(Reply::default());
        };
        let deadline = Deadline::start(self, &kept);
        let answered = self.consult(&kept, occasion, &deadline);
        deadline.stop();
        if answered.is_err() {
            self.keep_for_later(&kept);
        }
        answered
    }

    /// Returns true if a file is about to be changed: what came of it is told when it is done.
    fn is_told_again(&self) -> bool {
        matches!(&self.event.kind, EventKind::ToolStarting { tool } if tool.kind.changes_files())
    }

    /// Marks a session in which capture is paused as captured in part, so that its transcript is not
    /// read later.
    fn mark_if_paused(&self) {
        let switch = self.place.places.capture_switch(&self.event.session);
        if self.config().capture_paused
            && switch.state() == CaptureState::On
            && let Err(error) = switch.turn_on()
        {
            self.log(&error.to_string());
        }
    }

    /// Builds the record of the event that is kept even if everything after it fails.
    fn kept(&self) -> ActivityBatch {
        let sessions = vec![self.update(SessionChange::Seen)];
        if self.config().capture_paused {
            return ActivityBatch { sessions, ..ActivityBatch::default() };
        }
        let event = record::event(&self.id.to_string(), self.now, &self.event, &self.place);
        let lost = |problem: &Problem| self.log(&format!("an event is lost: it {problem}"));
        let events = event.inspect_err(lost).into_iter().collect();
        ActivityBatch { sessions, events, ..ActivityBatch::default() }
    }

    /// The occasion to consult the memory: none for most events, of which it is enough to know that
    /// they happened.
    fn occasion(&self) -> Option<Occasion> {
        let file = self.topics_file();
        match &self.event.kind {
            EventKind::ToolStarting { tool } => {
                let topics = Topics::read(&file);
                let found = topics::matches(tool.kind.command()?, &topics);
                let found = found.map(|found| format!("{} ({:?})", found.pattern, found.source));
                self.explain(|| format!("hot topic: {}", found.as_deref().unwrap_or("none")));
                found.map(Occasion::HotTopic)
            }
            EventKind::ToolFailed { tool, failure, .. } if failure.cause == FailureCause::Ran => {
                let command = tool.kind.command().filter(|_| !self.config().capture_paused);
                if let Some(command) = command {
                    let promoted = topics::promote(&file, command);
                    self.explain(|| format!("promotion of the command: {promoted:?}"));
                }
                Some(Occasion::Event)
            }
            _ => concerns(&self.event).then_some(Occasion::Event),
        }
    }

    /// Opens the store, decides what the agent is shown, and records both.
    fn consult(
        &self,
        kept: &ActivityBatch,
        occasion: Occasion,
        deadline: &Deadline,
    ) -> AppResult<Reply> {
        // Before the store is opened: what takes longest begins first.
        let embedder = self.embedder();
        let mut brief = self.config().clone();
        brief.busy_timeout_ms = brief.busy_timeout_ms.min(PATIENCE.as_millis() as u64);
        let (clock, ids) = (self.environment.clock.as_ref(), self.environment.ids.as_ref());
        let (places, actor) = (self.place.places.clone(), Author::new("hook")?);
        let engine = Engine::open(places, brief, StoreAccess::Session, clock, ids, actor)?;
        let mut engine = with_meaning(engine, embedder);
        take_inbox(&mut engine, &self.place.worktree, Haste::Hook);
        // What happened meanwhile may be what this event calls for.
        let settled = match self.event.name() {
            EventName::ToolFinished | EventName::ToolFailed => engine.flush_events(),
            _ => Ok(()),
        };
        failpoint::reach("hook", "decide");
        let decision = self.decide(&engine, occasion)?;
        for line in &decision.trace {
            self.explain(|| line.clone());
        }
        let (reply, record) = (decision.reply.clone(), self.recorded(kept, decision));
        // Whoever was kept from writing once does not wait again.
        let written = settled.and_then(|()| engine.record(record.clone()));
        deadline.stop();
        if let Err(error) = written {
            self.keep_for_later(&record);
            self.log(&error.to_string());
        }
        Ok(reply)
    }

    fn decide(&self, engine: &Engine<'_>, occasion: Occasion) -> AppResult<Decision> {
        let config = self.config();
        let branch = self.place.repository.as_ref().and_then(|repository| repository.branch());
        let branch = branch.map(|name| tacit_redact::identifier(&name).into_owned());
        let work = self.work(engine, branch.as_deref())?;
        let settings = Settings { phase: work.phase(), ..settings(config) };
        let desk = Desk {
            engine,
            settings: &settings,
            work,
            session: engine.session(&self.event.session)?,
            event_id: self.id.to_string(),
            now: self.now,
            root: &self.place.worktree,
            branch,
            hot: occasion.hot_topic(),
            offers: offers::lines(&self.event, config, &self.place.worktree),
            likely: likely::line(&self.event, config, &self.place),
            wanted: self.wanted(),
        };
        let decision = decide(&desk, &self.event)?;
        if let EventKind::SessionStarted { .. } = &self.event.kind {
            // What is not written now is as it was in the last session.
            let written = hot_topics(&desk)
                .map_err(|error| error.to_string())
                .and_then(|topics| topics.write(&self.topics_file()).map_err(|e| e.to_string()));
            if let Err(error) = written {
                self.log(&format!("hot topics: {error}"));
            }
        }
        Ok(decision)
    }

    /// Builds the record of the event together with the memories that the agent was shown.
    fn recorded(&self, kept: &ActivityBatch, decision: Decision) -> ActivityBatch {
        let Decision { mut injections, notes, changes, .. } = decision;
        let paused = self.config().capture_paused;
        if paused {
            // Shown once is enough even then, but not what made it be shown.
            injections.iter_mut().for_each(|shown| shown.why.clear());
        }
        let mut record = ActivityBatch { injections, ..kept.clone() };
        for note in notes.into_iter().filter(|_| !paused) {
            match redact_note(commit::with_files(note, &self.event, &self.place.worktree)) {
                Ok(note) => record.notes.push(note),
                Err(error) => self.log(&format!("a note is lost: {error}")),
            }
        }
        if !changes.is_empty() {
            record.sessions = changes.into_iter().map(|change| self.update(change)).collect();
        }
        record
    }

    /// Looks up the current unit of work, for events where it decides which memories are shown.
    fn work(&self, engine: &Engine<'_>, branch: Option<&str>) -> AppResult<Work> {
        let asked = matches!(
            self.event.name(),
            EventName::SessionStarted | EventName::SubagentStarted | EventName::PromptSubmitted
        );
        if !asked {
            return Ok(Work::default());
        }
        Ok(engine.work(&WorkContext {
            session: Some(self.event.session.clone()),
            branch: branch.map(str::to_owned),
            worktree: self.place.worktree.clone(),
        })?)
    }

    /// Returns the request to make of the agent before it stops. There is none if part of the
    /// session must not be kept, because the transcript has that part too.
    fn wanted(&self) -> Wanted {
        let config = self.config();
        let whole =
            self.place.places.capture_switch(&self.event.session).state() == CaptureState::On;
        if config.capture_paused || !whole {
            return Wanted::Nothing;
        }
        triage::wanted(&self.event, config, self.environment, &self.place.worktree)
    }

    /// Chooses the embedder for the user's prompt, if one runs on this machine.
    fn embedder(&self) -> Option<Choice> {
        let EventKind::PromptSubmitted { prompt, automatic: false, .. } = &self.event.kind else {
            return None;
        };
        let asked = RecallRequest::proactive(question(prompt).query()?, 1);
        let choice = embedder(self.config(), self.environment, Haste::Hook)?;
        Some(ahead(choice, &self.place.places, &asked))
    }

    /// The directory whose long work is due: at the end of a session, and where files of records
    /// came, changed or went since they were last looked at.
    fn leaves(&self) -> Option<PathBuf> {
        let ends = matches!(self.event.kind, EventKind::SessionEnded { .. });
        let due = (ends || self.records_changed()) && self.config().maintain_auto;
        due.then(|| self.place.worktree.clone())
    }

    /// Returns true if records were pulled or edited. Only their names and times are compared.
    fn records_changed(&self) -> bool {
        let asked = [EventName::SessionStarted, EventName::PromptSubmitted];
        let folder = Folder::at(&self.place.worktree);
        let notes = NotesFile::of(&self.place.places.project, &self.place.worktree);
        asked.contains(&self.event.name())
            && folder.root().exists()
            && !notes.is_followed(&folder).unwrap_or(true)
    }

    fn update(&self, change: SessionChange) -> SessionUpdate {
        let AgentEvent { session, client, .. } = &self.event;
        SessionUpdate { id: session.clone(), client: client.to_string(), at: self.now, change }
    }

    /// Puts what happened where the next event finds it: opening the store for it alone would cost
    /// more than the rest.
    fn keep_for_later(&self, record: &ActivityBatch) {
        if self.config().capture_paused {
            return;
        }
        if let Err(error) = self.place.places.spool_batch(&self.id, record) {
            self.log(&format!("an event is lost: {error}"));
        }
    }

    fn topics_file(&self) -> PathBuf {
        self.place.places.project.join("hot-topics.json")
    }

    /// The configuration; the defaults where it is broken, which is not for a hook to tell.
    fn config(&self) -> &Config {
        self.config.get_or_init(|| match load_config(self.environment, &self.place.places) {
            Ok(loaded) => loaded.config,
            Err(AppError { message, .. }) => {
                self.log(&message);
                // The user may have paused capture in the file that cannot be read.
                Config { capture_paused: true, ..Config::default() }
            }
        })
    }

    fn explain(&self, line: impl FnOnce() -> String) {
        if self.debug {
            say(&line());
        }
    }

    fn log(&self, problem: &str) {
        log::write(&self.place.places.project, self.environment.clock.as_ref(), problem);
    }
}

/// The reason to consult the memory.
enum Occasion {
    /// The event itself.
    Event,
    /// A command for which it always is, with the reason.
    HotTopic(String),
}

impl Occasion {
    fn hot_topic(self) -> Option<String> {
        match self {
            Occasion::Event => None,
            Occasion::HotTopic(why) => Some(why),
        }
    }
}

fn settings(config: &Config) -> Settings {
    Settings {
        session_tokens: config.hooks_session_tokens as usize,
        prompt_tokens: config.hooks_prompt_tokens as usize,
        tool_tokens: config.hooks_tool_tokens as usize,
        guard: config.hooks_guard,
        capture_mode: config.capture_mode.clone(),
        silent_budget: config.capture_silent_budget,
        phase: None,
        patience: Some(SERVER_PATIENCE),
    }
}

/// The project with a memory that the agent is in or, if it went elsewhere, the one it was started
/// for.
fn project_of(environment: &Environment, cwd: Option<&Path>, debug: bool) -> Option<Project> {
    let started = environment.agent_project.as_deref();
    let here = environment.directory.as_deref().ok();
    [cwd, started, here].into_iter().flatten().find_map(|path| {
        let directory = path.canonicalize().ok()?;
        let project = Project::at(&directory, &environment.data_home);
        if let Some(obstacle) = project.obstacle.as_ref().filter(|_| debug) {
            say(&AppError::from(obstacle).message);
        }
        (project.obstacle.is_none() && project.has_store()).then_some(project)
    })
}

/// The directory of a session that starts beside a store that an earlier version left in the
/// worktree. It is moved in the background: git has to be asked whether it may be somebody else's,
/// for which a hook has no time.
fn old_store(environment: &Environment, event: &AgentEvent) -> Option<PathBuf> {
    if event.name() != EventName::SessionStarted {
        return None;
    }
    let directory = event.cwd.as_deref()?.canonicalize().ok()?;
    let project = Project::at(&directory, &environment.data_home);
    let auto = || {
        let loaded = load_config(environment, &project.places);
        loaded.is_ok_and(|loaded| loaded.config.maintain_auto)
    };
    (project.obstacle.is_none() && project.has_old_store() && auto()).then_some(directory)
}

/// Notes what went wrong where nobody is disturbed by it.
fn complain(environment: &Environment, place: &Project, debug: bool, problem: &str) {
    if debug {
        say(problem);
    }
    log::write(&place.places.project, environment.clock.as_ref(), problem);
}
