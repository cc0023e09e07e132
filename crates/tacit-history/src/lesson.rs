//! Lessons: what a repository teaches, before it becomes a memory.

use tacit_core::DeadEnd;

/// The kind of a lesson, most valuable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LessonKind {
    /// The commands that build, check and run the project, from files that are committed.
    Build,
    /// Files that are always changed together with new ones.
    Companion,
    /// An approach that was reverted.
    DeadEnd,
    /// A file whose fixes have a common subject.
    Fixes,
    /// The form of commit messages.
    CommitStyle,
    /// The place and names of tests.
    TestLayout,
}

impl LessonKind {
    /// Every kind, most valuable first.
    pub const ALL: [LessonKind; 6] = [
        LessonKind::Build,
        LessonKind::Companion,
        LessonKind::DeadEnd,
        LessonKind::Fixes,
        LessonKind::CommitStyle,
        LessonKind::TestLayout,
    ];

    /// Returns the word for reports and keys.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LessonKind::Build => "build",
            LessonKind::Companion => "companion",
            LessonKind::DeadEnd => "dead_end",
            LessonKind::Fixes => "fixes",
            LessonKind::CommitStyle => "commit_style",
            LessonKind::TestLayout => "test_layout",
        }
    }
}

/// A lesson with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// The kind.
    pub kind: LessonKind,
    /// The name that stays the same while the history grows, unique in its kind.
    pub key: String,
    /// The heading.
    pub title: String,
    /// The text.
    pub content: String,
    /// The fields of a dead end.
    pub details: Option<DeadEnd>,
    /// The existing files that it is about.
    pub files: Vec<String>,
    /// The full hashes of the commits that show it, most telling first.
    pub commits: Vec<String>,
    /// The committed files that state it.
    pub sources: Vec<String>,
    /// The confidence from 0 to 1.
    pub confidence: f64,
    /// The value among lessons of its kind; higher is better.
    pub worth: f64,
}
