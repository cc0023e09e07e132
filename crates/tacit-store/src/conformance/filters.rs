//! Cases about filters.

use super::*;
use crate::ModuleFilter;

fn label(name: &str) -> tacit_core::Module {
    name.parse().expect("a label")
}

pub fn filters_select_matching_memories(store: &mut dyn Store) {
    let draft = |text: &str| Draft { content: text.into(), ..Draft::default() };
    let one = with(
        1,
        Draft {
            kind: Some("error_pattern".into()),
            details: Some(serde_json::json!({"fingerprint": "0123456789abcdef"})),
            tags: vec!["auth".into(), "hot".into()],
            related_files: vec!["src/auth/mod.rs".into()],
            confidence: Some(0.5),
            ..draft("one")
        },
    );
    let two = with(
        2,
        Draft {
            kind: Some("gotcha".into()),
            tags: vec!["auth".into()],
            related_files: vec!["src/authority.rs".into()],
            related_modules: vec!["auth".into()],
            review: Some("needed".into()),
            source: Some("mcp_auto".into()),
            session: Some("s-2".into()),
            ..draft("two")
        },
    );
    let mut three = memory(3, "three");
    three.status = Status::Archived { at: at(9), reason: Reasoning::new("old").expect("text") };
    three.body.trust.stale_at = Some(at(8));
    store_all(store, &[one, two, three]);
    let everything = Filter::everything;
    let files = |path: &str| vec![RepoPath::new(path).expect("path")];
    let many = || {
        let others = (0..40_000).flat_map(|number| files(&format!("lib/{number}'.rs")));
        others.chain(files("src/authority.rs")).chain(files("src/auth")).collect()
    };
    let tags = |names: &[&str]| names.iter().map(|n| Tag::new(*n).expect("tag")).collect();
    for (what, filter, expected) in [
        ("nothing", everything(), vec![1, 2, 3]),
        ("in use", Filter::default(), vec![1, 2]),
        (
            "type",
            Filter { types: vec!["gotcha".parse().expect("type")], ..everything() },
            vec![2, 3],
        ),
        ("tag", Filter { tags: tags(&["auth"]), ..everything() }, vec![1, 2]),
        ("all tags", Filter { tags: tags(&["auth", "hot"]), ..everything() }, vec![1]),
        ("file", Filter { files: files("src/authority.rs"), ..everything() }, vec![2]),
        ("directory", Filter { files: files("src/auth"), ..everything() }, vec![1]),
        ("very many files", Filter { files: many(), ..everything() }, vec![1, 2]),
        (
            "module",
            Filter { modules: vec![ModuleFilter::label(label("auth"))], ..everything() },
            vec![2],
        ),
        ("error", Filter { fingerprint: "0123456789abcdef".parse().ok(), ..everything() }, vec![1]),
        (
            "source",
            Filter { sources: vec!["mcp_auto".parse().expect("source")], ..everything() },
            vec![2],
        ),
        (
            "review",
            Filter { reviews: vec!["needed".parse().expect("review")], ..everything() },
            vec![2],
        ),
        (
            "session",
            Filter { sessions: "s-2".parse().into_iter().collect(), ..everything() },
            vec![2],
        ),
        (
            "confidence",
            Filter { min_confidence: Confidence::new(0.6).ok(), ..everything() },
            vec![2, 3],
        ),
        ("since", Filter { since: Some(at(2)), ..everything() }, vec![2, 3]),
        ("until", Filter { until: Some(at(2)), ..everything() }, vec![1]),
        ("stale", Filter { stale: Some(true), ..everything() }, vec![3]),
        ("fresh", Filter { stale: Some(false), ..everything() }, vec![1, 2]),
        ("archived", Filter { statuses: vec![StatusKind::Archived], ..everything() }, vec![3]),
    ] {
        assert_eq!(list(store, filter), expected, "{what}");
    }
}

pub fn memories_belong_to_modules_by_label_or_file(store: &mut dyn Store) {
    let about = |number: u8, files: &[&str], modules: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let draft = Draft {
            content: format!("text {number}"),
            related_files: owned(files),
            related_modules: owned(modules),
            ..Draft::default()
        };
        with(number, draft)
    };
    store_all(
        store,
        &[
            about(1, &[], &["api"]),
            about(2, &["api/main.rs"], &[]),
            about(3, &["api/auth/token.rs", "api/auth/key.rs"], &["api/auth"]),
            about(4, &["api/auth/token.rs", "README.md"], &[]),
            about(5, &["apis/a.rs", "api.rs", "api/auth.rs"], &[]),
            about(6, &[], &["."]),
            about(7, &["api/auth"], &[]),
            about(8, &[], &[]),
        ],
    );
    let modules = ["", "api", "api/auth"];
    let filter = |names: &[&str]| Filter {
        modules: names.iter().map(|name| ModuleFilter::new(label(name), modules)).collect(),
        ..Filter::everything()
    };
    for (names, expected) in [
        (&["api"][..], vec![1, 2, 5]),
        (&["api/auth"], vec![3, 4, 7]),
        (&["."], vec![4, 5, 6]),
        (&["api/auth", "."], vec![3, 4, 5, 6, 7]),
        (&["web"], vec![]),
    ] {
        assert_eq!(store.count(&filter(names)).expect("count"), expected.len(), "{names:?}");
        let mut found = search(store, "text", filter(names));
        found.sort_unstable();
        assert_eq!(found, expected, "{names:?} in a search");
        assert_eq!(list(store, filter(names)), expected, "{names:?}");
    }
    let others: Vec<String> = (0..5_000).map(|number| format!("api/part{number}")).collect();
    let many = ModuleFilter::new(label("api"), others.iter().map(String::as_str));
    assert!(many.paths.len() > 5_000);
    let many = Filter { modules: vec![many], ..Filter::everything() };
    assert_eq!(list(store, many), [1, 2, 3, 4, 5, 7], "a module with very many in it");
}

