//! Measured conventions.

use tacit_history::LessonKind;

use crate::PastBuilder;

/// A history in which files of a folder were added `times` times, with the list of them except
/// `without` times, among other work.
fn additions(times: usize, without: usize, list: &str) -> PastBuilder {
    let mut past = PastBuilder::default();
    past.commit("Start", &[list, "src/other.rs"]);
    for number in 0..times {
        let new = format!("tests/cmd/case{number}.md");
        match number < without {
            true => past.commit("Add a case", &[&new]),
            false => past.commit("Add a case", &[&new, list]),
        };
        for _ in 0..5 {
            past.commit("Work", &["src/other.rs"]);
        }
    }
    past
}

#[test]
fn a_list_that_changes_with_each_new_file_is_told() {
    let found = additions(10, 1, "tests/transcripts.rs").lessons(LessonKind::Companion);
    let [lesson] = &found[..] else { panic!("{found:?}") };
    assert!(
        lesson.content.starts_with(
            "A new `tests/cmd/*.md` goes with a change of `tests/transcripts.rs`: 9 of 10 commits"
        ),
        "{}",
        lesson.content
    );
}

#[test]
fn rare_or_obvious_companions_are_not_told() {
    for (what, times, without, list) in [
        ("few", 7, 0, "tests/transcripts.rs"),
        ("a smaller share", 10, 2, "tests/transcripts.rs"),
        ("a module declares it", 10, 0, "tests/cmd/mod.rs"),
        ("a tool writes it", 10, 0, "Cargo.lock"),
    ] {
        let found = additions(times, without, list).lessons(LessonKind::Companion);
        assert!(found.is_empty(), "{what}: {found:?}");
    }
}

/// A history of 100 commits, of which `share` have a subject made by `subject`.
fn subjects(share: usize, subject: impl Fn(usize) -> String) -> PastBuilder {
    let mut past = PastBuilder::default();
    for number in 0..100 {
        match number < share {
            true => past.commit(&subject(number), &["a.rs"]),
            false => past.commit("Do something", &["a.rs"]),
        };
    }
    past
}

#[test]
fn the_form_of_subjects_is_measured() {
    let area = |number: usize| format!("{}: add thing", ["docs", "store", "net"][number % 3]);
    let conventional = |number: usize| format!("{}: Add thing", ["feat", "fix(net)"][number % 2]);
    for (what, past, expected) in [
        (
            "areas",
            subjects(96, area),
            Some(
                "96 of the last 100 commits have subjects of the form `area: subject`, in lower case; \
                 the areas in use are `docs`, `net`, `store`. Example: “net: add thing”.",
            ),
        ),
        (
            "types",
            subjects(100, conventional),
            Some(
                "100 of the last 100 commits have subjects of the form `type(scope): subject`, with a \
                 capital letter after the prefix; the types and scopes in use are `feat`, `fix(net)`. \
                 Example: “fix(net): Add thing”.",
            ),
        ),
        ("too few", subjects(89, area), None),
        (
            "signed off",
            subjects(100, |number| format!("Thing {number}\n\nSigned-off-by: A <a@example.com>")),
            Some("100 of the last 100 commits are signed off (`git commit -s`)."),
        ),
    ] {
        let found = past.lessons(LessonKind::CommitStyle);
        assert_eq!(found.first().map(|lesson| lesson.content.as_str()), expected, "{what}");
    }
    let stated = "Commit subjects are `area: imperative`.";
    assert!(subjects(96, area).lessons_beside(LessonKind::CommitStyle, stated).is_empty());
}

#[test]
fn tests_in_a_mirrored_folder_are_told() {
    let names: Vec<String> = (0..12).map(|number| format!("part{number}")).collect();
    for (what, test, expected) in [
        ("mirrored", "tests/core/test_NAME.py", 1),
        ("beside the code", "src/core/test_NAME.py", 0),
    ] {
        let mut past = PastBuilder::default();
        for name in &names {
            let test = test.replace("NAME", name);
            past.commit("Add", &[&format!("src/core/{name}.py"), &test]);
        }
        let found = past.lessons(LessonKind::TestLayout);
        assert_eq!(found.len(), expected, "{what}");
        if let Some(lesson) = found.first() {
            assert!(
                lesson.content.starts_with("The test of `src/…/NAME.py` is `tests/…/test_NAME.py`"),
                "{}",
                lesson.content
            );
        }
    }
}
