//! Exit codes that a client reports only in its transcript.
//!
//! The caller reads the file, from its end; only the meaning of its lines is known here.

use serde::Deserialize;
use tacit_core::{AgentEvent, EventKind, FailureCause, ToolFailure};

use crate::client::Client;

/// The result of searching the end of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TailSearch {
    /// The exit code of the command.
    Found(i32),
    /// The transcript does not tell it.
    Absent,
    /// An earlier part of the transcript may tell it.
    Beyond,
}

/// Searches whole lines at the end of a transcript for the exit code of a call.
pub(crate) type ExitCodeSearch = fn(call: &str, lines: &str) -> TailSearch;

/// A command whose exit code is in the transcript, and the way to find it.
#[derive(Debug)]
pub struct MissingExitCode {
    call: String,
    search: ExitCodeSearch,
}

impl Client {
    /// Returns the command of an event whose exit code is to be read from the transcript; `None` if
    /// the payload has it, or the client does not write it there.
    pub fn missing_exit_code(&self, event: &AgentEvent) -> Option<MissingExitCode> {
        let search = self.exit_code_search?;
        let EventKind::ToolFinished { tool, outcome, .. } = &event.kind else { return None };
        let is_missing = tool.kind.command().is_some() && outcome.exit_code.is_none();
        let call = tool.id.clone().filter(|_| is_missing)?;
        Some(MissingExitCode { call, search })
    }
}

impl MissingExitCode {
    /// Searches whole lines at the end of the transcript.
    pub fn find_in(&self, lines: &str) -> TailSearch {
        (self.search)(&self.call, lines)
    }
}

/// Adds the exit code of a command to its event. One that is not zero makes it a failure.
pub fn add_exit_code(event: &mut AgentEvent, code: i32) {
    let EventKind::ToolFinished { tool, outcome, duration_ms } = &mut event.kind else { return };
    outcome.exit_code = Some(code);
    if code != 0 {
        event.kind = EventKind::ToolFailed {
            tool: tool.clone(),
            failure: ToolFailure {
                error: outcome.text.take().unwrap_or_default(),
                exit_code: Some(code),
                is_interrupt: false,
                cause: FailureCause::Ran,
            },
            duration_ms: *duration_ms,
        };
    }
}

/// Searches a transcript of Codex. The line about a finished command has its output before the code;
/// the line of the call itself comes before both, and ends the search.
pub(crate) fn codex_exit_code(call: &str, lines: &str) -> TailSearch {
    #[derive(Deserialize)]
    struct Line {
        payload: LinePayload,
    }
    #[derive(Deserialize)]
    struct LinePayload {
        #[serde(rename = "type")]
        kind: String,
        call_id: Option<String>,
        item: Option<Item>,
    }
    #[derive(Deserialize)]
    struct Item {
        #[serde(rename = "type")]
        kind: String,
        id: Option<String>,
        exit_code: Option<i32>,
    }
    let quoted = format!("\"{call}\"");
    for line in lines.lines().rev().filter(|line| line.contains(&quoted)) {
        let Ok(Line { payload }) = serde_json::from_str::<Line>(line) else { continue };
        if payload.kind == "function_call" && payload.call_id.as_deref() == Some(call) {
            return TailSearch::Absent;
        }
        let item = payload.item.filter(|_| payload.kind == "item_completed");
        let Some(item) = item.filter(|item| item.id.as_deref() == Some(call)) else { continue };
        if item.kind == "CommandExecution" {
            return item.exit_code.map_or(TailSearch::Absent, TailSearch::Found);
        }
    }
    TailSearch::Beyond
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn done(id: &str, code: i32, output: &str) -> String {
        let item = json!({"type": "CommandExecution", "id": id, "status": "failed",
                          "aggregated_output": output, "exit_code": code});
        json!({"type": "event_msg", "payload": {"type": "item_completed", "item": item}})
            .to_string()
    }

    fn called(id: &str) -> String {
        json!({"type": "response_item", "payload": {"type": "function_call", "call_id": id}})
            .to_string()
    }

    #[test]
    fn the_code_of_a_call_is_found_by_its_identifier() {
        let quoting = done("b", 5, &done("a", 9, ""));
        let cases = [
            (vec![called("a"), done("a", 3, "out")], TailSearch::Found(3)),
            (vec![called("a"), done("a", 3, "out"), quoting.clone()], TailSearch::Found(3)),
            (vec![done("a", 1, ""), called("a"), done("a", 0, "")], TailSearch::Found(0)),
            (vec![done("a", 1, ""), called("a")], TailSearch::Absent),
            (vec![called("b"), quoting], TailSearch::Beyond),
            (vec![done("a", 3, "out")[..40].to_owned()], TailSearch::Beyond),
            (vec!["not JSON \"a\"".to_owned()], TailSearch::Beyond),
            (vec![], TailSearch::Beyond),
        ];
        for (lines, expected) in cases {
            assert_eq!(codex_exit_code("a", &lines.join("\n")), expected, "{lines:?}");
        }
    }
}
