//! Parses the outcome of a tool: its result as text, or its failure.

use serde::Deserialize;
use serde_json::value::RawValue;
use tacit_core::{ClientName, FailureCause, ToolFailure, ToolKind, ToolOutcome};

use crate::payload::{Flag, Text, Texts};
use crate::shell_report::ShellReport;

/// The fields of all result formats.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Response<'a> {
    stdout: Text,
    stderr: Text,
    output: Text,
    interrupted: Flag,
    #[serde(alias = "exitCode")]
    exit_code: Option<i32>,
    /// Set if a non-zero code is not a failure, as for a search without matches.
    #[serde(rename = "returnCodeInterpretation")]
    meaning_of_code: Text,
    #[serde(rename = "backgroundTaskId")]
    background_task: Text,
    file: Option<FileContent>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    filenames: Texts,
    #[serde(borrow, rename = "llmContent")]
    llm_content: Option<&'a RawValue>,
    #[serde(rename = "returnDisplay")]
    display: Text,
    #[serde(rename = "textResultForLlm", alias = "text_result_for_llm")]
    text_for_model: Text,
    #[serde(rename = "resultType", alias = "result_type")]
    result_type: Text,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    metadata: Option<Metadata>,
    #[serde(rename = "isError")]
    is_error: Flag,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FileContent {
    content: Text,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    #[serde(alias = "exit_code", alias = "exitCode")]
    exit: Option<i32>,
}

#[derive(Deserialize)]
struct Block {
    text: Option<String>,
}

/// Parses a result, which may be a failure. The content of changed files is dropped, because the
/// call contains the change.
pub(crate) fn outcome(
    client: ClientName,
    kind: &ToolKind,
    response: Option<&RawValue>,
) -> Result<ToolOutcome, ToolFailure> {
    let Some(response) = response else { return Ok(ToolOutcome::default()) };
    let json = response.get();
    // Cursor encodes a result as a JSON string. Output of other clients may only look like JSON.
    let inner = if client == ClientName::Cursor { plain(json) } else { None };
    let json = inner.as_deref().filter(|text| text.starts_with('{')).unwrap_or(json);
    if !json.starts_with('{') {
        let text = text_of(json);
        // The output of a command may begin like the report on a patch.
        let report = text.as_deref().filter(|_| kind.changes_files());
        return match report.and_then(|text| ShellReport::read(client, text)) {
            Some(report) if report.is_failure() => Err(report.into()),
            Some(_) => Ok(ToolOutcome::default()),
            None => Ok(ToolOutcome { text, ..ToolOutcome::default() }),
        };
    }
    let Ok(response) = serde_json::from_str::<Response<'_>>(json) else {
        return Ok(ToolOutcome { text: Some(json.to_owned()), ..ToolOutcome::default() });
    };
    let shell = matches!(kind, ToolKind::Shell { .. });
    let exit_code = response.exit_code.or(response.metadata.as_ref().and_then(|meta| meta.exit));
    // If failures are reported separately, a command that has finished had exit code zero.
    let interrupted = response.interrupted.is_set();
    let finished = response.stdout.0.is_some()
        && response.background_task.0.is_none()
        && response.meaning_of_code.0.is_none()
        && !interrupted;
    let exit_code = exit_code.or((shell && finished).then_some(0));
    let error = response.error.and_then(|error| text_of(error.get()));
    let result_type = response.result_type.0.clone().unwrap_or_default();
    let denied = matches!(&*result_type, "denied" | "rejected");
    // Claude Code and Cursor report failures in a separate event.
    let reports_failures_here = !matches!(client, ClientName::Claude | ClientName::Cursor);
    let failed = reports_failures_here
        && (error.is_some()
            || denied
            || response.is_error.is_set()
            || matches!(&*result_type, "failure" | "error" | "timeout")
            || (shell && exit_code.is_some_and(|code| code != 0)));
    let text = if kind.changes_files() && !failed { None } else { text(response, kind, json) };
    if !failed
        && shell
        && let Some(report) = text.as_deref().and_then(|text| ShellReport::read(client, text))
    {
        let exit_code = report.exit_code;
        return match report.is_failure() {
            true => Err(report.into()),
            false => Ok(ToolOutcome { text: Some(report.output), exit_code, interrupted }),
        };
    }
    if failed {
        let error = error.or(text).unwrap_or_default();
        let cause = if denied { FailureCause::Denied } else { FailureCause::Ran };
        return Err(ToolFailure { error, exit_code, is_interrupt: false, cause });
    }
    Ok(ToolOutcome { text, exit_code, interrupted })
}

