//! Learning from git with the real binary: what a first session is shown, what people decided, and
//! what a hostile repository can put into a memory.

use std::fs;

use serde_json::Value;
use tacit_testkit::env::TestEnv;

use crate::bare;
use crate::hooks::Agent;

const WORKFLOW: &str = "on: push\njobs:\n  test:\n    steps:\n      - run: npm run check\n";
const REASON: &str = "Workers deadlock when two of them refill the cache.";

fn write(env: &TestEnv, path: &str, text: &str) {
    let path = env.project().join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

fn commit(env: &TestEnv, message: &str) {
    env.git(&env.project(), &["add", "-A"]);
    env.git(&env.project(), &["commit", "-q", "-m", message]);
}

/// A project with a workflow, and with a reverted change whose revert says this.
fn project(reason: &str) -> TestEnv {
    let env = bare();
    write(&env, ".github/workflows/ci.yml", WORKFLOW);
    write(&env, "src/cache.js", "1\n");
    commit(&env, "Add a cache");
    write(&env, "src/cache.js", "2\n");
    commit(&env, "Share one cache between workers");
    write(&env, "src/cache.js", "1\n");
    commit(&env, &format!("Revert \"Share one cache between workers\"\n\n{reason}"));
    env.run(["init", "--no-hooks", "--no-scan"]).succeeded();
    env
}

fn learn(env: &TestEnv) -> Value {
    env.run(["learn", "git", "--json"]).succeeded().json()
}

/// Returns the kind and the outcome of each lesson, in the order of the alphabet.
fn outcomes(report: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or("gone").to_owned();
    let lessons = report["lessons"].as_array().expect("lessons").iter();
    let mut found: Vec<String> = lessons
        .map(|lesson| format!("{} {}", word(&lesson["kind"]), word(&lesson["outcome"])))
        .collect();
    found.sort();
    found
}

fn memory(report: &Value, kind: &str) -> String {
    let lessons = report["lessons"].as_array().expect("lessons");
    let lesson = lessons.iter().find(|lesson| lesson["kind"] == kind).expect("such a lesson");
    lesson["memory"].as_str().expect("a memory").to_owned()
}

fn show(env: &TestEnv, id: &str) -> Value {
    env.run(["show", id, "--json"]).succeeded().json()[0].clone()
}

#[test]
fn the_first_session_is_shown_what_ci_runs_and_nothing_inferred() {
    let env = project(REASON);
    let report = learn(&env);
    assert_eq!(outcomes(&report), ["build new", "dead_end new"]);
    let told = Agent::new(&env, "first").starts("startup");
    assert!(told.says("npm run check"), "{told:?}");
    assert!(!told.says("deadlock"), "{told:?}");
    let dead_end = show(&env, &memory(&report, "dead_end"));
    assert_eq!(dead_end["source"], "git_history");
    assert_eq!(dead_end["review"], "needed");
    assert_eq!(dead_end["references"].as_array().map(Vec::len), Some(2), "{dead_end}");
    let build = show(&env, &memory(&report, "build"));
    assert_eq!((&build["source"], &build["review"]), (&"file".into(), &"committed".into()));
    // What is not committed is not the team's word.
    write(&env, ".github/workflows/ci.yml", &WORKFLOW.replace("check", "lint"));
    assert_eq!(outcomes(&learn(&env)), ["build same", "dead_end same"]);
    // Maintenance follows the commit, because the user once ran it.
    commit(&env, "Lint in CI");
    env.run(["maintain"]).succeeded();
    let told = Agent::new(&env, "second").starts("startup");
    assert!(told.says("npm run lint") && !told.says("npm run check"), "{told:?}");
}

#[test]
fn nothing_is_learnt_before_somebody_asks() {
    let env = project(REASON);
    env.run(["maintain"]).succeeded();
    let listed = env.run(["list", "--json"]).succeeded().json();
    assert_eq!(listed.as_array().map(Vec::len), Some(0), "{listed}");
}

#[test]
fn short_histories_are_learnt_from_if_the_user_says_so() {
    for (arguments, learnt) in
        [(&["init", "--no-hooks"][..], 0), (&["init", "--no-hooks", "--learn"], 2)]
    {
        let env = project(REASON);
        env.run(arguments).succeeded();
        let listed = env.run(["list", "--json"]).succeeded().json();
        assert_eq!(listed.as_array().map(Vec::len), Some(learnt), "{arguments:?}: {listed}");
    }
}

#[test]
fn decisions_of_people_stay() {
    for (what, act, outcome) in [
        ("edited", &["edit", "ID", "--content", "Shared caches deadlock."][..], "kept"),
        ("verified", &["review", "confirm", "ID"], "same"),
        ("forgotten", &["forget", "ID"], "forgotten"),
        ("purged", &["forget", "ID", "--purge", "--yes"], "forgotten"),
    ] {
        let env = project(REASON);
        let id = memory(&learn(&env), "dead_end");
        let arguments = act.iter().map(|word| word.replace("ID", &id));
        // A purge notes that the history has the words: they are in the commits.
        let done = env.run(arguments.collect::<Vec<_>>());
        assert_eq!(done.code, Some(0), "{what}: {done:?}");
        assert!(outcomes(&learn(&env)).contains(&format!("dead_end {outcome}")), "{what}");
        // The same without the notes of the earlier run, except for what left no trace.
        if what != "purged" {
            fs::remove_dir_all(env.store().join("learn")).expect("the notes");
            let again = learn(&env);
            assert!(!outcomes(&again).contains(&"dead_end new".to_owned()), "{what}: {again}");
        }
    }
}

#[test]
fn an_approach_that_returns_is_no_longer_told() {
    let env = project(REASON);
    let id = memory(&learn(&env), "dead_end");
    write(&env, "src/cache.js", "2\n");
    commit(&env, "Share one cache between workers");
    assert_eq!(outcomes(&learn(&env)), ["build same", "gone retired"]);
    let shown = show(&env, &id);
    assert_eq!(shown["status"]["state"], "retired");
}

#[test]
fn secrets_and_control_characters_of_messages_are_not_stored() {
    let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let env = project(&format!("Workers deadlock because the token {token} \u{1b}[31mexpires."));
    let report = learn(&env).to_string();
    assert!(!report.contains(token), "{report}");
    let listed = env.run(["list", "--json"]).succeeded();
    assert!(!listed.stdout.contains(token) && listed.stdout.contains("deadlock"), "{listed:?}");
    assert!(!listed.stdout.contains("\\u001b"), "{listed:?}");
}

#[test]
fn repositories_without_commits_and_shallow_clones_are_read() {
    let env = bare();
    env.run(["init", "--no-hooks", "--no-scan"]).succeeded();
    assert!(outcomes(&learn(&env)).is_empty());
    let origin = project(REASON);
    let clone = env.root().join("clone");
    let url = format!("file://{}", origin.project().display());
    env.git(&env.root(), &["clone", "-q", "--depth", "1", &url, &clone.display().to_string()]);
    env.run_in(&clone, ["init", "--no-hooks", "--no-scan"]).succeeded();
    let report = env.run_in(&clone, ["learn", "git", "--json"]).succeeded().json();
    assert_eq!(report["commits"], 1);
    assert_eq!(outcomes(&report)[0], "build new");
}

#[test]
fn init_learns_if_it_is_told_to() {
    let env = bare();
    write(&env, ".github/workflows/ci.yml", WORKFLOW);
    for number in 0..25 {
        write(&env, "src/cache.js", &format!("{number}\n"));
        commit(&env, &format!("Change {number}"));
    }
    let said = env.run(["init", "--no-hooks", "--no-scan", "--learn"]).succeeded();
    assert!(said.stdout.contains("Learnt from 25 commits: 1 new memory."), "{said:?}");
    for (flags, offered) in [(&[][..], true), (&["--no-learn"], false)] {
        fs::remove_dir_all(env.store()).expect("the memory");
        let arguments = ["init", "--no-hooks", "--no-scan"].iter().chain(flags);
        let said = env.run(arguments).succeeded();
        assert_eq!(said.stdout.contains("tacit learn git    # 25 commits, about 1 s"), offered);
    }
}
