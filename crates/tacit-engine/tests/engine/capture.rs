//! What is stored unasked stays within its budget.

use tacit_core::{Config, SessionId};
use tacit_engine::{EngineError, RememberOutcome, StoreScope};
use tacit_store::ChangeQuery;

use crate::{World, draft, kept, request, state};

fn world(mode: &str, budget: u64) -> World {
    let mut world = World::new();
    world.config =
        Config { capture_mode: mode.into(), capture_silent_budget: budget, ..world.config.clone() };
    world
}

fn session(name: &str) -> SessionId {
    SessionId::new(name).expect("a session")
}

#[test]
fn beyond_the_budget_somebody_must_be_asked() {
    let world = world("silent", 2);
    let (one, other) = (session("s"), session("s-2"));
    for (index, (session, text, stored)) in [
        (&one, "first", true),
        (&one, "second", true),
        (&one, "third", false),
        (&other, "third", true),
    ]
    .into_iter()
    .enumerate()
    {
        // Each in a process of its own.
        let mut engine = world.engine();
        let result = engine.remember_silently(session, request(draft(text)));
        match result {
            Ok(remembered) => {
                let memory = kept(remembered);
                assert!(stored, "{index}");
                assert_eq!(memory.body.origin.source.as_str(), "agent_explicit");
                assert!(memory.body.origin.sessions.contains(session));
            }
            Err(EngineError::AskFirst(why)) => {
                assert!(!stored, "{index}");
                assert_eq!(why, "this session has stored 2 of the 2 memories it may store unasked");
            }
            Err(error) => panic!("{error}"),
        }
    }
    let mut engine = world.engine();
    assert_eq!(engine.silent_captures(&one).unwrap(), (2, 2));
    assert_eq!(engine.silent_captures(&other).unwrap(), (1, 2));
    assert_eq!(state(&engine).len(), 3);

    // What is known costs nothing, whether or not anything is left.
    let again = engine.remember_silently(&one, request(draft("first"))).unwrap();
    assert_eq!(again.outcome, RememberOutcome::Reinforced);
    assert_eq!(engine.silent_captures(&one).unwrap(), (2, 2));
    // Nor is what was refused part of the history.
    let query = ChangeQuery { limit: 100, ..ChangeQuery::default() };
    assert_eq!(engine.history(StoreScope::Project, &query).unwrap().len(), 4);
}

#[test]
fn only_where_it_is_allowed() {
    for (mode, budget) in [("ask-first", 5), ("off", 5), ("silent", 0)] {
        let world = world(mode, budget);
        let mut engine = world.engine();
        let refused = engine.remember_silently(&session("s"), request(draft("text")));
        assert!(matches!(refused, Err(EngineError::AskFirst(_))), "{mode} {budget}");
        assert_eq!(engine.silent_captures(&session("s")).unwrap(), (0, 0), "{mode} {budget}");
        assert!(state(&engine).is_empty());
    }
}
