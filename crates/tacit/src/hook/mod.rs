//! `tacit hook CLIENT`: what an agent client runs when something happens.
//!
//! This is on the way of every prompt and every tool, so it is dispatched before arguments of other
//! commands are known. Whatever goes wrong ends with exit code 0, nothing on standard output, and a
//! line in the log.

mod input;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use tacit_agents::Client;
use tacit_app::Environment;
use tacit_app::app::start_maintenance;
use tacit_app::hook::{Handled, handle, misunderstood, say};
use tacit_app::panics;
use tacit_fs::failpoint;

use input::Input;

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
    pub(crate) fn run(self, environment: &Environment) -> ExitCode {
        let debug = self.debug || environment.debug;
        // A client that we started ourselves must not make us start another.
        if !environment.nested && !environment.off {
            let answered = panics::caught(|| self.answer(environment, debug));
            if let Err(problem) = answered.unwrap_or_else(|fault| Err(fault.to_string())) {
                misunderstood(environment, debug, &problem);
            }
        }
        ExitCode::SUCCESS
    }

    fn answer(self, environment: &Environment, debug: bool) -> Result<(), String> {
        let client = self.client.map_err(|word| format!("there is no agent client `{word}`"))?;
        let bytes = match input::read().map_err(|error| format!("cannot read: {error}"))? {
            Input::Whole(bytes) => bytes,
            Input::TooLarge => return Err("the payload is larger than 64 MB".to_owned()),
            Input::Nothing => return Err("no payload came on standard input".to_owned()),
        };
        failpoint::reach("hook", "parse");
        let event =
            client.parse(self.event.as_deref(), &bytes).map_err(|error| error.to_string())?;
        let Some(event) = event else {
            if debug {
                say("nothing is done about this event");
            }
            return Ok(());
        };
        let moment = event.name();
        let Handled { reply, leaves } = handle(environment, event, debug);
        write(&client.render(moment, &reply));
        if let Some(directory) = leaves {
            start_maintenance(&directory);
        }
        Ok(())
    }
}

/// Everything at once, so that nobody reads half of it. A client that went away does not mind.
fn write(bytes: &[u8]) {
    if !bytes.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }
}
