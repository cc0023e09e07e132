//! Finds the source files that show a text in an interface, or name one of its elements.

use std::collections::BTreeSet;

use tacit_core::tokenize;

use super::index::{FileNumber, WordIndex};
use super::kind::FileKind;
use super::words::is_word;
use crate::open::Codebase;
use crate::words::OpenWords;

/// The most files that are read for a text: a text with common words alone says nothing.
const MOST_FILES: usize = 100;
/// The largest file that is read, in bytes.
const LARGEST: u64 = 512 * 1024;

impl Codebase {
    /// Returns the sources that have a text as a whole: as a string, or between tags. Tests,
    /// documents and settings are left out. Returns none if the text has only common words.
    pub fn files_showing(&self, words: &OpenWords, text: &str) -> Vec<String> {
        let index = words.index();
        let Some(candidates) = index.sources_with_words(text) else { return Vec::new() };
        let shows = |file: &FileNumber| {
            let path = self.root().join(index.path(*file));
            tacit_fs::read_nofollow(&path, LARGEST)
                .is_ok_and(|bytes| shows(&String::from_utf8_lossy(&bytes), text))
        };
        let found = candidates.into_iter().filter(shows);
        found.map(|file| index.path(file).to_owned()).collect()
    }
}

impl WordIndex<'_> {
    /// Returns the sources that have all words of a text; `None` if it has none, or too many do.
    fn sources_with_words(&self, text: &str) -> Option<BTreeSet<FileNumber>> {
        let tokens = tokenize(text);
        let mut common: Option<BTreeSet<FileNumber>> = None;
        for word in tokens.iter().filter(|token| is_word(token)) {
            let row = self.word(word)?;
            let files = row.postings().map(|posting| self.file_of(posting.piece));
            let files = files.filter(|file| self.kind(*file) == FileKind::Source);
            common = Some(match common {
                None => files.collect(),
                Some(known) => files.filter(|file| known.contains(file)).collect(),
            });
        }
        common.filter(|files| files.len() <= MOST_FILES)
    }
}

/// Returns true if a source has a text as a whole string, or between tags or braces.
fn shows(source: &str, text: &str) -> bool {
    source.match_indices(text).any(|(at, _)| {
        let (before, after) = (&source[..at], &source[at + text.len()..]);
        let (quote, closing) = (before.chars().next_back(), after.chars().next());
        if quote == closing && quote.is_some_and(|mark| "\"'`".contains(mark)) {
            return true;
        }
        let opens = before.trim_end().ends_with(['>', '}']);
        opens && after.trim_start().starts_with(['<', '{'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_texts_are_shown() {
        for (source, expected) in [
            ("<button>Save all</button>", true),
            ("<button>\n  Save all\n</button>", true),
            ("<b>{icon} Save all</b>", true),
            ("Text(\"Save all\")", true),
            ("label = 'Save all'", true),
            ("label = `Save all`", true),
            ("// Save all", false),
            ("\"Save all files\"", false),
            ("'Save all\"", false),
            ("<b>Save all files</b>", false),
            ("fn save_all() {}", false),
            ("", false),
        ] {
            assert_eq!(shows(source, "Save all"), expected, "{source}");
        }
    }
}
