//! A team on PostgreSQL: people with a clone, a home and a login of their own, who share memories.

mod branches;
mod credentials;
mod crowd;
mod cut;
mod entering;
mod founder;
mod killed;
mod moving;
mod preferences;
mod private;
mod purged;
mod refused;
mod server;
mod sharing;

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde_json::Value;
use tacit_testkit::env::{RunOutput, TestEnv};
use tacit_testkit::postgres::{TestDatabase, fresh_database};
use tacit_testkit::proxy::Proxy;
use tempfile::TempDir;

use crate::BINARY;
use crate::hooks::Agent;

/// Texts that three prompts are about.
const POOL: &str = "Close the connection pool before the worker forks, or both share one socket";
const NAMES: &str = "Names of new files are written in kebab case";
const INVOICES: &str = "Invoices are rounded half to even, never half up";
/// A prompt about [`POOL`].
const ABOUT_POOL: &str = "why must the connection pool be closed before a fork?";

/// A database and a repository that people clone.
struct Team {
    database: TestDatabase,
    origin: TempDir,
}

/// A person with a clone and a login; the password is in their pgpass file alone.
struct Person {
    env: TestEnv,
    /// The address of the database, without the password.
    url: String,
    /// The name of the login.
    login: String,
    password: String,
}

impl Team {
    /// Creates an empty database, in which `ada` may set up Tacit, and a repository.
    fn new() -> Team {
        Team::on(fresh_database())
    }

    /// Like [`Team::new`], with a database of another server.
    fn on(database: TestDatabase) -> Team {
        database.create_user("ada");
        let (ada, name) = (database.user("ada"), database.name());
        // The roles belong to the whole server, so another test may have made them. The extension is
        // not trusted: a superuser creates it.
        database.run(&format!(
            "CREATE EXTENSION vector;
             DO $$ BEGIN CREATE ROLE tacit_owner NOLOGIN;
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
             DO $$ BEGIN CREATE ROLE tacit_member NOLOGIN;
             EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
             ALTER ROLE {ada} CREATEROLE;
             GRANT CREATE ON DATABASE {name} TO {ada};
             GRANT CREATE ON SCHEMA public TO {ada};"
        ));
        grant_roles(&database, &ada);
        let origin = tempfile::tempdir().expect("a directory");
        let team = Team { database, origin };
        team.create_repository();
        team
    }

    /// Creates a team whose curator `ada` shares three memories, and whose contributor `bo` follows.
    fn of_two() -> (Team, Person, Person) {
        let team = Team::new();
        let ada = team.founder();
        let bo = team.member("bo", "contributor", &ada);
        (team, ada, bo)
    }

    /// Creates `ada`, who has set up the database and shares three memories.
    fn founder(&self) -> Person {
        let ada = self.person("ada");
        for text in [POOL, NAMES, INVOICES] {
            ada.remembers(text);
        }
        ada.run(["team", "init", &ada.url, "--share"]);
        ada
    }

    /// Creates a person whom the founder adds, and who has joined.
    fn member(&self, name: &str, role: &str, founder: &Person) -> Person {
        self.database.create_user(name);
        self.joins(self.person(name), role, founder)
    }

    /// Like [`Team::member`], behind a network that can fail.
    fn member_behind(&self, name: &str, role: &str, founder: &Person) -> (Proxy, Person) {
        self.database.create_user(name);
        let person = self.person(name);
        let (proxy, url) = Proxy::before(&person.url);
        (proxy, self.joins(Person { url, ..person }, role, founder))
    }

    fn joins(&self, person: Person, role: &str, founder: &Person) -> Person {
        founder.run(["team", "add", &person.login, "--role", role]);
        person.run(["team", "join", &person.url]);
        person
    }

    /// Creates a person whose login exists, with a clone.
    fn person(&self, name: &str) -> Person {
        let env = TestEnv::without_git(BINARY);
        env.git(&env.root(), &["clone", "-q", &self.repository(), "project"]);
        env.run(["init", "--no-hooks"]).succeeded();
        // A loaded machine must not decide a test.
        for (key, most) in [("timeouts.hook_ms", "10000"), ("timeouts.server_ms", "5000")] {
            env.run(["config", "set", key, most]).succeeded();
        }
        let with_password = self.database.url_as(name);
        let (account, place) = with_password.rsplit_once('@').expect("an account");
        let (user, password) = account.rsplit_once(':').expect("a password");
        let person = Person {
            env,
            url: format!("{user}@{place}"),
            login: self.database.user(name),
            password: password.to_owned(),
        };
        person.has_password(password);
        person
    }

    fn repository(&self) -> String {
        self.origin.path().join("shop.git").display().to_string()
    }

