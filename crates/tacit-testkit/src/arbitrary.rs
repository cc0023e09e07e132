//! Proptest strategies for arbitrary memories.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use serde_json::{Map, Value};
use tacit_core::{
    BoundedSet, BuiltinType, Category, Confidence, Content, Cues, CustomType, Details, HalfLife,
    Memory, MemoryBody, MemoryId, MemoryType, Origin, Placement, Problem, Relation, RelationKind,
    RelationTarget, Relations, RepoPath, Review, Scope, SessionId, Source, StaleKind, Status,
    Subject, SymbolRef, Timestamp, Trust, UniversalPhase, Usage, Visibility, WorkUnitRef, clean,
};

/// Generates text of several lines in any script, after cleaning.
pub fn prose() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z ]{1,40}",
        1 => "\\PC{1,30}",
        1 => Just("src/auth/token_refresh.rs:42".to_owned()),
        1 => Just("\u{202e}right to left\u{202c} \"quoted\" 'single' -- ; DROP\n\tline".to_owned()),
        1 => any::<String>().prop_map(|text| clean(&text.chars().take(40).collect::<String>()).text.into_owned()),
    ];
    vec(piece, 1..6)
        .prop_map(|pieces| pieces.join(" "))
        .prop_filter("not empty", |text| Content::new(text.as_str()).is_ok())
}

/// Generates one line of text.
pub fn line() -> impl Strategy<Value = String> {
    prose()
        .prop_map(|text| {
            text.chars()
                .map(|c| if c == '\n' || c == '\t' { ' ' } else { c })
                .take(60)
                .collect::<String>()
        })
        .prop_filter("not empty", |text| !text.trim().is_empty())
}

/// Generates a path inside a project.
pub fn repo_path() -> impl Strategy<Value = RepoPath> {
    vec("[a-zA-Zé_.-]{1,12}", 1..4)
        .prop_map(|parts| parts.join("/"))
        .prop_filter_map("a path", |path| RepoPath::new(path).ok())
}

/// Generates a timestamp between 1970 and 2096.
pub fn timestamp() -> impl Strategy<Value = Timestamp> {
    (0_i64..4_000_000_000_000).prop_filter_map("a moment", Timestamp::from_millis)
}

/// Generates a memory identifier.
pub fn memory_id() -> impl Strategy<Value = MemoryId> {
    (timestamp(), any::<[u8; 10]>()).prop_map(|(at, random)| MemoryId::from_parts(at, random))
}

fn checked<T: std::str::FromStr<Err = Problem> + std::fmt::Debug>(
    text: impl Strategy<Value = String>,
) -> impl Strategy<Value = T> {
    text.prop_filter_map("valid", |text| text.parse().ok())
}

