//! Replies to clients, and the forms in which they take them.

use serde_json::{Map, Value};
use tacit_core::EventName;

/// The most UTF-16 units of context that are given at once. Claude Code shows the model a preview in
/// place of anything over 10,000, and Codex of anything over about 2,500 tokens.
pub(crate) const CONTEXT_LIMIT: usize = 9_000;

/// An answer to an event. A client that cannot take a part is not given it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Text for the model.
    pub context: Option<String>,
    /// The reason to ask the user before the tool runs.
    pub ask: Option<String>,
    /// The reason why the tool must not run, and what to do in its place.
    pub deny: Option<String>,
    /// The reason why the agent should not stop yet: what it should do first.
    pub block: Option<String>,
    /// Text for the user.
    pub notice: Option<String>,
}

impl Reply {
    /// Returns a reply that gives the model a text.
    pub fn context(text: impl Into<String>) -> Reply {
        Reply { context: Some(text.into()), ..Reply::default() }
    }

    /// Returns true if there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Reply::default()
    }
}

/// As many whole lines from the beginning as fit into [`CONTEXT_LIMIT`]; of a first line that is too
/// long by itself, as much as fits. The last line of a text that is fenced closes its fence and is
/// kept in any case.
pub(crate) fn limit_context(text: &str) -> String {
    // A text has no more UTF-16 units than bytes.
    if text.len() <= CONTEXT_LIMIT || units(text) <= CONTEXT_LIMIT {
        return text.to_owned();
    }
    let close = text.trim_end().rsplit('\n').next().filter(|line| is_fence_end(line));
    let limit = CONTEXT_LIMIT - close.map_or(0, |line| units(line) + 1);
    let mut used = 0;
    let (mut end, mut line_end) = (0, 0);
    for (at, character) in text.char_indices() {
        used += character.len_utf16();
        if used > limit {
            break;
        }
        end = at + character.len_utf8();
        if character == '\n' {
            line_end = end;
        }
    }
    let mut kept = text[..if line_end > 0 { line_end } else { end }].trim_end().to_owned();
    if let Some(close) = close {
        kept.push('\n');
        kept.push_str(close);
    }
    kept
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn is_fence_end(line: &str) -> bool {
    line.len() <= 200 && line.starts_with("</") && line.ends_with('>')
}

/// The moments at which a client takes a part of a reply.
#[derive(Debug)]
pub(crate) struct ReplySupport {
    pub(crate) context: &'static [EventName],
    pub(crate) ask: &'static [EventName],
    pub(crate) deny: &'static [EventName],
    pub(crate) block: &'static [EventName],
    /// Text for the user is taken at every moment or never.
    pub(crate) notice: bool,
}

impl ReplySupport {
    pub(crate) const NOTHING: ReplySupport =
        ReplySupport { context: &[], ask: &[], deny: &[], block: &[], notice: false };

    /// Returns the parts of a reply that are taken at a moment, no longer than they may be.
    pub(crate) fn of(&self, reply: &Reply, moment: EventName) -> Reply {
        let part = |part: &Option<String>, moments: &[EventName]| {
            part.clone().filter(|_| moments.contains(&moment))
        };
        Reply {
            context: part(&reply.context, self.context).map(|text| limit_context(&text)),
            ask: part(&reply.ask, self.ask),
            deny: part(&reply.deny, self.deny),
            block: part(&reply.block, self.block),
            notice: reply.notice.clone().filter(|_| self.notice),
        }
    }
}

/// Returns the form of Claude Code: what the hook before a summary prints joins the instructions
/// for it, as plain text.
pub(crate) fn as_claude(event: &str, moment: EventName, reply: &Reply) -> Vec<u8> {
    match moment {
        EventName::Compacting => reply.context.clone().unwrap_or_default().into_bytes(),
        _ => as_codex(event, moment, reply),
    }
}

/// Returns the form of Claude Code at all other moments, which other clients took over.
pub(crate) fn as_codex(event: &str, _moment: EventName, reply: &Reply) -> Vec<u8> {
    let (decision, why) = permission(reply);
    let mut answer = object([
        ("decision", reply.block.as_ref().map(|_| "block")),
        ("reason", reply.block.as_deref()),
        ("systemMessage", reply.notice.as_deref()),
    ]);
    if reply.context.is_some() || decision.is_some() {
        let specific = object([
            ("hookEventName", Some(event)),
            ("permissionDecision", decision),
            ("permissionDecisionReason", why),
            ("additionalContext", reply.context.as_deref()),
        ]);
        answer.insert("hookSpecificOutput".to_owned(), Value::Object(specific));
    }
    line(answer)
}

/// Returns the form of Gemini CLI, which has one word for a tool that must not run and an agent
/// that must not stop.
pub(crate) fn as_gemini(event: &str, moment: EventName, reply: &Reply) -> Vec<u8> {
    let block = reply.deny.clone().or_else(|| reply.block.clone());
    as_codex(event, moment, &Reply { deny: None, block, ..reply.clone() })
}

pub(crate) fn as_copilot(_event: &str, _moment: EventName, reply: &Reply) -> Vec<u8> {
    let (decision, why) = permission(reply);
    line(object([
        ("additionalContext", reply.context.as_deref()),
        ("permissionDecision", decision),
        ("permissionDecisionReason", why),
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
    line(object([("context", reply.context.as_deref())]))
}

/// Returns the word for what should become of a tool, and why.
fn permission(reply: &Reply) -> (Option<&'static str>, Option<&str>) {
    match (&reply.deny, &reply.ask) {
        (Some(why), _) => (Some("deny"), Some(why)),
        (None, Some(why)) => (Some("ask"), Some(why)),
        (None, None) => (None, None),
    }
}

/// Returns the fields that hold something.
fn object<const N: usize>(fields: [(&str, Option<&str>); N]) -> Map<String, Value> {
    let filled =
        fields.into_iter().filter_map(|(name, text)| Some((name.to_owned(), text?.into())));
    filled.collect()
}

/// JSON on one line.
fn line(answer: Map<String, Value>) -> Vec<u8> {
    format!("{}\n", Value::Object(answer)).into_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn whole_lines_are_kept() {
        let line = format!("{}\n", "x".repeat(99));
        let text = line.repeat(200);
        let kept = limit_context(&text);
        assert_eq!(kept, line.repeat(90).trim_end());
        let one = "😀".repeat(6_000);
        assert_eq!(units(&limit_context(&one)), CONTEXT_LIMIT);
    }

    #[test]
    fn the_fence_is_closed() {
        let text = format!("<notes>\n{}</notes>\n", "[a] b\n".repeat(3_000));
        let kept = limit_context(&text);
        assert!(kept.ends_with("[a] b\n</notes>"), "{}", &kept[kept.len() - 40..]);
        assert!(units(&kept) <= CONTEXT_LIMIT);
    }

    proptest! {
        #[test]
        fn never_more_than_the_limit(line in "[a-z😀é ]{0,80}", times in 0..900_usize, end in "(</x>)?") {
            let text = format!("{}{end}", format!("{line}\n").repeat(times));
            let kept = limit_context(&text);
            prop_assert!(units(&kept) <= CONTEXT_LIMIT);
            if units(&text) <= CONTEXT_LIMIT {
                prop_assert_eq!(kept, text);
            }
        }
    }
}
