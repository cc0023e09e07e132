//! Files whose fixes have a common subject.

use tacit_history::LessonKind;

use crate::PastBuilder;

/// A history with `about` fixes of a file about daylight saving among `all`, and twice as many
/// fixes elsewhere.
fn history(about: usize, all: usize) -> PastBuilder {
    let mut past = PastBuilder::default();
    for number in 0..all {
        let subject = match number < about {
            true => format!("Fix daylight saving in Region{number}"),
            false => format!("Fix alarm{number} of Weekday{number}"),
        };
        past.commit(&subject, &["src/clock.rs"]);
        for part in ["a", "b"] {
            past.commit(&format!("Fix socket{number} of Peer{number}{part}"), &["src/net.rs"]);
        }
        past.commit(&format!("Add picture{number}"), &["src/clock.rs"]);
    }
    past
}

#[test]
fn a_subject_of_many_fixes_is_a_gotcha() {
    let found = history(6, 12).lessons(LessonKind::Fixes);
    let [lesson] = &found[..] else { panic!("{found:?}") };
    assert!(
        lesson.content.starts_with(
            "6 of 12 fixes in `src/clock.rs` are about “daylight saving”: “Fix daylight saving in \
             Region5” ("
        ),
        "{}",
        lesson.content
    );
    assert_eq!(lesson.files, ["src/clock.rs"]);
    assert_eq!(lesson.commits.len(), 6);
}

#[test]
fn few_fixes_or_a_small_share_are_no_pattern() {
    for (about, all, expected) in [(5, 12, 1), (4, 12, 0), (5, 13, 0), (5, 8, 1), (5, 7, 0)] {
        let found = history(about, all).lessons(LessonKind::Fixes);
        assert_eq!(found.len(), expected, "{about} of {all}");
    }
}

#[test]
fn the_subject_of_a_whole_file_is_no_pattern() {
    for (what, others, file) in [
        ("other changes have it too", "Improve daylight saving of Region", "src/clock.rs"),
        ("other files have it too", "Fix daylight saving for Peer", "src/net.rs"),
    ] {
        let mut past = history(6, 12);
        for number in 0..14 {
            past.commit(&format!("{others}{number}"), &[file]);
        }
        assert!(past.lessons(LessonKind::Fixes).is_empty(), "{what}");
    }
    // The name of the file is no subject.
    let mut past = PastBuilder::default();
    for number in 0..10 {
        past.commit(&format!("Fix scheduler of Thing{number}"), &["src/scheduler.rs"]);
        past.commit(&format!("Fix socket{number}"), &["src/net.rs"]);
    }
    assert!(past.lessons(LessonKind::Fixes).is_empty());
}
