//! Transcripts that real clients wrote, and the events that they become.
//!
//! `tests/transcripts/CLIENT/NAME.jsonl` are recordings, long texts cut; `NAME.events` has one line per
//! event. With `SNAPSHOTS=overwrite`, the test writes the latter anew.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tacit_agents::transcripts::{
    TranscriptForm, TranscriptHead, TranscriptPlace, TranscriptSession, TranscriptText,
};
use tacit_core::EventKind;

/// The recordings: transcripts, and those of their subagents.
const RECORDED: [(&str, &[&str]); 7] = [
    ("claude/main", &["claude/helper"]),
    ("claude/compacted", &[]),
    ("codex/main", &[]),
    ("codex/compacted", &[]),
    ("gemini/main", &[]),
    ("copilot/main", &[]),
    ("copilot/helper", &[]),
];

fn file(name: &str, ending: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    folder.join(format!("{name}.{ending}"))
}

fn recording(name: &str) -> String {
    fs::read_to_string(file(name, "jsonl")).expect("a recording")
}

fn read(main: &str, helpers: &[String]) -> Vec<TranscriptSession> {
    let Some(head) = TranscriptHead::read(main) else { return Vec::new() };
    let helpers: Vec<TranscriptText<'_>> =
        helpers.iter().map(|text| TranscriptText { path: None, text }).collect();
    head.form.read(TranscriptText { path: None, text: main }, &helpers, Path::new("/project"))
}

/// Returns true if the snapshots are to be written anew.
#[expect(clippy::disallowed_methods, reason = "the developer says so in the environment")]
fn overwrites() -> bool {
    std::env::var_os("SNAPSHOTS").is_some_and(|word| word == "overwrite")
}

#[test]
fn recorded_transcripts_become_these_events() {
    for (name, helpers) in RECORDED {
        let helpers: Vec<String> = helpers.iter().map(|name| recording(name)).collect();
        let sessions = read(&recording(name), &helpers);
        assert_eq!(sessions.len(), 1, "{name}");
        let mut lines = String::new();
        for event in &sessions[0].events {
            let body = serde_json::to_string(&event.event).expect("JSON");
            writeln!(lines, "{} {body}", event.at).expect("a string");
        }
        let snapshot = file(name, "events");
        if overwrites() {
            fs::write(&snapshot, &lines).expect("a snapshot");
        }
        let expected = fs::read_to_string(&snapshot).expect("a snapshot");
        assert_eq!(lines, expected, "{name}");
    }
}

#[test]
fn the_head_tells_client_session_and_project() {
    for (name, form) in [
        ("claude/main", TranscriptForm::Claude),
        ("codex/main", TranscriptForm::Codex),
        ("gemini/main", TranscriptForm::Gemini),
        ("copilot/main", TranscriptForm::Copilot),
    ] {
        let head = TranscriptHead::read(&recording(name)).expect("a head");
        assert_eq!(head.form, form, "{name}");
        assert!(head.session.is_some() && head.at.is_some() && !head.is_helper, "{name}");
        match form {
            TranscriptForm::Gemini => {
                assert!(matches!(head.place, TranscriptPlace::PathHash(_)), "{name}");
            }
            _ => {
                let TranscriptPlace::Directory(directory) = &head.place else { panic!("{name}") };
                assert_eq!(directory.trim_end_matches('/'), "/project", "{name}");
            }
        }
    }
    assert!(TranscriptHead::read(&recording("claude/helper")).expect("a head").is_helper);
    for text in ["", "not json", "{}", "[1]", "{\"type\":\"user\"}", "{\"sessionId\":7}"] {
        assert_eq!(TranscriptHead::read(text), None, "{text}");
    }
}

#[test]
fn notes_that_hooks_showed_are_left_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tacit/tests/client_transcripts");
    for client in ["claude", "codex", "copilot", "gemini"] {
        let text = fs::read_to_string(folder.join(format!("{client}.jsonl"))).expect("a recording");
        if client != "copilot" {
            assert!(text.contains("tacit-notes"), "{client} was shown some");
        }
        let sessions = read(&text, &[]);
        assert_eq!(sessions.len(), 1, "{client}");
        for event in &sessions[0].events {
            let body = serde_json::to_string(&event.event).expect("JSON");
            assert!(!body.contains("tacit-notes"), "{client}: {body}");
        }
    }
}

