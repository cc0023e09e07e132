//! Feedback, reports and session notes.

use serde_json::json;
use tacit_core::log::{LogKind, LogRecord, LogRow, NoteRecord, decode};
use tacit_core::{Review, SessionId};
use tacit_engine::{StoreAccess, StoreScope};
use tacit_store::{ActivityBatch, Event, EventQuery, SessionChange, SessionUpdate};

use crate::{World, ask, keep, refused, with_client};

fn session(id: &str) -> SessionId {
    id.parse().expect("a session id")
}

#[test]
fn notes_are_visible_only_in_their_session() {
    let world = World::new();
    world.in_session("one");
    with_client(&world, async |client| {
        let note = json!({
            "content": "The parser eats newlines; key ghp_0123456789abcdefghijABCDEFGHIJ012345",
            "type": "gotcha", "files": ["src/parse.rs"],
        });
        let (text, value) = ask(&client, "remember_this", note).await;
        assert!(
            text.starts_with("Noted for this session") && text.ends_with("Redacted 1 secret(s).")
        );
        assert_eq!(value["session"], "one");
        let engine = world.engine(StoreAccess::Read(StoreScope::Project));
        let kept = engine.notes(&session("one"), &[], 10).expect("notes").remove(0);
        assert!(!kept.text.contains("0123456789"), "{}", kept.text);
        let NoteRecord::Agent(agent) = &kept.record else { panic!("{kept:?}") };
        assert_eq!(agent.memory_type.as_str(), "gotcha");
        for arguments in [json!({"query": "parser newlines"}), json!({"files": ["src/parse.rs"]})] {
            let (text, value) = ask(&client, "memory_search", arguments).await;
            assert!(
                text.contains("[note · noted in this session] The parser eats newlines"),
                "{text}"
            );
            assert_eq!(value["hits"], json!([]));
            assert_eq!(value["session_notes"].as_array().map(Vec::len), Some(1));
        }
        let (text, _) = ask(&client, "memory_search", json!({"query": "zebra crossing"})).await;
        assert_eq!(text, "No memory answers that.");
        world.in_session("two");
        let (text, _) = ask(&client, "memory_search", json!({"query": "parser newlines"})).await;
        assert_eq!(text, "No memory answers that.");
    });
}

#[test]
fn invalid_notes_are_refused() {
    with_client(&World::new(), async |client| {
        for (arguments, expected) in [
            (json!({}), "Error: missing field `content`"),
            (json!({"content": " "}), "Error: content: is empty"),
            (
                json!({"content": "x".repeat(9_000)}),
                "Error: content: is 9000 bytes long; the limit is 8192",
            ),
        ] {
            assert_eq!(refused(&client, "remember_this", arguments).await, expected);
        }
        let said =
            refused(&client, "remember_this", json!({"content": "x", "type": "thing"})).await;
        assert!(said.starts_with("Error: type: `thing` is not "), "{said}");
    });
}

#[test]
fn a_call_belongs_to_the_session_seen_by_hooks() {
    let world = World::new();
    let told = |id: &str, change: SessionChange| {
        let at = tacit_core::Clock::now(world.clock.as_ref());
        let update =
            SessionUpdate { id: session(id), client: "claude".into(), at, change, held_out: None };
        let row = LogRow {
            kind: "prompt_submitted".into(),
            tool: None,
            subject: None,
            body: "{}".into(),
        };
        let event = Event {
            id: format!("{id}-{}", at.as_millis()),
            session: session(id),
            at,
            record: decode(row).expect("a record"),
        };
        let record = ActivityBatch {
            sessions: vec![update],
            events: vec![event],
            ..ActivityBatch::default()
        };
        world
            .engine(StoreAccess::Write(StoreScope::Project))
            .record(record)
            .expect("it is written");
    };
    with_client(&world, async |client| {
        let noted = async |content: &str| {
            let (_, value) = ask(&client, "remember_this", json!({"content": content})).await;
            value["session"].as_str().expect("a session").to_owned()
        };
        let own = noted("before any hook").await;
        assert!(own.starts_with("mcp-"), "{own}");
        told("watched", SessionChange::Seen);
        assert_eq!(noted("while hooks watch").await, "watched");
        told("watched", SessionChange::Ended("exit".into()));
        assert_eq!(noted("after its end").await, own);
        world.in_session("named");
        assert_eq!(noted("with a name").await, "named");
    });
}

#[test]
fn a_doubtful_memory_is_marked_until_it_was_used() {
    let world = World::new();
    with_client(&world, async |client| {
        let id = keep(&client, "the pool is closed before the fork").await;
        let why = "`close` in pool.rs changed in abc1234 since this was learnt";
        let patch = json!({"stale_at": "2026-11-15T10:30:00Z", "stale_why": why});
        let patch = patch.as_object().expect("an object");
        world.engine(StoreAccess::WriteBoth).edit(&id, patch, None).expect("it is edited");
        let (text, _) = ask(&client, "memory_get", json!({"ids": [id]})).await;
        assert!(text.contains(&format!("[STALE — {why}]")), "{text}");
        let used = json!({"id": id, "verdict": "used"});
        let (text, _) = ask(&client, "memory_feedback", used.clone()).await;
        assert_eq!(
            text,
            format!("Counted: memory {id} was useful. It no longer needs to be verified.")
        );
        let (text, _) = ask(&client, "memory_feedback", used).await;
        assert_eq!(text, format!("Counted: memory {id} was useful."));
        let (text, _) = ask(&client, "memory_get", json!({"ids": [id]})).await;
        assert!(!text.contains("STALE"), "{text}");
    });
}

