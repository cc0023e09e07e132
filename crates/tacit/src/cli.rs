//! The commands and what they share.

use clap::{Parser, Subcommand};

use crate::commands;

const EXAMPLES: &str = "Examples:
  tacit init                                 start a memory here, and set up agents
  tacit remember \"Close the pool before the fork\" --type gotcha --file src/pool.rs
  tacit recall pool fork                     what is known about it
  tacit undo                                 take back the last change

Every command that prints data takes --json. Exit codes are listed in docs/exit-codes.md.";

/// A memory for coding agents.
///
/// Tacit keeps what proved true in a repository and brings it back when it matters. Everything
/// stays on this machine, in git's own directory (`.git/tacit`).
#[derive(Debug, Parser)]
#[command(
    name = "tacit",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = EXAMPLES,
    after_long_help = crate::environment::long_help(EXAMPLES)
)]
pub(crate) struct Cli {
    /// Work as if started in this directory.
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub(crate) directory: Option<std::path::PathBuf>,

    /// Print JSON instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(commands::init::Init),
    Remember(commands::remember::Remember),
    Recall(commands::recall::RecallRequest),
    Proactive(commands::proactive::Proactive),
    Show(commands::show::Show),
    List(commands::list::List),
    Edit(commands::edit::Edit),
    Forget(commands::forget::Forget),
    Restore(commands::restore::Restore),
    Undo(commands::undo::Undo),
    History(commands::history::History),
    Tag(commands::tag::Tag),
    Link(commands::link::Link),
    Export(commands::export::Export),
    Import(commands::import::Import),
    When(commands::when::When),
    How(commands::how::How),
    Triggers(commands::triggers::Triggers),
    Records(commands::records::Records),
    Report(commands::report::Report),
    Context(commands::context::Context),
    Methodology(commands::methodology::Methodology),
    Phase(commands::phase::Phase),
    Work(commands::work::Work),
    Qa(commands::qa::Qa),
    Observe(commands::observe::Observe),
    Validate(commands::validate::Validate),
    Verify(commands::verify::Verify),
    Impact(commands::impact::Impact),
    Deps(commands::impact::Deps),
    Flow(commands::flow::Flow),
    Cochange(commands::cochange::Cochange),
    Locate(commands::locate::Locate),
    Map(commands::map::Map),
    Graph(commands::graph::Graph),
    Config(commands::config::ConfigArgs),
    Status(commands::status::Status),
    Stats(commands::stats::StoreStats),
    Health(commands::health::Health),
    Doctor(commands::doctor::Doctor),
    Hook(commands::hook::Hook),
    Hooks(commands::hooks::Hooks),
    Mcp(commands::mcp::Mcp),
    Uninstall(commands::uninstall::Uninstall),
    Maintain(commands::maintain::Maintain),
    Ledger(commands::ledger::Ledger),
    Eval(commands::eval::Eval),
    Completions(commands::completions::Completions),
}

impl Command {
    /// Whether the command is of use although the configuration cannot be read.
    pub(crate) fn bears_broken_config(&self) -> bool {
        match self {
            Command::Doctor(_) | Command::Status(_) => true,
            // A server says it to whoever calls; one that does not start says it to nobody.
            Command::Mcp(_) => true,
            Command::Config(config) => config.only_paths(),
            _ => false,
        }
    }

    /// Returns true if nobody is to be told how far it has come.
    pub(crate) fn is_quiet(&self) -> bool {
        matches!(self, Command::Maintain(maintain) if maintain.is_quiet())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Cli;

    #[test]
    fn the_help_of_every_command_has_examples() {
        let mut without = Vec::new();
        let mut left: Vec<(String, clap::Command)> = vec![("tacit".into(), Cli::command())];
        while let Some((name, command)) = left.pop() {
            let below = command.get_subcommands().filter(|below| !below.is_hide_set());
            left.extend(below.map(|below| (format!("{name} {}", below.get_name()), below.clone())));
            let help = [command.get_after_help(), command.get_after_long_help()];
            let examples = help.iter().flatten().any(|help| help.to_string().contains("Examples:"));
            if !examples {
                without.push(name);
            }
        }
        assert_eq!(without, Vec::<String>::new());
    }
}
