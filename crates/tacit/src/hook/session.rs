//! One event of a session: what is done about it, in the order in which it costs least.

use std::cell::OnceCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tacit_agents::layers::{Decision, Desk, Settings, Wanted, concerns, decide, hot_topics};
use tacit_agents::topics::{self, Topics};
use tacit_agents::{Reply, question};
use tacit_core::{
    AgentEvent, Author, Clock, Config, FailureCause, Happening, IdSource, MemoryId, Moment,
    Problem, Timestamp, ToolUse,
};
use tacit_engine::{CaptureState, Engine, Here, Needs, Places, Recall, redact_note};
use tacit_models::Choice;
use tacit_records::files::Folder;
use tacit_store::{Record, SessionChange, SessionUpdate};
use tacit_work::Work;

use super::{commit, edge, guard, likely, log, nothing, offers, record, say, triage};
use crate::app::{Haste, ahead, embedder, take_inbox, with_meaning};
use crate::environment::Environment;
use crate::error::{CliError, CliResult};
use crate::project::Project;
use crate::records::NotesFile;

/// What a hook waits for the lock of a store, at most: the agent waits for the hook.
const PATIENCE: Duration = Duration::from_millis(300);
/// What a hook waits for a server on this machine that embeds the question.
const SERVER_PATIENCE: Duration = Duration::from_millis(150);

pub(super) struct Session {
    pub(super) environment: Environment,
    pub(super) place: Project,
    event: AgentEvent,
    debug: bool,
    config: OnceCell<Config>,
}

impl Session {
    pub(super) fn new(
        environment: Environment,
        place: Project,
        event: AgentEvent,
        debug: bool,
    ) -> Session {
        Session { environment, place, event, debug, config: OnceCell::new() }
    }

    /// What is answered, with everything recorded.
    pub(super) fn answer(&mut self) -> CliResult<Reply> {
        let clock = self.environment.clock();
        let ids = self.environment.ids();
        let now = clock.now();
        let id = ids.next_id(now);
        let denied = self.denied();
        if denied.is_none() && self.will_be_told() {
            return Ok(nothing());
        }
        // Only now: a guard goes by the path as it is.
        edge::clean(&mut self.event);
        let paused = self.is_paused();
        // What is kept of the event, whatever becomes of the rest.
        let kept = self.record(&id, now);
        let topics_file = self.place.places.project.join("hot-topics.json");
        if denied.is_some() {
            self.keep_for_later(&id, &kept);
            return Ok(Reply { deny: denied, ..nothing() });
        }
        let mut hot = None;
        match &self.event.what {
            Happening::ToolStarting { tool } => {
                hot = self.hot(tool, &Topics::read(&topics_file));
                if hot.is_none() {
                    self.keep_for_later(&id, &kept);
                    return Ok(nothing());
                }
            }
            Happening::ToolFailed { tool, failure, .. } if failure.cause == FailureCause::Ran => {
                if let Some(command) = tool.kind.command().filter(|_| !paused) {
                    let promoted = topics::promote(&topics_file, command);
                    self.explain(|| format!("promotion of the command: {promoted:?}"));
                }
            }
            _ if !concerns(&self.event) => {
                self.keep_for_later(&id, &kept);
                return Ok(nothing());
            }
            _ => {}
        }
        let config = self.config();
        let deadline = Deadline::start(self, config.hooks_deadline_ms, id, kept.clone());
        let actor = Author::new("hook")?;
        // Before the store is opened: what takes longest begins first.
        let embedder = self.embedder(config);
        let mut brief = config.clone();
        brief.busy_timeout_ms = brief.busy_timeout_ms.min(PATIENCE.as_millis() as u64);
        let engine =
            Engine::open(self.place.places.clone(), brief, Needs::Session, &clock, &ids, actor);
        let engine = match engine {
            Ok(engine) => engine,
            Err(error) => {
                deadline.stop();
                self.keep_for_later(&id, &kept);
                return Err(error.into());
            }
        };
        let mut engine = with_meaning(engine, embedder);
        take_inbox(&mut engine, &self.place.worktree, Haste::Hook);
        // What happened meanwhile may be what this event calls for.
        let settled = match self.event.moment() {
            Moment::ToolFinished | Moment::ToolFailed => engine.settle_events(),
            _ => Ok(()),
        };
        tacit_fs::failpoint::reach("hook", "decide");
        let decided = self.decide(&engine, config, &id, now, hot, &topics_file);
        let Decision { reply, injections, notes, changes, trace } = match decided {
            Ok(decision) => decision,
            Err(error) => {
                deadline.stop();
                self.keep_for_later(&id, &kept);
                return Err(error);
            }
        };
        for line in trace {
            self.explain(|| line);
        }
        let mut record = Record { injections, ..kept };
        for note in notes.into_iter().filter(|_| !paused) {
            match redact_note(commit::with_files(note, &self.event, &self.place.worktree)) {
                Ok(note) => record.notes.push(note),
                Err(error) => self.log(&format!("a note is lost: {error}")),
            }
        }
        if paused {
            // Shown once is enough even then, but not what made it be shown.
            record.injections.iter_mut().for_each(|shown| shown.why.clear());
        }
        if !changes.is_empty() {
            record.sessions = changes.into_iter().map(|change| self.update(now, change)).collect();
        }
        // Whoever was kept from writing once does not wait again.
        let written = settled.and_then(|()| engine.record(record.clone()));
        deadline.stop();
        if let Err(error) = written {
            self.keep_for_later(&id, &record);
            self.log(&error.to_string());
        }
        Ok(reply)
    }

