//! Replaces the parts of a line that differ each time: names, numbers, paths and times become
//! placeholders.

use std::borrow::Cow;

use super::words::{placeholder, plain_name};

const MAX_QUOTE: usize = 240;

/// Nouns before a quoted name that make the name significant: two missing modules are two failures,
/// two unused variables are one.
const KEPT_NAME_NOUNS: [&str; 26] = [
    "argument",
    "attribute",
    "class",
    "column",
    "command",
    "constraint",
    "crate",
    "database",
    "dependency",
    "extension",
    "feature",
    "field",
    "fixture",
    "flag",
    "lint",
    "module",
    "option",
    "package",
    "plugin",
    "relation",
    "role",
    "script",
    "service",
    "subcommand",
    "table",
    "target",
];

/// Ends of text before a quoted name that say that the name is missing, in lower case.
const MISSING_BEFORE_NAME: [&str; 31] = [
    "constant ",
    "definition for ",
    "field named ",
    "find function ",
    "find macro ",
    "find method ",
    "find name ",
    "find symbol ",
    "find trait ",
    "find type ",
    "find value ",
    "function named ",
    "import name ",
    "linter: ",
    "linters: ",
    "member named ",
    "method named ",
    "module named ",
    "no field ",
    "no member ",
    "no method ",
    "property ",
    "reference to ",
    "reference: ",
    "undeclared identifier ",
    "undefined function ",
    "undefined method ",
    "undefined variable ",
    "unresolved import ",
    "unresolved reference ",
    "variable or method ",
];

/// Text behind a quoted name that says that the name is missing.
const MISSING_AFTER_NAME: [&str; 8] = [
    " could not be found",
    " does not exist in the current context",
    " has no attribute",
    " is not defined",
    " is not recognized",
    " object has no attribute",
    " undeclared",
    " was not declared",
];

/// Words before a plain name that is missing.
const KEPT_NAME_WORDS: [&str; 9] =
    ["command", "flag", "module", "named", "option", "package", "symbol", "undefined", "value"];

/// Quoted words that belong to a language and not to a program.
const KEPT_QUOTES: [&str; 44] = [
    "&str",
    "()",
    "Err",
    "None",
    "NoneType",
    "Ok",
    "Option",
    "Option::unwrap()",
    "Result",
    "Result::unwrap()",
    "Some",
    "String",
    "any",
    "bool",
    "boolean",
    "bytes",
    "char",
    "dict",
    "f32",
    "f64",
    "float",
    "function",
    "i32",
    "i64",
    "int",
    "list",
    "main",
    "never",
    "null",
    "number",
    "object",
    "self",
    "set",
    "str",
    "string",
    "symbol",
    "tuple",
    "u32",
    "u64",
    "u8",
    "undefined",
    "unknown",
    "usize",
    "void",
];

/// Words before a number that make the number significant.
const NUMBERED: [&str; 10] =
    ["code", "errno", "error", "http", "http/1.1", "signal", "sqlstate", "state", "status", "rc"];

/// Phrases that follow a variable name.
const PHRASES_AFTER_NAME: [&str; 6] = [
    " is not a function",
    " is not iterable",
    " is not a constructor",
    " declared and not used",
    " redeclared in this block",
    " declared but not used",
];

/// The phrase that precedes the name of an unused variable.
const UNUSED: &str = "declared and not used: ";

/// Prefixes that say where and when, or name the shell.
const LOCATION_PREFIXES: [&str; 15] = [
    "<path>",
    "<url>",
    "<n>:<n>",
    "<time>",
    "<n> ",
    "<n>: ",
    ": ",
    "- ",
    "bash: ",
    "zsh: ",
    "sh: ",
    "line <n>: ",
    "(eval):<n>: ",
    "make: *** ",
    "make[<n>]: *** ",
];

/// Removes terminal escape sequences.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\u{9b}']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => skip_until(&mut chars, |c| ('@'..='~').contains(&c)),
                Some(']') => skip_until(&mut chars, |c| c == '\u{7}' || c == '\\' || c == '\n'),
                _ => {}
            },
            '\u{9b}' => skip_until(&mut chars, |c| ('@'..='~').contains(&c)),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn skip_until(chars: &mut impl Iterator<Item = char>, ends: impl Fn(char) -> bool) {
    for c in chars.by_ref() {
        if ends(c) {
            break;
        }
    }
}

