//! The `tacit` command: arguments in, text or JSON out, an exit code.
//!
//! Doors have no logic of their own: each command turns its arguments into a use case of `tacit-app`
//! and what comes back into lines.

mod agents;
mod app;
mod checks;
mod cli;
mod commands;
mod completion;
mod environment;
mod error;
mod field_args;
mod filter_args;
mod hook;
mod notices;
mod render;
mod ui;

use std::process::ExitCode;

use clap::Parser;
use tacit_app::panics;

fn main() -> ExitCode {
    environment::arm_failpoint();
    panics::note();
    if let Some(call) = hook::Call::read(std::env::args_os().skip(1)) {
        return call.run(&environment::read());
    }
    if let Some(shell) = environment::completing_shell() {
        completion::answer(&shell, std::env::args_os().skip(1));
        return ExitCode::SUCCESS;
    }
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return refuse(&error),
    };
    let json = cli.json;
    let ran = panics::caught(|| app::run(cli));
    // Work that a thread did in passing is missing from what was printed.
    let ran = ran.unwrap_or_else(|fault| Err(fault.into())).and_then(|()| match panics::untold() {
        Some(fault) => Err(fault.into()),
        None => Ok(()),
    });
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error::report(&error, json),
    }
}

/// Says what is wrong with the arguments, or prints the help that was asked for. Whoever asks for
/// JSON gets it also where the arguments cannot be understood.
fn refuse(error: &clap::Error) -> ExitCode {
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        return error::report(&error::of_arguments(error), true);
    }
    // With nowhere to say it, the exit code still tells.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1))
}
