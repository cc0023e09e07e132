//! Reading a prompt for recall: what is asked, apart from what was pasted.
//!
//! A log of two hundred lines below a question of one would decide alone what is recalled. So the
//! question stays whole, and of what was pasted stay the lines that tell something.

mod pasted;
mod plan;

use tacit_core::SlashCommand;
use tacit_observer::error_lines;

use pasted::PromptPart;
pub(crate) use plan::asks_for_plan;

/// What is kept of everything pasted, in lines and bytes.
const TOLD_LINES: usize = 4;
const TOLD_BYTES: usize = 600;
/// Of a longer question the beginning and the end are kept.
const LONGEST_QUESTION: usize = 8 * 1024;
/// A quotation of more bytes than this is a paste inside a sentence.
const LONGEST_QUOTATION: usize = 300;

/// The commands of memory itself.
const COMMANDS: [&str; 4] = ["when", "how", "remember", "memory"];

/// A prompt as recall needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptQuery {
    /// What was asked; empty if everything was pasted.
    pub text: String,
    /// The telling lines of what was pasted.
    pub pasted: Option<String>,
    /// The OpenSpec change that a skill was called for.
    pub change: Option<String>,
    is_command: bool,
}

impl PromptQuery {
    /// Whether the prompt is a command of memory itself: `/when`, `/how`, `/remember`, `/memory`.
    pub fn is_command(&self) -> bool {
        self.is_command
    }

    /// What is searched by; none where there is nothing to search by.
    pub fn query(&self) -> Option<String> {
        if self.is_command {
            return None;
        }
        let mut query = self.text.clone();
        if let Some(change) = &self.change {
            // The call itself says nothing.
            let is_call = |word: &&str| word.contains("opsx:") || word.contains("openspec");
            let rest: Vec<&str> = query.split_whitespace().filter(|word| !is_call(word)).collect();
            query = rest.join(" ");
            if !query.contains(change.as_str()) {
                query = format!("{change} {query}");
            }
        }
        if let Some(pasted) = &self.pasted {
            query = format!("{query}\n{pasted}");
        }
        (!query.trim().is_empty()).then_some(query)
    }
}

/// Takes a prompt apart.
///
/// ```
/// let log = "why does this fail?\n\n```\n   Compiling a v1.0.0\nerror[E0308]: mismatched types\n```";
/// let question = tacit_app::question(log);
/// assert_eq!(question.text, "why does this fail?");
/// assert_eq!(question.pasted.as_deref(), Some("error[E0308]: mismatched types"));
/// ```
pub fn parse_prompt(prompt: &str) -> PromptQuery {
    let mut text = String::new();
    let mut told: Vec<String> = Vec::new();
    for part in pasted::parts(prompt) {
        match part {
            PromptPart::Written(lines) => {
                let lines = without_quotations(lines.trim(), &mut told);
                if !text.is_empty() && !lines.is_empty() {
                    text.push_str("\n\n");
                }
                text.push_str(&lines);
            }
            PromptPart::Pasted(lines) => tell(lines, &mut told),
        }
    }
    tacit_core::shorten_text(&mut text, LONGEST_QUESTION / 2, LONGEST_QUESTION / 2);
    told.truncate(TOLD_LINES);
    let mut told = told.join("\n");
    told.truncate(told.floor_char_boundary(TOLD_BYTES));
    PromptQuery {
        text,
        pasted: (!told.is_empty()).then_some(told),
        change: change(prompt),
        is_command: SlashCommand::parse(prompt)
            .is_some_and(|command| COMMANDS.contains(&command.own_name())),
    }
}

/// Adds what a paste tells: its errors, or the files of a diff, or how it begins.
fn tell(paste: &str, told: &mut Vec<String>) {
    let files: Vec<String> = pasted::diff_files(paste).map(str::to_owned).collect();
    let errors = if files.is_empty() { error_lines(paste, TOLD_LINES) } else { files };
    let first = || paste.lines().map(pasted::unquoted).find(|line| pasted::says_something(line));
    let lines =
        if errors.is_empty() { first().map(str::to_owned).into_iter().collect() } else { errors };
    for mut line in lines {
        line.truncate(line.floor_char_boundary(TOLD_BYTES / 2));
        if !told.contains(&line) {
            told.push(line);
        }
    }
}

/// A text in which long quotations are left out; what they tell is added.
fn without_quotations(text: &str, told: &mut Vec<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['"', '“']) {
        let open = rest[start..].chars().next().map_or(1, char::len_utf8);
        let inside = &rest[start + open..];
        let Some(end) = inside.find(['"', '”']) else { break };
        let close = inside[end..].chars().next().map_or(1, char::len_utf8);
        let behind = start + open + end + close;
        if end > LONGEST_QUOTATION {
            out.push_str(&rest[..start]);
            out.push_str("\"…\"");
            tell(&inside[..end], told);
        } else {
            out.push_str(&rest[..behind]);
        }
        rest = &rest[behind..];
    }
    out.push_str(rest);
    out
}

/// The change that a call such as `/opsx:apply add-login` or `openspec-apply-change add-login`
/// names.
fn change(prompt: &str) -> Option<String> {
    let mut from = 0;
    loop {
        let rest = &prompt[from..];
        let call =
            ["opsx:", "openspec-", "openspec:"].iter().filter_map(|mark| rest.find(mark)).min()?;
        let (before, call) = prompt.split_at(from + call);
        let end = call
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_')))
            .unwrap_or(call.len());
        let is_word = !before.ends_with(|c: char| c.is_alphanumeric() || "-_.:".contains(c));
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_first = matches!(line.trim(), "" | "/" | "$" | "`" | "`/" | "<command-name>/");
        if is_word && let Some(name) = argument(&call[end..], is_first) {
            return Some(name.to_owned());
        }
        from = before.len() + end;
    }
}

/// The name that follows a call. A single word is one only if the line is the call and the word:
/// `/opsx:explore how should this work` names no change.
fn argument(behind: &str, is_first: bool) -> Option<&str> {
    let behind = match behind.strip_prefix("</command-name>") {
        Some(rest) => rest.split_once("<command-args>")?.1,
        None => behind.trim_start_matches('`').strip_prefix([' ', '\t'])?,
    };
    let line = behind.split(['\n', '<']).next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let mut word = words.next()?;
    if matches!(word, "change" | "--change") {
        word = words.next()?;
    }
    let name = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_name = name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    let is_alone = is_first && words.next().is_none();
    (is_name && (name.contains('-') || is_alone)).then_some(name)
}
