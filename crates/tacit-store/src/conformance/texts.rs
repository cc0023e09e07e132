//! Cases about texts and times: every character and every moment survives.

use serde_json::json;
use tacit_core::log::{ClientRecord, LogRecord, NoteRecord};
use tacit_core::{AgentEvent, Fate};

use super::activity::{path, session, update};
use super::*;
use crate::{ErrorOccurrences, LoggedSignal, ObservedState, ObservedTree, TreeUsage};

/// Texts that databases, collations and encodings may change.
const TEXTS: [&str; 12] = [
    "naïve café, and cafe\u{301} decomposed",
    "数据库连接在测试环境中会超时",
    "🦀🏳️‍🌈 emoji, family 👨‍👩‍👧‍👦",
    "مرحبا \u{202e}right to left\u{202c}",
    "ﬁ ligature, ß, İstanbul, ı",
    "zero\u{200b}width and \u{a0}spaces",
    "quotes ' \" ` $$ \\ % _ ; --",
    "line\nbreak\tand tab",
    "\\u0000 \\x00 &#0; %00",
    "\u{fffd}\u{ffff}\u{10ffff} at the end",
    "trailing backslash \\",
    "{\"json\": [null]} $1 ?1 :name @x",
];

pub fn texts_of_memories_survive(store: &mut dyn Store) {
    let memories: Vec<Memory> = (1..)
        .zip(TEXTS)
        .map(|(number, text)| {
            let line: String = text.replace(['\n', '\t'], " ");
            with(
                number,
                Draft {
                    content: text.into(),
                    title: Some(line.chars().take(60).collect()),
                    reasoning: Some(text.into()),
                    cues: vec![line.clone()],
                    related_modules: vec![line.clone()],
                    references: vec![line.clone()],
                    author: Some(line.clone()),
                    ..Draft::default()
                },
            )
        })
        .collect();
    store_all(store, &memories);
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    assert_eq!(store.read(&ids).expect("read"), memories);
    for memory in &memories {
        let author = memory.body.origin.author.clone();
        let filter = Filter { author, ..Filter::everything() };
        assert_eq!(list(store, filter), [memory.id.as_bytes()[15]], "{memory:?}");
    }
    // The history tells the same.
    let query = ChangeQuery { limit: 1, ..ChangeQuery::default() };
    let change = store.changes(&query).expect("changes").remove(0);
    for (memory, item) in memories.iter().zip(change.items) {
        let fields = serde_json::Value::Object(item.after.expect("fields"));
        assert_eq!(&Memory::from_json(fields).expect("a memory"), memory);
    }
}

pub fn long_texts_survive(store: &mut dyn Store) {
    let kept = with(
        1,
        Draft {
            content: "naïve wörds ".repeat(550),
            reasoning: Some("b".repeat(4 * 1024)),
            title: Some("é".repeat(120)),
            tags: vec!["t".repeat(64)],
            related_files: vec![format!("{}/a.rs", vec!["folder"; 60].join("/"))],
            ..Draft::default()
        },
    );
    store_all(store, std::slice::from_ref(&kept));
    assert_eq!(store.read(&[kept.id]).expect("read"), std::slice::from_ref(&kept));
    let tags = Filter { tags: kept.body.tags.iter().cloned().collect(), ..Filter::everything() };
    assert_eq!(list(store, tags), [1]);
    let files = Filter { files: kept.body.files.iter().cloned().collect(), ..Filter::everything() };
    assert_eq!(list(store, files), [1]);
}

pub fn details_of_any_json_survive(store: &mut dyn Store) {
    let details = json!({
        "z": 1, "a": {"nested": [null, true, -1.5e-9, 9_007_199_254_740_993_i64, "\u{0}é"]},
        "": "empty", "u64": u64::MAX, "tiny": 5e-324,
    });
    let kind = Some("team:habit".into());
    let draft =
        Draft { content: "a habit".into(), kind, details: Some(details), ..Draft::default() };
    let kept = with(1, draft);
    store_all(store, std::slice::from_ref(&kept));
    let read = store.read(&[kept.id]).expect("read").remove(0);
    assert_eq!(read.to_json().to_string(), kept.to_json().to_string(), "in the same order");
}

