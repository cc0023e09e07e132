//! Candidates from files, time, corrected words and beside other candidates.

use tacit_core::{Clock, Draft, RepoPath};
use tacit_engine::{Engine, RecallPeriod, RecallRequest, StoreScope, Strictness};
use tacit_store::{ActivityStore, CoChange, Filter};
use tacit_store_sqlite::{OpenMode, OpenOptions, SqliteStore};

use super::{World, keep, request};

fn texts(engine: &Engine<'_>, recall: &RecallRequest) -> Vec<String> {
    let answers = engine.recall(recall).expect("answers");
    answers.shown.iter().map(|answer| answer.found.memory.body.content.to_string()).collect()
}

fn ask(question: &str) -> RecallRequest {
    RecallRequest::explicit(question, Filter::default(), 5)
}

fn about(engine: &mut Engine<'_>, text: &str, kind: &str, file: &str, session: &str) {
    let draft = Draft {
        content: text.into(),
        kind: Some(kind.into()),
        related_files: vec![file.into()],
        session: Some(session.into()),
        ..Draft::default()
    };
    engine.remember(StoreScope::Project, request(draft)).expect("it is accepted");
}

#[test]
fn unknown_query_words_are_corrected() {
    let world = World::new();
    let mut engine = world.engine();
    keep(&mut engine, "the webhook worker retries three times");
    keep(&mut engine, "close the connection pool before forking");
    keep(&mut engine, "the changelog is written by hand");
    for (question, found) in [
        ("webhok", "the webhook worker retries three times"),
        ("web hook", "the webhook worker retries three times"),
        ("connectionpool", "close the connection pool before forking"),
        ("connecton", "close the connection pool before forking"),
        ("changelgo", "the changelog is written by hand"),
    ] {
        assert_eq!(texts(&engine, &ask(question)).first().map(String::as_str), Some(found));
        let strict = RecallRequest { strictness: Strictness::Proactive, ..ask(question) };
        assert_eq!(texts(&engine, &strict), Vec::<String>::new(), "{question}");
    }
    assert_eq!(texts(&engine, &ask("zebra")), Vec::<String>::new());
}

#[test]
fn named_files_and_co_used_files_give_results() {
    let world = World::new();
    let mut engine = world.engine();
    about(&mut engine, "sockets outlive the fork", "gotcha", "src/pool.rs", "s-1");
    about(&mut engine, "retries double the load", "gotcha", "src/queue.rs", "s-1");
    about(&mut engine, "named after a bird", "module_insight", "src/queue.rs", "s-1");
    let question = ask("what must I know of src/pool.rs?");
    assert_eq!(texts(&engine, &question), ["sockets outlive the fork"]);
    let at_hand =
        RecallRequest { files: vec![RepoPath::new("src/pool.rs").unwrap()], ..ask("anything") };
    assert_eq!(texts(&engine, &at_hand), ["sockets outlive the fork"]);

    let options =
        OpenOptions { access: OpenMode::Write, busy_timeout: std::time::Duration::from_secs(1) };
    let mut store = SqliteStore::open(&world.database(), options).expect("the store");
    let tie = CoChange {
        file: RepoPath::new("src/pool.rs").unwrap(),
        other: RepoPath::new("src/queue.rs").unwrap(),
        weight: 0.8,
        count: 4,
    };
    store.set_co_changes(&[tie], tacit_core::Timestamp::from_millis(0).unwrap()).expect("tied");
    // Only warnings apply: an insight about the other file is not about this one.
    assert_eq!(texts(&engine, &question), ["sockets outlive the fork", "retries double the load"]);
    let strict = RecallRequest { strictness: Strictness::Proactive, ..question };
    assert_eq!(texts(&engine, &strict), ["sockets outlive the fork"]);
}

#[test]
fn requested_files_include_co_changed_ones() {
    for (weight, found) in [(0.59, false), (0.6, false), (0.601, true), (1.0, true)] {
        for given in [["src/pool.rs", "src/web.rs"], ["src/web.rs", "src/pool.rs"]] {
            let world = World::new();
            let mut engine = world.engine();
            about(&mut engine, "retries double the load", "gotcha", "src/queue.rs", "s-1");
            let path = |name: &str| RepoPath::new(name).unwrap();
            let tie = CoChange {
                file: path("src/pool.rs"),
                other: path("src/queue.rs"),
                weight,
                count: 4,
            };
            engine.set_co_changes(&[tie]).unwrap();
            let recall = RecallRequest { files: given.map(path).to_vec(), ..ask("anything") };
            let expected: &[&str] = if found { &["retries double the load"] } else { &[] };
            assert_eq!(texts(&engine, &recall), expected, "{weight} with {given:?}");
            // A co-change is directed from the first file to the second.
            let other = RecallRequest { files: vec![path("src/queue.rs")], ..ask("anything") };
            assert_eq!(texts(&engine, &other), ["retries double the load"], "its own file");
        }
    }
}

