//! Tokens for full-text search in prose that mentions code.
//!
//! An identifier yields its parts and itself as one word, so that `token_refresh`, `tokenRefresh`
//! and `TokenRefresh` find each other. A path yields its components, itself and the parts of both.
//! Flags and error codes stay whole. Plain words lose case, accents and English endings. Scripts
//! without spaces yield pairs of characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::stem::stem;

/// The longest token, in characters. Longer ones, such as base64 blobs, are cut.
const MAX_TOKEN: usize = 64;

/// Stop words, encoded as sorted numbers for a fast lookup: every word of every candidate is looked
/// up.
const STOP_WORDS: [u64; COMMON_WORDS.len()] = {
    let mut numbers = [0; COMMON_WORDS.len()];
    let mut at = 0;
    while at < numbers.len() {
        numbers[at] = number(COMMON_WORDS[at].as_bytes());
        at += 1;
    }
    numbers
};

const COMMON_WORDS: [&str; 72] = [
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "she", "should",
    "so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "too", "us", "was", "we", "were", "what", "when", "where", "which", "while",
    "who", "why", "will", "with", "would", "you", "your",
];

/// Encodes the first eight bytes of a word as a number that sorts like the word.
const fn number(word: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let mut at = 0;
    while at < word.len() && at < bytes.len() {
        bytes[at] = word[at];
        at += 1;
    }
    u64::from_be_bytes(bytes)
}

fn is_stop_word(word: &str) -> bool {
    word.len() < 8 && STOP_WORDS.binary_search(&number(word.as_bytes())).is_ok()
}

/// The tokens of a text, in order and with repetitions.
///
/// All tokens share one string: a query inspects the tokens of many texts, and one allocation per
/// token would cost more than tokenising.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    /// The tokens, separated by spaces.
    text: String,
    /// The end offset of each token.
    ends: Vec<u32>,
}

impl Tokens {
    /// Iterates over the tokens in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|at| {
            let start = if at == 0 { 0 } else { self.ends[at - 1] + 1 };
            &self.text[start as usize..self.ends[at] as usize]
        })
    }

    /// Returns true if there are no tokens.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the tokens separated by single spaces. No token contains white space.
    pub fn joined(&self) -> &str {
        &self.text
    }

    /// Returns each token once, sorted.
    pub fn distinct(&self) -> Vec<&str> {
        let mut distinct: Vec<&str> = self.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        distinct
    }

    /// Adds a token, cut to [`MAX_TOKEN`] characters.
    fn push(&mut self, token: &str) {
        let cut = (token.len() > MAX_TOKEN).then(|| token.char_indices().nth(MAX_TOKEN)).flatten();
        self.push_whole(&token[..cut.map_or(token.len(), |(cut, _)| cut)]);
    }

    /// Adds the stem of an ASCII word, unless it is a stop word.
    fn push_word(&mut self, word: &str) {
        let before = self.text.len();
        if !self.ends.is_empty() {
            self.text.push(' ');
        }
        let start = self.text.len();
        self.text.push_str(word);
        self.text[start..].make_ascii_lowercase();
        if is_stop_word(&self.text[start..]) {
            self.text.truncate(before);
            return;
        }
        if word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            stem(&mut self.text, start);
        }
        self.text.truncate(self.text.len().min(start + MAX_TOKEN));
        self.ends.push(self.text.len() as u32);
    }

    fn push_whole(&mut self, token: &str) {
        if token.is_empty() {
            return;
        }
        if !self.ends.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(token);
        self.ends.push(self.text.len() as u32);
    }
}

impl<S: AsRef<str>> FromIterator<S> for Tokens {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Tokens {
        let mut tokens = Tokens::default();
        for text in texts {
            tokens.push_whole(text.as_ref());
        }
        tokens
    }
}

/// Splits a text into tokens.
pub fn tokenize(text: &str) -> Tokens {
    let mut tokens = Tokens {
        text: String::with_capacity(text.len()),
        ends: Vec::with_capacity(text.len() / 5),
    };
    for chunk in text.split(breaks) {
        chunk_tokens(chunk, &mut tokens);
    }
    tokens
}

/// The result of [`breaks`] for every ASCII character.
const ASCII_BREAKS: [bool; 128] = {
    let mut breaks = [false; 128];
    let mut at = 0;
    while at < breaks.len() {
        let c = at as u8 as char;
        breaks[at] = c.is_ascii_whitespace() || c.is_ascii_control() || separates(c);
        at += 1;
    }
    breaks
};

