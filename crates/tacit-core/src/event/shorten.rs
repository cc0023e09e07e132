//! Cutting of large texts before an event is stored.

use serde_json::Value;

use super::EventKind;
use super::tool::{ToolFailure, ToolKind, ToolUse};

/// The number of bytes that are kept of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventLimits {
    /// Bytes kept from the start of a tool's output.
    pub output_head: usize,
    /// Bytes kept from the end of a tool's output.
    pub output_tail: usize,
    /// Bytes kept of file contents, prompts and messages, half from the start and half from the
    /// end.
    pub content: usize,
    /// Bytes kept from the start of what a read or a search returns. Its size is counted; nobody
    /// needs the rest, which is in the files.
    pub found: usize,
}

impl Default for EventLimits {
    fn default() -> EventLimits {
        EventLimits { output_head: 4 * 1024, output_tail: 4 * 1024, content: 16 * 1024, found: 256 }
    }
}

/// The most bytes that the note between head and tail takes. A text is cut only if it exceeds the
/// limits by more than this, so cutting never lengthens a text and never happens twice.
const NOTE: usize = 48;

const CUT_BEFORE: &str = "[… ";
const CUT_AFTER: &str = " bytes cut …]";

/// Returns the number of bytes that [`shorten_text`] cut from a text, or `None` if it was not cut.
pub fn bytes_cut(text: &str) -> Option<u64> {
    let cut = |end: usize| text[..end].rsplit_once(CUT_BEFORE)?.1.parse().ok();
    text.match_indices(CUT_AFTER).find_map(|(end, _)| cut(end))
}

/// Cuts the middle out of a text that exceeds `head` plus `tail` bytes, at character boundaries,
/// and notes in its place how many bytes were cut, those of an earlier cut there included.
pub fn shorten_text(text: &mut String, head: usize, tail: usize) {
    if text.len() <= head.saturating_add(tail).saturating_add(NOTE) {
        return;
    }
    let start = text.floor_char_boundary(head);
    let end = text.ceil_char_boundary(text.len() - tail);
    let earlier = bytes_cut(&text[start..end]).unwrap_or(0);
    let cut = ((end - start) as u64).saturating_add(earlier);
    let note = format!("\n{CUT_BEFORE}{cut}{CUT_AFTER}\n");
    let mut short = String::with_capacity(start + note.len() + (text.len() - end));
    short.push_str(&text[..start]);
    short.push_str(&note);
    short.push_str(&text[end..]);
    *text = short;
}

pub(super) fn shorten_kind(what: &mut EventKind, limits: &EventLimits) {
    let limits = *limits;
    match what {
        EventKind::SessionStarted { .. }
        | EventKind::SubagentStarted
        | EventKind::SessionEnded { .. } => {}
        EventKind::PromptSubmitted { prompt, .. } => limits.content(prompt),
        EventKind::ToolStarting { tool, .. } => limits.tool(tool),
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
            ToolKind::Read { .. } | ToolKind::Search { .. } => shorten_text(text, self.found, 0),
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

    /// Cuts input that is too large. The result is a string: the start and the end of its JSON.
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
    fn shortening_cuts_the_middle_and_counts_the_bytes() {
        let mut text = format!("{}{}{}", "a".repeat(100), "b".repeat(1000), "c".repeat(100));
        shorten_text(&mut text, 100, 100);
        let expected = format!("{}\n[… 1000 bytes cut …]\n{}", "a".repeat(100), "c".repeat(100));
        assert_eq!(text, expected);
        assert_eq!(bytes_cut(&text), Some(1000));
        assert_eq!(bytes_cut("[… many bytes cut …]"), None);
    }

    #[test]
    fn a_second_cut_counts_the_bytes_of_the_first() {
        let mut text = "a".repeat(1_000);
        shorten_text(&mut text, 300, 300);
        shorten_text(&mut text, 100, 100);
        // The 25 bytes of the first note are cut, too.
        assert_eq!(bytes_cut(&text), Some(800 + 25));
    }

    #[test]
    fn large_input_becomes_a_string_of_its_json() {
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
        fn shortening_respects_limits_and_is_idempotent(text in "[a-zé✓😀\n]{0,400}", head in 0..80_usize, tail in 0..80_usize) {
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
