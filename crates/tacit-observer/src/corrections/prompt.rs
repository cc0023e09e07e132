//! Reads the user's own words in a prompt, and leaves out what clients, other agents and the
//! clipboard put there.

/// Prompts up to this size are read as a whole, in bytes. In longer ones only the words before and
/// after pasted text count.
const MAX_PROMPT: usize = 2_000;
/// Minimum size of a prompt that gives an agent a role instead of talking to it, in bytes.
const MIN_ROLE_PROMPT: usize = 200;

/// Beginnings of prompts that no user typed in this conversation: plans that a client hands over,
/// summaries, messages of other agents, reports of hooks and expanded commands.
const FOREIGN_BEGINNINGS: &[&str] = &[
    "implement the following plan",
    "implement this plan:",
    "execute the following plan",
    "this session is being continued from",
    "another claude session sent a message",
    "a teammate sent",
    "[agent ",
    "[request interrupted",
    "[system",
    "[automated",
    "caveat: the messages below",
    "stop hook feedback",
    "base directory for this skill",
    "respond with",
];

/// Beginnings of prompts that give an agent a role.
const ROLES: &[&str] = &["you are a ", "you are an ", "you are the ", "act as a ", "act as an "];

/// Phrases of review tools. A prompt with one of them quotes a review.
const REVIEW_PHRASES: &[&str] = &[
    "consider adding",
    "consider using",
    "consider removing",
    "consider either",
    "consider refactoring",
    "consider renaming",
    "consider replacing",
    "consider extracting",
    "low severity",
    "medium severity",
    "high severity",
    "critical severity",
    "reviewed commit",
    "badge](",
    "p1 badge",
    "p2 badge",
    "suggested fix",
    "suggested change",
    "actionable comments",
    "prompt for ai agent",
    "nitpick",
];

/// Words in a line that ends with a colon and introduces pasted text.
const PASTE_WORDS: &[&str] = &[
    "error",
    "errors",
    "feedback",
    "comment",
    "comments",
    "review",
    "reviews",
    "log",
    "logs",
    "output",
    "says",
    "said",
    "message",
    "diff",
    "trace",
    "stacktrace",
    "issue",
    "ticket",
    "bot",
    "copilot",
    "coderabbit",
    "codex",
    "spec",
    "plan",
    "prompt",
    "email",
    "transcript",
    "docs",
    "fehler",
    "ausgabe",
    "erreur",
    "sortie",
    "salida",
];

/// Beginnings of lines that were pasted: quotes, tables, markup, diffs, shells and transcripts.
const PASTED_BEGINNINGS: &[&str] = &[
    ">",
    "|",
    "<",
    "{",
    "}",
    "$ ",
    "% ",
    "+",
    "@@",
    "--- ",
    "diff --git",
    "❯",
    "⎿",
    "⏺",
    "●",
    "\"",
    "“",
    "„",
    "«",
    "error:",
    "warning:",
    "traceback",
    "caused by",
    "//",
    "/*",
    "func ",
    "fn ",
    "def ",
    "const ",
    "http://",
    "https://",
    "**",
    "✓",
    "✗",
    "✘",
    "×",
];

/// Returns the sentences that the user wrote, in order.
pub(super) fn own_sentences(prompt: &str) -> Vec<String> {
    if is_foreign(prompt) {
        return Vec::new();
    }
    own_lines(&without_tags(prompt)).into_iter().flat_map(split_sentences).collect()
}

/// Returns true if no part of a prompt is the user's word about how to work.
fn is_foreign(prompt: &str) -> bool {
    let lower = prompt.trim_start().to_lowercase();
    let begins = |list: &[&str]| list.iter().any(|beginning| lower.starts_with(beginning));
    begins(FOREIGN_BEGINNINGS)
        || (begins(ROLES) && prompt.len() >= MIN_ROLE_PROMPT)
        || REVIEW_PHRASES.iter().any(|phrase| lower.contains(phrase))
        || lower.strip_prefix('/').is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}