#[test]
fn verdicts_change_confidence_and_review() {
    let world = World::new();
    with_client(&world, async |client| {
        let read =
            |id: &str| world.engine(StoreAccess::ReadBoth).find(id).expect("a memory").memory;
        let id = keep(&client, "the verdicts of agents are heard").await;
        let used = json!({"id": id, "verdict": "used"});
        let (text, value) = ask(&client, "memory_feedback", used).await;
        assert_eq!(text, format!("Counted: memory {id} was useful."));
        assert_eq!(value["confidence"], 0.67);
        // The next who writes counts what was noted.
        drop(world.engine(StoreAccess::WriteBoth));
        assert_eq!(read(&id).usage.access_count, 1);

        let wrong = json!({"id": id, "verdict": "wrong", "note": "they are not"});
        let (text, _) = ask(&client, "memory_feedback", wrong.clone()).await;
        assert!(
            text.starts_with(&format!("Marked memory {id} as wrong; its confidence is now 0.3")),
            "{text}"
        );
        let memory = read(&id);
        assert_eq!(memory.body.trust.review, Review::Needed);
        assert_eq!(memory.body.confidence.value(), 0.335);
        ask(&client, "memory_feedback", wrong).await;
        assert_eq!(read(&id).body.confidence.value(), 0.335);

        let (_, value) =
            ask(&client, "memory_feedback", json!({"id": id, "verdict": "outdated"})).await;
        assert_eq!(value["review"], "needed");
        let stale = read(&id).body.trust.stale_at;
        assert!(stale.is_some());
        ask(&client, "memory_feedback", json!({"id": id, "verdict": "outdated"})).await;
        assert_eq!(read(&id).body.trust.stale_at, stale);

        let query =
            EventQuery { kinds: vec![LogKind::Feedback], limit: 10, ..EventQuery::default() };
        let events =
            world.engine(StoreAccess::Read(StoreScope::Project)).events(&query).expect("events");
        assert_eq!(events.len(), 5);
        let LogRecord::Feedback(wrong) = &events[3].record else { panic!("{events:?}") };
        assert_eq!(wrong.note.as_deref(), Some("they are not"));

        for (arguments, expected) in [
            (
                json!({"id": id, "verdict": "fine"}),
                "Error: `verdict`: unknown variant `fine`, expected one of `used`, `wrong`, `outdated`".to_owned(),
            ),
            (
                json!({"id": id, "verdict": "wrong", "note": "x".repeat(5_000)}),
                "Error: note: is 5007 bytes long; the limit is 4096".to_owned(),
            ),
        ] {
            assert_eq!(refused(&client, "memory_feedback", arguments).await, expected);
        }
    });
}

#[test]
fn reports_are_logged() {
    let world = World::new();
    world.in_session("one");
    with_client(&world, async |client| {
        let (text, value) = ask(
            &client,
            "report_validation",
            json!({"passed": false, "command": "API_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 make", "summary": "two tests", "files": ["a.rs"]}),
        )
        .await;
        assert_eq!(
            (text.as_str(), &value["session"]),
            ("Recorded that the check failed.", &json!("one"))
        );
        let (text, _) = ask(
            &client,
            "report_work_unit",
            json!({"hierarchy": ["spec_1", "subtask_3"], "status": "succeeded", "summary": "done"}),
        )
        .await;
        assert_eq!(text, "Recorded that the unit of work succeeded.");
        let query =
            EventQuery { session: Some(session("one")), limit: 10, ..EventQuery::default() };
        let events =
            world.engine(StoreAccess::Read(StoreScope::Project)).events(&query).expect("events");
        let [unit, check] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!(unit.record.subject().as_deref(), Some("spec_1/subtask_3"));
        let LogRecord::WorkUnit(unit) = &unit.record else { panic!("{unit:?}") };
        assert_eq!(unit.work_unit.methodology(), "native");
        assert_eq!(unit.work_unit.label(), "Spec 1 / Subtask 3");
        let LogRecord::Check(check) = &check.record else { panic!("{check:?}") };
        assert_eq!((check.passed, check.files.as_slice()), (false, &["a.rs".parse().unwrap()][..]));
        assert!(!format!("{events:?}").contains("0123456789"), "{events:?}");

        for (tool, arguments, expected) in [
            ("report_validation", json!({}), "Error: missing field `passed`"),
            (
                "report_validation",
                json!({"passed": true, "summary": "x".repeat(5_000)}),
                "Error: `summary` is 5000 bytes long; the limit is 4096",
            ),
            (
                "report_work_unit",
                json!({"hierarchy": [], "status": "failed"}),
                "Error: a work unit needs at least one entry in its hierarchy",
            ),
            (
                "report_work_unit",
                json!({"hierarchy": ["a"], "status": "done"}),
                "Error: `status`: unknown variant `done`, expected one of `started`, `succeeded`, `failed`",
            ),
        ] {
            assert_eq!(refused(&client, tool, arguments).await, expected);
        }
    });
}
