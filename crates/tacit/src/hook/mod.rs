//! `tacit hook CLIENT`: what an agent client runs when something happens.
//!
//! This is on the way of every prompt and every tool, so it is dispatched before arguments of other
//! commands are known, opens nothing it does not need, and is never an obstacle: whatever goes
//! wrong ends with exit code 0, nothing on standard output, and a line in the log.

mod commit;
mod edge;
mod guard;
mod input;
mod likely;
pub(crate) mod log;
mod offers;
mod record;
mod session;
mod switch;
mod triage;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tacit_agents::{Client, Reply};
use tacit_core::{AgentEvent, Happening, Moment};
use tacit_fs::failpoint;

use crate::environment::Environment;
use crate::error::CliError;
use crate::panics;
use crate::project::Project;
use input::Input;
use session::Session;

/// What the command line of a hook says.
pub(crate) struct Call {
    /// The client, or what was said in its place.
    client: Result<&'static Client, String>,
    event: Option<String>,
    debug: bool,
}

impl Call {
    /// Reads `hook [--debug] CLIENT [EVENT]`; none if it is something else, which is then read by
    /// the rules of other commands.
    pub(crate) fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Call> {
        if arguments.next()? != "hook" {
            return None;
        }
        let mut words: Vec<String> = Vec::new();
        let mut debug = false;
        for argument in arguments {
            let word = argument.into_string().ok()?;
            match word.as_str() {
                "--debug" => debug = true,
                _ if word.starts_with('-') => return None,
                _ => words.push(word),
            }
        }
        let [client, event @ ..] = words.as_slice() else { return None };
        let client = match client.parse() {
            Ok(name) => Ok(Client::named(name)),
            // Settings may be newer than this program, and an error would hold the agent up. Who
            // sits at a terminal is told.
            Err(_) if client != "why" && !std::io::stdin().is_terminal() => Err(client.clone()),
            Err(_) => return None,
        };
        Some(Call { client, event: event.first().cloned(), debug })
    }

    /// Answers the event on standard input.
    pub(crate) fn run(self, environment: Environment) -> ExitCode {
        let debug = self.debug || environment.debug;
        // A client that we started ourselves must not make us start another.
        if !environment.nested && !environment.off {
            let mut store = None;
            let answered = panics::caught(|| self.answer(environment, debug, &mut store));
            if let Some(fault) = answered.err().or_else(panics::untold) {
                let (environment, problem) = (Environment::read(), fault.to_string());
                match store {
                    Some(store) => complain(&environment, &store, debug, &problem),
                    None => misunderstood(&environment, debug, &problem),
                }
            }
        }
        ExitCode::SUCCESS
    }

    /// Answers, and tells as soon as it is known where the store is: a fault is logged there.
    fn answer(self, environment: Environment, debug: bool, store: &mut Option<PathBuf>) {
        let client = match self.client {
            Ok(client) => client,
            Err(word) => {
                let problem = format!("there is no agent client `{word}`");
                return misunderstood(&environment, debug, &problem);
            }
        };
        let event = match input::read() {
            Ok(Input::Whole(bytes)) => {
                failpoint::reach("hook", "parse");
                client.parse(self.event.as_deref(), &bytes)
            }
            Ok(Input::TooLarge) => {
                return misunderstood(&environment, debug, "the payload is larger than 64 MB");
            }
            Ok(Input::Nothing) => {
                return misunderstood(&environment, debug, "no payload came on standard input");
            }
            Err(error) => {
                return misunderstood(&environment, debug, &format!("cannot read: {error}"));
            }
        };
        match event {
            Ok(Some(mut event)) => {
                edge::enter(&mut event);
                handle(client, environment, event, debug, store);
            }
            Ok(None) if debug => say("nothing is done about this event"),
            Ok(None) => {}
            Err(error) => misunderstood(&environment, debug, &error.to_string()),
        }
    }
}

fn handle(
    client: &'static Client,
    environment: Environment,
    event: AgentEvent,
    debug: bool,
    store: &mut Option<PathBuf>,
) {
    let Some(place) = project_of(&environment, event.cwd.as_deref(), debug) else {
        if debug {
            say("there is no memory here; `tacit init` makes one");
        }
        if event.moment() == Moment::SessionStarted {
            move_old_store(&environment, event.cwd.as_deref());
        }
        return;
    };
    *store = Some(place.places.project.clone());
    let moment = event.moment();
    match switch::turn(&event, &place.places) {
        switch::Turned::Here(notice) => {
            let reply = Reply { notice: Some(notice), ..nothing() };
            return write(&client.render(moment, &reply));
        }
        switch::Turned::Off => {
            if debug {
                say("the session is switched off; `/memory on` switches it on");
            }
            return;
        }
        switch::Turned::Failed(problem) => {
            return complain(&environment, &place.places.project, debug, &problem);
        }
        switch::Turned::No => {}
    }
    let ends = matches!(event.what, Happening::SessionEnded { .. });
    let mut session = Session::new(environment, place, event, debug);
    match session.answer() {
        Ok(reply) => {
            write(&client.render(moment, &reply));
            if ends || session.records_changed() {
                session.maintain_in_background();
            }
        }
        Err(error) => {
            let Session { environment, place, .. } = &session;
            let problem = format!("{moment}: {}", error.message);
            complain(environment, &place.places.project, debug, &problem);
        }
    }
}

/// Everything at once, so that nobody reads half of it. A client that went away does not mind.
fn write(bytes: &[u8]) {
    if !bytes.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(bytes).and_then(|()| out.flush());
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
            say(&CliError::from(obstacle).message);
        }
        (project.obstacle.is_none() && project.has_store()).then_some(project)
    })
}

/// Has a store that an earlier version left in the worktree moved in the background: git has to be
/// asked whether it may be somebody else's, for which a hook has no time.
fn move_old_store(environment: &Environment, cwd: Option<&Path>) {
    let directory = cwd.and_then(|cwd| cwd.canonicalize().ok());
    let Some(directory) = directory.filter(|directory| {
        let project = Project::at(directory, &environment.data_home);
        let auto = || {
            let loaded = crate::app::load_config(environment, &project.places);
            loaded.is_ok_and(|loaded| loaded.config.maintain_auto)
        };
        project.obstacle.is_none() && project.has_old_store() && auto()
    }) else {
        return;
    };
    crate::app::start_maintenance(&directory);
}

/// Notes what went wrong where nobody is disturbed by it.
fn complain(environment: &Environment, store: &Path, debug: bool, problem: &str) {
    if debug {
        say(problem);
    }
    log::write(store, environment, problem);
}

/// Notes that a payload could not be read, in the project it came from as far as that can be told.
fn misunderstood(environment: &Environment, debug: bool, problem: &str) {
    match project_of(environment, None, debug) {
        Some(place) => complain(environment, &place.places.project, debug, problem),
        None if debug => say(problem),
        None => {}
    }
}

/// A line for whoever debugs.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "tacit hook: {}", crate::render::visible(line));
}

/// Nothing to say.
fn nothing() -> Reply {
    Reply::default()
}
