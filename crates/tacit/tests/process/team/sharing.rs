//! Memories of one person are shown to the agents of others.

use super::*;

#[test]
fn memories_reach_the_next_prompt_of_others() {
    let team = Team::new();
    let ada = team.founder();
    assert_eq!(team.memories(), 3);
    assert_eq!(ada.knows(), [POOL, INVOICES, NAMES]);

    team.database.create_user("bo");
    let bo = team.person("bo");
    for action in ["status", "members", "push", "pull"] {
        let outside = bo.tries(["team", action]).failed(3);
        assert!(outside.stderr.contains("not in a team\nhint: "), "{action}: {outside:?}");
    }
    let stranger = bo.tries(["team", "join", &bo.url]).failed(7);
    assert!(stranger.stderr.contains("\nhint: "), "{stranger:?}");
    ada.run(["team", "add", &bo.login, "--role", "contributor"]);
    let joined = bo.run(["team", "join", &bo.url, "--json"]).json();
    assert_eq!((&joined["role"], &joined["memories"]), (&"contributor".into(), &3.into()));

    assert_eq!(bo.knows(), [POOL, INVOICES, NAMES]);
    let recalled = bo.run(["recall", "connection pool fork"]).stdout;
    assert!(recalled.contains("Close the connection pool"), "{recalled}");
    let shown = bo.is_shown("one", ABOUT_POOL);
    assert!(shown.contains(POOL), "{shown}");

    // No command of Bo's comes between: the hook itself asks what is new.
    ada.remembers("The kiosk printer swallows every receipt that is longer than ninety lines");
    let shown = bo.is_shown("two", "the kiosk printer swallows a receipt, what is known about it?");
    assert!(shown.contains("longer than ninety lines"), "{shown}");
    // Nor for a correction, and for what was forgotten.
    let found = ada.run(["recall", "kiosk printer", "--json"]).json();
    let id = found[0]["short_id"].as_str().expect("an id").to_owned();
    ada.run([
        "edit",
        &id,
        "--content",
        "The kiosk printer swallows receipts longer than eighty lines",
    ]);
    let shown =
        bo.is_shown("three", "the kiosk printer swallows a receipt, what is known about it?");
    assert!(shown.contains("eighty") && !shown.contains("ninety"), "{shown}");
    ada.run(["forget", &id]);
    let shown =
        bo.is_shown("four", "the kiosk printer swallows a receipt, what is known about it?");
    assert!(!shown.contains("kiosk"), "{shown}");
}

#[test]
fn sessions_stay_on_the_machine_of_their_user() {
    let (team, ada, bo) = Team::of_two();
    bo.is_shown("own", "a prompt that stays on one machine: connection pool fork?");
    bo.run(["maintain", "--quiet"]);
    ada.run(["team", "pull"]);
    for table in ["agent_sessions", "agent_events", "agent_injections", "agent_notes"] {
        assert_eq!(team.count(&format!("SELECT count(*) FROM tacit.{table}")), 0, "{table}");
    }
    let why = bo.run(["why", "-n", "10", "--json"]).json();
    assert_eq!(why[0]["session"], "own", "{why}");
    assert_eq!(ada.run(["why", "-n", "10", "--json"]).json(), serde_json::json!([]));
}

#[test]
fn joining_requires_a_decision_about_local_memories() {
    let (team, ada, _bo) = Team::of_two();
    team.database.create_user("cy");
    let cy = team.person("cy");
    cy.remembers("Cy alone knows that the staging cluster sleeps on Sundays");
    ada.run(["team", "add", &cy.login]);
    let asked = cy.tries(["team", "join", &cy.url]).failed(2);
    assert!(asked.stderr.contains("--set-aside"), "{asked:?}");
    cy.run(["team", "join", &cy.url, "--set-aside"]);
    assert_eq!((cy.knows().len(), team.memories()), (3, 3));
    // Nobody is asked about what Tacit wrote by itself, and writes again.
    team.database.create_user("di");
    let di = team.person("di");
    fs::create_dir(di.env.project().join("src")).expect("a folder");
    fs::write(di.env.project().join("src/lib.rs"), "pub fn open() {}\n").expect("a file");
    di.run(["code", "map", "--remember"]);
    assert_eq!(di.knows().len(), 1);
    ada.run(["team", "add", &di.login]);
    di.run(["team", "join", &di.url]);
    assert_eq!(di.knows().len(), 3);
    // An address with a password is refused before it is written anywhere.
    let (account, place) = cy.url.rsplit_once('@').expect("an account");
    let refused = team.person("cy").tries(["team", "join", &format!("{account}:letmein@{place}")]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(!refused.stderr.contains("letmein"), "{refused:?}");
}

#[test]
fn refusals_about_members_name_the_next_step() {
    let team = Team::new();
    let ada = team.founder();
    team.database.create_user("bo");
    let bo = team.person("bo");
    let refused = |person: &Person, arguments: &[&str], words: &str, hint: &str| {
        let ran = person.env.run(arguments);
        assert_eq!(ran.code, Some(7), "{arguments:?}: {ran:?}");
        let (said, next) = ran.stderr.split_once("\nhint: ").expect("a hint");
        assert!(said.ends_with(words) && next.contains(hint), "{arguments:?}: {ran:?}");
    };
    let add = ["team", "add", "nobody_at_all"];
    refused(
        &ada,
        &add,
        "error: the server has no user `nobody_at_all`",
        "must be an existing login",
    );
    let last = format!("error: a project needs a curator, and `{}` is the last one", ada.login);
    refused(&ada, &["team", "remove", &ada.login], &last, "--role curator");
    let join = ["team", "join", &bo.url];
    refused(&bo, &join, "not a member of any project there", "`tacit team add NAME`");
    let set_up = ada.run(["team", "init"]);
    assert_eq!(set_up.stdout, "The schema is current\n");
}
