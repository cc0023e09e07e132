//! `locate`: which files a task is about.

use std::cell::RefCell;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_codebase::CodebaseError;
use tacit_codebase::locate::{Description, Elsewhere, Pointer, Source};
use tacit_engine::{Needs, Shelf};

use super::graph::{options, output, place, told};
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
    place(desk)?;
    let codebase = desk.host.codebase();
    // Where git cannot be asked, commits that were read before have to do.
    let _ = codebase.refresh_history();
    let remembered = remembered(desk, &text)?;
    let description = Description::read(&text);
    let behind = RefCell::new(None);
    let note = |why: &CodebaseError| *behind.borrow_mut() = Some(why.to_string());
    let answer = codebase.locate_now(&description, &remembered, LISTED, &options(), &note)?;
    let mut lines = answer.lines(true);
    lines.extend(behind.into_inner().map(|why| format!("may be old: {why}")));
    Ok(told(&lines))
}

/// The files of memories that are like a text.
fn remembered(desk: &Desk<'_>, text: &str) -> Result<Elsewhere, Refusal> {
    if !desk.host.places().database(Shelf::Project).exists() {
        return Ok(Vec::new());
    }
    let found = desk.engine(Needs::Read(Shelf::Project))?.files_about(text)?;
    let pointer = |(path, strength, what): (String, f32, String)| {
        (path, Pointer { source: Source::Memory, strength, what })
    };
    Ok(found.into_iter().map(pointer).collect())
}
