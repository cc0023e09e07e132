//! Memories that a team shares on a server.

mod identity;
mod join;
mod judge;
mod members;
mod migrate;
mod preferences;
mod server;
mod status;

use tacit_engine::{StoreAccess, StoreScope};

use crate::app::App;
use crate::error::{AppError, AppResult, ErrorCode};

pub use identity::project_identity;
pub use join::{Joined, Left, LocalMemories, join, leave, local_memories, prepare_server};
pub(crate) use judge::may_judge;
pub use members::{members, remove_member, set_member};
pub use migrate::{migrate_to_machine, migrate_to_server};
pub use preferences::{PreferencesStatus, exchange_preferences};
pub use server::{check_stored_url, postgres_server, server_settings, team_server};
pub use status::{Delivery, TeamStatus, pull, push, status};

/// Returns an error if this project is not in a team.
fn require_team(app: &App) -> AppResult<()> {
    if is_in_team(app)? { Ok(()) } else { Err(not_in_team()) }
}

/// Returns true if this project is in a team, after settling a move that was interrupted. Fails while one is at
/// work.
pub fn is_in_team(app: &App) -> AppResult<bool> {
    if app.places.team_state().is_some_and(|state| state.moving) {
        // Opening the store settles it.
        let engine = app.engine(StoreAccess::Read(StoreScope::Project))?;
        if app.places.team_state().is_some_and(|state| state.moving) {
            engine.reach_team()?;
        }
    }
    Ok(app.places.is_in_team())
}

fn not_in_team() -> AppError {
    AppError::new(ErrorCode::NotFound, "this project is not in a team")
        .hint("join one: `tacit team join postgres://YOU@HOST/DATABASE`; or create one: `tacit team init`")
}
