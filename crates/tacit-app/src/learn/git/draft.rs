//! Lessons as drafts of memories.

use tacit_core::{BuiltinType, Draft, RepoPath, Review, Source};
use tacit_history::{Lesson, LessonKind};

/// The author of the wording.
const GENERATOR: &str = "rules";
/// The tag of memories that every session is shown at its start.
const CHEAT_SHEET: &str = "cheat-sheet";
/// The longest title, in characters.
const MAX_TITLE: usize = 120;
/// The length of a hash in a reference.
const HASH: usize = 12;
/// The most commits that a memory names.
const MAX_COMMITS: usize = 8;

/// Returns the memory of a lesson.
pub(super) fn draft(lesson: &Lesson) -> Draft {
    let files: Vec<String> =
        lesson.files.iter().filter(|file| RepoPath::new(file.as_str()).is_ok()).cloned().collect();
    let mut modules: Vec<String> = files
        .iter()
        .filter_map(|file| Some(tacit_observer::module(&RepoPath::new(file.as_str()).ok()?)))
        .collect();
    modules.sort_unstable();
    modules.dedup();
    modules.truncate(3);
    // Copies of a commit in other branches are the same commit to a reader.
    let commits = lesson.commits.iter().take(MAX_COMMITS);
    let commits = commits.map(|id| format!("commit {}", &id[..id.floor_char_boundary(HASH)]));
    let is_file = lesson.kind == LessonKind::Build;
    Draft {
        content: lesson.content.clone(),
        kind: Some(memory_type(lesson.kind).as_str().to_owned()),
        details: lesson.details.as_ref().and_then(|details| serde_json::to_value(details).ok()),
        title: Some(lesson.title.chars().take(MAX_TITLE).collect()),
        confidence: Some(lesson.confidence),
        tags: tags(lesson.kind).iter().map(|tag| (*tag).to_owned()).collect(),
        related_files: files,
        scope: (!modules.is_empty()).then(|| "module".to_owned()),
        related_modules: modules,
        references: lesson.sources.iter().cloned().chain(commits).collect(),
        source: Some(if is_file { Source::File } else { Source::GitHistory }.to_string()),
        generator: Some(GENERATOR.to_owned()),
        commit: lesson.commits.first().cloned(),
        review: Some(if is_file { Review::Committed } else { Review::Needed }.to_string()),
        ..Draft::default()
    }
}

/// Returns the type of the memory of a lesson.
pub(super) fn memory_type(kind: LessonKind) -> BuiltinType {
    match kind {
        LessonKind::Build => BuiltinType::Workflow,
        LessonKind::DeadEnd => BuiltinType::DeadEnd,
        LessonKind::Fixes => BuiltinType::Gotcha,
        LessonKind::Companion | LessonKind::CommitStyle | LessonKind::TestLayout => {
            BuiltinType::Pattern
        }
    }
}

fn tags(kind: LessonKind) -> &'static [&'static str] {
    match kind {
        LessonKind::Build => &[CHEAT_SHEET, "build"],
        LessonKind::DeadEnd => &["reverted"],
        LessonKind::Fixes => &["fixes"],
        LessonKind::Companion => &["new-files"],
        LessonKind::CommitStyle => &["commits"],
        LessonKind::TestLayout => &["tests"],
    }
}
