//! What leaves through `export` comes back through `import` as it was.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tacit_bridges::{Format, ImportContent, tacit_markdown};
use tacit_core::{Draft, Memory, StatusKind};
use tacit_engine::{Engine, ImportLine, ImportOutcome, ImportPlan, StoreScope};
use tacit_store::{ChangeQuery, Filter};
use tacit_testkit::arbitrary;

use crate::{World, draft, export, keep, kept, reason, search, trusted};

fn import(engine: &mut Engine<'_>, text: &str) -> ImportPlan {
    let lines = text.lines().enumerate().filter_map(|(index, line)| {
        ImportLine::parse(line).expect("a line of an export").map(|incoming| (index + 1, incoming))
    });
    let lines: Vec<_> = lines.collect();
    engine.import(StoreScope::Project, trusted(lines), false).expect("an import")
}

fn changes(engine: &Engine<'_>) -> usize {
    let query = ChangeQuery { limit: 1_000, ..ChangeQuery::default() };
    engine.history(StoreScope::Project, &query).expect("a history").len()
}

/// Memories as a store can hold them: identifiers are unique, and so is what those in use say.
fn storable(memories: Vec<Memory>) -> Vec<Memory> {
    let (mut ids, mut body) = (BTreeSet::new(), BTreeSet::new());
    let mut kept: Vec<Memory> = memories
        .into_iter()
        .filter(|memory| {
            ids.insert(memory.id)
                && (memory.status.kind() != StatusKind::Active
                    || body.insert(memory.content_hash()))
        })
        .collect();
    kept.sort_by_key(|memory| (memory.created_at, memory.id));
    kept
}

/// Every memory, written as markdown and read again.
fn through_markdown(engine: &Engine<'_>) -> Vec<ImportLine> {
    let mut text = format!("{}\n", tacit_markdown::HEADER);
    let write = |memory: &Memory| {
        text.push_str(&tacit_markdown::write(memory));
        Ok(())
    };
    engine.export(StoreScope::Project, &Filter::everything(), write).expect("an export");
    let items = tacit_markdown::read(&text).expect("what was written");
    let memories = items.into_iter().filter_map(|item| match item.content {
        ImportContent::Memory(memory) => Some(ImportLine::Whole(memory)),
        _ => None,
    });
    memories.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn export_and_import_are_inverse(memories in prop::collection::vec(arbitrary::memory(), 0..10)) {
        let memories = storable(memories);
        let whole = memories.iter().map(|memory| ImportLine::Whole(Box::new(memory.clone())));
        let lines: Vec<_> = (1..).zip(whole).collect();
        let (first, second) = (World::new(), World::new());
        let mut one = first.engine();
        let plan = one.import(StoreScope::Project, trusted(lines), false).unwrap();
        let text = export(&one);
        // A secret in arbitrary text is replaced on the way in, and then two may say the same.
        if plan.treatment.redacted.is_empty() {
            let given: String =
                memories.iter().map(|memory| format!("{}\n", memory.to_json())).collect();
            prop_assert_eq!(&text, &given);
        }

        let mut other = second.engine();
        import(&mut other, &text);
        prop_assert_eq!(&export(&other), &text);
        let before = changes(&other);
        let again = import(&mut other, &text);
        prop_assert!(again.items.iter().all(|item| *item == ImportOutcome::Unchanged), "{:?}", again);
        prop_assert_eq!(again.change, None);
        prop_assert_eq!(changes(&other), before);
        prop_assert_eq!(&export(&other), &text);
        let third = World::new();
        let mut reader = third.engine();
        let items = through_markdown(&other);
        let lines: Vec<_> = (1..).zip(items).collect();
        reader.import(StoreScope::Project, trusted(lines), false).unwrap();
        prop_assert_eq!(&export(&reader), &text);
        let check = other.store(StoreScope::Project).unwrap().check(true).unwrap();
        prop_assert_eq!((check.problems, check.unindexed), (vec![], 0));
    }
}

