//! Session checkpoints that Entire keeps in git, in its two layouts, and recorded on another machine.

use std::fs;
use std::path::Path;

use serde_json::json;
use tacit_testkit::env::TestEnv;

use super::clients::place;
use super::{learn, learnt_from};
use crate::initialised;

/// Commits the files of a folder to a reference, without a trace in the worktree.
fn commit_to(env: &TestEnv, folder: &Path, reference: &str) {
    env.git(folder, &["init", "-q"]);
    env.git(folder, &["add", "-A"]);
    env.git(folder, &["commit", "-qm", "Checkpoint"]);
    let from = folder.display().to_string();
    env.git(&env.project(), &["fetch", "-q", &from, &format!("HEAD:{reference}")]);
}

/// Writes checkpoints of a session below a folder: each has the lines from one number to another.
fn checkpoints(env: &TestEnv, folder: &Path, layout: &[(&str, usize, usize)]) {
    let file = place(env, "claude");
    let text = fs::read_to_string(&file).expect("a transcript");
    fs::remove_file(&file).expect("a file");
    let text = text.replace(&env.project().display().to_string(), "/Users/ada/code/depot");
    let lines: Vec<&str> = text.lines().collect();
    for (number, (name, from, to)) in layout.iter().enumerate() {
        let session = folder.join(name).join("0");
        fs::create_dir_all(&session).expect("a folder");
        let part = lines[*from.min(&lines.len())..*to.min(&lines.len())].join("\n");
        fs::write(session.join("full.jsonl"), part).expect("a file");
        let metadata = json!({
            "session_id": "2026-11-18-63c8d397-8a6e-4b25-bcd4-3901f4ac5ac5",
            "created_at": format!("2026-11-18T2{number}:00:00.123456+02:00"),
            "files_touched": ["depot/billing.py"],
        });
        fs::write(session.join("metadata.json"), metadata.to_string()).expect("a file");
    }
}

#[test]
fn checkpoints_of_both_layouts_teach_like_the_transcript() {
    for (reference, layout) in [
        ("refs/heads/entire/checkpoints/v1", &[("30/e81e82f6ba", 0, 999)][..]),
        // Older checkpoints have only what came since the one before.
        (
            "refs/remotes/origin/entire/checkpoints/v1",
            &[("30/e81e82f6ba", 0, 12), ("4f/e81e82f6bb", 10, 999)],
        ),
        ("refs/entire/checkpoints/XY/01JABCDEFGHXY", &[(".", 0, 999)]),
    ] {
        let env = initialised();
        let folder = env.root().join("checkpoints");
        checkpoints(&env, &folder, layout);
        commit_to(&env, &folder, reference);
        let report = learn(&env, &[]);
        assert_eq!(report["sources"], json!({"entire": 1}), "{reference}: {report}");
        let learnt = learnt_from(&env);
        assert!(learnt.contains("Test `test_invoice` failed"), "{reference}: {learnt} {report}");
        let memory = &report["learnt"][0];
        let files = memory["related_files"].as_array().expect("files");
        assert!(files.contains(&json!("depot/billing.py")), "{memory}");
        assert!(!memory.to_string().contains("/Users/ada"), "{memory}");
        assert_eq!(learn(&env, &[])["sessions"]["unchanged"], 1, "{reference}");
    }
}

#[test]
fn a_checkpoint_of_a_session_that_the_client_keeps_is_read_once() {
    let env = initialised();
    let folder = env.root().join("checkpoints");
    checkpoints(&env, &folder, &[(".", 0, 999)]);
    commit_to(&env, &folder, "refs/entire/checkpoints/XY/01JABCDEFGHXY");
    place(&env, "claude");
    let report = learn(&env, &[]);
    assert_eq!(report["sources"], json!({"claude": 1}), "{report}");
}
