//! Lessons of failed calls of tools that are not commands.

use tacit_core::RepoPath;

use super::pair::VariantLesson;
use crate::command_form::command_calls;
use crate::text::{one_line, quote, quoted_list};
use crate::timeline::FailedCall;

/// Maximum length of a quoted refusal, in characters.
const MAX_REFUSAL: usize = 220;
/// Minimum number of words of a refusal that says why.
const MIN_REFUSAL_WORDS: usize = 5;

/// Returns the lesson of agent types that need their full name.
pub(super) fn full_names(calls: &[&FailedCall]) -> Option<VariantLesson> {
    let mut names: Vec<(String, String)> = Vec::new();
    for call in calls {
        let Some((_, rest)) = call.error.split_once("Agent type '") else { continue };
        let Some((short, rest)) = rest.split_once('\'') else { continue };
        let Some((_, listed)) = rest.split_once("Available agents: ") else { continue };
        let mut full = listed.split([',', ' ', '\n']).filter(|name| {
            name.strip_suffix(short).is_some_and(|start| start.ends_with([':', '/', '.']))
        });
        if let (Some(full), None) = (full.next(), full.next())
            && names.iter().all(|(known, _)| known != short)
        {
            names.push((short.to_owned(), full.to_owned()));
        }
    }
    let (short, full) = names.first()?;
    let others: Vec<&str> = names[1..].iter().map(|(short, _)| short.as_str()).collect();
    let likewise = match others.as_slice() {
        [] => String::new(),
        others => format!(" (likewise {})", quoted_list(others)),
    };
    let text = format!(
        "Agent types need their full name here: {}, not {}{likewise}.",
        quote(full),
        quote(short)
    );
    let error = format!("Agent type '{short}' not found");
    Some(VariantLesson { failing: String::new(), working: None, error, text })
}

/// Returns the number of tokens of a file that is too large to be read at once.
pub(super) fn tokens_of_large_file(call: &FailedCall) -> Option<&str> {
    let (_, rest) = call.error.split_once("File content (")?;
    let (tokens, rest) = rest.split_once(" tokens) exceeds maximum allowed tokens")?;
    (!rest.is_empty() && tokens.bytes().all(|byte| byte.is_ascii_digit())).then_some(tokens)
}

/// Returns the lesson of a file that is too large to be read at once.
pub(super) fn large_file(file: &RepoPath, tokens: &str) -> VariantLesson {
    let text = format!(
        "`{file}` is too large to be read at once ({tokens} tokens): search it, or read parts of it."
    );
    let error = format!("File content ({tokens} tokens) exceeds maximum allowed tokens");
    VariantLesson { failing: String::new(), working: None, error, text }
}

/// Returns the lesson of a command that a rule of the client or a hook refused, with the reason.
pub(super) fn refusal(call: &FailedCall) -> Option<VariantLesson> {
    let calls = command_calls(&call.input);
    let refused = calls.iter().find(|call| !call.subcommands().is_empty())?;
    let mut words = vec![refused.program()];
    words.extend(refused.subcommands().iter().map(String::as_str));
    let command = words.join(" ");
    let (reason, advice) = if let Some((_, rest)) = call.error.split_once("denied by the ") {
        let (_, reason) = rest.split_once("Reason: ")?;
        let reason = reason.split(". If you").next().unwrap_or(reason);
        (reason, " Ask the user first.")
    } else {
        let (_, reason) = call.error.split_once("blocked by hook")?;
        (reason, "")
    };
    let reason = one_line(reason.trim_start_matches([':', ' ', '-', '\n']), MAX_REFUSAL);
    let reason = reason.trim_end_matches('.');
    if reason.split_whitespace().count() < MIN_REFUSAL_WORDS {
        return None;
    }
    let text = format!("{} was refused: {reason}.{advice}", quote(&command));
    Some(VariantLesson { failing: command, working: None, error: reason.to_owned(), text })
}
