//! The table of secrets over every channel that text comes in by. After each, every file that Tacit
//! wrote is read as bytes: no secret of the table is in any. What only looks like one is untouched.

mod channels;
mod hooks;
mod index;
mod search;
mod switches;

use serde_json::{Value, json};
use tacit_testkit::env::{RunOutput, TestEnv};
use tacit_testkit::secrets::{fill, lookalikes, secret_cases};

use search::Needles;

/// The most bytes of a text that holds many secrets: it has to fit into a memory.
const CHUNK: usize = 5_000;

/// A text with a secret in it.
struct Planted {
    text: String,
    secret: String,
}

/// Every secret of the table, each with its own values.
fn planted() -> Vec<Planted> {
    let plant = |(number, (_, before, secret, after)): (usize, &(_, &str, &str, &str))| {
        let seed = number as u64 + 1;
        let secret = fill(secret, seed);
        Planted { text: format!("{}{secret}{}", fill(before, seed), fill(after, seed)), secret }
    };
    let rows: Vec<&'static tacit_testkit::secrets::SecretCase> = secret_cases().collect();
    rows.into_iter().enumerate().map(plant).collect()
}

/// Texts that look like secrets, but for the one that is a marker.
fn harmless() -> Vec<String> {
    let texts = lookalikes().enumerate().map(|(number, text)| fill(text, number as u64 + 1));
    texts.filter(|text| !text.contains("[redacted:")).collect()
}

/// Texts, a few of them joined: not more than fit into a memory.
fn chunks(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut chunks: Vec<String> = Vec::new();
    for text in texts {
        match chunks.last_mut() {
            Some(last) if last.len() + text.len() < CHUNK && !is_open(last) => {
                last.push_str("\n\n");
                last.push_str(&text);
            }
            _ => chunks.push(text),
        }
    }
    chunks
}

/// As many whole texts of a chunk as fit: half a secret is not known for one.
fn beginning(chunk: &str, most: usize) -> &str {
    if chunk.len() <= most {
        return chunk;
    }
    let end = chunk[..chunk.floor_char_boundary(most)].rfind("\n\n").unwrap_or(0);
    &chunk[..end]
}

/// Returns true if a private block hides everything after it.
fn is_open(text: &str) -> bool {
    text.ends_with("bluebird")
}

/// Input for a channel, and the expected result.
struct Cargo {
    chunks: Vec<String>,
    /// Texts on one line that are not too long for a title.
    lines: Vec<String>,
    /// Texts without blanks that are not too long for the name of a session.
    names: Vec<String>,
}

impl Cargo {
    fn secret() -> Cargo {
        let all = planted();
        Cargo::new(all.iter().map(|one| one.text.clone()), all.iter().map(|one| one.secret.clone()))
    }

    fn harmless() -> Cargo {
        Cargo::new(harmless(), Vec::new())
    }

    fn new(
        texts: impl IntoIterator<Item = String>,
        names: impl IntoIterator<Item = String>,
    ) -> Cargo {
        let texts: Vec<String> = texts.into_iter().collect();
        let line = |text: &&String| !text.contains(['\n', '\r']) && text.chars().count() <= 110;
        // What is a secret by its own mark, without anything around it.
        let name = |name: &String| {
            (8..=120).contains(&name.len())
                && !name.contains(char::is_whitespace)
                && tacit_redact::redact(name).text.starts_with("[redacted:")
        };
        Cargo {
            lines: texts.iter().filter(line).cloned().collect(),
            names: names.into_iter().filter(name).collect(),
            chunks: chunks(texts),
        }
    }
}

/// Sends both cargoes through a channel: of the first nothing may arrive, of the second all must.
fn through(channel: impl Fn(&TestEnv, &Cargo)) {
    let env = without_vectors();
    channel(&env, &Cargo::secret());
    let needles = Needles::of(planted().iter().map(|one| one.secret.as_str()));
    let found = needles.search(&env);
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(search::markers(&env) > 0, "something has arrived");
    let env = without_vectors();
    channel(&env, &Cargo::harmless());
    assert_eq!(search::markers(&env), 0, "what looks like a secret stays");
}

/// A project in which nothing is embedded: that takes long, and is done with what is stored.
fn without_vectors() -> TestEnv {
    let env = crate::initialised();
    env.run(["config", "set", "embedding.provider", "off"]).succeeded();
    env
}

/// Runs the hook of Claude Code with an event.
fn hook(env: &TestEnv, session: &str, event: &str, fields: Value) -> RunOutput {
    let mut payload = json!({
        "session_id": session, "cwd": env.project(), "hook_event_name": event,
        "transcript_path": "/nowhere.jsonl", "permission_mode": "default",
    });
    if let (Some(all), Value::Object(fields)) = (payload.as_object_mut(), fields) {
        all.extend(fields);
    }
    env.run_with_input(["hook", "claude"], payload.to_string().as_bytes())
}

#[test]
fn the_table_is_large_and_rules_know_all_of_it() {
    let all = planted();
    assert!(all.len() >= 200 && harmless().len() >= 130, "{} {}", all.len(), harmless().len());
    for chunk in chunks(all.iter().map(|one| one.text.clone())) {
        let redacted = tacit_redact::redact(&chunk).text.into_owned();
        let needles = Needles::of(all.iter().map(|one| one.secret.as_str()));
        assert_eq!(needles.within(redacted.as_bytes()), None, "{chunk}\n\n{redacted}");
    }
}
