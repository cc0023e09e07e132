use proptest::prelude::*;
use tacit_triggers::add::{NewEntry, plan_add};
use tacit_triggers::fix::autofix;
use tacit_triggers::markdown::outline;
use tacit_triggers::migrate::{Mapping, plan};
use tacit_triggers::transcript::read_steps;
use tacit_triggers::validate::{IssueSeverity, validate};
use tacit_triggers::{Corpus, Document, IndexFile, Operator, parse_index, resolve};

use crate::support::{DECISIONS, INDEX, migrated};

fn words() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["one", "two", "mock", "test", "path", "naming", "Ünïcode", "a1"])
        .prop_map(str::to_owned)
}

fn trigger() -> impl Strategy<Value = String> {
    prop::collection::vec(words(), 1..4).prop_map(|words| words.join(" "))
}

/// Generates files with headings of both operators and structural ones.
fn document() -> impl Strategy<Value = String> {
    let heading = (2..5_usize, 0..4_u8, trigger()).prop_map(|(level, kind, trigger)| {
        let title = match kind {
            0 => format!(".{trigger}"),
            1 => Operator::How.heading(&trigger),
            _ => Operator::When.heading(&trigger),
        };
        format!("{} {title}\n\ntext of {trigger}\n", "#".repeat(level))
    });
    prop::collection::vec(heading, 0..6)
        .prop_map(|headings| format!("# T\n{}", headings.join("\n")))
}

/// Generates indexes with sections in any order, prose, malformed lines and any line endings.
fn index() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        4 => trigger().prop_map(|trigger| format!("/when {trigger}")),
        2 => trigger().prop_map(|trigger| format!("/how {trigger} | {trigger}x")),
        2 => (0..3_u8).prop_map(|n| format!("## {DECISIONS}/{n}.md")),
        1 => Just("## Mixed".to_owned()),
        1 => Just("Prose.".to_owned()),
        1 => Just(String::new()),
        1 => Just("/when | ,".to_owned()),
    ];
    let lines = prop::collection::vec((line, prop::bool::weighted(0.1)), 0..16);
    (lines, any::<bool>()).prop_map(|(lines, ended)| {
        let mut text: String = lines
            .iter()
            .map(|(line, dos)| format!("{line}{}", if *dos { "\r\n" } else { "\n" }))
            .collect();
        if !ended {
            let end = text.strip_suffix('\n').map_or(0, |text| text.trim_end_matches('\r').len());
            text.truncate(end);
        }
        text.into_bytes()
    })
}

fn corpus() -> impl Strategy<Value = Corpus> {
    (index(), prop::collection::vec(document(), 1..4)).prop_map(|(index, files)| Corpus {
        decisions: vec![DECISIONS.to_owned()],
        indexes: vec![IndexFile::new(INDEX, index)],
        documents: files
            .into_iter()
            .enumerate()
            .map(|(n, text)| {
                let name = format!("{n}.md");
                Document::new(format!("{DECISIONS}/{name}"), Some(name), text.into_bytes())
            })
            .collect(),
    })
}

