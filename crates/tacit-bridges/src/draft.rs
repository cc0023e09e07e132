//! Making drafts that pass every check: headings, labels, references and parts of bearable size.

use std::borrow::Cow;

use tacit_core::{BuiltinType, Category, Draft};
use tacit_redact::redact;

use crate::{ImportContent, ImportItem};

/// The most bytes of one part of a text. Below the limit of a memory, so that markers for secrets
/// still fit.
const PART: usize = 6 * 1024;
/// The longest reference, in characters.
const REFERENCE: usize = 400;
/// The most labels.
const TAGS: usize = 12;

/// Who said something, and how sure of it we are.
#[derive(Clone, Copy)]
pub(crate) struct Attribution {
    pub(crate) source: &'static str,
    pub(crate) generator: &'static str,
    /// None for what a person says, which is as sure as configured.
    pub(crate) confidence: Option<f64>,
}

impl Attribution {
    /// A person, in a file for agents.
    pub(crate) const PERSON: Attribution =
        Attribution { source: "user_taught", generator: "user", confidence: None };

    /// Returns an agent, that wrote it down with a tool.
    pub(crate) const fn agent(generator: &'static str) -> Attribution {
        Attribution { source: "agent_explicit", generator, confidence: Some(0.67) }
    }
}

/// Something to be remembered, before it is cut to size.
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

/// Turns a parsed line into items: its draft, or the reason why it is no memory.
pub(crate) fn items(
    said: Result<Statement, &'static str>,
    line: usize,
    attribution: Attribution,
) -> Vec<ImportItem> {
    said.map_or_else(|why| vec![ImportItem::skipped(line, why)], |said| said.items(attribution))
}

impl Statement {
    /// Returns the drafts of it, one unless it is very long.
    pub(crate) fn items(self, attribution: Attribution) -> Vec<ImportItem> {
        let reasoning = self.reasoning.as_deref();
        let reasoning = reasoning
            .and_then(|text| parts(&whole_secrets(text, PART / 2), PART / 2).into_iter().next());
        let parts = parts(&whole_secrets(&self.content, PART), PART);
        let several = parts.len() > 1;
        let kind = self.kind.unwrap_or_else(|| kind_of(&self.content));
        let mut tags: Vec<String> = Vec::new();
        for tag in self.tags.iter().filter_map(|tag| slug(&redact(tag).text)) {
            if tags.len() < TAGS && !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        let drafts = parts.into_iter().zip(1..).map(|(content, number): (String, usize)| {
            let place = if several { format!(" ({number})") } else { String::new() };
            ImportItem {
                line: self.line,
                paths: self.paths.clone(),
                content: ImportContent::Draft(Box::new(Draft {
                    content,
                    kind: Some(kind.as_str().to_owned()),
                    name: self.title.as_deref().and_then(one_line),
                    reasoning: reasoning.clone(),
                    tags: tags.clone(),
                    references: vec![reference(&self.reference, &place)],
                    source: Some(attribution.source.to_owned()),
                    generator: Some(attribution.generator.to_owned()),
                    confidence: attribution.confidence,
                    ..Draft::default()
                })),
            }
        });
        drafts.collect()
    }
}

/// Returns the type that the signals of a text speak for.
pub(crate) fn kind_of(text: &str) -> BuiltinType {
    Category::infer(text).memory_type()
}

/// Returns a text on one line; none if nothing is left.
pub(crate) fn one_line(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ").replace("**", "");
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Returns a text that will be cut, without the secrets that a cut could halve.
fn whole_secrets(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most { Cow::Borrowed(text) } else { redact(text).text }
}

/// Returns a word as a label: `Build & Test` is `build-test`.
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

/// Returns a reference of bearable length: what is cut is its beginning, which is the longest path.
fn reference(text: &str, place: &str) -> String {
    let text = whole_secrets(text, REFERENCE);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return format!("-{place}");
    }
    let length = line.chars().count();
    let line = if length > REFERENCE {
        let kept: String = line.chars().skip(length - REFERENCE).collect();
        format!("…{}", kept.trim_start())
    } else {
        line
    };
    format!("{line}{place}")
}

/// Returns a text in parts of at most so many bytes, broken between lines where that is possible.
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

/// Paths in backticks.
pub(crate) fn named_paths(text: &str) -> Vec<String> {
    const MOST: usize = 8;
    let mut found: Vec<String> = Vec::new();
    for code in text.split('`').skip(1).step_by(2) {
        let path = code.split(':').next().unwrap_or(code).trim_start_matches("./");
        let path = path.trim_end_matches('/');
        let plain = path.chars().all(|c| c.is_alphanumeric() || "/._-+@".contains(c));
        if plain && path.contains(['/', '.']) && found.len() < MOST {
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
    fn labels_are_made_of_anything() {
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
    fn long_texts_are_broken_between_lines_and_nothing_is_lost() {
        let line = "a line of words that goes on for a while\n";
        let text = line.repeat(40);
        let parts = parts(&text, 300);
        assert!(parts.len() > 4 && parts.iter().all(|part| part.len() <= 300));
        assert_eq!(parts.join("\n"), text.trim_end());
        assert_eq!(super::parts(&"é".repeat(300), 301).concat(), "é".repeat(300));
        assert!(super::parts("  \n ", 10).is_empty());
    }

    #[test]
    fn only_what_may_be_a_path_is_one() {
        let text = "See `src/pool.rs:42`, `cargo test`, `./docs/`, `a|b/c` and `Makefile.am`.";
        assert_eq!(named_paths(text), ["src/pool.rs", "Makefile.am"]);
    }
}