/// Returns true for characters that never belong to a token.
fn breaks(c: char) -> bool {
    match ASCII_BREAKS.get(c as usize) {
        Some(breaks) => *breaks,
        None => c.is_whitespace() || c.is_control() || separates(c),
    }
}

const fn separates(c: char) -> bool {
    matches!(
        c,
        '(' | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '<'
            | '>'
            | '"'
            | '\''
            | '`'
            | ','
            | ';'
            | '='
            | '|'
            | '&'
            | '*'
            | '+'
            | '!'
            | '?'
            | '~'
            | '^'
            | '%'
            | '\\'
            | '…'
            | '“'
            | '”'
            | '‘'
            | '’'
            | '—'
            | '–'
            | '·'
            | '，'
            | '。'
            | '、'
            | '！'
            | '？'
            | '：'
            | '；'
    )
}

fn chunk_tokens(chunk: &str, tokens: &mut Tokens) {
    let chunk = chunk.trim_end_matches(['.', ':', '-', '/', '#', '@', '$']);
    let bare = chunk.trim_start_matches(|c: char| !c.is_alphanumeric());
    if bare.is_empty() {
        return;
    }
    if !bare.is_ascii() && bare.chars().any(is_unspaced) {
        unspaced(bare, tokens);
        return;
    }
    let lead = &chunk[..chunk.len() - bare.len()];
    if is_flag(lead, bare) {
        tokens.push(&format!("{lead}{}", bare.to_lowercase()));
    }
    if bare.bytes().all(|byte| byte.is_ascii_alphabetic()) && !has_case_change(bare) {
        word(bare, tokens);
        return;
    }
    let parts: Vec<&str> = bare.split(['/', ':']).filter(|part| !part.is_empty()).collect();
    if parts.len() > 1 {
        tokens.push(&bare.to_lowercase());
    }
    for part in parts {
        dotted(part, tokens);
    }
}

/// Returns true for flags such as `-x`, `-Xmx512m` and `--no-verify`, but not for the dash of a
/// list item.
fn is_flag(lead: &str, bare: &str) -> bool {
    matches!(lead, "-" | "--") && bare.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Adds the tokens of a path component, a file name or a dotted name.
fn dotted(part: &str, tokens: &mut Tokens) {
    let names: Vec<&str> = part
        .split(['.', '@', '#', '$'])
        .map(|name| name.trim_matches(['-', '_']))
        .filter(|name| !name.is_empty())
        .collect();
    if names.len() > 1 {
        tokens.push(&part.to_lowercase());
    }
    for name in names {
        identifier(name, tokens);
    }
}

/// Adds the parts of an identifier, and the whole as one word if it has several.
fn identifier(name: &str, tokens: &mut Tokens) {
    if is_error_code(name) {
        tokens.push(&name.to_lowercase());
        return;
    }
    let mut parts = Vec::new();
    for piece in name.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c)) {
        split_case(piece, &mut parts);
    }
    match parts.as_slice() {
        [] => {}
        [only] => word(only, tokens),
        several => {
            tokens.push(&several.concat().to_lowercase());
            for part in several.iter().filter(|part| part.chars().nth(1).is_some()) {
                word(part, tokens);
            }
        }
    }
}

/// Returns true for capital letters followed by digits, such as `E0308`, `TS2345` and
/// `CVE-2024-3094`.
fn is_error_code(name: &str) -> bool {
    let letters = name.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = &name.as_bytes()[letters..];
    (1..=6).contains(&letters)
        && rest.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2
        && rest.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-')
}

fn has_case_change(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        || bytes.windows(3).any(|run| {
            run[0].is_ascii_uppercase()
                && run[1].is_ascii_uppercase()
                && run[2].is_ascii_lowercase()
        })
}

/// Splits at `aB`, at `ABc` before the `B`, and between letters and digits.
fn split_case<'a>(piece: &'a str, parts: &mut Vec<&'a str>) {
    let mut start = 0;
    let mut chars = piece.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, next)| *next);
        let boundary = before.is_some_and(|before| {
            (before.is_lowercase() && c.is_uppercase())
                || (before.is_uppercase()
                    && c.is_uppercase()
                    && after.is_some_and(char::is_lowercase))
                || (before.is_numeric() != c.is_numeric() && !is_combining_mark(c))
        });
        if boundary {
            parts.push(&piece[start..at]);
            start = at;
        }
        before = Some(c);
    }
    if start < piece.len() {
        parts.push(&piece[start..]);
    }
}

