//! Tests of the engine over a real store on disk.

mod activity;
mod candidates;
mod capture;
mod code;
mod cues;
mod gate;
mod hyde;
mod model;
mod observe;
mod outside;
mod scopes;
mod semantic;
mod spool;
mod transfer;
mod undo;
mod visibility;
mod work;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use tacit_core::{Author, Config, Draft, Memory, MemoryId, Reasoning};
use tacit_engine::{
    Engine, ImportLine, ImportTrust, RecallRequest, RememberRequest, RememberResult, StoreAccess,
    StorePaths, StoreScope,
};
use tacit_store::Filter;
use tacit_testkit::time::{FixedIds, ManualClock};
use tempfile::TempDir;

/// A project with an empty store, and a directory for the global store.
struct World {
    directory: TempDir,
    clock: ManualClock,
    ids: FixedIds,
    config: Config,
}

impl World {
    fn new() -> World {
        let world = World {
            directory: tempfile::tempdir().expect("a directory"),
            clock: ManualClock::default(),
            ids: FixedIds::default(),
            config: Config { busy_timeout_ms: 100, ..Config::default() },
        };
        Engine::create_project(&world.paths(), &world.config).expect("a store");
        world
    }

    fn paths(&self) -> StorePaths {
        let root = self.directory.path().to_path_buf();
        let shared = root.join(".tacit");
        StorePaths {
            project: shared.clone(),
            shared,
            global: root.join("home"),
            root,
            server: None,
        }
    }

    fn database(&self) -> PathBuf {
        self.paths().database(StoreScope::Project)
    }

    fn open(&self, needs: StoreAccess) -> Engine<'_> {
        let actor = Author::new("tester").expect("a name");
        Engine::open(self.paths(), self.config.clone(), needs, &self.clock, &self.ids, actor)
            .expect("an engine")
    }

    /// Returns an engine that writes to the project.
    fn engine(&self) -> Engine<'_> {
        self.open(StoreAccess::Write(StoreScope::Project))
    }
}

fn draft(content: &str) -> Draft {
    Draft { content: content.into(), ..Draft::default() }
}

fn request(draft: Draft) -> RememberRequest {
    RememberRequest { draft, reason: None }
}

fn reason(text: &str) -> Reasoning {
    Reasoning::new(text).expect("a reason")
}

/// Remembers a text that must be accepted.
fn keep(engine: &mut Engine<'_>, content: &str) -> RememberResult {
    engine.remember(StoreScope::Project, request(draft(content))).expect("it is accepted")
}

/// Returns the memory of a request that was stored at once.
fn kept(remembered: RememberResult) -> Memory {
    remembered.memory.expect("it did not have to wait")
}

/// Exports all memories of the project, of any status.
fn export(engine: &Engine<'_>) -> String {
    let mut text = String::new();
    let write = |memory: &Memory| {
        text.push_str(&memory.to_json().to_string());
        text.push('\n');
        Ok(())
    };
    engine.export(StoreScope::Project, &Filter::everything(), write).expect("an export");
    text
}

/// Returns all memories of the project by identifier, without usage counters, which are not part of
/// the history.
fn state(engine: &Engine<'_>) -> BTreeMap<MemoryId, Value> {
    let mut state = BTreeMap::new();
    let write = |memory: &Memory| {
        let mut json = memory.to_json();
        if let Value::Object(fields) = &mut json {
            fields.retain(|key, _| !matches!(key.as_str(), "access_count" | "last_accessed_at"));
        }
        state.insert(memory.id, json);
        Ok(())
    };
    engine.export(StoreScope::Project, &Filter::everything(), write).expect("an export");
    state
}

/// Returns the active memories that a word search finds, best first.
fn search(engine: &Engine<'_>, words: &str) -> Vec<MemoryId> {
    let recall = RecallRequest::explicit(words, Filter::default(), 1_000);
    let answers = engine.recall(&recall).expect("an answer").shown;
    answers
        .iter()
        .flat_map(|answer| std::iter::once(answer.found.memory.id).chain(answer.folded.clone()))
        .collect()
}

/// Returns import lines of a trusted file.
fn trusted(lines: Vec<(usize, ImportLine)>) -> Vec<(usize, ImportTrust, ImportLine)> {
    lines.into_iter().map(|(line, incoming)| (line, ImportTrust::Trusted, incoming)).collect()
}
