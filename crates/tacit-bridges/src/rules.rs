//! Instructions for agents: CLAUDE.md, AGENTS.md, GEMINI.md, rules of Cursor and Copilot.
//!
//! Every item of a list and every paragraph is one memory. A rule is how somebody wants things
//! done; what warns is a trap; what only describes is an insight.

use tacit_core::BuiltinType;

use crate::ImportItem;
use crate::blocks::{TextBlock, blocks};
use crate::draft::{self, Attribution, Statement, named_paths};
use crate::front_matter::FrontMatter;

pub(crate) fn read(name: &str, text: &str) -> Vec<ImportItem> {
    let (front, body, line) = FrontMatter::split_any(text);
    let (reason, paths) = applies(&front);
    let mut items = Vec::new();
    for block in blocks(body, line) {
        let said = said(name, &block).map(|mut said| {
            said.kind = Some(BuiltinType::infer(&block.text));
            said.reasoning.clone_from(&reason);
            said.paths.extend(paths.iter().cloned());
            said
        });
        items.extend(draft::items(said, block.line, Attribution::PERSON));
    }
    items
}

/// Returns a piece of text with its heading and its place, or why it is no memory.
pub(crate) fn said(name: &str, block: &TextBlock) -> Result<Statement, &'static str> {
    let text = block.text.as_str();
    if text.starts_with('@') && !text.contains(char::is_whitespace) {
        return Err("it only names a file to be read");
    }
    if is_link(text) {
        return Err("it is only a link");
    }
    if text.split_whitespace().nth(1).is_none() {
        return Err("it is a single word");
    }
    let file = name.rsplit('/').next().unwrap_or(name);
    let section = block.headings.last().filter(|heading| !heading.eq_ignore_ascii_case(file));
    let reference = if block.headings.is_empty() {
        name.to_owned()
    } else {
        format!("{name}#{}", block.headings.join(" / "))
    };
    Ok(Statement {
        line: block.line,
        title: section
            .map(|section| format!("{section}: {}", text.lines().next().unwrap_or_default())),
        content: text.to_owned(),
        reference,
        paths: named_paths(text),
        ..Statement::default()
    })
}

/// Returns true if a text is a link and nothing else.
fn is_link(text: &str) -> bool {
    text.strip_prefix('[')
        .and_then(|text| text.strip_suffix(')'))
        .and_then(|text| text.split_once("]("))
        .is_some_and(|(label, target)| !label.contains(']') && !target.contains([' ', ')']))
}

/// Reads from the front matter why the rules of a file hold, and the paths they are for.
fn applies(front: &FrontMatter) -> (Option<String>, Vec<String>) {
    // Cursor says globs, Copilot applyTo, Claude Code paths.
    let globs: Vec<String> = ["globs", "applyTo", "paths"]
        .iter()
        .flat_map(|key| front.all(key))
        .flat_map(|value| value.split(','))
        .map(|glob| glob.trim().to_owned())
        .filter(|glob| !glob.is_empty() && glob != "*" && glob != "**" && glob != "**/*")
        .collect();
    let mut reasons: Vec<String> =
        front.one("description").map(str::to_owned).into_iter().collect();
    if !globs.is_empty() {
        reasons.push(format!("Applies to {}", globs.join(", ")));
    }
    let paths = globs.iter().filter_map(|glob| {
        let plain: Vec<&str> =
            glob.split('/').take_while(|part| !part.contains(['*', '?', '{', '['])).collect();
        let path = plain.join("/");
        (!path.is_empty()).then_some(path)
    });
    ((!reasons.is_empty()).then(|| reasons.join("\n")), paths.collect())
}
