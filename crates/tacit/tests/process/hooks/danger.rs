//! The guard: stops an agent before a command that a person warned of.

use serde_json::json;
use tacit_testkit::env::TestEnv;

use super::{Agent, Told, events, make_stale, remember};
use crate::initialised;

const WIPE: &str = "Never run `make wipe` here: it deletes the database of the customer";

/// The memory of a command that is dangerous here.
fn danger(env: &TestEnv) -> String {
    remember(env, WIPE, &["-t", "gotcha", "--tag", "danger"])
}

fn reason(id: &str) -> String {
    format!("Known to be dangerous in this project [{id}]: {WIPE}")
}

fn guard(env: &TestEnv, mode: &str) {
    env.run(["config", "set", "guard.commands", mode]).succeeded();
}

/// An agent that a person watches.
fn watched<'e>(env: &'e TestEnv, session: &str) -> Agent<'e> {
    Agent::new(env, session).with("CLAUDE_CODE_SESSION_ATTENDED", "1")
}

/// Is about to run a command in a permission mode.
fn in_mode(agent: &Agent<'_>, mode: &str, command: &str) -> Told {
    let input = json!({"command": command});
    let fields = json!({"tool_name": "Bash", "tool_input": input, "permission_mode": mode});
    agent.fire("PreToolUse", fields)
}

#[test]
fn a_dangerous_command_is_stopped_once_with_the_reason() {
    let env = initialised();
    let id = danger(&env);
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    let told = agent.is_about_to("cd api && make wipe; echo done");
    let expected = format!("{}\nIf you are sure, run it again to go ahead.", reason(&id));
    assert_eq!(told, Told { deny: Some(expected), ..Told::default() });
    let shown = events(&env).last().expect("an event")["shown"].clone();
    assert_eq!(shown[0]["why"], "warns about this command", "{shown}");
    assert_eq!(agent.is_about_to("make wipe"), Told::default(), "it goes ahead");
    // The session has been told, whatever became of its context.
    agent.fire("SessionStart", json!({"source": "compact"}));
    assert_eq!(agent.is_about_to("make wipe").deny, None, "remembered after a compaction");
    assert!(Agent::new(&env, "t").is_about_to("make wipe").deny.is_some(), "another session");
}

#[test]
fn dangerous_commands_are_recognised_behind_what_starts_them() {
    let env = initialised();
    danger(&env);
    remember(&env, "`terraform destroy` hits production", &["--tag", "destructive"]);
    remember(&env, "`wipe-db` is for the nightly job", &["-t", "decision", "--tag", "dangerous"]);
    Agent::new(&env, "start").starts("startup");
    for (number, command) in [
        "make -C db wipe",
        "env CONFIRM=1 make wipe",
        "CONFIRM=1 make wipe",
        "sudo -E make wipe",
        "sh -c 'make wipe'",
        "bash -lc \"cd db && make wipe\"",
        "cd db && make wipe",
        "timeout 5 make wipe",
        "nice -n 5 make wipe",
        "echo db | xargs make wipe",
        "/usr/bin/terraform destroy",
        "terraform -chdir=prod destroy -auto-approve",
        "npx wipe-db",
        "pnpm exec wipe-db --all",
        "uv run wipe-db",
    ]
    .iter()
    .enumerate()
    {
        let agent = Agent::new(&env, &format!("s{number}"));
        assert!(agent.is_about_to(command).deny.is_some(), "{command}");
    }
    let agent = Agent::new(&env, "other");
    for command in
        ["make", "make wiper", "echo make wipe", "grep -rn 'make wipe' .", "terraform plan", "ls"]
    {
        assert_eq!(agent.is_about_to(command).deny, None, "{command}");
    }
}

#[test]
fn a_warning_holds_from_the_moment_it_is_stored() {
    let env = initialised();
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    assert!(agent.is_about_to("make wipe").is_nothing());
    danger(&env);
    assert!(agent.is_about_to("sudo make wipe").deny.is_some());
    let id = remember(&env, "`make purge` empties the bucket", &["-t", "gotcha"]);
    assert_eq!(agent.is_about_to("make purge").deny, None);
    env.run(["edit", &id, "--tag", "danger"]).succeeded();
    assert!(agent.is_about_to("make purge").deny.is_some());
}

