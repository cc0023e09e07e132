//! `when` and `how`: sections of the project's decision files, opened by trigger.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_triggers::Operator;

use super::{Effect, Spec, object, text, texts};
use crate::answer::{Answer, Refusal, Told, read, shortened};
use crate::desk::Desk;

pub(super) const WHEN: Spec = Spec {
    name: "when",
    title: "What was decided",
    description: "Open what was decided for a situation, by a `/when` line of the project's index.",
    input,
    output,
    effect: Effect::Reads,
    run: |desk, arguments| run(desk, Operator::When, arguments),
};

pub(super) const HOW: Spec = Spec {
    name: "how",
    title: "How it is done",
    description: "Open how something is done here, by a `/how` line of the project's index.",
    input,
    output,
    effect: Effect::Reads,
    run: |desk, arguments| run(desk, Operator::How, arguments),
};

/// The most characters of a query, and of what is given back.
const LONGEST_QUERY: usize = 1_000;
const LONGEST: usize = 60_000;

fn input() -> Value {
    object(json!({"trigger": text("The trigger, `.Section Title`, or `..file.md`")}), &["trigger"])
}

fn output() -> Value {
    object(
        json!({
            "title": text(""), "file": text(""), "line": {"type": "integer"}, "content": text(""),
            "broader": texts(""), "related": texts(""),
        }),
        &["file", "line", "content", "broader", "related"],
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    trigger: String,
}

fn run(desk: &Desk<'_>, operator: Operator, arguments: Map<String, Value>) -> Told {
    let Arguments { trigger } = read(arguments)?;
    let config = desk.config()?;
    desk.go_on()?;
    let query = shortened(&trigger, LONGEST_QUERY);
    let opened = tacit_app::triggers::open(desk.app(), &config, operator, &query)?;
    // What has no answer is told in the words that the commands use, with what was near.
    let found = opened.map_err(|error| Refusal::NotFound(error.to_string()))?;
    let content = String::from_utf8_lossy(&found.content);
    let mut value = json!({
        "file": found.path, "line": found.line, "content": shortened(&content, LONGEST),
        "broader": found.broader, "related": found.related,
    });
    if let Some(title) = &found.title {
        value["title"] = json!(title);
    }
    let text = shortened(&String::from_utf8_lossy(&found.render()), LONGEST);
    Ok(Answer { text, value })
}
