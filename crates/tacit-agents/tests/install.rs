//! Installing, updating and removing hooks in settings.

use proptest::prelude::*;
use serde_json::{Value, json};
use tacit_agents::install::{
    FileChange, InstallError, count_hooks, plan_hooks, plan_hooks_removal,
};
use tacit_agents::{CLIENTS, Client};
use tacit_core::ClientName;

fn claude() -> &'static Client {
    Client::named(ClientName::Claude)
}

fn install(client: &Client, current: Option<&str>) -> String {
    let change = plan_hooks(client, current.map(str::as_bytes), "tacit").expect("a plan");
    String::from_utf8(change.after.expect("a file")).expect("UTF-8")
}

fn uninstall(client: &Client, current: &str) -> Option<String> {
    let change = plan_hooks_removal(client, Some(current.as_bytes())).expect("a plan");
    change.after.map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
}

#[test]
fn a_new_file_contains_all_hooks() {
    let text = install(claude(), None);
    let settings: Value = serde_json::from_str(&text).expect("JSON");
    let handler = |timeout: u16| json!({"type": "command", "command": "tacit", "args": ["hook", "claude"], "timeout": timeout});
    assert_eq!(settings["hooks"]["SessionEnd"], json!([{"hooks": [handler(10)]}]));
    assert_eq!(
        settings["hooks"]["PreToolUse"],
        json!([{"matcher": "Bash|Edit|Write|MultiEdit|NotebookEdit", "hooks": [handler(5)]}])
    );
    let events: Vec<_> = settings["hooks"].as_object().expect("hooks").keys().collect();
    let expected = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "PreCompact",
        "SessionEnd",
    ];
    assert_eq!(events, expected);
    assert_eq!(uninstall(claude(), &text), None, "a file that we created is deleted");
}

#[test]
fn hooks_have_the_format_of_the_client() {
    let line = |name: &str| json!(format!("'/my bin/tacit' hook {name}"));
    for client in &CLIENTS {
        let change = plan_hooks(client, None, "/my bin/tacit").expect("a plan");
        let bytes = change.after.expect("a file");
        assert_eq!(count_hooks(client, &bytes).expect("a count"), client.hooks.len());
        if matches!(client.name, ClientName::OpenCode | ClientName::Kilo) {
            let text = String::from_utf8(bytes).expect("UTF-8");
            assert!(text.starts_with(&format!("// Tacit for {}: ", client.title)), "{text}");
            assert!(text.contains("const TACIT = \"/my bin/tacit\"\n"), "{text}");
            assert!(!text.contains('@'), "{text}");
            continue;
        }
        let settings: Value = serde_json::from_slice(&bytes).expect("JSON");
        let hooks = &settings["hooks"];
        match client.name {
            ClientName::Claude => {
                assert_eq!(hooks["Stop"][0]["hooks"][0]["command"], json!("/my bin/tacit"));
            }
            ClientName::Codex => assert_eq!(
                hooks["Stop"],
                json!([{"hooks": [{"type": "command", "command": line("codex"), "timeout": 30}]}])
            ),
            ClientName::Gemini => assert_eq!(
                hooks["BeforeTool"],
                json!([{"matcher": "run_shell_command|write_file|replace", "hooks": [{"name": "tacit",
                    "type": "command", "command": line("gemini"), "timeout": 5000}]}])
            ),
            ClientName::Cursor => {
                assert_eq!(settings["version"], json!(1));
                assert_eq!(hooks["stop"], json!([{"command": line("cursor"), "timeout": 30}]));
            }
            ClientName::Copilot => {
                assert_eq!(settings["version"], json!(1));
                assert_eq!(
                    hooks["agentStop"],
                    json!([{"type": "command", "bash": "'/my bin/tacit' hook copilot agentStop",
                        "powershell": "& '/my bin/tacit' hook copilot agentStop", "timeoutSec": 30}])
                );
            }
            ClientName::Qwen => assert_eq!(
                hooks["PreToolUse"],
                json!([{"matcher": "run_shell_command|write_file|edit", "hooks": [{"name": "tacit",
                    "type": "command", "command": line("qwen"), "timeout": 5000}]}])
            ),
            ClientName::OpenCode | ClientName::Kilo => {}
        }
    }
}

#[test]
fn user_settings_are_unchanged() {
    let before = concat!(
        "{\r\n\t\"model\": \"\\u006fpus\",\r\n\t\"n\": 1.50e+1,\r\n\t\"hooks\": {\r\n",
        "\t\t\"Stop\": [ {\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]} ]\r\n",
        "\t},\r\n\t\"permissions\": { \"allow\" :[ ] }\r\n}",
    );
    let after = install(claude(), Some(before));
    for kept in ["\"\\u006fpus\"", "1.50e+1", "\"allow\" :[ ]", "say done"] {
        assert!(after.contains(kept), "{after}");
    }
    assert!(after.contains("\r\n\t\t\"SessionStart\": [\r\n\t\t\t{\r\n"), "{after}");
    assert!(!after.replace("\r\n", "").contains('\n'));
    assert_eq!(uninstall(claude(), &after).as_deref(), Some(before));
}

