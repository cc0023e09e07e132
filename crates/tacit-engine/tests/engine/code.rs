//! Memories and the code they are about.

use std::collections::{BTreeMap, BTreeSet};

use tacit_core::{Draft, Memory, MemoryId, RepoPath, Review, SymbolRef};
use tacit_engine::{CodeIndex, Engine, FileCoverage, RecallRequest, RenameResolver, StoreScope};
use tacit_store::{ActionKind, ChangeQuery, CodeLink, Filter};

use super::{World, draft, kept, request};

/// Code in which every symbol is a number.
#[derive(Default)]
struct Fake {
    symbols: BTreeMap<(String, String), u64>,
    partly: BTreeSet<String>,
    at_work: BTreeSet<String>,
    commit: Option<String>,
}

impl Fake {
    fn of(symbols: &[(&str, &str, u64)]) -> Fake {
        let symbols =
            symbols.iter().map(|(path, name, sum)| (((*path).into(), (*name).into()), *sum));
        Fake { symbols: symbols.collect(), ..Fake::default() }
    }
}

impl CodeIndex for Fake {
    fn symbol(&self, path: &str, name: &str) -> Option<CodeLink> {
        self.anywhere(name).into_iter().find(|link| link.symbol.path().as_str() == path)
    }

    fn anywhere(&self, name: &str) -> Vec<CodeLink> {
        let ending = format!(".{name}");
        let meant =
            self.symbols.iter().filter(|((_, full), _)| full == name || full.ends_with(&ending));
        meant
            .map(|((path, full), sum)| CodeLink {
                symbol: SymbolRef::of(path, full).expect("a symbol"),
                sum: *sum,
            })
            .collect()
    }

    fn known(&self, path: &str) -> FileCoverage {
        if self.partly.contains(path) {
            FileCoverage::Partly
        } else if self.symbols.keys().any(|(known, _)| known == path) {
            FileCoverage::Whole
        } else {
            FileCoverage::Gone
        }
    }

    fn is_settled(&self, path: &str) -> bool {
        !self.at_work.contains(path)
    }

    fn changed_in(&self, _: &SymbolRef) -> Option<String> {
        self.commit.clone()
    }
}

fn about(content: &str, files: &[&str], symbols: &[&str]) -> Draft {
    let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect();
    Draft { related_files: texts(files), related_symbols: texts(symbols), ..draft(content) }
}

fn store(engine: &mut Engine<'_>, draft: Draft) -> MemoryId {
    kept(engine.remember(StoreScope::Project, request(draft)).expect("it is accepted")).id
}

fn links(engine: &Engine<'_>, id: MemoryId) -> Vec<String> {
    let links = engine.code_links(StoreScope::Project, &[id]).expect("links");
    links.iter().map(|link| link.symbol.to_string()).collect()
}

fn read(engine: &Engine<'_>, id: MemoryId) -> Memory {
    engine.find(&id.to_string()).expect("it is there").memory
}

fn doubt(engine: &Engine<'_>, id: MemoryId) -> Option<String> {
    read(engine, id).body.trust.doubt().map(ToString::to_string)
}

const ANEW: bool = true;

#[test]
fn memories_are_linked_to_the_symbols_they_name() {
    let code = Fake::of(&[
        ("src/pool.rs", "Pool.close", 1),
        ("src/pool.rs", "close", 5),
        ("src/db.rs", "Pool.close", 2),
        ("src/db.rs", "connect_all", 3),
        ("src/web.rs", "serve", 4),
    ]);
    for (what, draft, expected) in [
        ("stated", about("x", &[], &["src/db.rs::connect_all"]), vec!["src/db.rs::connect_all"]),
        ("stated, not there", about("x", &[], &["src/db.rs::nothing"]), vec![]),
        (
            "one of its files defines it",
            about("`Pool.close` first", &["src/db.rs", "src/web.rs"], &[]),
            vec!["src/db.rs::Pool.close"],
        ),
        (
            "two of its files define it",
            about("`Pool.close` first!", &["src/db.rs", "src/pool.rs"], &[]),
            vec![],
        ),
        ("none of its files does", about("`serve` it", &["src/db.rs"], &[]), vec![]),
        (
            "one file of all",
            about("`connect_all` is slow", &[], &[]),
            vec!["src/db.rs::connect_all"],
        ),
        ("two files of all", about("`Pool.close` is slow", &[], &[]), vec![]),
        ("one file of all, but a short word", about("`serve` is slow", &[], &[]), vec![]),
        (
            "what was concluded of a whole module",
            Draft {
                kind: Some("module_insight".into()),
                source: Some("observer_inferred".into()),
                ..about("others use `connect_all`", &["src/db.rs"], &[])
            },
            vec![],
        ),
        (
            "with its file in the text",
            about("see `src/pool.rs::Pool::close()`", &[], &[]),
            vec!["src/pool.rs::Pool.close"],
        ),
    ] {
        let world = World::new();
        let mut engine = world.engine();
        let id = store(&mut engine, draft);
        engine.link_code(&code, ANEW).unwrap();
        assert_eq!(links(&engine, id), expected, "{what}");
        let again = engine.link_code(&code, ANEW).unwrap();
        assert_eq!(again.linked, 0, "{what}: linking twice is linking once");
    }
}

