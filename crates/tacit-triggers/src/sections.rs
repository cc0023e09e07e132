//! The sections of decision files as they are indexed: each with its own text and its triggers.

use std::collections::HashMap;

use crate::corpus::{Corpus, HeadingId, HeadingIndex};
use crate::fuzzy::Matcher;

/// The most sections of all files together.
const MAX_SECTIONS: usize = 2_000;

/// A section of a decision file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionSection {
    /// The path of the file from the root of the project.
    pub path: String,
    /// The heading, with a number if the file has several with the same words.
    pub key: String,
    /// The heading.
    pub title: String,
    /// The text between the heading and the next one. Text below a heading inside the section
    /// belongs to that heading.
    pub text: String,
    /// The triggers of the entry that opens the section.
    pub triggers: Vec<String>,
}

/// Returns the sections of all files that have a text of their own, in order. Structural headings
/// and titles of files are not sections.
pub fn sections(corpus: &Corpus) -> Vec<DecisionSection> {
    let headings = HeadingIndex::of(corpus);
    let mut triggers: HashMap<HeadingId, Vec<String>> = HashMap::new();
    let mut matcher = Matcher::default();
    for (index, entry) in corpus.entries().take(MAX_SECTIONS) {
        if let Some(place) = headings.locate(&mut matcher, index, entry) {
            triggers.entry(place).or_default().extend(entry.triggers().map(str::to_owned));
        }
    }
    let mut seen: HashMap<(usize, &str), usize> = HashMap::new();
    let mut found = Vec::new();
    for place in headings.places() {
        let text = own_text(corpus, *place);
        if text.is_empty() {
            continue;
        }
        let title = &corpus.heading(*place).title;
        let number = seen.entry((place.document, title)).or_default();
        *number += 1;
        found.push(DecisionSection {
            path: corpus.document(*place).path.clone(),
            key: if *number == 1 { title.clone() } else { format!("{title} ({number})") },
            title: title.clone(),
            text,
            triggers: triggers.remove(place).unwrap_or_default(),
        });
        if found.len() == MAX_SECTIONS {
            break;
        }
    }
    found
}

/// Returns the text of a section up to the next heading.
fn own_text(corpus: &Corpus, place: HeadingId) -> String {
    let document = corpus.document(place);
    let body = corpus.heading(place).body.clone();
    let next = document.headings.get(place.heading + 1).map_or(body.end, |next| next.start);
    let own = document.slice(body.start..next.clamp(body.start, body.end));
    String::from_utf8_lossy(own).trim().to_owned()
}
