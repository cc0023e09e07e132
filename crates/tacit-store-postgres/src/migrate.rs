//! The schema and its versions: numbered scripts in the binary, applied in order and never changed.

use std::path::PathBuf;

use tacit_store::{StoreError, StoreResult};
use tokio_postgres::types::Type;

use crate::connection::{Connection, WriterLock};

/// The scripts; the one at index `n` migrates from version `n` to `n + 1`.
pub(crate) const SCRIPTS: &[&str] = &[concat!(
    include_str!("../migrations/0001_team.sql"),
    include_str!("../migrations/0001_rights.sql"),
    include_str!("../migrations/0001_functions.sql")
)];

/// The newest schema version.
pub const LATEST: i64 = SCRIPTS.len() as i64;

/// Creates the owner's role, unless another database of the server has it. Roles belong to the whole server,
/// so another installation may create them at the same time.
const OWNER: &str = "
DO $$
BEGIN
    CREATE ROLE tacit_owner NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;";

/// Creates the members' role, unless there is one. The owner creates it: its right to add members then comes
/// from the server, and does not end with the login of the person who ran this.
const MEMBER: &str = "
DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = 'tacit_member') THEN
        ALTER ROLE tacit_owner CREATEROLE;
        SET LOCAL ROLE tacit_owner;
        CREATE ROLE tacit_member NOLOGIN;
        SET LOCAL ROLE NONE;
        ALTER ROLE tacit_owner NOCREATEROLE;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_auth_members m
            WHERE m.roleid = 'tacit_member'::regrole AND m.member = 'tacit_owner'::regrole
            AND m.admin_option) THEN
        GRANT tacit_member TO tacit_owner WITH ADMIN OPTION;
    END IF;
EXCEPTION WHEN unique_violation THEN NULL;
END $$;";

/// Looks names up where only the server's administrator creates anything: others may have planted functions
/// and operators in the schemas of the default path.
pub(crate) const SAFE_PATH: &str = "SET search_path = pg_catalog, pg_temp";

/// The name that stands for the schema of the extension in the scripts.
const VECTOR_SCHEMA: &str = "tacit_vector";

/// Migrates the schema to [`LATEST`], all or nothing, and creates it if there is none. Returns the version
/// before.
pub(crate) fn migrate(connection: &Connection) -> StoreResult<i64> {
    connection.batch(SAFE_PATH)?;
    connection.transaction(WriterLock::None, |connection| {
        // Another process may be migrating.
        connection.batch(
            "SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0;
             SELECT pg_advisory_xact_lock(hashtextextended('tacit schema', 0))",
        )?;
        let from = version(connection)?.unwrap_or(0);
        if from > LATEST {
            return Err(too_new(connection.server(), from));
        }
        if from >= LATEST {
            return Ok(from);
        }
        if from == 0 {
            create(connection)?;
        }
        let vector_schema = vector_schema(connection)?;
        as_owner(connection, |connection| {
            for script in SCRIPTS.iter().skip(from as usize) {
                connection.batch(&script.replace(VECTOR_SCHEMA, &vector_schema))?;
            }
            connection
                .execute("UPDATE tacit.schema_version SET version = $1", &[(&LATEST, Type::INT8)])
                .map(drop)
        })?;
        Ok(from)
    })
}

/// Returns the schema version; `None` if there is no schema.
pub(crate) fn version(connection: &Connection) -> StoreResult<Option<i64>> {
    let known = connection.row("SELECT to_regclass('tacit.schema_version') IS NOT NULL", &[])?;
    if !connection.get::<bool>(&known, 0)? {
        return Ok(None);
    }
    let row = connection.row("SELECT max(version) FROM tacit.schema_version", &[])?;
    connection.get(&row, 0)
}

/// Creates the extension, the roles and the empty schema.
fn create(connection: &Connection) -> StoreResult<()> {
    let available = "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_available_extensions
                     WHERE name = 'vector')";
    let row = connection.row(available, &[])?;
    if !connection.get::<bool>(&row, 0)? {
        return Err(StoreError::Denied {
            server: connection.server().to_owned(),
            detail: "it does not have the extension `vector` (pgvector)".into(),
        });
    }
    let installed =
        "SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_extension WHERE extname = 'vector')";
    let row = connection.row(installed, &[])?;
    if !connection.get::<bool>(&row, 0)? {
        check_schema(connection, "public")?;
        connection.batch("CREATE EXTENSION vector SCHEMA public")?;
    }
    connection.batch(OWNER)?;
    with_ownership(connection, |connection| {
        connection.batch(MEMBER)?;
        connection.batch(
            "CREATE SCHEMA tacit AUTHORIZATION tacit_owner;
             SET LOCAL ROLE tacit_owner;
             CREATE TABLE tacit.schema_version (version bigint NOT NULL);
             INSERT INTO tacit.schema_version VALUES (0);
             SET LOCAL ROLE NONE",
        )
    })
}

