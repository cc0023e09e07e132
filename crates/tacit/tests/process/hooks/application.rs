//! Observations of the running application, from the hook to the next session that validates it.

use std::fs;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::Agent;
use crate::initialised;

/// A session that uses the application: tools with their targets and answers.
fn session(env: &TestEnv, name: &str, calls: &[(&str, &str, &str)]) {
    let agent = Agent::new(env, name);
    agent.starts("startup");
    agent.says("Check the settings page");
    for (tool, target, answer) in calls {
        let fields = json!({
            "tool_name": format!("mcp__electron__{tool}"), "tool_input": {"text": target},
            "tool_response": [{"type": "text", "text": answer}],
        });
        agent.fire("PostToolUse", fields);
    }
    env.run(["review", "pass", "--session", name]).succeeded();
    agent.ends("other");
    env.run(["maintain", "--quiet"]).succeeded();
}

/// The observations of the application.
fn observed(env: &TestEnv) -> Vec<Value> {
    let listed = env.run(["list", "--type", "e2e_observation", "--json"]).succeeded().json();
    listed.as_array().cloned().unwrap_or_default()
}

const NEEDS: [(&str, &str, &str); 3] = [
    ("click_by_text", "Start", "Error: Start is disabled"),
    ("click_by_text", "Enable", "Clicked"),
    ("click_by_text", "Start", "Clicked"),
];

#[test]
fn observations_are_confirmed_shown_for_validation_and_contradicted() {
    let env = initialised();
    session(&env, "one", &NEEDS);
    let [one] = &observed(&env)[..] else { panic!("{:?}", observed(&env)) };
    assert_eq!((&one["source"], &one["confidence"]), (&json!("mcp_auto"), &json!(0.75)));
    let content = "click_by_text on `Start` works only after click_by_text on `Enable`. Before that \
                   it failed (Error: Start is disabled).";
    assert_eq!(one["content"], content);

    env.run(["work", "phase", "qa_review"]).succeeded();
    let told = Agent::new(&env, "early").starts("startup");
    assert!(!told.says("works only after"), "one session proves nothing: {told:?}");

    session(&env, "two", &NEEDS);
    assert_eq!(observed(&env)[0]["confidence"], json!(0.9));
    let told = Agent::new(&env, "qa").starts("startup");
    assert!(told.says("E2E validation memory") && told.says("mcp_auto"), "{told:?}");
    let expected = format!("Preconditions required before testing: {content}");
    assert!(told.says(&expected), "{told:?}");

    session(&env, "three", &[("click_by_text", "Start", "Clicked")]);
    let [one] = &observed(&env)[..] else { panic!("{:?}", observed(&env)) };
    assert_eq!((&one["confidence"], &one["review"]), (&json!(0.6), &json!("needed")));
    let told = Agent::new(&env, "later").starts("startup");
    assert!(!told.says("works only after"), "it may no longer hold: {told:?}");
}

#[test]
fn a_project_names_the_tools_of_its_application() {
    let env = initialised();
    let calls = NEEDS.map(|(_, target, answer)| ("press_button", target, answer));
    session(&env, "one", &calls);
    assert_eq!(observed(&env).len(), 0);
    env.run(["config", "set", "capture.app_tools", "press_button"]).succeeded();
    session(&env, "two", &calls);
    assert_eq!(observed(&env).len(), 1);
}

#[test]
fn observations_are_linked_to_the_one_file_that_renders_what_they_name() {
    let env = initialised();
    let write = |file: &str, text: &str| {
        let path = env.project().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    write("src/StartPanel.tsx", "export const StartPanel = () => <button>Start</button>;\n");
    // Two files show this text, so neither is meant.
    write("src/Settings.tsx", "export const Settings = () => <label>Enable</label>;\n");
    write("src/Plugins.tsx", "export const Plugins = () => <label>Enable</label>;\n");
    write("src/StartPanel.test.tsx", "test('starts', () => screen.getByText('Start'));\n");
    env.git(&env.project(), &["add", "."]);
    env.git(&env.project(), &["commit", "-q", "-m", "panels"]);
    env.run(["code", "index"]).succeeded();
    session(&env, "one", &NEEDS);
    let [one] = &observed(&env)[..] else { panic!("{:?}", observed(&env)) };
    assert_eq!(one["related_files"], json!(["src/StartPanel.tsx"]));
    let impact = env.run(["code", "impact", "src/StartPanel.tsx"]).succeeded().stdout;
    assert!(impact.contains("works only after"), "{impact}");

    // A person knows better, and is not overruled.
    let id = one["short_id"].as_str().expect("an id").to_owned();
    env.run(["edit", &id, "--file", ""]).succeeded();
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(observed(&env)[0]["related_files"], Value::Null);
    env.run(["undo"]).succeeded();

    env.git(&env.project(), &["rm", "-q", "src/StartPanel.tsx"]);
    env.git(&env.project(), &["commit", "-q", "-m", "no panel"]);
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(observed(&env)[0]["stale_kind"], "file_missing");
}
