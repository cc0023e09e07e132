//! The memory of each lesson, saved beside the store.
//!
//! Keys and texts are kept as hashes, so that a purged memory leaves no words here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tacit_core::{MemoryId, Timestamp};
use tacit_history::{Lesson, LessonKind};
use tacit_records::files::file_hash;

use crate::error::{AppError, AppResult};

/// Larger state files are not read.
const LARGEST: u64 = 4 << 20;
/// The version of the state. Others are not read; memories are then found by their text.
const VERSION: u64 = 1;

/// The memory of a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LearntLesson {
    pub(super) id: MemoryId,
    /// The hash of the text that was written last.
    pub(super) text: String,
}

/// The lessons of earlier runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LearntState {
    /// The time from which commits were read, if not all were.
    pub(super) since: Option<Timestamp>,
    /// The memories by the keys of their lessons.
    pub(super) lessons: BTreeMap<String, LearntLesson>,
}

impl LearntState {
    /// Returns the file of a project's state.
    pub(super) fn path(project: &Path) -> PathBuf {
        project.join("learn").join("git.json")
    }

    /// Reads the state; `None` if nothing was learnt, or if it cannot be read.
    pub(super) fn read(project: &Path) -> Option<LearntState> {
        let bytes = tacit_fs::read(&LearntState::path(project), LARGEST).ok()?;
        let saved: Value = serde_json::from_slice(&bytes).ok()?;
        if saved["version"] != VERSION {
            return None;
        }
        let lessons = saved["lessons"].as_object()?.iter();
        let lesson = |(key, value): (&String, &Value)| {
            let id = value["id"].as_str()?.parse().ok()?;
            Some((key.clone(), LearntLesson { id, text: value["text"].as_str()?.to_owned() }))
        };
        let since = saved["since"].as_str().and_then(|since| since.parse().ok());
        Some(LearntState { since, lessons: lessons.filter_map(lesson).collect() })
    }

    /// Saves the state.
    pub(super) fn write(&self, project: &Path) -> AppResult<()> {
        let lessons: Map<String, Value> = self
            .lessons
            .iter()
            .map(|(key, lesson)| {
                (key.clone(), json!({"id": lesson.id.to_string(), "text": lesson.text}))
            })
            .collect();
        let since = self.since.map(|since| since.to_string());
        let saved = json!({"version": VERSION, "since": since, "lessons": lessons});
        let path = LearntState::path(project);
        let fail = AppError::cannot("write", &path);
        let folder = path.parent().unwrap_or(project);
        tacit_fs::create_folder(folder)
            .and_then(|()| tacit_fs::replace(&path, format!("{saved:#}\n").as_bytes()))
            .map_err(fail)
    }
}

/// Returns the key of a lesson in the state.
pub(super) fn key_of(lesson: &Lesson) -> String {
    key(lesson.kind, &lesson.key)
}

pub(super) fn key(kind: LessonKind, key: &str) -> String {
    short(&format!("{} {key}", kind.as_str()))
}

/// Returns the hash of a text.
pub(super) fn text_hash(text: &str) -> String {
    short(text.trim())
}

fn short(text: &str) -> String {
    file_hash(text.as_bytes()).chars().take(16).collect()
}
