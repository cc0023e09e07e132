//! The commits from which lessons are drawn.

use std::collections::HashMap;

/// A commit with at most one parent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PastCommit {
    /// The full hash in hexadecimal digits.
    pub id: String,
    /// The commit time, in seconds since 1970.
    pub at: i64,
    /// The message, perhaps cut.
    pub message: String,
    /// The files it touched, as indexes into [`Past::files`]; empty for commits that touched very
    /// many.
    pub files: Vec<u32>,
    /// The files that it added.
    pub added: Vec<u32>,
}

impl PastCommit {
    /// Returns the first line of the message.
    pub(crate) fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default().trim()
    }

    /// Returns the message after the first line.
    pub(crate) fn body(&self) -> &str {
        self.message.split_once('\n').map_or("", |(_, body)| body)
    }

    /// Returns the hash as lessons show it.
    pub(crate) fn short_id(&self) -> &str {
        &self.id[..self.id.floor_char_boundary(8)]
    }
}

/// The past of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Past {
    /// The commits, parents before children.
    pub commits: Vec<PastCommit>,
    /// The current path of each file; `None` if it was deleted.
    pub files: Vec<Option<String>>,
}

impl Past {
    /// Returns the current path of a file.
    pub(crate) fn path(&self, file: u32) -> Option<&str> {
        self.files.get(file as usize)?.as_deref()
    }

    /// Returns the current paths of the files that a commit touched.
    pub(crate) fn paths<'p>(&'p self, commit: &'p PastCommit) -> impl Iterator<Item = &'p str> {
        commit.files.iter().filter_map(|file| self.path(*file))
    }
}

/// Finds commits by the start of their hash and by their subject.
pub(crate) struct CommitIndex<'p> {
    by_id: Vec<(&'p str, usize)>,
    /// The positions of the commits with a subject, oldest first.
    by_subject: HashMap<String, Vec<usize>>,
}

/// The shortest start of a hash that names a commit.
pub(crate) const SHORTEST_ID: usize = 7;

impl<'p> CommitIndex<'p> {
    pub(crate) fn new(past: &'p Past) -> CommitIndex<'p> {
        let mut by_id: Vec<(&str, usize)> =
            past.commits.iter().enumerate().map(|(at, commit)| (commit.id.as_str(), at)).collect();
        by_id.sort_unstable();
        let mut by_subject: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, commit) in past.commits.iter().enumerate() {
            by_subject.entry(subject_key(commit.subject())).or_default().push(at);
        }
        CommitIndex { by_id, by_subject }
    }

    /// Returns the only commit whose hash starts with these digits.
    pub(crate) fn by_id(&self, digits: &str) -> Option<usize> {
        let digits = digits.to_ascii_lowercase();
        if digits.len() < SHORTEST_ID {
            return None;
        }
        let first = self.by_id.partition_point(|(id, _)| *id < digits.as_str());
        let mut matches =
            self.by_id[first..].iter().take_while(|(id, _)| id.starts_with(digits.as_str()));
        let (_, found) = matches.next()?;
        matches.next().is_none().then_some(*found)
    }

    /// Returns the commits with a subject, oldest first.
    pub(crate) fn by_subject(&self, subject: &str) -> &[usize] {
        self.by_subject.get(&subject_key(subject)).map_or(&[], Vec::as_slice)
    }
}

/// Returns a subject in the form in which subjects are compared: without case, final stop and the
/// number that a forge appends.
pub(crate) fn subject_key(subject: &str) -> String {
    let subject = subject.trim();
    let subject = match subject.rsplit_once(" (#") {
        Some((text, number)) if number.trim_end_matches(')').parse::<u32>().is_ok() => text,
        _ => subject,
    };
    let words = subject.trim_end_matches(['.', '…']).split_whitespace();
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Returns the words of a text that look like the hash of a commit.
pub(crate) fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| {
        (SHORTEST_ID..=64).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_hexdigit())
            // Seven digits are a number, and letters alone a word.
            && word.bytes().any(|byte| byte.is_ascii_digit())
            && (word.len() > 12 || word.bytes().any(|byte| byte.is_ascii_alphabetic()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn past(ids: &[&str]) -> Past {
        let commit = |id: &&str| PastCommit {
            id: (*id).to_owned(),
            message: format!("Subject {id}\n\nbody"),
            ..PastCommit::default()
        };
        Past { commits: ids.iter().map(commit).collect(), files: Vec::new() }
    }

    #[test]
    fn commits_are_found_by_an_unambiguous_start() {
        let past = past(&["aaaaaaa1ff", "aaaaaaa2ff", "bbbbbbb1ff"]);
        let index = CommitIndex::new(&past);
        for (digits, expected) in [
            ("bbbbbbb", Some(2)),
            ("BBBBBBB1", Some(2)),
            ("aaaaaaa", None),
            ("aaaaaaa2", Some(1)),
            ("bbbbbb", None),
            ("ccccccc", None),
        ] {
            assert_eq!(index.by_id(digits), expected, "{digits}");
        }
        assert_eq!(index.by_subject("subject BBBBBBB1FF (#12)"), [2]);
    }

    #[test]
    fn hashes_in_texts_have_digits_and_letters() {
        let text = "This reverts commit 1a2b3c4d5e. See 1234567, deadbeef, facade1 and 12ab.";
        assert_eq!(ids_in(text).collect::<Vec<_>>(), ["1a2b3c4d5e", "facade1"]);
    }
}
