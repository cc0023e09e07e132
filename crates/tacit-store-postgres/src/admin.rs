//! Setting up a server: the schema, projects and their members.

use std::time::Duration;

use serde::Serialize;
use tacit_store::{StoreResult, TeamRole};
use tokio_postgres::types::Type;

use crate::connection::Connection;
use crate::error::damaged;
use crate::migrate;
use crate::settings::{ServerSettings, Timeouts};
use crate::store::PostgresStore;

/// The time that a migration may take.
const MIGRATION: Duration = Duration::from_secs(60 * 60);

/// A member of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Member {
    /// The name of the server's user.
    pub name: String,
    /// The role in the project.
    pub role: TeamRole,
}

/// Creates or upgrades the schema on a server. Returns the schema version before; 0 if there was none.
///
/// The first run needs a login that may create roles, a schema and the extension `vector`.
pub fn install(settings: &ServerSettings, timeouts: Timeouts) -> StoreResult<i64> {
    let connection = Connection::open(settings, timeouts)?;
    connection.set_patience(MIGRATION);
    migrate::migrate(&connection)
}

/// Adds a project with the user as its curator, if the server has none with this identity.
pub fn add_project(
    settings: &ServerSettings,
    timeouts: Timeouts,
    identity: &str,
    name: &str,
) -> StoreResult<()> {
    let connection = open_current(settings, timeouts)?;
    let sql = "SELECT tacit.add_project($1, $2)";
    connection.rows(sql, &[(&identity, Type::TEXT), (&name, Type::TEXT)]).map(drop)
}

/// Adds the project with the user's own memories, which no other member can read, if the server has none.
/// Returns its identity.
pub fn add_own_project(settings: &ServerSettings, timeouts: Timeouts) -> StoreResult<String> {
    let connection = open_current(settings, timeouts)?;
    let row = connection.row("SELECT tacit.add_own_project()", &[])?;
    connection.get(&row, 0)
}

/// Connects to a server with the current schema.
fn open_current(settings: &ServerSettings, timeouts: Timeouts) -> StoreResult<Connection> {
    let connection = Connection::open(settings, timeouts)?;
    connection.batch(migrate::SAFE_PATH)?;
    let version = migrate::version(&connection)?.unwrap_or(0);
    migrate::check_version(connection.server(), version)?;
    Ok(connection)
}

impl PostgresStore {
    /// Returns the role of the user in the project.
    pub fn role(&self) -> TeamRole {
        self.role
    }

    /// Returns the name of the server's user.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Returns the members of the project, by name.
    pub fn members(&self) -> StoreResult<Vec<Member>> {
        let sql = "SELECT member::text, role FROM members WHERE project = $1
                   ORDER BY member::text COLLATE \"C\"";
        let rows = self.connection.rows(sql, &[(&self.project, Type::INT8)])?;
        rows.iter()
            .map(|row| {
                let role: &str = self.connection.get(row, 1)?;
                let role = TeamRole::from_word(role)
                    .ok_or_else(|| damaged(self.connection.server(), "a member has no role"))?;
                Ok(Member { name: self.connection.get(row, 0)?, role })
            })
            .collect()
    }

    /// Adds a member, or changes a member's role. The user of this name must exist on the server.
    pub fn set_member(&mut self, name: &str, role: TeamRole) -> StoreResult<()> {
        let sql = "SELECT set_member($1, $2::text::name, $3)";
        let role = role.as_str();
        self.connection
            .rows(sql, &[(&self.project, Type::INT8), (&name, Type::TEXT), (&role, Type::TEXT)])
            .map(drop)
    }

    /// Removes a member. Returns false if there is none with this name.
    pub fn remove_member(&mut self, name: &str) -> StoreResult<bool> {
        let sql = "SELECT remove_member($1, $2::text::name)";
        let row = self.connection.row(sql, &[(&self.project, Type::INT8), (&name, Type::TEXT)])?;
        self.connection.get(&row, 0)
    }
}