/// Returns the schema of the extension, quoted.
fn vector_schema(connection: &Connection) -> StoreResult<String> {
    let sql = "SELECT n.nspname::text, pg_catalog.quote_ident(n.nspname)
               FROM pg_catalog.pg_extension e
               JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'";
    let row = connection.row(sql, &[])?;
    check_schema(connection, connection.get(&row, 0)?)?;
    let quoted: String = connection.get(&row, 1)?;
    // It is also written into texts of SQL.
    match quoted.contains(['\'', '%', '$', '\\']) {
        true => Err(unusable(connection, &quoted, "has a name with special characters")),
        false => Ok(quoted),
    }
}

/// Fails unless everyone may use a schema and only chosen people create objects in it, because these may replace
/// the functions of the extension, for everyone.
fn check_schema(connection: &Connection, schema: &str) -> StoreResult<()> {
    let sql = "SELECT pg_catalog.has_schema_privilege('public'::name, n.oid, 'CREATE'),
                   pg_catalog.has_schema_privilege('public'::name, n.oid, 'USAGE')
               FROM pg_catalog.pg_namespace n WHERE n.nspname = $1::text::name";
    let rows = connection.rows(sql, &[(&schema, Type::TEXT)])?;
    let Some(row) = rows.first() else { return Err(unusable(connection, schema, "is not there")) };
    if connection.get::<bool>(row, 0)? {
        let problem =
            "lets everyone create objects in it: run `REVOKE CREATE ON SCHEMA … FROM PUBLIC`";
        return Err(unusable(connection, schema, problem));
    }
    if !connection.get::<bool>(row, 1)? {
        let problem = "cannot be used by everyone: run `GRANT USAGE ON SCHEMA … TO PUBLIC`";
        return Err(unusable(connection, schema, problem));
    }
    Ok(())
}

/// Returns the error of a schema that the extension must not be in.
fn unusable(connection: &Connection, schema: &str, problem: &str) -> StoreError {
    StoreError::Denied {
        server: connection.server().to_owned(),
        detail: format!(
            "the schema `{schema}`, for the extension `vector`, {problem}, or let an administrator \
             create the extension in another one with `CREATE EXTENSION vector SCHEMA …`"
        ),
    }
}

/// Runs `work` as the owner of the schema.
fn as_owner(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> StoreResult<()>,
) -> StoreResult<()> {
    with_ownership(connection, |connection| {
        // With row security off, a script that would not see all rows fails.
        connection.batch(
            "SET LOCAL ROLE tacit_owner;
             SET LOCAL row_security = off;
             SET LOCAL search_path = tacit, pg_temp",
        )?;
        work(connection)?;
        connection.batch("SET LOCAL ROLE NONE; SET LOCAL search_path = pg_catalog, pg_temp")
    })
}

/// Makes the user a member of the owner's role while `work` runs, unless they may act as everyone. Nobody
/// stays one: its members see all rows.
fn with_ownership(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> StoreResult<()>,
) -> StoreResult<()> {
    let sql = "SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user";
    let row = connection.row(sql, &[])?;
    if connection.get::<bool>(&row, 0)? {
        return work(connection);
    }
    connection.batch("GRANT tacit_owner TO CURRENT_USER")?;
    work(connection)?;
    // They remain one of those who add projects and see the version.
    connection.batch(
        "SET LOCAL ROLE tacit_owner;
         GRANT tacit_member TO SESSION_USER;
         SET LOCAL ROLE NONE;
         REVOKE tacit_owner FROM CURRENT_USER",
    )
}

/// Checks the version that an opened schema has.
pub(crate) fn check_version(server: &str, found: i64) -> StoreResult<()> {
    match found {
        LATEST => Ok(()),
        found if found > LATEST => Err(too_new(server, found)),
        found => Err(StoreError::OldSchema { path: PathBuf::from(server), found, needed: LATEST }),
    }
}

fn too_new(server: &str, found: i64) -> StoreError {
    StoreError::TooNew { path: PathBuf::from(server), found, known: LATEST }
}