#[test]
fn only_our_hooks_are_removed_after_user_changes() {
    let after = install(claude(), Some("{\n  \"model\": \"opus\"\n}\n"));
    let changed = after.replace("\"opus\"", "\"sonnet\", \"theme\": \"dark\"").replacen(
        "\"Stop\": [",
        "\"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]},",
        1,
    );
    let remaining: Value =
        serde_json::from_str(&uninstall(claude(), &changed).expect("a file")).expect("JSON");
    let expected = json!({
        "model": "sonnet", "theme": "dark",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]},
    });
    assert_eq!(remaining, expected);
}

#[test]
fn hooks_are_removed_from_reformatted_files() {
    for before in ["{}", "{\"a\": 1}", "{\"hooks\": {}}"] {
        let installed = install(claude(), Some(before));
        let value: Value = serde_json::from_str(&installed).expect("JSON");
        let rewritten = serde_json::to_string_pretty(&value).expect("JSON");
        let remaining = uninstall(claude(), &rewritten);
        let remaining = remaining.map(|text| serde_json::from_str::<Value>(&text).expect("JSON"));
        let expected = if before.contains('a') { Some(json!({"a": 1})) } else { None };
        assert_eq!(remaining, expected, "{before}");
    }
}

#[test]
fn earlier_hook_formats_are_replaced() {
    let old = json!({
        "hooks": {
            "Stop": [
                {"hooks": [
                    {"type": "command", "command": "say done"},
                    {"type": "command", "command": "tacit hook claude || true"},
                ]},
            ],
            "UserPromptSubmit": [
                {"hooks": [{"type": "command", "command": "/old/tacit hook --agent claude", "timeout": 60}]},
            ],
            "Notification": [{"hooks": [{"type": "command", "command": "tacit", "args": ["hook"]}]}],
        },
    });
    let text = serde_json::to_string_pretty(&old).expect("JSON");
    let new = install(claude(), Some(&text));
    assert_eq!(install(claude(), Some(&new)), new);
    assert_eq!(count_hooks(claude(), new.as_bytes()).expect("a count"), claude().hooks.len());
    let settings: Value = serde_json::from_str(&new).expect("JSON");
    assert_eq!(settings["hooks"]["Notification"], Value::Null);
    assert!(!new.contains("/old/") && !new.contains("|| true"));
    let remaining: Value =
        serde_json::from_str(&uninstall(claude(), &new).expect("a file")).expect("JSON");
    let kept =
        json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}});
    assert_eq!(remaining, kept);
}

#[test]
fn a_new_program_replaces_the_old_one() {
    let old = install(claude(), Some("{\n  \"a\": 1\n}\n"));
    let change = plan_hooks(claude(), Some(old.as_bytes()), "/new/tacit").expect("a plan");
    assert!(!change.is_empty());
    let new = String::from_utf8(change.after.expect("a file")).expect("UTF-8");
    assert_eq!(new.matches("\"command\": \"/new/tacit\"").count(), claude().hooks.len());
    assert_eq!(uninstall(claude(), &new).as_deref(), Some("{\n  \"a\": 1\n}\n"));
}

#[test]
fn invalid_files_are_rejected() {
    let cases = [
        ("{", "the file is not valid JSON: "),
        ("{} // comment", "the file is not valid JSON: "),
        ("[]", "`the file` is not an object"),
        ("{\"hooks\": []}", "`hooks` is not an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "`hooks.Stop` is not a list"),
    ];
    for (text, expected) in cases {
        let error = plan_hooks(claude(), Some(text.as_bytes()), "tacit").expect_err("an error");
        assert!(error.to_string().starts_with(expected), "{text}: {error}");
    }
    let error = plan_hooks(claude(), Some(b"\xff"), "tacit").expect_err("an error");
    assert!(matches!(error, InstallError::NotText));
    let opencode = Client::named(ClientName::OpenCode);
    let error =
        plan_hooks(opencode, Some(b"export const Mine = 1"), "tacit").expect_err("an error");
    assert!(matches!(error, InstallError::NotOurs));
    let kept = plan_hooks_removal(opencode, Some(b"export const Mine = 1")).expect("a plan");
    assert!(kept.is_empty());
}

#[test]
fn changes_are_shown_as_a_diff() {
    let before = "{\n  \"a\": 1\n}\n";
    let cursor = Client::named(ClientName::Cursor);
    let change = plan_hooks(cursor, Some(before.as_bytes()), "tacit").expect("a plan");
    let diff = change.diff(".cursor/hooks.json");
    assert!(diff.starts_with("--- .cursor/hooks.json\n+++ .cursor/hooks.json\n@@ -1,3 "), "{diff}");
    assert!(diff.contains("\n-  \"a\": 1\n+  \"a\": 1,\n+  \"hooks\": {\n"), "{diff}");
    let created = plan_hooks(cursor, None, "tacit").expect("a plan");
    assert!(created.diff("x").starts_with("--- /dev/null\n+++ x\n"));
    let same = FileChange { before: created.after.clone(), after: created.after };
    assert_eq!(same.diff("x"), "");
}

/// Generates JSON, mostly with hooks.
fn any_settings() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[ -~é\n]{0,8}".prop_map(Value::from),
    ];
    let nested = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-z]{1,5}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    let group = nested.clone().prop_map(|value| json!({"hooks": [{"command": "x", "y": value}]}));
    let list = prop::collection::vec(group, 0..3).prop_map(Value::from);
    let event = prop::sample::select(vec!["Stop", "SessionStart", "Other", "stop", "sessionStart"]);
    let hooks = prop::collection::hash_map(event, list, 0..4).prop_map(|map| {
        Value::Object(map.into_iter().map(|(key, list)| (key.to_owned(), list)).collect())
    });
    let other = prop::collection::vec(("[a-z]{1,6}", nested), 0..4);
    (other, prop::option::weighted(0.7, hooks), any::<prop::sample::Index>(), any::<bool>())
        .prop_map(|(other, hooks, at, version)| {
            let mut members: Vec<(String, Value)> =
                other.into_iter().filter(|(key, _)| key != "hooks").collect();
            if version {
                members.push(("version".to_owned(), json!(1)));
            }
            if let Some(hooks) = hooks {
                members.insert(at.index(members.len() + 1), ("hooks".to_owned(), hooks));
            }
            Value::Object(members.into_iter().collect())
        })
}