#[test]
fn what_becomes_of_a_line() {
    let (source, target) = (World::new(), World::new());
    let mut from = source.engine();
    keep(&mut from, "the same is known under another id");
    source.clock.advance_hours(1);
    let edited = kept(keep(&mut from, "this one is edited later"));
    source.clock.advance_hours(1);
    let gone = kept(keep(&mut from, "this one was forgotten here"));
    let old = export(&from);
    let mut to = target.engine();
    // A clock apart, so that the two worlds make different identifiers.
    target.clock.advance_hours(9);
    let twin = kept(keep(&mut to, "the  same is known\nunder another id"));
    let items = import(&mut to, &old).items;
    assert_eq!(
        items,
        [ImportOutcome::Merged(twin.id), ImportOutcome::Stored, ImportOutcome::Stored]
    );

    source.clock.advance_hours(2);
    let patch = serde_json::from_str(r#"{"title": "edited"}"#).unwrap();
    from.edit(&edited.id.to_string(), &patch, None).unwrap();
    from.forget(&gone.id.to_string(), tacit_engine::ForgetMode::Retire, reason("wrong")).unwrap();
    let items = import(&mut to, &export(&from)).items;
    assert_eq!(
        items,
        [ImportOutcome::Merged(twin.id), ImportOutcome::Updated, ImportOutcome::Updated]
    );
    assert_eq!(search(&to, "edited"), [edited.id]);
    assert_eq!(search(&to, "forgotten"), []);

    // A draft that says what was forgotten is refused, and an older export changes nothing.
    let line = (1, ImportLine::Draft(Box::new(draft("this one was forgotten here"))));
    assert_eq!(
        to.import(StoreScope::Project, trusted(vec![line]), false).unwrap().items,
        [ImportOutcome::Refused]
    );
    let items = import(&mut to, &old).items;
    assert_eq!(items[1..], [ImportOutcome::Unchanged, ImportOutcome::Unchanged]);
}

#[test]
fn memories_that_swapped_their_words_are_imported_and_taken_back() {
    let (source, target) = (World::new(), World::new());
    let mut from = source.engine();
    let one = kept(keep(&mut from, "first words"));
    let two = kept(keep(&mut from, "second words"));
    let mut to = target.engine();
    import(&mut to, &export(&from));
    let before = export(&to);

    source.clock.advance_hours(1);
    for (memory, words) in [(&one, "in between"), (&two, "first words"), (&one, "second words")] {
        let patch = serde_json::from_value(serde_json::json!({ "content": words })).unwrap();
        from.edit(&memory.id.to_string(), &patch, None).unwrap();
    }
    import(&mut to, &export(&from));
    assert_eq!(export(&to), export(&from));
    to.undo(StoreScope::Project, None).unwrap();
    assert_eq!(export(&to), before);
}

#[test]
fn an_update_that_would_make_a_twin_is_refused_with_its_line() {
    let (source, target) = (World::new(), World::new());
    let mut from = source.engine();
    let one = kept(keep(&mut from, "words before"));
    let mut to = target.engine();
    import(&mut to, &export(&from));
    target.clock.advance_hours(1);
    let twin = kept(keep(&mut to, "words after"));
    source.clock.advance_hours(2);
    let patch = serde_json::from_str(r#"{"content": "words after"}"#).unwrap();
    from.edit(&one.id.to_string(), &patch, None).unwrap();
    let before = export(&to);
    let line = ImportLine::parse(export(&from).trim_end()).unwrap().unwrap();
    let error = to.import(StoreScope::Project, trusted(vec![(7, line)]), false).unwrap_err();
    let expected = format!("line 7: this says the same as memory {}", twin.id.short());
    assert_eq!(error.to_string(), expected);
    assert_eq!(export(&to), before);
}

#[test]
fn a_dry_run_changes_nothing() {
    let world = World::new();
    let mut engine = world.engine();
    let line = (1, ImportLine::Draft(Box::new(draft("not yet"))));
    let plan = engine.import(StoreScope::Project, trusted(vec![line]), true).unwrap();
    assert_eq!((plan.items.as_slice(), plan.change), ([ImportOutcome::Stored].as_slice(), None));
    assert_eq!(export(&engine), "");
    assert_eq!(changes(&engine), 0);
}

#[test]
fn all_or_none() {
    let world = World::new();
    let mut engine = world.engine();
    let lines = ["good", "", "also good"].map(|text| ImportLine::Draft(Box::new(draft(text))));
    let error =
        engine.import(StoreScope::Project, trusted((1..).zip(lines).collect()), false).unwrap_err();
    assert_eq!(error.to_string(), "line 2: content: is empty");
    assert_eq!(export(&engine), "");
}

#[test]
fn a_draft_is_imported_once() {
    let world = World::new();
    let mut engine = world.engine();
    let lines = |places: &[&str]| {
        let drafts = places.iter().map(|place| {
            let references = vec![(*place).to_owned()];
            ImportLine::Draft(Box::new(Draft { references, ..draft("pnpm, never npm") }))
        });
        (1..).zip(drafts).collect::<Vec<_>>()
    };
    let known = kept(keep(&mut engine, "pnpm, never npm")).id;
    let mut items = |places: &[&str]| {
        let plan = engine.import(StoreScope::Project, trusted(lines(places)), false).unwrap();
        (plan.items, plan.change.is_some())
    };
    let once_more = ImportOutcome::Reinforced(known);
    assert_eq!(items(&["CLAUDE.md#Build"]), (vec![once_more], true));
    assert_eq!(items(&["CLAUDE.md#Build"]), (vec![ImportOutcome::Unchanged], false));
    // Said in another place, it is known once more; twice in the same import, too.
    let both = ["AGENTS.md", "GEMINI.md", "AGENTS.md"];
    assert_eq!(items(&both), (vec![once_more, once_more, ImportOutcome::Unchanged], true));
    assert_eq!(items(&both), (vec![ImportOutcome::Unchanged; 3], false));
    assert_eq!(engine.find(&known.to_string()).unwrap().memory.observations, 4);

    // What was forgotten stays so, however late the same file comes again.
    engine.forget(&known.to_string(), tacit_engine::ForgetMode::Retire, reason("wrong")).unwrap();
    world.clock.advance_hours(24 * 30);
    let mut items = |places: &[&str]| {
        engine.import(StoreScope::Project, trusted(lines(places)), false).unwrap().items
    };
    assert_eq!(items(&["AGENTS.md"]), [ImportOutcome::Refused]);
    assert_eq!(items(&["NEW.md"]), [ImportOutcome::Stored]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_file_of_another_tool_is_imported_once(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "# Build\n", "## Style\n", "- use tabs\n", "- never use npm\n", "- [tip] use tabs #go\n",
                "use tabs\n", "\n", "- a [[B]]\n", "- password=hunter2hunter2\n", "  - nested\n",
                "- see `src/a.rs`\n", "```\ncode here\n```\n", "use  tabs\n\n",
            ]),
            0..30,
        ),
    ) {
        let text = pieces.concat();
        let world = World::new();
        let mut engine = world.engine();
        let mut lines = Vec::new();
        for format in [Format::Rules, Format::BasicMemory, Format::AutoMemory] {
            for item in tacit_bridges::read(format, "notes.md", text.as_bytes()).unwrap() {
                if let ImportContent::Draft(draft) = item.content {
                    lines.push((item.line, ImportLine::Draft(draft)));
                }
            }
        }
        let first = engine.import(StoreScope::Project, trusted(lines.clone()), false).unwrap();
        let before = export(&engine);
        let again = engine.import(StoreScope::Project, trusted(lines), false).unwrap();
        prop_assert_eq!(again.items, vec![ImportOutcome::Unchanged; first.items.len()]);
        prop_assert_eq!(again.change, None);
        prop_assert_eq!(export(&engine), before);
    }
}

#[test]
fn a_place_too_many_does_not_count_again_and_again() {
    let world = World::new();
    let mut engine = world.engine();
    let lines: Vec<_> = (1..=40)
        .map(|n| {
            let references = vec![format!("rules/{n:02}.md")];
            (n, ImportLine::Draft(Box::new(Draft { references, ..draft("say it once") })))
        })
        .collect();
    engine.import(StoreScope::Project, trusted(lines.clone()), false).unwrap();
    let before = export(&engine);
    let again = engine.import(StoreScope::Project, trusted(lines), false).unwrap();
    assert_eq!((again.items, again.change), (vec![ImportOutcome::Unchanged; 40], None));
    assert_eq!(export(&engine), before);
}
