//! Payloads that real clients sent, and the events that they become.
//!
//! `tests/payloads/CLIENT/EVENT.json` holds the payloads of an event, and `tests/payloads/CLIENT.events`
//! one line of JSON per payload: its event, or `null` if Tacit ignores it. With
//! `SNAPSHOTS=overwrite`, the test writes the latter anew.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tacit_agents::Client;
use tacit_core::{AgentEvent, ClientName, EventKind, FailureCause};

/// The clients whose payloads were recorded. Those of Claude Code have tests of their own.
const RECORDED: [ClientName; 6] = [
    ClientName::Codex,
    ClientName::Gemini,
    ClientName::Copilot,
    ClientName::OpenCode,
    ClientName::Kilo,
    ClientName::Qwen,
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads")
}

/// Returns true if the snapshots are to be written anew.
#[expect(clippy::disallowed_methods, reason = "the developer says so in the environment")]
fn overwrites() -> bool {
    std::env::var_os("SNAPSHOTS").is_some_and(|word| word == "overwrite")
}

/// Parses every payload of a client, with the name of its file.
fn events(client: ClientName) -> Vec<(String, Option<AgentEvent>)> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder().join(client.as_str()))
        .expect("a folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    let mut events = Vec::new();
    for file in files {
        let name = file.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
        let text = fs::read_to_string(&file).expect("a recording");
        let payloads: Vec<Value> = serde_json::from_str(&text).expect("a list of payloads");
        assert!(!payloads.is_empty(), "{}", file.display());
        for payload in payloads {
            let bytes = serde_json::to_vec(&payload).expect("JSON");
            let event = Client::named(client).parse(Some(&name), &bytes);
            events.push((name.clone(), event.unwrap_or_else(|error| panic!("{name}: {error}"))));
        }
    }
    events
}

#[test]
fn recorded_payloads_become_these_events() {
    for client in RECORDED {
        let lines = events(client).into_iter().map(|(name, event)| {
            let event = serde_json::to_string(&event).expect("JSON");
            format!("{name} {event}\n")
        });
        let found: String = lines.collect();
        let file = folder().join(format!("{client}.events"));
        if overwrites() {
            fs::write(&file, &found).expect("a snapshot");
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        for (found, expected) in found.lines().zip(expected.lines()) {
            assert_eq!(found, expected, "{client}");
        }
        assert_eq!(found.lines().count(), expected.lines().count(), "{client}");
    }
}

#[test]
fn every_client_but_codex_reports_that_the_command_failed() {
    for client in RECORDED {
        let failure = events(client).into_iter().find_map(|(_, event)| match event?.kind {
            EventKind::ToolFailed { tool, failure, .. } if tool.kind.command().is_some() => {
                Some((failure.error.trim_end().to_owned(), failure.exit_code, failure.cause))
            }
            _ => None,
        });
        let expected = ("broken".to_owned(), Some(3), FailureCause::Ran);
        assert_eq!(failure, (client != ClientName::Codex).then_some(expected), "{client}");
    }
}

#[test]
fn tasks_of_subagents_are_not_prompts_of_the_user() {
    for client in RECORDED {
        for (name, event) in events(client) {
            let Some(AgentEvent { agent, kind: EventKind::PromptSubmitted { prompt, .. }, .. }) =
                event
            else {
                continue;
            };
            assert_eq!(agent.is_some(), prompt.contains("SUBMARK"), "{client} {name}: {prompt}");
            assert!(!prompt.contains("hook_context") && !prompt.starts_with('"'), "{prompt}");
            assert!(!prompt.is_empty(), "{client} {name}");
        }
    }
}
