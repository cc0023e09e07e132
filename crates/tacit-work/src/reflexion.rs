//! Issues that QA found and that were fixed, put into words by a text model, where one is configured.

use serde_json::json;
use tacit_core::clean;
use tacit_core::log::QaFinding;

use crate::ModelQuestion;

/// The task of the model.
const TASK: &str = include_str!("../prompts/reflexion.md");
/// The most tokens it may write.
const MAX_TOKENS: u32 = 200;
/// The length of a note, in characters and in sentences.
const MIN_NOTE: usize = 40;
const MAX_NOTE: usize = 800;
const MIN_SENTENCES: usize = 2;
const MAX_SENTENCES: usize = 3;

/// Asks for a note about what QA found.
pub fn question(finding: &QaFinding) -> ModelQuestion {
    ModelQuestion {
        task: TASK,
        about: format!("The report, as JSON:\n{}", json!(finding)),
        max_tokens: MAX_TOKENS,
    }
}

/// The sentences of an answer; none if they are not what was asked for.
pub fn read(answer: &str) -> Option<String> {
    let text = clean(answer).text.trim().to_owned();
    let plain = !text.contains(['\n', '#', '*']) && !text.contains("```");
    let ends = |(at, c): &(usize, char)| {
        let next = text[at + c.len_utf8()..].chars().next();
        matches!(c, '.' | '!' | '?') && next.is_none_or(char::is_whitespace)
    };
    let sentences = text.char_indices().filter(ends).count();
    let fits = (MIN_NOTE..=MAX_NOTE).contains(&text.chars().count())
        && (MIN_SENTENCES..=MAX_SENTENCES).contains(&sentences)
        && text.ends_with(['.', '!', '?']);
    (plain && fits).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn answers_are_read_strictly() {
        let good =
            "Tokens in `src/auth.rs` were not refreshed. Refresh them before each call, not after.";
        let three = format!("{good} Tests should cover a token that is about to expire.");
        assert_eq!(read(good).as_deref(), Some(good));
        assert_eq!(read(&format!("  {three}\n")).as_deref(), Some(three.as_str()));
        for bad in [
            "",
            "Too short. Really.",
            "One sentence that is long enough to be kept, but alone.",
            "Sure! Here is the note:\nTokens were not refreshed. Refresh them before each call.",
            "# Note Tokens were not refreshed. Refresh them before each call.",
            "- **Tokens** were not refreshed. Refresh them before each call.",
            "Tokens were not refreshed. Refresh them before each call. But only if",
            &format!("{three} And so on. And so on."),
            &format!("{} {good}", "x".repeat(MAX_NOTE)),
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_answer_is_accepted(answer in "(?s).{0,200}") {
            if let Some(text) = read(&answer) {
                prop_assert!(!text.contains('\n') && text.len() >= MIN_NOTE);
            }
        }
    }
}
