//! Property tests: any event survives a round trip, and shortening is idempotent.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn maybe_text() -> impl Strategy<Value = Option<String>> {
    prop::option::of(".{0,40}")
}

fn kind() -> impl Strategy<Value = ToolKind> {
    let input = prop::sample::select(vec![
        json!(null),
        json!({"a": [1, -2.5, "x"], "b": {"c": null}}),
        json!("text"),
        json!([]),
    ]);
    prop_oneof![
        (".{0,40}", any::<bool>())
            .prop_map(|(command, background)| ToolKind::Shell { command, background }),
        ".{0,40}".prop_map(|file| ToolKind::Read { file }),
        (".{0,9}", ".{0,40}", ".{0,40}").prop_map(|(file, old, new)| ToolKind::Edit {
            file,
            old,
            new
        }),
        (".{0,9}", ".{0,40}").prop_map(|(file, content)| ToolKind::Write { file, content }),
        (prop::collection::vec(".{0,9}", 0..3), ".{0,40}")
            .prop_map(|(files, patch)| ToolKind::Patch { files, patch }),
        (".{0,9}", maybe_text()).prop_map(|(pattern, path)| ToolKind::Search { pattern, path }),
        ("[a-z]{1,9}", "[a-z]{1,9}", input.clone())
            .prop_map(|(server, tool, input)| ToolKind::Mcp { server, tool, input }),
        (maybe_text(), ".{0,40}").prop_map(|(kind, prompt)| ToolKind::Agent { kind, prompt }),
        (".{0,9}", maybe_text()).prop_map(|(name, args)| ToolKind::Skill { name, args }),
        input.prop_map(|input| ToolKind::Other { input }),
    ]
}

fn tool() -> impl Strategy<Value = ToolUse> {
    (maybe_text(), "[A-Za-z_]{1,12}", kind()).prop_map(|(id, name, kind)| ToolUse {
        id,
        name,
        kind,
    })
}

fn failure() -> impl Strategy<Value = ToolFailure> {
    let cause = prop::sample::select(vec![
        FailureCause::Ran,
        FailureCause::Rejected,
        FailureCause::UnknownTool,
        FailureCause::BadInput,
        FailureCause::Denied,
        FailureCause::Interrupted,
    ]);
    (".{0,40}", any::<Option<i32>>(), any::<bool>(), cause).prop_map(
        |(error, exit_code, is_interrupt, cause)| ToolFailure {
            error,
            exit_code,
            is_interrupt,
            cause,
        },
    )
}

fn what() -> impl Strategy<Value = EventKind> {
    let source = prop::sample::select(StartSource::ALL);
    let trigger = prop::option::of(prop::sample::select(CompactTrigger::ALL));
    let outcome = (maybe_text(), any::<Option<i32>>(), any::<bool>())
        .prop_map(|(text, exit_code, interrupted)| ToolOutcome { text, exit_code, interrupted });
    let call = (tool(), maybe_text(), prop::option::of(failure()))
        .prop_map(|(tool, result, failure)| BatchCall { tool, result, failure });
    prop_oneof![
        (source, maybe_text())
            .prop_map(|(source, model)| EventKind::SessionStarted { source, model }),
        (".{0,40}", any::<bool>(), any::<bool>()).prop_map(|(prompt, automatic, planning)| {
            EventKind::PromptSubmitted { prompt, automatic, planning }
        }),
        (tool(), any::<bool>())
            .prop_map(|(tool, can_ask)| EventKind::ToolStarting { tool, can_ask }),
        (tool(), outcome, any::<Option<u64>>()).prop_map(|(tool, outcome, duration_ms)| {
            EventKind::ToolFinished { tool, outcome, duration_ms }
        }),
        (tool(), failure(), any::<Option<u64>>()).prop_map(|(tool, failure, duration_ms)| {
            EventKind::ToolFailed { tool, failure, duration_ms }
        }),
        prop::collection::vec(call, 0..3).prop_map(|calls| EventKind::BatchFinished { calls }),
        (any::<bool>(), maybe_text()).prop_map(|(stop_hook_active, last_message)| {
            EventKind::TurnStopped { stop_hook_active, last_message }
        }),
        Just(EventKind::SubagentStarted),
        (any::<bool>(), maybe_text(), maybe_text()).prop_map(|(active, last_message, path)| {
            EventKind::SubagentStopped {
                stop_hook_active: active,
                last_message,
                transcript: path.map(PathBuf::from),
            }
        }),
        (trigger.clone(), maybe_text()).prop_map(|(trigger, instructions)| {
            EventKind::Compacting { trigger, instructions }
        }),
        (trigger, maybe_text())
            .prop_map(|(trigger, summary)| EventKind::Compacted { trigger, summary }),
        maybe_text().prop_map(|reason| EventKind::SessionEnded { reason }),
    ]
}