#[test]
fn what_is_about_a_symbol_is_about_its_file() {
    let world = World::new();
    let mut engine = world.engine();
    let id = store(&mut engine, about("x", &[], &["src/db.rs::connect_all"]));
    let files = read(&engine, id).body.files;
    assert_eq!(files.iter().map(RepoPath::as_str).collect::<Vec<_>>(), ["src/db.rs"]);
}

#[test]
fn a_memory_for_all_projects_is_about_no_symbol_of_one() {
    let world = World::new();
    let mut engine = world.open(tacit_engine::StoreAccess::Write(StoreScope::Global));
    let body = about("x", &[], &["src/db.rs::connect_all"]);
    let error = engine.remember(StoreScope::Global, request(body)).unwrap_err().to_string();
    assert!(error.contains("a memory for all projects cannot be about files of one"), "{error}");
}

#[test]
fn a_symbol_that_is_no_longer_what_it_was_puts_its_memories_in_doubt() {
    let before = [("src/pool.rs", "Pool.close", 1)];
    type Change = fn(&mut Fake);
    let cases: [(&str, Change, Option<&str>); 7] = [
        ("nothing", |_| {}, None),
        (
            "another text",
            |code| *code = Fake::of(&[("src/pool.rs", "Pool.close", 2)]),
            Some("`Pool.close` in src/pool.rs changed in abcdef0 since this was learnt"),
        ),
        (
            "another text that is being worked on",
            |code| {
                *code = Fake::of(&[("src/pool.rs", "Pool.close", 2)]);
                code.at_work.insert("src/pool.rs".into());
            },
            None,
        ),
        (
            "gone from its file",
            |code| *code = Fake::of(&[("src/pool.rs", "Pool.open", 2)]),
            Some("`Pool.close` is no longer in src/pool.rs, since abcdef0"),
        ),
        (
            "gone with its file",
            |code| *code = Fake::of(&[("src/other.rs", "Pool.open", 2)]),
            Some("src/pool.rs with `Pool.close` is gone since abcdef0"),
        ),
        (
            "a file that cannot be parsed",
            |code| {
                code.symbols.clear();
                code.partly.insert("src/pool.rs".into());
            },
            None,
        ),
        ("moved as it was", |code| *code = Fake::of(&[("src/db.rs", "Pool.close", 1)]), None),
    ];
    for (what, change, expected) in cases {
        let world = World::new();
        let mut engine = world.engine();
        let id = store(&mut engine, about("`Pool.close` first", &["src/pool.rs"], &[]));
        let other = store(&mut engine, about("about the file alone", &["src/pool.rs"], &[]));
        engine.link_code(&Fake::of(&before), ANEW).unwrap();
        world.clock.advance_hours(1);
        let learnt = read(&engine, id).updated_at;
        let mut code = Fake::of(&before);
        change(&mut code);
        code.commit = Some("abcdef0123456789".into());
        let linking = engine.link_code(&code, !ANEW).unwrap();
        assert_eq!(doubt(&engine, id).as_deref(), expected, "{what}");
        assert_eq!(doubt(&engine, other), None, "{what}: it names no symbol");
        assert_eq!(linking.doubted.len(), usize::from(expected.is_some()), "{what}");
        assert_eq!(read(&engine, id).updated_at, learnt, "{what}: nothing was learnt");
        let again = engine.link_code(&code, !ANEW).unwrap();
        assert_eq!((again.doubted.len(), again.settled.len()), (0, 0), "{what}: told once");
        let moved = what == "moved as it was";
        let place = if moved { "src/db.rs::Pool.close" } else { "src/pool.rs::Pool.close" };
        assert_eq!(links(&engine, id), [place], "{what}");
    }
}

