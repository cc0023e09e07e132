//! Explicit recall over two hundred facts: questions in other words find theirs.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use crate::initialised;

/// Facts about ten invented projects, one per line.
const FACTS: &str = include_str!("facts.txt");

/// Questions that share few or no words with the fact that answers them, of which the beginning
/// is given.
const QUESTIONS: [(&str, &str); 20] = [
    ("how long do phones keep showing somebody's old photo", "The mobile app caches"),
    ("when does the daily dump get in the way of purchases", "The nightly export"),
    ("may I change the language strings by hand", "Translations live in"),
    ("why is the process that makes the bills replaced so often", "PDF invoices are"),
    ("can we keep anything important in the in-memory store", "Redis is only"),
    ("how quickly must partners reply to our callbacks", "Webhook receivers"),
    ("which endpoint decides that traffic moves to a new release", "Blue-green switches"),
    ("address clash between containers and the tunnel to the office", "The VPN gives"),
    ("how do I put older software back on a lab unit", "The bootloader refuses"),
    ("which resistors do the sensor wires need in the cold", "The I2C bus"),
    ("wrong tint on the screen of one hardware version", "The display driver"),
    ("how is the data divided so that evaluation is honest", "The validation split"),
    ("which part of the network cannot use half floats", "Mixed precision"),
    ("how is unsaved text kept when a tab is closed on an iPhone", "Safari does not"),
    ("how do I fix a wrong booking", "The ledger never"),
    ("until what time do bank transfers leave on the same day", "SEPA files"),
    ("why can recordings of earlier matches no longer be watched", "The replay file"),
    ("the picture jerks when an effect appears for the first time", "Shaders are"),
    ("is it all right if a background job is executed twice", "Celery tasks"),
    ("how long can somebody still use rights that were taken away", "Permissions are"),
];

/// Returns the contents of the results of a query.
fn recalled(env: &TestEnv, question: &str, limit: &str) -> Vec<String> {
    let ran = env.run(["recall", question, "--all", "--limit", limit, "--json"]).succeeded();
    let results = ran.json().as_array().cloned().unwrap_or_default();
    results.iter().filter_map(|result| Some(result["content"].as_str()?.to_owned())).collect()
}

/// Returns the place of the right fact among the results.
fn place(results: &[Value], beginning: &str) -> Option<usize> {
    results.iter().position(|result| {
        result["content"].as_str().is_some_and(|content| content.starts_with(beginning))
    })
}

#[test]
fn paraphrased_questions_find_their_fact_among_two_hundred() {
    assert_eq!(FACTS.lines().count(), 200);
    let env = initialised();
    let lines: Vec<String> =
        FACTS.lines().map(|fact| json!({"content": fact}).to_string()).collect();
    let file = env.project().join("facts.jsonl");
    write(&file, &lines.join("\n"));
    env.run(["import", "facts.jsonl", "--trust"]).succeeded();
    env.run(["maintain", "--quiet"]).succeeded();

    let mut places = Vec::new();
    for (question, beginning) in QUESTIONS {
        let facts = FACTS.lines().filter(|fact| fact.starts_with(beginning)).count();
        assert_eq!(facts, 1, "`{beginning}` names one fact");
        let ran = env.run(["recall", question, "--json"]).succeeded();
        let results = ran.json().as_array().cloned().unwrap_or_default();
        assert!(!results.is_empty(), "`{question}` gets no answer");
        places.push((question, place(&results, beginning)));
    }
    let within = |most: usize| {
        places.iter().filter(|(_, place)| place.is_some_and(|place| place < most)).count()
    };
    for (question, _) in QUESTIONS {
        let (few, many) = (recalled(&env, question, "3"), recalled(&env, question, "150"));
        assert_eq!((few.len(), many.len()), (3, 150));
        // Near-equals may change places: lengths are compared with those of the candidates.
        assert_eq!(few[0], many[0], "`{question}` with a larger limit");
        assert!(few.iter().all(|fact| many[..5].contains(fact)), "{few:?} {:?}", &many[..5]);
    }
    println!("first {}, within five {}: {places:#?}", within(1), within(5));
    assert!(within(1) >= 11, "first: {places:#?}");
    assert!(within(5) >= 17, "within five: {places:#?}");
}

fn write(file: &Path, text: &str) {
    assert!(fs::write(file, text).is_ok(), "cannot write {}", file.display());
}

#[test]
fn an_id_of_decimal_digits_is_not_read_as_a_date() {
    let env = initialised();
    let facts = (0..200)
        .map(|number| format!("{}\n", json!({"content": format!("Port {number} is taken")})));
    let file = env.root().join("ports.jsonl");
    fs::write(&file, facts.collect::<String>()).expect("a file");
    env.run(["import", file.to_str().expect("a path")]).succeeded();
    let listed = env.run(["list", "--json", "--limit", "300"]).succeeded().json();
    let ids = listed.as_array().expect("a list").iter();
    let mut ids = ids.filter_map(|memory| memory["short_id"].as_str());
    let id = ids.find(|id| id.bytes().all(|digit| digit.is_ascii_digit())).expect("one of 200");
    let found = env.run(["recall", "port", "--around", id, "--json"]).succeeded().stdout;
    assert!(found.contains("is taken"), "{id}: {found}");
}
