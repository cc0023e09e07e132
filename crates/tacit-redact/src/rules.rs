//! Token rules, and how they are matched.
//!
//! A rule is data: the strings that a token starts with, and the runs of bytes that follow. A rule
//! is tried only where its keyword was found, greedily and without backtracking, so a match takes
//! time proportional to its length. Rules are constants, so a process that lives for milliseconds
//! compiles nothing.
//!
//! The tables are in the submodules, by topic. Secrets that are recognised by the text around them
//! (assignments, headers, URLs) are in `context`.

mod ai;
mod chat;
mod cloud;
mod code;
mod saas;

use crate::bytes::{ALNUM, Class, entropy, is_prose, starts_word};
use crate::scan::{Detection, SecretHit};

/// All tables, in order of precedence.
pub(crate) const TABLES: [&[Token]; 5] =
    [ai::RULES, code::RULES, cloud::RULES, chat::RULES, saas::RULES];

/// A part of a token after its keyword.
#[derive(Clone, Copy)]
pub(crate) enum TokenPart {
    /// A run of a class with minimum and maximum length.
    Run(Class, u16, u16),
    /// A run of a class with minimum length.
    AtLeast(Class, u16),
    /// A literal string.
    Literal(&'static str),
    /// Optional parts.
    Optional(&'static [TokenPart]),
}

/// The padding of base64: at most two `=`, only at the end, because elsewhere `=` starts another
/// value.
pub(crate) const PADDING: TokenPart = TokenPart::Optional(&[
    TokenPart::Literal("="),
    TokenPart::Optional(&[TokenPart::Literal("=")]),
]);

/// A rule for tokens with a known prefix.
pub(crate) struct Token {
    pub(crate) id: &'static str,
    pub(crate) starts: &'static [&'static str],
    tail: &'static [TokenPart],
    /// A run before the keyword that belongs to the token.
    before: Option<(Class, usize, usize)>,
    /// A word that may directly precede the token, such as `bot` in Telegram addresses.
    lead: &'static str,
    /// True if the keyword is a name that is not part of the secret and is kept.
    keeps_start: bool,
    /// True if the keyword is so short that it could end an ordinary hyphenated word.
    lone: bool,
    min_entropy: f32,
}

/// Creates a rule with default settings, which the methods change.
pub(crate) const fn token(
    id: &'static str,
    starts: &'static [&'static str],
    tail: &'static [TokenPart],
) -> Token {
    Token {
        id,
        starts,
        tail,
        before: None,
        lead: "",
        keeps_start: false,
        lone: false,
        min_entropy: 2.5,
    }
}

impl Token {
    pub(crate) const fn after(mut self, class: Class, min: usize, max: usize) -> Self {
        self.before = Some((class, min, max));
        self
    }

    pub(crate) const fn led_by(mut self, word: &'static str) -> Self {
        self.lead = word;
        self
    }

    pub(crate) const fn keep_start(mut self) -> Self {
        self.keeps_start = true;
        self
    }

    pub(crate) const fn lone(mut self) -> Self {
        self.lone = true;
        self
    }

    pub(crate) const fn entropy(mut self, bits: f32) -> Self {
        self.min_entropy = bits;
        self
    }

    /// Tries the rule at the position of `keyword`.
    pub(crate) fn find(&self, bytes: &[u8], floor: usize, at: usize, keyword: &str) -> Detection {
        let Some(start) = self.start(bytes, floor, at) else { return Detection::No };
        let body = at + keyword.len();
        let mut last = None;
        let Some(end) = match_parts(bytes, body, self.tail, &mut last) else {
            return Detection::No;
        };
        // A longer run than the rule allows is a different kind of string.
        if let (Some(class), Some(next)) = (last, bytes.get(end))
            && (class.has(*next) || ALNUM.has(*next) || *next == b'_')
            && !bytes[end..].starts_with(b"-----")
        {
            return Detection::No;
        }
        let secret = if self.before.is_some() { start } else { body };
        let value = &bytes[secret..end];
        let separated = value.iter().any(|b| matches!(b, b'-' | b'_' | b'.'));
        if entropy(value) < self.min_entropy || (separated && is_prose(value)) {
            // Skipping the whole value keeps `xoxb-xoxb-xoxb-…` linear.
            return Detection::Skip(end);
        }
        let start = if self.keeps_start { body } else { start };
        Detection::Found(SecretHit { start, end, rule: self.id })
    }

    fn start(&self, bytes: &[u8], floor: usize, at: usize) -> Option<usize> {
        let mut start = at;
        if let Some((class, min, max)) = self.before {
            let run = class.run_back(bytes, floor, at, max);
            if run < min {
                return None;
            }
            start -= run;
        }
        if !self.lead.is_empty() && bytes[floor..start].ends_with(self.lead.as_bytes()) {
            return starts_word(bytes, floor, start - self.lead.len()).then_some(start);
        }
        let attached = self.lone && start > floor && matches!(bytes[start - 1], b'-' | b'_' | b'.');
        (!attached && starts_word(bytes, floor, start)).then_some(start)
    }
}

/// Matches the parts from `at`; `last` receives the class of the final run.
fn match_parts(
    bytes: &[u8],
    mut at: usize,
    parts: &[TokenPart],
    last: &mut Option<Class>,
) -> Option<usize> {
    for part in parts {
        match *part {
            TokenPart::Run(class, min, _) | TokenPart::AtLeast(class, min) => {
                let most = if let TokenPart::Run(_, _, max) = *part {
                    usize::from(max)
                } else {
                    usize::MAX
                };
                let run = class.run(bytes, at, most);
                if run < usize::from(min) {
                    return None;
                }
                at += run;
                *last = Some(class);
            }
            TokenPart::Literal(literal) => {
                if !bytes[at..].starts_with(literal.as_bytes()) {
                    return None;
                }
                at += literal.len();
                *last = None;
            }
            TokenPart::Optional(inner) => {
                let mut inner_last = *last;
                if let Some(end) = match_parts(bytes, at, inner, &mut inner_last) {
                    at = end;
                    *last = inner_last;
                }
            }
        }
    }
    Some(at)
}