#[test]
fn a_warning_that_was_superseded_stops_nothing() {
    let env = initialised();
    let id = danger(&env);
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    let newer = remember(&env, "Wiping is safe since the data moved to the archive", &[]);
    env.run(["edit", &newer, "--link", &format!("supersedes:{id}")]).succeeded();
    assert_eq!(agent.is_about_to("make wipe").deny, None);
    env.run(["edit", &newer, "--unlink", &format!("supersedes:{id}")]).succeeded();
    assert!(agent.is_about_to("make wipe").deny.is_some());
}

#[test]
fn a_person_who_watches_is_asked_until_they_allow_it() {
    let env = initialised();
    let id = danger(&env);
    let agent = watched(&env, "s");
    agent.starts("startup");
    for _ in 0..2 {
        let told = agent.is_about_to("make wipe");
        assert_eq!((told.ask, told.deny), (Some(reason(&id)), None));
    }
    agent.has_run("make wipe", "wiped");
    assert!(agent.is_about_to("make wipe").is_nothing(), "they allowed it");
    for mode in ["bypassPermissions", "dontAsk"] {
        let told = in_mode(&watched(&env, mode), mode, "make wipe");
        assert!(told.ask.is_none() && told.deny.is_some(), "{mode}");
    }
}

#[test]
fn the_guard_can_stop_every_time_or_never() {
    let env = initialised();
    let id = danger(&env);
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    for mode in ["always", "true"] {
        guard(&env, mode);
        for _ in 0..2 {
            assert_eq!(agent.is_about_to("make wipe").ask, Some(reason(&id)), "{mode}");
        }
        let expected = format!("{}\nLeave it to the user to run it.", reason(&id));
        for _ in 0..2 {
            let told = in_mode(&agent, "bypassPermissions", "make wipe");
            assert_eq!(told.deny.as_ref(), Some(&expected), "{mode}");
        }
    }
    for mode in ["off", "false"] {
        guard(&env, mode);
        let told = agent.is_about_to("make wipe");
        assert_eq!((told.ask, told.deny), (None, None), "{mode}");
    }
}

#[test]
fn the_guard_finds_its_memory_among_many_that_are_nearer() {
    let env = initialised();
    danger(&env);
    for number in 0..8 {
        let text = format!("`make wipe` number {number}: make wipe takes {number} minutes");
        remember(&env, &text, &["-t", "gotcha"]);
    }
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    assert!(agent.is_about_to("make wipe").deny.is_some());
}

#[test]
fn only_a_person_can_make_the_guard_stop_a_command() {
    let env = initialised();
    let agent_source = ["-t", "gotcha", "--tag", "danger", "--source", "agent_explicit"];
    remember(&env, "Never run `make wipe`", &agent_source);
    remember(&env, "Never run `make purge`", &["-t", "gotcha"]);
    remember(&env, "Never run make scrub", &["-t", "gotcha", "--tag", "danger"]);
    remember(&env, "Never `make drop`; use `make clear`", &["-t", "gotcha", "--tag", "danger"]);
    let stale = remember(&env, "Never run `make raze`", &["-t", "gotcha", "--tag", "danger"]);
    make_stale(&env, &stale);
    let agent = Agent::new(&env, "s");
    agent.starts("startup");
    for command in ["make wipe", "make purge", "make scrub", "make clear", "make raze"] {
        let told = agent.is_about_to(command);
        assert_eq!((told.ask, told.deny), (None, None), "{command}");
    }
}

#[test]
fn warnings_have_a_place_at_the_start_of_a_session() {
    let env = initialised();
    for number in 0..6 {
        let text = format!("The cache of module{number} holds {number} entries");
        remember(&env, &text, &["-t", "gotcha", "--tag", "cheat-sheet"]);
    }
    danger(&env);
    for number in 0..3 {
        let text = format!("`make raze{number}` removes what cannot be restored");
        remember(&env, &text, &["-t", "gotcha", "--tag", "danger"]);
    }
    let told = Agent::new(&env, "s").starts("startup").masked();
    let first = told.lines().find(|line| line.starts_with('[')).expect("a memory");
    assert!(first.contains("make raze2"), "{told}");
    assert_eq!(told.matches("make raze").count() + told.matches("make wipe").count(), 2, "{told}");
}