/// Any text with every character that a session may bring, U+0000 among them.
fn any_text() -> String {
    format!("\u{0}start \u{1}\u{7f}\u{feff} {} end\u{0}", TEXTS.join("\r\n"))
}

pub fn texts_of_sessions_survive_with_nul(store: &mut dyn Store) {
    let text = any_text();
    let said: AgentEvent = serde_json::from_value(json!({
        "client": "claude", "session": "s", "cwd": text, "transcript": text,
        "what": {"turn_stopped": {"last_message": text.repeat(20)}},
    }))
    .expect("an event");
    let record = LogRecord::Client(ClientRecord::new(&said, Some(text.clone())).expect("a record"));
    let event = Event { id: text.clone(), session: session("s"), at: at(1), record };
    let injection = Injection {
        session: session("s"),
        agent: Some(text.clone()),
        context: 0,
        at: at(1),
        layer: text.clone(),
        event: text.clone(),
        memory: None,
        text: text.clone(),
        tokens: u32::MAX,
        why: text.clone(),
        withheld: false,
        fate: None,
    };
    let note = Note {
        id: text.clone(),
        session: session("s"),
        at: at(1),
        text: text.clone(),
        files: vec![path("src/é \"'.rs")],
        record: NoteRecord::Observation,
    };
    let ended = SessionUpdate {
        client: text.clone(),
        ..update("s", 1, SessionChange::Ended(text.clone()))
    };
    let batch = ActivityBatch {
        sessions: vec![ended],
        events: vec![event.clone()],
        injections: vec![injection.clone()],
        notes: vec![note.clone()],
    };
    store.record(&batch).expect("record");
    store.record(&batch).expect("record again");
    let subject = EventQuery { subject: Some(text.clone()), limit: 9, ..EventQuery::default() };
    assert_eq!(store.events(&subject).expect("events"), [event]);
    assert_eq!(store.transcripts().expect("transcripts"), std::slice::from_ref(&text));
    let found = store.session(&session("s")).expect("read").expect("a session");
    assert_eq!((found.client, found.ended), (text.clone(), Some(text.clone())));
    assert_eq!(store.notes(&session("s"), &note.files, 9).expect("notes"), [note]);

    let judged = JudgedFate { fate: Fate::Cited, why: text.clone() };
    let fate = InjectionFate {
        event: text.clone(),
        memory: None,
        text: text.clone(),
        judged: judged.clone(),
    };
    store.set_fates(&[fate]).expect("fates");
    let shown = InjectionQuery { events: vec![text], limit: 9, ..InjectionQuery::default() };
    let expected = Injection { fate: Some(judged), ..injection };
    assert_eq!(store.injections(&shown).expect("injections"), [expected]);
}

pub fn texts_of_observations_survive_with_nul(store: &mut dyn Store) {
    let text = any_text();
    let error = ErrorOccurrences {
        fingerprint: "f".into(),
        tool: text.clone(),
        message: text.clone(),
        count: 1,
        resolved_how: Some(text.clone()),
    };
    let signal = LoggedSignal { kind: text.clone(), body: text.clone(), score: Some(1.0 / 3.0) };
    let observed = ObservedTree {
        tree: session("s"),
        sessions: vec![(session("s"), at(1))],
        at: at(1),
        state: ObservedState::Done,
        digest: text.clone(),
        signals: vec![signal.clone()],
        usage: TreeUsage { errors: vec![error.clone()], ..TreeUsage::default() },
    };
    store.save_observed_tree(&observed).expect("keep");
    store.save_observed_tree(&observed).expect("keep again");
    assert_eq!(store.digests(9).expect("digests"), [text]);
    assert_eq!(store.signals(&session("s")).expect("signals"), [signal]);
    assert_eq!(store.error_occurrences("f").expect("error"), Some(error));
}