    fn decide(
        &self,
        engine: &Engine<'_>,
        config: &Config,
        id: &MemoryId,
        now: Timestamp,
        hot: Option<String>,
        topics_file: &std::path::Path,
    ) -> CliResult<Decision> {
        let branch = self.place.repository.as_ref().and_then(|repository| repository.branch());
        let branch = branch.map(|name| tacit_redact::identifier(&name).into_owned());
        let work = self.work(engine, branch.as_deref())?;
        let settings = Settings { phase: work.phase(), ..settings(config) };
        let desk = Desk {
            engine,
            settings: &settings,
            work,
            session: engine.session(&self.event.session)?,
            event_id: id.to_string(),
            now,
            root: &self.place.worktree,
            branch,
            hot,
            offers: offers::lines(&self.event, config, &self.place.worktree),
            likely: likely::line(&self.event, config, &self.place),
            wanted: self.wanted(config),
        };
        let decision = decide(&desk, &self.event)?;
        if let Happening::SessionStarted { .. } = &self.event.what {
            // What is not written now is as it was in the last session.
            let written = hot_topics(&desk)
                .map_err(|error| error.to_string())
                .and_then(|topics| topics.write(topics_file).map_err(|error| error.to_string()));
            if let Err(error) = written {
                self.log(&format!("hot topics: {error}"));
            }
        }
        Ok(decision)
    }

    /// Returns the request to make of the agent before it stops. There is none if part of the
    /// session must not be kept, because the transcript has that part too.
    fn wanted(&self, config: &Config) -> Wanted {
        let whole = self.place.places.switch(&self.event.session).capture() == CaptureState::Whole;
        if config.capture_paused || !whole {
            return Wanted::Nothing;
        }
        triage::wanted(&self.event, config, &self.environment, &self.place.worktree)
    }

    /// Returns true if capture is paused, and marks the session as partly captured so that its
    /// transcript is not read later.
    fn is_paused(&self) -> bool {
        let paused = self.config().capture_paused;
        let switch = self.place.places.switch(&self.event.session);
        if paused
            && switch.capture() == CaptureState::Whole
            && let Err(error) = switch.turn_on()
        {
            self.log(&error.to_string());
        }
        paused
    }

    /// Why the tool that is about to run must not.
    fn denied(&self) -> Option<String> {
        let Happening::ToolStarting { tool } = &self.event.what else { return None };
        let why = guard::denial(&self.event, tool, &self.place.worktree)?;
        // Read only where it matters: most tools touch no record.
        self.config().records.guard.then_some(why)
    }

    /// Whether a file is about to be changed: what came of it is told when it is done.
    fn will_be_told(&self) -> bool {
        matches!(&self.event.what, Happening::ToolStarting { tool } if tool.kind.changes_files())
    }

    /// What is being worked on, where that decides what is shown.
    fn work(&self, engine: &Engine<'_>, branch: Option<&str>) -> CliResult<Work> {
        let asked = matches!(
            self.event.moment(),
            Moment::SessionStarted | Moment::SubagentStarted | Moment::PromptSubmitted
        );
        if !asked {
            return Ok(Work::default());
        }
        Ok(engine.work(&Here {
            session: Some(self.event.session.clone()),
            branch: branch.map(str::to_owned),
            worktree: self.place.worktree.clone(),
        })?)
    }

    /// What happened, as it is kept.
    fn record(&self, id: &MemoryId, now: Timestamp) -> Record {
        let sessions = vec![self.update(now, SessionChange::Seen)];
        if self.config().capture_paused {
            return Record { sessions, ..Record::default() };
        }
        let event = record::event(&id.to_string(), now, &self.event, &self.place);
        let lost = |problem: &Problem| self.log(&format!("an event is lost: it {problem}"));
        let events = event.inspect_err(lost).into_iter().collect();
        Record { sessions, events, ..Record::default() }
    }

