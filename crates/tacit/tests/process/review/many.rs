//! A review of a large store loses nothing.

use std::fs;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;

use crate::initialised;

/// The number of memories in the store.
const MEMORIES: usize = 5_000;
/// The number of times that all kinds of decisions are made.
const ROUNDS: usize = 10;

/// A store with memories of an import, all of which wait.
fn imported() -> TestEnv {
    let env = initialised();
    let line = |number: usize| {
        let content = format!("Fact {number}: step {} comes before step {number}", number * 7 + 1);
        format!("{}\n", json!({"content": content, "tags": [format!("t{}", number % 9)]}))
    };
    let lines: String = (0..MEMORIES).map(line).collect();
    let file = env.root().join("facts.jsonl");
    fs::write(&file, lines).expect("a file");
    env.run(["import", &file.display().to_string()]).succeeded();
    env
}

/// Exports all memories.
fn export(env: &TestEnv) -> String {
    env.run(["export"]).succeeded().stdout
}

/// Types letters into a review. Returns what it says at its end.
fn review(env: &TestEnv, letters: &str) -> String {
    let input: String = letters.chars().map(|letter| format!("{letter}\n")).collect();
    let ran = env.run_with_input(["review", "--plain"], input.as_bytes()).succeeded();
    ran.stdout.lines().rev().take(2).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_review_of_5000_memories_is_undone_without_a_trace() {
    let env = imported();
    let before = export(&env);
    assert_eq!(before.lines().filter(|line| line.contains("\"Fact ")).count(), MEMORIES);
    let decisions = "ynwos".repeat(ROUNDS);
    let changes = 4 * ROUNDS;

    // Undone inside the review.
    let end = review(&env, &format!("{decisions}{}q", "u".repeat(changes)));
    assert_eq!(end, "5000 memories wait for review. Nothing was decided.");
    assert_eq!(export(&env), before);

    // Kept, then undone one by one.
    let end = review(&env, &format!("{decisions}q"));
    let (confirmed, flagged) = (ROUNDS, 2 * ROUNDS);
    let waiting = MEMORIES - changes;
    assert_eq!(
        end,
        format!(
            "{waiting} memories wait for review. {confirmed} confirmed, {confirmed} rejected, \
             {flagged} flagged; `tacit undo` undoes the last change."
        )
    );
    let states: Value = env.run(["status", "--stats", "--json"]).succeeded().json();
    assert!(states.to_string().contains("retired"), "{states}");
    for _ in 0..changes {
        env.run(["undo"]).succeeded();
    }
    assert_eq!(export(&env), before);
}
