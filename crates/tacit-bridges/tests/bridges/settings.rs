//! The mapping of settings of other tools.

use tacit_bridges::settings::{ForeignSetting, read};
use tacit_core::ConfigKey;

fn set(path: &str, key: &str, value: &str) -> ForeignSetting {
    ForeignSetting { path: path.into(), mapping: Ok((key.into(), value.into())) }
}

fn skipped(path: &str, reason: &'static str) -> ForeignSetting {
    ForeignSetting { path: path.into(), mapping: Err(reason) }
}

#[test]
fn memory_config_keys_are_mapped() {
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
        (r#"{"retrieval": {"max_inject": 0}}"#, "hooks.tokens.prompt", "0"),
        (r#"{"retrieval": {"enabled": false}}"#, "hooks.tokens.prompt", "0"),
        (r#"{"triage": {"enabled": false}}"#, "capture.extractor", "off"),
        (r#"{"max_memories_per_category": 50}"#, "records.max_per_category", "50"),
        (r#"{"triage": {"parallel": {"enabled": false}}}"#, "records.parallel", "false"),
        (
            r#"{"triage": {"parallel": {"category_models": {"preference": "opus"}}}}"#,
            "records.models.preference",
            "opus",
        ),
        (
            r#"{"triage": {"parallel": {"verification_model": "opus"}}}"#,
            "records.models.verification",
            "opus",
        ),
        (
            r#"{"triage": {"parallel": {"default_model": "opus"}}}"#,
            "records.models.default",
            "opus",
        ),
        (r#"{"triage": {"thresholds": {"RUNBOOK": 0.5}}}"#, "records.runbook.threshold", "0.5"),
        (r#"{"delete": {"grace_period_days": 7}}"#, "records.grace_days", "7"),
        (r#"{"delete": {"archive_retired": false}}"#, "records.archive_retired", "false"),
    ];
    for (json, key, value) in rows {
        let found = read(json.as_bytes()).expect("settings");
        let [ForeignSetting { mapping: Ok(mapping), .. }] = &found[..] else {
            panic!("{json}: {found:?}")
        };
        assert_eq!(mapping, &(key.to_owned(), value.to_owned()), "{json}");
        ConfigKey::find(key).expect("a key").parse(value).expect("a value that it takes");
    }
}

#[test]
fn front_matter_settings_are_mapped() {
    let text = "---\nname: other\nmemory_model_capture_mode: ask-first\n\
                memory_silent_capture_budget: 5\nmemory_injection_enabled: true\n---\nText.\n";
    assert_eq!(
        read(text.as_bytes()).expect("settings"),
        [
            set("memory_model_capture_mode", "capture.mode", "ask-first"),
            set("memory_silent_capture_budget", "capture.silent_budget", "5"),
            skipped("memory_injection_enabled", "no corresponding setting"),
        ]
    );
}

#[test]
fn unknown_settings_are_reported() {
    let json =
        r#"{"categories": {"gossip": {"enabled": true}, "decision": {"folder": "d"}}, "x": [1]}"#;
    assert_eq!(
        read(json.as_bytes()).expect("settings"),
        [
            skipped("categories.gossip.enabled", "unknown record category"),
            skipped("categories.decision.folder", "no corresponding setting"),
            skipped("x", "no corresponding setting"),
        ]
    );
    let error = read(b"{\n  \"triage\": {").expect_err("an error").to_string();
    assert!(error.starts_with("line 2: not valid JSON: EOF"), "{error}");
}
