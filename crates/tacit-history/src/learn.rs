//! Draws the lessons of a history: from reverts, fixes and added files, and from the form of messages.

use crate::commit::{CommitIndex, Past};
use crate::conventions::{commit_style, companions, test_layout};
use crate::fixes::fix_subjects;
use crate::lesson::{Lesson, LessonKind};
use crate::reverts::dead_ends;
use crate::stated::StatedTexts;

/// The most lessons of a repository, the one about its build included.
pub const MAX_LESSONS: usize = 40;

/// The most lessons of each kind.
const fn most(kind: LessonKind) -> usize {
    match kind {
        LessonKind::Build | LessonKind::CommitStyle => 1,
        LessonKind::TestLayout => 2,
        LessonKind::Companion => 8,
        LessonKind::DeadEnd => 18,
        LessonKind::Fixes => 8,
    }
}

/// Returns the lessons of a history, most valuable first. `is_known` tells which lessons were drawn
/// before; they are kept in preference to new ones, so that memories do not come and go.
#[must_use]
pub fn learn(
    past: &Past,
    stated: &StatedTexts,
    is_known: impl Fn(LessonKind, &str) -> bool,
) -> Vec<Lesson> {
    let index = CommitIndex::new(past);
    let mut lessons = dead_ends(past, &index);
    lessons.extend(fix_subjects(past));
    lessons.extend(companions(past));
    lessons.extend(commit_style(past, stated));
    lessons.extend(test_layout(past));
    select(lessons, is_known)
}

fn select(mut lessons: Vec<Lesson>, is_known: impl Fn(LessonKind, &str) -> bool) -> Vec<Lesson> {
    lessons.sort_by(|a, b| {
        let known = |lesson: &Lesson| !is_known(lesson.kind, &lesson.key);
        (a.kind, known(a))
            .cmp(&(b.kind, known(b)))
            .then(b.worth.total_cmp(&a.worth))
            .then_with(|| a.key.cmp(&b.key))
    });
    let mut kept: Vec<Lesson> = Vec::new();
    for lesson in lessons {
        let of_kind = kept.iter().filter(|other| other.kind == lesson.kind).count();
        let repeats = kept.iter().any(|other| {
            other.kind == lesson.kind && (other.key == lesson.key || other.title == lesson.title)
        });
        if of_kind < most(lesson.kind) && !repeats {
            kept.push(lesson);
        }
    }
    kept.truncate(MAX_LESSONS - 1);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(kind: LessonKind, key: usize, worth: f64) -> Lesson {
        Lesson {
            kind,
            key: format!("k{key:03}"),
            title: format!("t{key}"),
            content: String::new(),
            details: None,
            files: Vec::new(),
            commits: Vec::new(),
            sources: Vec::new(),
            confidence: 0.5,
            worth,
        }
    }

    #[test]
    fn each_kind_and_all_together_are_limited() {
        let all: Vec<Lesson> = LessonKind::ALL
            .into_iter()
            .flat_map(|kind| (0..60).map(move |n| lesson(kind, n, n as f64)))
            .collect();
        let kept = select(all, |_, _| false);
        assert!(kept.len() < MAX_LESSONS, "{}", kept.len());
        for kind in LessonKind::ALL {
            let of_kind: Vec<&Lesson> = kept.iter().filter(|lesson| lesson.kind == kind).collect();
            assert_eq!(of_kind.len(), most(kind), "{kind:?}");
            assert_eq!(of_kind[0].key, "k059", "{kind:?}: the most valuable first");
        }
    }

    #[test]
    fn known_lessons_stay() {
        let all = (0..60).map(|n| lesson(LessonKind::Fixes, n, n as f64)).collect();
        let kept = select(all, |_, key| key == "k000");
        assert_eq!(kept[0].key, "k000");
    }
}