#[test]
fn a_doubt_ends_when_the_code_is_as_it_was_or_somebody_vouches_for_the_memory() {
    let (one, two) = ([("a.rs", "Pool.close", 1)], [("a.rs", "Pool.close", 2)]);
    for ending in ["reverted", "verified", "learnt again", "edited"] {
        let world = World::new();
        let mut engine = world.engine();
        let body = Draft {
            source: Some("agent_explicit".into()),
            ..about("`Pool.close` first", &["a.rs"], &[])
        };
        let id = store(&mut engine, body.clone());
        engine.link_code(&Fake::of(&one), ANEW).unwrap();
        world.clock.advance_hours(1);
        engine.link_code(&Fake::of(&two), !ANEW).unwrap();
        assert!(doubt(&engine, id).is_some());
        let asked = RecallRequest::explicit("pool close", Filter::default(), 5);
        assert_eq!(engine.recall(&asked).unwrap().shown.len(), 1, "it is not lost");
        assert_eq!(engine.recall(&RecallRequest::uninvited("pool close", 5)).unwrap().shown, []);
        world.clock.advance_hours(1);
        let mut code = Fake::of(&two);
        match ending {
            "reverted" => code = Fake::of(&one),
            "verified" => {
                let found = engine.verify(&[&id.to_string()], None).unwrap().remove(0);
                assert_eq!(found.memory.body.trust.review, Review::Verified);
            }
            "learnt again" => assert_eq!(store(&mut engine, body), id),
            _ => {
                let patch = serde_json::json!({"title": "Pools"});
                engine.edit(&id.to_string(), patch.as_object().unwrap(), None).unwrap();
            }
        }
        let linking = engine.link_code(&code, !ANEW).unwrap();
        // An edit says nothing of whether it still holds.
        assert_eq!(doubt(&engine, id).is_some(), ending == "edited", "{ending}");
        assert_eq!(linking.settled.len(), usize::from(ending == "reverted"), "{ending}");
        let again = engine.link_code(&code, !ANEW).unwrap();
        assert_eq!((again.doubted.len(), again.settled.len()), (0, 0), "{ending}");
    }
}

#[test]
fn what_was_stale_before_is_left_as_it_is() {
    let world = World::new();
    let mut engine = world.engine();
    let id = store(&mut engine, about("`Pool.close` first", &["a.rs"], &[]));
    engine.link_code(&Fake::of(&[("a.rs", "Pool.close", 1)]), ANEW).unwrap();
    let now = tacit_core::Clock::now(&world.clock).to_string();
    let patch = serde_json::json!({"stale_at": now});
    engine.edit(&id.to_string(), patch.as_object().unwrap(), None).unwrap();
    world.clock.advance_hours(1);
    for sum in [2, 1] {
        engine.link_code(&Fake::of(&[("a.rs", "Pool.close", sum)]), !ANEW).unwrap();
        let trust = read(&engine, id).body.trust;
        assert!(trust.stale_at.is_some() && trust.stale_why.is_none());
    }
}

/// Files that are there, and what commits say of names.
#[derive(Default)]
struct Places {
    there: BTreeSet<&'static str>,
    renamed: BTreeMap<&'static str, &'static str>,
}

impl RenameResolver for Places {
    fn is_there(&self, path: &RepoPath) -> bool {
        self.there.contains(path.as_str())
    }

    fn renamed(&self, path: &RepoPath) -> Option<RepoPath> {
        self.renamed.get(path.as_str()).and_then(|to| RepoPath::new(*to).ok())
    }

    fn is_known(&self, path: &RepoPath) -> bool {
        self.is_there(path) || self.renamed.contains_key(path.as_str())
    }
}

