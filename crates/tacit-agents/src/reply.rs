//! Replies to clients, and their formats.

use serde_json::{Map, Value};
use tacit_core::EventName;

use crate::fence::without_angle_brackets;

/// Maximum length of context, in the unit of the client. Claude Code shows the model only a preview of
/// text longer than 10,000 UTF-16 units, and Codex cuts the middle out of more than about 2,500 tokens
/// of four bytes. A text of as many bytes fits everywhere.
pub const CONTEXT_LIMIT: usize = 9_000;

/// The unit in which a client measures context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextUnit {
    Utf16,
    Bytes,
}

impl TextUnit {
    fn of_char(self, c: char) -> usize {
        match self {
            TextUnit::Utf16 => c.len_utf16(),
            TextUnit::Bytes => c.len_utf8(),
        }
    }

    fn of(self, text: &str) -> usize {
        text.chars().map(|c| self.of_char(c)).sum()
    }
}

/// A part of a reply that not every client supports at every event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyPart {
    /// Text for the model.
    Context,
    /// Asking the user before a tool runs.
    Ask,
    /// Stopping a tool before it runs.
    Deny,
    /// Keeping the agent from stopping.
    Block,
}

/// A reply to an event. Parts that the client does not support are dropped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Text for the model.
    pub context: Option<String>,
    /// The reason to ask the user before the tool runs.
    pub ask: Option<String>,
    /// The reason why the tool must not run, and what to do instead.
    pub deny: Option<String>,
    /// The reason why the agent should not stop yet.
    pub block: Option<String>,
    /// Text for the user.
    pub notice: Option<String>,
}

impl Reply {
    /// Creates a reply with text for the model.
    pub fn context(text: impl Into<String>) -> Reply {
        Reply { context: Some(text.into()), ..Reply::default() }
    }

    /// Reads a reply in the format of Claude Code, where no bytes are an empty reply. Returns `None`
    /// if it is not JSON.
    pub fn from_claude(bytes: &[u8]) -> Option<Reply> {
        if bytes.is_empty() {
            return Some(Reply::default());
        }
        let answer: Value = serde_json::from_slice(bytes).ok()?;
        let specific = &answer["hookSpecificOutput"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let reason = |decision: &str| {
            let is_meant = specific["permissionDecision"] == decision;
            text(&specific["permissionDecisionReason"]).filter(|_| is_meant)
        };
        Some(Reply {
            context: text(&specific["additionalContext"]),
            ask: reason("ask"),
            deny: reason("deny"),
            block: text(&answer["reason"]),
            notice: text(&answer["systemMessage"]),
        })
    }

    /// Returns true if no part is set.
    pub fn is_empty(&self) -> bool {
        *self == Reply::default()
    }
}

/// Cuts a text to [`CONTEXT_LIMIT`], at a line end unless the first line is too long. The closing
/// line of a fence is always kept.
pub(crate) fn limit_context(text: &str, unit: TextUnit) -> String {
    // A text never has more UTF-16 units than bytes.
    if text.len() <= CONTEXT_LIMIT || unit.of(text) <= CONTEXT_LIMIT {
        return text.to_owned();
    }
    let close = text.trim_end().rsplit('\n').next().filter(|line| is_fence_end(line));
    let limit = CONTEXT_LIMIT - close.map_or(0, |line| unit.of(line) + 1);
    let mut used = 0;
    let (mut end, mut line_end) = (0, 0);
    for (at, character) in text.char_indices() {
        used += unit.of_char(character);
        if used > limit {
            break;
        }
        end = at + character.len_utf8();
        if character == '\n' {
            line_end = end;
        }
    }
    let mut limited = text[..if line_end > 0 { line_end } else { end }].trim_end().to_owned();
    if let Some(close) = close {
        limited.push('\n');
        limited.push_str(close);
    }
    limited
}

fn is_fence_end(line: &str) -> bool {
    line.len() <= 200 && line.starts_with("</") && line.ends_with('>')
}

/// The events for which a client supports each part of a reply.
#[derive(Debug)]
pub(crate) struct ReplySupport {
    pub(crate) context: &'static [EventName],
    pub(crate) ask: &'static [EventName],
    pub(crate) deny: &'static [EventName],
    pub(crate) block: &'static [EventName],
    /// True if text for the user is supported, at every event.
    pub(crate) notice: bool,
    /// The unit in which the length of context is limited.
    pub(crate) unit: TextUnit,
}

impl ReplySupport {
    pub(crate) const NOTHING: ReplySupport = ReplySupport {
        context: &[],
        ask: &[],
        deny: &[],
        block: &[],
        notice: false,
        unit: TextUnit::Utf16,
    };

    /// Returns the events at which a part is supported.
    pub(crate) fn events(&self, part: ReplyPart) -> &'static [EventName] {
        match part {
            ReplyPart::Context => self.context,
            ReplyPart::Ask => self.ask,
            ReplyPart::Deny => self.deny,
            ReplyPart::Block => self.block,
        }
    }

    /// Keeps the parts of a reply that are supported for an event, cut to their limits.
    pub(crate) fn filter(&self, reply: &Reply, event_name: EventName) -> Reply {
        let part = |text: &Option<String>, part: ReplyPart| {
            text.clone().filter(|_| self.events(part).contains(&event_name))
        };
        let context = part(&reply.context, ReplyPart::Context);
        Reply {
            context: context.map(|text| limit_context(&text, self.unit)),
            ask: part(&reply.ask, ReplyPart::Ask),
            deny: part(&reply.deny, ReplyPart::Deny),
            block: part(&reply.block, ReplyPart::Block),
            notice: reply.notice.clone().filter(|_| self.notice),
        }
    }
}

