//! Handover from one session, unit or QA run to the next.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use serde_json::json;
use tacit_testkit::env::TestEnv;

use super::{Agent, CLOCK_FAILED, CLOCK_PASSED, remember};
use crate::initialised;

const BRANCH: &str = "feature/ABC-123-login";

/// A project on a branch, with a commit.
fn on(branch: &str) -> TestEnv {
    let env = initialised();
    let root = env.project();
    env.git(&root, &["init", "-q"]);
    env.git(&root, &["checkout", "-q", "-b", branch]);
    for file in ["src/login.rs", "src/search.rs", "src/clock.rs"] {
        fs::create_dir_all(root.join("src")).expect("a directory");
        fs::write(root.join(file), "fn old() {}\n").expect("a file");
    }
    env.git(&root, &["add", "."]);
    env.git(&root, &["commit", "-q", "-m", "begin"]);
    env
}

/// Feeds a QA report to `tacit work qa`.
fn report_qa(env: &TestEnv, report: &serde_json::Value) {
    let file = env.project().join("qa.json");
    fs::write(&file, report.to_string()).expect("a file");
    env.run(["work", "qa", "qa.json"]).succeeded();
    fs::remove_file(file).expect("it is there");
}

fn login_issue() -> serde_json::Value {
    json!({
        "passed": false,
        "issues": [{
            "severity": "critical", "description": "The login form posts twice",
            "file": "src/login.rs", "recommendation": "Disable the button while it posts",
        }],
    })
}

#[test]
fn tool_layers_leave_out_memories_of_other_units_and_sessions() {
    let env = on("main");
    env.run(["work", "start", "042/3"]).succeeded();
    let unit = ["-t", "gotcha", "--file", "src/login.rs", "--scope", "work_unit", "--work-unit"];
    remember(&env, "The login cookie expires at noon", &[&unit[..], &["042/3"]].concat());
    remember(&env, "The login page is cached by the proxy", &[&unit[..], &["042/4"]].concat());
    let session = ["-t", "gotcha", "--file", "src/login.rs", "--scope", "session", "--session"];
    remember(&env, "The login mock is running on port 81", &[&session[..], &["other"]].concat());
    let agent = Agent::new(&env, "a");
    let told = agent.has_used("Read", "src/login.rs");
    assert!(told.says("cookie expires"), "{told:?}");
    assert!(!told.says("cached by the proxy") && !told.says("port 81"), "{told:?}");
}

#[test]
fn a_unit_declared_before_the_session_is_the_unit_of_what_it_teaches() {
    let env = on("main");
    env.run(["work", "start", "042"]).succeeded();
    let agent = Agent::new(&env, "a");
    agent.starts("startup");
    agent.fixes_the_clock();
    agent.ends("exit");
    env.run(["maintain", "--quiet"]).succeeded();
    let learnt = env.run(["list", "-t", "error_pattern", "--json"]).succeeded().json();
    let unit = &learnt[0]["work_unit"]["hierarchy"];
    assert_eq!(*unit, json!(["042"]), "{learnt}");
}

#[test]
fn issues_that_qa_found_reach_the_session_that_fixes_them() {
    let env = on(BRANCH);
    report_qa(&env, &login_issue());
    let fixer = Agent::new(&env, "fixer");
    let told = fixer.starts("startup");
    assert!(told.says("[qa · not fixed yet] QA found: The login form posts twice"), "{told:?}");
    assert!(!fixer.has_used("Read", "src/login.rs").says("posts twice"), "told twice");
    let other = Agent::new(&env, "other");
    assert!(other.has_used("Read", "src/login.rs").says("The login form posts twice"));
    assert!(!other.has_used("Read", "src/search.rs").says("posts twice"));
    let brief = env.run(["session", "brief", "--phase", "qa_fixer"]).succeeded().stdout;
    assert!(brief.contains("FOUND BY QA, TO FIX"), "{brief}");
    assert!(brief.contains("Do this instead: Disable the button"), "{brief}");
    let found = env.run(["recall", "login form posts twice"]).succeeded().stdout;
    assert!(found.contains("found by QA, not fixed yet"), "{found}");
    // Another unit of work has nothing to do with it.
    env.git(&env.project(), &["checkout", "-q", "-b", "feature/DEF-4-search"]);
    assert!(!Agent::new(&env, "b").starts("startup").says("posts twice"));
    env.git(&env.project(), &["checkout", "-q", BRANCH]);
    report_qa(&env, &json!({"passed": true}));
    assert!(!Agent::new(&env, "c").starts("startup").says("not fixed yet"));
    let brief = env.run(["session", "brief", "--phase", "qa_fixer"]).succeeded().stdout;
    assert!(!brief.contains("FOUND BY QA"), "{brief}");
}

