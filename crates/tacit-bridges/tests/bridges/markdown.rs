//! Memories survive a round trip through markdown.

use proptest::prelude::*;
use tacit_bridges::tacit_markdown::{HEADER, write};
use tacit_bridges::{Format, ImportContent, read};
use tacit_core::Memory;
use tacit_testkit::arbitrary;

fn round_trip(memories: &[Memory]) -> Vec<Memory> {
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

/// Generates text that looks like marks of the format.
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
    fn memories_round_trip(memories in prop::collection::vec(arbitrary::memory(), 0..5)) {
        prop_assert_eq!(round_trip(&memories), memories);
    }

    #[test]
    fn text_that_looks_like_a_mark_round_trips(
        memory in arbitrary::memory(), content in hostile(), reasoning in hostile(),
        title in prop::option::of("(## |<!-- why -->|\\\\)x"),
    ) {
        let mut memory = memory;
        memory.body.content = content.parse().expect("a text");
        memory.body.reasoning = Some(reasoning.parse().expect("reasons"));
        memory.body.title = title.map(|title| title.parse().expect("a title"));
        let memories = [memory.clone(), memory];
        prop_assert_eq!(round_trip(&memories), memories);
    }
}

#[test]
fn errors_describe_the_problem() {
    for (text, expected) in [
        ("# Notes", "the first line is not `<!-- tacit-export 1 -->`"),
        (
            "<!-- tacit-export 2 -->",
            "this export was written by a newer version of tacit; install that version",
        ),
        ("<!-- tacit-export 1 -->\n\n<!-- memory {} -->\nx", "line 3: memory: missing field `id`"),
        (
            "<!-- tacit-export 1 -->\n<!-- memory {\n",
            "line 2: invalid fields of a memory: EOF while parsing an object at line 1 column 1",
        ),
    ] {
        let error = read(Format::TacitMarkdown, "x.md", text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