#[test]
fn memories_follow_files_forth_and_back() {
    let world = World::new();
    let mut engine = world.engine();
    let stated = store(&mut engine, about("x", &["b.rs"], &["a.rs::Pool.close"]));
    let found = store(&mut engine, about("`Pool.close` is slow", &[], &[]));
    let code = |path: &'static str| Fake::of(&[(path, "Pool.close", 1)]);
    engine.link_code(&code("a.rs"), ANEW).unwrap();
    let before = read(&engine, stated);

    let forth = Places { there: ["c.rs", "b.rs"].into(), renamed: [("a.rs", "c.rs")].into() };
    let followed = engine.follow_files(&forth).unwrap();
    assert_eq!(followed.len(), 1);
    let after = read(&engine, stated);
    let symbols: Vec<&str> = after.body.symbols.iter().map(SymbolRef::as_str).collect();
    assert_eq!(symbols, ["c.rs::Pool.close"]);
    let files: Vec<&str> = after.body.files.iter().map(RepoPath::as_str).collect();
    assert_eq!(files, ["b.rs", "c.rs"]);
    assert_eq!(after.updated_at, before.updated_at);
    for id in [stated, found] {
        assert_eq!(links(&engine, id), ["c.rs::Pool.close"]);
    }
    let query = ChangeQuery { memory: Some(stated), limit: 1, ..ChangeQuery::default() };
    let change = engine.history(StoreScope::Project, &query).unwrap().pop().unwrap();
    assert_eq!(change.action.kind, ActionKind::Rename);
    assert_eq!(change.action.reason.unwrap().as_str(), "a.rs is now c.rs");
    let linking = engine.link_code(&code("c.rs"), ANEW).unwrap();
    assert_eq!((linking.linked, linking.doubted.len()), (0, 0));

    // The commit is taken back: nobody knows `c.rs` any more.
    let back = Places { there: ["a.rs", "b.rs"].into(), ..Places::default() };
    engine.follow_files(&back).unwrap();
    let again = read(&engine, stated);
    assert_eq!(again.body, before.body);
    assert_eq!(links(&engine, stated), ["a.rs::Pool.close"]);
}

#[test]
fn files_that_are_there_deleted_or_unknown_are_not_followed() {
    for (what, places) in [
        ("there", Places { there: ["a.rs", "c.rs"].into(), renamed: [("a.rs", "c.rs")].into() }),
        (
            "renamed to what is gone",
            Places { renamed: [("a.rs", "c.rs")].into(), ..Places::default() },
        ),
        ("unknown", Places::default()),
    ] {
        let world = World::new();
        let mut engine = world.engine();
        store(&mut engine, about("x", &["a.rs"], &[]));
        assert_eq!(engine.follow_files(&places).unwrap(), [], "{what}");
    }
}

#[test]
fn what_is_known_about_a_place_is_told_once_and_what_is_linked_to_it_first() {
    let world = World::new();
    let mut engine = world.engine();
    let kind = |kind: &str, draft: Draft| Draft { kind: Some(kind.into()), ..draft };
    let sure = |confidence, draft: Draft| Draft { confidence: Some(confidence), ..draft };
    let of_file = store(&mut engine, sure(1.0, about("about the file", &["a.rs"], &[])));
    let of_symbol = store(&mut engine, sure(0.5, about("x", &[], &["a.rs::Pool.close"])));
    let of_other = store(&mut engine, sure(0.4, about("y", &[], &["a.rs::Pool.open"])));
    let must = kind("requirement", about("orders are closed at midnight", &["b.rs"], &[]));
    let must = store(&mut engine, must);
    let seen = Draft {
        details: Some(serde_json::json!({
            "observation_type": "timing", "mcp_tool_used": "click_by_text"
        })),
        ..kind("e2e_observation", about("the list takes a second", &["b.rs"], &[]))
    };
    let seen = store(&mut engine, seen);
    store(&mut engine, kind("gotcha", about("not in reach", &["c.rs"], &[])));
    store(
        &mut engine,
        kind("gotcha", about("in reach, but nothing that must hold", &["b.rs"], &[])),
    );
    let code = Fake::of(&[("a.rs", "Pool.close", 1), ("a.rs", "Pool.open", 2)]);
    engine.link_code(&code, ANEW).unwrap();

    let path = |name: &str| RepoPath::new(name).unwrap();
    let ids = |found: &[tacit_engine::StoredMemory]| -> Vec<MemoryId> {
        found.iter().map(|found| found.memory.id).collect()
    };
    let close = SymbolRef::new("a.rs::Pool.close").unwrap();
    let known = engine.known_about(&path("a.rs"), &[close], &[path("b.rs")], 9).unwrap();
    assert_eq!(ids(&known.memories), [of_symbol, of_file, of_other]);
    assert_eq!(ids(&known.invariants), [must]);
    assert_eq!(ids(&known.observations), [seen]);
    let known = engine.known_about(&path("b.rs"), &[], &[], 9).unwrap();
    assert_eq!(known.memories.len(), 3, "each once: {:?}", ids(&known.memories));
    assert_eq!((known.invariants.len(), known.observations.len()), (0, 0));
    assert_eq!(engine.known_about(&path("a.rs"), &[], &[], 1).unwrap().memories.len(), 1);
}
