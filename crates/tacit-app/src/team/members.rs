//! The members of a project on a team's server.

use tacit_store::{StoreError, TeamRole};
use tacit_store_postgres::{Member, PostgresStore};

use super::join::TeamAccess;
use super::require_team;
use crate::app::App;
use crate::error::{AppError, AppResult, ErrorCode};

/// Returns the members of the project, by name.
pub fn members(app: &App) -> AppResult<Vec<Member>> {
    Ok(open(app)?.members()?)
}

/// Adds a member, or changes a member's role.
pub fn set_member(app: &App, name: &str, role: TeamRole) -> AppResult<()> {
    open(app)?.set_member(name, role).map_err(|error| {
        refusal(
            error,
            "NAME must be an existing login of the server, and only a curator can add members",
        )
    })
}

/// Removes a member.
pub fn remove_member(app: &App, name: &str) -> AppResult<()> {
    let removed = open(app)?.remove_member(name);
    let hint = "only a curator can remove members; to remove the last curator, first make another: \
                `tacit team add NAME --role curator`";
    if removed.map_err(|error| refusal(error, hint))? {
        return Ok(());
    }
    Err(AppError::new(ErrorCode::NotFound, format!("`{name}` is not a member of this project"))
        .hint("`tacit team members` lists them"))
}

/// Returns the server's reason without its address, because it is about members and not about the connection.
fn refusal(error: StoreError, hint: &str) -> AppError {
    match error {
        StoreError::Denied { detail, .. } => AppError::new(ErrorCode::Refused, detail).hint(hint),
        error => error.into(),
    }
}

fn open(app: &App) -> AppResult<PostgresStore> {
    require_team(app)?;
    Ok(TeamAccess::of(app, None)?.server.open_store()?)
}
