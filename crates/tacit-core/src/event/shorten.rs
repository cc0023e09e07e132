//! Taking from large texts what nobody needs who looks at an event later.

use serde_json::Value;

use super::EventKind;
use super::tool::{ToolFailure, ToolKind, ToolUse};

/// How much of a text is kept, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventLimits {
    /// From the beginning of what a tool printed or said.
    pub output_head: usize,
    /// From its end.
    pub output_tail: usize,
    /// Of what a file holds, of a prompt and of a message: half from the beginning, half from the
    /// end.
    pub content: usize,
}

impl Default for EventLimits {
    fn default() -> EventLimits {
        EventLimits { output_head: 4 * 1024, output_tail: 4 * 1024, content: 16 * 1024 }
    }
}

/// What the sentence between head and tail may take. A text is only cut if more than this goes, so
/// that cutting never makes it longer and never happens twice.
const NOTE: usize = 48;

const CUT_BEFORE: &str = "[… ";
const CUT_AFTER: &str = " bytes cut …]";

/// The number of bytes that [`shorten_text`] took from a text; none if it was not cut.
pub fn bytes_cut(text: &str) -> Option<u64> {
    let cut = |end: usize| text[..end].rsplit_once(CUT_BEFORE)?.1.parse().ok();
    text.match_indices(CUT_AFTER).find_map(|(end, _)| cut(end))
}

/// Cuts the middle out of a text of more than `head` and `tail` bytes, between characters, and says
/// in its place how many bytes it had.
pub fn shorten_text(text: &mut String, head: usize, tail: usize) {
    if text.len() <= head.saturating_add(tail).saturating_add(NOTE) {
        return;
    }
    let start = text.floor_char_boundary(head);
    let end = text.ceil_char_boundary(text.len() - tail);
    let note = format!("\n{CUT_BEFORE}{}{CUT_AFTER}\n", end - start);
    let mut short = String::with_capacity(start + note.len() + (text.len() - end));
    short.push_str(&text[..start]);
    short.push_str(&note);
    short.push_str(&text[end..]);
    *text = short;
}

pub(super) fn shorten_happening(what: &mut EventKind, limits: &EventLimits) {
    let limits = *limits;
    match what {
        EventKind::SessionStarted { .. }
        | EventKind::SubagentStarted
        | EventKind::SessionEnded { .. } => {}
        EventKind::PromptSubmitted { prompt, .. } => limits.content(prompt),
        EventKind::ToolStarting { tool } => limits.tool(tool),
        EventKind::ToolFinished { tool, outcome, .. } => {
            limits.tool(tool);
            if let Some(text) = &mut outcome.text {
                limits.result(&tool.kind, text);
            }
        }
        EventKind::ToolFailed { tool, failure, .. } => {
            limits.tool(tool);
            limits.failure(failure);
        }
        EventKind::BatchFinished { calls } => {
            for call in calls {
                limits.tool(&mut call.tool);
                if let Some(text) = &mut call.result {
                    limits.result(&call.tool.kind, text);
                }
                if let Some(failure) = &mut call.failure {
                    limits.failure(failure);
                }
            }
        }
        EventKind::TurnStopped { last_message: text, .. }
        | EventKind::SubagentStopped { last_message: text, .. }
        | EventKind::Compacting { instructions: text, .. }
        | EventKind::Compacted { summary: text, .. } => {
            if let Some(text) = text {
                limits.content(text);
            }
        }
    }
}

impl EventLimits {
    fn content(self, text: &mut String) {
        shorten_text(text, self.content - self.content / 2, self.content / 2);
    }

    fn output(self, text: &mut String) {
        shorten_text(text, self.output_head, self.output_tail);
    }

    fn failure(self, failure: &mut ToolFailure) {
        self.output(&mut failure.error);
    }

    fn result(self, kind: &ToolKind, text: &mut String) {
        match kind {
            ToolKind::Read { .. } => self.content(text),
            _ => self.output(text),
        }
    }

    fn tool(self, tool: &mut ToolUse) {
        match &mut tool.kind {
            ToolKind::Shell { command, .. } => self.content(command),
            ToolKind::Read { .. } => {}
            ToolKind::Edit { old, new, .. } => {
                self.content(old);
                self.content(new);
            }
            ToolKind::Write { content: text, .. } | ToolKind::Patch { patch: text, .. } => {
                self.content(text);
            }
            ToolKind::Search { pattern, .. } => self.output(pattern),
            ToolKind::Agent { prompt, .. } => self.content(prompt),
            ToolKind::Skill { args, .. } => {
                if let Some(args) = args {
                    self.content(args);
                }
            }
            ToolKind::Mcp { input, .. } | ToolKind::Other { input } => self.input(input),
        }
    }

    /// Input that is too large becomes a text: the beginning and the end of its JSON.
    fn input(self, input: &mut Value) {
        if let Value::String(text) = input {
            return self.content(text);
        }
        let mut json = input.to_string();
        if json.len() > self.content + NOTE {
            self.content(&mut json);
            *input = Value::String(json);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_middle_goes_and_is_counted() {
        let mut text = format!("{}{}{}", "a".repeat(100), "b".repeat(1000), "c".repeat(100));
        shorten_text(&mut text, 100, 100);
        let expected = format!("{}\n[… 1000 bytes cut …]\n{}", "a".repeat(100), "c".repeat(100));
        assert_eq!(text, expected);
        assert_eq!(bytes_cut(&text), Some(1000));
        assert_eq!(bytes_cut("[… many bytes cut …]"), None);
    }

    #[test]
    fn large_input_becomes_the_text_of_its_json() {
        let mut input = serde_json::json!({"items": vec!["x".repeat(100); 400]});
        EventLimits::default().input(&mut input);
        let text = input.as_str().expect("a text");
        assert!(text.starts_with(r#"{"items":["xxx"#) && text.contains("bytes cut"), "{text}");
        let small = serde_json::json!({"a": [1, 2, {"b": null}]});
        let mut kept = small.clone();
        EventLimits::default().input(&mut kept);
        assert_eq!(kept, small);
    }

    proptest! {
        #[test]
        fn short_enough_and_never_cut_twice(text in "[a-zé✓😀\n]{0,400}", head in 0..80_usize, tail in 0..80_usize) {
            let mut once = text.clone();
            shorten_text(&mut once, head, tail);
            prop_assert!(once.len() <= text.len());
            prop_assert!(once.len() <= head + tail + NOTE);
            let mut twice = once.clone();
            shorten_text(&mut twice, head, tail);
            prop_assert_eq!(twice, once);
        }
    }
}
