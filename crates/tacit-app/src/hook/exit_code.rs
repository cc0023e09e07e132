//! Reads the exit code of a command from the end of the client's transcript, for clients that report
//! it nowhere else.

use std::fs::File;
use std::path::Path;

use tacit_agents::{Client, MissingExitCode, TailSearch, add_exit_code};
use tacit_core::AgentEvent;
use tacit_fs::platform::read_exact_at;

/// The numbers of bytes read at the end of a transcript, one after the other. The line about a command
/// contains its whole output, and is among the last when the hook runs.
const TAILS: [u64; 3] = [64 * 1024, 1024 * 1024, 8 * 1024 * 1024];

/// Adds the exit code to an event that lacks it. If it cannot be found, the output alone tells how
/// the command ended.
pub(super) fn complete(event: &mut AgentEvent) {
    let missing = Client::named(event.client).missing_exit_code(event);
    let (Some(missing), Some(path)) = (missing, event.transcript.as_deref()) else { return };
    if let Some(code) = find(path, &missing) {
        add_exit_code(event, code);
    }
}

fn find(path: &Path, missing: &MissingExitCode) -> Option<i32> {
    let file = tacit_fs::open_following(path).ok()?;
    let length = file.metadata().ok()?.len();
    for size in TAILS {
        let from = length.saturating_sub(size);
        match missing.find_in(&whole_lines(&file, from, length)?) {
            TailSearch::Found(code) => return Some(code),
            TailSearch::Absent => return None,
            TailSearch::Beyond if from == 0 => return None,
            TailSearch::Beyond => {}
        }
    }
    None
}

/// Reads a part of a file, without the line that the start cuts in two.
fn whole_lines(file: &File, from: u64, to: u64) -> Option<String> {
    let mut bytes = vec![0; usize::try_from(to - from).ok()?];
    read_exact_at(file, &mut bytes, from).ok()?;
    let start = match from {
        0 => 0,
        _ => bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1),
    };
    Some(String::from_utf8_lossy(&bytes[start..]).into_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tacit_core::EventKind;

    use super::*;

    /// Returns the error and the exit code of `call` after a transcript with these commands, each with
    /// the length of its output; `None` if it is not a failure.
    fn failure(commands: &[(&str, i32, usize)], call: &str) -> Option<(String, Option<i32>)> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rollout.jsonl");
        let lines = commands.iter().map(|(id, code, length)| {
            let item = json!({"type": "CommandExecution", "id": id, "exit_code": code,
                              "aggregated_output": "é".repeat(*length)});
            format!("{}\n", json!({"payload": {"type": "item_completed", "item": item}}))
        });
        std::fs::write(&path, lines.collect::<String>()).expect("a transcript");
        let payload = json!({
            "session_id": "s", "cwd": "/p", "transcript_path": path, "tool_use_id": call,
            "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": {"command": "make"}, "tool_response": "no rule\n",
        });
        let client = Client::named(tacit_core::ClientName::Codex);
        let event = client.parse(None, payload.to_string().as_bytes()).expect("a payload");
        let mut event = event.expect("an event");
        complete(&mut event);
        match event.kind {
            EventKind::ToolFailed { failure, .. } => Some((failure.error, failure.exit_code)),
            _ => None,
        }
    }

    #[test]
    fn codex_writes_the_exit_code_into_its_transcript() {
        let failed = Some(("no rule\n".to_owned(), Some(2)));
        assert_eq!(failure(&[("a", 2, 5), ("b", 0, 5)], "a"), failed);
        assert_eq!(failure(&[("a", 2, 5), ("b", 0, 5)], "b"), None);
        assert_eq!(failure(&[("a", 2, 5)], "other"), None);
        assert_eq!(failure(&[], "a"), None);
    }

    #[test]
    fn long_outputs_are_searched_within_a_bound() {
        let failed = Some(("no rule\n".to_owned(), Some(2)));
        for length in [60_000, 300_000, 3_000_000] {
            assert_eq!(failure(&[("a", 2, length)], "a"), failed, "{length}");
            assert_eq!(failure(&[("a", 2, length), ("b", 0, 1)], "a"), failed, "{length}");
        }
        assert_eq!(failure(&[("a", 2, 1), ("b", 0, 5_000_000)], "a"), None);
    }
}
