//! A whole store moves to a server and back, and a copy becomes a store of its own.

use serde_json::json;

use super::*;

/// Returns everything that people can see of a store: memories, their history, and sessions.
fn everything(person: &Person) -> [String; 3] {
    let mut exported: Vec<String> =
        person.run(["export", "--status", "all"]).stdout.lines().map(str::to_owned).collect();
    exported.sort();
    let history = person.run(["history", "--limit", "1000", "--json"]).stdout;
    let sessions = person.run(["why", "-n", "1000", "--json"]).stdout;
    [exported.join("\n"), history, sessions]
}

/// Creates a person with memories, a history and sessions, whose login may set up Tacit.
fn with_a_past(team: &Team) -> Person {
    let ada = team.person("ada");
    for text in [POOL, NAMES, INVOICES, "Umlaute wie ä und 日本語 bleiben, wie sie sind"] {
        ada.remembers(text);
    }
    ada.remembers("This one is forgotten again: the llama sings");
    let found = ada.run(["recall", "llama sings", "--json"]).json();
    ada.run(["forget", found[0]["short_id"].as_str().expect("an id")]);
    let found = ada.run(["recall", "kebab case", "--json"]).json();
    let id = found[0]["short_id"].as_str().expect("an id").to_owned();
    ada.run(["edit", &id, "--content", "Names of new files are written in snake case"]);
    ada.run(["undo"]);
    for session in ["one", "two"] {
        let agent = Agent::new(&ada.env, session);
        agent.starts("startup");
        agent.says(ABOUT_POOL);
        agent.fixes_the_clock();
        agent.ends("logout");
    }
    ada.run(["maintain", "--quiet"]);
    ada
}

#[test]
fn a_store_moved_to_the_server_and_back_is_unchanged() {
    let team = Team::new();
    let ada = with_a_past(&team);
    let before = everything(&ada);
    assert!(before[1].contains("undo") && before[2].contains("one"), "{before:?}");
    let moved = ada.run(["migrate", "--to", &ada.url, "--json"]).json();
    assert_eq!(moved["differences"], json!([]), "{moved}");
    assert_eq!(ada.status()["reachable"], true);
    let there = everything(&ada);
    for (before, there) in before.iter().zip(&there) {
        assert_eq!(there, before, "on the server");
    }
    let moved = ada.run(["migrate", "--to", "local", "--json"]).json();
    assert_eq!(moved["differences"], json!([]), "{moved}");
    ada.tries(["team", "status"]).failed(3);
    let after = everything(&ada);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(after, before, "back");
    }
    let doctor = ada.tries(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
    ada.remembers("It is a store like any other again");
    assert_eq!(
        team.count("SELECT count(*) FROM tacit.memories WHERE doc LIKE '%any other again%'"),
        0
    );
}

#[test]
fn interrupted_moves_continue() {
    let team = Team::new();
    let ada = with_a_past(&team);
    let (before, known) = (everything(&ada), ada.knows());
    let kill = |step: u32, to: &str| {
        let mut command = ada.env.command();
        command.args(["migrate", "--to", to]).env("TACIT_KILL_AT_STEP", step.to_string());
        let ran = RunOutput::from(command.output().expect("the binary starts"));
        // It may have been killed after it was done.
        let is_done = ran.code == Some(0)
            || ran.code == Some(7)
                && ["is already in a team", "are already on this machine"]
                    .iter()
                    .any(|s| ran.stderr.contains(s));
        assert!(ran.code.is_none() || is_done, "step {step} to {to}: {ran:?}");
        !is_done
    };
    let mut deaths = [0, 0];
    for (deaths, to) in deaths.iter_mut().zip([ada.url.as_str(), "local"]) {
        // Each attempt continues where the one before was killed, some steps later.
        let mut step = 1;
        while kill(step, to) {
            *deaths += 1;
            step += 3;
            // The store answers in between, wherever it is.
            let listed = ada.tries(["list", "--json"]);
            assert_eq!(
                (listed.code, contents(&listed.json())),
                (Some(0), known.clone()),
                "{listed:?}"
            );
        }
        for (before, after) in before.iter().zip(&everything(&ada)) {
            assert_eq!(after, before, "after moving to {to}");
        }
    }
    assert!(deaths[0] > 3 && deaths[1] > 3, "{deaths:?}");
    let left = crate::files(&ada.env.store());
    assert!(!left.iter().any(|file| file.ends_with("migration.json")), "{left:?}");
}

