//! Handles one event of an agent client, cheapest steps first.
//!
//! A hook runs for every prompt and tool call, so it opens nothing that it does not need. A failure
//! never stops the agent: it ends without a reply and with a line in the log.

mod checks;
mod commit;
mod deadline;
mod edge;
mod exit_code;
mod guard;
mod held_out;
mod likely;
pub(crate) mod log;
mod offers;
pub(crate) mod past;
mod record;
mod switch;
mod team;
mod triage;
mod upkeep;

use std::cell::{Cell, OnceCell};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tacit_agents::install::{MemoryTools, memory_tools};
use tacit_agents::{Client, ClientFolders, Reply, ReplyPart};
use tacit_core::log::ClientProcess;
use tacit_core::{
    AgentEvent, Author, ClientName, Config, EventKind, EventName, FailureCause, MemoryId, Problem,
    StartSource, Timestamp, visible,
};
use tacit_engine::{
    CaptureState, Engine, RecallRequest, StoreAccess, StorePaths, WorkContext, redact_note,
};
use tacit_fs::{ProcessIdentity, failpoint};
use tacit_models::EmbedderChoice;
use tacit_store::{ActivityBatch, SessionChange, SessionUpdate, TeamServer};
use tacit_work::CurrentWork;

use crate::app::{Caller, attach_embedder, embedder, load_config, start_embedding, take_inbox};
use crate::environment::Environment;
use crate::error::{AppError, AppResult};
use crate::inject::{
    FilePresence, HookContext, HookDecision, InjectionSettings, Occasion, StopRequest, decide,
    hot_topics, is_stop_request, may_act_on,
};
use crate::panics;
use crate::project::Project;
use crate::prompt_query::parse_prompt;
use crate::review::due_reminder;
use crate::team::team_server;
use crate::topics::{self, HotTopics, TopicSource};
use deadline::HookDeadline;

/// The time a hook waits for the lock of a store: the agent waits for the hook.
const LOCK_TIMEOUT: Duration = Duration::from_millis(300);
/// The time a hook waits for a local server to embed the query.
const EMBEDDING_TIMEOUT: Duration = Duration::from_millis(150);

/// The result of handling an event.
#[derive(Debug, Default)]
pub struct HookOutcome {
    /// The reply to the client.
    pub reply: Reply,
    /// The directory to run `tacit maintain` in, once the client has its reply.
    pub maintain_in: Option<PathBuf>,
}

/// Handles an event: records it and decides on the reply.
pub fn handle(environment: &Environment, mut event: AgentEvent, debug: bool) -> HookOutcome {
    edge::enter(&mut event);
    mark_own_request(&mut event);
    let Some(project) = project_of(environment, event.cwd.as_deref(), debug) else {
        if debug {
            debug_line("there is no store here; `tacit init` creates one");
        }
        return HookOutcome {
            maintain_in: old_store(environment, &event),
            ..HookOutcome::default()
        };
    };
    match switch::turn(&event, &project.places) {
        switch::SwitchEffect::On => {}
        switch::SwitchEffect::Turned(notice) => {
            let reply = Reply { notice: Some(notice), ..Reply::default() };
            return HookOutcome { reply, maintain_in: None };
        }
        switch::SwitchEffect::Off => {
            if debug {
                debug_line("Tacit is off in this session; `/memory on` turns it on");
            }
            return HookOutcome::default();
        }
        switch::SwitchEffect::Failed(problem) => {
            report_problem(environment, &project, debug, &problem);
            return HookOutcome::default();
        }
    }
    exit_code::complete(&mut event);
    let now = environment.clock.now();
    let id = environment.ids.next_id(now);
    let mut hook = Hook {
        environment,
        project,
        event,
        debug,
        now,
        id,
        config: OnceCell::new(),
        group: Cell::default(),
        work_is_left: Cell::default(),
        events_are_left: Cell::default(),
        many_sessions: Cell::default(),
        team_is_behind: Cell::default(),
    };
    let replied = panics::catch(|| {
        let reply = hook.reply()?;
        Ok(HookOutcome { reply, maintain_in: hook.maintain_in() })
    });
    // A detached thread may have panicked, too.
    if let Some(fault) = panics::take_unreported() {
        report_problem(environment, &hook.project, debug, &fault.to_string());
    }
    replied.unwrap_or_else(|fault| Err(fault.into())).unwrap_or_else(|error: AppError| {
        let problem = format!("{}: {}", hook.event.name(), error.message);
        report_problem(environment, &hook.project, debug, &problem);
        HookOutcome::default()
    })
}

