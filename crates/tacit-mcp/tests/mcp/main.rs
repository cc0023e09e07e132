//! The server through a real client, with a store on disk.

mod feedback;
mod graph;
mod hostile;
mod lists;
mod plugin;
mod prompts;
mod read;
mod schema;
mod store;
mod typed;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject};
use rmcp::service::{RunningService, ServiceError};
use rmcp::{RoleClient, ServiceExt};
use serde_json::Value;
use tacit_app::{App, Environment, SilentWatcher};
use tacit_core::{Author, Clock, Config, ConfigKey, IdSource, MemoryId, SessionId, Timestamp};
use tacit_engine::{ConfigOrigin, Engine, LoadedConfig, StoreAccess, StorePaths};
use tacit_mcp::Host;
use tempfile::TempDir;

/// A temporary project.
struct World {
    directory: TempDir,
    clock: Arc<Clockwork>,
    app: App,
    settings: Mutex<BTreeMap<String, String>>,
    session: Mutex<Option<String>>,
    /// While it is locked, all calls wait.
    gate: Mutex<()>,
    places: StorePaths,
}

/// A clock that advances by a second with every reading.
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
    /// Creates a project with a store.
    fn new() -> Arc<World> {
        let world = World::bare();
        Engine::create_project(&world.places, &Config::default()).expect("a store");
        world
    }

    /// Creates a project without a store.
    fn bare() -> Arc<World> {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().canonicalize().expect("a path");
        let clock = Arc::new(Clockwork(AtomicI64::new(1_794_738_600_000)));
        let environment = Environment {
            directory: Ok(root.clone()),
            home: root.join("home"),
            claude_home: None,
            agent_session: None,
            agent: None,
            agent_project: None,
            attended: false,
            search_path: Vec::new(),
            data_home: root.join("home"),
            config_home: root.join("home"),
            user: Some("ada".to_owned()),
            overrides: Vec::new(),
            openai_key: None,
            anthropic_key: None,
            postgres: tacit_app::PostgresVariables::default(),
            nested: false,
            in_plugin: false,
            debug: false,
            off: false,
            clock: clock.clone(),
            ids: Arc::new(Counted(AtomicU64::new(1))),
        };
        std::fs::create_dir(root.join("home")).expect("a directory");
        std::fs::write(root.join("home/config.toml"), "[user]\nname = \"ada\"\n").expect("a file");
        let app = App::open(environment, root, Box::new(SilentWatcher), false).expect("a project");
        let world = World {
            places: app.places.clone(),
            app,
            clock,
            settings: Mutex::default(),
            session: Mutex::default(),
            gate: Mutex::default(),
            directory,
        };
        world.set("embedding.provider", "off");
        Arc::new(world)
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

    fn engine(&self, needs: StoreAccess) -> Engine<'_> {
        let actor = Author::new("tester").expect("a name");
        let config = self.config().expect("a configuration");
        self.app.engine_as(needs, config, actor).expect("an engine")
    }

    fn write(&self, path: &str, text: &str) {
        let path: PathBuf = self.directory.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }
}

impl Host for World {
    fn app(&self) -> &App {
        &self.app
    }

    fn config(&self) -> Result<Config, String> {
        drop(self.gate.lock().expect("the gate"));
        let mut loaded = LoadedConfig::default();
        for (name, text) in self.settings.lock().expect("settings").iter() {
            let value = ConfigKey::find(name).and_then(|key| key.parse(text));
            let value = value.map_err(|error| error.to_string())?;
            let origin = ConfigOrigin::Environment("a test".into());
            loaded.apply(name, &value, origin).map_err(|error| error.to_string())?;
        }
        Ok(loaded.config)
    }

    fn session(&self) -> Option<SessionId> {
        let session = self.session.lock().expect("a session");
        session.as_deref().map(|id| id.parse().expect("a session id"))
    }
}

type Client = RunningService<RoleClient, ()>;

/// Runs a test with a client of the server.
fn with_client<T>(world: &Arc<World>, story: impl AsyncFnOnce(Client) -> T) -> T {
    runtime().block_on(async { story(connect(world).await).await })
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Connects a client to its own server.
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

/// Calls a tool and returns its text and its value, which must match the schema.
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

/// Calls a tool that must fail, and returns its message.
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

/// Returns arguments for `store_memory`.
fn learning(description: &str) -> Value {
    serde_json::json!({
        "name": "A lesson", "description": description, "reasoning": "it was costly",
        "category": "heuristics",
    })
}

/// Stores a learning and returns its id.
async fn keep(client: &Client, description: &str) -> String {
    id(&ask(client, "store_memory", learning(description)).await.1)
}

fn id(value: &Value) -> String {
    value["id"].as_str().expect("an id").to_owned()
}
