//! Servers that answer, but not as wished: another schema, wrong credentials, silence, no writes, no right.

use std::time::{Duration, Instant};

use serde_json::json;

use super::*;

/// The time after which an agent would notice that a hook waited. It covers the start of the process on a
/// machine that runs other tests; the hook itself waits for 150 ms.
const IN_TIME: Duration = Duration::from_secs(4);

/// Asserts that hooks answer from the copy, in time.
fn assert_hooks_answer(person: &Person, session: &str) {
    person.forgets_failure();
    let begun = Instant::now();
    let shown = person.is_shown(session, ABOUT_POOL);
    assert!(shown.contains(POOL), "{session}: {shown}");
    assert!(begun.elapsed() < IN_TIME, "{session}: {:?}", begun.elapsed());
}

#[test]
fn schemas_of_other_versions_are_named_and_hooks_go_on() {
    let (team, ada, bo) = Team::of_two();
    let known = team.count("SELECT version FROM tacit.schema_version");
    for (version, words, hint) in [
        (known - 1, "needs 1", "run `tacit team init` with this version"),
        (known + 1, "has schema version 2", "install a newer version"),
    ] {
        team.database.run(&format!("UPDATE tacit.schema_version SET version = {version}"));
        for command in [
            &["team", "push"][..],
            &["team", "pull"],
            &["remember", "A text for a schema that is not ours"],
        ] {
            let ran = bo.env.run(command);
            bo.keeps_secrets(&ran);
            assert_eq!(ran.code, Some(6), "{version} {command:?}: {ran:?}");
            assert!(ran.stderr.contains(words), "{version} {command:?}: {ran:?}");
            assert!(ran.stderr.contains("\nhint: ") && ran.stderr.contains(hint), "{ran:?}");
            assert!(!ran.stderr.contains("queued here"), "{ran:?}");
        }
        let status = bo.status();
        assert_eq!(status["reachable"], false, "{status}");
        let recalled = bo.tries(["recall", "connection pool fork"]);
        assert_eq!(recalled.code, Some(0), "{recalled:?}");
        assert!(recalled.stdout.contains("Close the connection pool"), "{recalled:?}");
        assert!(recalled.stderr.contains("using this machine's copy"), "{recalled:?}");
        assert_hooks_answer(&bo, &format!("schema-{version}"));
    }
    team.database.run(&format!("UPDATE tacit.schema_version SET version = {known}"));
    assert_eq!(team.memories(), 3);
    ada.run(["team", "init"]);
    bo.run(["team", "push"]);
    assert_eq!(bo.knows().len(), 3);
}

#[test]
fn wrong_credentials_are_refused_without_being_shown() {
    let (team, _ada, bo) = Team::of_two();
    bo.has_password("not the password");
    for command in [
        &["team", "push"][..],
        &["team", "pull"],
        &["remember", "A text for a server that refuses"],
    ] {
        let refused = bo.env.run(command);
        assert_eq!(refused.code, Some(7), "{command:?}: {refused:?}");
        assert!(refused.stderr.contains("\nhint: check your name and password"), "{refused:?}");
        assert!(!format!("{refused:?}").contains("not the password"), "{refused:?}");
    }
    assert_hooks_answer(&bo, "wrong-password");
    let status = bo.tries(["team", "status"]);
    assert!(!format!("{status:?}").contains("not the password"), "{status:?}");

    // No password at all, and a login that the server does not have.
    fs::remove_file(bo.env.root().join("home/.pgpass")).expect("removed");
    assert_eq!(bo.tries(["team", "push"]).code, Some(7));
    let nobody = bo.env.command().args(["team", "push"]).env("PGPASSWORD", &bo.password).output();
    let pushed = RunOutput::from(nobody.expect("the binary starts"));
    bo.keeps_secrets(&pushed);
    assert_eq!(pushed.code, Some(0), "the variable has the password: {pushed:?}");
    // A pgpass file that others can read is not used.
    bo.has_password(&bo.password);
    let path = bo.env.root().join("home/.pgpass");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    fs::set_permissions(&path, open).expect("permissions");
    let refused = bo.tries(["team", "push"]);
    assert_ne!(refused.code, Some(0), "{refused:?}");
    // Not a member any more.
    bo.has_password(&bo.password);
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("set");
    bo.run(["team", "push"]);
    team.database.run(&format!("DELETE FROM tacit.members WHERE member = '{}'", bo.login));
    let removed = bo.tries(["remember", "A text of somebody who has left"]);
    assert!([Some(4), Some(7)].contains(&removed.code), "{removed:?}");
    assert!(removed.stderr.contains("\nhint: "), "{removed:?}");
    assert_eq!(team.memories(), 3);
}

