//! The shape of a token rule, and how one is matched.
//!
//! A rule is data: the strings a token starts with, and the runs of bytes that
//! follow. Rules are matched where a keyword was found and nowhere else, greedily
//! and without going back, so a match costs time in proportion to its length.
//! They are constants: a process that lives for milliseconds compiles nothing.
//!
//! The tables lie beside this file, by topic. What needs the words around a value
//! (assignments, headers, URLs) is in `context`.

mod ai;
mod chat;
mod cloud;
mod code;
mod saas;

use crate::bytes::{ALNUM, Class, entropy, is_prose, starts_word};
use crate::scan::{Hit, Outcome};

/// Every table, in the order in which rules are tried at one place.
pub(crate) const TABLES: [&[Token]; 5] =
    [ai::RULES, code::RULES, cloud::RULES, chat::RULES, saas::RULES];

/// One piece of a token behind its keyword.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// Between so many and so many bytes of a class.
    Run(Class, u16, u16),
    /// At least so many bytes of a class.
    Open(Class, u16),
    /// Exactly these bytes.
    Lit(&'static str),
    /// These parts, or nothing.
    Maybe(&'static [Part]),
}

/// The end of base64: at most two signs, and never in the middle, where `=` is
/// the start of somebody else's value.
pub(crate) const PADDING: Part = Part::Maybe(&[Part::Lit("="), Part::Maybe(&[Part::Lit("=")])]);

/// A rule for tokens that carry their own mark.
pub(crate) struct Token {
    pub(crate) id: &'static str,
    pub(crate) starts: &'static [&'static str],
    tail: &'static [Part],
    /// A run that belongs to the token but stands before the keyword.
    before: Option<(Class, usize, usize)>,
    /// A word that may stand glued before the token, as `bot` does in Telegram's addresses.
    lead: &'static str,
    /// The keyword is a name, not part of the secret, and stays readable.
    keeps_start: bool,
    /// The keyword is short enough to end an ordinary hyphenated word.
    lone: bool,
    min_entropy: f32,
}

/// Returns a rule with the usual settings; the methods change one each.
pub(crate) const fn token(
    id: &'static str,
    starts: &'static [&'static str],
    tail: &'static [Part],
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

    /// Tries the rule where `keyword` was found at `at`.
    pub(crate) fn find(&self, bytes: &[u8], floor: usize, at: usize, keyword: &str) -> Outcome {
        let Some(start) = self.start(bytes, floor, at) else { return Outcome::No };
        let body = at + keyword.len();
        let mut last = None;
        let Some(end) = follow(bytes, body, self.tail, &mut last) else { return Outcome::No };
        // A longer run than the rule allows is another kind of string.
        if let (Some(class), Some(next)) = (last, bytes.get(end))
            && (class.has(*next) || ALNUM.has(*next) || *next == b'_')
            && !bytes[end..].starts_with(b"-----")
        {
            return Outcome::No;
        }
        let secret = if self.before.is_some() { start } else { body };
        let value = &bytes[secret..end];
        let separated = value.iter().any(|b| matches!(b, b'-' | b'_' | b'.'));
        if entropy(value) < self.min_entropy || (separated && is_prose(value)) {
            // Stepping over the whole value keeps `xoxb-xoxb-xoxb-…` linear.
            return Outcome::Skip(end);
        }
        let start = if self.keeps_start { body } else { start };
        Outcome::Found(Hit { start, end, rule: self.id })
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
        let glued = self.lone && start > floor && matches!(bytes[start - 1], b'-' | b'_' | b'.');
        (!glued && starts_word(bytes, floor, start)).then_some(start)
    }
}

/// Follows the parts from `at`; `last` receives the class of the final run.
fn follow(bytes: &[u8], mut at: usize, parts: &[Part], last: &mut Option<Class>) -> Option<usize> {
    for part in parts {
        match *part {
            Part::Run(class, min, _) | Part::Open(class, min) => {
                let most =
                    if let Part::Run(_, _, max) = *part { usize::from(max) } else { usize::MAX };
                let run = class.run(bytes, at, most);
                if run < usize::from(min) {
                    return None;
                }
                at += run;
                *last = Some(class);
            }
            Part::Lit(literal) => {
                if !bytes[at..].starts_with(literal.as_bytes()) {
                    return None;
                }
                at += literal.len();
                *last = None;
            }
            Part::Maybe(inner) => {
                let mut inner_last = *last;
                if let Some(end) = follow(bytes, at, inner, &mut inner_last) {
                    at = end;
                    *last = inner_last;
                }
            }
        }
    }
    Some(at)
}
