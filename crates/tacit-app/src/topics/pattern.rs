//! The pattern language of hot topics, and its matcher.
//!
//! Patterns are a subset of regular expressions, so that people can read them and other tools can
//! use them: literal text, `\w`, `\w+`, `\s`, `\s+`, a backslash before punctuation, and `|`
//! between whole alternatives. A pattern with anything else matches nothing. Nothing is compiled or
//! allocated: an alternative becomes a few atoms on the stack, and the set of reached atoms is one
//! machine word, so the search takes one step per byte for any pattern.

/// The most atoms of an alternative: the number of bits in a word.
const MAX_ATOMS: usize = 64;

#[derive(Clone, Copy)]
enum Atom {
    Byte(u8),
    Word,
    Space,
}

/// The way a pattern is matched.
#[derive(Clone, Copy)]
pub(super) enum MatchMode {
    /// From the beginning of a word, case-sensitive.
    Prefix,
    /// Like `Prefix`, but in any case.
    PrefixAnyCase,
    /// From the beginning to the end of a word. The end of the text counts as white space, so that
    /// `deploy\s` matches the command `deploy` without arguments.
    Words,
}

/// Returns true if a pattern occurs in a text.
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

/// Converts literal text to a pattern; any white space matches any other.
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

/// Splits a pattern at every `|` without a backslash before it.
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
    atoms: [Atom; MAX_ATOMS],
    count: usize,
    /// A bit for each atom that may repeat.
    repeated: u64,
}

impl Atoms {
    fn read(alternative: &str, mode: MatchMode) -> Option<Atoms> {
        let mut read = Atoms { atoms: [Atom::Space; MAX_ATOMS], count: 0, repeated: 0 };
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
            // Almost no byte of a command starts a match: skip to the next one that can.
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
            if self.count < MAX_ATOMS {
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

/// Returns true for word characters; non-ASCII bytes count as letters.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patterns_match_whole_words() {
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
    fn unsupported_patterns_never_match() {
        for pattern in
            ["", "|", "a|", "a.*", "(a)", "[a]", "a+", "^a", "a$", r"a\", r"\d+", r"\bx", "a{2}"]
        {
            assert!(
                !occurs(pattern, "a aa 1 x a.* (a) [a] a+ ^a a$", MatchMode::Words),
                "{pattern}"
            );
        }
        // One unsupported alternative invalidates the whole pattern.
        assert!(!occurs("a|.*", "a", MatchMode::Words));
        assert!(!occurs(&"a".repeat(65), &"a".repeat(65), MatchMode::Words));
        assert!(occurs(&"a".repeat(64), &"a".repeat(64), MatchMode::Words));
    }

    proptest! {
        #[test]
        fn any_pattern_is_accepted(pattern in r"([a-c|+ .é]|\\.){0,90}", text in "[a-c é|]{0,40}") {
            for mode in [MatchMode::Prefix, MatchMode::PrefixAnyCase, MatchMode::Words] {
                occurs(&pattern, &text, mode);
            }
        }

        #[test]
        fn escaped_text_matches_itself(text in r"[!-~é]{1,20}( [!-~é]{1,20}){0,2}") {
            prop_assume!(escape(&text).len() < MAX_ATOMS);
            let spaced = format!("x; {} y", text.replace(' ', "  \t"));
            prop_assert!(occurs(&escape(&text), &spaced, MatchMode::Words), "{}", escape(&text));
        }
    }
}
