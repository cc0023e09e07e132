//! Any bytes are read without panic, and every draft is valid.

use proptest::prelude::*;
use tacit_bridges::written::{WrittenKind, read_written, replaced};
use tacit_bridges::{Format, ImportContent, detect, read, settings};
use tacit_core::{Confidence, clean};

const TEXTS: [Format; 8] = [
    Format::Rules,
    Format::AutoMemory,
    Format::BasicMemory,
    Format::McpMemory,
    Format::WtMemory,
    Format::Beads,
    Format::Serena,
    Format::TacitMarkdown,
];
const WRITTEN: [WrittenKind; 3] =
    [WrittenKind::Instructions, WrittenKind::Contributing, WrittenKind::Decision];

fn check(name: &str, bytes: &[u8]) -> Result<(), TestCaseError> {
    let _ = detect(name, bytes);
    let _ = settings::read(bytes);
    for format in TEXTS {
        let Ok(items) = read(format, name, bytes) else { continue };
        prop_assert_eq!(&Ok(items.clone()), &read(format, name, bytes), "twice the same");
        for item in items {
            let ImportContent::Draft(draft) = item.content else { continue };
            let mut draft = *draft;
            for (_, text) in draft.texts_mut() {
                prop_assert_eq!(clean(text).removed, 0);
            }
            prop_assert!(!draft.references.is_empty());
            let checked = draft.clone().check(Confidence::MEDIUM);
            prop_assert!(checked.is_ok(), "{:?}: {:?} of {:?}", format, checked, draft);
        }
    }
    for kind in WRITTEN {
        let Ok(file) = read_written(kind, name, bytes) else { continue };
        prop_assert_eq!(&Ok(file.clone()), &read_written(kind, name, bytes), "twice the same");
        let texts: Vec<&str> = file.rules.iter().map(|rule| rule.draft.content.as_str()).collect();
        prop_assert_eq!(replaced(&texts, &texts), []);
        for rule in file.rules {
            let checked = rule.draft.clone().check(Confidence::MEDIUM);
            prop_assert!(checked.is_ok(), "{:?}: {:?} of {:?}", kind, checked, rule.draft);
            prop_assert!(rule.line >= 1);
        }
    }
    Ok(())
}

/// Generates text from fragments of these formats.
fn markdown() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("---\n".to_owned()),
        Just("# Heading\n".to_owned()),
        Just("## ".to_owned()),
        Just("- ".to_owned()),
        Just("  - nested\n".to_owned()),
        Just("1. ".to_owned()),
        Just("```sh\n".to_owned()),
        Just("~~~~".to_owned()),
        Just("<!-- ".to_owned()),
        Just(" -->\n".to_owned()),
        Just("<!-- tacit:begin -->\n".to_owned()),
        Just("<!-- tacit-export 1 -->\n".to_owned()),
        Just("<!-- memory {} -->\n".to_owned()),
        Just("[decision] ".to_owned()),
        Just("#tag ".to_owned()),
        Just("relates_to [[".to_owned()),
        Just("]] (context)\n".to_owned()),
        Just("name: a\ndescription: >-\n".to_owned()),
        Just("memory_silent_capture_budget: 5\n".to_owned()),
        Just("{\"categories\":{\"decision\":{\"enabled\":".to_owned()),
        Just("tags: [a, \"b\", '']\n".to_owned()),
        Just("globs: src/**/*.rs, é/?\n".to_owned()),
        Just(
            "{\"type\":\"entity\",\"name\":\"a\",\"observations\":[\"b\",1,{\"content\":\"c\"}]}\n"
                .to_owned()
        ),
        Just(
            "{\"type\":\"relation\",\"from\":\"a\",\"to\":\"b\",\"relationType\":\"c\"}\n"
                .to_owned()
        ),
        Just("`src/a.rs` ".to_owned()),
        Just("## Status\n\nAccepted\n\n".to_owned()),
        Just("## Decision\n\n".to_owned()),
        Just("status: superseded by [a](0002-a.md)\n".to_owned()),
        Just("Never use it, run `make all` instead. ".to_owned()),
        Just("@docs/a.md ".to_owned()),
        Just("{\"_type\":\"memory\",\"key\":\"k\",\"value\":\"v w\"}\n".to_owned()),
        Just(
            "{\"id\":\"a\",\"title\":\"t\",\"issue_type\":\"decision\",\"status\":\"closed\"}\n"
                .to_owned()
        ),
        Just(
            "{\"format\":\"wt-memory-export\",\"version\":1,\"records\":[{\"content\":\"c\"}]}"
                .to_owned()
        ),
        Just("===\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("\n\n".to_owned()),
        "\\PC{0,12}",
        "[ \t\n]{1,4}",
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes_give_valid_drafts(name in "\\PC{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&name, &bytes)?;
    }

    #[test]
    fn random_text_gives_valid_drafts(name in "[a-z/.]{0,20}", text in "(?s).{0,400}") {
        check(&name, text.as_bytes())?;
    }

    #[test]
    fn random_markdown_gives_valid_drafts(name in "([a-z]{1,8}/){0,3}[a-zA-Z]{1,10}\\.mdc?", text in markdown()) {
        check(&name, text.as_bytes())?;
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn long_texts_give_valid_drafts(word in "\\PC{1,30}", times in 1..600_usize) {
        check("CLAUDE.md", format!("# {word}\n\n- {}", word.repeat(times)).as_bytes())?;
    }
}
