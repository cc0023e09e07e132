//! The visibility of a memory: only a person sets it, and only an edit changes it.

use serde_json::json;
use tacit_core::{Draft, Memory, Visibility};
use tacit_engine::{
    Engine, EngineError, ImportLine, ImportOutcome, ImportTrust, RememberOutcome, Requester,
    StoreScope,
};

use crate::{World, draft, export, keep, kept, request, search};

fn private(content: &str) -> Draft {
    Draft { visibility: Some("private".into()), ..draft(content) }
}

fn keep_private(engine: &mut Engine<'_>, content: &str) -> Memory {
    kept(engine.remember(StoreScope::Project, request(private(content))).expect("it is accepted"))
}

fn set(engine: &mut Engine<'_>, memory: &Memory, word: &str) -> Result<Visibility, EngineError> {
    let patch = json!({ "visibility": word });
    let patch = patch.as_object().expect("an object");
    let (found, _) = engine.edit(&memory.id.to_string(), patch, None)?;
    Ok(found.memory.body.visibility)
}

fn import(engine: &mut Engine<'_>, standing: ImportTrust, text: &str) -> Vec<ImportOutcome> {
    let line = ImportLine::parse(text.trim_end()).expect("a line").expect("a memory");
    let lines = vec![(1, standing, line)];
    engine.import(StoreScope::Project, lines, false).expect("an import").items
}

#[test]
fn a_person_chooses_who_sees_a_memory() {
    let world = World::new();
    let mut engine = world.engine();
    let memory = keep_private(&mut engine, "ask Mia for the keys of billing");
    assert_eq!(memory.body.visibility, Visibility::Private);
    assert_eq!(search(&engine, "billing"), [memory.id]);
    assert_eq!(set(&mut engine, &memory, "team").unwrap(), Visibility::Team);
    assert!(!export(&engine).contains("visibility"));
    assert_eq!(set(&mut engine, &memory, "private").unwrap(), Visibility::Private);
    let error = set(&mut engine, &memory, "secret").unwrap_err().to_string();
    assert!(error.starts_with("visibility: "), "{error}");
    engine.undo(StoreScope::Project, None).unwrap();
    assert!(!export(&engine).contains("visibility"));
}

#[test]
fn repeated_memories_keep_their_visibility() {
    let world = World::new();
    let mut engine = world.engine();
    let known = kept(keep(&mut engine, "the team knows this"));
    let again = engine.remember(
        StoreScope::Project,
        request(Draft {
            reasoning: Some("Mia told me".into()),
            tags: vec!["mia".into()],
            ..private("the team knows this")
        }),
    );
    let again = again.unwrap();
    assert_eq!((again.outcome.clone(), again.stays_team), (RememberOutcome::Reinforced, true));
    let after = kept(again);
    assert_eq!((after.id, after.body.visibility), (known.id, Visibility::Team));
    assert_eq!((after.body.reasoning, after.body.tags.len()), (None, 0));

    let own = keep_private(&mut engine, "only I know this");
    let again = keep(&mut engine, "only I know this");
    assert!(!again.stays_team);
    let after = kept(again);
    assert_eq!((after.id, after.body.visibility), (own.id, Visibility::Private));
}

#[test]
fn agents_choose_nothing() {
    let world = World::new();
    let mut engine = world.engine();
    let team = kept(keep(&mut engine, "everybody sees this"));
    let own = keep_private(&mut engine, "only I see this");
    let mut agent = world.engine().on_behalf_of(Requester::Agent);
    let refused = |error: EngineError| {
        assert!(matches!(error, EngineError::PersonOnly(_)), "{error}");
    };
    refused(agent.remember(StoreScope::Project, request(private("a claim"))).unwrap_err());
    refused(set(&mut agent, &team, "private").unwrap_err());
    refused(set(&mut agent, &own, "team").unwrap_err());
    let line = ImportLine::Draft(Box::new(private("a claim")));
    let lines = vec![(3, ImportTrust::Trusted, line)];
    let error = agent.import(StoreScope::Project, lines, false).unwrap_err();
    assert_eq!(error.to_string(), "line 3: only a person can import a private memory");
    // What an agent repeats or changes stays private.
    assert_eq!(kept(keep(&mut agent, "only I see this")).body.visibility, Visibility::Private);
    let patch = json!({"content": "only I see that"});
    let (found, _) = agent.edit(&own.id.to_string(), patch.as_object().unwrap(), None).unwrap();
    assert_eq!(found.memory.body.visibility, Visibility::Private);
}

#[test]
fn imports_do_not_publish_private_memories() {
    let (source, target) = (World::new(), World::new());
    let mut from = source.engine();
    let memory = kept(keep(&mut from, "shared once"));
    let mut to = target.engine();
    assert_eq!(import(&mut to, ImportTrust::Trusted, &export(&from)), [ImportOutcome::Stored]);
    set(&mut to, &memory, "private").unwrap();
    source.clock.advance_hours(1);
    let patch = json!({"title": "edited elsewhere"});
    from.edit(&memory.id.to_string(), patch.as_object().unwrap(), None).unwrap();
    let exported = export(&from);
    assert!(!exported.contains("visibility"));
    assert_eq!(import(&mut to, ImportTrust::Trusted, &exported), [ImportOutcome::Updated]);
    let kept = export(&to);
    assert!(kept.contains("edited elsewhere") && kept.contains(r#""visibility":"private""#));

    // The owner's own export keeps it, no matter who imports it and how far the file is trusted.
    for standing in [ImportTrust::Trusted, ImportTrust::Untrusted] {
        let third = World::new();
        let mut other = third.engine();
        import(&mut other, standing, &kept);
        assert!(export(&other).contains(r#""visibility":"private""#), "{standing:?}");
    }
}
