//! The specific names in an error: identifiers, options, paths, codes and quoted words.
//!
//! Ordinary words do not count: almost every failure shares some with almost every memory.

/// The minimum length of a specific name, in bytes.
const MIN_NAME: usize = 4;
/// The minimum length of a quoted name, in bytes.
const MIN_QUOTED: usize = 3;
/// The minimum length of a word in capitals that is a code, in bytes.
const MIN_CAPITALS: usize = 5;
/// The number of digits of a number that names something, such as a port, a status or an exit code.
const DIGITS: std::ops::RangeInclusive<usize> = 3..=6;

/// Names that are part of many errors.
const GENERIC: [&str; 24] = [
    "ERROR",
    "FAILED",
    "FAILURE",
    "FATAL",
    "WARNING",
    "PASSED",
    "FAIL:",
    "AssertionError",
    "AttributeError",
    "Exception",
    "ImportError",
    "IndexError",
    "KeyError",
    "ModuleNotFoundError",
    "NameError",
    "NullPointerException",
    "ReferenceError",
    "RuntimeError",
    "SyntaxError",
    "TypeError",
    "ValueError",
    "node_modules",
    "site-packages",
    "main.py",
];

/// The first lines of an error say what it is; names in the others may be there by chance.
const TELLING_LINES: usize = 2;

/// The specific names of an error.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ErrorNames<'t> {
    /// Identifiers, codes and options in the first lines.
    strong: Vec<&'t str>,
    /// Paths, numbers, quoted words, and all names in later lines.
    weak: Vec<&'t str>,
}

/// The number of different names of an error that a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SharedNames {
    pub(super) strong: usize,
    pub(super) weak: usize,
}

impl<'t> ErrorNames<'t> {
    /// Finds the names in the lines of an error.
    pub(super) fn of(lines: &'t str) -> ErrorNames<'t> {
        let (mut strong, mut weak) = (Vec::new(), Vec::new());
        for (at, line) in lines.lines().enumerate() {
            for word in words(line).filter(|word| !GENERIC.contains(word)) {
                match specificity(word) {
                    Some(Specificity::Strong) if at < TELLING_LINES => strong.push(word),
                    Some(_) => weak.push(word),
                    None => {}
                }
            }
            weak.extend(quoted(line).filter(|word| !strong.contains(word)));
        }
        for names in [&mut strong, &mut weak] {
            names.sort_unstable();
            names.dedup();
        }
        ErrorNames { strong, weak }
    }

    /// Counts the names that a text has, too.
    pub(super) fn shared_with(&self, text: &str) -> SharedNames {
        let known: Vec<&str> = words(text).collect();
        let count = |names: &[&str]| names.iter().filter(|name| known.contains(name)).count();
        SharedNames { strong: count(&self.strong), weak: count(&self.weak) }
    }
}

/// Splits a text into words, each a name, an option, a path or a code, without the line and column
/// after a path.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | ':' | '@');
    text.split(move |c: char| !is_part(c))
        .map(|word| word.trim_end_matches(['.', ':', '-', '/']).trim_start_matches([':', '.']))
        .map(|word| match word.split_once(':') {
            Some((path, place)) if path.contains(char::is_alphabetic) && is_place(place) => path,
            _ => word,
        })
        .filter(|word| !word.is_empty())
}

/// Returns true for a line and a column.
fn is_place(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
}

/// Returns the single words in quotation marks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    ['\'', '"', '`'].into_iter().flat_map(move |mark| {
        text.lines().flat_map(move |line| line.split(mark).skip(1).step_by(2)).filter(|inside| {
            let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
            inside.len() >= MIN_QUOTED
                && inside.chars().all(is_word)
                && inside.contains(char::is_alphabetic)
        })
    })
}

/// The specificity of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Specificity {
    /// The name of one thing: an identifier, an option or a code.
    Strong,
    /// A name that may also be there by chance: a path, a number, a compound.
    Weak,
}

/// Returns how specific a word is; `None` for ordinary words.
fn specificity(word: &str) -> Option<Specificity> {
    let inner = word.trim_start_matches('-');
    let has = |is_such: fn(char) -> bool| inner.contains(is_such);
    let is_capitals = inner.len() >= MIN_CAPITALS && inner.chars().all(|c| c.is_ascii_uppercase());
    let is_number = DIGITS.contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_digit());
    if is_capitals {
        return Some(Specificity::Strong);
    }
    if is_number {
        return Some(Specificity::Weak);
    }
    if inner.len() < MIN_NAME {
        return None;
    }
    let is_address = inner.contains([':', '.']) && has(char::is_numeric);
    if inner.contains(['/', '.', ':', '@']) {
        return (has(char::is_alphabetic) || is_address).then_some(Specificity::Weak);
    }
    if !has(char::is_alphabetic) {
        return None;
    }
    let is_option = word != inner;
    let has_case = inner.chars().skip(1).any(char::is_uppercase) && has(char::is_lowercase);
    let is_code = inner.starts_with(char::is_alphabetic) && has(char::is_numeric);
    if is_option || has_case || is_code || inner.contains('_') {
        return Some(Specificity::Strong);
    }
    let is_compound = inner.matches('-').count() > 1;
    (is_compound || has(char::is_numeric)).then_some(Specificity::Weak)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_and_codes_are_stronger_names_than_paths_and_numbers() {
        type Case<'t> = (&'t str, &'t [&'t str], &'t [&'t str]);
        let cases: [Case<'_>; 10] = [
            ("Error: connect ECONNREFUSED 127.0.0.1:5433", &["ECONNREFUSED"], &["127.0.0.1:5433"]),
            ("error[E0308]: mismatched types", &["E0308"], &[]),
            ("ModuleNotFoundError: No module named 'yaml'", &[], &["yaml"]),
            ("Exit code 137", &[], &["137"]),
            ("TypeError: x is not a function", &[], &[]),
            ("FAILED: tests failed in the database", &[], &[]),
            ("unknown option --frobnicate", &["--frobnicate"], &[]),
            ("src/client.ts:10:5 no such export", &[], &["src/client.ts"]),
            ("3:1 error no-floating-promises", &[], &["no-floating-promises"]),
            ("a\nb\nfx.Latest: ErrStaleRate", &[], &["ErrStaleRate", "fx.Latest"]),
        ];
        for (lines, strong, weak) in cases {
            let names = ErrorNames::of(lines);
            assert_eq!((names.strong.as_slice(), names.weak.as_slice()), (strong, weak), "{lines}");
        }
    }

    #[test]
    fn names_are_shared_whole() {
        let names = ErrorNames::of("orders.proto:14:3: too_many_pings");
        let shared = |text: &str| {
            let SharedNames { strong, weak } = names.shared_with(text);
            (strong, weak)
        };
        assert_eq!(shared("Unknown field in `orders.proto`"), (0, 1));
        assert_eq!(shared("`too_many_pings`: raise the keepalive"), (1, 0));
        assert_eq!(shared("many pings"), (0, 0));
    }
}
