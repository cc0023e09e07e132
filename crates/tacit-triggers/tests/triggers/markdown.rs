use proptest::prelude::*;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use tacit_triggers::markdown::{MarkdownHeading, outline};

fn shown(headings: &[MarkdownHeading]) -> Vec<String> {
    headings
        .iter()
        .map(|heading| {
            let dot = if heading.structural { "." } else { "" };
            format!("{} {} {dot}{}", heading.line, heading.level, heading.title)
        })
        .collect()
}

#[test]
fn headings_of_every_kind_are_found() {
    let text = "\
---
title: x
---
# File

## .Structural ##
### When Nested   \n
Setext One
==========

Setext
over two
---

    # indented code
\t# also indented

```md
# in a fence
~~~
```
~~~~
# in another
```
~~~
~~~~
<!-- # in a comment
# still
-->
- item
  # in a list
  ```
# in a fence in a list
  ```
> # in a quotation

#No space
#
####### seven
 ## Indented a little
| a |
|---|
* * *
## ..two dots
###### Six # with a hash
## Trailing\\#
";
    assert_eq!(
        shown(&outline(text.as_bytes())),
        [
            "4 1 File",
            "6 2 .Structural",
            "7 3 When Nested",
            "9 1 Setext One",
            "12 2 Setext over two",
            "39 1 ",
            "41 2 Indented a little",
            "45 2 ..two dots",
            "46 6 Six # with a hash",
            "47 2 Trailing\\#",
        ]
    );
}

#[test]
fn a_section_is_returned_byte_for_byte() {
    let bytes = b"# T\r\n\r\n## A\r\n\r\nbody \xe9\r\n### A1\r\nx\r\n## B\r\ny";
    let headings = outline(bytes);
    let body = |at: usize| &bytes[headings[at].body.clone()];
    assert_eq!(body(1), b"\r\nbody \xe9\r\n### A1\r\nx\r\n");
    assert_eq!(body(2), b"x\r\n");
    assert_eq!(body(3), b"y");
    assert_eq!(
        headings.iter().map(|h| h.parent).collect::<Vec<_>>(),
        [None, Some(0), Some(1), Some(0)]
    );
    assert_eq!(&bytes[headings[1].text.clone()], b"A");
}

/// Returns the headings outside containers, according to a full Markdown parser.
fn by_full_parser(text: &str) -> Vec<(u8, usize)> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                let line = text[..range.start].bytes().filter(|byte| *byte == b'\n').count() + 1;
                found.push((level as u8, line));
            }
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => depth -= 1,
            _ => {}
        }
    }
    found
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        "#{1,7} ?[a-z]{0,4}",
        "[a-z]{1,6}",
        Just("```".to_owned()),
        Just("```sh".to_owned()),
        Just("~~~~".to_owned()),
        Just("===".to_owned()),
        Just("---".to_owned()),
        Just(String::new()),
        " {0,5}# [a-z]{1,3}",
        Just("***".to_owned()),
        Just("> quoted".to_owned()),
        Just("- item".to_owned()),
        Just("1. first".to_owned()),
        Just("  inside".to_owned()),
        Just("<!-- comment -->".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn headings_agree_with_a_full_parser(lines in prop::collection::vec(line(), 0..12)) {
        // Front matter is ours alone.
        let text = format!("start\n\n{}\n", lines.join("\n"));
        let ours: Vec<(u8, usize)> =
            outline(text.as_bytes()).iter().map(|h| (h.level, h.line)).collect();
        prop_assert_eq!(ours, by_full_parser(&text), "{}", text);
    }
}