/// Starts a session from a process that ends at once, like a client that is killed.
#[expect(clippy::disallowed_methods, reason = "the program is a stand-in for an agent client")]
fn starts_in_a_client_that_dies(env: &TestEnv, agent: &Agent<'_>) {
    // A copy, because shells between the client and the hook do not count.
    let client = env.project().join("../client");
    fs::copy("/bin/sh", &client).expect("a shell");
    let tacit = env.command().get_program().to_owned();
    let mut command = std::process::Command::new(&client);
    for (name, value) in env.command().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command
        .args(["-c", "\"$0\" hook claude; exit 0"])
        .arg(tacit)
        .current_dir(env.project())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the client starts");
    let payload = agent.payload("SessionStart", json!({"source": "startup"})).to_string();
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(payload.as_bytes()).expect("it reads");
    drop(stdin);
    assert!(child.wait().expect("it ends").success());
}

#[cfg(target_os = "linux")]
#[test]
fn the_state_of_a_killed_client_is_told_at_once() {
    let env = on(BRANCH);
    let works = |agent: &Agent<'_>| {
        agent.says("Add a login page to the shop");
        agent.has_used("Edit", "src/login.rs");
        let message = json!({"last_assistant_message": "Next: hash the password"});
        agent.fire("Stop", message);
    };
    // The client of this one is the test, which still runs.
    let alive = Agent::new(&env, "alive");
    alive.starts("startup");
    works(&alive);
    assert!(!Agent::new(&env, "b").starts("startup").says("hash the password"));
    let killed = Agent::new(&env, "killed");
    starts_in_a_client_that_dies(&env, &killed);
    works(&killed);
    let told = Agent::new(&env, "c").starts("startup");
    assert!(told.says("was left unfinished: Add a login page"), "{told:?}");
    assert!(told.says("hash the password"), "{told:?}");
}

#[test]
fn a_state_is_not_told_after_a_later_session_saw_the_check_pass() {
    let env = on(BRANCH);
    let agent = Agent::new(&env, "a");
    agent.starts("startup");
    agent.says("Make the clock tick in nanoseconds");
    agent.mends_the_clock();
    agent.has_failed("cargo test", CLOCK_FAILED);
    agent.ends("exit");
    let later = Agent::new(&env, "b");
    assert!(later.starts("startup").says("Still failing: `cargo test`"));
    later.has_run("cargo test 2>&1 | tail -5", CLOCK_PASSED);
    assert!(!later.starts("compact").says("Still failing"), "it has passed in this session");
    later.ends("exit");
    let told = Agent::new(&env, "c").starts("startup");
    assert!(!told.says("Still failing") && !told.says("was left unfinished"), "{told:?}");
}

/// A session that changes two files and ends without a commit.
fn leaves_a_renaming(env: &TestEnv) {
    let agent = Agent::new(env, "a");
    agent.starts("startup");
    agent.says("Rename the login page and keep the old address working for now");
    for file in ["src/login.rs", "src/search.rs"] {
        fs::write(env.project().join(file), "fn renamed() {}\n").expect("a file");
        agent.has_used("Edit", file);
        agent.has_used("Edit", file);
    }
    agent.ends("exit");
}

#[test]
fn a_state_is_not_told_after_its_files_were_committed_by_hand() {
    let env = on(BRANCH);
    let root = env.project();
    leaves_a_renaming(&env);
    let told = Agent::new(&env, "b").starts("startup");
    assert!(told.says("Changed, not committed in the session: src/search.rs"), "{told:?}");
    env.git(&root, &["commit", "-q", "-a", "-m", "rename the page"]);
    let told = Agent::new(&env, "c").starts("startup");
    assert!(!told.says("not committed"), "{told:?}");
}

#[test]
fn a_state_is_told_while_its_files_are_only_staged() {
    let env = on(BRANCH);
    let root = env.project();
    leaves_a_renaming(&env);
    env.run(["maintain", "--quiet"]).succeeded();
    fs::write(root.join("src/clock.rs"), "fn other() {}\n").expect("a file");
    env.git(&root, &["add", "src/login.rs", "src/search.rs", "src/clock.rs"]);
    env.git(&root, &["commit", "-q", "-m", "another file", "-o", "src/clock.rs"]);
    let told = Agent::new(&env, "b").starts("startup");
    assert!(told.says("Changed, not committed in the session: src/search.rs"), "{told:?}");
    env.git(&root, &["commit", "-q", "-m", "rename the page"]);
    let told = Agent::new(&env, "c").starts("startup");
    assert!(!told.says("not committed"), "{told:?}");
}

