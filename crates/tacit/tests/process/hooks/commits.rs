//! Notes of commits: written once the work passed, kept out of the way, and found on request.

use std::fs;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use super::Agent;
use crate::initialised;

/// A session that changes a file, runs its tests with a result, and commits.
fn session(env: &TestEnv, name: &str, passes: bool, subject: &str) -> String {
    let agent = Agent::new(env, name);
    agent.starts("startup");
    agent.says("Make the pool wait");
    let file = env.project().join("src/pool.rs");
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    fs::write(&file, format!("// {subject}\n")).expect("a file");
    agent.has_used("Edit", "src/pool.rs");
    if passes {
        agent.has_run("cargo test", "test result: ok. 3 passed; 0 failed");
    } else {
        agent.has_failed("cargo test", "test result: FAILED. 2 passed; 1 failed");
    }
    env.git(&env.project(), &["add", "src"]);
    env.git(&env.project(), &["commit", "-q", "-m", subject]);
    let sha = head(env);
    let output = format!("[main {sha}] {subject}\n 1 file changed, 1 insertion(+)");
    agent.has_run(&format!("git commit -am '{subject}'"), &output);
    agent.ends("other");
    env.run(["maintain", "--quiet"]).succeeded();
    sha
}

/// Returns the first digits of the last commit, as git prints them.
fn head(env: &TestEnv) -> String {
    let sha = fs::read_to_string(env.project().join(".git/refs/heads/main")).expect("a commit");
    sha[..7].to_owned()
}

fn notes(env: &TestEnv) -> Vec<Value> {
    let listed = env.run(["list", "--source", "commit_auto", "--json"]).succeeded().json();
    listed.as_array().cloned().unwrap_or_default()
}

#[test]
fn commits_of_checked_work_are_noted_and_found_on_request() {
    let env = initialised();
    session(&env, "failed", false, "Try a spinning pool");
    assert_eq!(notes(&env), [] as [Value; 0], "its tests failed");
    let sha = session(&env, "passed", true, "Let the pool wait for a connection");
    let [note] = &notes(&env)[..] else { panic!("{:?}", notes(&env)) };
    let start = format!("Commit {sha}");
    let content = note["content"].as_str().expect("a text");
    assert!(content.starts_with(&start), "{content}");
    assert!(
        content.ends_with("“Let the pool wait for a connection” changed src/pool.rs."),
        "{content}"
    );
    assert_eq!(note["type"], "module_insight");
    assert_eq!(note["related_files"], json!(["src/pool.rs"]));
    assert!(note["commit"].as_str().is_some_and(|commit| commit.starts_with(&sha)), "{note}");

    // Maintenance notes it once, nobody has to review it, and it has no vector.
    env.run(["maintain", "--quiet"]).succeeded();
    assert_eq!(notes(&env).len(), 1);
    let queue = env.run(["review", "--list", "--json"]).succeeded().json().to_string();
    assert!(!queue.contains(&start), "{queue}");
    let found = env.run(["recall", "let the pool wait for a connection"]).succeeded().stdout;
    assert!(found.contains(&start), "{found}");

    // It is behind everything else, and in no list that does not ask for it.
    env.run(["remember", "The pool opens connections lazily"]).succeeded();
    let found = env.run(["recall", "let the pool wait for a connection"]).succeeded().stdout;
    assert!(found.find("lazily") < found.find(&start), "{found}");
    let listed = env.run(["list", "--limit", "100"]).succeeded().stdout;
    assert!(listed.contains("lazily") && !listed.contains(&start), "{listed}");

    // Nothing of it is shown uninvited.
    let agent = Agent::new(&env, "next");
    for told in [
        agent.starts("startup"),
        agent.says("Let the pool in src/pool.rs wait for a connection"),
        agent.has_used("Read", "src/pool.rs"),
    ] {
        assert!(!told.says(&start), "{told:?}");
    }
}

#[test]
fn an_amended_commit_is_noted_as_it_is_in_the_end() {
    let env = initialised();
    let agent = Agent::new(&env, "one");
    agent.starts("startup");
    agent.says("Make the pool wait");
    let file = env.project().join("pool.rs");
    let commit = |text: &str, arguments: &[&str]| {
        fs::write(&file, text).expect("a file");
        agent.has_used("Edit", "pool.rs");
        agent.has_run("cargo test", "test result: ok. 3 passed; 0 failed");
        env.git(&env.project(), &["add", "pool.rs"]);
        env.git(&env.project(), &[&["commit", "-q", "-m", "Wait"], arguments].concat());
        let sha = head(&env);
        let command = [&["git", "commit", "-am", "Wait"], arguments].concat().join(" ");
        agent.has_run(&command, &format!("[main {sha}] Wait\n 1 file changed"));
        sha
    };
    commit("one", &[]);
    let last = commit("two", &["--amend"]);
    agent.ends("other");
    env.run(["maintain", "--quiet"]).succeeded();
    let [note] = &notes(&env)[..] else { panic!("{:?}", notes(&env)) };
    let content = note["content"].as_str().expect("a text");
    assert!(content.starts_with(&format!("Commit {last}")), "{content}");
}
