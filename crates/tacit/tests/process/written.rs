//! Memories that follow the rules in CLAUDE.md, AGENTS.md, guides and decision records, through the
//! real binary.

use std::fs;

use serde_json::Value;
use tacit_testkit::env::TestEnv;

use crate::initialised;

const RULES: &str = "# Shop\n\n## Build\n\n- Never run npm, the lock file is of pnpm\n- Run \
    `pnpm check` before each commit\n";

fn write(env: &TestEnv, path: &str, text: &str) {
    let path = env.project().join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a directory");
    fs::write(path, text).expect("written");
}

fn sync(env: &TestEnv) {
    env.run(["recall", "anything"]).succeeded();
}

fn commit(env: &TestEnv) {
    env.git(&env.project(), &["add", "-A"]);
    env.git(&env.project(), &["commit", "-qm", "rules"]);
}

/// Returns the memories whose text contains a word, with those out of use if `all` is set.
fn about(env: &TestEnv, word: &str, all: bool) -> Vec<Value> {
    let arguments: &[&str] =
        if all { &["list", "--status", "all", "--json"] } else { &["list", "--json"] };
    let listed = env.run(arguments).succeeded().json();
    let found = listed.as_array().cloned().unwrap_or_default();
    found.into_iter().filter(|memory| memory["content"].to_string().contains(word)).collect()
}

fn one(env: &TestEnv, word: &str) -> Value {
    let mut found = about(env, word, false);
    assert_eq!(found.len(), 1, "{word}: {found:?}");
    found.remove(0)
}

fn id(memory: &Value) -> String {
    memory["short_id"].as_str().expect("an id").to_owned()
}

fn places(memory: &Value) -> Vec<&str> {
    let places = memory["references"].as_array().into_iter().flatten();
    places.filter_map(Value::as_str).collect()
}

fn review(memory: &Value) -> &str {
    memory["review"].as_str().unwrap_or("none")
}

#[test]
fn a_rule_is_a_memory_with_a_link_to_its_line() {
    let env = initialised();
    write(&env, "CLAUDE.md", RULES);
    sync(&env);
    let draft = one(&env, "npm, the");
    assert_eq!((places(&draft), review(&draft)), (vec!["CLAUDE.md:5"], "none"));
    assert_eq!(draft["type"], "gotcha");
    commit(&env);
    sync(&env);
    let committed = one(&env, "npm, the");
    assert_eq!((id(&committed), review(&committed)), (id(&draft), "committed"));
    write(&env, "CLAUDE.md", &format!("{RULES}\nSome description of a thing.\n"));
    sync(&env);
    assert_eq!(review(&one(&env, "npm, the")), "none", "the file is a draft again");
}

#[test]
fn a_moved_line_moves_only_the_link() {
    let env = initialised();
    write(&env, "CLAUDE.md", RULES);
    commit(&env);
    sync(&env);
    let before = one(&env, "npm, the");
    write(&env, "CLAUDE.md", &format!("A shop.\n\n{RULES}"));
    commit(&env);
    sync(&env);
    let after = one(&env, "npm, the");
    assert_eq!(places(&after), ["CLAUDE.md:7"]);
    for field in ["id", "updated_at", "review", "observations", "title"] {
        assert_eq!(after[field], before[field], "{field}");
    }
}

#[test]
fn a_changed_rule_supersedes_the_old_one() {
    let env = initialised();
    write(&env, "AGENTS.md", RULES);
    commit(&env);
    sync(&env);
    let old = one(&env, "npm, the");
    write(&env, "AGENTS.md", &RULES.replace("of pnpm", "of bun"));
    commit(&env);
    sync(&env);
    let new = one(&env, "npm, the");
    assert_ne!(id(&new), id(&old));
    let relations = new["relations"].to_string();
    assert!(relations.contains("supersedes"), "{relations}");
    assert!(relations.contains(old["id"].as_str().expect("an id")), "{relations}");
    let retired = about(&env, "of pnpm", true);
    assert!(retired[0]["status"].to_string().contains("differently"), "{retired:?}");
    let history = env.run(["why", &id(&old)]).succeeded().stdout;
    assert!(history.contains("AGENTS.md:5"), "{history}");

    // The change is taken back.
    write(&env, "AGENTS.md", RULES);
    commit(&env);
    sync(&env);
    assert_eq!(id(&one(&env, "npm, the")), id(&old));
}

