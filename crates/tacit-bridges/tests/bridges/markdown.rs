//! Memories as markdown come back as they were.

use proptest::prelude::*;
use tacit_bridges::tacit_markdown::{HEADER, write};
use tacit_bridges::{Format, ImportContent, read};
use tacit_core::Memory;
use tacit_testkit::arbitrary;

fn there_and_back(memories: &[Memory]) -> Vec<Memory> {
    let body: String = memories.iter().map(write).collect();
    let text = format!("{HEADER}\n{body}");
    let items = read(Format::TacitMarkdown, "x.md", text.as_bytes()).expect("an export");
    items
        .into_iter()
        .filter_map(|item| match item.content {
            ImportContent::Memory(memory) => Some(*memory),
            _ => None,
        })
        .collect()
}

/// Text that looks like the marks of the format.
fn hostile() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("## A heading"),
        Just("\\## escaped"),
        Just("\\\\<!-- why -->"),
        Just("<!-- why -->"),
        Just("<!-- memory {\"id\":1} -->"),
        Just("<!-- tacit-export 1 -->"),
        Just("-->"),
        Just(""),
        Just("  text"),
    ];
    prop::collection::vec(line, 1..8)
        .prop_map(|lines| lines.join("\n"))
        .prop_filter("not empty", |text| !text.trim().is_empty())
}

proptest! {
    #[test]
    fn nothing_is_lost(memories in prop::collection::vec(arbitrary::memory(), 0..5)) {
        prop_assert_eq!(there_and_back(&memories), memories);
    }

    #[test]
    fn no_text_passes_for_a_mark(
        memory in arbitrary::memory(), content in hostile(), why in hostile(),
        title in prop::option::of("(## |<!-- why -->|\\\\)x"),
    ) {
        let mut memory = memory;
        memory.body.content = content.parse().expect("a text");
        memory.body.reasoning = Some(why.parse().expect("reasons"));
        memory.body.title = title.map(|title| title.parse().expect("a title"));
        let memories = [memory.clone(), memory];
        prop_assert_eq!(there_and_back(&memories), memories);
    }
}

#[test]
fn what_is_wrong_is_named() {
    for (text, expected) in [
        ("# Notes", "it does not begin with `<!-- tacit-export 1 -->`"),
        (
            "<!-- tacit-export 2 -->",
            "this export was written by a newer version of tacit; install that",
        ),
        ("<!-- tacit-export 1 -->\n\n<!-- memory {} -->\nx", "line 3: memory: missing field `id`"),
        (
            "<!-- tacit-export 1 -->\n<!-- memory {\n",
            "line 2: not the fields of a memory: EOF while parsing an object at line 1 column 1",
        ),
    ] {
        let error = read(Format::TacitMarkdown, "x.md", text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
