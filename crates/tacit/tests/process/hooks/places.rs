//! The store that a hook uses and the paths that it shows, in different working directories.

use std::fs;
use std::os::unix::fs::symlink;

use tacit_testkit::env::TestEnv;

use super::{Agent, remember, told_of};
use crate::{bare, initialised};

const NOTE: &str = "Ports are shared between tests, use 0";

/// A repository with one commit and a memory of a file.
fn repository() -> TestEnv {
    let env = bare();
    env.git(&env.project(), &["init", "-q"]);
    env.git(&env.project(), &["commit", "-q", "--allow-empty", "-m", "first"]);
    fs::create_dir_all(env.project().join("src/deep")).expect("directories");
    env.run(["init"]).succeeded();
    remember(&env, NOTE, &["-t", "gotcha", "-f", "src/net.rs"]);
    env
}

#[test]
fn worktrees_share_a_store_and_each_has_its_own_files() {
    let env = repository();
    env.git(&env.project(), &["worktree", "add", "-q", "../side", "-b", "side"]);
    let side = env.root().join("side");
    let file = |root: &std::path::Path| root.join("src/net.rs").display().to_string();
    let main = Agent::new(&env, "main");
    assert!(main.has_used("Read", &file(&env.project())).says(NOTE));
    let beside = Agent::new(&env, "side").at(side.clone());
    assert!(beside.has_used("Read", &file(&side)).says("about src/net.rs"));
    // A file of the other tree is not one of this one.
    let outside = file(&env.project());
    assert!(Agent::new(&env, "x").at(side.clone()).has_used("Read", &outside).is_nothing());
    assert!(!side.join(".tacit").exists());
    let outside = format!("tool_finished Read {outside}");
    assert_eq!(
        told_of(&env),
        ["tool_finished Read src/net.rs", "tool_finished Read src/net.rs", &outside]
    );
}

#[test]
fn a_submodule_has_a_store_of_its_own_or_that_of_the_agents_project() {
    let env = repository();
    let outer = env.root().join("outer");
    fs::create_dir(&outer).expect("a directory");
    env.git(&outer, &["init", "-q"]);
    env.git(&outer, &["submodule", "--quiet", "add", "../project", "sub"]);
    env.run_in(&outer, ["init"]).succeeded();
    let sub = outer.join("sub");
    let events = |root: &std::path::Path| {
        let listed = env.run_in(root, ["why", "--json"]).succeeded().json();
        let events = listed.as_array().expect("a list").clone();
        events.iter().map(|event| event["subject"].to_string()).collect::<Vec<_>>()
    };
    let agent = |session: &str| {
        let project = outer.display().to_string();
        Agent::new(&env, session).at(sub.clone()).with("CLAUDE_PROJECT_DIR", project)
    };
    let file = sub.join("a.rs").display().to_string();
    agent("a").has_used("Read", &file);
    assert_eq!(events(&outer), ["\"sub/a.rs\""]);
    env.run_in(&sub, ["init"]).succeeded();
    agent("b").has_used("Read", &file);
    assert_eq!(events(&sub), ["\"a.rs\""]);
    assert_eq!(events(&outer).len(), 1);
}

#[test]
fn an_agent_below_the_root_names_files_from_the_root() {
    for env in [repository(), {
        let env = initialised();
        fs::create_dir_all(env.project().join("src/deep")).expect("directories");
        remember(&env, NOTE, &["-t", "gotcha", "-f", "src/net.rs"]);
        env
    }] {
        for (number, (cwd, file)) in [
            ("src", "net.rs"),
            ("src/deep", "../net.rs"),
            ("", "src/net.rs"),
            ("", "./src/net.rs"),
            ("src", "./deep/../net.rs"),
        ]
        .into_iter()
        .enumerate()
        {
            let agent = Agent::new(&env, &format!("s{number}")).at(env.project().join(cwd));
            assert!(agent.has_used("Edit", file).says(NOTE), "{cwd} {file}");
        }
        let lines = told_of(&env);
        assert!(lines.iter().all(|line| line == "tool_finished Edit src/net.rs"), "{lines:?}");
    }
}

#[test]
fn a_way_through_a_link_leads_to_the_same_files() {
    let env = repository();
    let link = env.root().join("link");
    symlink(env.project(), &link).expect("a link");
    let file = link.join("src/net.rs").display().to_string();
    let agent = Agent::new(&env, "s").at(link.clone());
    assert!(agent.has_used("Read", &file).says(NOTE));
    let agent = Agent::new(&env, "t").at(link.join("src"));
    assert!(agent.has_used("Read", "net.rs").says(NOTE));
    assert_eq!(told_of(&env), ["tool_finished Read src/net.rs"; 2]);
}

#[test]
fn a_file_outside_is_named_as_it_was() {
    let env = repository();
    for file in ["/etc/src/net.rs", "../elsewhere/src/net.rs"] {
        assert!(Agent::new(&env, file).has_used("Read", file).is_nothing(), "{file}");
    }
    assert_eq!(
        told_of(&env),
        ["tool_finished Read /etc/src/net.rs", "tool_finished Read ../elsewhere/src/net.rs"]
    );
}

#[test]
fn an_agent_that_went_elsewhere_still_works_on_its_project() {
    let env = repository();
    let project = env.project().display().to_string();
    let away = env.root().join("away");
    fs::create_dir(&away).expect("a directory");
    let agent = Agent::new(&env, "s").at(away.clone()).with("CLAUDE_PROJECT_DIR", project);
    let file = env.project().join("src/net.rs").display().to_string();
    assert!(agent.has_used("Read", &file).says(NOTE));
    // Without anybody to say where it belongs, the directory of the hook itself is asked.
    let stray = Agent::new(&env, "t").at(env.root().join("gone"));
    assert!(stray.has_used("Read", &file).says(NOTE));
}
