//! Tests of the store on a real server.

mod compared;
mod database;
mod delta;
mod failures;
mod hostile;
mod locks;
mod nearest;
mod own;
mod planted;
mod private;
mod rights;
mod settings;

/// The cases of every store, as a curator of the project: row-level security applies.
mod conformance {
    use tacit_store_postgres::PostgresStore;

    use crate::database::TestDatabase;

    pub(crate) fn store() -> (PostgresStore, TestDatabase) {
        let database = TestDatabase::with_project();
        (database.open("ada"), database)
    }

    fn again(database: &TestDatabase) -> PostgresStore {
        database.open("ada")
    }

    tacit_store::conformance_tests!(store, again);
}
