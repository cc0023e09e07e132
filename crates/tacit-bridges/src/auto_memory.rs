//! What Claude Code notes for itself: an index, `MEMORY.md`, and a file for each fact.

use tacit_core::BuiltinType;

use crate::blocks::blocks;
use crate::draft::{self, Attribution, Statement, kind_of, named_paths};
use crate::front_matter::FrontMatter;
use crate::{ImportItem, rules};

const ATTRIBUTION: Attribution = Attribution::agent("claude-code");

pub(crate) fn read(name: &str, text: &str) -> Vec<ImportItem> {
    let (front, body, line) = FrontMatter::split_any(text);
    if is_fact(&front) { fact(name, &front, body, line) } else { notes(name, body, line) }
}

/// Returns true if these are the fields of a fact.
pub(crate) fn is_fact(front: &FrontMatter) -> bool {
    front.has("name") && front.has("description")
}

fn fact(name: &str, front: &FrontMatter, body: &str, line: usize) -> Vec<ImportItem> {
    let description = front.one("description").unwrap_or_default();
    let content = if body.trim().is_empty() { description } else { body.trim() };
    if content.is_empty() {
        return vec![ImportItem::skipped(line, "it is empty")];
    }
    let class = front.one("metadata.type").or_else(|| front.one("type"));
    let said = Statement {
        line,
        title: Some(description.to_owned())
            .filter(|text| !text.is_empty())
            .or_else(|| front.one("name").map(|name| name.replace(['-', '_'], " "))),
        content: content.to_owned(),
        // The heading may not have room for all of it.
        reasoning: Some(description.to_owned()).filter(|text| text != content),
        kind: Some(match class {
            Some("user" | "feedback") => BuiltinType::Preference,
            Some("project" | "reference") => BuiltinType::ModuleInsight,
            _ => kind_of(content),
        }),
        tags: class.map(str::to_owned).into_iter().collect(),
        reference: name.to_owned(),
        paths: named_paths(content),
    };
    said.items(ATTRIBUTION)
}

/// Returns the index, and files from before facts had fields.
fn notes(name: &str, body: &str, line: usize) -> Vec<ImportItem> {
    let mut items = Vec::new();
    for block in blocks(body, line) {
        let said = if points_to_a_fact(&block.text) {
            Err("it only points to another file of this memory")
        } else {
            rules::said(name, &block)
        };
        items.extend(draft::items(said, block.line, ATTRIBUTION));
    }
    items
}

/// `[Title](file.md): a hook`, or `file.md: a hook`.
fn points_to_a_fact(text: &str) -> bool {
    text.starts_with('[')
        && text
            .split_once("](")
            .and_then(|(_, rest)| rest.split_once(')'))
            .is_some_and(|(target, _)| target.ends_with(".md") && !target.contains("://"))
}
