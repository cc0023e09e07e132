//! Transcripts that real clients wrote of the same work teach the same.

use std::fs;
use std::path::{Path, PathBuf};

use tacit_agents::transcripts::TranscriptPlace;
use tacit_testkit::env::TestEnv;

use super::{claude, export, learn, learnt_from};
use crate::initialised;

/// The memory that hooks learnt from this session when it was recorded.
const LESSON: &str = "error_pattern: Test `test_invoice` failed (`pytest -q`): TariffMissing: no tariff \
     for zone 'island'. It passed after `depot/billing.py` was changed: \
     `return rates[parcel.zone] * parcel.weight` became \
     `island_surcharge = 2 if parcel.zone == \"island\" else 0 return rates[parcel.zone] *…`.\n";

/// The hash of the project's path in the recorded chat of Gemini CLI.
const HASH: &str = "f0d50190820d82a6f2fe297fbfebef3f540a37a562d4d644285e449886d3dfa7";

/// Puts the recorded transcript of a client where the client keeps it. Returns the file.
pub(super) fn place(env: &TestEnv, client: &str) -> PathBuf {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/client_transcripts");
    let text = fs::read_to_string(recorded.join(format!("{client}.jsonl"))).expect("a recording");
    let project = env.project();
    let TranscriptPlace::PathHash(hash) = TranscriptPlace::hash_of(&project) else {
        panic!("no hash");
    };
    let text = text.replace("/project", &project.display().to_string()).replace(HASH, &hash);
    let home = env.root().join("home");
    let file = match client {
        "claude" => claude::folder(env).join("63c8d397-8a6e-4b25-bcd4-3901f4ac5ac5.jsonl"),
        "codex" => home.join(".codex/sessions/2026/11/18/rollout-2026-11-18T20-42-33-x.jsonl"),
        "gemini" => home.join(".gemini/tmp/project/chats/session-2026-11-18T20-42-x.jsonl"),
        "copilot" => home.join(".copilot/session-state/7c3658de/events.jsonl"),
        other => panic!("{other} is no client"),
    };
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, text).expect("a transcript");
    file
}

#[test]
fn every_client_teaches_the_same() {
    for client in ["claude", "codex", "gemini", "copilot"] {
        let env = initialised();
        place(&env, client);
        let report = learn(&env, &[]);
        assert_eq!(report["sources"][client], 1, "{report}");
        assert_eq!(report["checks"]["passed"], 1, "{report}");
        assert_eq!(report["sessions"]["unread_lines"], 0, "{report}");
        assert_eq!(learnt_from(&env), LESSON, "{client}");
        let before = export(&env);
        let again = learn(&env, &[]);
        assert_eq!(again["sessions"]["unchanged"], 1, "{again}");
        assert_eq!(export(&env), before, "{client}");
    }
}

#[test]
fn a_source_can_be_chosen() {
    let env = initialised();
    for client in ["claude", "codex"] {
        place(&env, client);
    }
    let report = learn(&env, &["--from", "codex", "--dry-run"]);
    assert_eq!(report["sources"], serde_json::json!({"codex": 1}));
    assert_eq!(report["sessions"]["new"], 1);
    assert_eq!(learnt_from(&env), "");
}
