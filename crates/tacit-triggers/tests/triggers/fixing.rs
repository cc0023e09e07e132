use tacit_triggers::fix::autofix;
use tacit_triggers::validate::validate;

use crate::support::corpus;

const FILES: &[(&str, &str)] = &[
    ("a.md", "# A\n## .Group\n### When One Two\n### When Three Four\n"),
    ("b.md", "## How to Do It\n## When Five Six\n"),
];

#[test]
fn autofix_moves_sorts_and_removes_entries() {
    let index = "\
---
kind: index
---
# Memory Index

Prose stays.

## agents/decisions/a.md

/when three four | x
Prose between entries stays too.

/when one two
/when group
/how do it

## Mixed

Kept for its prose.
/when five six";
    let before = corpus(index, FILES);
    let fixed = autofix(&before);
    assert_eq!(
        String::from_utf8(fixed[0].bytes.clone()).unwrap(),
        "\
---
kind: index
---
# Memory Index

Prose stays.

## agents/decisions/a.md

/when one two
Prose between entries stays too.

/when three four | x

## Mixed

Kept for its prose.

## agents/decisions/b.md

/how do it
/when five six
"
    );
    assert_eq!(
        fixed[0].notes,
        [
            "removed `/when group`: its heading is structural",
            "moved `/how do it` under `agents/decisions/b.md`",
            "moved `/when five six` under `agents/decisions/b.md`",
            "sorted the entries of `agents/decisions/a.md`",
        ]
    );
    let after = corpus(std::str::from_utf8(&fixed[0].bytes).unwrap(), FILES);
    assert_eq!(validate(&after), []);
    assert_eq!(autofix(&after), []);
}

#[test]
fn autofix_keeps_line_endings_and_invalid_utf8() {
    let index = b"\xef\xbb\xbf## agents/decisions/a.md\r\n\r\n/when three four\r\n\xff\xfe\r\n/when one two\r\n";
    let mut before = corpus("", FILES);
    before.indexes[0] = tacit_triggers::IndexFile::new("agents/memory-index.md", index.to_vec());
    let fixed = autofix(&before);
    assert_eq!(
        fixed[0].bytes,
        b"\xef\xbb\xbf## agents/decisions/a.md\r\n\r\n/when one two\r\n\xff\xfe\r\n/when three four\r\n"
    );
}

#[test]
fn an_entry_with_a_semantic_heading_is_kept() {
    let files = [("a.md", "## .Mock Patching\n### When Mock Patching Breaks\n")];
    let index = "## agents/decisions/a.md\n/when mock patching\n";
    let before = corpus(index, &files);
    assert_eq!(validate(&before), []);
    assert_eq!(autofix(&before), []);
}

#[test]
fn a_valid_index_is_not_changed() {
    let index = "## agents/decisions/a.md\n\n/when one two\n/when three four\n\n## agents/decisions/b.md\n/how do it\n/when five six\n/when seven eight\n";
    assert_eq!(autofix(&corpus(index, FILES)), []);
}
