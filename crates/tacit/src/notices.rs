//! Warnings that every command repeats on standard error: lost memories, and damaged databases that
//! a repair replaced.

use tacit_engine::{DamagedCopy, StoreScope, damaged_copies};

use crate::app::CliApp;
use crate::cli::Command;
use crate::commands;
use crate::commands::debug::MachineCommand;
use crate::render::visible;
use crate::ui;

/// Returns true if a command should end with these warnings. Commands that show them
/// anyway, and commands whose output is for a program, do not.
pub(crate) fn are_due(command: &Command) -> bool {
    match command {
        Command::Doctor(_) | Command::Mcp(_) | Command::Status(_) | Command::Why(_) => false,
        _ => match command.machine() {
            Some(MachineCommand::Hook(_)) => false,
            Some(machine) => !machine.is_quiet(),
            None => true,
        },
    }
}

/// Returns true if the output of a command says whether the team's server answers.
pub(crate) fn tells_of_server(command: &Command) -> bool {
    match command {
        Command::Doctor(doctor) => !doctor.is_quick(),
        Command::Status(status) => status.shows_team(),
        Command::Team(team) => team.tells_of_server(),
        _ => command.machine().is_some_and(MachineCommand::is_quiet),
    }
}

/// Prints the warnings, one line each. `tacit doctor` also shows them.
pub(crate) fn print(app: &CliApp) {
    for scope in [StoreScope::Project, StoreScope::Global] {
        let name = scope.as_str();
        if let Some(losses) = app.places.lost_writes(scope) {
            let lost = commands::lost(&losses);
            ui::tell(&format!("warning: {name}: {lost}; see `tacit doctor`"));
        }
        for copy in damaged_copies(&app.places, scope) {
            let path = visible(&copy.path.display().to_string());
            ui::tell(&format!(
                "note: {name}: a damaged database is kept at `{path}`; \
                 `tacit doctor` shows how to remove it"
            ));
        }
    }
}

/// Returns the command that removes a damaged database.
pub(crate) fn removal(copy: &DamagedCopy) -> String {
    let quoted =
        |path: &std::path::Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let log = copy.log.as_deref().map(|log| format!(" {}", quoted(log)));
    format!("rm {}{}", quoted(&copy.path), log.unwrap_or_default())
}