/// Adds a plain word in lower case without accents and ending. Stop words are skipped.
fn word(text: &str, tokens: &mut Tokens) {
    if text.is_ascii() {
        tokens.push_word(text);
        return;
    }
    let folded: String =
        text.nfd().filter(|c| !is_accent(*c)).flat_map(char::to_lowercase).collect();
    tokens.push(&folded);
}

/// Returns true for the accents of European scripts. In other scripts a combining mark is part of
/// the word.
fn is_accent(c: char) -> bool {
    matches!(c as u32, 0x0300..=0x036f)
}

/// Returns true for scripts that are written without spaces.
fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0e00..=0x0eff | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af
            | 0xf900..=0xfaff | 0x20000..=0x323af)
}

/// Adds pairs of neighbouring characters; a lone character is a token by itself.
fn unspaced(text: &str, tokens: &mut Tokens) {
    let chars: Vec<char> = text.chars().collect();
    for run in chars.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
        if !is_unspaced(run[0]) {
            chunk_tokens(&run.iter().collect::<String>(), tokens);
        } else if run.len() == 1 {
            tokens.push(run[0].encode_utf8(&mut [0; 4]));
        } else {
            for pair in run.windows(2) {
                tokens.push(&pair.iter().collect::<String>());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted() && COMMON_WORDS.iter().all(|word| word.len() < 8));
        for (word, stops) in [("the", true), ("should", true), ("then", true), ("thenc", false)] {
            assert_eq!(is_stop_word(word), stops, "{word}");
        }
    }

    #[test]
    fn texts_split_into_expected_tokens() {
        for (text, expected) in [
            ("", ""),
            ("The tests are failing", "test fail"),
            ("token_refresh", "tokenrefresh token refresh"),
            ("tokenRefresh()", "tokenrefresh token refresh"),
            ("parseHTTPResponse", "parsehttpresponse pars http respons"),
            ("utf8", "utf8 utf"),
            ("sha256sum", "sha256sum sha 256 sum"),
            (
                "src/auth/tokenRefresh.ts",
                "src/auth/tokenrefresh.ts src auth tokenrefresh.ts tokenrefresh token refresh ts",
            ),
            ("std::fs::File", "std::fs::file std fs fil"),
            ("fails with E0308.", "fail e0308"),
            ("error TS2345: bad", "error ts2345 bad"),
            ("CVE-2024-3094", "cve-2024-3094"),
            ("git commit --no-verify", "git commit --no-verify noverify verify"),
            ("-Xmx512m", "-xmx512m xmx512m xmx 512"),
            ("--limit=20", "--limit limit 20"),
            ("- a list item", "list item"),
            ("ENOENT: no such file", "enoent such fil"),
            ("v1.2.3", "v1.2.3 v1 2 3"),
            ("don't", "don t"),
            ("Café Übung", "cafe ubung"),
            ("数据库锁", "数据 据库 库锁"),
            ("用SQLite存", "用 sqlite sq lit 存"),
            ("🚀 launch", "launch"),
            ("ada@b.example", "ada@b.example ada b exampl"),
        ] {
            assert_eq!(tokenize(text).joined(), expected, "{text}");
        }
    }

    #[test]
    fn long_tokens_are_cut() {
        let tokens = tokenize(&"x".repeat(10_000));
        assert_eq!(tokens.iter().map(str::len).collect::<Vec<_>>(), [MAX_TOKEN]);
    }

    proptest! {
        #[test]
        fn any_text_gives_clean_tokens(text in any::<String>()) {
            for token in tokenize(&text).iter() {
                prop_assert!(!token.is_empty());
                prop_assert!(!token.contains(|c: char| c.is_whitespace() || c == '"' || c == '\0'));
                prop_assert!(token.chars().count() <= MAX_TOKEN);
            }
        }

        #[test]
        fn naming_styles_of_an_identifier_give_the_same_tokens(words in prop::collection::vec("[a-z]{2,8}", 2..4)) {
            let snake = words.join("_");
            let kebab = words.join("-");
            let camel: String = words.iter().enumerate().map(|(i, word)| {
                if i == 0 { word.clone() } else { word[..1].to_uppercase() + &word[1..] }
            }).collect();
            let expected = tokenize(&snake);
            prop_assert_eq!(tokenize(&kebab), expected.clone());
            prop_assert_eq!(tokenize(&camel), expected);
        }
    }
}