/// Marks a prompt that is our own request at the end of a turn: some clients submit it as a prompt.
fn mark_own_request(event: &mut AgentEvent) {
    if let EventKind::PromptSubmitted { prompt, automatic, .. } = &mut event.kind {
        *automatic |= is_stop_request(prompt);
    }
}

/// Logs a payload that could not be read, in the project it came from if that can be found.
pub fn log_invalid_payload(environment: &Environment, debug: bool, problem: &str) {
    match project_of(environment, None, debug) {
        Some(project) => report_problem(environment, &project, debug, problem),
        None if debug => debug_line(problem),
        None => {}
    }
}

/// Prints a debug line to standard error.
pub fn debug_line(line: &str) {
    let _ = writeln!(std::io::stderr(), "tacit hook: {}", visible(line));
}

/// An event being handled, with its project and time.
struct Hook<'e> {
    environment: &'e Environment,
    project: Project,
    event: AgentEvent,
    debug: bool,
    now: Timestamp,
    id: MemoryId,
    config: OnceCell<Config>,
    /// The group of the session, once it was looked up (see `Session::held_out`).
    group: Cell<Option<Option<bool>>>,
    /// True if `tacit maintain` has to read how earlier sessions ended.
    work_is_left: Cell<bool>,
    /// True if more events wait beside the store than a hook writes.
    events_are_left: Cell<bool>,
    /// True if maintenance is due because of the number of sessions.
    many_sessions: Cell<bool>,
    /// True if `tacit maintain` has to bring the copy of a team's memories up to date.
    team_is_behind: Cell<bool>,
}

