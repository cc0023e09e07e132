//! `locate`: which files a task is about.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_app::locate::Located;

use super::graph::{output, told};
use super::{Effect, Spec, object, text};
use crate::answer::{Refusal, Told, read};
use crate::desk::Desk;

pub(super) const SPEC: Spec = Spec {
    name: "locate",
    title: "Find files",
    description: "Files that a task, issue or stack trace is about.",
    input: || object(json!({"text": text("")}), &["text"]),
    output,
    effect: Effect::Reads,
    run: locate,
};

/// How many files are listed.
const LISTED: usize = 8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    text: String,
}

fn locate(desk: &Desk<'_>, arguments: Map<String, Value>) -> Told {
    let Arguments { text } = read(arguments)?;
    if text.trim().is_empty() {
        return Err(Refusal::error("`text` is empty: tell what the task is about"));
    }
    desk.go_on()?;
    let Located { answer, behind } = tacit_app::locate::locate(desk.app(), &text, LISTED)?;
    let mut lines = answer.lines(true);
    lines.extend(behind);
    Ok(told(&lines))
}
