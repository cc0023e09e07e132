//! Explicit recall over two hundred facts: questions in other words find theirs.

use std::path::Path;

use serde_json::Value;

use crate::initialised;

/// Facts about ten invented projects, one per line.
const FACTS: &str = include_str!("facts.txt");

/// Questions that share few or no words with the fact that answers them, of which the beginning
/// is given.
const QUESTIONS: [(&str, &str); 20] = [
    ("somebody changed their photo and friends still see the old one", "The mobile app caches"),
    ("nobody can buy anything for a moment in the middle of the night", "The nightly export"),
    ("my edits to the French wording disappeared", "Translations live in"),
    ("memory use of the bill generator keeps growing", "PDF invoices are"),
    ("what happens if the in-memory store is wiped", "Redis is only"),
    ("how fast do partners have to respond to our callbacks", "Webhook receivers"),
    ("which probe decides that traffic moves to the new version", "Blue-green switches"),
    ("internal machines are unreachable while containers run on my laptop", "The VPN gives"),
    ("how do I put an older image on a device in the lab", "The bootloader refuses"),
    ("talking to the sensors freezes in winter", "The I2C bus"),
    ("wrong tint on the screen of some units", "The display driver"),
    ("evaluation results look suspiciously high", "The validation split"),
    ("training turns to NaN with half floats", "Mixed precision"),
    ("unsaved text is lost when a tab is closed on an iPhone", "Safari does not"),
    ("how do I fix a wrong booking", "The ledger never"),
    ("a transfer submitted in the evening did not go out", "SEPA files"),
    ("recordings of earlier matches no longer play back correctly", "The replay file"),
    ("the picture freezes briefly when an effect appears for the first time", "Shaders are"),
    ("a background job ran twice and charged the customer two times", "Celery tasks"),
    ("someone lost their access rights but can still open the page", "Permissions are"),
];

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
    let lines: Vec<String> = FACTS
        .lines()
        .map(|fact| serde_json::json!({"content": fact}).to_string())
        .collect();
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
    println!("first {}, within five {}: {places:#?}", within(1), within(5));
    assert!(within(1) >= 15, "first: {places:#?}");
    assert!(within(5) >= 18, "within five: {places:#?}");
}

fn write(file: &Path, text: &str) {
    assert!(std::fs::write(file, text).is_ok(), "cannot write {}", file.display());
}
