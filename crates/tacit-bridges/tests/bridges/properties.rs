//! Any bytes: no panic, and every draft would be accepted.

use proptest::prelude::*;
use tacit_bridges::{Format, ImportContent, detect, read, settings};
use tacit_core::{Confidence, clean};

const TEXTS: [Format; 5] = [
    Format::Rules,
    Format::AutoMemory,
    Format::BasicMemory,
    Format::McpMemory,
    Format::TacitMarkdown,
];

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
    Ok(())
}

/// Text made of what these formats are made of.
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
    fn any_bytes(name in "\\PC{0,40}", bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check(&name, &bytes)?;
    }

    #[test]
    fn any_text(name in "[a-z/.]{0,20}", text in "(?s).{0,400}") {
        check(&name, text.as_bytes())?;
    }

    #[test]
    fn any_markdown(name in "([a-z]{1,8}/){0,3}[a-zA-Z]{1,10}\\.mdc?", text in markdown()) {
        check(&name, text.as_bytes())?;
    }

}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_length(word in "\\PC{1,30}", times in 1..600_usize) {
        check("CLAUDE.md", format!("# {word}\n\n- {}", word.repeat(times)).as_bytes())?;
    }
}
