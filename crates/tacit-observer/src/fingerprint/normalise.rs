//! A line without what differs each time: names, numbers, places and moments become placeholders.

use std::borrow::Cow;

use super::words::{placeholder, plain_name};

const MAX_QUOTE: usize = 240;

/// Words before a quoted name that make the name part of what failed: two missing modules are two
/// failures, two undefined variables are one.
const KEPT_NAME_NOUNS: [&str; 21] = [
    "column",
    "command",
    "constraint",
    "crate",
    "database",
    "dependency",
    "extension",
    "feature",
    "field",
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

/// Words before a number that make it part of what failed.
const NUMBERED: [&str; 10] =
    ["code", "errno", "error", "http", "http/1.1", "signal", "sqlstate", "state", "status", "rc"];

/// What stands behind the name of something that differs.
const PHRASES_AFTER_NAME: [&str; 8] = [
    " is not defined",
    " is not a function",
    " is not iterable",
    " is not a constructor",
    " declared and not used",
    " redeclared in this block",
    " is undefined",
    " declared but not used",
];

/// What stands before it.
const PHRASES_BEFORE_NAME: [&str; 6] = [
    "undefined: ",
    "declared and not used: ",
    "symbol: variable ",
    "symbol: class ",
    "symbol: method ",
    "undefined variable: ",
];

/// What lines begin with to say where and when, and the shell that says it.
const LOCATION_PREFIXES: [&str; 14] = [
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
    "make: *** ",
    "make[<n>]: *** ",
];

/// A text without the sequences that colour it.
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

/// A line with placeholders, without the place it begins with.
pub(super) fn normalise(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    write(strip_labels(line), &mut out, true);
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
    // A linker's place is an offset in a section.
    rest = rest.find("undefined reference to").map_or(rest, |at| &rest[at..]);
    let rest = rest.trim_end_matches(['.', ',', ';', ':', '…', '!', ' ']);
    let rest = names_in_phrases(&missing_command(rest));
    // Who says only where it happened has said nothing.
    if is_empty(&rest) { String::new() } else { fold_repeats(&rest) }
}

/// Prefixes that tell who speaks and not what is said.
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

/// Shells say in different ways that there is no such command.
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
    for phrase in PHRASES_BEFORE_NAME {
        if let Some(at) = text.find(phrase) {
            let start = at + phrase.len();
            let end = text[start..].find(' ').map_or(text.len(), |space| start + space);
            text.replace_range(start..end, "<name>");
        }
    }
    text
}

/// `<n>, <n>, <n>` says no more than `<n>`: lists of any length are alike.
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

fn write(text: &str, out: &mut String, quotes: bool) {
    let mut rest = text;
    let mut before = String::new();
    let mut last = ' ';
    while let Some(c) = rest.chars().next() {
        if quotes && let Some((inside, length)) = quoted(rest, last) {
            write_quoted(inside, &before, out);
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
        match placeholder(word) {
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

/// A URL goes on behind signs that end other words.
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

/// What is between the quotes that a text begins with, and where they end.
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
        // What is followed by a letter is an apostrophe.
        let next = text[start + at + c.len_utf8()..].chars().next();
        closes.contains(&c) && (c != '\'' || !next.is_some_and(char::is_alphanumeric))
    })?;
    (end <= MAX_QUOTE).then(|| (&text[start..start + end], start + end + close.len_utf8()))
}

fn write_quoted(inside: &str, before: &str, out: &mut String) {
    let inside = inside.trim();
    if KEPT_QUOTES.contains(&inside) {
        out.push_str(inside);
    } else if inside.split_whitespace().count() > 3
        || KEPT_NAME_NOUNS.contains(&before)
        || out.ends_with("module named ")
    {
        // A quoted sentence is a message and not a name.
        write(inside, out, false);
    } else {
        out.push_str(
            placeholder(inside)
                .filter(|kind| matches!(*kind, "<path>" | "<url>"))
                .unwrap_or("<name>"),
        );
    }
}
