//! Quotations: finding text that repeats what a memory says, whole or in part.
//!
//! A quotation may be cut, wrapped, escaped as JSON, in other case or with other punctuation. It is
//! recognised by the start of a line, by a run of words from anywhere in a line, or by a word that
//! is rare in itself, such as a token.

use std::collections::{BTreeSet, HashSet};

/// The length of the start of a line, in bytes: quotations are often cut, but not before this.
const START: usize = 40;
/// The least length of a line; shorter ones are too common.
const SHORTEST_LINE: usize = 12;
/// The least number of words of a run, of words in it that carry meaning, and of its bytes.
const RUN: (usize, usize, usize) = (4, 3, 18);
/// The least length of a word that is rare in itself, in bytes.
const RARE_WORD: usize = 12;
/// Frequent words of four letters or more; all shorter words are frequent too.
const FREQUENT: [&str; 32] = [
    "about", "after", "also", "always", "because", "been", "before", "from", "have", "into",
    "make", "more", "must", "never", "only", "should", "than", "that", "their", "them", "then",
    "there", "they", "this", "what", "when", "where", "which", "will", "with", "would", "your",
];
/// An odd factor that mixes the words of a run.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The texts of memories, prepared to find their quotations.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quotations {
    /// Starts of lines and rare words, as they are, escaped in JSON, and escaped twice.
    phrases: BTreeSet<String>,
    /// Runs of words, by number of words and hash.
    runs: HashSet<(usize, u64)>,
    /// The numbers of words that runs have.
    lengths: BTreeSet<usize>,
}

impl Quotations {
    /// Adds a text. Lines of fewer than 12 bytes are ignored.
    pub fn add(&mut self, text: &str) {
        self.add_lines(text, SHORTEST_LINE);
    }

    /// Adds a text whose lines may be as short as `shortest` bytes.
    pub fn add_lines(&mut self, text: &str, shortest: usize) {
        for line in text.lines().map(str::trim).filter(|line| line.len() >= shortest) {
            self.add_phrase(&line[..line.floor_char_boundary(START)]);
            for word in line.split_whitespace().map(without_marks).filter(|word| is_rare(word)) {
                self.add_phrase(word);
            }
            self.add_runs(&words(line, Escapes::Literal));
        }
        // A text that was wrapped or unwrapped since has runs across its lines.
        self.add_runs(&words(text, Escapes::Literal));
    }

    /// Adds the texts of another.
    pub fn extend(&mut self, other: Quotations) {
        self.phrases.extend(other.phrases);
        self.runs.extend(other.runs);
        self.lengths.extend(other.lengths);
    }

    /// Returns true if no text was added, or none that could be recognised.
    pub fn is_empty(&self) -> bool {
        self.phrases.is_empty() && self.runs.is_empty()
    }

    /// Returns true if a text contains a quotation.
    pub fn are_in(&self, text: &str) -> bool {
        if self.phrases.iter().any(|phrase| text.contains(phrase.as_str())) {
            return true;
        }
        let escaped = text.contains('\\');
        self.has_run(&words(text, Escapes::Literal))
            || (escaped && self.has_run(&words(text, Escapes::Skipped)))
    }

    /// Returns true if bytes contain a quotation. They need not be UTF-8.
    pub fn are_in_bytes(&self, bytes: &[u8]) -> bool {
        self.are_in(&String::from_utf8_lossy(bytes))
    }

    fn add_phrase(&mut self, phrase: &str) {
        let escaped = |text: &str| {
            let json = serde_json::Value::from(text).to_string();
            json[1..json.len() - 1].to_owned()
        };
        let once = escaped(phrase);
        self.phrases.extend([phrase.to_owned(), escaped(&once), once]);
    }

    /// Adds the shortest run that begins at each word.
    fn add_runs(&mut self, words: &[Word]) {
        let (least, meaningful, bytes) = RUN;
        let hashes = RunHashes::of(words);
        for start in 0..words.len() {
            let mut sums = (0, 0);
            let end = (start..words.len()).find(|at| {
                sums.0 += usize::from(words[*at].is_meaningful);
                sums.1 += words[*at].bytes;
                at + 1 - start >= least && sums.0 >= meaningful && sums.1 >= bytes
            });
            let Some(end) = end else { return };
            let length = end + 1 - start;
            self.runs.insert((length, hashes.run(start, length)));
            self.lengths.insert(length);
        }
    }

    fn has_run(&self, words: &[Word]) -> bool {
        let hashes = RunHashes::of(words);
        self.lengths.iter().any(|length| {
            let last = (words.len() + 1).saturating_sub(*length);
            (0..last).any(|start| self.runs.contains(&(*length, hashes.run(start, *length))))
        })
    }
}

/// A word of a text, without its letters.
struct Word {
    hash: u64,
    bytes: usize,
    is_meaningful: bool,
}