    fn create_repository(&self) {
        let env = TestEnv::new(BINARY);
        fs::write(env.project().join("README.md"), "# Shop\n").expect("a file");
        env.git(&env.project(), &["add", "-A"]);
        env.git(&env.project(), &["commit", "-qm", "start"]);
        env.git(&env.root(), &["clone", "-q", "--bare", "project", &self.repository()]);
    }

    /// Returns the answer of the superuser's statement as a number.
    fn count(&self, sql: &str) -> usize {
        let answer = self.database.ask_superuser(sql).expect("a row");
        answer.parse().unwrap_or_else(|_| panic!("{sql}: {answer}"))
    }

    /// Returns how many memories the server has.
    fn memories(&self) -> usize {
        self.count("SELECT count(*) FROM tacit.memories")
    }
}

/// Lets a login set up Tacit though the roles exist, and gives the owner its right to add members from the
/// superuser: what another test's login gave goes with that login. Other tests change the same catalogue
/// rows, so the server may refuse for a moment.
fn grant_roles(database: &TestDatabase, login: &str) {
    let grant = format!(
        "DO $$ BEGIN FOR attempt IN 1..100 LOOP
             BEGIN
                 GRANT tacit_owner, tacit_member TO {login} WITH ADMIN TRUE, INHERIT FALSE;
                 GRANT tacit_member TO tacit_owner WITH ADMIN TRUE;
                 RETURN;
             EXCEPTION WHEN internal_error OR unique_violation THEN PERFORM pg_sleep(0.01);
             END;
         END LOOP; END $$"
    );
    database.run(&grant);
}

impl Person {
    /// Runs the binary, which must succeed without a warning.
    fn run<const N: usize>(&self, arguments: [&str; N]) -> RunOutput {
        let ran = self.env.run(arguments);
        self.keeps_secrets(&ran);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments:?}: {}", ran.stdout);
        ran
    }

    /// Runs the binary, which may print a warning.
    fn tries<const N: usize>(&self, arguments: [&str; N]) -> RunOutput {
        let ran = self.env.run(arguments);
        self.keeps_secrets(&ran);
        ran
    }

    /// Leaves meanings alone: tests that write much are about other things.
    fn embeds_nothing(&self) {
        self.run(["config", "set", "embedding.provider", "off", "--global"]);
    }

    /// Checks that no output has the password.
    fn keeps_secrets(&self, ran: &RunOutput) {
        assert!(!format!("{ran:?}").contains(&self.password), "{ran:?}");
    }

    /// Stores a memory. Returns the output's JSON.
    fn remembers(&self, text: &str) -> Value {
        let ran = self.tries(["remember", text, "--json"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.json()
    }

    /// Writes the pgpass file.
    fn has_password(&self, password: &str) {
        let path = self.env.root().join("home/.pgpass");
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o600).open(path);
        let line = format!("*:*:*:{}:{password}\n", self.login);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("a file");
    }

    /// Returns the contents of all memories in use, as commands see them, in alphabetical order.
    fn knows(&self) -> Vec<String> {
        contents(&self.tries(["list", "--limit", "100000", "--json"]).json())
    }

    /// Like [`Person::knows`], from the copy alone.
    fn knows_alone(&self) -> Vec<String> {
        self.run(["config", "unset", "database.url"]);
        let known = self.knows();
        self.run(["config", "set", "database.url", &self.url]);
        known
    }

    /// Returns the reply to a prompt in a new session.
    fn is_shown(&self, session: &str, prompt: &str) -> String {
        Agent::new(&self.env, session).says(prompt).context.unwrap_or_default()
    }

    fn status(&self) -> Value {
        self.tries(["team", "status", "--json"]).json()
    }

    /// Returns the requests that wait for the server.
    fn spooled(&self) -> usize {
        files_in(&self.env.store().join("spool"))
    }

    /// Lets the next hook ask the server, as if its failure were a while ago.
    fn forgets_failure(&self) {
        let path = self.env.store().join("team.json");
        let text = fs::read_to_string(&path).expect("a state");
        let mut state: Value = serde_json::from_str(&text).expect("JSON");
        (state["failed_at"], state["failure"]) = (Value::Null, Value::Null);
        fs::write(&path, state.to_string()).expect("written");
    }
}

/// Returns the contents of listed memories in alphabetical order.
fn contents(listed: &Value) -> Vec<String> {
    let memories = listed.as_array().unwrap_or_else(|| panic!("no list: {listed}"));
    let content = |memory: &Value| memory["content"].as_str().expect("a text").to_owned();
    let mut contents: Vec<String> = memories.iter().map(content).collect();
    contents.sort();
    contents
}

fn files_in(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}
