use tacit_triggers::{LineError, Operator, parse_index};

const INDEX: &str = "\u{feff}---
kind: index
---
# Memory Index

Active knowledge retrieval. Invoke `/when` or `/how` to recall decisions.

/when <trigger>        # behavioral knowledge (when to do X)
/when .Section Title   # section content by heading name
/when ..file.md        # entire decision file

## `agents/decisions/testing.md`

Prose about these entries stays prose.

/when writing mock tests | mock patch, test doubles
/how  encode   paths
/what is this
/when
/when | extras only
/when a | b,, c
/when a | b | c
- /when in a list
/path/to/something is no entry
Mock patching — patch where used

```
/when in a fence
```
<!--
/when commented out
-->

### A heading that is no section

/when last of all|x

## agents/decisions/cli.md
/how name flags
";

#[test]
fn an_index_is_parsed_and_errors_are_reported() {
    let index = parse_index(INDEX.as_bytes());
    let entries: Vec<String> = index
        .entries
        .iter()
        .map(|entry| format!("{}: {entry} ({})", entry.line_number, entry.section))
        .collect();
    assert_eq!(
        entries,
        [
            "16: /when writing mock tests | mock patch, test doubles (agents/decisions/testing.md)",
            "17: /how encode paths (agents/decisions/testing.md)",
            "36: /when last of all | x (agents/decisions/testing.md)",
            "39: /how name flags (agents/decisions/cli.md)",
        ]
    );
    let malformed: Vec<String> = index
        .malformed
        .iter()
        .map(|malformed| format!("{}: {}", malformed.line_number, malformed.error))
        .collect();
    assert_eq!(
        malformed,
        [
            "18: `/what` is not an operator: an entry starts with `/when` or `/how`",
            "19: the entry has no trigger",
            "20: the entry has no trigger",
            "21: extra triggers are separated by single commas, with none empty",
            "22: an entry has one `|` at most",
            "23: an entry must start at the beginning of its line",
            "25: operator prefix required: an entry starts with `/when` or `/how`, not with a key",
        ]
    );
    assert_eq!(index.sections.len(), 2);
}

#[test]
fn an_unclosed_block_hides_nothing() {
    for (text, entries) in [
        ("## f.md\n```\n/when a b\n", 1),
        ("## f.md\n<!-- /when a b\n/when c d\n", 1),
        ("---\n## f.md\n/when a b\n", 1),
        ("## f.md\r\n/when a b\r\n", 1),
        ("## f.md\n/when a b", 1),
    ] {
        assert_eq!(parse_index(text.as_bytes()).entries.len(), entries, "{text:?}");
    }
    let index = parse_index(b"## f.md\n/when \xff\n/when a b\n/when outside \xc3\xa9\n");
    assert_eq!(index.malformed[0].error, LineError::NotUtf8);
    assert_eq!(index.entries.len(), 2);
}

#[test]
fn an_entry_needs_a_section() {
    let index = parse_index(b"/when a b\n\n## f.md\n/how c d\n");
    assert_eq!(index.malformed[0].error, LineError::NoSection);
    assert_eq!(index.entries[0].operator, Operator::How);
}
