//! Notes of basic-memory: fields, prose, observations `- [category] text #tag (context)` and
//! relations `- relation [[Target]]`, wherever they stand.

use tacit_core::BuiltinType;

use crate::blocks::{TextBlock, blocks};
use crate::draft::{self, Attribution, Statement, kind_of, named_paths};
use crate::front_matter::FrontMatter;
use crate::{ImportItem, rules};

const ATTRIBUTION: Attribution = Attribution::agent("basic-memory");

pub(crate) fn read(name: &str, text: &str) -> Vec<ImportItem> {
    let (front, body, line) = FrontMatter::split_any(text);
    let title = front.one("title").map_or_else(|| stem(name), str::to_owned);
    let tags: Vec<String> =
        front.all("tags").iter().flat_map(|tags| tags.split(',')).map(str::to_owned).collect();
    let mut items = Vec::new();
    for block in blocks(body, line) {
        let said = match (observation(&block.text), relation(&block.text)) {
            (Some(observation), _) => Ok(observation.said(name, &title, &block)),
            (_, Some((kind, target, context))) => Ok(Statement {
                line: block.line,
                title: Some(title.clone()),
                content: format!("{title} {} {target}", kind.replace('_', " ")),
                reasoning: context.map(str::to_owned),
                kind: Some(BuiltinType::ModuleInsight),
                tags: vec!["relation".into()],
                reference: format!("{name}#{}", block.headings.join(" / ")),
                ..Statement::default()
            }),
            _ => rules::said(name, &block),
        };
        let said = said.map(|mut said| {
            said.tags.extend(tags.iter().cloned());
            said
        });
        items.extend(draft::items(said, block.line, ATTRIBUTION));
    }
    items
}

/// Returns true if a line of the text is an observation or a relation.
pub(crate) fn has_marked_lines(body: &str) -> bool {
    let mut items = body.lines().filter_map(|line| line.strip_prefix("- "));
    items.any(|text| observation(text).is_some() || relation(text).is_some())
}

/// A fact with its category.
struct Observation<'a> {
    category: &'a str,
    text: String,
    tags: Vec<&'a str>,
    context: Option<&'a str>,
}

impl Observation<'_> {
    fn said(&self, name: &str, title: &str, block: &TextBlock) -> Statement {
        let kind = match self.category.to_lowercase().as_str() {
            "decision" | "choice" => BuiltinType::Decision,
            "preference" | "convention" | "style" => BuiltinType::Preference,
            "requirement" | "constraint" | "must" => BuiltinType::Requirement,
            "gotcha" | "risk" | "issue" | "problem" | "warning" | "bug" | "pitfall" => {
                BuiltinType::Gotcha
            }
            "error" | "fix" | "solution" | "workaround" => BuiltinType::ErrorPattern,
            "pattern" | "technique" | "method" | "practice" | "approach" => BuiltinType::Pattern,
            _ => kind_of(&self.text),
        };
        let tags = std::iter::once(self.category).chain(self.tags.iter().copied());
        let section = block.headings.last().map(String::as_str).unwrap_or_default();
        Statement {
            line: block.line,
            title: Some(format!("{title}: {}", self.text)),
            content: self.text.clone(),
            reasoning: self.context.map(str::to_owned),
            kind: Some(kind),
            tags: tags.map(str::to_owned).collect(),
            reference: format!("{name}#{section} [{}]", self.category),
            paths: named_paths(&self.text),
        }
    }
}

/// `[category] text #tag (context)`; the boxes of a list of tasks are none.
fn observation(text: &str) -> Option<Observation<'_>> {
    let (category, rest) = text.strip_prefix('[')?.split_once(']')?;
    let category = category.trim();
    let is_task = matches!(category, "" | "x" | "X" | "-");
    if is_task || category.contains(['[', '\n']) || !rest.starts_with(' ') {
        return None;
    }
    let rest = rest.trim();
    let (rest, context) = match rest.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
        Some((text, context)) => (text, Some(context)),
        None => (rest, None),
    };
    let tags: Vec<&str> = rest
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('#'))
        .filter(|tag| tag.starts_with(char::is_alphabetic))
        .collect();
    let mut text = rest;
    // Tags at the end are labels; one in the middle is part of the sentence.
    while let Some((before, last)) = text.rsplit_once(char::is_whitespace)
        && last.strip_prefix('#').is_some_and(|tag| tags.contains(&tag))
    {
        text = before.trim_end();
    }
    (!text.is_empty()).then(|| Observation { category, text: text.to_owned(), tags, context })
}

/// `relation [[Target]] (context)`.
fn relation(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let (kind, rest) = text.split_once("[[")?;
    let (target, rest) = rest.split_once("]]")?;
    let kind = kind.trim();
    let rest = rest.trim();
    let context = rest.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let is_one = (rest.is_empty() || context.is_some())
        && !target.trim().is_empty()
        && !kind.contains(['[', '\n'])
        && kind.split_whitespace().count() <= 4;
    let kind = if kind.is_empty() { "relates_to" } else { kind };
    is_one.then_some((kind, target.trim(), context))
}

/// Returns the name of a file without directories and ending.
fn stem(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.strip_suffix(".md").unwrap_or(file).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_an_observation() {
        for (text, expected) in [
            ("[decision] Use REST #api #v1", Some(("decision", "Use REST", 2, None))),
            (
                "[tip] Grind #fresh beans (at home)",
                Some(("tip", "Grind #fresh beans", 1, Some("at home"))),
            ),
            ("[ ] a task", None),
            ("[x] a task", None),
            ("[link](target.md)", None),
            ("[] nothing", None),
            ("[only]", None),
            ("[issue] #12 is open", Some(("issue", "#12 is open", 0, None))),
        ] {
            let found = observation(text);
            let found =
                found.as_ref().map(|o| (o.category, o.text.as_str(), o.tags.len(), o.context));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_is_a_relation() {
        for (text, expected) in [
            ("implements [[Search Design]]", Some(("implements", "Search Design", None))),
            ("depends on [[A]] (since v2)", Some(("depends on", "A", Some("since v2")))),
            ("[[A]]", Some(("relates_to", "A", None))),
            ("see [[A]] for the rest of it", None),
            ("a long sentence that ends with [[A]]", None),
            ("x [[]]", None),
        ] {
            assert_eq!(relation(text), expected, "{text}");
        }
    }
}