#[test]
fn hooks_do_not_wait_for_a_server_that_stalls() {
    let team = Team::new();
    let ada = team.founder();
    let (proxy, bo) = team.member_behind("bo", "contributor", &ada);
    proxy.stall();
    bo.run(["config", "set", "timeouts.server_ms", "150"]);
    assert_hooks_answer(&bo, "stalled");
    // The failure is noted, so the next prompts do not even ask.
    let state = fs::read_to_string(bo.env.store().join("team.json")).expect("a state");
    let state: Value = serde_json::from_str(&state).expect("JSON");
    assert!(state["failed_at"].is_string() || state["failed_at"].is_number(), "{state}");
    let told = Agent::new(&bo.env, "stalled-start").starts("startup");
    assert!(told.ask.is_none() && told.deny.is_none(), "{told:?}");
    proxy.heal();
    bo.run(["config", "set", "timeouts.server_ms", "5000"]);
    bo.forgets_failure();
    ada.remembers("The kiosk printer swallows every receipt that is longer than ninety lines");
    let shown =
        bo.is_shown("healed", "the kiosk printer swallows a receipt, what is known about it?");
    assert!(shown.contains("longer than ninety lines"), "{shown}");
}

#[test]
fn requests_wait_for_a_server_that_takes_no_writes() {
    let (team, ada, bo) = Team::of_two();
    let name = team.database.name();
    team.database.run(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on"));
    let remembered = bo.remembers("The archive moves to the cold store in March");
    assert_eq!(remembered["outcome"], "spooled", "{remembered}");
    assert_hooks_answer(&bo, "read-only");
    let found = bo.run(["recall", "connection pool fork", "--json"]).json();
    let id = found[0]["short_id"].as_str().expect("an id").to_owned();
    let edited = bo.tries(["edit", &id, "--content", "Never close it"]);
    assert!(edited.code != Some(0) && edited.stderr.contains("\nhint: "), "{edited:?}");
    assert_eq!((bo.spooled(), bo.status()["waiting"].clone()), (1, json!(1)));
    let reset = format!("ALTER DATABASE {name} RESET default_transaction_read_only");
    team.database.run(&format!("BEGIN READ WRITE; {reset}; COMMIT"));
    bo.run(["recall", "archive"]);
    assert_eq!((bo.spooled(), team.memories()), (0, 4));
    assert_eq!(ada.knows().len(), 4);
}

#[test]
fn readers_read_and_cannot_write() {
    let team = Team::new();
    let ada = team.founder();
    let cy = team.member("cy", "reader", &ada);
    assert_eq!(cy.knows().len(), 3);
    assert!(cy.is_shown("reader", ABOUT_POOL).contains(POOL));
    // A reader has sessions, which stay here, and from which maintenance learns nothing for the team.
    for session in ["one", "two"] {
        let agent = Agent::new(&cy.env, session);
        agent.fixes_the_clock();
        agent.ends("logout");
    }
    cy.run(["maintain", "--quiet"]);
    cy.run(["team", "pull"]);
    assert_eq!(team.memories(), 3);
    let found = cy.run(["recall", "connection pool fork", "--json"]).json();
    let id = found[0]["short_id"].as_str().expect("an id").to_owned();
    for command in [
        &["remember", "A reader has nothing to say"][..],
        &["edit", &id, "--content", "A reader corrects nothing"],
        &["forget", &id],
        &["review", "flag", &id, "--wrong"],
        &["team", "add", &ada.login, "--role", "reader"],
        &["team", "remove", &ada.login],
    ] {
        let refused = cy.env.run(command);
        cy.keeps_secrets(&refused);
        assert_eq!(refused.code, Some(7), "{command:?}: {refused:?}");
        assert!(refused.stderr.contains("\nhint: "), "{command:?}: {refused:?}");
    }
    assert_eq!((cy.spooled(), team.memories()), (0, 3));
    assert_eq!(ada.knows(), [POOL, INVOICES, NAMES]);
    // With the role, the same works.
    ada.run(["team", "add", &cy.login]);
    assert_eq!(cy.remembers("A contributor has something to say")["outcome"], "stored");
}

/// Returns the texts that wait apart because the server refused them.
fn refusals(status: &Value) -> Vec<String> {
    let refusals = status["refusals"].as_array().expect("a list");
    refusals.iter().map(|one| one["content"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn refused_requests_do_not_block_others_and_can_be_retried() {
    let team = Team::new();
    let ada = team.founder();
    let (proxy, bo) = team.member_behind("bo", "contributor", &ada);
    // A rule of the server about one text, as a policy would be.
    team.database.run(
        "CREATE FUNCTION tacit.no_cellar() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             IF NEW.doc LIKE '%cellar%' THEN
                 RAISE EXCEPTION 'nothing about the cellar' USING ERRCODE = '42501';
             END IF;
             RETURN NEW;
         END $$;
         GRANT EXECUTE ON FUNCTION tacit.no_cellar TO PUBLIC;
         CREATE TRIGGER no_cellar BEFORE INSERT ON tacit.memories
         FOR EACH ROW EXECUTE FUNCTION tacit.no_cellar();",
    );
    proxy.cut();
    let [first, cellar, last] = [
        "The depot opens at six",
        "The cellar floods when the pumps of the quay stop",
        "Loading lists are printed twice",
    ];
    for text in [first, cellar, last] {
        assert_eq!(bo.remembers(text)["outcome"], "spooled");
    }
    proxy.heal();
    let recalled = bo.tries(["recall", "depot"]);
    assert!(recalled.stderr.contains("refused a request that waited"), "{recalled:?}");
    assert_eq!(bo.run(["recall", "depot"]).stderr, "", "said once");
    assert_eq!(team.memories(), 5);
    let status = bo.status();
    assert_eq!((&status["waiting"], &status["refused"]), (&json!(0), &json!(1)), "{status}");
    assert_eq!(refusals(&status), [cellar]);
    assert_eq!(status["refusals"][0]["reason"], "nothing about the cellar");
    let health = bo.run(["status", "--health"]);
    assert!(health.stdout.contains("1 request was refused by the team's server"), "{health:?}");
    assert!(bo.tries(["doctor", "--quick"]).stdout.contains("refused"), "doctor");
    let pushed = bo.tries(["team", "push"]);
    assert_eq!(pushed.code, Some(7), "{pushed:?}");
    assert!(pushed.stdout.starts_with("Delivered 0 requests"), "{pushed:?}");
    assert!(pushed.stderr.contains("hint: `tacit team status` shows why"), "{pushed:?}");
    team.database.run("DROP TRIGGER no_cellar ON tacit.memories");

    // A reader's requests wait apart in their order, until a curator gives the role.
    proxy.cut();
    for text in ["The night shift counts the pallets", "The day shift counts them again"] {
        assert_eq!(bo.remembers(text)["outcome"], "spooled");
    }
    ada.run(["team", "add", &bo.login, "--role", "reader"]);
    proxy.heal();
    bo.tries(["list"]);
    let status = bo.status();
    assert_eq!((&status["waiting"], &status["refused"]), (&json!(0), &json!(3)), "{status}");
    let shown = bo.run(["team", "status"]).stdout;
    assert!(shown.contains("once a curator gives you the role `contributor`"), "{shown}");
    assert!(shown.contains("The cellar floods") && shown.contains("nothing about the"), "{shown}");
    ada.run(["team", "add", &bo.login]);
    let pushed = bo.run(["team", "push", "--json"]).json();
    assert_eq!(pushed, json!({"delivered": 3, "waiting": 0, "refused": 0}));
    assert_eq!((bo.spooled(), team.memories()), (0, 8));
    let order = "SELECT string_agg(split_part(doc::json->>'content', ' ', 2), ' ' ORDER BY seq)
                 FROM tacit.memories WHERE seq > (SELECT min(seq) + 2 FROM tacit.memories)";
    let order = team.database.ask_superuser(order).expect("a row");
    assert_eq!(order, "depot lists cellar night day");
}

#[test]
fn a_copy_follows_no_other_server() {
    let (team, _ada, bo) = Team::of_two();
    let other = Team::new();
    let _founder = other.founder();
    let elsewhere = bo.url.replace(team.database.name(), other.database.name());
    bo.run(["config", "set", "database.url", &elsewhere]);
    let refused = bo.tries(["edit", "pool", "--confidence", "0.5"]);
    assert_ne!(refused.code, Some(0), "{refused:?}");
    assert!(refused.stderr.contains("run `tacit team leave`"), "{refused:?}");
    assert!(bo.knows().contains(&POOL.to_owned()));
    bo.run(["config", "set", "database.url", &bo.url]);
    assert_eq!(bo.status()["behind"], 0);
}
