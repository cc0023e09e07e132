//! The server through real sockets, with a store on disk.

mod attacks;
mod bulk;
mod live;
mod memories;
mod modules;
mod sessions;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use tacit_app::{App, AppResult, Environment, Watcher};
use tacit_core::{Clock, Config, IdSource, MemoryId, Timestamp};
use tacit_engine::{Engine, ImportLine, ImportTrust, StoreAccess, StoreScope};
use tacit_panel::{Asset, PanelOptions, PanelServer, PanelToken, ProjectHost};
use tacit_store::{Filter, ListOrder};
use tempfile::TempDir;

/// A page for tests; the real one is built from `panel/ui`.
const ASSETS: &[Asset] = &[
    Asset { path: "/index.html", bytes: b"<!doctype html><title>page</title>" },
    Asset { path: "/assets/index-1a2b.js", bytes: b"export {};" },
];

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

struct Project {
    root: PathBuf,
    clock: Arc<Clockwork>,
    ids: Arc<Counted>,
    gate: Gate,
}

/// Lets some of those that open the project wait.
#[derive(Default)]
struct Gate {
    /// The number that has to wait, and the number that does.
    waiting: Mutex<(usize, usize)>,
    changed: Condvar,
}

impl Gate {
    /// Stops the next ones that come.
    fn close_for(&self, next: usize) {
        self.waiting.lock().expect("the gate").0 = next;
    }

    fn pass(&self) {
        let mut waiting = self.waiting.lock().expect("the gate");
        if waiting.0 > 0 {
            *waiting = (waiting.0 - 1, waiting.1 + 1);
            self.changed.notify_all();
            drop(self.changed.wait_while(waiting, |waiting| waiting.1 > 0));
        }
    }

    /// Waits until so many wait.
    fn wait_for(&self, count: usize) {
        let waiting = self.waiting.lock().expect("the gate");
        drop(self.changed.wait_while(waiting, |waiting| waiting.1 < count));
    }

    fn open(&self) {
        *self.waiting.lock().expect("the gate") = (0, 0);
        self.changed.notify_all();
    }
}

impl ProjectHost for Project {
    fn open(&self, watcher: Box<dyn Watcher>) -> AppResult<App> {
        self.gate.pass();
        let home = self.root.join("home");
        let environment = Environment {
            directory: Ok(self.root.clone()),
            home: home.clone(),
            claude_home: None,
            agent_session: None,
            agent: None,
            agent_project: None,
            attended: false,
            search_path: Vec::new(),
            data_home: home.clone(),
            config_home: home,
            user: Some("ada".to_owned()),
            overrides: Vec::new(),
            openai_key: None,
            anthropic_key: None,
            postgres: tacit_app::PostgresVariables::default(),
            nested: false,
            in_plugin: false,
            debug: false,
            off: false,
            clock: self.clock.clone(),
            ids: self.ids.clone(),
        };
        App::open(environment, self.root.clone(), watcher, true)
    }
}

/// A running panel.
struct Panel {
    port: u16,
    token: String,
    project: Arc<Project>,
    stop: Box<dyn Fn() + Send + Sync>,
    thread: Option<JoinHandle<std::io::Result<()>>>,
    _directory: TempDir,
}

impl Panel {
    /// Starts a panel for a project with a store.
    fn start() -> Panel {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().canonicalize().expect("a path");
        std::fs::create_dir(root.join("home")).expect("a directory");
        let settings =
            "[user]\nname = \"ada\"\n[embedding]\nprovider = \"off\"\n[maintain]\nauto = false\n";
        std::fs::write(root.join("home/config.toml"), settings).expect("a file");
        let host = Project {
            root,
            clock: Arc::new(Clockwork(AtomicI64::new(1_794_738_600_000))),
            ids: Arc::new(Counted(AtomicU64::new(1))),
            gate: Gate::default(),
        };
        let host = Arc::new(host);
        let places = host.open(Box::new(tacit_app::SilentWatcher)).expect("a project").places;
        Engine::create_project(&places, &Config::default()).expect("a store");
        let token = PanelToken::new([0xa5; 32]);
        let options = PanelOptions { port: 0, idle: None, token: token.clone(), assets: ASSETS };
        let server = PanelServer::bind(host.clone(), options).expect("a socket");
        let port = server.port();
        let stop = Box::new(server.stopper());
        let thread = std::thread::spawn(move || server.run());
        let token = token.reveal().to_owned();
        Panel { port, token, project: host, stop, thread: Some(thread), _directory: directory }
    }

    /// Opens the project as a command does.
    fn app(&self) -> App {
        self.project.open(Box::new(tacit_app::SilentWatcher)).expect("a project")
    }

    /// Writes a file of the project.
    fn file(&self, path: &str, text: &str) {
        let path = self.project.root.join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        std::fs::write(path, text).expect("a file");
    }

    /// Stores memories as an import does, each with these fields. Returns their ids.
    fn import(&self, memories: impl IntoIterator<Item = Value>) -> Vec<String> {
        let app = self.app();
        let mut engine = app.engine(StoreAccess::Write(StoreScope::Project)).expect("a store");
        let lines = memories.into_iter().map(|memory| {
            let line = ImportLine::parse(&memory.to_string()).expect("a memory").expect("a memory");
            (1, ImportTrust::Trusted, line)
        });
        let plan = engine.import(StoreScope::Project, lines.collect(), false).expect("an import");
        assert!(plan.change.is_some());
        drop(engine);
        let engine = app.engine(StoreAccess::Read(StoreScope::Project)).expect("a store");
        let all = engine.list(None, &Filter::everything(), ListOrder::Oldest, usize::MAX, 0);
        all.expect("a list").iter().map(|found| found.memory.id.to_string()).collect()
    }

    /// Starts long work and waits for its end.
    fn work(&self, job: &str) -> Value {
        let started = self.write("POST", "/jobs", &serde_json::json!({"job": job})).json();
        let id = started["id"].as_str().expect("an id").to_owned();
        loop {
            let job = self.get(&format!("/jobs/{id}")).json();
            if job["state"] != "running" {
                return job;
            }
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], self.port)));
        let stream = stream.expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket");
        stream
    }

    /// Sends the bytes as they are, and reads until the server closes.
    fn raw(&self, request: &str) -> Answer {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).expect("a write");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        Answer::parse(&bytes)
    }

    /// Sends a request with these headers, instead of the usual ones of the same name.
    fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let host = format!("127.0.0.1:{}", self.port);
        let authorization = format!("Bearer {}", self.token);
        let length = body.len().to_string();
        let mut all = vec![
            ("Host", host.as_str()),
            ("Authorization", authorization.as_str()),
            ("Connection", "close"),
            ("Content-Length", length.as_str()),
        ];
        if !body.is_empty() {
            all.push(("Content-Type", "application/json"));
        }
        all.retain(|(name, _)| headers.iter().all(|(other, _)| !other.eq_ignore_ascii_case(name)));
        all.extend(headers.iter().filter(|(_, value)| !value.is_empty()));
        let head: String = all.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        self.raw(&format!("{line} HTTP/1.1\r\n{head}\r\n{body}"))
    }

    fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET /api/v1{path}"), &[], "")
    }

    fn write(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.send(&format!("{method} /api/v1{path}"), &[], &body.to_string())
    }
}

impl Drop for Panel {
    fn drop(&mut self) {
        (self.stop)();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// An answer of the server.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Answer {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns the status and the code of an error.
    fn error(&self) -> (u16, String) {
        let code = self.json()["error"]["code"].as_str().unwrap_or_default().to_owned();
        (self.status, code)
    }
}
