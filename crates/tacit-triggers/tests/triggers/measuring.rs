use std::io::{BufReader, Read};

use serde_json::{Value, json};
use tacit_triggers::measure::{RecallMeasure, RecallReport};
use tacit_triggers::transcript::{TranscriptEvent, read_steps};

use crate::support::small;

fn line(kind: &str, session: &str, content: &Value) -> String {
    let role = if kind == "attachment" { "attachment" } else { "message" };
    let body = if kind == "attachment" {
        json!({"type": "hook_additional_context", "content": content})
    } else {
        json!({"role": kind, "content": content})
    };
    let line = json!({
        "type": kind, "sessionId": session, "timestamp": "2026-11-15T07:37:44.079Z", role: body,
    });
    line.to_string()
}

fn tool(session: &str, name: &str, input: &Value) -> String {
    line(
        "assistant",
        session,
        &json!([{"type": "tool_use", "id": "t", "name": name, "input": input}]),
    )
}

fn measure(lines: &[String]) -> RecallReport {
    let corpus = small();
    let mut measure = RecallMeasure::new(&corpus, None);
    measure.read("file", lines.join("\n").as_bytes()).unwrap();
    measure.report()
}

/// Returns opportunities, invoked, read, acted on.
fn total(lines: &[String]) -> [usize; 4] {
    let total = measure(lines).total;
    [total.opportunities, total.invoked, total.read, total.acted_on]
}

#[test]
fn opportunities_and_uses_count_once_per_session() {
    let prompt = || line("user", "s", &json!("write tests with mocks for the cart"));
    let unrelated = || line("user", "s", &json!("what is the weather"));
    let injected = || line("attachment", "s", &json!(["/when writing mock tests"]));
    let said = || {
        line("assistant", "s", &json!([{"type": "text", "text": "Writing the tests with a mock."}]))
    };
    for (name, lines, expected) in [
        ("nothing", vec![unrelated()], [0, 0, 0, 0]),
        ("missed", vec![prompt(), prompt()], [1, 0, 0, 0]),
        (
            "an error is an opportunity",
            vec![line(
                "user",
                "s",
                &json!([{"type": "tool_result", "is_error": true, "content": "bad mock in tests that write"}]),
            )],
            [1, 0, 0, 0],
        ),
        (
            "what a tool answered is not",
            vec![line(
                "user",
                "s",
                &json!([{"type": "tool_result", "content": "write tests with mocks"}]),
            )],
            [0, 0, 0, 0],
        ),
        (
            "asked for in a shell",
            vec![prompt(), tool("s", "Bash", &json!({"command": "tacit when write mock test"}))],
            [1, 1, 0, 0],
        ),
        (
            "asked for by the skill",
            vec![tool("s", "Skill", &json!({"skill": "when", "args": "writing mock tests"}))],
            [1, 1, 0, 0],
        ),
        (
            "asked for by the user",
            vec![line("user", "s", &json!("/when writing mock tests"))],
            [1, 1, 0, 0],
        ),
        (
            "a container is all that is in it",
            vec![tool("s", "Bash", &json!({"command": "tacit when '.Mock Patching'"}))],
            [4, 4, 0, 0],
        ),
        (
            "read in whole",
            vec![
                prompt(),
                tool("s", "Read", &json!({"file_path": "/x/agents/decisions/testing.md"})),
            ],
            [1, 0, 1, 0],
        ),
        (
            "another part was read",
            vec![
                prompt(),
                tool(
                    "s",
                    "Read",
                    &json!({"file_path": "/x/agents/decisions/testing.md", "offset": 10, "limit": 5}),
                ),
            ],
            [1, 0, 0, 0],
        ),
        (
            "another file was read",
            vec![
                prompt(),
                tool("s", "Read", &json!({"file_path": "/x/other-agents/decisions/testing.md"})),
            ],
            [1, 0, 0, 0],
        ),
        (
            "read by a command",
            vec![
                prompt(),
                tool("s", "Bash", &json!({"command": "cat agents/decisions/testing.md"})),
            ],
            [1, 0, 1, 0],
        ),
        ("shown is not used", vec![prompt(), injected()], [1, 0, 0, 0]),
        ("shown is no opportunity", vec![injected()], [0, 0, 0, 0]),
        ("shown and acted on", vec![prompt(), injected(), said()], [1, 0, 0, 1]),
        ("said before it was shown", vec![prompt(), said(), injected()], [1, 0, 0, 0]),
        (
            "the strongest use counts",
            vec![
                prompt(),
                injected(),
                said(),
                tool("s", "Bash", &json!({"command": "tacit when writing mock tests"})),
            ],
            [1, 1, 0, 0],
        ),
        (
            "reminders are not the user's words",
            vec![line(
                "user",
                "s",
                &json!("hello <system-reminder>write tests with mocks</system-reminder>"),
            )],
            [0, 0, 0, 0],
        ),
    ] {
        assert_eq!(total(&lines), expected, "{name}");
    }
}