#[test]
fn identifiers_are_unique_and_the_same_when_read_again() {
    for (name, helpers) in RECORDED {
        let helpers: Vec<String> = helpers.iter().map(|name| recording(name)).collect();
        let ids = || -> Vec<String> {
            let sessions = read(&recording(name), &helpers);
            sessions.iter().flat_map(|session| &session.events).map(|event| event.id()).collect()
        };
        let first = ids();
        assert_eq!(first, ids(), "{name}");
        let unique: std::collections::BTreeSet<&String> = first.iter().collect();
        assert_eq!(unique.len(), first.len(), "{name}");
    }
}

#[test]
fn a_transcript_that_grew_begins_with_the_same_events() {
    for (name, _) in RECORDED {
        let whole = recording(name);
        let lines: Vec<&str> = whole.lines().collect();
        let all = read(&whole, &[]);
        let all: Vec<String> = all[0].events.iter().map(|event| event.id()).collect();
        for kept in lines.len() / 2..lines.len() {
            for session in read(&lines[..kept].join("\n"), &[]) {
                let ids = session.events.iter().filter(|event| {
                    !matches!(event.event.kind, EventKind::SessionEnded { .. })
                        && !matches!(event.event.kind, EventKind::TurnStopped { .. })
                });
                for event in ids {
                    assert!(all.contains(&event.id()), "{name} {kept} {event:?}");
                }
            }
        }
    }
}

/// A transcript of Claude Code with one user message.
fn claude(fields: &str, content: &str) -> String {
    let content = serde_json::to_string(content).expect("JSON");
    let line = |id: &str, fields: &str, content: &str| {
        format!(
            "{{\"type\":\"user\",\"uuid\":\"{id}\",\"sessionId\":\"s-1\",\"cwd\":\"/project\",\
             \"timestamp\":\"2026-03-01T10:00:00Z\"{fields},\
             \"message\":{{\"role\":\"user\",\"content\":{content}}}}}\n"
        )
    };
    line("a", "", "\"Begin\"") + &line("b", fields, &content)
}

#[test]
fn only_what_the_user_typed_is_a_prompt() {
    for (fields, content, expected) in [
        ("", "Fix it", Some("Fix it")),
        ("", "Fix it <system-reminder>x</system-reminder>", Some("Fix it")),
        (",\"isMeta\":true", "Caveat", None),
        (",\"isCompactSummary\":true", "This session is being continued", None),
        ("", "<local-command-stdout>x</local-command-stdout>", None),
        ("", "<command-name>/clear</command-name>", None),
        ("", "<bash-input>ls</bash-input>", None),
        ("", "[Request interrupted by user]", None),
        ("", "<tacit-notes>x</tacit-notes>", None),
    ] {
        let read = read(&claude(fields, content), &[]);
        let prompts: Vec<&str> = read[0]
            .events
            .iter()
            .filter_map(|event| match &event.event.kind {
                EventKind::PromptSubmitted { prompt, .. } => Some(prompt.as_str()),
                _ => None,
            })
            .collect();
        let expected: Vec<&str> = ["Begin"].into_iter().chain(expected).collect();
        assert_eq!(prompts, expected, "{content}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_transcripts_are_read_without_a_panic(
        which in 0..RECORDED.len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8), 0..12),
    ) {
        let mut bytes = recording(RECORDED[which].0).into_bytes();
        for (place, change) in cuts {
            let at = place.index(bytes.len());
            match change {
                0 => bytes[at] = b'"',
                1 => bytes[at] = b'\n',
                2 => bytes[at] = b'{',
                _ => bytes.truncate(at.max(1)),
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for form in [
            TranscriptForm::Claude,
            TranscriptForm::Codex,
            TranscriptForm::Gemini,
            TranscriptForm::Copilot,
            TranscriptForm::Recorded,
        ] {
            let main = TranscriptText { path: None, text: &text };
            form.read(main, &[main], Path::new("/project"));
        }
        read(&text, &[]);
    }
}
