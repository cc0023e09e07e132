//! Links from a section to its parents and siblings.

use crate::corpus::{Corpus, HeadingId, HeadingIndex};
use crate::fuzzy::Matcher;

/// The suffix of a link to a structural heading.
pub(crate) const CONTAINER: &str = " (container)";

/// Returns links to the parents of a heading, the nearest first, and to its file.
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

/// Returns the other entries under the same parent, in the order of the file.
pub fn related(corpus: &Corpus, headings: &HeadingIndex<'_>, place: HeadingId) -> Vec<String> {
    let parent = corpus.heading(place).parent;
    let mut matcher = Matcher::default();
    let mut siblings: Vec<(HeadingId, String)> = corpus
        .entries()
        .filter(|(index, entry)| corpus.document_of(*index, &entry.section) == Some(place.document))
        .filter_map(|(index, entry)| {
            let other = headings.locate(&mut matcher, index, entry)?;
            let siblings = other.document == place.document
                && other.heading != place.heading
                && corpus.heading(other).parent == parent;
            siblings.then(|| (other, entry.to_string()))
        })
        .collect();
    siblings.sort();
    siblings.into_iter().map(|(_, entry)| entry).collect()
}
