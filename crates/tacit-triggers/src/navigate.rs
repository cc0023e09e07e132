//! Links from a section to what is around it and beside it.

use crate::corpus::{Corpus, HeadingId, HeadingIndex};
use crate::fuzzy::Matcher;

/// What marks a link to a heading that only groups others.
pub(crate) const CONTAINER: &str = " (container)";

/// Links to the headings around a place, the nearest first, and to its file.
pub fn broader(corpus: &Corpus, place: HeadingId) -> Vec<String> {
    let document = corpus.document(place);
    let mut links: Vec<String> = document
        .ancestors(place.heading)
        .map(|heading| {
            let label = if heading.structural { CONTAINER } else { "" };
            format!("/when .{}{label}", heading.title)
        })
        .collect();
    links.push(format!("/when ..{}", document.link_name()));
    links
}

/// The other entries whose headings are under the same heading, in the order of the file.
pub fn related(corpus: &Corpus, headings: &HeadingIndex<'_>, place: HeadingId) -> Vec<String> {
    let parent = corpus.heading(place).parent;
    let mut matcher = Matcher::default();
    let mut beside: Vec<(HeadingId, String)> = corpus
        .entries()
        .filter(|(index, entry)| corpus.document_of(*index, &entry.section) == Some(place.document))
        .filter_map(|(index, entry)| {
            let other = headings.locate(&mut matcher, index, entry)?;
            let beside = other.document == place.document
                && other.heading != place.heading
                && corpus.heading(other).parent == parent;
            beside.then(|| (other, entry.to_string()))
        })
        .collect();
    beside.sort();
    beside.into_iter().map(|(_, entry)| entry).collect()
}
