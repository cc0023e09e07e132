//! Developer commands: `cargo xtask COMMAND`.
//!
//! One file per command. Nothing here is part of the product, and no crate of the product depends
//! on it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool talks to the developer"
)]

mod agents;
#[cfg(unix)]
mod bench;
mod ci;
mod clients;
mod eval;
mod install;
mod lint_words;
mod panel;
mod panel_api;
#[cfg(unix)]
mod postgres;
mod release;
#[cfg(target_os = "linux")]
mod soak;
mod table;
mod test;
mod tools;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Run developer tasks.
#[derive(Debug, Parser)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  cargo xtask install                   put `tacit` on your path
  cargo xtask test                      run all tests
  cargo xtask test recall               run the tests with `recall` in their name
  cargo xtask ci                        run what must pass before a change lands
  cargo xtask lint-words                the wording of comments, help, errors and names
  cargo xtask clients                   test the MCP server with the official SDKs
  cargo xtask agents                    play stories with real agent clients
  cargo xtask panel                     test the panel, in a browser too
  cargo xtask postgres                  run a PostgreSQL server for tests
  cargo xtask bench start               measure starting, recalling and storing
  cargo xtask bench triggers            measure opening a decision by its trigger
  cargo xtask bench hooks               measure how long agents wait for hooks
  cargo xtask bench team                measure many projects on one PostgreSQL server
  cargo xtask eval recall FOLDER        score the ranking of recall
  cargo xtask eval cochange REPO        score co-change
  cargo xtask eval locate FOLDER        score locating the files of a task
  cargo xtask soak                      check that an MCP server does not leak memory"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Install(install::Install),
    Test(test::Test),
    Ci(ci::Ci),
    LintWords(lint_words::LintWords),
    Clients(clients::Clients),
    Agents(agents::Agents),
    Panel(panel::Panel),
    #[cfg(unix)]
    Postgres(postgres::Postgres),
    #[cfg(unix)]
    Bench(bench::Bench),
    Eval(eval::Eval),
    #[cfg(target_os = "linux")]
    Soak(soak::Soak),
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let workspace = Workspace::here();
    let result = match command {
        Command::Install(install) => install.run(&workspace),
        Command::Test(test) => test.run(&workspace),
        Command::Ci(ci) => ci.run(&workspace),
        Command::LintWords(lint) => lint.run(&workspace),
        Command::Clients(clients) => clients.run(&workspace),
        Command::Agents(agents) => agents.run(&workspace),
        Command::Panel(panel) => panel.run(&workspace),
        #[cfg(unix)]
        Command::Postgres(postgres) => postgres.run(&workspace),
        #[cfg(unix)]
        Command::Bench(bench) => bench.run(&workspace),
        Command::Eval(eval) => eval.run(&workspace),
        #[cfg(target_os = "linux")]
        Command::Soak(soak) => soak.run(&workspace),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn parse(line: &str) -> Result<Command, clap::Error> {
        Cli::try_parse_from(std::iter::once("xtask").chain(line.split_whitespace()))
            .map(|cli| cli.command)
    }

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn arguments_of_test_are_passed_to_nextest() {
        let Ok(Command::Test(test)) = parse("test --no-capture -E test(recall) name") else {
            panic!("not understood");
        };
        assert_eq!(test.arguments, ["--no-capture", "-E", "test(recall)", "name"]);
    }

    #[cfg(unix)]
    #[test]
    fn benchmarks_have_defaults() {
        let Ok(Command::Bench(bench)) = parse("bench start") else { panic!("not understood") };
        let bench::BenchCommand::Start(start) = bench.which else { panic!("another bench") };
        assert_eq!((start.memories, start.runs), (10_000, 40));
        assert!(!start.json && !start.keep);
        let Ok(Command::Bench(bench)) = parse("bench triggers") else { panic!("not understood") };
        let bench::BenchCommand::Triggers(triggers) = bench.which else { panic!("another bench") };
        assert_eq!(triggers.runs, 40);
        let Ok(Command::Bench(bench)) = parse("bench hooks --store x") else {
            panic!("not understood")
        };
        let bench::BenchCommand::Hooks(hooks) = bench.which else { panic!("not understood") };
        assert_eq!((hooks.memories, hooks.runs), (10_000, 40));
        assert_eq!(hooks.store.as_deref(), Some(std::path::Path::new("x")));
        let Ok(Command::Bench(bench)) = parse("bench team") else { panic!("not understood") };
        let bench::BenchCommand::Team(team) = bench.which else { panic!("another bench") };
        assert_eq!((team.memories, team.projects, team.clients), (1_000_000, 200, 64));
    }

    #[cfg(unix)]
    #[test]
    fn invalid_benchmarks_are_rejected() {
        for wrong in [
            "bench",
            "bench start --runs 0",
            "bench start --memories 0",
            "bench hooks --runs 0",
            "bench team --projects 0",
            "bench team --clients 1000",
            "bench other",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn soak_requires_a_minimum_of_calls() {
        let Ok(Command::Soak(soak)) = parse("soak") else { panic!("not understood") };
        assert_eq!(soak.calls, 10_000);
        assert!(parse("soak --calls 10").is_err());
    }

    #[test]
    fn evaluation_folders_are_optional() {
        let folders = |line| match parse(line) {
            Ok(Command::Eval(eval::Eval { which: eval::EvalCommand::Recall(text) })) => {
                text.folders
            }
            other => panic!("{other:?}"),
        };
        assert!(folders("eval recall").is_empty());
        assert_eq!(folders("eval recall a b").len(), 2);
    }
}