/// Returns a prompt without the blocks that clients mark with a tag of several words, such as
/// `<system-reminder>` and `<ide_selection>`. A block that does not end reaches to the end.
fn without_tags(prompt: &str) -> String {
    let mut text = String::with_capacity(prompt.len());
    let mut rest = prompt;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        text.push_str(before);
        let name: &str = tag[1..]
            .split(|c: char| !c.is_ascii_lowercase() && c != '-' && c != '_')
            .next()
            .unwrap_or_default();
        if !name.contains(['-', '_']) {
            text.push('<');
            rest = &tag[1..];
            continue;
        }
        let end = format!("</{name}>");
        rest = tag.find(&end).map_or("", |at| &tag[at + end.len()..]);
    }
    text + rest
}

/// Returns the lines that are not pasted. Nothing after a heading or an introduction of pasted
/// text is the user's word.
fn own_lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut first_pasted = None;
    let mut after_paste = 0;
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let (own, pasted) = outside_fences(line, &mut fence);
        let ends_here = is_heading(own) || introduces_paste(own);
        if pasted || ends_here || is_pasted(own) {
            first_pasted.get_or_insert(lines.len());
            if pasted && !own.trim().is_empty() && !ends_here {
                lines.push(own);
            }
            after_paste = lines.len();
        } else if !own.trim().is_empty() {
            lines.push(own);
        }
        if ends_here {
            break;
        }
    }
    if text.len() <= MAX_PROMPT {
        return lines;
    }
    let Some(first_pasted) = first_pasted else { return Vec::new() };
    let own: Vec<&str> = lines[..first_pasted]
        .iter()
        .chain(&lines[after_paste.max(first_pasted)..])
        .copied()
        .collect();
    let size: usize = own.iter().map(|line| line.len()).sum();
    if size <= MAX_PROMPT { own } else { Vec::new() }
}

/// Returns the part of a line outside fences, and true if a part is inside. The longest run of own
/// words counts when a fence begins or ends in the middle.
fn outside_fences<'a>(line: &'a str, fence: &mut Option<&'static str>) -> (&'a str, bool) {
    let (mut own, mut rest, mut pasted) = ("", line, fence.is_some());
    loop {
        if let Some(mark) = *fence {
            let Some(at) = rest.find(mark) else { return (own, true) };
            rest = rest[at..].trim_start_matches(mark);
            *fence = None;
            continue;
        }
        let next = ["```", "\"\"\"", "~~~", "'''"]
            .into_iter()
            .filter_map(|mark| rest.find(mark).map(|at| (at, mark)))
            .min();
        let end = next.map_or(rest.len(), |(at, _)| at);
        if rest[..end].trim().len() > own.trim().len() {
            own = &rest[..end];
        }
        let Some((at, mark)) = next else { return (own, pasted) };
        pasted = true;
        *fence = Some(mark);
        rest = &rest[at + mark.len()..];
    }
}

fn is_heading(line: &str) -> bool {
    let marks = line.bytes().take_while(|byte| *byte == b'#').count();
    (1..=6).contains(&marks) && line[marks..].starts_with(' ')
}

/// Returns true if a line ends with a colon and names pasted text: "I get this error:".
fn introduces_paste(line: &str) -> bool {
    let Some(line) = line.trim_end().strip_suffix([':', '：']) else { return false };
    line.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| PASTE_WORDS.contains(&word))
}

fn is_pasted(line: &str) -> bool {
    if line.starts_with("    ") || line.starts_with('\t') {
        return true;
    }
    let lower = line.trim_start().to_lowercase();
    PASTED_BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning))
        || lower.ends_with(['{', '}', '\\'])
        || (lower.ends_with(';') && lower.contains(['(', '=']))
        || (lower.starts_with("at ") && lower.contains('('))
        || begins_with_time(&lower)
        || lower.split_whitespace().any(is_place_in_code)
}

/// Returns true for lines of logs: `2026-02-12T10:28:41 …`, `[10:28:41] …`.
fn begins_with_time(line: &str) -> bool {
    let line = line.trim_start_matches('[').as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        line.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    (digits(0..4) && line.get(4) == Some(&b'-') && digits(5..7))
        || (digits(0..2) && line.get(2) == Some(&b':') && digits(3..5))
}

