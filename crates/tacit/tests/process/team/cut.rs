//! The server cannot be reached: nothing waits for it, and nothing is lost.

use std::time::{Duration, Instant};

use serde_json::json;

use super::*;

/// The time after which an agent would notice that a hook waited. It covers the start of the process on a
/// machine that runs other tests.
const WELL_UNDER: Duration = Duration::from_secs(4);

/// Returns the texts on the server in the order in which they were stored there.
fn stored_order(team: &Team, beginning: &str) -> Vec<String> {
    let sql = format!(
        "SELECT coalesce(json_agg(doc::json->>'content' ORDER BY seq), '[]') FROM tacit.memories
         WHERE doc::json->>'content' LIKE '{beginning}%'"
    );
    let answer = team.database.ask_superuser(&sql).expect("a row");
    serde_json::from_str(&answer).expect("a list of texts")
}

/// Returns how often an output says that the server is away.
fn mentions(ran: &RunOutput) -> usize {
    let said = format!("{}{}", ran.stdout, ran.stderr);
    let said: Vec<&str> = said.split_whitespace().collect();
    said.join(" ").matches("cannot be reached").count()
}

#[test]
fn commands_and_hooks_go_on_without_the_server() {
    let team = Team::new();
    let ada = team.founder();
    let (proxy, bo) = team.member_behind("bo", "contributor", &ada);
    proxy.cut();

    let remembered = bo.tries(["remember", "The night build needs the large runner", "--json"]);
    assert_eq!(remembered.code, Some(0), "{remembered:?}");
    assert_eq!(remembered.json()["outcome"], "spooled", "{remembered:?}");
    assert_eq!(bo.spooled(), 1);
    let said = bo.tries(["remember", "The night build ends before six"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("Spooled: the team's server"), "{said:?}");

    let recalled = bo.tries(["recall", "connection pool fork"]);
    assert_eq!(recalled.code, Some(0), "{recalled:?}");
    assert!(recalled.stdout.contains("Close the connection pool"), "{recalled:?}");
    assert!(recalled.stderr.contains("using this machine's copy"), "{recalled:?}");

    for forgotten in [false, true] {
        if forgotten {
            // As if the last attempt were a while ago: the hook asks, and is refused.
            bo.forgets_failure();
        }
        let begun = Instant::now();
        let shown = bo.is_shown(&format!("cut-{forgotten}"), ABOUT_POOL);
        assert!(begun.elapsed() < WELL_UNDER, "{:?}", begun.elapsed());
        assert!(shown.contains(POOL), "{forgotten} {shown}");
    }

    let found = bo.tries(["recall", "connection pool fork", "--json"]).json();
    let id = found[0]["short_id"].as_str().expect("an id").to_owned();
    for change in [
        &["edit", &id, "--content", "Never close it"][..],
        &["forget", &id],
        &["review", "flag", &id, "--wrong"],
        &["undo"],
    ] {
        let failed = bo.env.run(change);
        bo.keeps_secrets(&failed);
        assert_eq!(failed.code, Some(5), "{change:?}: {failed:?}");
        assert!(failed.stderr.contains("\nhint: "), "{change:?}: {failed:?}");
        assert_eq!(mentions(&failed), 1, "{change:?}: {failed:?}");
    }
    for command in [
        &["recall", "connection pool fork"][..],
        &["list"],
        &["show", &id],
        &["history"],
        &["review"],
        &["review", "--stale"],
        &["status", "--stats"],
        &["status"],
        &["status", "--health"],
        &["doctor", "--quick"],
        &["team"],
        &["team", "status"],
        &["team", "push"],
        &["team", "pull"],
    ] {
        let ran = bo.env.run(command);
        assert_eq!(mentions(&ran), 1, "{command:?}: {ran:?}");
    }

    let status = bo.status();
    assert_eq!((&status["reachable"], &status["waiting"]), (&json!(false), &json!(2)), "{status}");
    assert!(status["failure"].is_string(), "{status}");
    let health = bo.tries(["status", "--health"]);
    assert!(health.stdout.contains("2 requests wait"), "{health:?}");
    let pushed = bo.tries(["team", "push"]);
    assert_eq!(pushed.code, Some(5), "{pushed:?}");
    assert!(pushed.stderr.contains("\nhint: "), "{pushed:?}");
    assert_eq!((bo.spooled(), team.memories()), (2, 3));

    proxy.heal();
    let pushed = bo.run(["team", "push", "--json"]).json();
    assert_eq!(pushed, json!({"delivered": 2, "waiting": 0, "refused": 0}));
    let expected = ["The night build needs the large runner", "The night build ends before six"];
    assert_eq!(stored_order(&team, "The night"), expected);
    let status = bo.status();
    assert_eq!((&status["reachable"], &status["waiting"]), (&json!(true), &json!(0)), "{status}");
    assert_eq!(ada.knows().len(), 5);
    assert_eq!(bo.run(["team", "push", "--json"]).json()["delivered"], 0);
}

/// Writes while the network is cut after no chunk, one, two and so on, so that each message of the
/// connection and each answer is once the one that is lost. Returns the texts.
fn write_with_cuts(proxy: &Proxy, person: &Person) -> Vec<String> {
    let mut texts = Vec::new();
    loop {
        let number = texts.len();
        let text = format!("Lost answer: parcel{number} of lane{number} left at quay{number}");
        proxy.heal();
        proxy.cut_after(number);
        let outcome = person.remembers(&text)["outcome"].clone();
        texts.push(text);
        // What was cut off waits; the last write had enough chunks for those too.
        if outcome == "stored" && person.spooled() == 0 {
            proxy.heal();
            return texts;
        }
        assert!(["stored", "spooled"].iter().any(|known| outcome == *known), "{outcome}");
        // Only the network's own place matters, so what waits goes first.
        proxy.heal();
        person.run(["team", "push"]);
        assert_eq!(person.spooled(), 0);
        assert!(number < 200, "a write needs too many messages");
    }
}

/// Checks that each text is one memory that nothing has changed since.
fn assert_stored_once(team: &Team, beginning: &str, mut texts: Vec<String>) {
    let mut stored = stored_order(team, beginning);
    stored.sort();
    texts.sort();
    assert_eq!(stored, texts);
    let changed_again = format!(
        "SELECT count(*) FROM tacit.memories m WHERE doc::json->>'content' LIKE '{beginning}%'
         AND (SELECT count(*) FROM tacit.change_items i WHERE i.project = m.project AND i.memory = m.id) > 1"
    );
    assert_eq!(team.count(&changed_again), 0, "a second delivery has reinforced a memory");
}

#[test]
fn requests_whose_answer_was_lost_are_stored_once() {
    let team = Team::new();
    let ada = team.founder();
    let (proxy, bo) = team.member_behind("bo", "contributor", &ada);
    let texts = write_with_cuts(&proxy, &bo);
    assert!(texts.len() > 6, "a write is more than one message: {}", texts.len());
    assert_eq!(bo.status()["refused"], 0);
    assert_stored_once(&team, "Lost answer", texts);
}

#[test]
fn deliveries_whose_answer_was_lost_are_repeated_without_effect() {
    let team = Team::new();
    let ada = team.founder();
    let (proxy, bo) = team.member_behind("bo", "contributor", &ada);
    proxy.cut();
    let texts: Vec<String> = (0..4)
        .map(|number| format!("Late {number}: wagon{number} waits at gate{number}"))
        .collect();
    for text in &texts {
        assert_eq!(bo.remembers(text)["outcome"], "spooled");
    }
    for chunks in 0.. {
        proxy.heal();
        proxy.cut_after(chunks);
        let pushed = bo.tries(["team", "push"]);
        assert!([Some(0), Some(5)].contains(&pushed.code), "{pushed:?}");
        if bo.spooled() == 0 {
            break;
        }
        assert!(chunks < 200, "a delivery needs too many messages");
    }
    proxy.heal();
    assert_eq!(stored_order(&team, "Late"), texts, "in order");
    assert_stored_once(&team, "Late", texts);
}

#[test]
fn waiting_requests_are_delivered_in_order_by_any_later_command() {
    let team = Team::new();
    let ada = team.founder();
    let (proxy, bo) = team.member_behind("bo", "contributor", &ada);
    proxy.cut();
    let texts: Vec<String> = (0..12)
        .map(|number| format!("Waiting {number:02}: hall{number} takes crate{number}"))
        .collect();
    for text in &texts {
        assert_eq!(bo.remembers(text)["outcome"], "spooled");
    }
    proxy.heal();
    bo.run(["recall", "crate3"]);
    assert_eq!(stored_order(&team, "Waiting"), texts);
    assert_eq!(bo.spooled(), 0);
}
