//! Rows as earlier versions wrote them, and round trips of any record.

use std::borrow::Cow;
use std::path::Path;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::event::tests::any_event;
use crate::{
    AgentEvent, BuiltinType, Draft, MemoryId, RepoPath, SessionId, Timestamp, UniversalPhase,
    WorkUnitRef,
};

fn row(kind: &str, tool: Option<&str>, subject: Option<&str>, body: &str) -> LogRow<'static> {
    let owned = |text: &str| Cow::Owned(text.to_owned());
    LogRow {
        kind: owned(kind),
        tool: tool.map(owned),
        subject: subject.map(owned),
        body: owned(body),
    }
}

fn unit(hierarchy: &[&str], label: &str) -> WorkUnitRef {
    let hierarchy = hierarchy.iter().map(|&entry| entry.to_owned()).collect();
    WorkUnitRef::new("native", hierarchy, label).expect("a unit")
}

fn path(name: &str) -> RepoPath {
    RepoPath::new(name).expect("a path")
}

fn word(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// The events of clients, as version 1 wrote them.
const VERSION_1_EVENTS: [(&str, &str); 12] = [
    ("session_started", r#"{"session_started":{"source":"startup","model":"m"}}"#),
    ("prompt_submitted", r#"{"prompt_submitted":{"prompt":"go on"}}"#),
    (
        "tool_starting",
        r#"{"tool_starting":{"tool":{"id":"t","name":"Bash","kind":{"shell":{"command":"ls"}}}}}"#,
    ),
    (
        "tool_finished",
        r#"{"tool_finished":{"tool":{"name":"Edit","kind":{"edit":{"file":"/p/a.rs","old":"\"kind\":{\"shell","new":"b"}}},"outcome":{"text":"ok","exit_code":0}}}"#,
    ),
    (
        "tool_failed",
        r#"{"tool_failed":{"tool":{"name":"Bash","kind":{"shell":{"command":"make"}}},"failure":{"error":"no","exit_code":2,"cause":"ran"},"duration_ms":7}}"#,
    ),
    (
        "batch_finished",
        r#"{"batch_finished":{"calls":[{"tool":{"name":"Read","kind":{"read":{"file":"a"}}},"result":"x"}]}}"#,
    ),
    ("turn_stopped", r#"{"turn_stopped":{"last_message":"Done"}}"#),
    ("subagent_started", r#""subagent_started""#),
    ("subagent_stopped", r#"{"subagent_stopped":{"transcript":"/t.jsonl"}}"#),
    ("compacting", r#"{"compacting":{"trigger":"auto"}}"#),
    ("compacted", r#"{"compacted":{"summary":"so far"}}"#),
    ("session_ended", r#"{"session_ended":{"reason":"logout"}}"#),
];

#[test]
fn version_1_client_events_decode() {
    for (kind, what) in VERSION_1_EVENTS {
        let body = format!(r#"{{"client":"claude","session":"s-1","cwd":"/p","what":{what}}}"#);
        let record = decode(row(kind, Some("Bash"), Some("ls"), &body)).expect(kind);
        let told = record.client().expect("a client's");
        assert_eq!(
            (told.name().as_str(), told.tool(), told.subject()),
            (kind, Some("Bash"), Some("ls"))
        );
        let event = told.event().expect(kind);
        assert_eq!(event.name(), told.name());
        // The current version encodes the same event.
        let now = LogRecord::Client(ClientRecord::new(&event, word("ls")).expect("written"));
        let written = now.encode().expect("a row");
        assert!(written.body.starts_with("{\"v\":2,\"client\":\"claude\","), "{}", written.body);
        let again = decode(written.clone()).expect("read");
        assert_eq!(again, now);
        assert_eq!(again.client().expect("a client's").event().expect("read"), event);
    }
}

#[test]
fn call_effects_are_read_without_parsing_the_event() {
    let effect = |kind: serde_json::Value, text: &str| {
        let what = json!({"tool_finished": {
            "tool": {"id": text, "name": text, "kind": kind}, "outcome": {"text": text},
        }});
        let event = json!({"client": "claude", "session": "s", "agent": {"id": "a", "kind": "helper"}, "what": what});
        let event: AgentEvent = serde_json::from_value(event).expect("an event");
        ClientRecord::new(&event, None).expect("a record").effect()
    };
    for text in ["x", r#""kind":{"shell":"#, r#"\"kind\":{\"shell\""#] {
        assert_eq!(effect(json!({"shell": {"command": text}}), text), Some(CallEffect::Runs));
        let edit = json!({"edit": {"file": text, "old": text, "new": text}});
        assert_eq!(effect(edit, text), Some(CallEffect::Changes));
        assert_eq!(effect(json!({"read": {"file": text}}), text), None);
        assert_eq!(effect(json!({"other": {"input": {"kind": {"shell": 1}}}}), text), None);
    }
}

#[test]
fn version_1_reports_decode() {
    let nine = r#"{"methodology":"native","hierarchy":["9"],"label":"Ticket 9"}"#;
    let inner = r#"{"methodology":"native","hierarchy":["9","2"],"label":"Part 2"}"#;
    let memory =
        MemoryId::from_parts(Timestamp::from_millis(1_794_738_600_000).expect("a time"), [7; 10]);
    let validation = format!(
        r#"{{"passed":false,"command":"make","summary":"2 failed","files":["src/a.rs","../x"],"by":"claude 2","work_unit":{inner}}}"#
    );
    let work_unit = format!(
        r#"{{"work_unit":{inner},"status":"failed","summary":"no","decisions":["tabs"],"files":["src/a.rs"],"complexity":"complex","branch":"feature/9","by":"tacit"}}"#
    );
    let of_others = format!(r#"{{"work_unit":{nine},"status":"started","complexity":"epic"}}"#);
    let qa = format!(
        r#"{{"work_unit":{nine},"passed":true,"issues":3,"severe":1,"branch":null,"by":"tacit"}}"#
    );
    let feedback = format!(r#"{{"memory":"{memory}","verdict":"wrong","note":"they are not"}}"#);
    let phase = |phase| PhaseRecord {
        phase,
        methodology: word("native"),
        branch: word("main"),
        by: word("tacit"),
        tool: word("t"),
    };
    let coding = DeclaredPhase { own: "coding".into(), universal: UniversalPhase::Implement };
    let rows = [
        (
            row("validation", Some("t"), Some("make"), &validation),
            LogRecord::Check(CheckRecord {
                passed: false,
                command: word("make"),
                summary: word("2 failed"),
                files: vec![path("src/a.rs")],
                work_unit: Some(unit(&["9", "2"], "Part 2")),
                by: word("claude 2"),
                tool: word("t"),
            }),
        ),
        (
            row("validation", None, None, r#"{"passed":true}"#),
            LogRecord::Check(CheckRecord { passed: true, ..CheckRecord::default() }),
        ),
        (
            row("work_unit", Some("t"), Some("9/2"), &work_unit),
            LogRecord::WorkUnit(WorkUnitRecord {
                summary: word("no"),
                decisions: vec!["tabs".into()],
                files: vec![path("src/a.rs")],
                complexity: Some(Complexity::Complex),
                branch: word("feature/9"),
                by: word("tacit"),
                tool: word("t"),
                ..WorkUnitRecord::new(unit(&["9", "2"], "Part 2"), UnitStatus::Failed)
            }),
        ),
        (
            row("work_unit", None, Some("9"), &of_others),
            LogRecord::WorkUnit(WorkUnitRecord::new(unit(&["9"], "Ticket 9"), UnitStatus::Started)),
        ),
        (
            row(
                "phase",
                Some("t"),
                Some("coding"),
                r#"{"phase":"coding","universal":"implement","methodology":"native","branch":"main","by":"tacit"}"#,
            ),
            LogRecord::Phase(phase(Some(coding))),
        ),
        (
            row(
                "phase",
                Some("t"),
                None,
                r#"{"phase":null,"universal":null,"methodology":"native","branch":"main","by":"tacit"}"#,
            ),
            LogRecord::Phase(phase(None)),
        ),
        (
            row("qa_report", Some("t"), Some("9"), &qa),
            LogRecord::QaReport(QaReportRecord {
                work_unit: Some(unit(&["9"], "Ticket 9")),
                passed: true,
                issues: 3,
                severe: 1,
                branch: None,
                by: word("tacit"),
                tool: word("t"),
            }),
        ),
        (
            row("continued", None, Some("s-0"), r#"{"session":"s-0"}"#),
            LogRecord::Continued(Continuation { session: "s-0".parse().expect("a session") }),
        ),
        (
            row("feedback", Some("t"), Some(&memory.to_string()), &feedback),
            LogRecord::Feedback(FeedbackRecord {
                memory,
                verdict: MemoryVerdict::Wrong,
                note: word("they are not"),
                tool: word("t"),
            }),
        ),
    ];
    for (old, expected) in rows {
        let record = decode(old.clone()).expect("a record");
        assert_eq!(record, expected);
        let new = record.encode().expect("a row");
        assert_eq!((&new.kind, &new.tool, &new.subject), (&old.kind, &old.tool, &old.subject));
        assert!(new.body.starts_with("{\"v\":2,"), "{}", new.body);
        assert_eq!(decode(new), Ok(record.clone()));
    }
}

#[test]
fn version_1_notes_decode() {
    let draft =
        Draft { content: "QA found: no token.".into(), confidence: Some(0.8), ..Draft::default() };
    let failure = json!({
        "draft": draft, "work_unit": unit(&["9"], "Ticket 9"),
        "issue": {"issue": "no token", "file": "src/a.rs", "module": null, "what_was_tried": null, "what_should_be_done": "add one"},
    });
    let agent = |memory_type: BuiltinType, by: Option<&str>| {
        NoteRecord::Agent(AgentNote { memory_type: memory_type.into(), by: by.map(str::to_owned) })
    };
    let inferred = |error: Option<&str>, context| {
        let basis = error.map(|_| "error_fix".to_owned());
        NoteRecord::Inferred(InferredNote {
            basis,
            error: error.map(str::to_owned),
            agent: None,
            context,
        })
    };
    let sha = "0123456789abcdef0123456789abcdef01234567";
    let commit = format!(r#"{{"sha":"{sha}","branch":"main","dir":"sub","amend":true}}"#);
    let rows = [
        (
            "agent",
            r#"{"type":"gotcha","by":"claude 2"}"#,
            agent(BuiltinType::Gotcha, Some("claude 2")),
        ),
        ("agent", "{}", agent(BuiltinType::ModuleInsight, None)),
        (
            "commit",
            commit.as_str(),
            NoteRecord::Commit(CommitNote {
                sha: sha.parse().expect("a commit"),
                branch: word("main"),
                dir: word("sub"),
                amend: true,
            }),
        ),
        (
            "place",
            r#"{"branch":null,"worktree":"/p"}"#,
            NoteRecord::Checkout(CheckoutNote { branch: None, worktree: word("/p"), client: None }),
        ),
        (
            "inferred",
            r#"{"basis":"error_fix","error":"zq1","agent":null,"context":2}"#,
            inferred(Some("zq1"), 2),
        ),
        ("inferred", "{}", inferred(None, 0)),
        ("observation", "{}", NoteRecord::Observation),
        (
            "qa_failure",
            &failure.to_string(),
            NoteRecord::QaFailure(Box::new(QaFailureNote {
                draft,
                work_unit: Some(unit(&["9"], "Ticket 9")),
                issue: Some(QaFinding {
                    issue: "no token".into(),
                    file: Some(path("src/a.rs")),
                    what_should_be_done: word("add one"),
                    ..QaFinding::default()
                }),
            })),
        ),
    ];
    for (kind, body, expected) in rows {
        let note = NoteRecord::decode(kind, body).expect(kind);
        assert_eq!(note, expected);
        assert_eq!(note.kind().as_str(), kind);
        let written = note.encode().expect("written");
        assert!(written.starts_with("{\"v\":2"), "{written}");
        assert_eq!(NoteRecord::decode(kind, &written), Ok(note));
    }
}

#[test]
fn unreadable_rows_are_refused_with_a_reason() {
    for (kind, body, reason) in [
        ("told", "{}", "`told` is not a kind of event"),
        ("validation", "{}", "missing field `passed`"),
        ("validation", "{half", "cannot be read from the log"),
        ("validation", r#"{"v":3,"passed":true}"#, "is of version 3 of the log"),
        ("validation", r#"{"v":99999999999,"passed":true}"#, "this program reads up to version 2"),
        (
            "work_unit",
            r#"{"work_unit":{"methodology":"n","hierarchy":[],"label":"l"},"status":"started"}"#,
            "at least one entry",
        ),
        ("phase", r#"{"phase":"coding"}"#, "without its meaning"),
        ("continued", r#"{"session":""}"#, "is not a session id"),
    ] {
        let problem = decode(row(kind, None, None, body)).expect_err(kind).to_string();
        assert!(problem.contains(reason), "{problem}");
    }
    let late = decode(row("tool_finished", None, None, "{half")).expect("columns are read");
    assert!(late.check().is_err());
    assert!(NoteRecord::decode("commit", r#"{"sha":"no"}"#).is_err());
    assert!(NoteRecord::decode("said", "{}").is_err());
}

#[test]
fn every_text_of_a_record_is_visited() {
    let mut check = LogRecord::Check(CheckRecord {
        passed: true,
        command: word("secret"),
        summary: word("a secret"),
        files: vec![path("src/secret.rs")],
        work_unit: Some(unit(&["secret"], "secret")),
        by: word("secret"),
        tool: word("secret"),
    });
    let hide = &mut |_: Option<&str>, text: &mut String| *text = text.replace("secret", "gone");
    check.visit_texts(hide).expect("a record");
    let row = check.encode().expect("a row");
    assert!(!format!("{row:?}").contains("secret"), "{row:?}");
    assert_eq!((row.subject.as_deref(), row.tool.as_deref()), (Some("gone"), Some("gone")));

    let what = json!({"tool_failed": {
        "tool": {"id": "secret", "name": "secret", "kind": {"shell": {"command": "secret"}}},
        "failure": {"error": "secret", "cause": "ran"},
    }});
    let event = json!({"client": "claude", "session": "s", "what": what});
    let event: AgentEvent = serde_json::from_value(event).expect("an event");
    let mut told = LogRecord::Client(ClientRecord::new(&event, word("secret")).expect("a record"));
    told.visit_texts(hide).expect("a record");
    assert!(!format!("{:?}", told.encode()).contains("secret"), "{told:?}");

    let mut note = NoteRecord::QaFailure(Box::new(QaFailureNote {
        draft: Draft { content: "secret".into(), ..Draft::default() },
        work_unit: Some(unit(&["secret"], "secret")),
        issue: Some(QaFinding {
            issue: "secret".into(),
            module: word("secret"),
            ..QaFinding::default()
        }),
    }));
    note.visit_texts(hide).expect("a note");
    assert!(!format!("{note:?}").contains("secret"), "{note:?}");

    // A record whose name was cleared is invalid.
    let clear = &mut |_: Option<&str>, text: &mut String| text.clear();
    assert!(check.visit_texts(clear).is_err());
}

#[test]
fn records_serialise_as_their_columns() {
    let record =
        LogRecord::Check(CheckRecord { passed: true, tool: word("t"), ..CheckRecord::default() });
    let json = serde_json::to_value(&record).expect("JSON");
    assert_eq!(
        (&json["kind"], &json["tool"], &json["subject"]),
        (&json!("validation"), &json!("t"), &json!(null))
    );
    assert_eq!(serde_json::from_value::<LogRecord>(json).expect("a record"), record);
    let old = r#"{"kind":"turn_stopped","tool":null,"subject":null,"body":"{\"client\":\"claude\",\"session\":\"s\",\"what\":{\"turn_stopped\":{}}}"}"#;
    let old: LogRecord = serde_json::from_str(old).expect("a record");
    assert_eq!(old.check(), Ok(()));
}

fn text() -> impl Strategy<Value = String> {
    "[ -~é✓\n\"\\\\{}]{0,24}"
}

fn paths() -> impl Strategy<Value = Vec<RepoPath>> {
    vec("[a-z]{1,6}/[a-z]{1,6}\\.rs".prop_map(|name| path(&name)), 0..3)
}

fn units() -> impl Strategy<Value = WorkUnitRef> {
    (vec("[a-z0-9]{1,6}", 1..4), "[A-Za-z ]{0,9}x").prop_map(|(hierarchy, label)| {
        WorkUnitRef::new("native", hierarchy, label.trim()).expect("a unit")
    })
}

fn one_of<T: Copy + std::fmt::Debug + 'static>(all: &'static [T]) -> impl Strategy<Value = T> {
    proptest::sample::select(all)
}

fn told() -> impl Strategy<Value = LogRecord> {
    (0..VERSION_1_EVENTS.len(), text(), of(text())).prop_map(|(which, text, subject)| {
        let body =
            format!(r#"{{"client":"claude","session":"s","what":{}}}"#, VERSION_1_EVENTS[which].1);
        let mut event: AgentEvent = serde_json::from_str(&body).expect("an event");
        event.visit_texts(&mut |_, old| old.clone_from(&text));
        LogRecord::Client(ClientRecord::new(&event, subject).expect("a record"))
    })
}

fn records() -> impl Strategy<Value = LogRecord> {
    let by = || (of(text()), of(text()), of(text()));
    let checks =
        (any::<bool>(), of(text()), of(text()), paths(), of(units()), of(text()), of(text()))
            .prop_map(|(passed, command, summary, files, work_unit, by, tool)| {
                LogRecord::Check(CheckRecord {
                    passed,
                    command,
                    summary,
                    files,
                    work_unit,
                    by,
                    tool,
                })
            });
    let work = (
        (units(), one_of(UnitStatus::ALL), of(text()), vec(text(), 0..3)),
        (paths(), of(one_of(Complexity::ALL)), by()),
    )
        .prop_map(
            |((work_unit, status, summary, decisions), (files, complexity, (branch, by, tool)))| {
                LogRecord::WorkUnit(WorkUnitRecord {
                    work_unit,
                    status,
                    summary,
                    decisions,
                    files,
                    complexity,
                    branch,
                    by,
                    tool,
                })
            },
        );
    let declared = (text(), one_of(UniversalPhase::ALL))
        .prop_map(|(own, universal)| DeclaredPhase { own, universal });
    let phases =
        (of(declared), of(text()), by()).prop_map(|(phase, methodology, (branch, by, tool))| {
            LogRecord::Phase(PhaseRecord { phase, methodology, branch, by, tool })
        });
    let qa = (of(units()), any::<bool>(), 0..99_usize, 0..9_usize, by()).prop_map(
        |(work_unit, passed, issues, severe, (branch, by, tool))| {
            LogRecord::QaReport(QaReportRecord {
                work_unit,
                passed,
                issues,
                severe,
                branch,
                by,
                tool,
            })
        },
    );
    let continued = "[a-z0-9-]{1,20}".prop_map(|session| {
        LogRecord::Continued(Continuation { session: session.parse().expect("a session") })
    });
    let feedback = (any::<[u8; 10]>(), one_of(MemoryVerdict::ALL), of(text()), of(text()))
        .prop_map(|(bytes, verdict, note, tool)| {
            let memory =
                MemoryId::from_parts(Timestamp::from_millis(1_000).expect("a time"), bytes);
            LogRecord::Feedback(FeedbackRecord { memory, verdict, note, tool })
        });
    prop_oneof![told(), checks, work, phases, qa, continued, feedback]
}

fn notes() -> impl Strategy<Value = NoteRecord> {
    let agent = (one_of(BuiltinType::ALL), of(text())).prop_map(|(memory_type, by)| {
        NoteRecord::Agent(AgentNote { memory_type: memory_type.into(), by })
    });
    let commit = ("[0-9a-f]{40}", of(text()), of(text()), any::<bool>()).prop_map(
        |(sha, branch, dir, amend)| {
            NoteRecord::Commit(CommitNote {
                sha: sha.parse().expect("a commit"),
                branch,
                dir,
                amend,
            })
        },
    );
    let place = (of(text()), of(text())).prop_map(|(branch, worktree)| {
        NoteRecord::Checkout(CheckoutNote { branch, worktree, client: None })
    });
    let inferred = (of(text()), of(text()), of(text()), any::<u32>()).prop_map(
        |(basis, error, agent, context)| {
            NoteRecord::Inferred(InferredNote { basis, error, agent, context })
        },
    );
    let finding = (text(), paths(), of(text()), of(text()), of(text())).prop_map(
        |(issue, mut files, module, what_was_tried, what_should_be_done)| QaFinding {
            issue,
            file: files.pop(),
            module,
            what_was_tried,
            what_should_be_done,
        },
    );
    let failure = (text(), vec(text(), 0..3), of(units()), of(finding)).prop_map(
        |(content, tags, work_unit, issue)| {
            let draft = Draft { content, tags, work_unit: work_unit.clone(), ..Draft::default() };
            NoteRecord::QaFailure(Box::new(QaFailureNote { draft, work_unit, issue }))
        },
    );
    prop_oneof![agent, commit, place, inferred, Just(NoteRecord::Observation), failure]
}

const ANY_JSON: &str = "(\\{|\\}|\\[|\\]|\"(v|passed|kind|status|work_unit|session|what|draft)\"|:|,|null|true|2|\"|\\\\|é|[0-9]{1,22}){0,40}";

#[test]
fn shared_fields_are_split_only_from_rows_of_their_session() {
    let session = |name: &str| name.parse::<SessionId>().expect("a session");
    let split = |body: &str| {
        let mut columns = row("turn_stopped", None, None, body);
        let paths = columns.split_paths(&session("s-1"));
        (paths, columns.body.into_owned())
    };
    let end = r#""what":{"turn_stopped":{}}}"#;
    let paths = |cwd, transcript| Some(EventPaths { cwd, transcript });
    for (fields, expected) in [
        (r#""session":"s-1","#, paths(None, None)),
        (r#""session":"s-1","cwd":"/p","#, paths(word("/p"), None)),
        (r#""session":"s-1","transcript":"C:\\t","#, paths(None, word("C:\\t"))),
        (r#""session":"s-1","cwd":"/\"é","transcript":"","#, paths(word("/\"é"), word(""))),
    ] {
        let body = format!(r#"{{"v":2,"client":"claude",{fields}{end}"#);
        let short = format!(r#"{{"v":2,"client":"claude",{end}"#);
        assert_eq!(split(&body), (expected.clone(), short.clone()));
        let mut restored = short;
        expected.expect("paths").join(&session("s-1"), &mut restored);
        assert_eq!(restored, body);
    }
    for whole in [
        format!(r#"{{"v":2,"client":"claude","session":"s-2",{end}"#),
        format!(r#"{{"client":"claude","session":"s-1",{end}"#),
        format!(r#"{{"v":2,"client":"claude","session":"s-1","cwd":"\u0041",{end}"#),
        format!(r#"{{"v":2,"client":"claude","session":"s-1","later":1,{end}"#),
        r#"{"v":2,"passed":true}"#.to_owned(),
        r#"{"v":2,"client":"claude","session":"s-1","cwd":"#.to_owned(),
        String::new(),
    ] {
        assert_eq!(split(&whole), (None, whole.clone()));
    }
}

proptest! {
    #[test]
    fn records_survive_a_round_trip(record in records()) {
        prop_assert_eq!(record.check(), Ok(()));
        let row = record.encode().expect("a row");
        prop_assert_eq!(decode(row.clone()), Ok(record.clone()));
        let json = serde_json::to_string(&record).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<LogRecord>(&json).expect("a record"), record.clone());
        let mut seen = record.clone();
        seen.visit_texts(&mut |_, _| {}).expect("a record");
        prop_assert_eq!(seen, record);
    }

    #[test]
fn stored_events_are_restored(event in any_event(), repeated in 0..90_usize) {
        let mut event = event;
        event.visit_texts(&mut |_, text| *text = text.repeat(repeated));
        let record = LogRecord::Client(ClientRecord::new(&event, word("a")).expect("a record"));
        let row = StoredRow::of(&record, &event.session).expect("a row");
        let paths = row.paths.as_ref().expect("paths");
        prop_assert_eq!(paths.cwd.as_deref(), event.cwd.as_deref().and_then(Path::to_str));
        prop_assert_eq!(row.packed.is_some(), row.body.is_empty());
        prop_assert!(row.body.len() < 512 || row.packed.is_none());
        let read = row.decode(&event.session).expect("a record");
        prop_assert_eq!(read.clone().client().expect("one").event(), Ok(event));
        prop_assert_eq!(read, record);
    }

    #[test]
    fn stored_reports_are_restored(record in records()) {
        let session = "s".parse().expect("a session");
        let row = StoredRow::of(&record, &session).expect("a row");
        prop_assert_eq!(row.decode(&session), Ok(record));
    }

    #[test]
    fn notes_survive_a_round_trip(note in notes()) {
        let body = note.encode().expect("a body");
        prop_assert_eq!(NoteRecord::decode(note.kind().as_str(), &body), Ok(note.clone()));
        let mut seen = note.clone();
        seen.visit_texts(&mut |_, _| {}).expect("a note");
        prop_assert_eq!(seen, note);
    }

    #[test]
    fn any_row_decodes_without_panic(text in prop_oneof![ANY_JSON.boxed(), ".{0,60}".boxed()], kind in ".{0,12}") {
        let kinds = ["validation", "work_unit", "phase", "qa_report", "continued", "feedback", "tool_finished", "agent", "commit", "place", "inferred", "observation", "qa_failure", &kind];
        for kind in kinds {
            for body in [text.clone(), format!("{{\"v\":2,{text}}}")] {
                let _ = NoteRecord::decode(kind, &body);
                let subject = Some(text.as_str());
                let session: SessionId = "s".parse().expect("a session");
                let mut short = row(kind, subject, subject, &body);
                if let Some(paths) = short.split_paths(&session) {
                    let mut restored = short.body.into_owned();
                    paths.join(&session, &mut restored);
                    prop_assert_eq!(&restored, &body);
                }
                if let Ok(mut record) = decode(row(kind, subject, subject, &body)) {
                    let _ = record.check();
                    let _ = record.client().map(ClientRecord::effect);
                    let _ = record.visit_texts(&mut |_, text| text.clear());
                }
            }
        }
    }
}