/// Returns true for a file with a line number: `src/main.rs:12`, `a.ts:3:5`, `(b.go:10-12)`.
fn is_place_in_code(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '`', '*', '[', '@']);
    word.match_indices(':').any(|(at, _)| {
        word[..at].contains('.')
            && word[..at].ends_with(char::is_alphanumeric)
            && !word[..at].starts_with(|c: char| c.is_ascii_digit())
            && word[at + 1..].starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Splits a line into sentences, without the mark of a list.
fn split_sentences(line: &str) -> Vec<String> {
    let text = without_list_mark(line.trim());
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let next = at + c.len_utf8();
        let ends = match c {
            '.' | '!' | '?' | ';' => {
                text[next..].chars().next().is_none_or(|c| c.is_ascii_whitespace())
                    && !ends_with_abbreviation(&text[start..at])
            }
            '。' | '！' | '？' | '；' => true,
            _ => false,
        };
        if ends {
            sentences.push(text[start..next].trim().to_owned());
            start = next;
        }
    }
    sentences.push(text[start..].trim().to_owned());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn ends_with_abbreviation(text: &str) -> bool {
    let last = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    ["e.g", "i.e", "etc", "vs", "z.b", "d.h", "bzw", "p.ej", "p.ex"]
        .iter()
        .any(|abbreviation| last.eq_ignore_ascii_case(abbreviation))
}

fn without_list_mark(line: &str) -> &str {
    if let Some(rest) = ["- ", "* ", "• ", "– "].iter().find_map(|mark| line.strip_prefix(mark))
    {
        return rest.trim_start();
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < line.len();
    match rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")) {
        Some(rest) if numbered => rest.trim_start(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_words_of_the_user_are_read() {
        for (prompt, expected) in [
            ("Looks good. Use tabs!", vec!["Looks good.", "Use tabs!"]),
            ("- use tabs\n2. sort imports", vec!["use tabs", "sort imports"]),
            ("Use tabs, e.g. in Makefiles", vec!["Use tabs, e.g. in Makefiles"]),
            ("好的。用 pnpm。", vec!["好的。", "用 pnpm。"]),
            ("<ide_opened_file>never use it</ide_opened_file>use tabs", vec!["use tabs"]),
            ("use tabs\n<system-reminder>\nnever\n</system-reminder>", vec!["use tabs"]),
            ("use tabs <task-notification>never ends", vec!["use tabs"]),
            ("use Vec<u8> here", vec!["use Vec<u8> here"]),
            ("use tabs\n```\nnever\n```\nsort imports", vec!["use tabs", "sort imports"]),
            ("use tabs ```never\nalways``` ?", vec!["use tabs", "?"]),
            ("use tabs\n\"\"\"\nnever\n\"\"\"", vec!["use tabs"]),
            ("use tabs\n```\nnever", vec!["use tabs"]),
            ("use tabs\n# Conventions\nnever", vec!["use tabs"]),
            ("use tabs\nI get this error:\nnever", vec!["use tabs"]),
            ("use tabs\n2026-02-12T10:28:41 never", vec!["use tabs"]),
            ("use tabs\nsrc/main.rs:12: never\n    never", vec!["use tabs"]),
            ("> never\n| never |\n$ never\n\"never\"", vec![]),
            ("Implement the following plan:\n\nNever", vec![]),
            ("This session is being continued from a previous conversation.\nnever", vec![]),
            ("Another Claude session sent a message:\nnever", vec![]),
            ("[Agent 3] never", vec![]),
            ("/plan never", vec![]),
            ("The helper never fails. Consider using a test.", vec![]),
        ] {
            assert_eq!(own_sentences(prompt), expected, "{prompt:?}");
        }
        let role = format!("You are a reviewer. Never guess. {}", "Answer in JSON. ".repeat(20));
        assert_eq!(own_sentences(&role), Vec::<String>::new());
    }

    #[test]
    fn long_prompts_are_read_around_pasted_text() {
        let log = "2026-02-12T10:28:41 started\nsome other line\n".repeat(100);
        let own = format!("use tabs\n{log}\n2026-02-12T10:28:41 ended\n\nsort imports");
        assert_eq!(own_sentences(&own), ["use tabs", "sort imports"]);
        let fenced = format!("use tabs\n```\n{log}```\nsort imports");
        assert_eq!(own_sentences(&fenced), ["use tabs", "sort imports"]);
        let prose = "One more sentence about the matter. ".repeat(100);
        assert_eq!(own_sentences(&prose), Vec::<String>::new());
        assert_eq!(own_sentences(&format!("```\nx\n```\n{prose}")), Vec::<String>::new());
    }
}
