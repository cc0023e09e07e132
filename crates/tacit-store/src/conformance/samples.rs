//! Varied rows from small numbers, so that two stores are given the same ones.

use serde_json::json;
use tacit_core::log::{ClientRecord, LogRecord, NoteRecord};
use tacit_core::{AgentEvent, Fate, StaleKind, Usefulness, WorkUnitRef};

use super::activity::{event, path, session, update};
use super::*;
use crate::{
    ErrorOccurrences, FilePairUse, LoggedSignal, MemoryUses, ObservedState, ObservedTree, TreeUsage,
};

/// Words of memories; the first ones are in most.
const WORDS: [&str; 12] = [
    "pool",
    "fork",
    "close",
    "retry",
    "token",
    "cache",
    "webhook",
    "E0308",
    "--force",
    "src/db/pool.rs",
    "naïve",
    "数据库",
];

/// Texts whose order differs between alphabets, cases and bytes.
pub(super) const FILES: [&str; 6] =
    ["src/a.rs", "src/B.rs", "src/é.rs", "src/db/pool.rs", "src/a_b.rs", "lib/Z.rs"];

/// Returns true for some of the numbers, others for each `way`.
fn some(number: u8, way: u8, among: u8) -> bool {
    ((number / 2) ^ number.wrapping_mul(way)).is_multiple_of(among)
}

/// Returns words, the first ones more often.
fn words(number: u8, version: u8) -> String {
    let (first, second) = (usize::from(number), usize::from(version));
    let count = 3 + (first * 7 + second) % 9;
    let word = |at: usize| {
        let mixed = first * 31 + second * 17 + at * at * 7;
        WORDS[mixed % if at.is_multiple_of(2) { 4 } else { WORDS.len() }]
    };
    let words: Vec<&str> = (0..count).map(word).collect();
    format!("{} number {number} version {version}", words.join(" "))
}

/// Returns the memory with this number in one of its versions. All have the same identifier.
pub(super) fn varied(number: u8, version: u8) -> Memory {
    let mix = number.wrapping_mul(31) ^ version.wrapping_mul(17);
    let pick = |texts: &[&str], way: u8| {
        texts[usize::from(mix.wrapping_mul(way)) % texts.len()].to_owned()
    };
    let maybe = |way: u8, text: &str| some(mix, way, 3).then(|| text.to_owned());
    let (kind, details) = match mix % 8 {
        0 => ("error_pattern", Some(json!({"fingerprint": format!("{:016x}", mix % 4)}))),
        1 => (
            "context_cost",
            Some(json!({
                "module": "db", "average_tokens_per_session": 1.5, "p90_tokens_per_session": 2,
                "sample_count": 3
            })),
        ),
        2 => ("decision", None),
        3 => ("preference", None),
        4 => ("team:habit", Some(json!({"z": 1, "a": [1.25, null, "é\u{0}"]}))),
        _ => ("gotcha", None),
    };
    let unit = ["spec_1", "subtask_3"][..usize::from(1 + mix % 2)].iter();
    let unit = WorkUnitRef::new("native", unit.map(ToString::to_string).collect(), "label");
    let mut memory = with(
        number,
        Draft {
            content: words(number, version),
            kind: Some(kind.into()),
            details,
            title: some(mix, 3, 2).then(|| format!("On the {}", pick(&WORDS, 5))),
            reasoning: maybe(5, "because it was so"),
            confidence: Some(f64::from(mix % 10) / 10.0),
            tags: (0..mix % 3).map(|nth| format!("tag-{}", (mix / 3 + nth) % 5)).collect(),
            cues: (0..mix % 4 / 2).map(|nth| format!("before release {nth} of {mix}")).collect(),
            related_files: vec![pick(&FILES, 3), pick(&FILES, 7)],
            related_modules: maybe(7, "db").into_iter().collect(),
            references: maybe(9, "https://example.invalid/é").into_iter().collect(),
            work_unit: some(mix, 11, 4).then(|| unit.expect("a unit")),
            session: Some(format!("s-{}", mix % 4)),
            source: some(mix, 13, 2).then(|| "observer_inferred".into()),
            author: maybe(15, "Ada Ünal"),
            review: some(mix, 17, 4).then(|| "needed".into()),
            scope: (kind == "context_cost").then(|| "module".into()),
            ..Draft::default()
        },
    );
    let target = RelationTarget::Memory(memory_id(mix % 12));
    if some(mix, 19, 3) && target != RelationTarget::Memory(memory.id) {
        let auto_extracted = some(mix, 21, 4);
        let kind = if mix.is_multiple_of(2) {
            RelationKind::Supersedes
        } else {
            RelationKind::ConflictsWith
        };
        let relation = Relation { target, kind, confidence: Confidence::HIGH, auto_extracted };
        memory.body.relations = Relations::collect([relation]).expect("a relation");
    }
    if some(mix, 23, 4) {
        memory.body.trust.mark_stale(at(40), StaleKind::CodeChanged, Reasoning::new("é").ok());
    }
    let reason = Reasoning::new("no longer so").expect("text");
    memory.status = match mix % 7 {
        5 => Status::Archived { at: at(50), reason },
        6 => Status::Retired { at: at(51), reason },
        _ => Status::Active,
    };
    // Many memories are created and changed at the same times.
    memory.created_at = at(i64::from(number / 3));
    memory.updated_at = at(100 + i64::from(version / 2));
    memory.usage.last_accessed_at = at(i64::from(number % 4));
    memory.observations = 1 + u32::from(version);
    memory
}

