//! What developers run: `cargo xtask COMMAND`.
//!
//! One file per command. Nothing here is part of the product, and the product's crates know
//! nothing of it.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool talks to the developer"
)]

#[cfg(unix)]
mod bench;
mod ci;
mod clients;
mod eval;
mod install;
mod lint_words;
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

/// What developers run.
#[derive(Debug, Parser)]
#[command(
    name = "xtask",
    bin_name = "cargo xtask",
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  cargo xtask install                   put `tacit` on your path
  cargo xtask test                      every test
  cargo xtask test recall               the tests with `recall` in their name
  cargo xtask ci                        what must pass before a change lands
  cargo xtask lint-words                the wording of comments, help, errors and names
  cargo xtask clients                   the MCP server with the SDKs of others
  cargo xtask bench start               what starting and storing cost
  cargo xtask bench triggers            what opening a decision by its trigger costs
  cargo xtask bench hooks               what an agent waits for
  cargo xtask eval recall FOLDER        how well recall ranks
  cargo xtask eval cochange REPO        how well it is told what changes together
  cargo xtask eval locate FOLDER        how well it is told which files a task is about
  cargo xtask soak                      whether an MCP server grows with its calls"
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
    fn what_follows_test_goes_to_nextest() {
        let Ok(Command::Test(test)) = parse("test --no-capture -E test(recall) name") else {
            panic!("not understood");
        };
        assert_eq!(test.arguments, ["--no-capture", "-E", "test(recall)", "name"]);
    }

    #[cfg(unix)]
    #[test]
    fn benches_have_defaults() {
        let Ok(Command::Bench(bench)) = parse("bench start") else { panic!("not understood") };
        let bench::Which::Start(start) = bench.which else { panic!("another bench") };
        assert_eq!((start.memories, start.runs), (10_000, 40));
        assert!(!start.json && !start.keep);
        let Ok(Command::Bench(bench)) = parse("bench triggers") else { panic!("not understood") };
        let bench::Which::Triggers(triggers) = bench.which else { panic!("another bench") };
        assert_eq!(triggers.runs, 40);
        let Ok(Command::Bench(bench)) = parse("bench hooks --store x") else {
            panic!("not understood")
        };
        let bench::Which::Hooks(hooks) = bench.which else { panic!("not understood") };
        assert_eq!((hooks.memories, hooks.runs), (10_000, 40));
        assert_eq!(hooks.store.as_deref(), Some(std::path::Path::new("x")));
    }

    #[cfg(unix)]
    #[test]
    fn a_bench_needs_something_to_measure() {
        for wrong in [
            "bench",
            "bench start --runs 0",
            "bench start --memories 0",
            "bench hooks --runs 0",
            "bench other",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_soak_takes_its_time() {
        let Ok(Command::Soak(soak)) = parse("soak") else { panic!("not understood") };
        assert_eq!(soak.calls, 10_000);
        assert!(parse("soak --calls 10").is_err());
    }

    #[test]
    fn folders_to_evaluate_may_be_left_out() {
        let folders = |line| match parse(line) {
            Ok(Command::Eval(eval::Eval { which: eval::Which::Recall(text) })) => text.folders,
            other => panic!("{other:?}"),
        };
        assert!(folders("eval recall").is_empty());
        assert_eq!(folders("eval recall a b").len(), 2);
    }
}
