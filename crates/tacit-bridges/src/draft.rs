//! Creates valid drafts: headings, tags, references and parts within the size limits.

use std::borrow::Cow;

use tacit_core::{BuiltinType, Category, Draft};
use tacit_redact::redact;

use crate::{ImportContent, ImportItem};

/// Maximum size of a part in bytes. Smaller than the limit of a memory, so that markers for secrets
/// still fit.
const MAX_PART: usize = 6 * 1024;
/// Maximum length of a reference in characters.
const MAX_REFERENCE: usize = 400;
/// Maximum number of tags.
const MAX_TAGS: usize = 12;

/// The source of a statement, and the confidence in it.
#[derive(Clone, Copy)]
pub(crate) struct Attribution {
    pub(crate) source: &'static str,
    pub(crate) generator: &'static str,
    /// `None` for a person, whose confidence is configured.
    pub(crate) confidence: Option<f64>,
}

impl Attribution {
    /// A person who wrote instructions for agents.
    pub(crate) const PERSON: Attribution =
        Attribution { source: "user_taught", generator: "user", confidence: None };

    /// A file of the project that a memory follows.
    pub(crate) const FILE: Attribution =
        Attribution { source: "file", generator: "", confidence: None };

    /// Returns the attribution to an agent that used a tool.
    pub(crate) const fn agent(generator: &'static str) -> Attribution {
        Attribution { source: "agent_explicit", generator, confidence: Some(0.67) }
    }
}

/// A statement to remember, before it is cut to size.
#[derive(Default)]
pub(crate) struct Statement {
    pub(crate) line: usize,
    pub(crate) title: Option<String>,
    pub(crate) content: String,
    pub(crate) reasoning: Option<String>,
    pub(crate) kind: Option<BuiltinType>,
    pub(crate) tags: Vec<String>,
    pub(crate) reference: String,
    pub(crate) paths: Vec<String>,
}

/// Converts a parsed line to items: its drafts, or the reason why it is skipped.
pub(crate) fn items(
    statement: Result<Statement, &'static str>,
    line: usize,
    attribution: Attribution,
) -> Vec<ImportItem> {
    statement.map_or_else(
        |reason| vec![ImportItem::skipped(line, reason)],
        |statement| statement.items(attribution),
    )
}

impl Statement {
    /// Creates the drafts, more than one only if the text is very long.
    pub(crate) fn items(self, attribution: Attribution) -> Vec<ImportItem> {
        let reasoning = self.reasoning.as_deref();
        let reasoning = reasoning.and_then(|text| {
            parts(&without_cut_secrets(text, MAX_PART / 2), MAX_PART / 2).into_iter().next()
        });
        let parts = parts(&without_cut_secrets(&self.content, MAX_PART), MAX_PART);
        let numbered = parts.len() > 1;
        let kind = self.kind.unwrap_or_else(|| kind_of(&self.content));
        let mut tags: Vec<String> = Vec::new();
        for tag in self.tags.iter().filter_map(|tag| slug(&redact(tag).text)) {
            if tags.len() < MAX_TAGS && !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        let drafts = parts.into_iter().zip(1..).map(|(content, number): (String, usize)| {
            let suffix = if numbered { format!(" ({number})") } else { String::new() };
            ImportItem {
                line: self.line,
                paths: self.paths.clone(),
                content: ImportContent::Draft(Box::new(Draft {
                    content,
                    kind: Some(kind.as_str().to_owned()),
                    name: self.title.as_deref().and_then(one_line),
                    reasoning: reasoning.clone(),
                    tags: tags.clone(),
                    references: vec![reference(&self.reference, &suffix)],
                    source: Some(attribution.source.to_owned()),
                    generator: (!attribution.generator.is_empty())
                        .then(|| attribution.generator.to_owned()),
                    confidence: attribution.confidence,
                    ..Draft::default()
                })),
            }
        });
        drafts.collect()
    }
}

/// Infers the memory type from the words of a text.
pub(crate) fn kind_of(text: &str) -> BuiltinType {
    Category::infer(text).memory_type()
}

/// Joins a text to one line; `None` if it is empty.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("**", "");
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Redacts a text that is longer than `most`, because cutting it could split a secret.
fn without_cut_secrets(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most { Cow::Borrowed(text) } else { redact(text).text }
}

/// Converts text to a tag: `Build & Test` is `build-test`.
pub(crate) fn slug(text: &str) -> Option<String> {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | ':' | '+' | '#') {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let cut: String = slug.chars().take(64).collect();
    let cut = cut.trim_matches(['-', '#']);
    (!cut.is_empty()).then(|| cut.to_owned())
}

/// Shortens a reference from the start, where long paths are.
fn reference(text: &str, suffix: &str) -> String {
    let text = without_cut_secrets(text, MAX_REFERENCE);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return format!("-{suffix}");
    }
    let length = line.chars().count();
    let line = if length > MAX_REFERENCE {
        let tail: String = line.chars().skip(length - MAX_REFERENCE).collect();
        format!("…{}", tail.trim_start())
    } else {
        line
    };
    format!("{line}{suffix}")
}

/// Splits a text into parts of at most `most` bytes, between lines if possible.
pub(crate) fn parts(text: &str, most: usize) -> Vec<String> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while rest.len() > most {
        let end = rest.floor_char_boundary(most);
        let window = &rest[..end];
        let at = ["\n\n", "\n", " "]
            .iter()
            .filter_map(|mark| window.rfind(mark))
            .find(|at| *at > most / 2)
            .unwrap_or(end);
        let (part, after) = rest.split_at(at);
        if !part.trim().is_empty() {
            parts.push(part.trim().to_owned());
        }
        rest = after.trim();
    }
    if !rest.is_empty() {
        parts.push(rest.to_owned());
    }
    parts
}

/// Returns the paths in backticks.
pub(crate) fn named_paths(text: &str) -> Vec<String> {
    const LIMIT: usize = 8;
    let mut found: Vec<String> = Vec::new();
    for code in text.split('`').skip(1).step_by(2) {
        let path = code.split(':').next().unwrap_or(code).trim_start_matches("./");
        let path = path.trim_end_matches('/');
        let plain = path.chars().all(|c| c.is_alphanumeric() || "/._-+@".contains(c));
        if plain && path.contains(['/', '.']) && found.len() < LIMIT {
            found.push(path.to_owned());
        }
    }
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_a_valid_tag() {
        for (text, expected) in [
            ("Build & Test", Some("build-test")),
            ("#brewing", Some("brewing")),
            ("C++", Some("c++")),
            ("a, b", Some("a-b")),
            ("Ünïcode", Some("ünïcode")),
            (" - ", None),
            ("", None),
        ] {
            assert_eq!(slug(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn long_texts_are_split_between_lines() {
        let line = "a line of words that goes on for a while\n";
        let text = line.repeat(40);
        let parts = parts(&text, 300);
        assert!(parts.len() > 4 && parts.iter().all(|part| part.len() <= 300));
        assert_eq!(parts.join("\n"), text.trim_end());
        assert_eq!(super::parts(&"é".repeat(300), 301).concat(), "é".repeat(300));
        assert!(super::parts("  \n ", 10).is_empty());
    }

    #[test]
    fn paths_in_backticks_are_found() {
        let text = "See `src/pool.rs:42`, `cargo test`, `./docs/`, `a|b/c` and `Makefile.am`.";
        assert_eq!(named_paths(text), ["src/pool.rs", "Makefile.am"]);
    }
}
