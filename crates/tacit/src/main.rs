//! The `tacit` command: arguments in, text or JSON out, an exit code.
//!
//! Commands have no logic of their own: each calls a use case of `tacit-app` and prints its result.

mod agents;
mod app;
mod checks;
mod cli;
mod commands;
mod completion;
mod deprecated;
mod environment;
mod error;
mod field_args;
mod filter_args;
mod hook;
mod notices;
mod render;
mod ui;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use tacit_app::panics;

use deprecated::Rewritten;

fn main() -> ExitCode {
    environment::arm_failpoint();
    panics::capture();
    if let Some(call) = hook::Call::read(std::env::args_os().skip(1)) {
        return call.run(&environment::read());
    }
    if let Some(shell) = environment::completing_shell() {
        completion::answer(&shell, std::env::args_os().skip(1));
        return ExitCode::SUCCESS;
    }
    let Rewritten { arguments, note } = deprecated::rewrite(std::env::args_os().collect());
    let json = arguments.iter().any(|argument| argument == "--json");
    let code = run(arguments, json);
    // An error as JSON is alone on standard error.
    if let Some(note) = note.filter(|_| !json || code == ExitCode::SUCCESS) {
        // A note that cannot be printed must not fail the command.
        let _ = writeln!(std::io::stderr(), "note: {note}");
    }
    code
}

/// Parses the arguments, runs the command and reports its failure.
fn run(arguments: Vec<OsString>, json: bool) -> ExitCode {
    let cli = match cli::parse(arguments) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, json),
    };
    let json = cli.json;
    let ran = panics::catch(|| app::run(cli));
    // If a thread panicked, its work is missing from the output.
    let ran =
        ran.unwrap_or_else(|fault| Err(fault.into())).and_then(
            |()| match panics::take_unreported() {
                Some(fault) => Err(fault.into()),
                None => Ok(()),
            },
        );
    match ran {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error::report(&error, json),
    }
}

/// Reports invalid arguments, as JSON if that was asked for, or prints the requested help.
fn refuse(error: &clap::Error, json: bool) -> ExitCode {
    if error.use_stderr() && json {
        return error::report(&error::of_arguments(error), true);
    }
    // The exit code reports the error even if printing fails.
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(1))
}
