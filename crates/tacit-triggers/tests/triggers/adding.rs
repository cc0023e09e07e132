use tacit_triggers::add::{AddError, NewEntry, plan_add};
use tacit_triggers::validate::validate;
use tacit_triggers::{Operator, resolve};

use crate::support::small;

fn new(trigger: &str, file: &str, under: Option<&str>) -> NewEntry {
    NewEntry {
        operator: Operator::When,
        trigger: trigger.into(),
        extra_triggers: vec!["slow tests".into()],
        file: format!("agents/decisions/{file}"),
        under: under.map(Into::into),
        body: "Say so.\n\nTwice.".into(),
    }
}

#[test]
fn adding_writes_the_heading_and_the_entry() {
    let corpus = small();
    let added =
        plan_add(&corpus, &new("running long suites", "testing.md", Some(".Mock Patching")))
            .unwrap();
    assert_eq!(added.heading, "When Running Long Suites");
    assert_eq!(added.entry.to_string(), "/when running long suites | slow tests");
    let after = corpus.with(&added.edits);
    assert_eq!(validate(&after), []);
    let file = String::from_utf8(added.edits[0].after.clone()).unwrap();
    assert!(
        file.ends_with("\n\nIn reverse.\n\n### When Running Long Suites\n\nSay so.\n\nTwice.\n")
    );
    let answer = resolve(&after, added.entry.operator, "long suites").unwrap();
    assert_eq!(answer.title.as_deref(), Some("When Running Long Suites"));
    let index = String::from_utf8(added.edits[1].after.clone()).unwrap();
    assert!(index.ends_with("/when fixture teardown\n/when running long suites | slow tests\n"));
}

#[test]
fn a_new_entry_follows_the_order_of_headings() {
    let corpus = small();
    let added =
        plan_add(&corpus, &new("measuring test time", "testing.md", Some("When Testing Strategy")))
            .unwrap();
    let index = String::from_utf8(added.edits[1].after.clone()).unwrap();
    let lines: Vec<&str> = index.lines().filter(|line| line.starts_with('/')).collect();
    assert_eq!(
        lines[3..5],
        [
            "/when testing strategy | markdown cleanup, TDD",
            "/when measuring test time | slow tests"
        ]
    );
    let file = String::from_utf8(added.edits[0].after.clone()).unwrap();
    let part = "Unit first.\n\n#### When Measuring Test Time\n\nSay so.\n\nTwice.\n\n### When Success Metrics";
    assert!(file.contains(part), "{file}");
}

#[test]
fn a_new_file_gets_a_title_and_a_section() {
    let corpus = small();
    let added = plan_add(&corpus, &new("deploying on fridays", "daily-work.md", None)).unwrap();
    assert_eq!(
        String::from_utf8(added.edits[0].after.clone()).unwrap(),
        "# Daily work\n\n## When Deploying On Fridays\n\nSay so.\n\nTwice.\n"
    );
    let index = String::from_utf8(added.edits[1].after.clone()).unwrap();
    assert!(index.ends_with(
        "/when fixture teardown\n\n## agents/decisions/daily-work.md\n\n/when deploying on fridays | slow tests\n"
    ));
    assert_eq!(validate(&corpus.with(&added.edits)), []);
}

#[test]
fn invalid_additions_are_refused() {
    let corpus = small();
    let refused = |new: NewEntry| plan_add(&corpus, &new).unwrap_err().to_string();
    for (trigger, message) in [
        ("auth-error", "`auth-error`: plain prose has no hyphens: `auth error`, not `auth-error`"),
        ("a | b", "`a | b`: plain prose has no `|`"),
        ("", "``: a trigger needs words"),
    ] {
        assert_eq!(refused(new(trigger, "testing.md", None)), message);
    }
    assert_eq!(
        refused(new("Writing mock tests", "testing.md", None)),
        "heading `When Writing Mock Tests` already exists at agents/decisions/testing.md:5"
    );
    // It would make `/how encode path` ambiguous.
    let twin = NewEntry { operator: Operator::How, ..new("encode search paths", "cli.md", None) };
    assert!(refused(twin).contains("`/how encode path` is ambiguous"));
    for file in ["../testing.md", "../../README.md", "notes.txt", ".hidden.md", "a//b.md"] {
        let expected =
            format!("`agents/decisions/{file}` is not a markdown file in agents/decisions/");
        assert_eq!(refused(new("some new thing", file, None)), expected);
    }
    assert_eq!(
        refused(new("some new thing", "testing.md", Some("Nowhere"))),
        "`agents/decisions/testing.md` has no heading `Nowhere`"
    );
    let broken =
        NewEntry { body: "text\n\n# Title\n".into(), ..new("some new thing", "testing.md", None) };
    assert!(matches!(plan_add(&corpus, &broken), Err(AddError::HeadingInBody { level: 2 })));
}

#[test]
fn a_single_word_gets_a_remark() {
    let added = plan_add(&small(), &new("deployment", "cli.md", None)).unwrap();
    assert_eq!(added.remarks, ["one word is too little; two to five are usual"]);
}
