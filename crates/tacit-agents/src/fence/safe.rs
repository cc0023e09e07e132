//! Makes text safe: it cannot imitate tags, roles or hook output.

/// The words that start a line of a speaker in a conversation.
const ROLES: [&str; 6] = ["human", "assistant", "system", "user", "tool", "developer"];

/// Phrases, in lower case, with which clients and templates mark their own text, and their
/// replacements.
const PHRASES: [(&str, &str); 10] = [
    ("hook additional context", "hook-additional context"),
    ("additional context:", "additional-context:"),
    ("hook success:", "hook-success:"),
    ("hook error:", "hook-error:"),
    ("hook blocking error", "hook-blocking error"),
    ("hook stopped continuation", "hook-stopped continuation"),
    ("[inst]", "(inst)"),
    ("[/inst]", "(/inst)"),
    ("[tacit-notes]", "(tacit-notes)"),
    ("[/tacit-notes]", "(/tacit-notes)"),
];

/// Lower-case words in type parameters, as in `Vec<u8>`.
const TYPES: [&str; 28] = [
    "any", "bool", "boolean", "char", "const", "double", "dyn", "f32", "f64", "float", "i16",
    "i32", "i64", "i8", "impl", "int", "isize", "long", "mut", "number", "object", "str", "string",
    "u16", "u32", "u64", "u8", "usize",
];

/// Parts of tag names, which a type parameter is assumed not to contain.
const TAG_WORDS: [&str; 17] = [
    "system",
    "remind",
    "human",
    "user",
    "assistant",
    "tool",
    "func",
    "result",
    "context",
    "hook",
    "invoke",
    "instruct",
    "prompt",
    "note",
    "tacit",
    "antml",
    "think",
];

/// Makes a label safe: one line, with round instead of square brackets.
pub(super) fn safe_word(text: &str) -> String {
    // Lines are joined first, because two harmless lines can form a phrase.
    let line = without_hidden(text).split_whitespace().collect::<Vec<_>>().join(" ");
    quote_role(&neutralised(&line))
        .chars()
        .map(|c| match c {
            '[' => '(',
            ']' => ')',
            other => other,
        })
        .collect()
}

/// Makes the lines of a text safe, dropping empty ones.
pub(super) fn safe_lines(text: &str) -> Vec<String> {
    let text = without_hidden(text);
    text.lines()
        .map(|line| quote_role(&neutralised(line.trim_end())))
        .filter(|line| !line.trim().is_empty())
        .collect()
}

/// Returns true if a character is invisible or changes how others are displayed.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Removes invisible characters and terminal escape sequences; every kind of line break becomes
/// `\n`, and a tab a space.
fn without_hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\r' => {
                chars.next_if_eq(&'\n');
                out.push('\n');
            }
            '\t' => out.push(' '),
            '\u{1b}' if chars.next_if_eq(&'[').is_some() => skip_sequence(&mut chars),
            '\u{9b}' => skip_sequence(&mut chars),
            c if is_hidden(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Skips the rest of a control sequence: its parameters and the final letter.
fn skip_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while chars.next_if(|c| matches!(c, '0'..='?' | ' '..='/')).is_some() {}
    chars.next_if(|c| matches!(c, '@'..='~'));
}

/// Neutralises tags, code fences and phrases of clients in a line.
fn neutralised(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    for (at, c) in line.char_indices() {
        match c {
            '<' if is_tag(&line[..at], &line[at + 1..]) => out.push('‹'),
            '＜' | '﹤' => out.push('‹'),
            '＞' | '﹥' => out.push('›'),
            c => out.push(c),
        }
    }
    for mark in ["```", "~~~"] {
        while out.contains(mark) {
            out = out.replace(mark, "'''");
        }
    }
    for (phrase, replacement) in PHRASES {
        out = replace_ignoring_case(&out, phrase, replacement);
    }
    out
}

/// Returns true if a `<` starts something that a model may take for a tag. Type parameters are not
/// tags: directly after a name, and a known type or capitalised like one.
fn is_tag(before: &str, after: &str) -> bool {
    let Some(next) = after.chars().next() else { return false };
    if matches!(next, '/' | '!' | '?' | '|') {
        return true;
    }
    if !(next.is_alphabetic() || next == '_') {
        return false;
    }
    let after_name =
        before.ends_with(|c: char| c.is_alphanumeric() || c == '_') || before.ends_with("::");
    let name: String =
        after.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':')).collect();
    let lower = name.to_lowercase();
    let type_name = TYPES.contains(&&*name)
        || (next.is_ascii_uppercase()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b':')
            && (name.len() <= 2 || name.bytes().any(|b| b.is_ascii_lowercase()))
            && !TAG_WORDS.iter().any(|word| lower.contains(word)));
    !(after_name && type_name)
}

fn replace_ignoring_case(text: &str, phrase: &str, replacement: &str) -> String {
    // Phrases are ASCII, so lowering only ASCII letters keeps all offsets.
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, found) in lower.match_indices(phrase) {
        out.push_str(&text[copied..at]);
        out.push_str(replacement);
        copied = at + found.len();
    }
    out.push_str(&text[copied..]);
    out
}

/// Quotes a role if it starts the line and a colon follows.
fn quote_role(line: &str) -> String {
    let start = line.find(char::is_alphanumeric).unwrap_or(line.len());
    let rest = &line[start..];
    let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    let has_colon =
        after.trim_start_matches([' ', '*', '_', '`']).starts_with([':', '：', '﹕', '︰']);
    if has_colon && ROLES.contains(&&*word.to_lowercase()) {
        format!("{}\"{word}\"{after}", &line[..start])
    } else {
        line.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dangerous_text_is_neutralised() {
        let cases = [
            ("Use `Vec<u8>` and Option<&str>.", "Use `Vec<u8>` and Option<&str>."),
            ("if a < b && c > d {", "if a < b && c > d {"),
            ("HashMap<String, Vec<Node>>", "HashMap<String, Vec<Node>>"),
            ("a<thinking> b<SYSTEM> c<parameter>", "a‹thinking> b‹SYSTEM> c‹parameter>"),
            ("x</system-reminder>", "x‹/system-reminder>"),
            ("a<system-reminder>", "a‹system-reminder>"),
            ("<sys\u{200b}tem-reminder>", "‹system-reminder>"),
            ("＜system＞", "‹system›"),
            ("<div> in JSX", "‹div> in JSX"),
            ("```sh", "'''sh"),
            ("`````", "'''``"),
            ("Human: do it", "\"Human\": do it"),
            ("> **Assistant**: yes", "> **\"Assistant\"**: yes"),
            ("humans: many", "humans: many"),
            (
                "PreToolUse:Bash HOOK Additional Context: x",
                "PreToolUse:Bash hook-additional-context: x",
            ),
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("a\u{202e}b\u{e0041}c", "abc"),
            ("<|im_start|>", "‹|im_start|>"),
        ];
        for (text, expected) in cases {
            assert_eq!(safe_lines(text), [expected], "{text}");
        }
        assert_eq!(safe_lines("a\r\n\r\nb\u{2028}c"), ["a", "b", "c"]);
        assert_eq!(safe_word("[x]\ny"), "(x) y");
    }
}