#[test]
fn companions_of_a_match_become_candidates() {
    let world = World::new();
    let mut engine = world.engine();
    about(&mut engine, "which port does staging use?", "gotcha", "src/web.rs", "s-1");
    about(&mut engine, "it listens on 8443", "gotcha", "src/net.rs", "s-1");
    about(&mut engine, "named after a bird", "gotcha", "src/bird.rs", "s-2");
    about(&mut engine, "certificates rotate at midnight", "gotcha", "src/web.rs", "s-3");
    let everything = RecallRequest { strictness: Strictness::Everything, ..ask("staging") };
    let mut found = texts(&engine, &everything);
    found.sort();
    assert_eq!(
        found,
        ["certificates rotate at midnight", "it listens on 8443", "which port does staging use?"]
    );
    let filter = Filter { sessions: vec!["s-1".parse().unwrap()], ..Filter::default() };
    let filtered = RecallRequest { filter, ..everything };
    assert_eq!(texts(&engine, &filtered).len(), 2, "companions pass the filter as well");
}

#[test]
fn symbol_memories_rank_before_file_memories() {
    use tacit_core::SymbolRef;
    use tacit_store::{CodeLink, LinkStore, MemoryLinks};

    let world = World::new();
    let mut engine = world.engine();
    about(&mut engine, "sockets outlive the fork", "gotcha", "src/pool.rs", "s-1");
    about(&mut engine, "threads outlive the fork", "gotcha", "src/pool.rs", "s-1");
    let options =
        OpenOptions { access: OpenMode::Write, busy_timeout: std::time::Duration::from_secs(1) };
    let mut store = SqliteStore::open(&world.database(), options).expect("the store");
    let symbol = SymbolRef::new("src/pool.rs::Pool.close").unwrap();
    for (first, second) in [("sockets", "threads"), ("threads", "sockets")] {
        let id = super::search(&engine, first)[0];
        let other = super::search(&engine, second)[0];
        let link = CodeLink { symbol: symbol.clone(), checksum: 1 };
        let seen = world.clock.now();
        let links = |memory, links| MemoryLinks { memory, memory_updated_at: seen, links };
        store.save_links(&[links(id, vec![link]), links(other, vec![])]).expect("links");
        let named = texts(&engine, &ask("what of src/pool.rs::Pool::close()?"));
        let near = RecallRequest { symbols: vec![symbol.clone()], ..ask("anything") };
        for answers in [named, texts(&engine, &near)] {
            assert_eq!(answers.len(), 2);
            assert!(answers[0].starts_with(first), "{answers:?}");
        }
    }
}

#[test]
fn results_respect_the_requested_period() {
    let world = World::new();
    let start = world.clock.now();
    for session in ["s-1", "s-2", "s-3"] {
        let mut engine = world.engine();
        about(&mut engine, &format!("deploys failed in {session}"), "gotcha", "a.rs", session);
        world.clock.advance_hours(240);
    }
    let engine = world.engine();
    let within =
        |question: &str, period| texts(&engine, &RecallRequest { period, ..ask(question) });
    let (one, two, three) =
        ("deploys failed in s-1", "deploys failed in s-2", "deploys failed in s-3");
    for question in ["deploys", ""] {
        assert_eq!(within(question, RecallPeriod::RecentSessions(1)), [three]);
        assert_eq!(within(question, RecallPeriod::RecentSessions(9)).len(), 3);
        assert_eq!(within(question, RecallPeriod::Around(start.plus_days(11.0), 2.0)), [two]);
        assert_eq!(within(question, RecallPeriod::Around(start.plus_days(10.0), 0.0)), [two]);
        assert_eq!(within(question, RecallPeriod::Window(None, Some(start.plus_days(1.0)))), [one]);
    }
    let named = Filter { sessions: vec!["s-1".parse().unwrap()], ..Filter::default() };
    let none =
        RecallRequest { filter: named, period: RecallPeriod::RecentSessions(1), ..ask("deploys") };
    assert_eq!(texts(&engine, &none), Vec::<String>::new());
}
