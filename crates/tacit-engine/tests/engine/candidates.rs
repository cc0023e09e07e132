//! Ways to an answer other than its words and its meaning: files, time, and words nobody used.

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
fn a_word_nobody_used_leads_to_the_one_that_was_meant() {
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
fn what_is_about_a_named_file_answers_and_so_does_what_belongs_to_it() {
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
    store.tie_files(&[tie], tacit_core::Timestamp::from_millis(0).unwrap()).expect("tied");
    // Only what can hurt: an insight about the other file is not about this one.
    assert_eq!(texts(&engine, &question), ["sockets outlive the fork", "retries double the load"]);
    let strict = RecallRequest { strictness: Strictness::Proactive, ..question };
    assert_eq!(texts(&engine, &strict), ["sockets outlive the fork"]);
}

#[test]
fn every_file_at_hand_leads_to_those_that_surely_change_with_it() {
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
            engine.tie_files(&[tie]).unwrap();
            let recall = RecallRequest { files: given.map(path).to_vec(), ..ask("anything") };
            let expected: &[&str] = if found { &["retries double the load"] } else { &[] };
            assert_eq!(texts(&engine, &recall), expected, "{weight} with {given:?}");
            // What history tells holds from the first file to the second.
            let other = RecallRequest { files: vec![path("src/queue.rs")], ..ask("anything") };
            assert_eq!(texts(&engine, &other), ["retries double the load"], "its own file");
        }
    }
}

#[test]
fn what_is_about_a_symbol_at_hand_comes_before_what_is_about_its_file() {
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
        let link = CodeLink { symbol: symbol.clone(), sum: 1 };
        let seen = world.clock.now();
        let links = |memory, links| MemoryLinks { memory, seen, links };
        store.keep_links(&[links(id, vec![link]), links(other, vec![])]).expect("links");
        let named = texts(&engine, &ask("what of src/pool.rs::Pool::close()?"));
        let near = RecallRequest { symbols: vec![symbol.clone()], ..ask("anything") };
        for answers in [named, texts(&engine, &near)] {
            assert_eq!(answers.len(), 2);
            assert!(answers[0].starts_with(first), "{answers:?}");
        }
    }
}

#[test]
fn answers_come_from_the_time_that_was_asked_for() {
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
