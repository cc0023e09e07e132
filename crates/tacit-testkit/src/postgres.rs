//! A database of its own for each test, on the server that `cargo xtask postgres` runs.

use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;

use postgres::{Client, Config, NoTls, SimpleQueryMessage};

/// The variable with the URL of a superuser, which `cargo xtask test` sets.
pub const SERVER: &str = "TACIT_TEST_POSTGRES";

/// Creates an empty database on the server.
///
/// # Panics
///
/// If no server is named or it does not answer: a test without its server has failed.
pub fn fresh_database() -> TestDatabase {
    TestDatabase::on(&server_url())
}

/// Returns the URL of the server's superuser.
pub fn server_url() -> String {
    #[expect(clippy::disallowed_methods, reason = "only tests ask, and `cargo xtask` sets it")]
    let url = std::env::var(SERVER);
    url.unwrap_or_else(|_| {
        panic!("`{SERVER}` is not set: run `cargo xtask postgres` and set it as it says, or run `cargo xtask test`")
    })
}

/// An empty database with a random name and roles of its own; dropping it drops them and ends connections.
#[derive(Debug)]
pub struct TestDatabase {
    server: String,
    name: String,
    password: String,
    users: Mutex<Vec<String>>,
}

impl TestDatabase {
    /// Creates an empty database on the server of a superuser's URL.
    ///
    /// # Panics
    ///
    /// If the server refuses.
    pub fn on(server: &str) -> TestDatabase {
        let name = format!("tacit_test_{:016x}", random());
        let database = TestDatabase {
            server: server.to_owned(),
            name,
            password: format!("{:016x}", random()),
            users: Mutex::default(),
        };
        let create = format!("CREATE DATABASE {} TEMPLATE template0", database.name);
        database.on_server(&[create]).unwrap_or_else(|error| panic!("no database: {error:?}"));
        database
    }

    /// Returns the URL of the database for the superuser.
    pub fn url(&self) -> String {
        let (account, host, _) = parts(&self.server);
        format!("postgres://{account}@{host}/{}", self.name)
    }

    /// Returns the URL of the database for a user, who may not exist yet.
    pub fn url_as(&self, name: &str) -> String {
        let (_, host, _) = parts(&self.server);
        let user: String = self.user(name).bytes().map(|byte| format!("%{byte:02x}")).collect();
        format!("postgres://{user}:{}@{host}/{}", self.password, self.name)
    }

    /// Returns the role of a user: roles are common to all databases of a server, so its name has the database's.
    pub fn user(&self, name: &str) -> String {
        format!("{name}_{}", self.name)
    }

    /// Returns the name of the database.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates a role that may log in, and nothing else; returns its URL of the database.
    ///
    /// # Panics
    ///
    /// If the server refuses.
    pub fn create_user(&self, name: &str) -> String {
        let user = self.user(name);
        let create = format!("CREATE ROLE {} LOGIN PASSWORD '{}'", quoted(&user), self.password);
        self.on_server(&[create]).unwrap_or_else(|error| panic!("no user `{user}`: {error:?}"));
        self.users.lock().expect("no panic under the lock").push(user);
        self.url_as(name)
    }

    /// Drops a role that [`TestDatabase::create_user`] created, with what it owns and granted.
    ///
    /// # Panics
    ///
    /// If the server refuses.
    pub fn drop_user(&self, name: &str) {
        let user = self.user(name);
        let dropped = quoted(&user);
        self.run(&format!("DROP OWNED BY {dropped}; DROP ROLE {dropped}"));
        self.users.lock().expect("no panic under the lock").retain(|known| *known != user);
    }

    /// Connects to the database as the superuser.
    ///
    /// # Panics
    ///
    /// If the server refuses.
    pub fn connect(&self) -> Client {
        connect(&self.url())
    }

    /// Connects to the database as a user.
    ///
    /// # Panics
    ///
    /// If the server refuses.
    pub fn connect_as(&self, user: &str) -> Client {
        connect(&self.url_as(user))
    }

    /// Runs SQL in the database as the superuser.
    ///
    /// # Panics
    ///
    /// If the server refuses.
    pub fn run(&self, sql: &str) {
        let done = self.connect().batch_execute(sql);
        done.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }

    /// Runs SQL in the database as a user. Returns the first column of the first row as text, or the code of the error.
    pub fn ask(&self, user: &str, sql: &str) -> Result<Option<String>, String> {
        first_column(&self.url_as(user), sql)
    }

    /// Like [`TestDatabase::ask`], as the superuser.
    ///
    /// # Panics
    ///
    /// If the server refuses.
    pub fn ask_superuser(&self, sql: &str) -> Option<String> {
        first_column(&self.url(), sql).unwrap_or_else(|code| panic!("{sql}: {code}"))
    }

    /// Runs statements in the superuser's database.
    fn on_server(&self, statements: &[String]) -> Result<(), postgres::Error> {
        let mut client = self.server.parse::<Config>()?.connect(NoTls)?;
        statements.iter().try_for_each(|statement| client.execute(statement, &[]).map(drop))
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let mut statements = vec![format!("DROP DATABASE {} WITH (FORCE)", self.name)];
        let users = self.users.get_mut().map(std::mem::take).unwrap_or_default();
        for user in users.iter().map(|user| quoted(user)) {
            statements.push(format!("DROP OWNED BY {user} CASCADE"));
            statements.push(format!("DROP ROLE {user}"));
        }
        let dropped = self.on_server(&statements);
        // The server may be gone because the test or its runner was ended.
        assert!(dropped.is_ok() || std::thread::panicking(), "cannot drop: {dropped:?}");
    }
}

/// Connects to a database without TLS.
fn connect(url: &str) -> Client {
    Client::connect(url, NoTls).unwrap_or_else(|error| panic!("no connection: {error:?}"))
}

fn first_column(url: &str, sql: &str) -> Result<Option<String>, String> {
    let code = |error: postgres::Error| match error.code() {
        Some(code) => code.code().to_owned(),
        None => error.to_string(),
    };
    let messages = Client::connect(url, NoTls).and_then(|mut client| client.simple_query(sql));
    Ok(messages.map_err(code)?.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
        _ => None,
    }))
}

/// Splits a URL into account with password, host with port, and database.
fn parts(url: &str) -> (&str, &str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let (account, rest) = rest.rsplit_once('@').unwrap_or(("postgres", rest));
    let (host, database) = rest.split_once('/').unwrap_or((rest, ""));
    (account, host, database)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Returns a number that no other test has.
fn random() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_and_roles_are_dropped() {
        let database = fresh_database();
        let (name, user) = (database.name().to_owned(), database.user("ann o'\"neil"));
        let url = database.create_user("ann o'\"neil");
        database.run("CREATE EXTENSION vector");
        let mut stays_connected = connect(&url);
        let row = stays_connected.query_one("SELECT session_user::text", &[]).unwrap();
        assert_eq!(row.get::<_, &str>(0), user);
        drop(database);
        assert!(stays_connected.query_one("SELECT 1", &[]).is_err());
        let left = "SELECT 1 FROM pg_database WHERE datname = $1 UNION ALL SELECT 1 FROM pg_roles WHERE rolname = $2";
        assert!(connect(&server_url()).query(left, &[&name, &user]).unwrap().is_empty());
    }

    #[test]
    fn users_need_their_password() {
        let database = fresh_database();
        let url = database.create_user("ann").replace(&database.password, "wrong");
        assert!(Client::connect(&url, NoTls).is_err());
    }
}
