//! Records and decision files that the team committed are shown like confirmed memories, drafts
//! are not.

use std::fs;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::Agent;
use crate::{bare, initialised};

/// Records as teams write them, each with a prompt about it.
fn records() -> [(&'static str, &'static str, Value, &'static str); 5] {
    [
        (
            "decision",
            "Money amounts are integers in minor units",
            json!({
                "status": "accepted",
                "context": "Invoice totals were off by a cent after discounts were applied",
                "decision": "Store and compute all money amounts as integer cents, never as floats",
                "rationale": ["floats lose cents when discounts are summed"],
            }),
            "the invoice total is off by a cent when two discounts apply, can you fix the computation of the money amounts?",
        ),
        (
            "runbook",
            "Kafka consumer lag after a deployment",
            json!({
                "trigger": "The consumer group of the order service lags after a deployment",
                "symptoms": ["orders show up minutes late"],
                "steps": ["Pause the rollout", "Reset the offsets of the group with scripts/reset-offsets.sh"],
                "verification": "The lag in the dashboard goes back to zero",
            }),
            "since the deployment the kafka consumer of the order service lags behind, what do we do about the lag?",
        ),
        (
            "constraint",
            "The payment gateway allows ten requests per second",
            json!({
                "kind": "limitation",
                "rule": "The payment gateway rejects more than ten requests per second per merchant",
                "impact": ["bulk refunds must be throttled"],
                "severity": "high", "active": true,
            }),
            "implement bulk refunds against the payment gateway, as many requests in parallel as possible",
        ),
        (
            "preference",
            "Database migrations are additive",
            json!({
                "topic": "database migrations",
                "value": "Write additive migrations only; drop columns one release after the code stopped using them",
                "reason": "a rollback of the service must still find the old columns",
                "strength": "strong",
            }),
            "write a database migration that removes the legacy_name column from customers",
        ),
        (
            "tech_debt",
            "The address parser duplicates the rules of the validator",
            json!({
                "status": "open", "priority": "medium",
                "description": "The address parser and the address validator each have their own list of country rules",
                "reason_deferred": "the validator was about to be replaced",
                "suggested_fix": ["move the country rules into one table that both use"],
            }),
            "add the country rules for Norway to the address validator",
        ),
    ]
}

fn create(env: &TestEnv, category: &str, title: &str, content: &Value) {
    let record = json!({"title": title, "tags": ["team"], "content": content});
    env.run_with_input(["records", "create", category], record.to_string().as_bytes()).succeeded();
}

fn commit(env: &TestEnv, message: &str) {
    env.git(&env.project(), &["add", "-A"]);
    env.git(
        &env.project(),
        &["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", message],
    );
}

/// Returns how many of the prompts bring their record.
fn shown(env: &TestEnv, session: &str) -> usize {
    let brings = |(category, title, _, prompt): &(&str, &str, Value, &str)| {
        let context = Agent::new(env, &format!("{session}-{category}")).says(prompt).context;
        context.is_some_and(|context| context.contains(title))
    };
    records().iter().filter(|record| brings(record)).count()
}

#[test]
fn committed_records_are_shown_and_drafts_are_not() {
    let env = initialised();
    for (category, title, content, _) in records() {
        create(&env, category, title, &content);
    }
    assert_eq!(shown(&env, "draft"), 0, "nobody has confirmed or committed them");
    commit(&env, "records");
    // A hook sees the commit without running git, and leaves the rest to maintenance.
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(shown(&env, "committed"), 5);
    let told = Agent::new(&env, "words").says(records()[0].3);
    assert!(told.says("· committed by the team]"), "{told:?}");
}

#[test]
fn a_fresh_clone_knows_the_records_before_the_first_prompt() {
    let team = initialised();
    for (category, title, content, _) in records() {
        create(&team, category, title, &content);
    }
    commit(&team, "records");
    let env = bare();
    fs::remove_dir_all(env.project()).expect("removed");
    let origin = team.project().display().to_string();
    env.git(&env.root(), &["clone", "-q", &origin, "project"]);
    env.run(["init"]).succeeded();
    Agent::new(&env, "s").starts("startup");
    assert_eq!(shown(&env, "clone"), 5);
}

#[test]
fn a_changed_record_is_a_draft_until_it_is_committed_again() {
    let env = initialised();
    let (category, title, content, prompt) = &records()[0];
    create(&env, category, title, content);
    commit(&env, "one");
    let says = |session: &str| {
        env.run(["maintain", "--quiet"]).succeeded();
        Agent::new(&env, session).says(prompt).context.unwrap_or_default()
    };
    assert!(says("a").contains("integer cents"));

    // Edited by an agent, or by hand: nobody stands behind these words yet.
    let file = env.project().join(".claude/memory/decisions");
    let file = file.join("money-amounts-are-integers-in-minor-units.json");
    let text = fs::read_to_string(&file).expect("a record");
    fs::write(&file, text.replace("integer cents", "integer tenths of cents")).expect("written");
    assert_eq!(says("b"), "");
    let listed = env.run(["recall", "money", "amounts"]).succeeded().stdout;
    assert!(listed.contains("from a file, not confirmed"), "{listed}");

    // Staged is not committed.
    env.git(&env.project(), &["add", "-A"]);
    assert_eq!(says("c"), "");
    commit(&env, "two");
    assert!(says("d").contains("integer tenths of cents"));

    // Back to the old words with git alone.
    env.git(&env.project(), &["checkout", "-q", "HEAD~1"]);
    let back = says("e");
    assert!(back.contains("integer cents"), "{back}");

    // A person who flags it has the last word while the file stays the same.
    let found = env.run(["recall", "money", "amounts", "--json"]).succeeded().json();
    let id = found[0]["short_id"].as_str().expect("an id").to_owned();
    env.run(["review", "flag", &id, "--wrong"]).succeeded();
    env.run(["records", "index"]).succeeded();
    assert_eq!(says("f"), "");
}

#[test]
fn a_person_confirms_a_draft_without_a_commit() {
    let env = initialised();
    let (category, title, content, prompt) = &records()[0];
    create(&env, category, title, content);
    let found = env.run(["recall", "money", "amounts", "--json"]).succeeded().json();
    let id = found[0]["short_id"].as_str().expect("an id").to_owned();
    env.run(["review", "confirm", &id]).succeeded();
    let told = Agent::new(&env, "s").says(prompt);
    assert!(told.says("· verified]") && told.says("integer cents"), "{told:?}");
}

const TESTING: &str = "\
# Testing

## When Writing Mock Tests

Patch the object in the module that uses it, not where it is defined. The fixture `frozen_clock`
replaces the clock everywhere.

## .Data

### How to Build Test Orders

Use `OrderFactory.with_lines(3)`; it also creates the customer and the stock that the order needs.
";
const INDEX: &str = "\
# Memory Index

## agents/decisions/testing.md

/when writing mock tests | mock patch, test doubles
/how build test orders | order fixtures
";

fn write_decisions(env: &TestEnv, testing: &str, index: &str) {
    fs::create_dir_all(env.project().join("agents/decisions")).expect("a directory");
    fs::write(env.project().join("agents/decisions/testing.md"), testing).expect("written");
    fs::write(env.project().join("agents/memory-index.md"), index).expect("written");
}

#[test]
fn sections_of_decision_files_are_found_by_every_recall() {
    let env = initialised();
    write_decisions(&env, TESTING, INDEX);
    let found = |query: &str| {
        let found = env.run(["recall", query, "--json"]).succeeded().json();
        found[0]["title"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(found("where to patch the object in mock tests"), "When Writing Mock Tests");
    assert_eq!(found("create an order with stock for a test"), "How to Build Test Orders");
    let prompt = "I need a test with an order of three lines, how do I build test orders?";
    let told = Agent::new(&env, "a").says(prompt).context.unwrap_or_default();
    assert!(!told.contains("OrderFactory"), "not committed yet: {told}");
    assert!(told.contains("(`tacit how \"build test orders\"` opens it)"), "{told}");

    commit(&env, "decisions");
    env.run(["maintain", "--quiet"]).succeeded();
    let told = Agent::new(&env, "b").says(prompt).context.unwrap_or_default();
    assert!(told.contains("· committed by the team] How to Build Test Orders: Use"), "{told}");
    assert!(!told.contains("opens it"), "the section itself is there: {told}");

    // Changed, renamed and removed with the file, and not from the database.
    let memory = env.run(["recall", "mock tests", "--json"]).succeeded().json();
    let id = memory[0]["short_id"].as_str().expect("an id").to_owned();
    let refused = env.run(["edit", &id, "--title", "Other"]).failed(7);
    assert!(refused.stderr.contains("follows `agents/decisions/testing.md#When"), "{refused:?}");
    let renamed = TESTING.replace("When Writing Mock Tests", "When Replacing Objects");
    write_decisions(&env, &renamed, INDEX);
    let memory = env.run(["recall", "patch the object", "--json"]).succeeded().json();
    assert_eq!(memory[0]["title"], "When Replacing Objects");
    assert_eq!(memory[0]["short_id"], id.as_str(), "the same memory");
    let (kept, _) = renamed.split_once("## .Data").expect("two parts");
    write_decisions(&env, kept, INDEX);
    let listed = env.run(["list", "--json"]).succeeded();
    env.run(["recall", "x"]).succeeded();
    assert!(!env.run(["list", "--json"]).succeeded().stdout.contains("OrderFactory"), "{listed:?}");
    fs::remove_dir_all(env.project().join("agents")).expect("removed");
    env.run(["recall", "x"]).succeeded();
    assert_eq!(env.run(["list", "--json"]).succeeded().json(), json!([]));
}

#[test]
fn a_hook_without_changes_starts_nothing() {
    let env = initialised();
    write_decisions(&env, TESTING, INDEX);
    fs::write(env.project().join("agents/decisions/large.md"), "x".repeat(2 << 20))
        .expect("a file");
    commit(&env, "decisions");
    env.run(["maintain", "--quiet"]).succeeded();
    let is_current = || {
        let state = fs::read_dir(env.store().join("records")).expect("a directory").next();
        fs::read(state.expect("a file").expect("a file").path()).expect("a state")
    };
    let before = is_current();
    env.run(["recall", "x"]).succeeded();
    assert_eq!(is_current(), before);
    let state: Value = serde_json::from_slice(&before).expect("JSON");
    assert_eq!(state["files"]["agents/decisions/testing.md"]["committed"], true);
    assert_eq!(state["files"].as_object().map(serde_json::Map::len), Some(3), "{state}");
}