pub fn requests_have_any_name(store: &mut dyn Store) {
    let mut transaction = begin(store);
    for name in TEXTS {
        assert!(transaction.claim_request(name).expect("claim"), "{name}");
        assert!(!transaction.claim_request(name).expect("claim"), "{name}");
    }
    transaction.commit().expect("commit");
    for name in TEXTS {
        assert_eq!(store.count_requests(name).expect("count"), 1, "{name}");
    }
    // A beginning is compared character by character, without case and pattern.
    for (beginning, count) in [("quotes", 1), ("Quotes", 0), ("%", 0), ("quotes ' _", 0), ("", 12)]
    {
        assert_eq!(store.count_requests(beginning).expect("count"), count, "{beginning}");
    }
}

pub fn names_are_ordered_by_bytes(store: &mut dyn Store) {
    let files = ["src/B.rs", "src/_.rs", "src/a.rs", "src/a/b.rs", "src/a_b.rs", "src/é.rs"];
    let about = |(number, file): (u8, &&str)| {
        with(
            number,
            Draft {
                content: format!("about {file}"),
                related_files: vec![(*file).to_owned()],
                tags: vec![format!(
                    "{}-tag",
                    ["é", "b", "_", "a", "1", "-"][usize::from(number) - 1]
                )],
                ..Draft::default()
            },
        )
    };
    let memories: Vec<Memory> = (1..7).zip(&files).rev().map(about).collect();
    store_all(store, &memories);
    assert_eq!(store.files_in_use().expect("files"), files.map(path));
    let tags: Vec<String> =
        store.stats().expect("stats").tags.into_iter().map(|(tag, _)| tag).collect();
    assert_eq!(tags, ["--tag", "1-tag", "_-tag", "a-tag", "b-tag", "é-tag"]);
    let frequent: Vec<String> =
        store.frequent_tags(99, 9).expect("tags").into_iter().map(|(tag, _)| tag).collect();
    assert_eq!(frequent, tags);
    let beneath =
        |folder: &str| list(store, Filter { files: vec![path(folder)], ..Filter::default() });
    assert_eq!(beneath("src/a"), [4], "not `src/a_b.rs`, not `src/a.rs`");
    assert_eq!(beneath("src/A"), [] as [u8; 0]);
    assert_eq!(beneath("src/_"), [] as [u8; 0]);
}

pub fn every_moment_survives(store: &mut dyn Store) {
    let millis = [
        Timestamp::MIN.as_millis(),
        -62_135_596_799_999,
        -2_208_988_800_001,
        -1,
        0,
        1,
        999,
        1_794_738_600_123,
        Timestamp::MAX.as_millis() - 1,
        Timestamp::MAX.as_millis(),
    ];
    let moments = millis.map(|millis| Timestamp::from_millis(millis).expect("a moment"));
    let memories: Vec<Memory> = (1..)
        .zip(moments)
        .map(|(number, moment)| {
            let mut memory = memory(number, &format!("text {number}"));
            memory.created_at = moment;
            memory.updated_at = moment;
            memory.usage.last_accessed_at = moment;
            memory.body.trust.stale_at = Some(moment);
            let reason = Reasoning::new("old").expect("text");
            memory.status = Status::Archived { at: moment, reason };
            memory
        })
        .collect();
    store_all(store, &memories);
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    assert_eq!(store.read(&ids).expect("read"), memories);
    let numbers: Vec<u8> = (1..=10).collect();
    assert_eq!(list(store, Filter::everything()), numbers);
    for (at, moment) in moments.into_iter().enumerate() {
        let since = Filter { since: Some(moment), ..Filter::everything() };
        let until = Filter { until: Some(moment), ..Filter::everything() };
        assert_eq!(list(store, since), numbers[at..], "since {moment}");
        assert_eq!(list(store, until), numbers[..at], "until {moment}");
        store.record_access(&ids[..1], moment).expect("access");
        let read = store.read(&ids[..1]).expect("read").remove(0);
        assert_eq!(read.usage.last_accessed_at, moment);
    }
}
