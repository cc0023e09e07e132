//! What QA found and was fixed, put into words by a text model, where one is configured.

use tacit_core::clean;
use tacit_core::log::QaFinding;
use tacit_models::Prompt;

use crate::engine::Engine;
use crate::generation::Purpose;

/// What a model is asked.
const TASK: &str = include_str!("../../prompts/reflexion.md");
/// How many tokens it may write.
const MOST_TOKENS: u32 = 200;
/// How long a note may be, in characters, and in sentences.
const SHORTEST: usize = 40;
const LONGEST: usize = 800;
const FEWEST_SENTENCES: usize = 2;
const MOST_SENTENCES: usize = 3;

impl Engine<'_> {
    /// What a model makes of an issue, and who it is; none if nobody is configured, the day's budget
    /// is used up, or the answer is not what was asked for.
    pub(super) fn written_reflexion(&self, issue: &QaFinding) -> Option<(String, String)> {
        let name = self.generator.as_ref()?.name().to_owned();
        let report = serde_json::to_value(issue).ok()?.to_string();
        let report = tacit_redact::redact(&report).text.into_owned();
        let prompt = Prompt {
            system: TASK.to_owned(),
            user: format!("The report, as JSON:\n{report}"),
            max_tokens: MOST_TOKENS,
            temperature: Some(0.0),
        };
        let said = self.generate(Purpose::Reflexion, &prompt).ok()?;
        Some((read_reflexion(&said.text)?, name))
    }
}

/// The sentences of an answer; none if they are not what was asked for.
fn read_reflexion(answer: &str) -> Option<String> {
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
        assert_eq!(read_reflexion(good).as_deref(), Some(good));
        assert_eq!(read_reflexion(&format!("  {three}\n")).as_deref(), Some(three.as_str()));
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
            assert_eq!(read_reflexion(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_is_too_strange(answer in "(?s).{0,200}") {
            if let Some(text) = read_reflexion(&answer) {
                prop_assert!(!text.contains('\n') && text.len() >= SHORTEST);
            }
        }
    }
}
