//! The small dialect in which hot topics are written, and how it is searched for.
//!
//! Patterns are regular-expression text, so that people can read them and other tools use them,
//! but only this much of it is understood: literal text, `\w`, `\w+`, `\s`, `\s+`, a backslash
//! before punctuation, and `|` between whole alternatives. A pattern with anything else matches
//! nothing. Nothing is compiled or allocated: an alternative becomes a few atoms on the stack, and
//! the set of atoms that the text has reached is one machine word, so a search takes one step a
//! byte whatever the pattern.

/// An alternative has no more atoms than there are bits in a word.
const MOST_ATOMS: usize = 64;

#[derive(Clone, Copy)]
enum Atom {
    Byte(u8),
    Word,
    Space,
}

/// How a pattern is looked for.
#[derive(Clone, Copy)]
pub(super) enum MatchMode {
    /// From the beginning of a word, as it is written.
    Prefix,
    /// As `Prefix`, whatever the case of its letters.
    PrefixAnyCase,
    /// From the beginning to the end of a word. The end of the text counts as white space, so that
    /// `deploy\s` finds the command `deploy` that has no arguments.
    Words,
}

/// Whether a pattern occurs in a text.
pub(super) fn occurs(pattern: &str, text: &str, mode: MatchMode) -> bool {
    let mut found = false;
    for alternative in (Alternatives { rest: Some(pattern) }) {
        let Some(atoms) = Atoms::read(alternative, mode) else {
            return false;
        };
        found = found || atoms.occur(text.as_bytes(), mode);
    }
    found
}

/// Literal text as a pattern: every run of white space matches any other.
pub(super) fn escape(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len() + 8);
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            pattern.push_str("\\s+");
        }
        for character in word.chars() {
            if is_special(character) {
                pattern.push('\\');
            }
            pattern.push(character);
        }
    }
    pattern
}

fn is_special(character: char) -> bool {
    matches!(
        character,
        '\\' | '.' | '+' | '*' | '?' | '(' | ')' | '|' | '[' | ']' | '{' | '}' | '^' | '$'
    )
}

/// A pattern at its `|`, but not at those behind a backslash.
struct Alternatives<'a> {
    rest: Option<&'a str>,
}

impl<'a> Iterator for Alternatives<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let text = self.rest.take()?;
        let mut escaped = false;
        for (at, byte) in text.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'|' => {
                    self.rest = Some(&text[at + 1..]);
                    return Some(&text[..at]);
                }
                _ => {}
            }
        }
        Some(text)
    }
}

struct Atoms {
    atoms: [Atom; MOST_ATOMS],
    count: usize,
    /// The atoms that may match again what they have matched.
    repeated: u64,
}

impl Atoms {
    fn read(alternative: &str, mode: MatchMode) -> Option<Atoms> {
        let mut read = Atoms { atoms: [Atom::Space; MOST_ATOMS], count: 0, repeated: 0 };
        let mut bytes = alternative.bytes().peekable();
        while let Some(byte) = bytes.next() {
            let atom = match byte {
                b'\\' => match bytes.next()? {
                    b'w' => Atom::Word,
                    b's' => Atom::Space,
                    escaped if escaped.is_ascii_punctuation() => Atom::Byte(escaped),
                    _ => return None,
                },
                byte if is_special(char::from(byte)) => return None,
                byte if matches!(mode, MatchMode::PrefixAnyCase) => {
                    Atom::Byte(byte.to_ascii_lowercase())
                }
                byte => Atom::Byte(byte),
            };
            *read.atoms.get_mut(read.count)? = atom;
            if !matches!(atom, Atom::Byte(_)) && bytes.next_if_eq(&b'+').is_some() {
                read.repeated |= 1 << read.count;
            }
            read.count += 1;
        }
        (read.count > 0).then_some(read)
    }

