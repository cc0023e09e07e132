//! The transcripts that an agent's client writes: one JSON object a line, read as a stream.
//!
//! What hooks put in front of the agent is kept apart from what the agent and the user said
//! themselves. Lines that cannot be understood are counted and passed over, however long they are.

use std::io::{self, BufRead};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A longer line is passed over without being read into memory.
const LONGEST_LINE: usize = 32 * 1024 * 1024;
/// What the client wraps around text that it put into a message itself.
const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");

/// One thing that happened in a session.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptStep {
    /// The session, if the line says which.
    pub session: Option<String>,
    /// The day it happened, such as `2026-11-15`.
    pub day: Option<String>,
    /// What happened.
    pub what: TranscriptEvent,
}

/// What can happen.
#[derive(Debug, Clone, PartialEq)]
pub enum TranscriptEvent {
    /// The user said something.
    Prompt(String),
    /// The agent said something.
    AgentMessage(String),
    /// The agent used a tool.
    Tool {
        /// The client's name for this call.
        id: Option<String>,
        /// Its name.
        name: String,
        /// What it was given.
        input: Value,
    },
    /// A tool answered.
    ToolResult {
        /// The call it answers.
        id: Option<String>,
        /// What went wrong, if it did.
        error: Option<String>,
    },
    /// Something was put in front of the agent.
    Injected(String),
}

/// How much was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct LineCounts {
    /// All lines with something on them.
    pub lines: usize,
    /// Those that are not JSON objects.
    pub broken: usize,
    /// Those that are too long to be read.
    pub too_long: usize,
}

/// Reads a transcript to its end, step by step.
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
        // A list would do for the fields as well, but is no line of a transcript.
        let object = line.trim_ascii_start().starts_with(b"{");
        match serde_json::from_slice::<Wire>(&line) {
            Ok(wire) if object => wire.steps(on_step),
            _ => counts.broken += 1,
        }
    }
    Ok(counts)
}

/// Reads a line; whether it is whole, or none at the end.
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
        whole &= line.len() + part.len() <= LONGEST_LINE;
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

/// A line, as far as it matters here.
#[derive(Deserialize)]
struct Wire {
    #[serde(rename = "type", default)]
    kind: Value,
    #[serde(rename = "sessionId", default)]
    session: Value,
    #[serde(default)]
    timestamp: Value,
    /// Written by the client, and not by the user.
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

/// A message on the user's side: their words, or what tools answered.
fn user(content: &Value, own: bool, emit: &mut dyn FnMut(TranscriptEvent)) {
    let said = |text: &str, emit: &mut dyn FnMut(TranscriptEvent)| {
        let (words, injected) = apart(text);
        if !injected.is_empty() {
            emit(TranscriptEvent::Injected(injected));
        }
        if words.trim().is_empty() {
            return;
        }
        emit(if own { TranscriptEvent::Prompt(words) } else { TranscriptEvent::Injected(words) });
    };
    match content {
        Value::String(text) => said(text, emit),
        Value::Array(blocks) => {
            for block in blocks {
                match block["type"].as_str() {
                    Some("text") => said(block["text"].as_str().unwrap_or_default(), emit),
                    Some("tool_result") => {
                        let (words, injected) = apart(&strings(&block["content"]));
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

/// A text without what the client put into it, and that.
fn apart(text: &str) -> (String, String) {
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

/// Every text in a value, a line each.
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
