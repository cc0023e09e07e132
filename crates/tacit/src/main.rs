//! The `tacit` command: arguments in, text or JSON out, an exit code.
//!
//! Doors have no logic of their own: each command turns its arguments into a call of the engine
//! and what comes back into lines.

mod agents;
mod app;
mod checks;
mod cli;
mod cochange;
mod code;
mod commands;
mod environment;
mod error;
mod exclude;
mod filter_args;
mod generation;
mod graph;
mod here;
mod hook;
mod locate;
mod maintain;
mod moment;
mod notices;
mod panics;
mod project;
mod records;
mod render;
mod scan;
mod ui;

use std::process::ExitCode;

use clap::Parser;

use crate::error::CliError;

fn main() -> ExitCode {
    environment::arm_failpoint();
    panics::note();
    if let Some(call) = hook::Call::read(std::env::args_os().skip(1)) {
        return call.run(environment::Environment::read());
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let environment = environment::Environment::read();
    let json = cli.json;
    let ran = panics::caught(|| app::run(cli, environment));
    match ran.unwrap_or_else(|fault| Err(fault.into())) {
        // Work that a thread did in passing is missing from what was printed.
        Ok(()) => {
            panics::untold().map_or(ExitCode::SUCCESS, |fault| CliError::from(fault).report(json))
        }
        Err(error) => error.report(json),
    }
}

/// Ends the process with nothing said: a hook that takes too long must not keep its agent waiting.
#[expect(clippy::disallowed_methods, reason = "nothing is left to be cleaned up that matters")]
fn give_up() -> ! {
    std::process::exit(0)
}

/// Says what is wrong with the arguments, or prints the help that was asked for. Whoever asks for
/// JSON gets it also where the arguments cannot be understood.
fn refuse(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        return CliError::from(error).report(true);
    }
    // With nowhere to say it, the exit code still tells.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1))
}
