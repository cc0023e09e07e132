//! A project on a server, as the engine sees it.

use std::time::Duration;

use tacit_core::{MemoryId, Timestamp};
use tacit_store::{
    ChangeId, Delta, JudgedCommit, Membership, SharedStore, StoreResult, TeamServer, TransferRow,
    TransferTable,
};

use tokio_postgres::types::Type;

use crate::connection::Parameter;
use crate::delta::{fetch_delta, purged_of};
use crate::settings::{ServerSettings, Timeouts};
use crate::store::PostgresStore;

/// A project on a server.
#[derive(Debug, Clone)]
pub struct PostgresServer {
    settings: ServerSettings,
    project: String,
    timeouts: Timeouts,
}

impl PostgresServer {
    /// Names a project on a server. Connects to nothing yet.
    pub fn new(settings: ServerSettings, project: String, timeouts: Timeouts) -> PostgresServer {
        PostgresServer { settings, project, timeouts }
    }

    /// Opens the store of the project.
    pub fn open_store(&self) -> StoreResult<PostgresStore> {
        PostgresStore::open(&self.settings, &self.project, self.timeouts)
    }
}

impl TeamServer for PostgresServer {
    fn address(&self) -> String {
        self.settings.url().to_string()
    }

    fn project(&self) -> &str {
        &self.project
    }

    fn open(&self) -> StoreResult<Box<dyn SharedStore>> {
        Ok(Box::new(self.open_store()?))
    }

    fn delta(&self, after: ChangeId, limit: usize, deadline: Duration) -> StoreResult<Delta> {
        fetch_delta(&self.settings, &self.project, after, limit, deadline)
    }
}

impl SharedStore for PostgresStore {
    fn delta(&self, after: ChangeId, limit: usize) -> StoreResult<Delta> {
        self.changed_since(after, limit)
    }

    fn rows_of(&self, table: TransferTable, ids: &[MemoryId]) -> StoreResult<Vec<TransferRow>> {
        crate::transfer::rows_of(self, table, ids)
    }

    fn purged(&self, ids: &[MemoryId]) -> StoreResult<Vec<MemoryId>> {
        purged_of(self, ids)
    }

    fn judged_commit(&self) -> StoreResult<Option<JudgedCommit>> {
        let sql = "SELECT judged, judged_at FROM counters WHERE project = $1";
        let row = self.connection.row(sql, &[(&self.project, Type::INT8)])?;
        let commit: Option<String> = self.connection.get(&row, 0)?;
        let at: Option<i64> = self.connection.get(&row, 1)?;
        let at = at.and_then(Timestamp::from_millis);
        Ok(commit.zip(at).map(|(commit, at)| JudgedCommit { commit, at }))
    }

    fn set_judged_commit(&mut self, judged: &JudgedCommit) -> StoreResult<()> {
        let sql = "UPDATE counters SET judged = $2, judged_at = $3 WHERE project = $1";
        let at = judged.at.as_millis();
        let parameters: [Parameter<'_>; 3] =
            [(&self.project, Type::INT8), (&judged.commit, Type::TEXT), (&at, Type::INT8)];
        self.connection.execute(sql, &parameters).map(drop)
    }

    fn clear(&mut self) -> StoreResult<()> {
        self.connection.long_transaction(|connection| {
            connection.rows("SELECT clear_project($1)", &[(&self.project, Type::INT8)]).map(drop)
        })
    }

    fn membership(&self) -> StoreResult<Membership> {
        let (name, role) = (self.user().to_owned(), self.role());
        Ok(Membership { name, role, is_unbound: self.is_unbound })
    }
}
