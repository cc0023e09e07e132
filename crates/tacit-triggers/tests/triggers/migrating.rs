use std::collections::BTreeMap;
use std::fs;

use tacit_triggers::commit::commit;
use tacit_triggers::files::{load, text_files};
use tacit_triggers::migrate::{Mapping, MigrateError, plan};
use tacit_triggers::validate::{IssueSeverity, validate};
use tacit_triggers::{Corpus, Operator, resolve};

use crate::support::{corpus, sample};

fn errors(corpus: &Corpus) -> Vec<String> {
    let issues = validate(corpus);
    issues.iter().filter(|i| i.severity == IssueSeverity::Error).map(ToString::to_string).collect()
}

#[test]
fn a_migration_converts_the_whole_project() {
    let (directory, layout) = sample();
    let before = load(&layout).unwrap();
    let plan = plan(&before, &Mapping::default(), text_files(directory.path())).unwrap();
    commit(directory.path(), &plan.edits).unwrap();
    let after = load(&layout).unwrap();
    assert_eq!(errors(&after), Vec::<String>::new());
    assert!(after.entries().count() >= 120);
    assert_eq!(after.documents.len(), 9);

    // Every old entry is reached by its trigger, and says what it said.
    let old: BTreeMap<&str, &[u8]> = before
        .places()
        .map(|place| {
            let (file, heading) = (before.document(place), before.heading(place));
            (heading.title.as_str(), file.slice(heading.body.clone()))
        })
        .collect();
    for conversion in plan.conversions.iter().filter(|conversion| conversion.entry.is_some()) {
        let heading = conversion.heading.as_deref().unwrap();
        let (word, trigger) = conversion.entry.as_deref().unwrap()[1..].split_once(' ').unwrap();
        let trigger = trigger.split(" | ").next().unwrap();
        let answer = resolve(&after, Operator::from_word(word).unwrap(), trigger).unwrap();
        assert_eq!(answer.title.as_deref(), Some(heading));
        if conversion.key != "Fixture Scope" {
            let same = answer.content == old[conversion.key.as_str()];
            assert!(same, "{}", conversion.key);
        }
    }

    // Taking the headings back gives the files that were there, byte by byte.
    for (was, is) in before.documents.iter().zip(&after.documents) {
        let mut back = is.bytes.clone();
        for (old, new) in was.headings.iter().zip(&is.headings).rev() {
            back.splice(new.text.clone(), was.slice(old.text.clone()).iter().copied());
        }
        assert_eq!(String::from_utf8(back).unwrap(), String::from_utf8(was.bytes.clone()).unwrap());
    }

    // There is nothing left to migrate.
    assert!(matches!(
        tacit_triggers::migrate::plan(&after, &Mapping::default(), []),
        Err(MigrateError::NothingToDo)
    ));
}

