//! Issues that QA found and that were fixed, put into words by a text model, where one is configured.

use serde_json::json;
use tacit_core::clean;
use tacit_core::log::QaFinding;

use crate::Question;

/// The task of the model.
const TASK: &str = include_str!("../prompts/reflexion.md");
/// The most tokens it may write.
const MOST_TOKENS: u32 = 200;
/// The length of a note, in characters and in sentences.
const SHORTEST: usize = 40;
const LONGEST: usize = 800;
const FEWEST_SENTENCES: usize = 2;
const MOST_SENTENCES: usize = 3;

/// Asks for a note about what QA found.
pub fn question(finding: &QaFinding) -> Question {
    Question {
        task: TASK,
        about: format!("The report, as JSON:\n{}", json!(finding)),
        max_tokens: MOST_TOKENS,
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
    let fits = (SHORTEST..=LONGEST).contains(&text.chars().count())
        && (FEWEST_SENTENCES..=MOST_SENTENCES).contains(&sentences)
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
            &format!("{} {good}", "x".repeat(LONGEST)),
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_is_too_strange(answer in "(?s).{0,200}") {
            if let Some(text) = read(&answer) {
                prop_assert!(!text.contains('\n') && text.len() >= SHORTEST);
            }
        }
    }
}
