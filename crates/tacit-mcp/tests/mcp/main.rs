//! The server as a real client sees it, over a store on disk.

mod graph;
mod hostile;
mod lists;
mod plugin;
mod read;
mod schema;
mod store;
mod tell;
mod typed;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject};
use rmcp::service::{RunningService, ServiceError};
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value;
use tacit_codebase::Codebase;
use tacit_core::{
    Author, Clock, Config, IdSource, Key, Memory, MemoryId, RepoPath, SessionId, Timestamp,
};
use tacit_engine::{ConfigOrigin, Engine, Here, LoadedConfig, Needs, Places};
use tacit_mcp::Host;
use tacit_triggers::files::Layout;
use tempfile::TempDir;

/// A project with an empty memory, in a place of its own.
struct World {
    directory: TempDir,
    clock: Clockwork,
    ids: Counted,
    settings: Mutex<BTreeMap<String, String>>,
    session: Mutex<Option<String>>,
    /// Whoever holds it keeps all calls from going on.
    gate: Mutex<()>,
    places: Places,
}

/// A clock that goes on by a second with every look at it.
struct Clockwork(AtomicI64);

impl Clock for Clockwork {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1_000, Ordering::SeqCst)).expect("a moment")
    }
}

struct Counted(AtomicU64);

impl IdSource for Counted {
    fn next_id(&self, at: Timestamp) -> MemoryId {
        let count = self.0.fetch_add(1, Ordering::SeqCst);
        let mut random = [0; 10];
        random[2..].copy_from_slice(&count.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        MemoryId::from_parts(at, random)
    }
}

impl World {
    /// With a memory.
    fn new() -> Arc<World> {
        let world = World::bare();
        Engine::create_project(&world.places, &Config::default()).expect("a store");
        world
    }

    /// Without one.
    fn bare() -> Arc<World> {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().to_path_buf();
        Arc::new(World {
            clock: Clockwork(AtomicI64::new(1_794_738_600_000)),
            ids: Counted(AtomicU64::new(1)),
            settings: Mutex::default(),
            session: Mutex::default(),
            gate: Mutex::default(),
            places: Places {
                project: root.join(".tacit"),
                shared: root.join(".tacit"),
                global: root.join("home"),
                root,
            },
            directory,
        })
    }

    fn set(&self, key: &str, value: &str) {
        self.settings.lock().expect("settings").insert(key.into(), value.into());
    }

    fn in_session(&self, session: &str) {
        *self.session.lock().expect("a session") = Some(session.into());
    }

    fn hours_later(&self, hours: i64) {
        self.clock.0.fetch_add(hours * 3_600_000, Ordering::SeqCst);
    }

    fn engine(&self, needs: Needs) -> Engine<'_> {
        let actor = Author::new("tester").expect("a name");
        let config = self.config().expect("a configuration");
        Engine::open(self.places.clone(), config, needs, &self.clock, &self.ids, actor)
            .expect("an engine")
    }

    fn write(&self, path: &str, text: &str) {
        let path: PathBuf = self.directory.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
}

impl Host for World {
    fn places(&self) -> &Places {
        &self.places
    }

    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn ids(&self) -> &dyn IdSource {
        &self.ids
    }

    fn config(&self) -> Result<Config, String> {
        drop(self.gate.lock().expect("the gate"));
        let mut loaded = LoadedConfig::default();
        for (name, text) in self.settings.lock().expect("settings").iter() {
            let value = Key::find(name).and_then(|key| key.parse(text));
            let value = value.map_err(|error| error.to_string())?;
            let origin = ConfigOrigin::Environment("a test".into());
            loaded.apply(name, &value, origin).map_err(|error| error.to_string())?;
        }
        Ok(loaded.config)
    }

    fn with_meaning<'e>(&self, engine: Engine<'e>, _: &Config) -> Engine<'e> {
        engine
    }

    fn user(&self) -> Author {
        Author::new("ada").expect("a name")
    }

    fn here(&self) -> Here {
        let branch = Some("feature/x".to_owned());
        Here { session: None, branch, worktree: self.places.root.clone() }
    }

    fn session(&self) -> Option<SessionId> {
        let session = self.session.lock().expect("a session");
        session.as_deref().map(|id| id.parse().expect("a session id"))
    }

    fn triggers(&self, config: &Config) -> Layout {
        Layout {
            root: self.places.root.clone(),
            decisions: vec![config.triggers_decisions.clone()],
            indexes: vec![config.triggers_index.clone()],
        }
    }

    fn codebase(&self) -> Codebase {
        Codebase::new(&self.places.root, &self.places.project.join("graph"))
    }

    fn link_learnt(&self, _: &mut Engine<'_>, _: &Memory) {}

    fn unknown(&self, _: &[String], symbols: &[String]) -> Vec<String> {
        let unknown = symbols.iter().filter(|symbol| symbol.ends_with("::Nope"));
        unknown.map(|symbol| format!("there is no `{symbol}`")).collect()
    }

    fn file(&self, typed: &str) -> Result<RepoPath, String> {
        RepoPath::new(typed).map_err(|problem| format!("file {problem}"))
    }

    fn moment(&self, text: &str) -> Result<Timestamp, String> {
        text.parse().map_err(|_| format!("`{text}` is not a time"))
    }

    fn leave_work(&self) {}
}

type Client = RunningService<RoleClient, ()>;

/// Runs a story with a client of the world's server.
fn with_client<T>(world: &Arc<World>, story: impl AsyncFnOnce(Client) -> T) -> T {
    runtime().block_on(async { story(connect(world).await).await })
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// A client that has introduced itself to a server of its own.
async fn connect(world: &Arc<World>) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let host: Arc<dyn Host> = world.clone();
    tokio::spawn(tacit_mcp::serve(host, read, write));
    ().serve(ours).await.expect("a connection")
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(fields) => fields,
        other => panic!("not an object: {other}"),
    }
}

async fn call(
    client: &Client,
    tool: &'static str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    client.call_tool(CallToolRequestParams::new(tool).with_arguments(object(arguments))).await
}

/// What a tool says, with what it gives to programs, which must be as its schema says.
async fn ask(client: &Client, tool: &'static str, arguments: Value) -> (String, Value) {
    let result = call(client, tool, arguments).await.expect("a result");
    let text = said(&result);
    assert_ne!(result.is_error, Some(true), "{tool}: {text}");
    let value = result.structured_content.expect("a value");
    let tools = tacit_mcp::tools();
    let spec = tools.iter().find(|spec| spec.name == tool).expect("a tool");
    let schema = Value::Object((**spec.output_schema.as_ref().expect("a schema")).clone());
    schema::conforms(&schema, &value, tool);
    (text, value)
}

/// Why a tool refuses.
async fn refused(client: &Client, tool: &'static str, arguments: Value) -> String {
    let result = call(client, tool, arguments).await.expect("a result");
    assert_eq!(result.is_error, Some(true), "{tool}: {}", said(&result));
    assert_eq!(result.structured_content, None);
    said(&result)
}

fn said(result: &CallToolResult) -> String {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|text| text.text.clone()).collect()
}

/// Arguments that `store_memory` takes.
fn learning(description: &str) -> Value {
    serde_json::json!({
        "name": "A lesson", "description": description, "reasoning": "it was costly",
        "category": "heuristics",
    })
}

/// Stores a learning and gives its id.
async fn keep(client: &Client, description: &str) -> String {
    id(&ask(client, "store_memory", learning(description)).await.1)
}

fn id(value: &Value) -> String {
    value["id"].as_str().expect("an id").to_owned()
}
