//! Sentences with a code, so that a page can say them in another language.
//!
//! The engine stores some reasons as English sentences, and errors are English sentences. Each known one has
//! a template in [`table`]: a sentence is parsed back into its code and its values. The page has a
//! translation for every code; a sentence without a code, from an older version for example, is shown as it is.

mod table;

use std::collections::BTreeMap;
use std::fmt::Write;

use schemars::JsonSchema;
use serde::Serialize;
use tacit_core::KEYS;

pub(crate) use table::TEMPLATES;

/// The sentences that are parsed within one another, as in `pruned: …` or `flagged: …`.
const DEEPEST: usize = 4;

/// A sentence of the server.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Sentence {
    /// The sentence in English.
    pub(crate) text: String,
    /// The same sentence as a code with values; null if it has none.
    pub(crate) phrase: Option<Phrase>,
}

/// The code of a sentence, with its values.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Phrase {
    pub(crate) code: &'static str,
    pub(crate) values: BTreeMap<&'static str, PhraseValue>,
}

/// A value of a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum PhraseValue {
    Number(f64),
    Text(String),
    List(Vec<String>),
    Sentence(Sentence),
}

impl<T: Into<String>> From<T> for Sentence {
    fn from(text: T) -> Sentence {
        let text = text.into();
        let phrase = Phrase::parse(&text);
        Sentence { text, phrase }
    }
}

impl Phrase {
    /// Finds the code of a sentence. Of the templates that match, the one with the most literal text wins.
    pub(crate) fn parse(text: &str) -> Option<Phrase> {
        parse(text, DEEPEST)
    }
}

fn parse(text: &str, depth: usize) -> Option<Phrase> {
    let matching = TEMPLATES.iter().filter_map(|(code, template)| {
        let values = values(template, text, depth)?;
        let own: usize = pieces(template).map(|(literal, _)| literal.len()).sum();
        Some((own, Phrase { code, values }))
    });
    matching.max_by_key(|(own, _)| *own).map(|(_, phrase)| phrase)
}

/// Splits a template into its literals, each with the parameter after it.
fn pieces(template: &'static str) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    template.split('}').map(|piece| match piece.split_once('{') {
        Some((literal, parameter)) => (literal, Some(parameter)),
        None => (piece, None),
    })
}

/// Reads the values that make a sentence of a template.
fn values(
    template: &'static str,
    text: &str,
    depth: usize,
) -> Option<BTreeMap<&'static str, PhraseValue>> {
    let mut pieces = pieces(template).peekable();
    let mut values = BTreeMap::new();
    let (first, mut parameter) = pieces.next()?;
    let mut rest = text.strip_prefix(first)?;
    while let Some(name) = parameter {
        let (literal, next) = pieces.next()?;
        let is_last = pieces.peek().is_none() && next.is_none();
        let value = match (is_last, literal) {
            (true, _) => rest.strip_suffix(literal)?,
            // Two parameters side by side cannot be told apart.
            (false, "") => return None,
            (false, _) => rest.split_once(literal)?.0,
        };
        rest = &rest[value.len() + literal.len()..];
        let (name, value) = read(name, value, depth)?;
        values.insert(name, value);
        parameter = next;
    }
    rest.is_empty().then_some(values)
}

/// Reads the value of a parameter: `#` marks a number, `*` a list of names, `~` a sentence and `!` a known one.
fn read(name: &'static str, text: &str, depth: usize) -> Option<(&'static str, PhraseValue)> {
    if text.is_empty() {
        return None;
    }
    if let Some(name) = name.strip_prefix('#') {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        return Some((name, PhraseValue::Number(text.parse().ok().filter(|_| is_number)?)));
    }
    if let Some(name) = name.strip_prefix('*') {
        let names = text.split(", ").flat_map(|part| part.split(" and ")).map(str::to_owned);
        return Some((name, PhraseValue::List(names.collect())));
    }
    let inner = name.trim_start_matches(['~', '!']);
    if inner == name {
        return Some((name, PhraseValue::Text(text.to_owned())));
    }
    let phrase = depth.checked_sub(1).and_then(|depth| parse(text, depth));
    let is_possible = phrase.is_some() || name.starts_with('~');
    let sentence = Sentence { text: text.to_owned(), phrase };
    is_possible.then_some((inner, PhraseValue::Sentence(sentence)))
}

/// Returns the module of the page that names every sentence and every configuration key, from whose types
/// the translations are checked.
pub fn module() -> String {
    let mut text = String::from(
        "// Written by `cargo run -p tacit-panel --example phrases`. Only its types are used: they say what a\n\
         // translation must have.\n\nexport const phrases = {\n",
    );
    let mut last = "";
    for (code, template) in TEMPLATES {
        // Further templates of a code are other forms of the same sentence.
        if *code != last {
            let plain = template.replace(['#', '*', '~', '!'], "");
            let _ = writeln!(text, "  '{code}': {},", quoted(&plain));
        }
        last = code;
    }
    text.push_str("} as const;\n\nexport const config = {\n");
    for key in KEYS.iter() {
        let _ = writeln!(text, "  '{}': {},", key.name, quoted(key.help));
    }
    text.push_str("} as const;\n");
    text
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests;