#[test]
fn sessions_and_days_are_counted_separately() {
    let other = line("user", "b", &json!("write tests with mocks")).replace("11-15", "11-16");
    let lines = [
        line("user", "a", &json!("write tests with mocks")),
        tool(
            "a",
            "Bash",
            &json!({"command": "tacit when writing mock tests; tacit when nothing like it"}),
        ),
        other,
    ];
    let report = measure(&lines);
    let sessions: Vec<(&str, &str, Option<f64>)> = report
        .sessions
        .iter()
        .map(|one| (one.session.as_str(), one.day.as_str(), one.counts.recall()))
        .collect();
    assert_eq!(sessions, [("a", "2026-11-15", Some(1.0)), ("b", "2026-11-16", Some(0.0))]);
    assert_eq!(report.days.len(), 2);
    assert_eq!(report.total.recall(), Some(0.5));
    assert_eq!(report.unresolved, 1);
    let entry = report.entries.iter().find(|e| e.entry == "/when writing mock tests").unwrap();
    assert_eq!((entry.counts.opportunities, entry.counts.invoked), (2, 1));

    let corpus = small();
    let mut since = RecallMeasure::new(&corpus, Some("2026-11-16".into()));
    since.read("file", lines.join("\n").as_bytes()).unwrap();
    assert_eq!(since.report().sessions.len(), 1);
}

#[test]
fn invalid_and_overlong_lines_are_skipped() {
    let good = line("user", "s", &json!("write tests with mocks"));
    let text = format!("{{\"type\": \"us\n\n[]\nnull\n{good}\r\n\u{0}\n{good}");
    let mut steps = 0;
    let counts = read_steps(text.as_bytes(), &mut |_| steps += 1).unwrap();
    assert_eq!((counts.lines, counts.broken, counts.too_long, steps), (6, 4, 0, 2));

    let endless = std::io::repeat(b'x').take(40 * 1024 * 1024);
    let rest = format!("\n{good}\n");
    let reader = BufReader::new(endless.chain(rest.as_bytes()));
    let mut steps = 0;
    let counts = read_steps(reader, &mut |_| steps += 1).unwrap();
    assert_eq!((counts.lines, counts.too_long, steps), (2, 1, 1));
}

/// Lines as the client writes them, shortened.
const RECORDED: &str = r#"
{"parentUuid":null,"isSidechain":false,"attachment":{"type":"hook_success","hookName":"SessionStart:startup","toolUseID":"f","hookEvent":"SessionStart","content":"","stdout":"{}","stderr":"","exitCode":0},"type":"attachment","uuid":"1","timestamp":"2026-11-15T08:03:09.587Z","sessionId":"s"}
{"parentUuid":"1","isSidechain":false,"attachment":{"type":"hook_additional_context","content":["shown"],"hookName":"SessionStart"},"type":"attachment","uuid":"2","timestamp":"2026-11-15T08:03:09.589Z","sessionId":"s"}
{"parentUuid":"2","promptId":"p","type":"user","message":{"role":"user","content":"Go."},"uuid":"3","timestamp":"2026-11-15T08:03:09.640Z","sessionId":"s"}
{"parentUuid":"3","message":{"id":"m","type":"message","role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"false"}}]},"type":"assistant","timestamp":"2026-11-15T08:03:10.000Z","sessionId":"s"}
{"parentUuid":"4","type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"Exit code 1","is_error":true,"tool_use_id":"t"}]},"toolUseResult":"Error: Exit code 1","timestamp":"2026-11-15T08:03:10.100Z","sessionId":"s"}
{"parentUuid":null,"type":"system","subtype":"compact_boundary","content":"Conversation compacted","timestamp":"2026-11-15T08:03:12.616Z","sessionId":"s"}
{"parentUuid":"5","type":"user","message":{"role":"user","content":"This session is being continued\n<system-reminder>x</system-reminder>\nSummary"},"isVisibleInTranscriptOnly":true,"isCompactSummary":true,"timestamp":"2026-11-15T08:03:11.989Z","sessionId":"s"}
{"parentUuid":"6","message":{"role":"assistant","content":[{"type":"text","text":"ok"}]},"type":"assistant","timestamp":"2026-11-15T08:03:16.531Z","sessionId":"s"}
"#;

#[test]
fn real_transcript_lines_are_parsed() {
    let mut steps = Vec::new();
    read_steps(RECORDED.as_bytes(), &mut |step| steps.push(step)).unwrap();
    assert!(steps.iter().all(|step| step.session.as_deref() == Some("s")));
    assert!(steps.iter().all(|step| step.day.as_deref() == Some("2026-11-15")));
    let what: Vec<TranscriptEvent> = steps.into_iter().map(|step| step.what).collect();
    assert_eq!(
        what,
        [
            TranscriptEvent::Injected("shown".into()),
            TranscriptEvent::Prompt("Go.".into()),
            TranscriptEvent::Tool {
                id: Some("t".into()),
                name: "Bash".into(),
                input: json!({"command": "false"}),
            },
            TranscriptEvent::ToolResult { id: Some("t".into()), error: Some("Exit code 1".into()) },
            TranscriptEvent::Injected("x".into()),
            TranscriptEvent::Injected("This session is being continued\n\nSummary".into()),
            TranscriptEvent::AgentMessage("ok".into()),
        ]
    );
}
