//! Warnings that every command repeats on standard error: lost memories and damaged databases that
//! are kept.

use tacit_engine::{DamagedCopy, Shelf, damaged_copies};

use crate::app::App;
use crate::cli::Command;
use crate::commands;
use crate::render::visible;
use crate::ui;

/// Returns true if a command should end with these warnings: not if it shows the same itself, or
/// its output is for a program.
pub(crate) fn are_due(command: &Command) -> bool {
    match command {
        Command::Doctor(_)
        | Command::Health(_)
        | Command::Hook(_)
        | Command::Mcp(_)
        | Command::Status(_) => false,
        Command::Maintain(maintain) => !maintain.is_quiet(),
        _ => true,
    }
}

/// Says it, one line each. With nowhere to say it, `tacit doctor` still tells.
pub(crate) fn print(app: &App) {
    for shelf in [Shelf::Project, Shelf::Global] {
        let name = shelf.as_str();
        if let Some(losses) = app.places.losses(shelf) {
            let lost = commands::lost(&losses);
            ui::tell(&format!("warning: {name}: {lost}; see `tacit doctor`"));
        }
        for copy in damaged_copies(&app.places, shelf) {
            let path = visible(&copy.path.display().to_string());
            ui::tell(&format!(
                "note: {name}: a damaged database is kept at `{path}`; \
                 `tacit doctor` tells how to remove it"
            ));
        }
    }
}

/// The command that removes a damaged database.
pub(crate) fn removal(copy: &DamagedCopy) -> String {
    let quoted =
        |path: &std::path::Path| format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let log = copy.log.as_deref().map(|log| format!(" {}", quoted(log)));
    format!("rm {}{}", quoted(&copy.path), log.unwrap_or_default())
}
