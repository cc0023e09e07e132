//! The state in which sessions leave the work.

use serde_json::{Value, json};
use tacit_core::log::{LogRecord, LogRow, decode};
use tacit_work::{SessionActivity, SessionEnd, SessionResult, UnresolvedCheck};

use crate::methodology;

fn event(subject: Option<&'static str>, what: &Value) -> LogRecord {
    let body = json!({"client": "claude", "session": "s", "what": what}).to_string().into();
    let row =
        LogRow { kind: "turn_stopped".into(), tool: None, subject: subject.map(Into::into), body };
    decode(row).unwrap()
}

/// Three changes for a task, and the last message.
fn session(prompt: &str, message: &str) -> SessionActivity {
    let edit =
        json!({"name": "Edit", "kind": {"edit": {"file": "src/a.ts", "old": "a", "new": "b"}}});
    let edit = event(Some("src/a.ts"), &json!({"tool_finished": {"tool": edit}}));
    SessionActivity::from_log(&[
        event(None, &json!({"prompt_submitted": {"prompt": prompt}})),
        edit.clone(),
        edit.clone(),
        edit,
        event(None, &json!({"turn_stopped": {"last_message": message}})),
    ])
}

fn dirty() -> SessionResult {
    SessionResult { uncommitted: vec!["src/a.ts".parse().unwrap()], ..SessionResult::default() }
}

fn failing(changed_since: bool) -> SessionResult {
    let failed = UnresolvedCheck {
        command: "npx vitest run".into(),
        finding: Some("cart.test.ts: expected 2, got 1".into()),
        changed_since,
    };
    SessionResult { failed: vec![failed], ..dirty() }
}

#[test]
fn states_tell_the_task_and_what_is_left() {
    let clean = SessionResult::default;
    let passed = SessionResult { passed: Some("npx vitest run".into()), ..dirty() };
    let begun = json!({"task": "Move the cart to Redux", "files_changed": ["src/cart.ts"], "branch": "cart"});
    let changed = "Changed, not committed in the session: src/a.ts";
    let task = "Implement the following plan:\n\n# Plan: Sort the cart\n\n## Context\n";
    let unfinished = |rest: &str| {
        Ok(format!("Work on `cart` was left unfinished: Sort the cart.\n{changed}\n{rest}"))
    };
    for (name, branch, prompt, message, result, before, expected) in [
        (
            "uncommitted",
            "cart",
            task,
            "Both pass. Here's a summary of the changes:",
            passed.clone(),
            None,
            Ok(format!(
                "Last work on `cart`: Sort the cart.\n{changed}\nPassed at the end: `npx vitest run`"
            )),
        ),
        ("committed", "cart", task, "Done.", clean(), None, Err("finished")),
        ("on main", "main", task, "Done.", clean(), None, Err("finished")),
        ("on main, not committed", "main", task, "Done.", dirty(), None, Err("finished")),
        (
            "failing",
            "cart",
            task,
            "Done.",
            failing(false),
            None,
            unfinished("Still failing: `npx vitest run` (cart.test.ts: expected 2, got 1)"),
        ),
        (
            "maybe failing",
            "cart",
            task,
            "Done.",
            failing(true),
            None,
            unfinished(
                "Still failing: `npx vitest run` (cart.test.ts: expected 2, got 1), changed since and not run again",
            ),
        ),
        (
            "said",
            "cart",
            task,
            "Sorted.\n\nRemaining: the empty cart",
            dirty(),
            None,
            unfinished("Last said: Remaining: the empty cart."),
        ),
        ("a chore", "cart", "fix lint", "Done.", dirty(), None, Err("unchanged")),
        (
            "a chore of something begun",
            "cart",
            "fix lint",
            "Done.",
            dirty(),
            Some(&begun),
            Ok("Last work on `cart`: Move the cart to Redux.\n\
                Changed, not committed in the session: src/a.ts, src/cart.ts"
                .to_owned()),
        ),
        ("a chore on main", "main", "fix lint", "Done.", dirty(), Some(&begun), Err("unchanged")),
    ] {
        let native = methodology("native");
        let unit = native.unit_or_branch(None, Some(branch)).unwrap();
        let before = before.and_then(Value::as_object);
        let activity = session(prompt, message);
        let end = native.session_end(&activity, &result, unit, Some(branch), false, before);
        let told = match end {
            SessionEnd::Left(left) => Ok(native.describe_unfinished(&left)),
            SessionEnd::Finished => Err("finished"),
            SessionEnd::Unchanged => Err("unchanged"),
        };
        assert_eq!(told, expected, "{name}");
    }
}

#[test]
fn units_with_another_name_are_told_with_their_branch() {
    let native = methodology("native");
    let unit = native.unit("042/3").unwrap();
    let end =
        native.session_end(&session("Sort the cart", ""), &dirty(), unit, Some("main"), true, None);
    let SessionEnd::Left(left) = end else { panic!("{end:?}") };
    assert!(
        native
            .describe_unfinished(&left)
            .starts_with("Last work on Spec 042 / Subtask 3 (`main`): Sort the cart.\n")
    );
}

#[test]
fn a_session_without_changes_settles_what_passed_or_was_committed() {
    let failing_before = json!({"task": "Sort the cart", "failing_commands": ["npx vitest run"]});
    let dirty_before = json!({"task": "Sort the cart", "files_changed": ["src/a.ts"]});
    let open_before = json!({"files_changed": ["src/a.ts"], "last_said": "Remaining: tests"});
    let clean = SessionResult::default;
    let committed = || SessionResult { committed: true, ..clean() };
    let passed = || SessionResult { earlier_failures_passed: true, ..clean() };
    for (before, result, expected) in [
        (None, committed(), SessionEnd::Unchanged),
        (Some(&failing_before), clean(), SessionEnd::Unchanged),
        (Some(&failing_before), committed(), SessionEnd::Unchanged),
        (Some(&failing_before), passed(), SessionEnd::Finished),
        (
            Some(&failing_before),
            SessionResult { failed: failing(false).failed, ..passed() },
            SessionEnd::Unchanged,
        ),
        (Some(&dirty_before), clean(), SessionEnd::Unchanged),
        (Some(&dirty_before), committed(), SessionEnd::Finished),
        (Some(&open_before), committed(), SessionEnd::Unchanged),
    ] {
        let native = methodology("native");
        let unit = native.unit_or_branch(None, Some("cart")).unwrap();
        let earlier = before.and_then(Value::as_object);
        let idle = SessionActivity::default();
        let end = native.session_end(&idle, &result, unit, Some("cart"), false, earlier);
        assert_eq!(end, expected, "{before:?} {result:?}");
    }
}

#[test]
fn a_declared_unit_whose_work_is_committed_leaves_no_state() {
    let native = methodology("native");
    let unit = || native.unit("042/3").unwrap();
    let committed = SessionResult { committed: true, ..SessionResult::default() };
    let activity = session("Sort the cart", "Done.");
    let end = native.session_end(&activity, &committed, unit(), Some("main"), true, None);
    assert_eq!(end, SessionEnd::Finished);
}