/// Writes the format of Claude Code. Before a summary, the context is plain text, which the client
/// adds to the instructions for the summary.
pub(crate) fn as_claude(event: &str, event_name: EventName, reply: &Reply) -> Vec<u8> {
    match event_name {
        EventName::Compacting => reply.context.clone().unwrap_or_default().into_bytes(),
        _ => as_codex(event, event_name, reply),
    }
}

/// Writes the format of Claude Code for all other events, which other clients share.
pub(crate) fn as_codex(event: &str, _moment: EventName, reply: &Reply) -> Vec<u8> {
    let (decision, reason) = permission(reply);
    let mut answer = object([
        ("decision", reply.block.as_ref().map(|_| "block")),
        ("reason", reply.block.as_deref()),
        ("systemMessage", reply.notice.as_deref()),
    ]);
    if reply.context.is_some() || decision.is_some() {
        let specific = object([
            ("hookEventName", Some(event)),
            ("permissionDecision", decision),
            ("permissionDecisionReason", reason),
            ("additionalContext", reply.context.as_deref()),
        ]);
        answer.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    line(answer)
}

/// Writes the format of Gemini CLI, which uses `block` both for a tool that must not run and for an
/// agent that must not stop.
pub(crate) fn as_gemini(event: &str, event_name: EventName, reply: &Reply) -> Vec<u8> {
    let block = reply.deny.clone().or_else(|| reply.block.clone());
    as_qwen(event, event_name, &Reply { deny: None, block, ..reply.clone() })
}

/// Writes the format of Qwen Code, which escapes angle brackets, as Gemini CLI does: a fence of them
/// would be hard to read.
pub(crate) fn as_qwen(event: &str, event_name: EventName, reply: &Reply) -> Vec<u8> {
    let context = reply.context.as_deref().map(without_angle_brackets);
    as_codex(event, event_name, &Reply { context, ..reply.clone() })
}

pub(crate) fn as_copilot(_event: &str, _moment: EventName, reply: &Reply) -> Vec<u8> {
    let (decision, reason) = permission(reply);
    line(object([
        ("additionalContext", reply.context.as_deref()),
        ("permissionDecision", decision),
        ("permissionDecisionReason", reason),
        ("decision", reply.block.as_ref().map(|_| "block")),
        ("reason", reply.block.as_deref()),
    ]))
}

pub(crate) fn as_cursor(_event: &str, _moment: EventName, reply: &Reply) -> Vec<u8> {
    line(object([
        ("additional_context", reply.context.as_deref()),
        ("followup_message", reply.block.as_deref()),
    ]))
}

pub(crate) fn as_opencode(_event: &str, _moment: EventName, reply: &Reply) -> Vec<u8> {
    line(object([("context", reply.context.as_deref()), ("deny", reply.deny.as_deref())]))
}

/// Returns the permission decision and its reason.
fn permission(reply: &Reply) -> (Option<&'static str>, Option<&str>) {
    match (&reply.deny, &reply.ask) {
        (Some(reason), _) => (Some("deny"), Some(reason)),
        (None, Some(reason)) => (Some("ask"), Some(reason)),
        (None, None) => (None, None),
    }
}

/// Creates an object of the fields that are set.
fn object<const N: usize>(fields: [(&str, Option<&str>); N]) -> Map<String, Value> {
    let filled =
        fields.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
    filled.collect()
}

/// Serialises JSON as one line.
fn line(answer: Map<String, Value>) -> Vec<u8> {
    format!("{}\n", Value::Object(answer)).into_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn context_is_cut_at_a_line_end() {
        let line = format!("{}\n", "x".repeat(99));
        let text = line.repeat(200);
        let limited = limit_context(&text, TextUnit::Utf16);
        assert_eq!(limited, line.repeat(90).trim_end());
        let one = "😀".repeat(6_000);
        for (unit, length) in [(TextUnit::Utf16, CONTEXT_LIMIT), (TextUnit::Bytes, CONTEXT_LIMIT)] {
            assert_eq!(unit.of(&limit_context(&one, unit)), length, "{unit:?}");
        }
    }

    #[test]
    fn replies_to_claude_can_be_read_back() {
        let some = |text: &str| Some(text.to_owned());
        for reply in [
            Reply::default(),
            Reply { notice: some("n"), ..Reply::context("c") },
            Reply { deny: some("d"), ..Reply::default() },
            Reply { ask: some("a"), ..Reply::default() },
            Reply { block: some("b"), ..Reply::default() },
        ] {
            let written = as_claude("PreToolUse", EventName::ToolStarting, &reply);
            assert_eq!(Reply::from_claude(&written), Some(reply));
        }
        assert_eq!(Reply::from_claude(b""), Some(Reply::default()));
        assert_eq!(Reply::from_claude(b"no JSON"), None);
    }

    #[test]
    fn a_cut_fence_is_closed() {
        let text = format!("<notes>\n{}</notes>\n", "[a] b\n".repeat(3_000));
        let limited = limit_context(&text, TextUnit::Utf16);
        assert!(limited.ends_with("[a] b\n</notes>"), "{}", &limited[limited.len() - 40..]);
        assert!(TextUnit::Utf16.of(&limited) <= CONTEXT_LIMIT);
    }

    proptest! {
        #[test]
        fn context_never_exceeds_the_limit(line in "[a-z😀é ]{0,80}", times in 0..900_usize, end in "(</x>)?") {
            let text = format!("{}{end}", format!("{line}\n").repeat(times));
            let limited = limit_context(&text, TextUnit::Utf16);
            prop_assert!(TextUnit::Utf16.of(&limited) <= CONTEXT_LIMIT);
            if TextUnit::Utf16.of(&text) <= CONTEXT_LIMIT {
                prop_assert_eq!(limited, text);
            }
        }
    }
}
