//! Reads client transcripts as a stream of JSON lines.
//!
//! Text injected by hooks is kept apart from what the agent and the user said. Invalid and overlong
//! lines are counted and skipped.

use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longer lines are skipped without being read into memory.
const MAX_LINE: usize = 32 * 1024 * 1024;
/// The tags around text that the client added to a message.
const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");

/// One step of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptStep {
    /// The session id, if the line has one.
    pub session: Option<String>,
    /// The day, such as `2026-11-15`.
    pub day: Option<String>,
    /// The event.
    pub what: TranscriptEvent,
}

/// An event in a transcript.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptEvent {
    /// A message of the user.
    Prompt(String),
    /// A message of the agent.
    AgentMessage(String),
    /// A tool call of the agent.
    Tool {
        /// The id of the call.
        id: Option<String>,
        /// The name of the tool.
        name: String,
        /// The arguments of the call.
        input: Value,
    },
    /// The result of a tool call.
    ToolResult {
        /// The id of the call.
        id: Option<String>,
        /// The error, if the call failed.
        error: Option<String>,
    },
    /// Text injected by a hook or the client.
    Injected(String),
}

/// The number of lines read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LineCounts {
    /// Lines that are not blank.
    pub lines: usize,
    /// Lines that are not JSON objects.
    pub broken: usize,
    /// Lines that are too long.
    pub too_long: usize,
}

/// Reads a transcript and calls `on_step` for each step.
pub fn read_steps(
    mut reader: impl BufRead,
    on_step: &mut dyn FnMut(TranscriptStep),
) -> io::Result<LineCounts> {
    let mut counts = LineCounts::default();
    let mut line = Vec::new();
    while let Some(whole) = next_line(&mut reader, &mut line)? {
        if whole && line.trim_ascii().is_empty() {
            continue;
        }
        counts.lines += 1;
        if !whole {
            counts.too_long += 1;
            continue;
        }
        // serde would also accept a JSON array for the struct.
        let object = line.trim_ascii_start().starts_with(b"{");
        match serde_json::from_slice::<Wire>(&line) {
            Ok(wire) if object => wire.steps(on_step),
            _ => counts.broken += 1,
        }
    }
    Ok(counts)
}

/// Reads a line. Returns false if it was too long, and `None` at the end.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<bool>> {
    line.clear();
    let (mut whole, mut any) = (true, false);
    loop {
        let buffer = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if buffer.is_empty() {
            return Ok(any.then_some(whole));
        }
        any = true;
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        whole &= line.len() + part.len() <= MAX_LINE;
        if whole {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}

/// The relevant fields of a line.
#[derive(Deserialize)]
struct Wire {
    #[serde(rename = "type", default)]
    kind: Value,
    #[serde(rename = "sessionId", default)]
    session: Value,
    #[serde(default)]
    timestamp: Value,
    /// True if the client wrote the message, not the user.
    #[serde(rename = "isMeta", default)]
    is_meta: Value,
    #[serde(rename = "isCompactSummary", default)]
    is_summary: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    attachment: Value,
}

impl Wire {
    fn steps(self, on_step: &mut dyn FnMut(TranscriptStep)) {
        let session = self.session.as_str().map(str::to_owned);
        let day = self.timestamp.as_str().and_then(|time| time.get(..10)).map(str::to_owned);
        let mut emit = |what| {
            on_step(TranscriptStep { session: session.clone(), day: day.clone(), what });
        };
        match self.kind.as_str() {
            Some("attachment") => {
                let text = strings(&self.attachment["content"]);
                if !text.is_empty() {
                    emit(TranscriptEvent::Injected(text));
                }
            }
            Some("user") => {
                let own = self.is_meta != true && self.is_summary != true;
                user(&self.message["content"], own, &mut emit);
            }
            Some("assistant") => assistant(&self.message["content"], &mut emit),
            _ => {}
        }
    }
}

/// Reads a message in the user role: the user's text, or results of tools.
fn user(content: &Value, own: bool, emit: &mut dyn FnMut(TranscriptEvent)) {
    let emit_text = |text: &str, emit: &mut dyn FnMut(TranscriptEvent)| {
        let (words, injected) = split_injected(text);
        if !injected.is_empty() {
            emit(TranscriptEvent::Injected(injected));
        }
        if words.trim().is_empty() {
            return;
        }
        emit(if own { TranscriptEvent::Prompt(words) } else { TranscriptEvent::Injected(words) });
    };
    match content {
        Value::String(text) => emit_text(text, emit),
        Value::Array(blocks) => {
            for block in blocks {
                match block["type"].as_str() {
                    Some("text") => emit_text(block["text"].as_str().unwrap_or_default(), emit),
                    Some("tool_result") => {
                        let (words, injected) = split_injected(&strings(&block["content"]));
                        if !injected.is_empty() {
                            emit(TranscriptEvent::Injected(injected));
                        }
                        let id = block["tool_use_id"].as_str().map(str::to_owned);
                        emit(TranscriptEvent::ToolResult {
                            id,
                            error: (block["is_error"] == true).then_some(words),
                        });
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn assistant(content: &Value, emit: &mut dyn FnMut(TranscriptEvent)) {
    if let Value::String(text) = content {
        emit(TranscriptEvent::AgentMessage(text.clone()));
    }
    for block in content.as_array().into_iter().flatten() {
        match block["type"].as_str() {
            Some("text") => {
                emit(TranscriptEvent::AgentMessage(
                    block["text"].as_str().unwrap_or_default().to_owned(),
                ));
            }
            Some("tool_use") => emit(TranscriptEvent::Tool {
                id: block["id"].as_str().map(str::to_owned),
                name: block["name"].as_str().unwrap_or_default().to_owned(),
                input: block["input"].clone(),
            }),
            _ => {}
        }
    }
}

/// Separates a text from what the client added to it.
fn split_injected(text: &str) -> (String, String) {
    let (mut words, mut injected) = (String::new(), String::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(REMINDER.0) {
        words.push_str(before);
        let (inside, after) = after.split_once(REMINDER.1).unwrap_or((after, ""));
        injected.push_str(inside);
        rest = after;
    }
    words.push_str(rest);
    (words, injected)
}

/// Returns all texts in a value, one per line.
pub(crate) fn strings(value: &Value) -> String {
    fn collect(value: &Value, out: &mut String) {
        match value {
            Value::String(text) => {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(text);
            }
            Value::Array(values) => values.iter().for_each(|value| collect(value, out)),
            Value::Object(map) => map
                .iter()
                .filter(|(name, _)| !matches!(name.as_str(), "type" | "id" | "data"))
                .for_each(|(_, value)| collect(value, out)),
            _ => {}
        }
    }
    let mut out = String::new();
    collect(value, &mut out);
    out
}