    fn occur(&self, text: &[u8], mode: MatchMode) -> bool {
        let last = 1_u64 << (self.count - 1);
        let whole = matches!(mode, MatchMode::Words);
        let fold = matches!(mode, MatchMode::PrefixAnyCase);
        let mut reached = 0_u64;
        let mut before = b' ';
        let mut at = 0;
        while at < text.len() + usize::from(whole) {
            // Nearly every byte of a command begins nothing: step over them at once.
            if reached == 0
                && let Atom::Byte(first) = self.atoms[0]
            {
                let is_first =
                    |byte: &u8| *byte == first || (fold && byte.eq_ignore_ascii_case(&first));
                let Some(skipped) = text.get(at..).and_then(|rest| rest.iter().position(is_first))
                else {
                    return false;
                };
                if skipped > 0 {
                    at += skipped;
                    before = text[at - 1];
                }
            }
            let byte = text.get(at).copied().unwrap_or(b'\n');
            let begins = !(is_word(byte) && is_word(before));
            before = byte;
            let mut open = (reached << 1) | (reached & self.repeated) | u64::from(begins);
            if self.count < MOST_ATOMS {
                open &= (last << 1) - 1;
            }
            reached = 0;
            while open != 0 {
                let index = open.trailing_zeros() as usize;
                open &= open - 1;
                let fits = match self.atoms[index] {
                    Atom::Byte(wanted) if fold => byte.to_ascii_lowercase() == wanted,
                    Atom::Byte(wanted) => byte == wanted,
                    Atom::Word => is_word(byte),
                    Atom::Space => byte.is_ascii_whitespace(),
                };
                reached |= u64::from(fits) << index;
            }
            let ends = !whole || !is_word(byte) || !text.get(at + 1).copied().is_some_and(is_word);
            if reached & last != 0 && ends {
                return true;
            }
            at += 1;
        }
        false
    }
}

/// Bytes of characters beyond ASCII count as letters.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_understood() {
        let cases = [
            (r"wt-\w+", "cd x && wt-new foo", true),
            (r"wt-\w+", "bin/wt-new", true),
            (r"wt-\w+", "wt-", false),
            (r"wt-\w+", "swt-new", false),
            (r"openspec\s", "openspec list", true),
            (r"openspec\s", "openspec", true),
            (r"openspec\s", "cat openspec/config", false),
            ("cargo", "cargo build", true),
            ("cargo", "cargoship", false),
            ("cargo", "my cargo", true),
            (r"make\s+db-reset", "make \t db-reset", true),
            (r"make\s+db-reset", "make db-resets", false),
            (r"deploy\.sh", "./scripts/deploy.sh prod", true),
            (r"deploy\.sh", "./scripts/deployXsh", false),
            (r"npm\s+run\s+x|yarn\s+x", "yarn x", true),
            (r"a\|b", "a|b", true),
            (r"a\|b", "a", false),
            (r"\w+\s\w+b", "aa aab", true),
            (r"é\w+", "été", true),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(occurs(pattern, text, MatchMode::Words), expected, "{pattern} in {text}");
        }
    }

    #[test]
    fn what_is_not_understood_never_matches() {
        for pattern in
            ["", "|", "a|", "a.*", "(a)", "[a]", "a+", "^a", "a$", r"a\", r"\d+", r"\bx", "a{2}"]
        {
            assert!(
                !occurs(pattern, "a aa 1 x a.* (a) [a] a+ ^a a$", MatchMode::Words),
                "{pattern}"
            );
        }
        // One alternative that is not understood spoils the others.
        assert!(!occurs("a|.*", "a", MatchMode::Words));
        assert!(!occurs(&"a".repeat(65), &"a".repeat(65), MatchMode::Words));
        assert!(occurs(&"a".repeat(64), &"a".repeat(64), MatchMode::Words));
    }

    proptest! {
        #[test]
        fn no_pattern_is_too_strange(pattern in r"([a-c|+ .é]|\\.){0,90}", text in "[a-c é|]{0,40}") {
            for mode in [MatchMode::Prefix, MatchMode::PrefixAnyCase, MatchMode::Words] {
                occurs(&pattern, &text, mode);
            }
        }

        #[test]
        fn what_is_written_is_found(text in r"[!-~é]{1,20}( [!-~é]{1,20}){0,2}") {
            prop_assume!(escape(&text).len() < MOST_ATOMS);
            let spaced = format!("x; {} y", text.replace(' ', "  \t"));
            prop_assert!(occurs(&escape(&text), &spaced, MatchMode::Words), "{}", escape(&text));
        }
    }
}