impl Hook<'_> {
    fn reply(&mut self) -> AppResult<Reply> {
        // The guard comes first, because it needs the original paths.
        let denial = guard::denial(&self.event, &self.project.worktree);
        let denial = denial.filter(|_| self.config().records.guard);
        if denial.is_none() && is_reported_elsewhere(&self.event, &self.project.worktree) {
            return Ok(Reply::default());
        }
        edge::clean(&mut self.event);
        self.mark_if_paused();
        let record = self.event_record();
        if denial.is_some() {
            self.save_for_later(&record);
            return Ok(Reply { deny: denial, ..Reply::default() });
        }
        let Some(occasion) = self.occasion() else {
            self.save_for_later(&record);
            return Ok(Reply::default());
        };
        let deadline = HookDeadline::start(self, &record);
        let mut replied = self.consult(&record, occasion, &deadline);
        deadline.stop();
        match &mut replied {
            Ok(reply) => self.remind_of_review(reply),
            Err(_) => self.save_for_later(&record),
        }
        replied
    }

    /// Adds to the start of a session how many memories wait for review: for the user alone if the
    /// client can show that, otherwise as context.
    fn remind_of_review(&self, reply: &mut Reply) {
        let for_agent = !Client::named(self.event.client).shows_notices();
        if for_agent && self.group() == Some(true) {
            return;
        }
        let starts = [StartSource::Startup, StartSource::Resume];
        let EventKind::SessionStarted { source, .. } = &self.event.kind else { return };
        if !starts.contains(source) || !self.config().review_remind {
            return;
        }
        let Some(line) = due_reminder(&self.project.places.project, self.now) else { return };
        if Client::named(self.event.client).shows_notices() {
            reply.notice = Some(format!("Tacit: {line}"));
            return;
        }
        if !self.takes(ReplyPart::Context) {
            return;
        }
        let context = reply.context.get_or_insert_default();
        let separator = if context.is_empty() { "" } else { "\n" };
        context.push_str(&format!("{separator}For the user: {line}"));
    }

    /// Marks a session in which capture is paused as partly captured, so that its transcript is not
    /// read later.
    fn mark_if_paused(&self) {
        let switch = self.project.places.capture_switch(&self.event.session);
        if self.config().capture_paused
            && switch.state() == CaptureState::On
            && let Err(error) = switch.turn_on()
        {
            self.log(&error.to_string());
        }
    }

    /// Builds the record of the event alone, which is saved even if everything else fails.
    fn event_record(&self) -> ActivityBatch {
        let sessions = vec![self.update(SessionChange::Seen)];
        if self.config().capture_paused {
            return ActivityBatch { sessions, ..ActivityBatch::default() };
        }
        let event = record::event(&self.id.to_string(), self.now, &self.event, &self.project);
        let lost = |problem: &Problem| self.log(&format!("event lost: it {problem}"));
        let events = event.inspect_err(lost).into_iter().collect();
        ActivityBatch { sessions, events, ..ActivityBatch::default() }
    }

    /// Returns the occasion to consult the memory. There is none for most events, which are only
    /// recorded.
    fn occasion(&self) -> Option<Occasion> {
        let file = self.topics_file();
        match &self.event.kind {
            EventKind::ToolStarting { tool, .. } => {
                let topics = HotTopics::read(&file);
                let found = topics::match_command(tool.kind.command()?, &topics);
                let why = found.map(|found| format!("{} ({:?})", found.pattern, found.source));
                self.explain(|| format!("hot topic: {}", why.as_deref().unwrap_or("none")));
                match found?.source {
                    TopicSource::Warning => why.map(Occasion::Danger),
                    _ if !self.takes(ReplyPart::Context) => None,
                    _ => why.map(Occasion::HotTopic),
                }
            }
            EventKind::ToolFailed { tool, failure, .. } if failure.cause == FailureCause::Ran => {
                if let Some(command) = tool.kind.command()
                    && checks::failed(command, &failure.error, false)
                {
                    self.promote(command);
                }
                Some(Occasion::Event)
            }
            EventKind::ToolFinished { tool, outcome, .. } => match tool.kind.command() {
                Some(command) if checks::finished_with_failure(&tool.kind, outcome) => {
                    self.promote(command);
                    Some(Occasion::FailedCheck)
                }
                _ => may_act_on(&self.event, &self.project.worktree).then_some(Occasion::Event),
            },
            _ => may_act_on(&self.event, &self.project.worktree).then_some(Occasion::Event),
        }
    }

    /// Makes a failed command a hot topic of the session.
    fn promote(&self, command: &str) {
        if !self.config().capture_paused {
            let promoted = topics::promote(&self.topics_file(), command);
            self.explain(|| format!("promotion of the command: {promoted:?}"));
        }
    }

    /// Opens the store, decides what the agent is shown, and records both.
    fn consult(
        &self,
        record: &ActivityBatch,
        occasion: Occasion,
        deadline: &HookDeadline,
    ) -> AppResult<Reply> {
        // Embedding takes longest, so it starts before the store is opened.
        let embedder = self.embedder();
        let mut config = self.config().clone();
        config.busy_timeout_ms = config.busy_timeout_ms.min(LOCK_TIMEOUT.as_millis() as u64);
        let (clock, ids) = (self.environment.clock.as_ref(), self.environment.ids.as_ref());
        let places = StorePaths { server: self.server(), ..self.project.places.clone() };
        let actor = Author::new("hook")?;
        let engine = Engine::open(places, config, StoreAccess::Session, clock, ids, actor)?;
        let mut engine = attach_embedder(engine, embedder).in_a_hurry();
        // The server answers while this machine's own work is done.
        let asked = self.ask_team(&engine);
        take_inbox(&mut engine, &self.project.worktree, Caller::Hook);
        // Earlier saved events may be what this event refers to.
        let settled = match self.event.name() {
            EventName::ToolFinished | EventName::ToolFailed => engine.flush_events(),
            EventName::ToolStarting if matches!(occasion, Occasion::Danger(_)) => {
                engine.flush_events()
            }
            EventName::TurnStopped if self.asks_agent() => engine.flush_events(),
            _ => Ok(()),
        };
        self.settle_earlier_work(&mut engine);
        self.count_sessions(&engine);
        self.follow_team(&mut engine, asked);
        failpoint::reach("hook", "decide");
        let decision = self.decide(&engine, occasion)?;
        for line in &decision.trace {
            self.explain(|| line.clone());
        }
        let (reply, full_record) = (decision.reply.clone(), self.full_record(record, decision));
        // After one failed write, do not wait for the lock again.
        let written = settled.and_then(|()| engine.record(full_record.clone()));
        deadline.stop();
        if let Err(error) = written {
            self.save_for_later(&full_record);
            self.log(&error.to_string());
        }
        self.events_are_left.set(!self.project.places.event_spool().is_empty());
        Ok(reply)
    }

    fn decide(&self, engine: &Engine<'_>, occasion: Occasion) -> AppResult<HookDecision> {
        let config = self.config();
        let branch = self.project.repository.as_ref().and_then(|repository| repository.branch());
        let branch = branch.map(|name| tacit_redact::identifier(&name).into_owned());
        let here = WorkContext {
            session: Some(self.event.session.clone()),
            branch,
            worktree: self.project.worktree.clone(),
        };
        let work = self.work(engine, &here)?;
        let phase = work.get().and_then(CurrentWork::phase);
        let settings = InjectionSettings { phase, ..settings(config) };
        let ctx = HookContext {
            engine,
            settings: &settings,
            here,
            client: self.client_process(),
            work,
            session: engine.session(&self.event.session)?,
            event_id: self.id.to_string(),
            now: self.now,
            root: &self.project.worktree,
            attended: self.environment.attended,
            offers: offers::lines(&self.event, &occasion, config, &self.project.worktree),
            occasion,
            likely: likely::line(&self.event, config, &self.project),
            stop_request: self.stop_request(engine)?,
            memory_tools: self.memory_tools(),
            files: FilePresence::default(),
            held_out: self.look_up_group(engine)?,
        };
        let decision = decide(&ctx, &self.event)?;
        if let EventKind::SessionStarted { .. } = &self.event.kind {
            // If this fails, the topics of the last session stay.
            let written = hot_topics(&ctx)
                .map_err(|error| error.to_string())
                .and_then(|topics| topics.write(&self.topics_file()).map_err(|e| e.to_string()));
            if let Err(error) = written {
                self.log(&format!("hot topics: {error}"));
            }
        }
        Ok(decision)
    }

    /// Looks up how the agent can store a memory. Only the start of a session tells it.
    fn memory_tools(&self) -> MemoryTools {
        if self.event.name() != EventName::SessionStarted {
            return MemoryTools::default();
        }
        if self.environment.in_plugin && self.event.client == ClientName::Claude {
            return MemoryTools::of_plugin();
        }
        let folders = ClientFolders {
            home: &self.environment.home,
            claude_home: self.environment.claude_home.as_deref(),
            project: &self.project.worktree,
        };
        memory_tools(Client::named(self.event.client), folders)
    }

    /// Builds the record of the event together with the memories that the agent was shown.
    fn full_record(&self, record: &ActivityBatch, decision: HookDecision) -> ActivityBatch {
        let HookDecision { mut injections, notes, changes, .. } = decision;
        let paused = self.config().capture_paused;
        if paused {
            // Injections are still recorded, so that nothing is shown twice, but without the
            // reason.
            injections.iter_mut().for_each(|shown| shown.why.clear());
        }
        let mut record = ActivityBatch { injections, ..record.clone() };
        // The group of a continued session was not known yet.
        record.sessions.iter_mut().for_each(|update| update.held_out = self.group());
        let learns = self.config().capture_extractor != "off";
        for note in notes.into_iter().filter(|_| !paused && learns) {
            match redact_note(commit::with_files(note, &self.event, &self.project.worktree)) {
                Ok(note) => record.notes.push(note),
                Err(error) => self.log(&format!("note lost: {error}")),
            }
        }
        if !changes.is_empty() {
            record.sessions = changes.into_iter().map(|change| self.update(change)).collect();
        }
        record
    }

    /// Looks up the current work for events where the phase orders what is shown. Events of tools
    /// look it up only if a memory of a unit of work is about to be shown.
    fn work(&self, engine: &Engine<'_>, here: &WorkContext) -> AppResult<OnceCell<CurrentWork>> {
        let is_relevant = matches!(
            self.event.name(),
            EventName::SessionStarted | EventName::SubagentStarted | EventName::PromptSubmitted
        );
        Ok(if is_relevant { OnceCell::from(engine.work(here)?) } else { OnceCell::new() })
    }

    /// Returns the process of the client at the start and the end of a session.
    fn client_process(&self) -> Option<ClientProcess> {
        let marks =
            matches!(self.event.name(), EventName::SessionStarted | EventName::SessionEnded);
        let found = marks.then(tacit_fs::client_process).flatten()?;
        let ProcessIdentity { pid, started, namespace } = found;
        Some(ClientProcess { pid, started, namespace })
    }

    /// Returns true if this agent may be asked for what it learnt. Subagents are not, and clients may
    /// have no way to ask.
    fn asks_agent(&self) -> bool {
        self.config().capture_extractor == "agent"
            && self.event.agent.is_none()
            && self.takes(ReplyPart::Block)
    }

    /// Returns true if the client passes on this part of the reply.
    fn takes(&self, part: ReplyPart) -> bool {
        Client::named(self.event.client).takes(part, self.event.name())
    }

    /// Returns the request to make of the agent before it stops. There is none if part of the
    /// session must not be captured, because the transcript contains that part too.
    fn stop_request(&self, engine: &Engine<'_>) -> AppResult<StopRequest> {
        let EventKind::TurnStopped { stop_hook_active, last_message } = &self.event.kind else {
            return Ok(StopRequest::default());
        };
        let config = self.config();
        let whole =
            self.project.places.capture_switch(&self.event.session).state() == CaptureState::On;
        if !self.asks_agent() || config.capture_paused || !whole {
            return Ok(StopRequest::default());
        }
        let root = &self.project.worktree;
        let records = triage::records_task(&self.event, config, self.environment, root);
        // An agent is held back once a turn, or it might never stop. A client that does not report
        // the last message would not report the answer either.
        let may_answer = !stop_hook_active && last_message.is_some();
        let lesson = may_answer && engine.open_turn_teaches(&self.event.session)?;
        Ok(StopRequest { records, lesson })
    }

    /// Chooses the embedder for the user's prompt, if one runs on this machine.
    fn embedder(&self) -> Option<EmbedderChoice> {
        let EventKind::PromptSubmitted { prompt, automatic: false, .. } = &self.event.kind else {
            return None;
        };
        let query = RecallRequest::proactive(parse_prompt(prompt).query()?, 1);
        let choice = embedder(self.config(), self.environment, Caller::Hook)?;
        Some(start_embedding(choice, &self.project.places, &query))
    }

    fn update(&self, change: SessionChange) -> SessionUpdate {
        let AgentEvent { session, client, .. } = &self.event;
        SessionUpdate {
            id: session.clone(),
            client: client.to_string(),
            at: self.now,
            change,
            held_out: self.group(),
        }
    }

    /// Saves a record beside the store, where a later event picks it up: opening the store for it
    /// alone would cost more than everything else.
    fn save_for_later(&self, record: &ActivityBatch) {
        if self.config().capture_paused {
            return;
        }
        if let Err(error) = self.project.places.spool_batch(&self.id, record) {
            self.log(&format!("event lost: {error}"));
        }
    }

    fn topics_file(&self) -> PathBuf {
        self.project.places.project.join("hot-topics.json")
    }

    /// Returns the configuration; the defaults if it is invalid, which commands report.
    fn config(&self) -> &Config {
        self.config.get_or_init(|| match load_config(self.environment, &self.project.places) {
            Ok(loaded) => loaded.config,
            Err(AppError { message, .. }) => {
                self.log(&message);
                // The invalid file may be the one that pauses capture.
                Config { capture_paused: true, ..Config::default() }
            }
        })
    }

    /// Returns the server of the team, if this project has one. A broken address is reported by
    /// commands.
    fn server(&self) -> Option<Arc<dyn TeamServer>> {
        let places = &self.project.places;
        team_server(self.environment, self.config(), places).unwrap_or_default()
    }

    fn explain(&self, line: impl FnOnce() -> String) {
        if self.debug {
            debug_line(&line());
        }
    }

    fn log(&self, problem: &str) {
        log::write(&self.project.places.project, self.environment.clock.as_ref(), problem);
    }
}