#[test]
fn a_removed_rule_is_retired_and_comes_back_with_its_text() {
    let env = initialised();
    write(&env, "CLAUDE.md", RULES);
    sync(&env);
    let before = one(&env, "pnpm check");
    write(&env, "CLAUDE.md", "# Shop\n\n- Never run npm, the lock file is of pnpm\n");
    sync(&env);
    assert_eq!(about(&env, "pnpm check", false).len(), 0);
    fs::remove_file(env.project().join("CLAUDE.md")).expect("removed");
    sync(&env);
    assert_eq!(about(&env, "npm", false).len(), 0);
    write(&env, "CLAUDE.md", RULES);
    sync(&env);
    assert_eq!(id(&one(&env, "pnpm check")), id(&before));
}

#[test]
fn a_rule_that_a_person_forgot_stays_away_until_it_changes() {
    let env = initialised();
    write(&env, "CLAUDE.md", RULES);
    sync(&env);
    env.run(["forget", &id(&one(&env, "pnpm check")), "--reason", "wrong"]).succeeded();
    write(&env, "CLAUDE.md", &format!("{RULES}- Use tabs in Makefiles only\n"));
    sync(&env);
    env.run(["records", "index"]).succeeded();
    assert_eq!(about(&env, "pnpm check", false).len(), 0);
    assert_eq!(about(&env, "tabs in", false).len(), 1);
    write(&env, "CLAUDE.md", &RULES.replace("each commit", "each push"));
    sync(&env);
    assert_eq!(about(&env, "each push", false).len(), 1);
}

#[test]
fn two_files_with_the_same_rule_share_one_memory() {
    let env = initialised();
    write(&env, "CLAUDE.md", RULES);
    write(&env, "AGENTS.md", &format!("Intro.\n\n{RULES}"));
    sync(&env);
    assert_eq!(places(&one(&env, "pnpm check")), ["AGENTS.md:8", "CLAUDE.md:6"]);
    fs::remove_file(env.project().join("AGENTS.md")).expect("removed");
    sync(&env);
    assert_eq!(places(&one(&env, "pnpm check")), ["CLAUDE.md:6"]);
}

#[test]
fn a_rule_that_moves_to_another_file_keeps_its_memory() {
    let env = initialised();
    for (from, to) in [("CLAUDE.md", "AGENTS.md"), ("AGENTS.md", "CLAUDE.md")] {
        write(&env, from, RULES);
        let _ = fs::remove_file(env.project().join(to));
        sync(&env);
        let before = one(&env, "pnpm check");
        write(&env, to, RULES);
        fs::remove_file(env.project().join(from)).expect("removed");
        sync(&env);
        let after = one(&env, "pnpm check");
        assert_eq!((id(&after), places(&after)), (id(&before), vec![&*format!("{to}:6")]));
    }
}

#[cfg(unix)]
#[test]
fn included_files_and_links_are_places_of_a_rule() {
    let env = initialised();
    write(&env, "AGENTS.md", RULES);
    write(&env, "CLAUDE.md", "Read this first:\n@AGENTS.md\n");
    std::os::unix::fs::symlink("AGENTS.md", env.project().join("GEMINI.md")).expect("a link");
    std::os::unix::fs::symlink("/etc/hostname", env.project().join("QWEN.md")).expect("a link");
    sync(&env);
    let rule = one(&env, "pnpm check");
    assert_eq!(places(&rule), ["AGENTS.md:6", "CLAUDE.md:2", "GEMINI.md"]);
    write(&env, "CLAUDE.md", "Read this first.\n");
    sync(&env);
    assert_eq!(places(&one(&env, "pnpm check")), ["AGENTS.md:6", "GEMINI.md"]);
}

#[test]
fn imported_rules_are_adopted_with_their_edits_and_confirmations() {
    let env = initialised();
    write(&env, "CLAUDE.md", &format!("{RULES}- Use tabs in Makefiles only\n- Avoid globals\n"));
    env.run(["import", "CLAUDE.md"]).succeeded();
    let confirmed = id(&one(&env, "npm, the"));
    env.run(["review", "confirm", &confirmed]).succeeded();
    let edited = id(&one(&env, "pnpm check"));
    env.run(["edit", &edited, "--content", "Run `pnpm check` twice"]).succeeded();
    let forgotten = id(&one(&env, "tabs in"));
    env.run(["forget", &forgotten, "--reason", "wrong"]).succeeded();
    commit(&env);
    sync(&env);
    let memory = one(&env, "npm, the");
    assert_eq!((id(&memory), review(&memory)), (confirmed, "verified"));
    assert_eq!((places(&memory), &memory["source"]), (vec!["CLAUDE.md:5"], &"file".into()));
    let kept = one(&env, "pnpm check");
    assert_eq!((id(&kept), &kept["content"]), (edited, &"Run `pnpm check` twice".into()));
    assert_eq!(about(&env, "tabs in", false).len(), 0);
    let listed = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(listed.as_array().map(Vec::len), Some(3), "{listed}");
}