/// Replaces variable parts of a line by placeholders and removes its location prefix.
pub(super) fn normalise(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    write_normalised(strip_labels(line), &mut out, true);
    for (from, to) in
        [("<path>(<n>,<n>)", "<path>"), ("<path>:[<n>,<n>]", "<path>"), ("<path>:", "<path> ")]
    {
        if out.contains(from) {
            out = out.replace(from, to);
        }
    }
    let text = out.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = text.trim_start();
    while let Some(behind) = LOCATION_PREFIXES.iter().find_map(|place| rest.strip_prefix(place)) {
        rest = behind.trim_start();
    }
    // A linker prints an offset in a section as the location; python prints its own path or the
    // class of the exception.
    for phrase in ["undefined reference to", "No module named"] {
        rest = rest.find(phrase).map_or(rest, |at| &rest[at..]);
    }
    let rest = rest.trim_end_matches(['.', ',', ';', ':', '…', '!', ' ']);
    let rest = names_in_phrases(&missing_command(rest));
    // A line that holds only a location names no error.
    if is_empty(&rest) { String::new() } else { fold_repeats(&rest) }
}

/// Removes prefixes that name the tool.
fn strip_labels(line: &str) -> &str {
    let mut line = line.trim();
    if let Some(thread) = line.strip_prefix("Exception in thread \"")
        && let Some((_, exception)) = thread.split_once("\" ")
    {
        line = exception;
    }
    while let Some(rest) =
        ["npm ERR! ", "npm error ", "[ERROR] ", "E   ", "│ ", "✗ ", "✘ ", "✖ ", "× ", "> "]
            .iter()
            .find_map(|label| line.strip_prefix(label))
    {
        line = rest.trim_start();
    }
    line
}

/// Unifies the forms in which shells report a missing command.
fn missing_command(text: &str) -> Cow<'_, str> {
    let name =
        text.strip_prefix("command not found: ").or_else(|| text.strip_suffix(": not found"));
    match name {
        Some(name) if !name.contains(' ') => Cow::Owned(format!("{name}: command not found")),
        _ => Cow::Borrowed(text),
    }
}

fn is_empty(text: &str) -> bool {
    let mut in_placeholder = false;
    !text.chars().any(|c| {
        in_placeholder = (in_placeholder || c == '<') && c != '>';
        !in_placeholder && c.is_alphanumeric()
    })
}

fn names_in_phrases(text: &str) -> String {
    let mut text = text.to_owned();
    for phrase in PHRASES_AFTER_NAME {
        if let Some(at) = text.find(phrase) {
            let start = text[..at].rfind(' ').map_or(0, |space| space + 1);
            text.replace_range(start..at, "<name>");
        }
    }
    if let Some(at) = text.find(UNUSED) {
        let start = at + UNUSED.len();
        let end = text[start..].find(' ').map_or(text.len(), |space| start + space);
        text.replace_range(start..end, "<name>");
    }
    text
}

/// Folds `<n>, <n>, <n>` into `<n>`, so that lists of any length are equal.
fn fold_repeats(text: &str) -> String {
    let mut text = text.to_owned();
    for placeholder in ["<n>", "<name>", "<path>", "<hex>"] {
        if text.matches(placeholder).nth(1).is_none() {
            continue;
        }
        for between in [", ", ",", " ", ":", "/"] {
            let twice = format!("{placeholder}{between}{placeholder}");
            while text.contains(&twice) {
                text = text.replace(&twice, placeholder);
            }
        }
    }
    text
}

