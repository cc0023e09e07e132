//! BERT's uncased WordPiece tokenizer, matching the publisher's tokenizer id for id.
//!
//! Text is read once, from left to right, until there are enough tokens, so a long input costs no
//! more than the part that is used. ASCII is classified by a table; runs of other characters are
//! cleaned, decomposed and stripped of accents first.

use unicode_normalization::UnicodeNormalization;

use super::categories::{is_accent, is_cjk, is_ignored, is_punctuation};
use super::vocab::{PiecePosition, PrefixHash, Vocab};

/// The id that starts every input.
pub(super) const CLS: u32 = 101;
/// The id that ends every input.
pub(super) const SEP: u32 = 102;
/// The id of a word the vocabulary cannot spell.
const UNKNOWN: u32 = 100;

/// Longer words, in characters, are unknown without a lookup.
const LONGEST_WORD: usize = 100;

/// The strings that are one token wherever they occur in the text.
const SPECIAL: [(&str, u32); 5] =
    [("[PAD]", 0), ("[UNK]", UNKNOWN), ("[CLS]", CLS), ("[SEP]", SEP), ("[MASK]", 103)];

/// The effect of an ASCII character on the current word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Space,
    Punctuation,
    Ignored,
}

const ASCII: [Class; 128] = {
    let mut classes = [Class::Letter; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => Class::Space,
            0..b' ' | 0x7f => Class::Ignored,
            _ if byte.is_ascii_punctuation() => Class::Punctuation,
            _ => Class::Letter,
        };
        byte += 1;
    }
    classes
};

/// Splits text into token ids and appends them until `ids` has `limit` elements.
pub(super) fn encode(vocab: &Vocab<'_>, text: &str, limit: usize, ids: &mut Vec<u32>) {
    let mut words = Words { vocab, word: String::new(), chars: 0, limit, ids };
    let mut rest = text;
    while let Some(&byte) = rest.as_bytes().first()
        && !words.full()
    {
        let read = match ASCII.get(usize::from(byte)) {
            Some(Class::Letter) => {
                words.letter(char::from(byte.to_ascii_lowercase()));
                1
            }
            Some(Class::Space) => {
                words.end();
                1
            }
            Some(Class::Punctuation) => {
                let special = SPECIAL.iter().find(|(name, _)| rest.starts_with(name));
                if let Some((name, id)) = special {
                    words.end();
                    words.push(*id);
                    name.len()
                } else {
                    words.punctuation(char::from(byte));
                    1
                }
            }
            Some(Class::Ignored) | None => {
                let run = foreign_run(rest);
                words.foreign(run);
                run.len()
            }
        };
        rest = &rest[read..];
    }
    words.end();
}

/// Returns the text up to the next ASCII character that is not ignored. Ignored characters do not
/// end a run, because they are removed before marks are reordered.
fn foreign_run(text: &str) -> &str {
    let ends_run = |byte: u8| ASCII.get(usize::from(byte)).is_some_and(|c| *c != Class::Ignored);
    let end = text.bytes().position(ends_run).unwrap_or(text.len());
    &text[..end]
}

/// Collects characters into words and words into ids.
struct Words<'a> {
    vocab: &'a Vocab<'a>,
    word: String,
    chars: usize,
    limit: usize,
    ids: &'a mut Vec<u32>,
}

impl Words<'_> {
    fn full(&self) -> bool {
        self.ids.len() >= self.limit
    }

    fn push(&mut self, id: u32) {
        if !self.full() {
            self.ids.push(id);
        }
    }

    fn letter(&mut self, letter: char) {
        self.chars += 1;
        if self.chars <= LONGEST_WORD {
            self.word.push(letter);
        }
    }

    fn punctuation(&mut self, mark: char) {
        self.end();
        self.letter(mark);
        self.end();
    }

    fn foreign(&mut self, run: &str) {
        let clean = run.chars().filter(|c| !is_ignored(*c));
        let spaced = clean.flat_map(|c| {
            let (around, c) =
                if c.is_whitespace() { (None, ' ') } else { (is_cjk(c).then_some(' '), c) };
            around.into_iter().chain([c]).chain(around)
        });
        let bare = spaced.nfd().filter(|c| !is_accent(*c));
        for c in bare.flat_map(char::to_lowercase) {
            if c == ' ' {
                self.end();
            } else if c.is_ascii_punctuation() || is_punctuation(c) {
                self.punctuation(c);
            } else {
                self.letter(c);
            }
            if self.full() {
                return;
            }
        }
    }

    /// Ends the word and splits it into the longest pieces in the vocabulary.
    fn end(&mut self) {
        let word = std::mem::take(&mut self.word);
        let chars = std::mem::take(&mut self.chars);
        if chars > 0 {
            let before = self.ids.len();
            if chars > LONGEST_WORD || !self.spell(&word) {
                self.ids.truncate(before);
                self.ids.push(UNKNOWN);
            }
            self.ids.truncate(self.limit.max(before));
        }
        self.word = word;
        self.word.clear();
    }

    fn spell(&mut self, word: &str) -> bool {
        let mut rest = word.as_bytes();
        let mut position = PiecePosition::Start;
        while !rest.is_empty() {
            let Some((id, len)) = self.longest_piece(rest, position) else {
                return false;
            };
            self.ids.push(id);
            rest = &rest[len..];
            position = PiecePosition::Inside;
        }
        true
    }

    /// Returns the longest piece at the start of `rest`, and its length. Tokens are valid UTF-8, so
    /// a match never splits a character.
    fn longest_piece(&self, rest: &[u8], position: PiecePosition) -> Option<(u32, usize)> {
        const LIMIT: usize = 32;
        let mut hashes = [PrefixHash::new(position); LIMIT + 1];
        let longest = self.vocab.longest().min(rest.len()).min(LIMIT);
        for len in 0..longest {
            hashes[len + 1] = hashes[len].with(rest[len]);
        }
        (1..=longest)
            .rev()
            .find_map(|len| Some((self.vocab.find(&rest[..len], position, hashes[len])?, len)))
    }
}