#[test]
fn the_configuration_chooses_the_files() {
    let env = initialised();
    write(&env, "CLAUDE.md", RULES);
    write(&env, "docs/rules/style.md", "- Prefer early returns in handlers\n");
    sync(&env);
    assert_eq!(about(&env, "npm", false).len(), 2);
    env.run(["config", "set", "rules.files", "docs/rules, !CLAUDE.md"]).succeeded();
    sync(&env);
    assert_eq!(about(&env, "npm", false).len(), 0);
    assert_eq!(places(&one(&env, "early returns")), ["docs/rules/style.md:1"]);
    env.run(["config", "set", "rules.follow", "false"]).succeeded();
    sync(&env);
    let listed = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(listed.as_array().map(Vec::len), Some(0), "{listed}");
    env.run(["config", "unset", "rules.files"]).succeeded();
    env.run(["config", "set", "rules.follow", "true"]).succeeded();
    sync(&env);
    assert_eq!(about(&env, "npm", false).len(), 2);
}

#[test]
fn instructions_in_folders_of_the_code_are_followed_once_git_tracks_them() {
    let env = initialised();
    write(&env, "crates/api/AGENTS.md", "- Never call the database from `handlers.rs`\n");
    write(&env, "crates/api/handlers.rs", "");
    write(&env, "vendor/x/AGENTS.md", "- Never call the other thing\n");
    commit(&env);
    env.run(["maintain"]).succeeded();
    let rule = one(&env, "Never call the");
    assert_eq!(places(&rule), ["crates/api/AGENTS.md:1"]);
    assert_eq!(rule["related_files"][0], "crates/api/handlers.rs");
}

#[test]
fn a_decision_record_is_followed_through_its_status() {
    let env = initialised();
    let record = |title: &str, status: &str, text: &str| {
        format!(
            "# {title}\n\n## Status\n\n{status}\n\n## Context\n\nWe need a store.\n\n## Decision\n\n\
             {text}\n"
        )
    };
    let (first, second) = ("docs/adr/0001-redis.md", "docs/adr/0002-postgres.md");
    let redis = "We will keep sessions in Redis for a day.";
    write(&env, first, &record("1. Use Redis", "Accepted", redis));
    let postgres = "We will keep sessions in a table of Postgres.";
    write(&env, second, &record("2. Use Postgres", "Proposed", postgres));
    commit(&env);
    sync(&env);
    let old = one(&env, "sessions in");
    assert_eq!((&old["type"], &old["title"]), (&"decision".into(), &"Use Redis".into()));
    assert_eq!((places(&old), review(&old)), (vec!["docs/adr/0001-redis.md:13"], "committed"));
    write(&env, first, &record("1. Use Redis", "Superseded by [2](0002-postgres.md)", redis));
    write(&env, second, &record("2. Use Postgres", "Accepted", postgres));
    commit(&env);
    sync(&env);
    let new = one(&env, "sessions in");
    assert_eq!(new["title"], "Use Postgres");
    assert!(new["relations"].to_string().contains(old["id"].as_str().expect("an id")));
}

#[test]
fn hostile_files_are_bounded() {
    let env = initialised();
    let many: String =
        (0..5_000).map(|number| format!("- Never use the word number{number} here\n")).collect();
    write(&env, "AGENTS.md", &many);
    write(&env, "CLAUDE.md", &"x".repeat(1 << 20));
    fs::write(env.project().join("GEMINI.md"), [0xff, 0xfe, 0, 1]).expect("written");
    write(&env, ".cursor/rules/a/b/c/d/e/f/g/deep.mdc", "- Never look so deep as this\n");
    sync(&env);
    assert_eq!(
        env.run(["list", "--json", "--limit", "999"]).succeeded().json().as_array().map(Vec::len),
        Some(200)
    );
}
