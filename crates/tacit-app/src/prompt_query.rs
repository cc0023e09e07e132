//! Turns a prompt into a query for recall, separating what the user wrote from what they pasted.
//!
//! A log of two hundred lines below a question of one line would dominate the search. So the
//! question is kept in full, and only the significant lines of pastes.

mod plan;

use tacit_core::{PromptPart, SlashCommand, own_words, prompt_parts};
use tacit_observer::error_lines;

pub(crate) use plan::asks_for_plan;

/// The maximum size of the pasted text kept, in lines and bytes.
const PASTED_LINES: usize = 4;
const PASTED_BYTES: usize = 600;
/// Longer texts are cut in the middle.
const MAX_TEXT: usize = 8 * 1024;
/// A quotation with more bytes counts as a paste inside a sentence.
const MAX_QUOTATION: usize = 300;

/// The slash commands of Tacit itself.
const COMMANDS: [&str; 4] = ["when", "how", "remember", "memory"];

/// A prompt, prepared for recall.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptQuery {
    /// The text that the user wrote; empty if everything was pasted.
    pub text: String,
    /// The significant lines of what was pasted.
    pub pasted: Option<String>,
    /// The OpenSpec change that a slash command names.
    pub change: Option<String>,
    is_command: bool,
}

impl PromptQuery {
    /// Returns true for a slash command of Tacit: `/when`, `/how`, `/remember` or `/memory`.
    pub fn is_command(&self) -> bool {
        self.is_command
    }

    /// Returns the text to search for; `None` if there is nothing to search for.
    pub fn query(&self) -> Option<String> {
        if self.is_command {
            return None;
        }
        let mut query = without_command(&self.text).to_owned();
        if let Some(change) = &self.change {
            // The command itself says nothing about the subject.
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

/// Parses a prompt.
///
/// ```
/// let log = "why does this fail?\n\n```\n   Compiling a v1.0.0\nerror[E0308]: mismatched types\n```";
/// let query = tacit_app::parse_prompt(log);
/// assert_eq!(query.text, "why does this fail?");
/// assert_eq!(query.pasted.as_deref(), Some("error[E0308]: mismatched types"));
/// ```
pub fn parse_prompt(prompt: &str) -> PromptQuery {
    let mut text = String::new();
    let mut significant: Vec<String> = Vec::new();
    for part in prompt_parts(&own_words(prompt)) {
        match part {
            PromptPart::Written(lines) => {
                let lines = without_quotations(lines.trim(), &mut significant);
                if !text.is_empty() && !lines.is_empty() {
                    text.push_str("\n\n");
                }
                text.push_str(&lines);
            }
            PromptPart::Pasted(lines) => add_paste(lines, &mut significant),
        }
    }
    tacit_core::shorten_text(&mut text, MAX_TEXT / 2, MAX_TEXT / 2);
    significant.truncate(PASTED_LINES);
    let mut significant = significant.join("\n");
    significant.truncate(significant.floor_char_boundary(PASTED_BYTES));
    PromptQuery {
        text,
        pasted: (!significant.is_empty()).then_some(significant),
        change: change(prompt),
        is_command: SlashCommand::parse(prompt)
            .is_some_and(|command| COMMANDS.contains(&command.own_name())),
    }
}

/// Removes the name of a slash command from the beginning of a prompt: it says how to work, not on
/// what. A path stays.
pub(crate) fn without_command(prompt: &str) -> &str {
    match SlashCommand::parse(prompt) {
        Some(command) if prompt.trim_start().starts_with('/') && is_command_name(command.name) => {
            command.arguments
        }
        _ => prompt,
    }
}

/// Returns true for the name of a slash command, such as `opsx:explore`, but not for a path.
fn is_command_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

/// Adds the significant lines of a paste: its errors, else the files of a diff, else its first
/// line.
fn add_paste(paste: &str, significant: &mut Vec<String>) {
    let files: Vec<String> = diff_files(paste).map(str::to_owned).collect();
    let errors = if files.is_empty() { error_lines(paste, PASTED_LINES) } else { files };
    let first = || paste.lines().map(unquoted).find(|line| says_something(line));
    let lines =
        if errors.is_empty() { first().map(str::to_owned).into_iter().collect() } else { errors };
    for mut line in lines {
        line.truncate(line.floor_char_boundary(PASTED_BYTES / 2));
        if !significant.contains(&line) {
            significant.push(line);
        }
    }
}

/// Removes long quotations from a text, and adds their significant lines.
fn without_quotations(text: &str, significant: &mut Vec<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(['"', '“']) {
        let open = rest[start..].chars().next().map_or(1, char::len_utf8);
        let inside = &rest[start + open..];
        let Some(end) = inside.find(['"', '”']) else { break };
        let close = inside[end..].chars().next().map_or(1, char::len_utf8);
        let after = start + open + end + close;
        if end > MAX_QUOTATION {
            out.push_str(&rest[..start]);
            out.push_str("\"…\"");
            add_paste(&inside[..end], significant);
        } else {
            out.push_str(&rest[..after]);
        }
        rest = &rest[after..];
    }
    out.push_str(rest);
    out
}

/// Returns the change that a command such as `/opsx:apply add-login` or
/// `openspec-apply-change add-login` names.
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

/// Returns the name that follows a command. A word without a hyphen counts only if nothing else is
/// on the line: `/opsx:explore how should this work` names no change.
fn argument(after: &str, is_first: bool) -> Option<&str> {
    let after = match after.strip_prefix("</command-name>") {
        Some(rest) => rest.split_once("<command-args>")?.1,
        None => after.trim_start_matches('`').strip_prefix([' ', '\t'])?,
    };
    let line = after.split(['\n', '<']).next().unwrap_or_default();
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

/// Returns the files that a diff changes.
fn diff_files(paste: &str) -> impl Iterator<Item = &str> {
    paste.lines().filter_map(|line| {
        let file =
            line.strip_prefix("+++ b/").or_else(|| line.strip_prefix("*** Update File: "))?;
        Some(file.trim())
    })
}

/// Removes the quotation mark `>` from a line.
fn unquoted(line: &str) -> &str {
    line.trim().strip_prefix('>').unwrap_or(line).trim()
}

/// Returns true if a line is more than a fence or punctuation.
fn says_something(line: &str) -> bool {
    !line.starts_with("```") && !line.starts_with("~~~") && line.chars().any(char::is_alphanumeric)
}