pub fn work_unit_filters_include_inner_units(store: &mut dyn Store) {
    let inside = |number: u8, methodology: &str, path: &[&str]| {
        let hierarchy = path.iter().map(ToString::to_string).collect();
        let unit = tacit_core::WorkUnitRef::new(methodology, hierarchy, "label").expect("unit");
        with(
            number,
            Draft { content: format!("text {number}"), work_unit: Some(unit), ..Draft::default() },
        )
    };
    store_all(
        store,
        &[
            inside(1, "native", &["spec_1"]),
            inside(2, "native", &["spec_1", "subtask_3"]),
            inside(3, "native", &["spec_10"]),
            inside(4, "bmad", &["spec_1"]),
        ],
    );
    let filter = |methodology: Option<&str>, path: &[&str]| Filter {
        work_unit: Some(WorkUnitFilter {
            methodology: methodology.map(str::to_owned),
            hierarchy: path.iter().map(ToString::to_string).collect(),
        }),
        ..Filter::default()
    };
    assert_eq!(list(store, filter(Some("native"), &["spec_1"])), [1, 2]);
    assert_eq!(list(store, filter(None, &["spec_1"])), [1, 2, 4]);
    assert_eq!(list(store, filter(None, &["spec_1", "subtask_3"])), [2]);
    assert_eq!(list(store, filter(None, &["spec"])), Vec::<u8>::new());
    assert_eq!(list(store, filter(Some("native"), &[])), [1, 2, 3]);
    assert_eq!(list(store, filter(None, &[])), [1, 2, 3, 4]);
}

pub fn filters_combine(store: &mut dyn Store) {
    let draft = |text: &str| Draft { content: text.into(), ..Draft::default() };
    let mut derived = with(1, Draft { confidence: Some(0.9), ..draft("one") });
    derived.body.derived_confidence = Confidence::new(0.2).ok();
    let authored =
        Draft { author: Some("Ada Ünal".into()), tags: vec!["a".into()], ..draft("two") };
    let scoped =
        Draft { scope: Some("session".into()), session: Some("s-3".into()), ..draft("three") };
    let both =
        Draft { author: Some("Ada Ünal".into()), session: Some("s-3".into()), ..draft("four") };
    let (two, three, four) = (with(2, authored), with(3, scoped), with(4, both));
    store_all(store, &[derived, two, three, four]);
    let author = Author::new("Ada Ünal").ok();
    let sessions: Vec<SessionId> = vec![session("s-3"), session("s-9")];
    let all = Filter::default;
    for (what, filter, expected) in [
        ("author", Filter { author: author.clone(), ..all() }, vec![2, 4]),
        ("other author", Filter { author: Author::new("ada ünal").ok(), ..all() }, vec![]),
        ("scope", Filter { scopes: vec!["session".parse().expect("a scope")], ..all() }, vec![3]),
        ("sessions", Filter { sessions: sessions.clone(), ..all() }, vec![3, 4]),
        ("both", Filter { sessions, author, ..all() }, vec![4]),
        ("derived", Filter { min_confidence: Confidence::new(0.5).ok(), ..all() }, vec![2, 3, 4]),
        ("range", Filter { since: Some(at(2)), until: Some(at(4)), ..all() }, vec![2, 3]),
        ("nothing", Filter { since: Some(at(4)), until: Some(at(2)), ..all() }, vec![]),
    ] {
        assert_eq!(store.count(&filter).expect("count"), expected.len(), "{what}");
        let mut found = search(store, "one two three four", filter.clone());
        found.sort_unstable();
        assert_eq!(found, expected, "{what} in a search");
        assert_eq!(list(store, filter), expected, "{what}");
    }
}

pub fn statistics_are_left_out_unless_they_are_asked_for(store: &mut dyn Store) {
    let cost = |number, source: &str| {
        with(
            number,
            Draft {
                kind: Some("context_cost".into()),
                source: Some(source.into()),
                details: Some(serde_json::json!({
                    "module": "a", "average_tokens_per_session": 1, "p90_tokens_per_session": 1,
                    "sample_count": 1
                })),
                content: "a cost".into(),
                ..Draft::default()
            },
        )
    };
    let plain = Draft {
        source: Some("observer_inferred".into()),
        content: "a fact".into(),
        ..Draft::default()
    };
    store_all(store, &[cost(1, "observer_inferred"), cost(2, "agent_explicit"), with(3, plain)]);
    assert_eq!(list(store, Filter::default()), [2, 3]);
    assert_eq!(list(store, Filter { statistics: true, ..Filter::default() }), [1, 2, 3]);
    let types = vec!["context_cost".parse().expect("a type")];
    assert_eq!(list(store, Filter { types, ..Filter::default() }), [1, 2]);
}