/// Returns an event of a client with paths, or another record.
fn logged(number: u8, name: &str) -> Event {
    let seconds = i64::from(number);
    let id = format!("e{number}");
    match number % 3 {
        0 => event(&id, name, seconds, tacit_core::log::LogKind::Check),
        1 => event(&id, name, seconds, READ),
        _ => {
            let said = "the staging database is restored every night\n".repeat(usize::from(number));
            let json = json!({
                "client": "claude", "session": name, "cwd": format!("/p/{}", number % 2),
                "transcript": format!("/t/é{}.jsonl", number % 4),
                "what": {"turn_stopped": {"last_message": format!("{said}\u{0}")}},
            });
            let client: AgentEvent = serde_json::from_value(json).expect("an event");
            let record = ClientRecord::new(&client, Some(format!("make\u{0}{number}")));
            let record = LogRecord::Client(record.expect("a record"));
            Event { id, session: session(name), at: at(seconds), record }
        }
    }
}

/// Returns an injection; several are the same but for their texts.
pub(super) fn injection(number: u8, name: &str) -> Injection {
    Injection {
        session: session(name),
        agent: some(number, 3, 3).then(|| "helper".into()),
        context: u32::from(number % 3),
        at: at(i64::from(number)),
        layer: "prompt_submitted".into(),
        event: format!("e{}", number / 4),
        memory: (!some(number, 5, 4)).then(|| memory_id(number % 12)),
        text: format!("text {}", number % 2),
        tokens: u32::from(number),
        why: "words\u{0}".into(),
        withheld: some(number, 7, 5),
        fate: None,
    }
}

/// Returns a batch of a session.
pub(super) fn batch(number: u8, other: u8) -> ActivityBatch {
    let name = format!("s-{}", number % 5);
    let change = match other % 6 {
        0 => SessionChange::Compacted,
        1 => SessionChange::Asked,
        2 => SessionChange::Ended("logout é".into()),
        _ => SessionChange::Seen,
    };
    let held_out = [None, Some(true), Some(false)][usize::from(number % 3)];
    let note = |nth: u8| Note {
        id: format!("n{}", number / 2 + nth),
        session: session(&name),
        at: at(i64::from(other)),
        text: format!("note {number}\u{0}é"),
        files: (0..nth).map(|nth| path(FILES[usize::from(nth) % FILES.len()])).collect(),
        record: NoteRecord::Observation,
    };
    ActivityBatch {
        sessions: vec![SessionUpdate { held_out, ..update(&name, i64::from(other), change) }],
        events: (number..number.saturating_add(other % 3))
            .map(|number| logged(number, &name))
            .collect(),
        injections: (0..other % 3).map(|nth| injection(number.wrapping_add(nth), &name)).collect(),
        notes: (0..other % 2).map(note).collect(),
    }
}

/// Returns a fate of an injection that may have been recorded.
pub(super) fn fate(number: u8, other: u8) -> InjectionFate {
    let Injection { event, memory, text, .. } = injection(number, "s-0");
    let fate = Fate::ALL[usize::from(other) % Fate::ALL.len()];
    InjectionFate { event, memory, text, judged: JudgedFate { fate, why: format!("why {other}") } }
}

/// Returns counted uses.
pub(super) fn uses(number: u8, count: u32) -> MemoryUses {
    let counts = Usefulness {
        judged: count,
        sessions: count + 1,
        used: count / 2,
        helped: count / 3,
        contradicted: 1,
        flagged: 2,
        direct_judged: 3,
        direct_sessions: 4,
    };
    MemoryUses { memory: memory_id(number), counts }
}

/// Returns an observed tree of one session or two.
pub(super) fn tree(number: u8, other: u8) -> ObservedTree {
    let name = |number: u8| session(&format!("s-{}", number % 5));
    let seconds = at(i64::from(other));
    let mut sessions = vec![(name(number), seconds)];
    if other.is_multiple_of(4) {
        sessions.push((name(number + 1), at(i64::from(other / 2))));
    }
    let mut files =
        [path(FILES[usize::from(number) % 6]), path(FILES[usize::from(number / 2 + 1) % 6])];
    files.sort();
    let [a, b] = files.clone();
    let different = a != b;
    let pair =
        FilePairUse { a, b, a_first: other.is_multiple_of(2), delta_ms: f64::from(other) * 8.0 };
    let usage = TreeUsage {
        files: files.into_iter().take(1 + usize::from(different)).map(|file| (file, 2)).collect(),
        pairs: different.then_some(pair).into_iter().collect(),
        errors: (0..other % 2)
            .map(|_| ErrorOccurrences {
                fingerprint: format!("f{}", number % 2),
                tool: ["Bash", "bash"][usize::from(other / 2 % 2)].into(),
                message: "it failed\u{0}".into(),
                count: 2,
                resolved_how: other.is_multiple_of(3).then(|| format!("fix {other}")),
            })
            .collect(),
    };
    let signal = |nth: u8| LoggedSignal {
        kind: "note".into(),
        body: format!("{{\"nth\":{nth}}}"),
        score: nth.is_multiple_of(2).then(|| f64::from(nth) / 10.0),
    };
    ObservedTree {
        tree: name(number),
        sessions,
        at: seconds,
        state: if other.is_multiple_of(3) { ObservedState::Waits } else { ObservedState::Done },
        digest: format!("{{\"digest\":\"{number} {other} é\"}}"),
        signals: (0..other % 4).map(signal).collect(),
        usage,
    }
}