impl Word {
    fn new(word: &str) -> Word {
        let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let is_long = word.chars().count() >= 4 || !word.is_ascii();
        let is_meaningful = is_long && !FREQUENT.contains(&word);
        Word { hash, bytes: word.len(), is_meaningful }
    }
}

/// Hashes of the beginnings of a text, from which that of any run follows.
struct RunHashes(Vec<u64>);

impl RunHashes {
    fn of(words: &[Word]) -> RunHashes {
        let mut hashes = vec![0_u64];
        for word in words {
            let last = hashes[hashes.len() - 1];
            hashes.push(last.wrapping_mul(FACTOR).wrapping_add(word.hash));
        }
        RunHashes(hashes)
    }

    fn run(&self, start: usize, length: usize) -> u64 {
        let power = (0..length).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
        self.0[start + length].wrapping_sub(self.0[start].wrapping_mul(power))
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Escapes {
    /// A backslash is punctuation, and the letter after it belongs to the next word.
    Literal,
    /// A backslash and the letter after it, such as `\n`, separate words.
    Skipped,
}

/// Splits a text into lower-case words. In scripts without spaces, each character is a word.
fn words(text: &str, escapes: Escapes) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut end = |word: &mut String| {
        if !word.is_empty() {
            words.push(Word::new(word));
            word.clear();
        }
    };
    let mut after_backslash = false;
    for letter in text.chars() {
        let is_escape = after_backslash && matches!(letter, 'n' | 't' | 'r' | 'b' | 'f');
        after_backslash = letter == '\\';
        if escapes == Escapes::Skipped && is_escape {
            continue;
        }
        if !letter.is_alphanumeric() {
            end(&mut word);
        } else if stands_alone(letter) {
            end(&mut word);
            word.push(letter);
            end(&mut word);
        } else {
            word.extend(letter.to_lowercase());
        }
    }
    end(&mut word);
    words
}

/// Returns true for the characters of scripts that do not separate words by spaces.
fn stands_alone(letter: char) -> bool {
    matches!(u32::from(letter), 0x0E00..=0x0EFF | 0x2E80..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn without_marks(word: &str) -> &str {
    word.trim_matches(|letter: char| "\"'`.,;:!?()[]{}<>".contains(letter))
}

/// Returns true for a word that looks like a token or a password: letters and digits, no path.
fn is_rare(word: &str) -> bool {
    let count = |is: fn(&char) -> bool| word.chars().filter(is).count();
    word.len() >= RARE_WORD
        && !word.contains(['/', '\\', ':'])
        && count(char::is_ascii_digit) >= 2
        && count(char::is_ascii_alphabetic) >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "The staging database is restored from last night's snapshot:\n\
                        never point the \"billing\" worker at it, the key is hunter2hunter99";

    fn quotations() -> Quotations {
        let mut quotations = Quotations::default();
        quotations.add(TEXT);
        quotations
    }

    #[test]
    fn parts_of_a_text_are_quotations() {
        for text in [
            TEXT,
            "he said: the staging database is restored from last nights",
            "THE STAGING  DATABASE\nIS RESTORED FROM",
            "so point the billing worker at it",
            r#"{"body":"at\nnever point the \"billing\" worker at it"}"#,
            r#"{"body":"{\"x\":\"restored from last night's snapshot:\\nnever point\"}"}"#,
            "restored from last night's snapshot: never",
            "export KEY=hunter2hunter99;",
        ] {
            assert!(quotations().are_in(text), "{text}");
        }
    }

    #[test]
    fn other_texts_with_the_same_words_are_none() {
        for text in [
            "",
            "the staging database",
            "the database of staging is not restored",
            "never point at it",
            "a snapshot of last night",
            r"C:\never\point the \billing",
        ] {
            assert!(!quotations().are_in(text), "{text}");
        }
        assert!(!Quotations::default().are_in(TEXT));
        assert!(Quotations::default().is_empty());
    }

    #[test]
    fn scripts_without_spaces_are_split_by_character() {
        let mut quotations = Quotations::default();
        quotations.add("数据库连接在测试环境中会超时");
        assert!(quotations.are_in("请注意:连接在测试环境中会"));
        assert!(!quotations.are_in("数据库在生产环境中"));
    }

    #[test]
    fn short_lines_count_if_the_caller_says_so() {
        let mut quotations = Quotations::default();
        quotations.add("use pnpm");
        assert!(quotations.is_empty());
        quotations.add_lines("use pnpm", 8);
        assert!(quotations.are_in("please use pnpm here"));
    }

    #[test]
    fn bytes_are_searched_between_others() {
        let mut bytes = vec![0xff, 0x00, 0xfe];
        bytes.extend_from_slice(b"\x01the staging database is restored\x02\xff");
        assert!(quotations().are_in_bytes(&bytes));
        assert!(!quotations().are_in_bytes(&[0xff; 64]));
    }
}
