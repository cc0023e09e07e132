//! The command tree: every command, the headings that group them in the help, and the parser.

use std::ffi::OsString;
use std::fmt::Write;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::commands;

const EXAMPLES: &str = "Examples:
  tacit init                        start a memory and set up agents
  tacit remember \"Close the pool before the fork\" --file src/pool.rs
  tacit recall pool fork            search for it
  tacit undo                        undo the last change

`tacit help COMMAND` explains a command. Every command that prints data takes --json. Exit codes \
are listed in docs/exit-codes.md.";

/// The commands that the help lists, by heading. All others are hidden.
const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Memory",
        &[
            "init", "status", "remember", "recall", "list", "show", "edit", "forget", "restore",
            "undo", "history", "review", "flag", "open", "why", "learn", "panel",
        ],
    ),
    ("Code", &["code"]),
    ("Decisions", &["when", "how", "triggers", "records"]),
    ("Sessions", &["session", "work", "report"]),
    ("Team and data", &["team", "share", "import", "export", "migrate"]),
    ("Set-up", &["demo", "config", "doctor", "agents", "uninstall", "mcp", "completions"]),
];

/// A memory for coding agents.
///
/// Tacit keeps what was learnt in a repository and shows it to agents when it matters. Everything
/// stays on this machine, in git's own directory (`.git/tacit`), unless you share it with a team
/// (`tacit team`). Without a command, Tacit shows its status.
#[derive(Debug, Parser)]
#[command(
    name = "tacit",
    version,
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
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Init(commands::init::InitArgs),
    Status(commands::status::StatusArgs),
    Remember(commands::remember::RememberArgs),
    Recall(commands::recall::RecallArgs),
    List(commands::list::ListArgs),
    Show(commands::show::ShowArgs),
    Edit(commands::edit::EditArgs),
    Forget(commands::forget::ForgetArgs),
    Restore(commands::restore::RestoreArgs),
    Undo(commands::undo::UndoArgs),
    History(commands::history::HistoryArgs),
    Review(commands::review::ReviewArgs),
    Flag(commands::flag::FlagArgs),
    Panel(commands::panel::PanelArgs),
    Open(commands::open::OpenArgs),
    Why(commands::why::WhyArgs),
    Learn(commands::learn::LearnArgs),
    Code(commands::code::CodeArgs),
    When(commands::when::WhenArgs),
    How(commands::how::HowArgs),
    Triggers(commands::triggers::TriggersArgs),
    Records(commands::records::RecordsArgs),
    Session(commands::session::SessionArgs),
    Work(commands::work::WorkArgs),
    Report(commands::report::ReportArgs),
    Team(commands::team::TeamArgs),
    Share(commands::share::ShareArgs),
    Import(commands::import::ImportArgs),
    Export(commands::export::ExportArgs),
    Migrate(commands::migrate::MigrateArgs),
    Demo(commands::demo::DemoArgs),
    Config(commands::config::ConfigArgs),
    Doctor(commands::doctor::DoctorArgs),
    Agents(commands::agents::AgentsArgs),
    Uninstall(commands::uninstall::UninstallArgs),
    Mcp(commands::mcp::McpArgs),
    Completions(commands::completions::CompletionsArgs),
    Debug(commands::debug::DebugArgs),
    /// Run a command of `tacit debug` without `debug`, as installed hooks do.
    #[command(flatten)]
    Machine(commands::debug::MachineCommand),
}

impl Command {
    /// Returns true if the command is useful even when the configuration cannot be read.
    pub(crate) fn tolerates_invalid_config(&self) -> bool {
        match self {
            Command::Doctor(doctor) => !doctor.is_quick(),
            Command::Status(status) => !status.only_counts(),
            // A running server can tell its client what is wrong; one that fails to start cannot.
            Command::Mcp(_) | Command::Panel(_) => true,
            Command::Config(config) => config.only_paths(),
            _ => false,
        }
    }

    /// Returns the command that machines run, called with or without `debug`.
    pub(crate) fn machine(&self) -> Option<&commands::debug::MachineCommand> {
        match self {
            Command::Machine(command) => Some(command),
            Command::Debug(debug) => Some(&debug.command),
            _ => None,
        }
    }

    /// Returns true if progress should not be shown.
    pub(crate) fn is_quiet(&self) -> bool {
        self.machine().is_some_and(commands::debug::MachineCommand::is_quiet)
    }
}

/// Parses the arguments of the process, its own name included.
pub(crate) fn parse(arguments: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut command = command();
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Builds the parser. Clap has no headings for commands, so the list is part of the template.
pub(crate) fn command() -> clap::Command {
    let is_listed = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let command = Cli::command().mut_subcommands(|command| {
        let hidden = !is_listed(command.get_name());
        command.hide(hidden)
    });
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}:\n\
         {{options}}{{after-help}}",
        groups(&command),
        header(&command, "Options"),
    );
    command.help_template(template)
}

/// Builds the parser without hidden commands, for scripts that complete commands.
pub(crate) fn visible_command() -> clap::Command {
    let whole = command();
    let visible = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    clap::Command::new("tacit").args(whole.get_arguments().cloned()).subcommands(visible)
}

/// Lists the commands under their headings, one line each.
fn groups(command: &clap::Command) -> String {
    let literal = command.get_styles().get_literal();
    let names = GROUPS.iter().flat_map(|(_, names)| names.iter());
    let width = names.map(|name| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (heading, names) in GROUPS {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}:", header(command, heading));
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {literal}{name:<width$}{literal:#}  {about}");
        }
        text.push('\n');
    }
    text
}

fn header(command: &clap::Command, text: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{GROUPS, command};

    #[test]
    fn the_help_of_every_command_has_examples() {
        let mut without = Vec::new();
        let mut left: Vec<(String, clap::Command)> = vec![("tacit".into(), command())];
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

    #[test]
    fn every_listed_command_exists_once() {
        let listed: Vec<&str> =
            GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let unique: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(listed.len(), unique.len());
        for name in listed {
            assert!(command().find_subcommand(name).is_some(), "{name}");
        }
    }

    #[test]
    fn the_list_of_commands_fits_into_60_columns() {
        let help = command().render_help().to_string();
        let list = help.lines().skip_while(|line| *line != "Memory:");
        for line in list.take_while(|line| *line != "Options:") {
            assert!(line.chars().count() <= 60, "{line}");
        }
    }

    #[test]
    fn the_definition_is_consistent() {
        command().debug_assert();
    }
}
