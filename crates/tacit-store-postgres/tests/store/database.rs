//! A fresh database for each test, with the schema and a project.

use std::ops::Deref;
use std::time::Duration;

use tacit_store::TeamRole;
use tacit_store_postgres::{
    Credentials, PostgresStore, ServerSettings, ServerUrl, Timeouts, add_project, install,
};
use tacit_testkit::postgres::{self, fresh_database};

/// The identity of the project in tests.
pub(crate) const PROJECT: &str = "github.com/team/app";

/// Limits that a loaded machine keeps.
pub(crate) const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(20),
    statement: Duration::from_secs(60),
    busy: Duration::from_secs(20),
};

/// A database that is dropped with its users.
pub(crate) struct TestDatabase {
    database: postgres::TestDatabase,
}

impl Deref for TestDatabase {
    type Target = postgres::TestDatabase;

    fn deref(&self) -> &postgres::TestDatabase {
        &self.database
    }
}

impl TestDatabase {
    /// Creates an empty database.
    pub(crate) fn empty() -> TestDatabase {
        TestDatabase { database: fresh_database() }
    }

    /// Creates a database with the schema and a project, whose curator is `ada`.
    pub(crate) fn with_project() -> TestDatabase {
        let database = TestDatabase::empty();
        install(&database.superuser(), TIMEOUTS).expect("a schema");
        let ada = settings(&database.create_user("ada"));
        database.run(&format!("GRANT tacit_member TO {}", database.user("ada")));
        add_project(&ada, TIMEOUTS, PROJECT, "app").expect("a project");
        database
    }

    /// Returns the settings of the superuser.
    pub(crate) fn superuser(&self) -> ServerSettings {
        settings(&self.url())
    }

    /// Returns the settings of a user.
    pub(crate) fn settings_of(&self, person: &str) -> ServerSettings {
        settings(&self.url_as(person))
    }

    /// Creates a user, and adds them to the project.
    pub(crate) fn member(&self, person: &str, role: TeamRole) -> PostgresStore {
        self.create_user(person);
        let mut ada = self.open("ada");
        ada.set_member(&self.user(person), role).expect("a member");
        self.open(person)
    }

    /// Opens the store as a user.
    pub(crate) fn open(&self, person: &str) -> PostgresStore {
        PostgresStore::open(&self.settings_of(person), PROJECT, TIMEOUTS).expect("a store")
    }
}

/// Parses an address of the test server.
pub(crate) fn settings(url: &str) -> ServerSettings {
    let url = ServerUrl::parse(url).expect("an address");
    ServerSettings::resolve(url, &Credentials::default()).expect("settings")
}