fn text(response: Response<'_>, kind: &ToolKind, json: &str) -> Option<String> {
    if let Some(mut out) = response.stdout.0 {
        if let Some(errors) = response.stderr.non_empty() {
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&errors);
        }
        return Some(out);
    }
    response
        .file
        .and_then(|file| file.content.0)
        .or(response.text_for_model.0)
        .or(response.output.0)
        .or_else(|| text_of(response.llm_content?.get()))
        .or_else(|| text_of(response.content?.get()))
        .or(response.display.0)
        .or_else(|| {
            let names: Vec<String> = response.filenames.texts().collect();
            (!names.is_empty()).then(|| names.join("\n"))
        })
        .or_else(|| {
            matches!(kind, ToolKind::Mcp { .. } | ToolKind::Other { .. }).then(|| json.to_owned())
        })
}

impl From<ShellReport> for ToolFailure {
    fn from(report: ShellReport) -> ToolFailure {
        let ShellReport { output, exit_code } = report;
        ToolFailure { error: output, exit_code, is_interrupt: false, cause: FailureCause::Ran }
    }
}

/// Decodes a JSON string.
fn plain(json: &str) -> Option<String> {
    json.starts_with('"').then(|| serde_json::from_str(json).ok()).flatten()
}

/// Returns the text of a JSON string, of a list of text blocks, or of one block.
pub(crate) fn text_of(json: &str) -> Option<String> {
    match json.as_bytes().first()? {
        b'"' => plain(json),
        b'[' => {
            let blocks: Vec<Block> = serde_json::from_str(json).ok()?;
            let texts: Vec<String> = blocks.into_iter().filter_map(|block| block.text).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        b'{' => {
            #[derive(Deserialize)]
            struct Named {
                #[serde(alias = "message")]
                text: Option<String>,
            }
            serde_json::from_str::<Named>(json).ok()?.text
        }
        _ => None,
    }
}

/// The tags that Claude Code puts around an error of a tool that did not run.
const ERROR_START: &str = "<tool_use_error>";
const ERROR_END: &str = "</tool_use_error>";

/// Creates the failure that a client reported.
pub(crate) fn reported_failure(
    client: ClientName,
    kind: &ToolKind,
    error: String,
    is_interrupt: bool,
) -> ToolFailure {
    let is_shell = matches!(kind, ToolKind::Shell { .. });
    let report = if is_shell { ShellReport::read(client, &error) } else { None };
    if let Some(report) = report.filter(|_| !is_interrupt) {
        return report.into();
    }
    let exit_code = exit_code(kind, &error);
    let cause = if is_interrupt {
        FailureCause::Interrupted
    } else {
        refusal(&error).map_or(FailureCause::Ran, |(cause, _)| cause)
    };
    let is_interrupt = cause == FailureCause::Interrupted;
    ToolFailure { error, exit_code, is_interrupt, cause }
}

/// Returns the failure in a batch result, if it is one: rejected edits, schema errors, unknown
/// tools and denied calls are reported nowhere else.
pub(crate) fn failure_in(kind: &ToolKind, result: &str) -> Option<ToolFailure> {
    if let Some((cause, error)) = refusal(result) {
        let is_interrupt = cause == FailureCause::Interrupted;
        return Some(ToolFailure { error: error.to_owned(), exit_code: None, is_interrupt, cause });
    }
    exit_code(kind, result).filter(|code| *code != 0).map(|code| ToolFailure {
        error: result.to_owned(),
        exit_code: Some(code),
        is_interrupt: false,
        cause: FailureCause::Ran,
    })
}

/// Returns true if a result says that the client did not run the tool.
pub(crate) fn is_refusal(result: &str) -> bool {
    refusal(result).is_some()
}

/// Returns why a client did not run a tool, and the message without its tags.
fn refusal(text: &str) -> Option<(FailureCause, &str)> {
    if let Some(inner) = text.strip_prefix(ERROR_START) {
        let inner = inner.strip_suffix(ERROR_END).unwrap_or(inner);
        let cause = if inner.starts_with("InputValidationError") {
            FailureCause::BadInput
        } else if inner.starts_with("Error: No such tool available") {
            FailureCause::UnknownTool
        } else {
            FailureCause::Rejected
        };
        return Some((cause, inner));
    }
    // The second form is OpenCode's.
    if text.starts_with("[Request interrupted by user") || text == "Tool execution aborted" {
        return Some((FailureCause::Interrupted, text));
    }
    let first = text.lines().next().unwrap_or_default();
    let denied = (first.starts_with("Permission to use ") && first.contains(" denied"))
        || first.starts_with("The user doesn't want to proceed with this tool use")
        || first.starts_with("The user rejected permission to use this specific tool call")
        || first.starts_with("The user has specified a rule which prevents you from using")
        || (first.starts_with("Claude requested permissions to ")
            && first.contains("haven't granted it"))
        || (first.contains(" needs approval.")
            && first.ends_with("Allowing runs the command as written."));
    denied.then_some((FailureCause::Denied, text))
}

/// Parses the exit code from an error that starts with `Exit code N`.
fn exit_code(kind: &ToolKind, error: &str) -> Option<i32> {
    if !matches!(kind, ToolKind::Shell { .. }) {
        return None;
    }
    error.lines().next()?.strip_prefix("Exit code ")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(
        client: ClientName,
        kind: &ToolKind,
        response: &Value,
    ) -> Result<ToolOutcome, ToolFailure> {
        let raw = RawValue::from_string(response.to_string()).expect("JSON");
        outcome(client, kind, Some(&raw))
    }

    #[test]
    fn successful_results_are_parsed() {
        let shell = ToolKind::Shell { command: "x".into(), background: false };
        let read = ToolKind::Read { file: "a".into() };
        let write = ToolKind::Write { file: "a".into(), content: "x".into() };
        let other = ToolKind::Other { input: Value::Null };
        let cases = [
            (&shell, json!({"stdout": "a", "stderr": "b"}), Some("a\nb"), Some(0)),
            (
                &shell,
                json!({"stdout": "", "returnCodeInterpretation": "No matches found"}),
                Some(""),
                None,
            ),
            (&shell, json!({"stdout": "", "backgroundTaskId": "b1"}), Some(""), None),
            (&shell, json!({"output": "a", "metadata": {"exit": 0}}), Some("a"), Some(0)),
            (&shell, json!("plain"), Some("plain"), None),
            (&shell, json!("{\"error\": 1}"), Some("{\"error\": 1}"), None),
            (&read, json!({"type": "text", "file": {"content": "abc"}}), Some("abc"), None),
            (&read, json!({"llmContent": [{"text": "abc"}]}), Some("abc"), None),
            (&read, json!({"resultType": "success", "textResultForLlm": "abc"}), Some("abc"), None),
            (&write, json!({"type": "create", "content": "x", "originalFile": null}), None, None),
            (&other, json!([{"type": "text", "text": "a"}, {"text": "b"}]), Some("a\nb"), None),
            (&other, json!({"x": 1}), Some("{\"x\":1}"), None),
            (&other, json!(null), None, None),
            (&other, json!(["a"]), None, None),
        ];
        for (kind, response, text, exit_code) in cases {
            let outcome = parse(ClientName::Gemini, kind, &response).expect("a result");
            assert_eq!(outcome.text.as_deref(), text, "{response}");
            assert_eq!(outcome.exit_code, exit_code, "{response}");
        }
    }

    #[test]
    fn failed_results_are_parsed() {
        let shell = ToolKind::Shell { command: "x".into(), background: false };
        let edit = ToolKind::Edit { file: "a".into(), old: String::new(), new: String::new() };
        let mcp = ToolKind::Mcp { server: "s".into(), tool: "t".into(), input: Value::Null };
        let cases = [
            (&shell, json!({"output": "no", "exit_code": 2}), "no", Some(2), false),
            (&shell, json!({"stdout": "no", "metadata": {"exit": 1}}), "no", Some(1), false),
            (&edit, json!({"llmContent": "x", "error": {"message": "no"}}), "no", None, false),
            (&edit, json!({"error": "no"}), "no", None, false),
            (&edit, json!({"resultType": "failure", "textResultForLlm": "no"}), "no", None, false),
            (&edit, json!({"resultType": "denied", "textResultForLlm": "no"}), "no", None, true),
            (&mcp, json!({"content": [{"text": "no"}], "isError": true}), "no", None, false),
            (
                &shell,
                json!({"llmContent": "Output: no\nExit Code: 3", "returnDisplay": "no"}),
                "no",
                Some(3),
                false,
            ),
        ];
        for (kind, response, expected, code, refused) in cases {
            let failure = parse(ClientName::Gemini, kind, &response).expect_err("a failure");
            let denied = failure.cause == FailureCause::Denied;
            let found = (&*failure.error, failure.exit_code, denied);
            assert_eq!(found, (expected, code, refused), "{response}");
        }
    }

    #[test]
    fn result_formats_depend_on_the_client() {
        let shell = ToolKind::Shell { command: "x".into(), background: false };
        let nested = json!("{\"output\":\"a\",\"exitCode\":0}");
        let read = parse(ClientName::Cursor, &shell, &nested).expect("a result");
        assert_eq!((read.text.as_deref(), read.exit_code), (Some("a"), Some(0)));
        let other = ToolKind::Other { input: Value::Null };
        let about_errors = json!({"error": "the word this tool looked up"});
        assert!(parse(ClientName::Claude, &other, &about_errors).is_ok());
    }

    #[test]
    fn failures_in_batch_results_are_recognised() {
        use FailureCause as C;
        let shell = ToolKind::Shell { command: "x".into(), background: false };
        let read = ToolKind::Read { file: "x".into() };
        let cases = [
            (&read, "<tool_use_error>String not found</tool_use_error>", Some((C::Rejected, None))),
            (&read, "<tool_use_error>InputValidationError: x", Some((C::BadInput, None))),
            (
                &read,
                "<tool_use_error>Error: No such tool available: X",
                Some((C::UnknownTool, None)),
            ),
            (&shell, "Permission to use Bash has been denied.", Some((C::Denied, None))),
            (
                &shell,
                "The user doesn't want to proceed with this tool use. The",
                Some((C::Denied, None)),
            ),
            (&shell, "[Request interrupted by user for tool use]", Some((C::Interrupted, None))),
            (&shell, "Exit code 3\nboom", Some((C::Ran, Some(3)))),
            (&shell, "Exit code 127", Some((C::Ran, Some(127)))),
            (&shell, "Exit code 0\nfine", None),
            (&shell, "Exit code unknown", None),
            (&read, "Exit code 3\nboom", None),
            (&read, "1\t<tool_use_error>in a file", None),
            (&shell, "", None),
        ];
        for (kind, text, expected) in cases {
            let failure = failure_in(kind, text);
            assert_eq!(failure.map(|f| (f.cause, f.exit_code)), expected, "{text}");
        }
    }
}