fn sorted_lines(bytes: &[u8], keep: impl Fn(&str) -> bool) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines: Vec<String> =
        text.lines().filter(|line| keep(line)).map(str::to_owned).collect();
    lines.sort();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_parsed(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        parse_index(&bytes);
        for heading in outline(&bytes) {
            prop_assert!(bytes.get(heading.body.clone()).is_some());
            prop_assert!(bytes.get(heading.text.clone()).is_some());
        }
        read_steps(&bytes[..], &mut |_| ()).unwrap();
    }

    #[test]
    fn any_markup_is_parsed(text in "[#\\-=`~>|/ \\n\\twhenow.<!]{0,120}") {
        parse_index(text.as_bytes());
        outline(text.as_bytes());
        read_steps(text.as_bytes(), &mut |_| ()).unwrap();
    }

    #[test]
    fn autofix_is_idempotent(corpus in corpus()) {
        let fixed = autofix(&corpus);
        let Some(first) = fixed.first() else { return Ok(()) };
        let edits = [tacit_triggers::corpus::PlannedEdit {
            path: INDEX.into(), before: None, after: first.bytes.clone(),
        }];
        prop_assert_eq!(autofix(&corpus.with(&edits)), vec![]);
    }

    #[test]
    fn autofix_keeps_all_other_lines(corpus in corpus()) {
        let fixed = autofix(&corpus);
        let Some(first) = fixed.first() else { return Ok(()) };
        let before = &corpus.indexes[0].bytes;
        let removed = first.notes.iter().filter(|note| note.starts_with("removed")).count();
        let is_entry = |line: &str| line.starts_with("/when ") || line.starts_with("/how ");
        let entries = |bytes: &[u8]| sorted_lines(bytes, is_entry);
        prop_assert_eq!(entries(before).len() - removed, entries(&first.bytes).len());
        for line in entries(&first.bytes) {
            prop_assert!(entries(before).contains(&line));
        }
        let others = |bytes: &[u8]| sorted_lines(bytes, |l| !is_entry(l) && !l.is_empty());
        for line in others(before) {
            prop_assert!(others(&first.bytes).contains(&line), "{}", line);
        }
    }

    #[test]
    fn any_corpus_is_validated_and_resolved(corpus in corpus(), query in "\\PC{0,20}") {
        validate(&corpus);
        for operator in Operator::ALL {
            if let Ok(answer) = resolve(&corpus, operator, &query) {
                answer.render();
            }
        }
    }

    #[test]
    fn added_entries_resolve_and_stay_valid(corpus in corpus(), trigger in trigger()) {
        let errors = |corpus: &Corpus| {
            validate(corpus).iter().filter(|issue| issue.severity == IssueSeverity::Error).count()
        };
        let new = NewEntry {
            operator: Operator::How,
            trigger: trigger.clone(),
            extra_triggers: Vec::new(),
            file: format!("{DECISIONS}/0.md"),
            under: None,
            body: "text".into(),
        };
        let Ok(added) = plan_add(&corpus, &new) else { return Ok(()) };
        let after = corpus.with(&added.edits);
        prop_assert!(errors(&after) <= errors(&corpus));
        let answer = resolve(&after, Operator::How, &trigger).unwrap();
        prop_assert_eq!(answer.title.as_deref(), Some(added.heading.as_str()));
    }

    #[test]
    fn any_old_index_is_migrated_validly_or_refused(
        keys in prop::collection::vec(trigger(), 0..6),
        files in prop::collection::vec(document(), 1..3),
    ) {
        let lines: String = keys.iter().map(|key| format!("{key} — some words\n")).collect();
        let headings: String = keys.iter().map(|key| format!("## {key}\n\ntext\n\n")).collect();
        let mut corpus = crate::support::corpus(
            &format!("# Index\n\n## {DECISIONS}/old.md\n\n{lines}"),
            &[("old.md", &headings)],
        );
        corpus.documents.extend(files.into_iter().enumerate().map(|(n, text)| {
            let name = format!("{n}.md");
            Document::new(format!("{DECISIONS}/{name}"), Some(name), text.into_bytes())
        }));
        let Ok(plan) = plan(&corpus, &Mapping::default(), []) else { return Ok(()) };
        let after = corpus.with(&plan.edits);
        let errors = validate(&after).into_iter().find(|issue| issue.severity == IssueSeverity::Error);
        prop_assert_eq!(errors, None);
    }

    #[test]
    fn a_heading_resolves_from_its_own_text(corpus in corpus()) {
        for place in corpus.places() {
            let heading = corpus.heading(place);
            let Some(operator) = Operator::of_heading(&heading.title) else { continue };
            let twins = corpus
                .places()
                .map(|other| corpus.heading(other))
                .filter(|other| other.title.to_lowercase() == heading.title.to_lowercase())
                .count();
            if heading.is_semantic() && twins == 1 {
                let answer = resolve(&corpus, operator, &heading.title).unwrap();
                prop_assert_eq!(answer.title.as_deref(), Some(heading.title.as_str()));
            }
        }
    }
}

#[test]
fn every_heading_of_a_project_resolves_from_its_own_text() {
    let corpus = migrated();
    for (_, entry) in corpus.entries() {
        let heading = entry.operator.heading(&entry.trigger);
        for query in [entry.trigger.clone(), heading.clone(), format!(".{heading}")] {
            let answer = resolve(&corpus, entry.operator, &query).unwrap();
            assert_eq!(answer.title.as_deref(), Some(heading.as_str()));
        }
    }
}