fn set<T, S, const MAX: usize>(values: S, most: usize) -> impl Strategy<Value = BoundedSet<T, MAX>>
where
    T: Ord + std::fmt::Debug,
    S: Strategy<Value = T>,
{
    vec(values, 0..=most).prop_filter_map("fits", |values| BoundedSet::collect(values).ok())
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9).prop_map(|number: f64| Value::from(number)),
        prose().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec(("[a-z]{1,6}", inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    vec(("[a-z_]{1,8}", json()), 0..4).prop_map(|pairs| pairs.into_iter().collect())
}

fn details() -> impl Strategy<Value = Details> {
    let kinds = prop::sample::select(BuiltinType::ALL);
    let builtin = (kinds, prose(), line(), repo_path(), 0_u32..1000, 0.0..1e6, object()).prop_map(
        |(kind, text, name, path, count, number, fields)| {
            let path = path.as_str();
            let json = match kind {
                BuiltinType::PrefetchPattern => Some(serde_json::json!({
                    "always_read_files": [path], "frequently_read_files": [],
                    "module_trigger": name, "session_count": count,
                })),
                BuiltinType::WorkState => Some(Value::Object(fields)),
                BuiltinType::TaskCalibration => Some(serde_json::json!({
                    "module": name, "methodology": "native", "average_actual_steps": number,
                    "average_planned_steps": number, "ratio": number, "sample_count": count,
                })),
                BuiltinType::E2eObservation => Some(serde_json::json!({
                    "observation_type": "timing", "mcp_tool_used": name, "app_state": text,
                })),
                BuiltinType::DeadEnd => Some(serde_json::json!({
                    "approach_tried": text, "why_it_failed": name, "alternative_used": name,
                    "task_context": name,
                })),
                BuiltinType::WorkUnitOutcome => Some(serde_json::json!({
                    "succeeded": false, "files_modified": [path], "key_decisions": [text],
                    "steps_taken": count, "retry_count": 1, "failure_reason": name,
                })),
                BuiltinType::WorkflowRecipe => Some(serde_json::json!({
                    "task_pattern": name, "success_count": count,
                    "last_validated_at": "2026-01-02T03:04:05.678Z",
                    "steps": [{"order": 1, "description": text, "canonical_file": path}],
                })),
                BuiltinType::ContextCost => Some(serde_json::json!({
                    "module": name, "average_tokens_per_session": number,
                    "p90_tokens_per_session": number, "sample_count": count,
                })),
                _ => None,
            };
            Details::from_json(&MemoryType::Builtin(kind), json)
        },
    );
    let custom = ("[a-z]{1,8}:[a-z]{1,8}", object()).prop_filter_map("valid", |(name, fields)| {
        CustomType::new(name).ok().map(|name| Details::Custom(name, fields))
    });
    prop_oneof![
        8 => builtin.prop_filter_map("valid", Result::ok),
        1 => custom,
    ]
}

fn work_unit() -> impl Strategy<Value = WorkUnitRef> {
    (prop::sample::select(vec!["native", "bmad"]), vec(line(), 1..4), line())
        .prop_filter_map("valid", |(methodology, hierarchy, label)| {
            WorkUnitRef::new(methodology, hierarchy, label).ok()
        })
}

fn subject() -> impl Strategy<Value = Subject> {
    let session = checked::<SessionId>("[a-z0-9-]{1,20}".prop_map(String::from));
    (
        details(),
        prop::sample::select(Scope::ALL),
        work_unit(),
        of(work_unit()),
        session,
        any::<bool>(),
    )
        .prop_filter_map("fits", |(details, scope, unit, maybe, session, named)| {
            let scope = match details.memory_type() {
                MemoryType::Builtin(BuiltinType::WorkflowRecipe) => Scope::Global,
                MemoryType::Builtin(BuiltinType::ContextCost | BuiltinType::PrefetchPattern) => {
                    Scope::Module
                }
                _ => scope,
            };
            let needs = scope == Scope::WorkUnit
                || matches!(details, Details::WorkState(_) | Details::WorkUnitOutcome(_));
            let unit = if needs { Some(unit) } else { maybe };
            let session = (named || scope == Scope::Session).then_some(session);
            Subject::new(details, Placement::new(scope, unit, session).ok()?).ok()
        })
}

fn confidence() -> impl Strategy<Value = Confidence> {
    (0.0..=1.0).prop_filter_map("a confidence", |value| Confidence::new(value).ok())
}

fn relations() -> impl Strategy<Value = Relations> {
    let target = prop_oneof![
        memory_id().prop_map(RelationTarget::Memory),
        repo_path().prop_map(RelationTarget::File),
    ];
    let kind = prop::sample::select(RelationKind::ALL);
    let relation = (target, kind, confidence(), any::<bool>()).prop_map(
        |(target, kind, confidence, auto_extracted)| Relation {
            target,
            kind,
            confidence,
            auto_extracted,
        },
    );
    vec(relation, 0..4).prop_filter_map("fits", |relations| Relations::collect(relations).ok())
}

fn origin() -> impl Strategy<Value = Origin> {
    (
        prop::sample::select(Source::ALL),
        of(checked(line())),
        of(checked(line())),
        of(checked("[0-9a-f]{7,40}".prop_map(String::from))),
        of(prop::sample::select(UniversalPhase::ALL)),
        set(checked("[a-z0-9-]{1,20}".prop_map(String::from)), 4),
    )
        .prop_map(|(source, author, generator, commit, phase, sessions)| Origin {
            source,
            author,
            generator,
            commit,
            phase,
            sessions,
        })
}

/// Generates a new memory.
pub fn new_memory() -> impl Strategy<Value = MemoryBody> {
    let texts = (
        of(checked(line())),
        checked(prose()),
        of(checked(prose())),
        of(prop::sample::select(Category::ALL)),
        (confidence(), of(confidence())),
    );
    let lists = (
        set(checked("[a-z0-9-]{1,12}".prop_map(String::from)), 12),
        vec(checked(line()), 0..4).prop_map(|cues| Cues::collect(cues).unwrap_or_default()),
        set(repo_path(), 6),
        set(
            (repo_path(), "[a-zA-Z_]{1,8}([.][a-z_]{1,8})?")
                .prop_filter_map("a symbol", |(path, name)| {
                    SymbolRef::of(path.as_str(), &name).ok()
                }),
            3,
        ),
        set(checked(line()), 3),
        set(checked(line()), 3),
    );
    let trust = (
        prop::sample::select(Review::ALL),
        of(checked(line())),
        of((timestamp(), of(prop::sample::select(StaleKind::ALL)), of(checked(line())))),
    );
    let half_life =
        of((0.1..1000.0).prop_filter_map("valid", |days| HalfLife::from_days(days).ok()));
    let placed = (subject(), prop::sample::select(Visibility::ALL));
    (placed, texts, lists, origin(), relations(), of(checked(line())), half_life, trust).prop_map(
        |(placed, texts, lists, origin, relations, target_node, half_life, trust)| {
            let (subject, visibility) = placed;
            let (title, content, reasoning, category, (confidence, derived_confidence)) = texts;
            let (tags, cues, files, symbols, modules, references) = lists;
            let (review, citation, stale) = trust;
            let (stale_at, stale_kind, stale_why) =
                stale.map_or((None, None, None), |(at, kind, why)| (Some(at), kind, why));
            MemoryBody {
                subject,
                visibility,
                title,
                content,
                reasoning,
                category,
                confidence,
                derived_confidence,
                tags,
                cues,
                files,
                symbols,
                modules,
                references,
                origin,
                relations,
                target_node,
                half_life,
                trust: Trust { review, citation, stale_at, stale_kind, stale_why },
            }
        },
    )
}

/// Any memory.
pub fn memory() -> impl Strategy<Value = Memory> {
    let status = prop_oneof![
        3 => Just(Status::Active),
        1 => (timestamp(), checked(line())).prop_map(|(at, reason)| Status::Retired { at, reason }),
        1 => (timestamp(), checked(line())).prop_map(|(at, reason)| Status::Archived { at, reason }),
    ];
    (
        memory_id(),
        new_memory(),
        status,
        1_u32..100,
        timestamp(),
        timestamp(),
        (0_u64..1000, timestamp()),
    )
        .prop_map(|(id, body, status, observations, created_at, updated_at, usage)| Memory {
            id,
            body,
            status,
            observations,
            created_at,
            updated_at,
            usage: Usage { access_count: usage.0, last_accessed_at: usage.1 },
        })
}
