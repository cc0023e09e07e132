use std::fs;

use tacit_triggers::files::TriggerLayout;
use tacit_triggers::files::plain::{list, load, stamp};
use tacit_triggers::sections::sections;

use crate::support::{DECISIONS, INDEX, corpus, small};

#[test]
fn sections_have_their_own_text_and_their_triggers() {
    let found = sections(&small());
    let shown: Vec<(&str, &str, &str)> = found
        .iter()
        .map(|section| {
            let first = section.text.lines().next().unwrap_or_default();
            (section.title.as_str(), first, section.path.as_str())
        })
        .collect();
    let (cli, testing) = ("agents/decisions/cli.md", "agents/decisions/testing.md");
    assert_eq!(
        shown,
        [
            ("When Naming Flags", "Long flags are words.", cli),
            ("How to Encode Paths", "Slashes become hyphens.", cli),
            ("When Writing Mock Tests", "Patch where the object is used.", testing),
            ("When Testing Strategy", "Unit first.", testing),
            ("When Success Metrics", "All pass.", testing),
            ("When Fixture Teardown", "In reverse.", testing),
        ]
    );
    assert_eq!(found[2].triggers, ["writing mock tests", "mock patch", "test doubles"]);
    assert_eq!(found[1].triggers, ["encode path"]);
    assert!(found[2].text.contains("# When Not A Heading"), "code belongs to the text");
    assert_eq!(found[4].text, "All pass.");
}

#[test]
fn headings_without_text_and_repeated_headings_are_told_apart() {
    let text =
        "# File\n\n## Empty\n\n## .Group\n\nA remark.\n\n## Twice\n\nOne.\n\n## Twice\n\nTwo.\n";
    let found = sections(&corpus("", &[("a.md", text)]));
    let keys: Vec<(&str, &str)> =
        found.iter().map(|section| (section.key.as_str(), section.text.as_str())).collect();
    assert_eq!(keys, [("Twice", "One."), ("Twice (2)", "Two.")]);
}

fn layout(root: &std::path::Path) -> TriggerLayout {
    TriggerLayout {
        root: root.to_owned(),
        decisions: vec![DECISIONS.to_owned()],
        indexes: vec![INDEX.to_owned()],
    }
}

#[test]
fn files_are_listed_and_read_with_those_that_an_index_names() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    assert!(list(&layout(root)).is_empty());
    fs::create_dir_all(root.join("agents/decisions/deep")).unwrap();
    fs::create_dir_all(root.join("docs")).unwrap();
    fs::write(root.join(INDEX), "## docs/rules.md\n\n/when naming flags\n").unwrap();
    for name in ["agents/decisions/a.md", "agents/decisions/deep/b.md", "docs/rules.md"] {
        fs::write(root.join(name), "## When Naming Flags\n\nUse words.\n").unwrap();
    }
    fs::write(root.join("agents/decisions/.hidden.md"), "## A\n\nb\n").unwrap();
    fs::write(root.join("agents/decisions/notes.txt"), "## A\n\nb\n").unwrap();
    let large = "x".repeat(1024 * 1024 + 1);
    fs::write(root.join("agents/decisions/large.md"), large).unwrap();
    let listed: Vec<String> = list(&layout(root)).into_iter().map(|(path, _)| path).collect();
    let (a, b) = ("agents/decisions/a.md", "agents/decisions/deep/b.md");
    assert_eq!(listed, [a, b, "agents/decisions/large.md", INDEX]);
    let read: Vec<String> = load(&layout(root)).documents.into_iter().map(|d| d.path).collect();
    assert_eq!(read, [a, b, "docs/rules.md"]);
}

#[cfg(unix)]
#[test]
fn planted_links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("project");
    fs::create_dir_all(root.join("agents/decisions")).unwrap();
    fs::create_dir_all(root.join("real")).unwrap();
    let secret = "## When Reading Secrets\n\nhunter2\n";
    fs::write(directory.path().join("secret.md"), secret).unwrap();
    fs::write(root.join("real/inside.md"), secret).unwrap();
    symlink(directory.path().join("secret.md"), root.join("agents/decisions/out.md")).unwrap();
    symlink("../../real/inside.md", root.join("agents/decisions/in.md")).unwrap();
    symlink("../../real", root.join("agents/decisions/folder")).unwrap();
    symlink("real", root.join("linked")).unwrap();
    fs::write(root.join(INDEX), "## linked/inside.md\n\n## ../secret.md\n\n## /etc/x.md\n")
        .unwrap();
    assert!(load(&layout(&root)).documents.is_empty());
    assert_eq!(stamp(&root, "linked/inside.md"), None);
    assert_eq!(stamp(&root, "../secret.md"), None);

    // Neither is a decisions directory that is a link.
    let linked = TriggerLayout { decisions: vec!["linked".to_owned()], ..layout(&root) };
    assert!(load(&linked).documents.is_empty());
}
