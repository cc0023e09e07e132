//! Cues lead to memories, by words and by meaning.

use serde_json::json;
use tacit_core::{Cue, Draft, MemoryId};
use tacit_engine::{
    Engine, EngineError, ImportLine, ListChanges, RecallRequest, RememberOutcome, RememberResult,
    StoreScope, Strictness,
};
use tacit_models::EmbedError;
use tacit_store::{ChangeQuery, Filter};

use super::hyde::Oracle;
use super::semantic::{Subjects, embed_all};
use super::{World, draft, export, keep, kept, reason, request, search, trusted};

fn cued(content: &str, cues: &[&str]) -> Draft {
    Draft { cues: cues.iter().map(|cue| (*cue).to_owned()).collect(), ..draft(content) }
}

fn keep_cued(engine: &mut Engine<'_>, content: &str, cues: &[&str]) -> RememberResult {
    engine.remember(StoreScope::Project, request(cued(content, cues))).expect("it is accepted")
}

fn cues(engine: &Engine<'_>, id: MemoryId) -> Vec<String> {
    let found = engine.find(&id.to_string()).expect("it is stored");
    found.memory.body.cues.iter().map(ToString::to_string).collect()
}

#[test]
fn words_of_a_cue_lead_to_the_memory() {
    let world = World::new();
    let mut engine = world.engine();
    keep(&mut engine, "the changelog is written by hand");
    let raise = "raise max_connections together with the workers";
    let pool = kept(keep_cued(&mut engine, raise, &["checkout times out under load"]));
    assert_eq!(search(&engine, "checkout times out"), [pool.id]);
    let no_cue = ListChanges {
        remove_cues: vec![Cue::new("Checkout  times out under load").unwrap()],
        ..ListChanges::default()
    };
    let id = pool.id.to_string();
    engine.edit_with_lists(&id, &serde_json::Map::new(), &no_cue, None).unwrap();
    assert_eq!(cues(&engine, pool.id), Vec::<String>::new());
    assert_eq!(search(&engine, "checkout times out"), []);
}

#[test]
fn meaning_of_a_cue_leads_to_the_memory() {
    let world = World::new();
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    keep(&mut engine, "the ocean is far away");
    let gate = kept(keep_cued(&mut engine, "open the gate by hand", &["the truck waits outside"]));
    embed_all(&mut engine);
    let recall = RecallRequest {
        strictness: Strictness::Everything,
        ..RecallRequest::explicit("lorry", Filter::default(), 3)
    };
    let shown = engine.recall(&recall).unwrap().shown;
    assert_eq!(shown[0].found.memory.id, gate.id);
    assert!(shown[0].why.unwrap().cosine > Some(0.9));
    let edit = json!({"cues": ["the puppy waits outside"]});
    engine.edit(&gate.id.to_string(), edit.as_object().unwrap(), None).unwrap();
    assert_eq!(embed_all(&mut engine), 1, "only the edited memory is embedded again");
    let shown = engine.recall(&recall).unwrap().shown;
    assert!(shown.iter().all(|answer| answer.why.unwrap().cosine < Some(0.9)), "{shown:?}");
}

#[test]
fn repeated_memories_get_new_cues_while_there_is_room() {
    let world = World::new();
    let mut engine = world.engine();
    let text = "raise max_connections together with the workers";
    let first: Vec<String> = (0..7).map(|number| format!("situation {number}")).collect();
    let first: Vec<&str> = first.iter().map(String::as_str).collect();
    let id = kept(keep_cued(&mut engine, text, &first)).id;
    let again = keep_cued(&mut engine, text, &["Situation 3", "checkout is slow", "one too many"]);
    assert_eq!(again.outcome, RememberOutcome::Reinforced);
    assert_eq!(again.left_out, ["cue `one too many`"]);
    let kept: Vec<&str> = first.iter().copied().chain(["checkout is slow"]).collect();
    assert_eq!(cues(&engine, id), kept);
}

#[test]
fn wrong_cues_are_named_and_secrets_in_cues_are_redacted() {
    let world = World::new();
    let mut engine = world.engine();
    let nine: Vec<String> = (0..9).map(|number| format!("situation {number}")).collect();
    let nine: Vec<&str> = nine.iter().map(String::as_str).collect();
    for (wrong, problem) in [
        (vec!["fine", "two\nlines"], "cues[1]: `two\\nlines` is not one line of text"),
        (vec![" "], "cues[0]: is empty"),
        (nine, "cues: has 9 items; the limit is 8"),
    ] {
        let error = engine.remember(StoreScope::Project, request(cued("some fact", &wrong)));
        assert_eq!(error.unwrap_err().to_string(), problem);
    }
    let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
    let cue = format!("push fails with {token}");
    let memory = kept(keep_cued(&mut engine, "renew the token of the mirror", &[&cue]));
    assert_eq!(cues(&engine, memory.id), ["push fails with [redacted:github-token]"]);
    let patch = json!({"cues": [cue]});
    engine.edit(&memory.id.to_string(), patch.as_object().unwrap(), None).unwrap();
    assert!(!export(&engine).contains(token));
}