pub(crate) fn any_event() -> impl Strategy<Value = AgentEvent> {
    let agent = (".{0,9}", maybe_text()).prop_map(|(id, kind)| Subagent { id, kind });
    (
        prop::sample::select(ClientName::ALL),
        "[a-z0-9-]{1,36}",
        maybe_text(),
        maybe_text(),
        prop::option::of(agent),
        what(),
    )
        .prop_map(|(client, session, cwd, transcript, agent, what)| AgentEvent {
            client,
            session: SessionId::new(session).expect("a session id"),
            cwd: cwd.map(PathBuf::from),
            transcript: transcript.map(PathBuf::from),
            agent,
            kind: what,
        })
}

proptest! {
    #[test]
    fn events_survive_a_json_round_trip(event in any_event()) {
        let line = serde_json::to_string(&event).expect("JSON");
        prop_assert!(!line.contains('\n'));
        prop_assert_eq!(serde_json::from_str::<AgentEvent>(&line).expect("an event"), event);
    }

    #[test]
    fn small_events_stay_whole_and_shortening_is_idempotent(event in any_event(), tight in 0..64_usize) {
        let mut same = event.clone();
        same.shorten(&EventLimits::default());
        prop_assert_eq!(&same, &event);
        let limits = EventLimits {
            output_head: tight, output_tail: tight, content: tight, found: tight,
        };
        let mut once = event;
        once.shorten(&limits);
        let mut twice = once.clone();
        twice.shorten(&limits);
        prop_assert_eq!(twice, once);
    }
}

#[test]
fn absent_fields_are_not_serialised() {
    let event = AgentEvent {
        client: ClientName::Claude,
        session: SessionId::new("s-1").expect("a session id"),
        cwd: Some(PathBuf::from("/srv/app")),
        transcript: None,
        agent: None,
        kind: EventKind::ToolFinished {
            tool: ToolUse {
                id: Some("t1".into()),
                name: "Bash".into(),
                kind: ToolKind::Shell { command: "make".into(), background: false },
            },
            outcome: ToolOutcome { text: Some("ok".into()), ..ToolOutcome::default() },
            duration_ms: Some(12),
        },
    };
    assert_eq!(
        serde_json::to_string(&event).expect("JSON"),
        concat!(
            r#"{"client":"claude","session":"s-1","cwd":"/srv/app","what":{"tool_finished":"#,
            r#"{"tool":{"id":"t1","name":"Bash","kind":{"shell":{"command":"make"}}},"#,
            r#""outcome":{"text":"ok"},"duration_ms":12}}}"#,
        )
    );
}

#[test]
fn records_of_a_batch_keep_only_failures_that_nothing_else_reports() {
    let call = |id: &str, rest: serde_json::Value| {
        let mut call = json!({
            "tool": {"id": id, "name": "Bash", "kind": {"shell": {"command": "make"}}},
        });
        call.as_object_mut().expect("an object").extend(rest.as_object().expect("one").clone());
        call
    };
    let failure = |cause: &str| json!({"failure": {"error": "no", "cause": cause}});
    let event = |what| {
        let event = json!({"client": "claude", "session": "s", "what": what});
        serde_json::from_value::<AgentEvent>(event).expect("an event")
    };
    let kept = |mut event: AgentEvent| {
        event.drop_repeated();
        event
    };
    let brief = |id: &str| json!({"tool": {"id": id, "name": "Bash", "kind": {"other": {}}}});
    let batch = |calls| event(json!({"batch_finished": {"calls": calls}}));
    let calls = json!([
        call("finished", json!({"result": "all of it"})),
        call("failed", failure("ran")),
        call("stopped", failure("interrupted")),
        call("rejected", failure("rejected")),
        call("denied", failure("denied")),
    ]);
    let expected = json!([
        brief("finished"),
        brief("failed"),
        brief("stopped"),
        call("rejected", failure("rejected")),
        call("denied", failure("denied")),
    ]);
    assert_eq!(kept(batch(calls)), batch(expected));

    let starting = event(json!({"tool_starting": call("t", json!({}))}));
    assert_eq!(kept(starting), event(json!({"tool_starting": brief("t")})));
    let finished = event(json!({"tool_finished": call("t", json!({"outcome": {"text": "ok"}}))}));
    assert_eq!(kept(finished.clone()), finished);
}

#[test]
fn reads_keep_their_start_and_the_number_of_bytes() {
    let read = |kind: serde_json::Value, text: &str| {
        let what = json!({"tool_finished": {
            "tool": {"name": "Read", "kind": kind}, "outcome": {"text": text},
        }});
        let event = json!({"client": "claude", "session": "s", "what": what});
        let mut event: AgentEvent = serde_json::from_value(event).expect("an event");
        event.shorten(&EventLimits::default());
        let EventKind::ToolFinished { outcome, .. } = event.kind else { unreachable!() };
        outcome.text.expect("a text")
    };
    let long = format!("package main{}", "\nlet x = 1;".repeat(9_000));
    for kind in [json!({"read": {"file": "a"}}), json!({"search": {"pattern": "x"}})] {
        let text = read(kind.clone(), &long);
        assert!(text.starts_with("package main\n") && text.len() < 400, "{text}");
        assert_eq!(bytes_cut(&text), Some(long.len() as u64 - 256));
        assert_eq!(read(kind, "package main"), "package main");
    }
    assert!(read(json!({"shell": {"command": "cat a"}}), &long).len() > 8_000);
}
