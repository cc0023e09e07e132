//! Hot spots and owners of modules.

use tacit_history::LessonKind;

use crate::PastBuilder;

/// Builds two years of work: half on `engine` by Ada, the rest by Bob and Cyd on three other modules.
fn past(author: &str) -> PastBuilder {
    let mut past = PastBuilder::default();
    let old = ["old/a.c", "old/b.c", "old/c.c", "old/d.c", "old/e.c"];
    past.commit_of("Cyd", -2_000, &old);
    for day in 0..720 {
        match day % 8 {
            0 | 2 | 4 => past.commit_of(author, day, &["engine/a.c"]),
            1 => past.commit_of("Bob", day, &["net/a.c"]),
            3 => past.commit_of("Cyd", day, &["net/a.c"]),
            5 => past.commit_of(["Bob", "Cyd"][day as usize / 8 % 2], day, &["app/a.c"]),
            7 => past.commit_of("Cyd", day, &["net/a.c"]),
            _ => past.commit_of("Bob", day, &["docs/a.md"]),
        }
    }
    past
}

#[test]
fn the_busiest_and_the_dormant_modules_are_told() {
    let found = past("Ada").lessons(LessonKind::HotSpots);
    let [lesson] = &found[..] else { panic!("{found:?}") };
    assert!(lesson.content.contains("% changed `engine`"), "{}", lesson.content);
    let quiet = "`old` has had no commit of its own since 2015.";
    assert!(lesson.content.contains(quiet), "{}", lesson.content);
    assert!(!lesson.commits.is_empty());
}

#[test]
fn an_owner_is_a_person_whose_module_nobody_else_changes() {
    let found = past("Ada").lessons(LessonKind::Owner);
    let [lesson] = &found[..] else { panic!("{found:?}") };
    assert!(lesson.content.starts_with("`engine` is nearly all by Ada: "), "{}", lesson.content);
    assert_eq!(lesson.files, ["engine/a.c"]);
    for other in ["Bob", "renovate[bot]", ""] {
        let found = past(other).lessons(LessonKind::Owner);
        assert!(found.is_empty(), "two authors, or a program: {found:?}");
    }
}

#[test]
fn small_projects_have_neither() {
    let mut past = PastBuilder::default();
    for day in 0..300 {
        past.commit_of(["Ada", "Bob", "Cyd"][day as usize % 3], day, &["src/a.c", "app/b.c"]);
    }
    assert_eq!(past.lessons(LessonKind::HotSpots), []);
    assert_eq!(past.lessons(LessonKind::Owner), []);
}
