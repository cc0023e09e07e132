use tacit_triggers::validate::validate;

use crate::support::{corpus, migrated, small};

fn check(index: &str, files: &[(&str, &str)]) -> Vec<String> {
    validate(&corpus(index, files)).iter().map(ToString::to_string).collect()
}

#[test]
fn a_valid_corpus_has_no_issues() {
    assert_eq!(validate(&small()), []);
}

#[test]
fn every_rule_has_its_message() {
    let a = "agents/decisions/a.md";
    let two =
        [("a.md", "# A\n\n## When One Two\n\n## When Three Four\n"), ("b.md", "## How to Do It\n")];
    let index = |lines: &str| format!("## {a}\n{lines}## agents/decisions/b.md\n/how do it\n");
    let good = "/when one two\n/when three four\n";
    for (name, index, files, expected) in [
        ("in order", index(good), &two[..], vec![]),
        (
            "format",
            index(&format!("{good}/what is it\n")),
            &two,
            vec![
                "agents/memory-index.md:4: error: `/what` is not an operator: an entry starts with `/when` or `/how`",
            ],
        ),
        (
            "plain line",
            index(&format!(
                "> A remark.\n{good}one two | first\n- three four\nA sentence is a remark.\n"
            )),
            &two,
            vec![
                "agents/memory-index.md:5: error: the line is neither an entry (`/when`, `/how`) nor a remark (`>`)",
                "agents/memory-index.md:6: error: the line is neither an entry (`/when`, `/how`) nor a remark (`>`)",
            ],
        ),
        (
            "unique trigger",
            index(&format!("{good}/when ONE two\n")),
            &two,
            vec![
                "agents/memory-index.md:4: error: trigger `/when ONE two` already exists at agents/memory-index.md:2",
                "agents/memory-index.md:4: error: `/when ONE two` opens `When One Two`, and so does `/when one two` at agents/memory-index.md:2",
                "agents/memory-index.md:4: error: `/when ONE two` is not in the order of the headings in the file",
            ],
        ),
        (
            "collision",
            index("/when one two\n/when three four\n/when thr four\n"),
            &two,
            vec![
                "agents/memory-index.md:4: error: `/when thr four` opens `When Three Four`, and so does `/when three four` at agents/memory-index.md:3",
            ],
        ),
        (
            "orphan entry",
            index(&format!("{good}/when something else\n")),
            &two,
            vec![
                "agents/memory-index.md:4: error: `/when something else` has no heading; expected `When Something Else`",
            ],
        ),
        (
            "orphan heading",
            index("/when one two\n"),
            &two,
            vec![
                "agents/decisions/a.md:5: error: heading `When Three Four` has no entry in the index",
            ],
        ),
        (
            "ambiguous",
            index("/when one two\n/when three four\n/when wen\n"),
            &two,
            vec![
                "agents/memory-index.md:4: error: `/when wen` is ambiguous: `When One Two` (agents/decisions/a.md:3), `When Three Four` (agents/decisions/a.md:5)",
                "agents/memory-index.md:4: warning: `/when wen`: one word is too little; two to five are usual",
            ],
        ),
        (
            "order",
            index("/when three four\n/when one two\n"),
            &two,
            vec![
                "agents/memory-index.md:3: error: `/when one two` is not in the order of the headings in the file",
            ],
        ),
        (
            "place",
            format!("## {a}\n{good}/how do it\n"),
            &two,
            vec![
                "agents/memory-index.md:4: error: `/how do it` belongs under `agents/decisions/b.md`, where its heading is",
            ],
        ),
        (
            "sections",
            format!("## {a}\n{good}\n## Mixed\n/how do it\n\n## {a}\n\n## Prose\n"),
            &two,
            vec![
                "agents/memory-index.md:5: error: section `Mixed` names no decision file",
                "agents/memory-index.md:6: error: `/how do it` belongs under `agents/decisions/b.md`, where its heading is",
                "agents/memory-index.md:8: error: section `agents/decisions/a.md` already exists on line 1",
            ],
        ),
        (
            "structural",
            "## agents/decisions/a.md\n/when grouping things\n/when one two\n".to_owned(),
            &[("a.md", "## .Grouping Things\n### When One Two\n")],
            vec![
                "agents/memory-index.md:2: error: `/when grouping things` names a structural heading",
            ],
        ),
        (
            "duplicate headings",
            "## agents/decisions/a.md\n/when one two\n".to_owned(),
            &[("a.md", "## When One Two\n## When one two\n")],
            vec![
                "agents/decisions/a.md:1: error: heading `When One Two` has no entry in the index",
                "agents/decisions/a.md:2: error: heading `When one two` has no entry in the index",
                "agents/decisions/a.md:2: error: heading `When one two` already exists at agents/decisions/a.md:1",
                "agents/memory-index.md:2: error: `/when one two` is ambiguous: `When One Two` (agents/decisions/a.md:1), `When one two` (agents/decisions/a.md:2)",
            ],
        ),
        (
            "names",
            "## agents/decisions/a.md\n/when one-two | same\n/when three four | same\n".to_owned(),
            &[("a.md", "## When One-Two\n## When Three Four\n")],
            vec![
                "agents/memory-index.md:2: warning: `/when one-two`: one word is too little; two to five are usual",
                "agents/memory-index.md:2: warning: `/when one-two`: plain prose has no hyphens: `one two`, not `one-two`",
                "agents/memory-index.md:3: warning: extra trigger `same` also belongs to `/when one-two`",
            ],
        ),
    ] {
        let mut found = check(&index, files);
        let mut expected: Vec<String> = expected.into_iter().map(str::to_owned).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_migrated_project_is_valid() {
    let errors: Vec<String> = validate(&migrated())
        .iter()
        .map(ToString::to_string)
        .filter(|issue| issue.contains(": error: "))
        .collect();
    assert_eq!(errors, Vec::<String>::new());
}