/// Serialises a value with blanks between all its parts, taken in turn from a list.
struct BlankWriter<'a> {
    blanks: std::iter::Cycle<std::slice::Iter<'a, &'static str>>,
    out: String,
}

impl BlankWriter<'_> {
    fn blank(&mut self) {
        self.out.push_str(self.blanks.next().copied().unwrap_or_default());
    }

    fn list<T>(&mut self, open: char, close: char, items: &[T], write: impl Fn(&mut Self, &T)) {
        self.out.push(open);
        self.blank();
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
                self.blank();
            }
            write(self, item);
            self.blank();
        }
        self.out.push(close);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Object(members) => {
                let members: Vec<_> = members.iter().collect();
                self.list('{', '}', &members, |writer, (key, value)| {
                    writer.out.push_str(&Value::from(key.as_str()).to_string());
                    writer.blank();
                    writer.out.push(':');
                    writer.blank();
                    writer.value(value);
                });
            }
            Value::Array(items) => self.list('[', ']', items, |writer, item| writer.value(item)),
            scalar => self.out.push_str(&scalar.to_string()),
        }
    }
}

fn written(value: &Value, blanks: &[&'static str]) -> String {
    let mut writer = BlankWriter { blanks: blanks.iter().cycle(), out: String::new() };
    writer.blank();
    writer.value(value);
    writer.blank();
    writer.out
}

fn any_blanks() -> impl Strategy<Value = Vec<&'static str>> {
    let blank =
        prop::sample::select(vec!["", "", " ", "\n", "\n  ", "\t", "\r\n", "\n\n", "\n    "]);
    prop::collection::vec(blank, 1..9)
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (any_settings(), any_blanks()).prop_map(|(value, blanks)| written(&value, &blanks)),
        2 => any_settings().prop_map(|value| serde_json::to_string_pretty(&value).expect("JSON")),
        1 => any_settings().prop_map(|value| value.to_string()),
        1 => "[ \n\r\t]{0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn removing_hooks_restores_the_text(text in any_text(), client_index in 0..5_usize) {
        let client = &CLIENTS[client_index];
        let with = install(client, Some(&text));
        prop_assert_eq!(count_hooks(client, with.as_bytes()).expect("a count"), client.hooks.len());
        prop_assert_eq!(install(client, Some(&with)), with.clone(), "installation is idempotent");
        prop_assert_eq!(uninstall(client, &with), Some(text.clone()), "{}", with);
        prop_assert_eq!(uninstall(client, &text), Some(text));
    }

    #[test]
    fn existing_hooks_and_settings_are_kept(value in any_settings(), blanks in any_blanks()) {
        let text = written(&value, &blanks);
        let with: Value = serde_json::from_str(&install(claude(), Some(&text))).expect("JSON");
        for (key, before) in value.as_object().expect("an object") {
            if key != "hooks" {
                prop_assert_eq!(&with[key], before);
                continue;
            }
            for (event, list) in before.as_object().expect("hooks") {
                let list = list.as_array().expect("a list");
                let now = with["hooks"][event].as_array().expect("a list");
                prop_assert_eq!(&now[..list.len()], &list[..]);
            }
        }
    }

    #[test]
    fn invalid_json_is_never_changed(text in "[ -~\n]{1,40}") {
        if serde_json::from_str::<Value>(&text).is_err() && !text.trim().is_empty() {
            prop_assert!(plan_hooks(claude(), Some(text.as_bytes()), "tacit").is_err());
            prop_assert!(plan_hooks_removal(claude(), Some(text.as_bytes())).is_err());
        }
    }
}
