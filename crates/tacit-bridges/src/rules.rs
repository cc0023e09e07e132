//! Reads instructions for agents: CLAUDE.md, AGENTS.md, GEMINI.md, Cursor and Copilot rules.
//!
//! Every list item and every paragraph is one memory: a rule is a preference, a warning a gotcha, a
//! description an insight.

use tacit_core::BuiltinType;

use crate::ImportItem;
use crate::blocks::{TextBlock, blocks};
use crate::draft::{self, Attribution, Statement, named_paths};
use crate::front_matter::FrontMatter;

pub(crate) fn read(name: &str, text: &str) -> Vec<ImportItem> {
    let (front, body, line) = FrontMatter::split_any(text);
    let scope = scope_of(&front);
    let mut items = Vec::new();
    for block in blocks(body, line) {
        let statement = statement(name, &block).map(|mut statement| {
            statement.apply_scope(&block, &scope);
            statement
        });
        items.extend(draft::items(statement, block.line, Attribution::PERSON));
    }
    items
}

/// Converts a block to a statement with its heading and reference, or returns the reason to skip
/// it.
pub(crate) fn statement(name: &str, block: &TextBlock) -> Result<Statement, &'static str> {
    let text = block.text.as_str();
    if text.starts_with('@') && !text.contains(char::is_whitespace) {
        return Err("only refers to a file");
    }
    if is_link(text) {
        return Err("only a link");
    }
    if text.split_whitespace().nth(1).is_none() {
        return Err("only a single word");
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

impl Statement {
    /// Adds the type that the words of a rule speak for, and what its file says of all its rules.
    pub(crate) fn apply_scope(
        &mut self,
        block: &TextBlock,
        (reason, paths): &(Option<String>, Vec<String>),
    ) {
        self.kind = Some(BuiltinType::infer(&block.text));
        self.reasoning.clone_from(reason);
        self.paths.extend(paths.iter().cloned());
    }
}

/// Returns true if a text is only a link.
fn is_link(text: &str) -> bool {
    text.strip_prefix('[')
        .and_then(|text| text.strip_suffix(')'))
        .and_then(|text| text.split_once("]("))
        .is_some_and(|(label, target)| !label.contains(']') && !target.contains([' ', ')']))
}

/// Reads the description and the paths that the rules apply to from the front matter.
pub(crate) fn scope_of(front: &FrontMatter) -> (Option<String>, Vec<String>) {
    // Cursor uses `globs`, Copilot `applyTo`, Claude Code `paths`.
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
        let literal: Vec<&str> =
            glob.split('/').take_while(|part| !part.contains(['*', '?', '{', '['])).collect();
        let path = literal.join("/");
        (!path.is_empty()).then_some(path)
    });
    ((!reasons.is_empty()).then(|| reasons.join("\n")), paths.collect())
}
