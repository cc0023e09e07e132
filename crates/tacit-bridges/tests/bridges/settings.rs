//! Settings of other tools, key by key.

use tacit_bridges::settings::{ForeignSetting, read};
use tacit_core::Key;

fn set(from: &str, key: &str, value: &str) -> ForeignSetting {
    ForeignSetting { path: from.into(), mapping: Ok((key.into(), value.into())) }
}

fn skipped(from: &str, why: &'static str) -> ForeignSetting {
    ForeignSetting { path: from.into(), mapping: Err(why) }
}

#[test]
fn every_key_of_a_memory_config_has_one_here() {
    let rows = [
        (
            r#"{"categories": {"decision": {"enabled": false}}}"#,
            "records.decision.enabled",
            "false",
        ),
        (
            r#"{"categories": {"runbook": {"description": "Fixes,\n step by step"}}}"#,
            "records.runbook.description",
            "Fixes, step by step",
        ),
        (
            r#"{"categories": {"constraint": {"auto_capture": true}}}"#,
            "records.constraint.auto_capture",
            "true",
        ),
        (
            r#"{"categories": {"tech_debt": {"retention_days": 30}}}"#,
            "records.tech_debt.retention_days",
            "30",
        ),
        (
            r#"{"categories": {"session_summary": {"max_retained": 9}}}"#,
            "records.session_summary.max_retained",
            "9",
        ),
        (r#"{"retrieval": {"max_inject": 3}}"#, "records.max_inject", "3"),
        (r#"{"max_memories_per_category": 50}"#, "records.max_per_category", "50"),
        (r#"{"triage": {"parallel": {"enabled": false}}}"#, "records.parallel", "false"),
        (
            r#"{"triage": {"parallel": {"category_models": {"preference": "opus"}}}}"#,
            "records.preference.model",
            "opus",
        ),
        (
            r#"{"triage": {"parallel": {"verification_model": "opus"}}}"#,
            "records.verification_model",
            "opus",
        ),
        (r#"{"triage": {"parallel": {"default_model": "opus"}}}"#, "records.default_model", "opus"),
        (r#"{"triage": {"thresholds": {"RUNBOOK": 0.5}}}"#, "records.runbook.threshold", "0.5"),
        (r#"{"delete": {"grace_period_days": 7}}"#, "records.grace_days", "7"),
        (r#"{"delete": {"archive_retired": false}}"#, "records.archive_retired", "false"),
    ];
    for (json, key, value) in rows {
        let found = read(json.as_bytes()).expect("settings");
        let [ForeignSetting { mapping: Ok(what), .. }] = &found[..] else {
            panic!("{json}: {found:?}")
        };
        assert_eq!(what, &(key.to_owned(), value.to_owned()), "{json}");
        Key::find(key).expect("a key").parse(value).expect("a value that it takes");
    }
}

#[test]
fn fields_of_a_local_markdown_file() {
    let text = "---\nname: other\nmemory_model_capture_mode: ask-first\n\
                memory_silent_capture_budget: 5\nmemory_injection_enabled: true\n---\nText.\n";
    assert_eq!(
        read(text.as_bytes()).expect("settings"),
        [
            set("memory_model_capture_mode", "capture.mode", "ask-first"),
            set("memory_silent_capture_budget", "capture.silent_budget", "5"),
            skipped("memory_injection_enabled", "nothing here is set by it"),
        ]
    );
}

#[test]
fn what_has_no_key_here_is_named() {
    let json =
        r#"{"categories": {"gossip": {"enabled": true}, "decision": {"folder": "d"}}, "x": [1]}"#;
    assert_eq!(
        read(json.as_bytes()).expect("settings"),
        [
            skipped("categories.gossip.enabled", "there is no such category of records"),
            skipped("categories.decision.folder", "nothing here is set by it"),
            skipped("x", "nothing here is set by it"),
        ]
    );
    let error = read(b"{\n  \"triage\": {").expect_err("an error").to_string();
    assert!(error.starts_with("line 2: it is not valid JSON: EOF"), "{error}");
}
