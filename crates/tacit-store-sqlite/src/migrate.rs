//! Schema migrations: numbered scripts in the binary, applied in order and never changed.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};
use tacit_store::{StoreError, StoreResult};

use crate::error::{damaged, explain};
use crate::upgrade::{self, CONCLUSIONS_IN_WORDS};

/// The SQLite application id that marks a file as ours: `TACT`.
const APPLICATION_ID: i64 = 0x5441_4354;

/// The scripts; the one at index `n` migrates from version `n` to `n + 1`.
pub(crate) const SCRIPTS: &[&str] = &[
    include_str!("../migrations/0001_memories.sql"),
    include_str!("../migrations/0002_observer.sql"),
    include_str!("../migrations/0003_graph.sql"),
    include_str!("../migrations/0004_vectors.sql"),
    include_str!("../migrations/0005_activity.sql"),
    include_str!("../migrations/0006_observed_sessions.sql"),
    include_str!("../migrations/0007_reports.sql"),
    include_str!("../migrations/0008_ties_by_source.sql"),
    include_str!("../migrations/0009_graph_beside.sql"),
    include_str!("../migrations/0010_code_links.sql"),
    include_str!("../migrations/0011_lists.sql"),
    include_str!("../migrations/0012_reasons_go.sql"),
    include_str!("../migrations/0013_errors.sql"),
    include_str!("../migrations/0014_smaller_log.sql"),
    include_str!("../migrations/0015_cues.sql"),
    include_str!("../migrations/0016_life.sql"),
    include_str!("../migrations/0017_fates.sql"),
    include_str!("../migrations/0018_visibility.sql"),
    include_str!("../migrations/0019_team_copy.sql"),
];

/// The newest schema version.
pub const LATEST: i64 = SCRIPTS.len() as i64;

/// Migrates the database to [`LATEST`], all or nothing.
pub(crate) fn migrate(connection: &mut Connection, path: &Path) -> StoreResult<()> {
    migrate_to(connection, path, LATEST)
}

/// Migrates the database to a version; versions before [`LATEST`] are for tests.
pub(crate) fn migrate_to(connection: &mut Connection, path: &Path, to: i64) -> StoreResult<()> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    if version(connection, path)? >= to {
        return Ok(());
    }
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(fail)?;
    // Another process may have migrated it while we waited for the lock.
    let from = version(&transaction, path)?;
    for script in SCRIPTS.iter().take(to as usize).skip(from as usize) {
        transaction.execute_batch(script).map_err(fail)?;
    }
    if from <= CONCLUSIONS_IN_WORDS && to == LATEST {
        upgrade::conclusions(&transaction).map_err(fail)?;
    }
    if from < to {
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(fail)?;
        transaction.pragma_update(None, "user_version", to).map_err(fail)?;
    }
    transaction.commit().map_err(fail)
}

/// Returns the schema version, after checking that the database is ours and not too new.
pub(crate) fn version(connection: &Connection, path: &Path) -> StoreResult<i64> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let found: i64 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(fail)?;
    let owner: i64 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(fail)?;
    // Another program uses the same field for its versions.
    if owner == APPLICATION_ID || owner == 0 {
        if found > LATEST {
            return Err(StoreError::TooNew { path: path.to_path_buf(), found, known: LATEST });
        }
        if found < 0 {
            return Err(odd(path, found));
        }
    }
    if found == LATEST && owner == APPLICATION_ID {
        return Ok(found);
    }
    // One statement, so that concurrent creation of the tables is seen completely or not at all.
    let (found, owner, tables): (i64, i64, i64) = connection
        .query_row(
            "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
             FROM pragma_user_version, pragma_application_id",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .map_err(fail)?;
    if (tables > 0 || owner != 0 || found > 0) && owner != APPLICATION_ID {
        return Err(damaged(path, "it belongs to another program"));
    }
    if found < 0 {
        return Err(odd(path, found));
    }
    Ok(found)
}

fn odd(path: &Path, found: i64) -> StoreError {
    damaged(path, format!("it has schema version {found}, which no version of tacit writes"))
}