    fn log(&self, line: &str) {
        log::write(&self.place.places.project, &self.environment, line);
    }

    fn update(&self, now: Timestamp, change: SessionChange) -> SessionUpdate {
        let AgentEvent { session, client, .. } = &self.event;
        SessionUpdate { id: session.clone(), client: client.to_string(), at: now, change }
    }

    /// Puts what happened where the next event finds it: opening the store for it alone would cost
    /// more than the rest.
    fn keep_for_later(&self, id: &MemoryId, record: &Record) {
        if self.config().capture_paused {
            return;
        }
        keep(&self.place.places, &self.environment, id, record);
    }

    fn hot(&self, tool: &ToolUse, topics: &Topics) -> Option<String> {
        let found = topics::matches(tool.kind.command()?, topics);
        let found = found.map(|found| format!("{} ({:?})", found.pattern, found.source));
        self.explain(|| format!("hot topic: {}", found.as_deref().unwrap_or("none")));
        found
    }

    /// The configuration; the defaults where it is broken, which is not for a hook to tell.
    fn config(&self) -> &Config {
        self.config.get_or_init(|| self.read_config())
    }

    fn read_config(&self) -> Config {
        match crate::app::load_config(&self.environment, &self.place.places) {
            Ok(loaded) => loaded.config,
            Err(CliError { message, .. }) => {
                self.log(&message);
                // The user may have paused capture in the file that cannot be read.
                Config { capture_paused: true, ..Config::default() }
            }
        }
    }

    /// Whoever embeds what the user said, if that stays on this machine.
    fn embedder(&self, config: &Config) -> Option<Choice> {
        let Happening::PromptSubmitted { prompt, automatic: false, .. } = &self.event.what else {
            return None;
        };
        let asked = Recall::uninvited(question(prompt).query()?, 1);
        let choice = embedder(config, &self.environment, Haste::Hook)?;
        Some(ahead(choice, &self.place.places, &asked))
    }

    /// Whether files of records came, changed or went since they were last looked at: a pull, or
    /// somebody's editor. Only their names and times are compared here.
    pub(super) fn records_changed(&self) -> bool {
        let asked = [Moment::SessionStarted, Moment::PromptSubmitted];
        let folder = Folder::at(&self.place.worktree);
        let notes = NotesFile::of(&self.place.places.project, &self.place.worktree);
        asked.contains(&self.event.moment())
            && folder.root().exists()
            && !notes.is_followed(&folder).unwrap_or(true)
    }

    /// Starts the long work that a session left behind.
    pub(super) fn maintain_in_background(&self) {
        if self.config().maintain_auto {
            crate::app::start_maintenance(&self.place.worktree);
        }
    }

    fn explain(&self, line: impl FnOnce() -> String) {
        if self.debug {
            say(&line());
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

fn keep(places: &Places, environment: &Environment, id: &MemoryId, record: &Record) {
    if let Err(error) = places.keep(id, record) {
        log::write(&places.project, environment, &format!("an event is lost: {error}"));
    }
}

/// Ends the process in time, whatever it hangs on: the agent waits. The event is kept for later
/// then, and if the process panics.
struct Deadline(Arc<Unfinished>);

/// An event that is neither recorded nor kept yet.
struct Unfinished {
    done: AtomicBool,
    places: Places,
    environment: Environment,
    id: MemoryId,
    record: Record,
}

impl Deadline {
    fn start(session: &Session, millis: u64, id: MemoryId, record: Record) -> Deadline {
        let unfinished = Arc::new(Unfinished {
            done: AtomicBool::new(false),
            places: session.place.places.clone(),
            environment: Environment::read(),
            id,
            record,
        });
        let seen = unfinished.clone();
        // Without a thread there is no deadline, and the client's own holds.
        let _ = std::thread::Builder::new().stack_size(64 * 1024).spawn(move || {
            std::thread::sleep(Duration::from_millis(millis));
            if seen.keep() {
                let Unfinished { places, environment, .. } = seen.as_ref();
                log::write(&places.project, environment, &format!("gave up after {millis} ms"));
                crate::give_up();
            }
        });
        Deadline(unfinished)
    }

    /// From here on nothing hangs.
    fn stop(self) {
        self.0.done.store(true, Ordering::SeqCst);
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.keep();
        }
    }
}

impl Unfinished {
    /// Keeps the event, unless it is done with. Returns true if it did.
    fn keep(&self) -> bool {
        let mine = !self.done.swap(true, Ordering::SeqCst);
        if mine {
            keep(&self.places, &self.environment, &self.id, &self.record);
        }
        mine
    }
}
