//! `tacit hook CLIENT`: the command that an agent client runs on an event.
//!
//! Every prompt and every tool waits for it, so it is dispatched before the other commands are
//! parsed. A failure ends with exit code 0, nothing on standard output, and a line in the log.

mod input;

use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use tacit_agents::Client;
use tacit_app::app::start_maintenance;
use tacit_app::hook::{HookOutcome, debug_line, handle, log_invalid_payload};
use tacit_app::panics;
use tacit_app::{AppResult, Environment};
use tacit_core::ClientName;
use tacit_fs::failpoint;

use crate::agents::client_parser;
use crate::app::CliApp;
use input::Input;

/// Answer an event of an agent client (clients run this).
///
/// Reads one event as JSON on standard input and prints a reply for the client, or nothing. The exit
/// code is always 0; failures are in `logs/hook.log` of the store (`tacit status` shows where that
/// is). With `--debug` or TACIT_DEBUG=1, the hook explains itself on standard error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit hook claude < event.json
  tacit hook --debug claude < event.json

`tacit why` lists what hooks have shown.")]
pub(crate) struct HookArgs {
    /// The client.
    #[arg(value_name = "CLIENT", value_parser = client_parser())]
    client: ClientName,
    /// The event, for clients that do not name it in the payload.
    #[arg(value_name = "EVENT")]
    event: Option<String>,
    /// Explain on standard error what is done.
    #[arg(long)]
    debug: bool,
}

impl HookArgs {
    /// Answers the event, for a hook that was called with options of other commands.
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let HookArgs { client, event, debug } = self;
        Call { client: Ok(Client::named(client)), event, debug }.run(&app.environment);
        Ok(())
    }
}

/// The command line of a hook.
pub(crate) struct Call {
    /// The client, or the unknown name in its place.
    client: Result<&'static Client, String>,
    event: Option<String>,
    debug: bool,
}

impl Call {
    /// Reads `hook [--debug] CLIENT [EVENT]`; `None` if the arguments are anything else, which is
    /// then parsed like other commands.
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
            // Settings may be newer than this program, and an error would block the agent. A person
            // at a terminal gets the error.
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
            let answered = panics::catch(|| self.answer(environment, debug));
            if let Err(problem) = answered.unwrap_or_else(|fault| Err(fault.to_string())) {
                log_invalid_payload(environment, debug, &problem);
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
                debug_line("nothing is done about this event");
            }
            return Ok(());
        };
        let moment = event.name();
        let HookOutcome { reply, maintain_in } = handle(environment, event, debug);
        write(&client.render(moment, &reply));
        if let Some(directory) = maintain_in {
            start_maintenance(&directory);
        }
        Ok(())
    }
}

/// Writes everything at once, so that no client reads half a reply. A client that has gone is no
/// failure.
fn write(bytes: &[u8]) {
    if !bytes.is_empty() {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(bytes).and_then(|()| out.flush());
    }
}
