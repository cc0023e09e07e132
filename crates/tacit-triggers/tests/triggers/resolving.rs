use tacit_triggers::files::{TriggerLayout, load};
use tacit_triggers::{Corpus, Operator, resolve};

use crate::support::{CLI, DECISIONS, INDEX, SMALL_INDEX, TESTING, corpus, small};

fn ask(corpus: &Corpus, operator: Operator, query: &str) -> String {
    match resolve(corpus, operator, query) {
        Ok(answer) => String::from_utf8(answer.render()).unwrap(),
        Err(error) => format!("{error}\n"),
    }
}

fn when(query: &str) -> String {
    ask(&small(), Operator::When, query)
}

const MOCK_TESTS: &str = "\
# When Writing Mock Tests

Patch where the object is used.

```python
# When Not A Heading
```

Broader:
/when .Mock Patching (container)
/when ..testing.md

Related:
/when testing strategy | markdown cleanup, TDD
/when success metrics | test pass criteria
";

#[test]
fn a_trigger_opens_its_section() {
    for query in [
        "writing mock tests",
        "Writing  Mock TESTS",
        "when writing mock tests",
        "write mock test",
        "mock patch",
        "test doubles",
        "mock",
        "doubles",
    ] {
        assert_eq!(when(query), MOCK_TESTS, "{query}");
    }
}

#[test]
fn a_heading_opens_its_section() {
    assert_eq!(when(".When Writing Mock Tests"), MOCK_TESTS);
    assert_eq!(when(". when writing mock tests "), MOCK_TESTS);
    let container = when(".Mock Patching (container)");
    assert!(container.starts_with("# Mock Patching\n\n### When Writing Mock Tests\n"));
    assert!(container.ends_with("\n\nBroader:\n/when ..testing.md\n"), "{container}");
    assert_eq!(when(".Mock Patching"), container);
}

#[test]
fn nested_sections_link_to_all_parents() {
    assert_eq!(
        when("fixture teardown"),
        "\
# When Fixture Teardown

In reverse.

Broader:
/when .When Success Metrics
/when .Mock Patching (container)
/when ..testing.md
"
    );
}

#[test]
fn entries_of_flat_files_are_related() {
    assert_eq!(
        ask(&small(), Operator::How, "encode paths"),
        "\
# How to Encode Paths

Slashes become hyphens.

Broader:
/when ..cli.md

Related:
/when naming flags | option names
"
    );
}

#[test]
fn a_file_is_returned_unchanged() {
    for query in ["..testing.md", "..testing", ".. testing.md", ".../testing.md", "  ..testing.md "]
    {
        assert_eq!(when(query), TESTING, "{query}");
    }
}

#[test]
fn missing_names_get_suggestions() {
    for (query, expected) in [
        (
            "writting mock test",
            "No match for 'writting mock test'. Did you mean:\n  /when writing mock tests\n  \
             /when testing strategy\n  /when success metrics\n",
        ),
        ("encode paths", "No match for 'encode paths'. Did you mean:\n  /how encode path\n"),
        (
            "zzz",
            "No match for 'zzz'. Did you mean:\n  /when naming flags\n  /when writing mock tests\n  \
             /when testing strategy\n",
        ),
        ("", "No match for ''.\n"),
        (
            ".Mock Patch",
            "Section 'Mock Patch' not found. Available:\n  .Mock Patching\n  .When Writing Mock \
             Tests\n  .When Naming Flags\n  .How to Encode Paths\n  .When Testing Strategy\n  \
             .When Success Metrics\n  .When Fixture Teardown\n",
        ),
        (
            "..nothing.md",
            "File 'nothing.md' not found in agents/decisions/. Available:\n  ..cli.md\n  \
             ..testing.md\n",
        ),
        (
            "../../../etc/passwd",
            "File '/../../etc/passwd' not found in agents/decisions/. Available:\n  ..cli.md\n  \
             ..testing.md\n",
        ),
        ("..", "File '' not found in agents/decisions/. Available:\n  ..cli.md\n  ..testing.md\n"),
    ] {
        assert_eq!(when(query), expected, "{query}");
    }
}

#[test]
fn ambiguous_names_get_candidates() {
    let twice = "# A\n\n## When Twice\n\none\n\n## .Group\n\n### When Twice\n\ntwo\n";
    let corpus = corpus(
        "## agents/decisions/a.md\n/when twice | same\n\n## agents/decisions/b.md\n/when other | same\n",
        &[("a.md", twice), ("b.md", "## When Other\n\n## .Group\n")],
    );
    assert_eq!(
        ask(&corpus, Operator::When, ".group"),
        "Section 'group' is in several places. Candidates:\n  .a.md#Group (line 7)\n  \
         .b.md#Group (line 3)\n"
    );
    let one = ask(&corpus, Operator::When, ".a.md#Group");
    assert!(one.starts_with("# Group\n"), "{one}");
    assert_eq!(
        ask(&corpus, Operator::When, "same"),
        "'same' matches several entries. Did you mean:\n  /when twice\n  /when other\n"
    );
}

#[test]
fn an_entry_without_a_heading_is_an_error() {
    let corpus = corpus("## agents/decisions/a.md\n/when lost entry\n", &[("a.md", "# A\n")]);
    assert_eq!(
        ask(&corpus, Operator::When, "lost entry"),
        "Entry '/when lost entry' has no heading in agents/decisions/a.md. Run `tacit triggers \
         validate`.\n"
    );
}

#[test]
fn a_section_without_content_resolves() {
    let corpus =
        corpus("## agents/decisions/a.md\n/when alone here\n", &[("a.md", "## When Alone Here")]);
    assert_eq!(
        ask(&corpus, Operator::When, "alone here"),
        "# When Alone Here\n\nBroader:\n/when ..a.md\n"
    );
}

#[cfg(unix)]
#[test]
fn no_name_leads_out_of_the_decisions_directory() {
    use std::fs;
    use std::os::unix::fs::symlink;

    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    fs::create_dir_all(root.join(DECISIONS).join("deep")).unwrap();
    fs::write(root.join(INDEX), SMALL_INDEX).unwrap();
    fs::write(root.join(DECISIONS).join("cli.md"), CLI).unwrap();
    fs::write(root.join(DECISIONS).join("deep/testing.md"), TESTING).unwrap();
    fs::write(root.join("secret.md"), "# secret\n").unwrap();
    fs::create_dir(root.join("outside")).unwrap();
    fs::write(root.join("outside/other.md"), "# secret\n").unwrap();
    symlink("../../secret.md", root.join(DECISIONS).join("link.md")).unwrap();
    symlink("../../outside", root.join(DECISIONS).join("linked")).unwrap();
    symlink("cli.md", root.join(DECISIONS).join("inside.md")).unwrap();
    let layout = TriggerLayout {
        root: root.to_owned(),
        decisions: vec![DECISIONS.into()],
        indexes: vec![INDEX.into()],
    };
    let corpus = load(&layout).unwrap();
    for query in
        ["..link.md", "..linked/other.md", "..../secret.md", "..../../secret.md", "../etc/passwd"]
    {
        let answer = ask(&corpus, Operator::When, query);
        assert!(answer.starts_with("File '"), "{query}: {answer}");
        let listed = "Available:\n  ..cli.md\n  ..deep/testing.md\n  ..inside.md\n";
        assert!(answer.ends_with(listed), "{answer}");
    }
    assert_eq!(ask(&corpus, Operator::When, "..inside.md"), CLI);
    assert_eq!(ask(&corpus, Operator::When, "..deep/testing.md"), TESTING);
}
