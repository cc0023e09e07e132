//! `tacit team members`, `add` and `remove`

use serde_json::json;
use tacit_app::AppResult;
use tacit_app::team;
use tacit_store::TeamRole;

use crate::app::CliApp;

pub(super) fn list(app: &CliApp) -> AppResult<()> {
    let members = team::members(app)?;
    if app.json {
        return app.ui.json(&json!(members));
    }
    let width = members.iter().map(|member| member.name.chars().count()).max().unwrap_or(0);
    app.ui.lines(members.iter().map(|member| format!("{:<width$}  {}", member.name, member.role)))
}

pub(super) fn add(app: &CliApp, name: &str, role: TeamRole) -> AppResult<()> {
    team::set_member(app, name, role)?;
    if app.json {
        return app.ui.json(&json!({"name": name, "role": role}));
    }
    app.ui.line(format!("{name} is now a {role} of this project"))
}

pub(super) fn remove(app: &CliApp, name: &str) -> AppResult<()> {
    team::remove_member(app, name)?;
    if app.json {
        return app.ui.json(&json!({"removed": name}));
    }
    app.ui.line(format!("Removed {name}"))
}
