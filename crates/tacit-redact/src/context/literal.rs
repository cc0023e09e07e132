//! The value behind a name: where it starts, where it ends, how it is written.

use crate::bytes::{BLANK, Class};
use crate::value::Form;

/// A value in the text.
pub(super) struct Literal {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) form: Form,
}

/// Ends of a bare value in code and prose.
const STOPS: Class = Class::new(" \t\n\r\x0b\x0c\x00\"'`,;&()[]{}<>|\\");
/// A longer string is a text, not a credential.
const LONGEST_QUOTED: usize = 4096;

/// Reads the value at `at`. `env` tells that a bare value runs to the next blank.
pub(super) fn read(bytes: &[u8], at: usize, env: bool) -> Option<Literal> {
    if let Some(quote) = Quote::at(bytes, skip_wrapper(bytes, at)) {
        let end = quote
            .close(bytes)
            .unwrap_or_else(|| quote.inner + env_run(bytes, quote.inner, usize::MAX));
        return Some(Literal { start: quote.inner, end, form: Form::Quoted });
    }
    if env {
        let end = at + env_run(bytes, at, usize::MAX);
        return (end > at).then_some(Literal { start: at, end, form: Form::Env });
    }
    let mut end = at + bytes[at..].iter().take_while(|b| !STOPS.has(**b)).count();
    // `f(x)`, `map[x]`, `Vec<T>`, `a->b`: an expression.
    if matches!(bytes.get(end), Some(b'(' | b'[' | b'{' | b'<')) || bytes[at..end].ends_with(b"-") {
        return None;
    }
    while end > at && matches!(bytes[end - 1], b'.' | b':' | b'!' | b'?') {
        end -= 1;
    }
    (end > at && !bytes[at..end].windows(2).any(|w| w == b"::")).then_some(Literal {
        start: at,
        end,
        form: Form::Bare,
    })
}

/// Returns the value behind a type: `token: &str = "…"`, `var token string = "…"`.
pub(super) fn behind_type(bytes: &[u8], at: usize) -> Option<usize> {
    const TYPE: Class = Class::new(" *&'<>:,.|?0-9A-Za-z_[]");
    let equals = at + TYPE.run(bytes, at, 64);
    if bytes.get(equals) != Some(&b'=')
        || crate::bytes::find_folded(&bytes[at..equals], b"[redacted:").is_some()
    {
        return None;
    }
    let value = equals + 1 + BLANK.run(bytes, equals + 1, 16);
    Quote::at(bytes, skip_wrapper(bytes, value)).map(|_| value)
}

/// An opening quote, possibly escaped once or more: `\"` inside JSON inside JSON.
struct Quote {
    mark: u8,
    escapes: usize,
    inner: usize,
}

impl Quote {
    fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let escapes = Class::new("\\").run(bytes, at, 16);
        let mark = *bytes.get(at + escapes)?;
        if !matches!(mark, b'"' | b'\'' | b'`') {
            return None;
        }
        let mut inner = at + escapes + 1;
        if escapes == 0 && bytes[inner..].starts_with(&[mark, mark]) {
            inner += 2;
        }
        Some(Self { mark, escapes, inner })
    }

    fn close(&self, bytes: &[u8]) -> Option<usize> {
        let mut escapes = 0;
        for (offset, byte) in bytes[self.inner..].iter().take(LONGEST_QUOTED).enumerate() {
            match byte {
                b'\n' | b'\r' => return None,
                b'\\' => escapes += 1,
                byte if *byte == self.mark
                    && (escapes == self.escapes || (self.escapes == 0 && escapes % 2 == 0)) =>
                {
                    return Some(self.inner + offset - escapes.min(self.escapes));
                }
                _ => escapes = 0,
            }
        }
        None
    }
}

/// Steps over what makes a string of a literal: `b"…"`, `String::from("…")`.
fn skip_wrapper(bytes: &[u8], at: usize) -> usize {
    let name = Class::new("0-9A-Za-z_:.&@").run(bytes, at, 32);
    let call = at + name;
    match bytes.get(call) {
        Some(b'(') => {
            let known = ["from", "new", "Some", "String", "str", "bytes", "SecretString"];
            let ends = known.iter().any(|word| bytes[at..call].ends_with(word.as_bytes()));
            if ends { call + 1 } else { at }
        }
        Some(b'"' | b'\'' | b'`') if name <= 2 => call,
        _ => at,
    }
}

/// Length of a value in the shell's sense: to a blank, a quote or an escaped line end.
pub(super) fn env_run(bytes: &[u8], at: usize, limit: usize) -> usize {
    let text = &bytes[at..];
    text.iter()
        .enumerate()
        .take(limit)
        .take_while(|(i, b)| match b {
            b'\\' => !matches!(text.get(i + 1), Some(b'n' | b'r' | b't' | b'"' | b'\'' | b'\\')),
            b'"' | b'\'' | b'`' | b';' => false,
            byte => !byte.is_ascii_whitespace() && !byte.is_ascii_control(),
        })
        .count()
}