#[test]
fn a_superseded_memory_gives_way_to_its_successor() {
    let env = on("main");
    let old = remember(
        &env,
        "Sessions are stored in Redis under the key prefix sess",
        &["-t", "gotcha", "--file", "src/login.rs"],
    );
    let new = remember(
        &env,
        "Login state lives in signed cookies since June",
        &["-t", "gotcha", "--file", "src/login.rs"],
    );
    env.run(["edit", &new, "--link", &format!("supersedes:{old}")]).succeeded();
    let agent = Agent::new(&env, "a");
    for told in [agent.starts("startup"), agent.helper("x").has_used("Read", "src/login.rs")] {
        assert!(told.says("signed cookies") && !told.says("Redis"), "{told:?}");
    }
    let asked = Agent::new(&env, "b").says("where are sessions stored in redis, which key prefix?");
    assert!(asked.says("signed cookies") && !asked.says("Sessions are stored"), "{asked:?}");
    let brief = ["session", "brief", "--task", "sessions stored in redis key prefix"];
    let brief = env.run(brief).succeeded().stdout;
    assert!(brief.contains("signed cookies") && !brief.contains("Sessions are stored"), "{brief}");
    let found = env.run(["recall", "redis key prefix", "--explain"]).succeeded().stdout;
    assert!(found.contains("signed cookies"), "{found}");
    assert!(found.contains(&format!("superseded by {new}")), "{found}");
}

#[test]
fn conflicting_memories_are_shown_together() {
    let env = on("main");
    let file = ["-t", "gotcha", "--file", "src/login.rs"];
    let one = remember(&env, "The login timeout is thirty seconds", &file);
    let other = remember(&env, "Idle users are thrown out after ten minutes", &["-t", "gotcha"]);
    env.run(["edit", &other, "--link", &format!("conflicts_with:{one}")]).succeeded();
    let told = Agent::new(&env, "a").has_used("Read", "src/login.rs");
    for text in [&format!("conflicts with {other}"), &format!("conflicts with {one}"), "Idle users"]
    {
        assert!(told.says(text), "{text}: {told:?}");
    }
    let found = env.run(["recall", "login timeout seconds"]).succeeded().stdout;
    assert!(found.contains("Idle users") && found.contains("conflicts with: "), "{found}");
    let brief = env.run(["session", "brief", "--files", "src/login.rs"]).succeeded().stdout;
    assert!(brief.contains("Idle users"), "{brief}");
}

#[test]
fn a_session_starts_with_what_is_about_to_be_worked_on() {
    let env = on("fix/search-ranking");
    let root = env.project();
    for number in 0..8 {
        let text = format!("Invoice rule {number} rounds the tax of country {number} to cents");
        remember(&env, &text, &["-t", "gotcha", "--file", "src/clock.rs"]);
    }
    remember(
        &env,
        "The login form trims the password",
        &["-t", "gotcha", "--file", "src/login.rs"],
    );
    remember(&env, "Search ranking ignores drafts", &["-t", "gotcha"]);
    for number in 8..16 {
        let text = format!("Invoice rule {number} rounds the tax of country {number} to cents");
        remember(&env, &text, &["-t", "gotcha", "--file", "src/clock.rs"]);
    }
    fs::write(root.join("src/login.rs"), "fn changed() {}\n").expect("a file");
    let told = Agent::new(&env, "a").starts("startup").context.expect("a context");
    let notes: Vec<&str> = told.lines().filter(|line| line.starts_with("[gotcha")).collect();
    assert!(notes[0].contains("trims the password"), "{told}");
    assert!(notes[1].contains("Search ranking"), "{told}");
}

#[test]
fn folders_and_ignored_files_are_no_work_in_progress() {
    let env = on("main");
    let root = env.project();
    fs::write(root.join(".gitignore"), ".env\n").expect("a file");
    fs::write(root.join(".env"), "PORT=1\n").expect("a file");
    env.git(&root, &["add", "."]);
    env.git(&root, &["commit", "-q", "-m", "all"]);
    let fill = |numbers: std::ops::Range<usize>| {
        for number in numbers {
            let text = format!("Invoice rule {number} rounds the tax of country {number} to cents");
            remember(&env, &text, &["-t", "gotcha"]);
        }
    };
    fill(0..8);
    remember(&env, "Sources are formatted with tabs", &["-t", "gotcha", "--file", "src"]);
    remember(&env, "The port is read from a file", &["-t", "gotcha", "--file", ".env"]);
    fill(8..16);
    let told = Agent::new(&env, "a").starts("startup").context.expect("a context");
    assert!(told.contains("Invoice rule"), "{told}");
    assert!(!told.contains("with tabs") && !told.contains("The port"), "{told}");
}
