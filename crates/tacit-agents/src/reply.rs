//! What is answered to a client.

use serde::Serialize;

/// How many UTF-16 units of context are given at once. Claude Code shows the model a preview in place
/// of anything over 10,000, and Codex of anything over about 2,500 tokens.
pub const CONTEXT_LIMIT: usize = 9_000;

/// What is answered to an event. A client that cannot take a part is not given it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Text for the model.
    pub context: Option<String>,
    /// Why the user should be asked before the tool runs.
    pub ask: Option<String>,
    /// Why the tool must not run, and what to do in its place.
    pub deny: Option<String>,
    /// Why the agent should not stop yet: what it should do first.
    pub block: Option<String>,
    /// Text for the user.
    pub notice: Option<String>,
}

impl Reply {
    /// A reply that gives the model a text.
    pub fn context(text: impl Into<String>) -> Reply {
        Reply { context: Some(text.into()), ..Reply::default() }
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        *self == Reply::default()
    }
}

/// As many whole lines from the beginning as fit into [`CONTEXT_LIMIT`]; of a first line that is too
/// long by itself, as much as fits. The last line of a text that is fenced closes its fence and is
/// kept in any case.
pub fn limit_context(text: &str) -> String {
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

/// The reply of Claude Code and the clients that took over its form.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) system_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hook_specific_output: Option<Specific<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Specific<'a> {
    pub(crate) hook_event_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) permission_decision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) additional_context: Option<String>,
}

/// What of a reply a client takes at a moment.
pub(crate) struct Takes {
    pub(crate) context: bool,
    pub(crate) ask: bool,
    pub(crate) deny: bool,
    pub(crate) block: bool,
}

/// A reply in the form of Claude Code, with what the client takes.
pub(crate) fn answer(event: &str, reply: &Reply, takes: &Takes) -> Vec<u8> {
    let context = reply.context.as_deref().filter(|_| takes.context);
    let ask = reply.ask.as_deref().filter(|_| takes.ask);
    let block = reply.block.as_deref().filter(|_| takes.block);
    let deny = reply.deny.as_deref().filter(|_| takes.deny);
    let decision = deny.map(|_| "deny").or(ask.map(|_| "ask"));
    let specific = (context.is_some() || decision.is_some()).then(|| Specific {
        hook_event_name: event,
        permission_decision: decision,
        permission_decision_reason: deny.or(ask),
        additional_context: context.map(limit_context),
    });
    if specific.is_none() && block.is_none() && reply.notice.is_none() {
        return Vec::new();
    }
    json(&Answer {
        decision: block.map(|_| "block"),
        reason: block,
        system_message: reply.notice.as_deref(),
        hook_specific_output: specific,
    })
}

/// JSON on one line.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    // Text and maps of text always have a JSON form; nothing at all is the safe answer otherwise.
    let mut bytes = serde_json::to_vec(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
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