#[test]
fn moves_take_what_was_written_since_they_were_interrupted() {
    let team = Team::new();
    let ada = with_a_past(&team);
    let (proxy, url) = Proxy::before(&ada.url);
    for (to, text) in [(url.as_str(), "Between moves: to the server"), ("local", "And back again")]
    {
        let mut interrupted = 0;
        for chunks in (0..).step_by(16) {
            proxy.heal();
            proxy.cut_after(chunks);
            let ran = ada.tries(["migrate", "--to", to]);
            if ran.code == Some(0) {
                break;
            }
            assert_eq!(ran.code, Some(5), "{chunks}: {ran:?}");
            proxy.heal();
            ada.remembers(&format!("{text}: bollard{chunks} stands at pier{chunks}"));
            interrupted += 1;
        }
        proxy.heal();
        let known = ada.knows();
        let between = known.iter().filter(|known| known.starts_with(text)).count();
        assert_eq!(between, interrupted, "{known:?}");
        assert!(interrupted > 2);
    }
    let doctor = ada.tries(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
}

#[test]
fn moves_continue_after_a_purge() {
    let team = Team::new();
    let ada = with_a_past(&team);
    ada.embeds_nothing();
    let (proxy, url) = Proxy::before(&ada.url);
    for (to, purged) in [(url.as_str(), "kebab"), ("local", "Invoices")] {
        // Interrupted once everything is copied, then ever earlier: what is purged is there already.
        let mut chunks = 0;
        loop {
            proxy.heal();
            proxy.cut_after(chunks);
            let ran = ada.tries(["migrate", "--to", to]);
            if ran.code == Some(0) {
                break;
            }
            assert_eq!(ran.code, Some(5), "{chunks}: {ran:?}");
            proxy.heal();
            let schema = team.count("SELECT count(to_regclass('tacit.memories'))");
            let there = if schema == 0 { 0 } else { team.memories() };
            if there > 0 && ada.knows().iter().any(|known| known.contains(purged)) {
                let found = ada.run(["recall", purged, "--json"]).json();
                let id = found[0]["short_id"].as_str().expect("an id").to_owned();
                ada.run(["forget", &id, "--purge", "--yes"]);
            }
            chunks += 12;
        }
        proxy.heal();
        let known = ada.knows();
        assert!(!known.iter().any(|known| known.contains(purged)), "{known:?}");
        let left = format!("SELECT count(*) FROM tacit.memories WHERE doc LIKE '%{purged}%'");
        assert_eq!(team.count(&left), 0);
    }
    let doctor = ada.tries(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
}

#[test]
fn moves_continue_after_the_network_was_cut() {
    let team = Team::new();
    let ada = with_a_past(&team);
    let before = everything(&ada);
    let (proxy, url) = Proxy::before(&ada.url);
    for to in [url.as_str(), "local"] {
        for chunks in (0..).step_by(7) {
            proxy.heal();
            proxy.cut_after(chunks);
            let ran = ada.tries(["migrate", "--to", to]);
            if ran.code == Some(0) {
                break;
            }
            assert_eq!(ran.code, Some(5), "{chunks}: {ran:?}");
            assert!(ran.stderr.contains("\nhint: "), "{ran:?}");
            assert!(chunks < 2_000, "a move needs too many messages");
        }
        proxy.heal();
        for (before, after) in before.iter().zip(&everything(&ada)) {
            assert_eq!(after, before, "after moving to {to}");
        }
    }
}

#[test]
fn leaving_keeps_a_working_store() {
    let team = Team::new();
    let ada = team.founder();
    let (proxy, bo) = team.member_behind("bo", "contributor", &ada);
    proxy.cut();
    bo.remembers("Undelivered: the tram stops at the depot");
    bo.run(["team", "leave"]);
    assert_eq!(bo.knows().len(), 4, "the copy and what waited");
    assert_eq!(bo.remembers("After leaving: the bus does not")["outcome"], "stored");
    assert!(bo.is_shown("left", ABOUT_POOL).contains(POOL));
    let doctor = bo.tries(["doctor"]);
    assert_eq!(doctor.code, Some(0), "{doctor:?}");
    proxy.heal();
    assert_eq!((bo.knows().len(), team.memories()), (5, 3));
    // Joining again asks for the own memories, and shares what the team lacks.
    bo.tries(["team", "join", &bo.url]).failed(2);
    bo.run(["team", "join", &bo.url, "--share"]);
    assert_eq!((bo.knows().len(), ada.knows().len()), (5, 5));
}