#[test]
fn undo_restores_cues() {
    let world = World::new();
    let mut engine = world.engine();
    let id = kept(keep_cued(&mut engine, "renew the token", &["push is refused"])).id;
    let edit = json!({"cues": ["deploy hangs", "push is refused"]});
    engine.edit(&id.to_string(), edit.as_object().unwrap(), None).unwrap();
    assert_eq!(cues(&engine, id), ["deploy hangs", "push is refused"]);
    engine.undo(StoreScope::Project, None).unwrap();
    assert_eq!(cues(&engine, id), ["push is refused"]);
    assert_eq!(search(&engine, "deploy hangs"), []);
    assert_eq!(search(&engine, "push refused"), [id]);
}

#[test]
fn exports_carry_cues() {
    let (world, other) = (World::new(), World::new());
    let mut engine = world.engine();
    let id = kept(keep_cued(&mut engine, "renew the token", &["push is refused"])).id;
    let text = export(&engine);
    let line = ImportLine::parse(text.trim()).unwrap().unwrap();
    let mut copy = other.engine();
    copy.import(StoreScope::Project, trusted(vec![(1, line)]), false).unwrap();
    assert_eq!(cues(&copy, id), ["push is refused"]);
    assert_eq!(search(&copy, "push refused"), [id]);
}

#[test]
fn purged_memories_leave_no_cue_behind() {
    let world = World::new();
    let mut engine = world.engine().with_embedder(Subjects::named("one"));
    let id = kept(keep_cued(&mut engine, "renew the token", &["xylophone deploy hangs"])).id;
    embed_all(&mut engine);
    engine.purge(&[&id.to_string()], reason("it was wrong"), false).unwrap();
    assert!(matches!(engine.find(&id.to_string()), Err(EngineError::NoSuchMemory { .. })));
    drop(engine);
    let mut folders = vec![world.paths().project];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            let holds = bytes.windows(9).any(|part| part == b"xylophone");
            assert!(!holds, "{}", entry.path().display());
        }
    }
}

#[test]
fn the_model_writes_cues_for_the_newest_memories_without_any() {
    let world = World::new();
    let oracle = Oracle::saying(r#"["checkout is slow"]"#);
    let mut engine = world.engine().with_generator(oracle.clone());
    for number in 0..7 {
        keep(&mut engine, &format!("fact number {number} about the pool"));
        world.clock.advance_hours(1);
    }
    let claim = Draft { source: Some("agent_explicit".into()), ..draft("a claim of an agent") };
    engine.remember(StoreScope::Project, request(claim)).expect("it is accepted");
    let taught = kept(keep_cued(&mut engine, "a fact with a cue", &["deploy hangs"]));
    assert_eq!(engine.write_missing_cues().unwrap(), 5);
    assert!(oracle.asked()[0].user.contains("fact number 6"), "the newest first");
    assert_eq!(engine.write_missing_cues().unwrap(), 2);
    assert_eq!(engine.write_missing_cues().unwrap(), 0);
    assert_eq!(oracle.asked().len(), 7);
    assert_eq!(cues(&engine, taught.id), ["deploy hangs"]);
    assert_eq!(search(&engine, "checkout slow").len(), 7);
    let query = ChangeQuery { limit: 1, ..ChangeQuery::default() };
    let last = engine.history(StoreScope::Project, &query).unwrap().remove(0);
    let why = last.action.reason.map(|reason| reason.to_string());
    assert_eq!(why.as_deref(), Some("cues written by oracle/of:delphi"));
}

#[test]
fn a_model_that_fails_is_asked_again_later() {
    let world = World::new();
    let mut engine = world.engine();
    keep(&mut engine, "a fact about the pool");
    drop(engine);
    let failing = Oracle::failing(EmbedError::Misconfigured("it is gone".into()));
    let mut engine = world.engine().with_generator(failing);
    assert_eq!(engine.write_missing_cues().unwrap(), 0);
    let mut engine = world.engine().with_generator(Oracle::saying(r#"["checkout is slow"]"#));
    assert_eq!(engine.write_missing_cues().unwrap(), 1);
}
