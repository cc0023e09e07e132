//! The `tacit` command: arguments in, text or JSON out, an exit code.
//!
//! Doors have no logic of their own: each command turns its arguments into a call of the engine
//! and what comes back into lines.

mod app;
mod cli;
mod commands;
mod environment;
mod error;
mod filter_args;
mod moment;
mod render;
mod ui;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let environment = environment::Environment::read();
    let json = cli.json;
    match app::run(cli, environment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(json),
    }
}
