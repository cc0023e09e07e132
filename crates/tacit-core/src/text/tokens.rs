//! Tokens for full-text search over prose that is full of code.
//!
//! An identifier gives its parts and itself, written as one word, so that `token_refresh`,
//! `tokenRefresh` and `TokenRefresh` all find each other; a path gives its components, itself and
//! the parts of both. Flags and error codes stay whole. Plain words lose their case, their accents
//! and their English endings. Text in scripts without spaces gives pairs of characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::stem::stem;

/// Longer tokens are cut: nobody searches for the tail of a base64 blob.
const MAX_TOKEN: usize = 64;

/// Words so common that they tell nothing.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do",
    "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in",
    "into", "is", "it", "its", "me", "my", "no", "not", "of", "on", "or", "our", "she", "should",
    "so", "some", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "too", "us", "was", "we", "were", "what", "when", "where", "which", "while",
    "who", "why", "will", "with", "would", "you", "your",
];

/// The tokens of a text, in order, repeated as often as they occur.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens(Vec<String>);

impl Tokens {
    /// The tokens in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The tokens separated by single spaces; no token contains white space.
    pub fn joined(&self) -> String {
        self.0.join(" ")
    }

    /// Each token once, sorted.
    pub fn distinct(&self) -> Vec<&str> {
        let mut distinct: Vec<&str> = self.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        distinct
    }
}

impl FromIterator<String> for Tokens {
    fn from_iter<I: IntoIterator<Item = String>>(tokens: I) -> Tokens {
        Tokens(tokens.into_iter().collect())
    }
}

/// The tokens of a text.
pub fn tokenize(text: &str) -> Tokens {
    let mut tokens = Vec::with_capacity(text.len() / 5);
    for chunk in text.split(|c: char| c.is_whitespace() || c.is_control() || breaks(c)) {
        chunk_tokens(chunk, &mut tokens);
    }
    Tokens(tokens)
}

/// Characters that never belong to a token.
fn breaks(c: char) -> bool {
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

fn chunk_tokens(chunk: &str, tokens: &mut Vec<String>) {
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
        push(tokens, format!("{lead}{}", bare.to_lowercase()));
    }
    if bare.bytes().all(|byte| byte.is_ascii_alphabetic()) && !has_case_change(bare) {
        word(bare, tokens);
        return;
    }
    let parts: Vec<&str> = bare.split(['/', ':']).filter(|part| !part.is_empty()).collect();
    if parts.len() > 1 {
        push(tokens, bare.to_lowercase());
    }
    for part in parts {
        dotted(part, tokens);
    }
}

/// `-x`, `-Xmx512m`, `--no-verify`, but not the dash of a list item.
fn is_flag(lead: &str, bare: &str) -> bool {
    matches!(lead, "-" | "--") && bare.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// A path component, a file name, a qualified or dotted name.
fn dotted(part: &str, tokens: &mut Vec<String>) {
    let names: Vec<&str> = part
        .split(['.', '@', '#', '$'])
        .map(|name| name.trim_matches(['-', '_']))
        .filter(|name| !name.is_empty())
        .collect();
    if names.len() > 1 {
        push(tokens, part.to_lowercase());
    }
    for name in names {
        identifier(name, tokens);
    }
}

/// One identifier: its parts, and itself in one word when it has several.
fn identifier(name: &str, tokens: &mut Vec<String>) {
    if is_error_code(name) {
        push(tokens, name.to_lowercase());
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
            push(tokens, several.concat().to_lowercase());
            for part in several.iter().filter(|part| part.chars().nth(1).is_some()) {
                word(part, tokens);
            }
        }
    }
}

/// Capital letters and then digits, perhaps with dashes: `E0308`, `TS2345`, `CVE-2024-3094`.
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

/// Splits at `aB`, `ABc` (before the `B`), and between letters and digits.
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

/// A plain word: lower case, no accents, no ending, no stop word.
fn word(text: &str, tokens: &mut Vec<String>) {
    if text.is_ascii() {
        let mut word = text.to_ascii_lowercase();
        if STOP_WORDS.binary_search(&word.as_str()).is_ok() {
            return;
        }
        if word.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            stem(&mut word);
        }
        push(tokens, word);
        return;
    }
    let folded: String =
        text.nfd().filter(|c| !is_accent(*c)).flat_map(char::to_lowercase).collect();
    push(tokens, folded);
}

/// Accents of the European scripts; elsewhere a combining mark is part of the word.
fn is_accent(c: char) -> bool {
    matches!(c as u32, 0x0300..=0x036f)
}

/// Scripts that are written without spaces between words.
fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0e00..=0x0eff | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xac00..=0xd7af
            | 0xf900..=0xfaff | 0x20000..=0x323af)
}

/// Pairs of neighbouring characters; a lone character stands for itself.
fn unspaced(text: &str, tokens: &mut Vec<String>) {
    let chars: Vec<char> = text.chars().collect();
    for run in chars.chunk_by(|a, b| is_unspaced(*a) == is_unspaced(*b)) {
        if !is_unspaced(run[0]) {
            chunk_tokens(&run.iter().collect::<String>(), tokens);
        } else if run.len() == 1 {
            push(tokens, run[0].to_string());
        } else {
            tokens.extend(run.windows(2).map(|pair| pair.iter().collect::<String>()));
        }
    }
}

fn push(tokens: &mut Vec<String>, mut token: String) {
    if let Some((cut, _)) = token.char_indices().nth(MAX_TOKEN) {
        token.truncate(cut);
    }
    if !token.is_empty() {
        tokens.push(token);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stop_words_are_sorted() {
        assert!(STOP_WORDS.is_sorted());
    }

    #[test]
    fn tokens_of() {
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
    fn long_runs_are_cut() {
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
        fn styles_of_one_identifier_meet(words in prop::collection::vec("[a-z]{2,8}", 2..4)) {
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