#[test]
fn references_are_updated_and_mentions_reported() {
    let (directory, layout) = sample();
    let before = load(&layout).unwrap();
    let plan = plan(&before, &Mapping::default(), text_files(directory.path())).unwrap();
    let expected = [("README.md", 5), ("docs/guide.md", 4), ("src/retry.py", 1)];
    let references: Vec<(&str, usize)> =
        plan.references.iter().map(|(path, count)| (path.as_str(), *count)).collect();
    assert_eq!(references, expected);
    let mentions: Vec<String> = plan
        .mentions
        .iter()
        .map(|mention| format!("{}:{} {}", mention.file, mention.line, mention.text))
        .collect();
    assert_eq!(mentions, ["README.md:4 Broken Pipe", "src/retry.py:2 Timeout Budget"]);
    commit(directory.path(), &plan.edits).unwrap();
    assert_eq!(
        fs::read_to_string(directory.path().join("README.md")).unwrap(),
        "\
# Shop

Tests follow [our pattern for mocks](agents/decisions/testing.md#when-mock-patching-pattern), see \"When Mock Patching Pattern\".
Money is handled as **When Decimal Money** says. A Broken Pipe is no failure.

- agents/decisions/storage.md, When Atomic File Replacement
- `/when .When Exit Codes`
"
    );
    assert_eq!(
        fs::read_to_string(directory.path().join("src/retry.py")).unwrap(),
        "\
# The rule is in agents/decisions/storage.md: How to Retry Busy Database.
# Timeout Budget is a phrase here and no reference.
TRIES = 3
"
    );
}

#[test]
fn the_index_gets_a_head_and_loses_removed_sections() {
    let (_directory, layout) = sample();
    let before = load(&layout).unwrap();
    let plan = plan(&before, &Mapping::default(), []).unwrap();
    let index = plan.edits.iter().find(|edit| edit.path == "agents/memory-index.md").unwrap();
    let index = String::from_utf8(index.after.clone()).unwrap();
    let head = "# Memory Index\n\nActive knowledge retrieval. Invoke `/when` or `/how` to recall decisions.\n";
    assert!(index.starts_with(head), "{index}");
    assert!(
        index.contains("\n\n## agents/decisions/testing.md\n\n/when mock patching pattern\n"),
        "{index}"
    );
    for gone in ["Scan these", "Behavioral Rules", "Technical Decisions", " — "] {
        assert!(!index.contains(gone), "{gone}: {index}");
    }
    let removed: Vec<&str> = plan
        .conversions
        .iter()
        .filter(|conversion| conversion.entry.is_none())
        .map(|conversion| conversion.key.as_str())
        .collect();
    assert_eq!(removed, ["Prefer facts", "Stop on surprise"]);
}

#[test]
fn a_mapping_overrides_the_rules() {
    let (_directory, layout) = sample();
    let before = load(&layout).unwrap();
    let mapping = "# comment\n\nMock Patching Pattern => /when writing mock tests | mock patch, test doubles\n";
    let plan = plan(&before, &Mapping::parse(mapping).unwrap(), []).unwrap();
    let first = &plan.conversions[0];
    assert_eq!(first.entry.as_deref(), Some("/when writing mock tests | mock patch, test doubles"));
    assert_eq!(first.heading.as_deref(), Some("When Writing Mock Tests"));
    for (wrong, line) in [("x", 1), ("\nKey => when", 2), ("Key => /when", 1)] {
        assert_eq!(Mapping::parse(wrong).unwrap_err().line, line, "{wrong}");
    }
}

#[test]
fn removed_sections_are_recognised_with_a_remark() {
    let index = "\
# Memory Index

## Behavioral Rules (fragments — already loaded)

These are loaded in every session:
Prefer facts — say what was seen
Stop on surprise — ask first

## Technical Decisions (mixed — check entry for specific file)

Known thing — described
Grouping — only a heading for others

## agents/decisions/a.md

Other thing — described
";
    let text = "# File\n\n## .Grouping\n\n### Known Thing\n\nOne.\n\n### Other Thing\n\nTwo.\n";
    let one = corpus(index, &[("a.md", text)]);
    let plan = plan(&one, &Mapping::default(), []).unwrap();
    let removed = plan.conversions.iter().filter(|conversion| conversion.entry.is_none());
    let removed: Vec<&str> = removed.map(|conversion| conversion.key.as_str()).collect();
    assert_eq!(removed, ["Prefer facts", "Stop on surprise", "Grouping"]);
    let after = plan.edits.iter().find(|edit| edit.path == "agents/memory-index.md").unwrap();
    let after = String::from_utf8(after.after.clone()).unwrap();
    let body = after.split_once("## agents").unwrap().1;
    assert_eq!(body, "/decisions/a.md\n\n/when known thing\n/when other thing\n");
    assert!(!after.contains("Behavioral") && !after.contains("loaded in"), "{after}");
}

#[test]
fn dropped_entries_leave_a_structural_heading() {
    let index =
        "## agents/decisions/a.md\n\nKnown thing — described\nOld rule — gone\nNo heading — gone\n";
    let one = corpus(index, &[("a.md", "## Known Thing\n\nOne.\n\n## Old Rule\n\nTwo.\n")]);
    let mut mapping = Mapping::default();
    assert!(mapping.add("Old Rule=drop") && mapping.add("no heading = drop"));
    assert!(mapping.add("Known thing=/how know things | facts"));
    for wrong in ["triggers.txt", "Old Rule=", "Old Rule=keep", "=drop", "Key=/what now"] {
        assert!(!mapping.add(wrong), "{wrong}");
    }
    let plan = plan(&one, &mapping, []).unwrap();
    let after = one.with(&plan.edits);
    let index = String::from_utf8(after.indexes[0].bytes.clone()).unwrap();
    assert!(index.ends_with("## agents/decisions/a.md\n\n/how know things | facts\n"), "{index}");
    let text = String::from_utf8(after.documents[0].bytes.clone()).unwrap();
    assert_eq!(text, "## How to Know Things\n\nOne.\n\n## .Old Rule\n\nTwo.\n");
}

#[test]
fn unclear_entries_abort_the_migration() {
    let index = "## agents/decisions/a.md\nKnown thing — described\nUnknown thing — described\n";
    let one = corpus(index, &[("a.md", "## Known Thing\n")]);
    let error = plan(&one, &Mapping::default(), []).unwrap_err();
    let MigrateError::Unclear { problems } = error else { panic!("{error}") };
    assert_eq!(problems, ["agents/memory-index.md:3: `Unknown thing` has no heading"]);

    let twins = "## agents/decisions/a.md\nKnown thing — described\nKnown-thing — described\n";
    let one = corpus(twins, &[("a.md", "## Known Thing\n## Known-Thing\n")]);
    let error = plan(&one, &Mapping::default(), []).unwrap_err();
    assert!(matches!(error, MigrateError::Invalid { .. }), "{error}");
}

#[test]
fn headings_without_an_entry_get_one() {
    let index = "## agents/decisions/a.md\nKnown thing — described\n";
    let one = corpus(index, &[("a.md", "## Unknown Thing\n## Known Thing\n")]);
    let plan = plan(&one, &Mapping::default(), []).unwrap();
    let after = one.with(&plan.edits);
    assert_eq!(errors(&after), Vec::<String>::new());
    let entries: Vec<String> = after.entries().map(|(_, entry)| entry.to_string()).collect();
    assert_eq!(entries, ["/when unknown thing", "/when known thing"]);
}