/// Returns true if other events of the client report the same: a tool is about to change a file, or
/// each call of a batch was reported when it ended.
fn is_reported_elsewhere(event: &AgentEvent, root: &Path) -> bool {
    match &event.kind {
        EventKind::ToolStarting { tool, .. } => tool.kind.changes_files(),
        EventKind::BatchFinished { .. } => !may_act_on(event, root),
        _ => false,
    }
}

fn settings(config: &Config) -> InjectionSettings {
    InjectionSettings {
        session_tokens: config.hooks_session_tokens as usize,
        prompt_tokens: config.hooks_prompt_tokens as usize,
        tool_tokens: config.hooks_tool_tokens as usize,
        guard: config.hooks_guard,
        capture_mode: config.capture_mode.clone(),
        silent_budget: config.capture_silent_budget,
        phase: None,
        embedding_timeout: Some(EMBEDDING_TIMEOUT),
    }
}

/// Finds a project with a store: that of the agent's directory, of the directory the agent was
/// started for, or of the current directory.
fn project_of(environment: &Environment, cwd: Option<&Path>, debug: bool) -> Option<Project> {
    let started = environment.agent_project.as_deref();
    let here = environment.directory.as_deref().ok();
    [cwd, started, here].into_iter().flatten().find_map(|path| {
        let directory = path.canonicalize().ok()?;
        let project = Project::at(&directory, &environment.data_home);
        if let Some(obstacle) = project.obstacle.as_ref().filter(|_| debug) {
            debug_line(&AppError::from(obstacle).message);
        }
        (project.obstacle.is_none() && project.has_store()).then_some(project)
    })
}

/// Returns the directory of a starting session whose worktree has a store of an earlier version.
/// The store is moved in the background, because a hook has no time to ask git whether it can be
/// trusted.
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

/// Logs a problem, and prints it if debugging.
fn report_problem(environment: &Environment, project: &Project, debug: bool, problem: &str) {
    if debug {
        debug_line(problem);
    }
    log::write(&project.places.project, environment.clock.as_ref(), problem);
}