fn write_normalised(text: &str, out: &mut String, quotes: bool) {
    let mut rest = text;
    let mut before = String::new();
    let mut last = ' ';
    while let Some(c) = rest.chars().next() {
        if quotes && let Some((inside, length)) = quoted(rest, last) {
            write_quoted(inside, &before, &rest[length..], out);
            before.clear();
            rest = &rest[length..];
            last = '"';
            continue;
        }
        if is_delimiter(c) {
            out.push(c);
            last = c;
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let end = rest.find(|c: char| is_delimiter(c) || is_quote(c)).unwrap_or(rest.len());
        // An apostrophe inside a word belongs to it.
        let end = end.max(c.len_utf8());
        let end = if rest[..end].contains("://") { url_end(rest) } else { end };
        let whole = &rest[..end];
        let word = whole.trim_end_matches(['.', ':', '!', '?']);
        let is_kept = NUMBERED.contains(&before.as_str())
            && word.len() <= 5
            && word.bytes().all(|byte| byte.is_ascii_digit());
        let is_named = KEPT_NAME_WORDS.contains(&before.as_str())
            && word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '-' | '@' | '_'));
        match placeholder(word) {
            _ if is_named => write_name(word, out),
            Some(placeholder) if !is_kept => out.push_str(placeholder),
            _ if is_kept => out.push_str(word),
            _ => plain_name(word, out),
        }
        out.push_str(&whole[word.len()..]);
        before.clear();
        before.extend(word.chars().flat_map(char::to_lowercase));
        last = whole.chars().next_back().unwrap_or(' ');
        rest = &rest[end..];
    }
}

/// Returns the end of a URL, which may contain characters that end other words.
fn url_end(text: &str) -> usize {
    text.find(|c: char| c.is_whitespace() || is_quote(c) || matches!(c, ')' | ']' | '>' | '|'))
        .unwrap_or(text.len())
}

fn is_delimiter(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '=' | '<' | '>' | '|')
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '`' | '‘' | '“' | '«')
}

/// Returns the text between leading quotes and the length including them.
fn quoted(text: &str, last: char) -> Option<(&str, usize)> {
    let open = text.chars().next().filter(|&c| is_quote(c))?;
    if open == '\'' && last.is_alphanumeric() {
        return None;
    }
    let closes: &[char] = match open {
        '`' => &['`', '\''],
        '‘' => &['’'],
        '“' => &['”'],
        '«' => &['»'],
        '"' => &['"'],
        _ => &['\''],
    };
    let start = open.len_utf8();
    let (end, close) = text[start..].char_indices().find(|&(at, c)| {
        // A quote followed by a letter is an apostrophe.
        let next = text[start + at + c.len_utf8()..].chars().next();
        closes.contains(&c) && (c != '\'' || !next.is_some_and(char::is_alphanumeric))
    })?;
    (end <= MAX_QUOTE).then(|| (&text[start..start + end], start + end + close.len_utf8()))
}

fn write_quoted(inside: &str, before: &str, behind: &str, out: &mut String) {
    let inside = inside.trim();
    if KEPT_QUOTES.contains(&inside) {
        out.push_str(inside);
    } else if inside.split_whitespace().count() > 3 {
        // A quoted sentence is a message, not a name.
        write_normalised(inside, out, false);
    } else if is_missing(before, behind, out) {
        write_name(inside, out);
    } else {
        out.push_str(
            placeholder(inside)
                .filter(|kind| matches!(*kind, "<path>" | "<url>"))
                .unwrap_or("<name>"),
        );
    }
}

/// Returns true if the text around a quoted name says that the name is missing or unknown.
fn is_missing(before: &str, behind: &str, out: &str) -> bool {
    let ends_with = |end: &&str| {
        let at = out.len().checked_sub(end.len());
        at.and_then(|at| out.get(at..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    KEPT_NAME_NOUNS.contains(&before)
        || MISSING_BEFORE_NAME.iter().any(ends_with)
        || MISSING_AFTER_NAME.iter().any(|start| behind.starts_with(start))
}

/// Writes a name that distinguishes failures as it is, unless it is a file.
fn write_name(name: &str, out: &mut String) {
    let is_file = name.starts_with(['.', '/', '~']) || name.contains("://") || name.contains('\\');
    match placeholder(name).filter(|_| is_file) {
        Some(placeholder) => out.push_str(placeholder),
        None => out.push_str(name),
    }
}
