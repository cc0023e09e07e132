//! Opening of a store.

use std::path::PathBuf;

use tacit_store::{StoreError, StoreResult, TeamRole};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use crate::connection::Connection;
use crate::error::damaged;
use crate::migrate::check_version;
use crate::session::session_settings;
use crate::settings::{ServerSettings, Timeouts};
use crate::store::PostgresStore;

impl PostgresStore {
    /// Opens the store of a project.
    pub fn open(
        settings: &ServerSettings,
        identity: &str,
        timeouts: Timeouts,
    ) -> StoreResult<PostgresStore> {
        let connection = Connection::open(settings, timeouts)?;
        let rows = connection.rows(&hello(timeouts), &[(&identity, Type::TEXT)])?;
        PostgresStore::greeted(connection, identity, &rows)
    }

    /// Returns the store after the answer to [`hello`].
    pub(crate) fn greeted(
        connection: Connection,
        identity: &str,
        rows: &[Row],
    ) -> StoreResult<PostgresStore> {
        let Some(row) = rows.first() else {
            return Err(damaged(connection.server(), "it does not answer"));
        };
        let server = connection.server().to_owned();
        check_version(&server, connection.get::<Option<i64>>(row, 0)?.unwrap_or(0))?;
        let user: String = connection.get(row, 1)?;
        let project: Option<i64> = connection.get(row, 2)?;
        let Some(project) = project else {
            return Err(StoreError::Missing {
                path: PathBuf::from(format!("{server} (project {identity})")),
            });
        };
        let Some(role) = connection.get::<Option<&str>>(row, 3)? else {
            let detail = format!("`{user}` is not a member of the project `{identity}`");
            return Err(StoreError::Denied { server, detail });
        };
        let role =
            TeamRole::from_word(role).ok_or_else(|| damaged(&server, "a role is unknown"))?;
        let is_unbound = connection.get(row, 4)?;
        Ok(PostgresStore { connection, project, role, user, is_unbound })
    }

    /// Returns the address of the server, without user and password.
    pub fn server(&self) -> &str {
        self.connection.server()
    }
}

/// Returns the first statement of a session: it sets it up, and selects the schema version, the user, the
/// project whose identity is `$1`, the user's role in it, and if row-level security does not bind the user.
///
/// Functions are named with their schema: until then, names may be looked up in one where others create them.
pub(crate) fn hello(timeouts: Timeouts) -> String {
    format!(
        "SELECT (SELECT pg_catalog.max(version) FROM tacit.schema_version), session_user::text,
             found.project, found.role,
             (SELECT r.rolbypassrls OR EXISTS (
                  SELECT 1 FROM pg_catalog.pg_roles o WHERE o.rolname = 'tacit_owner'
                  AND pg_catalog.pg_has_role(session_user, o.oid, 'USAGE'))
              FROM pg_catalog.pg_roles r WHERE r.rolname = session_user), {}
         FROM (VALUES (1)) AS one LEFT JOIN tacit.find_project($1) AS found ON true",
        session_settings(timeouts)
    )
}
