//! The lessons of small histories and of the files of small projects.

mod build;
mod conventions;
mod fixes;
mod reverts;

use tacit_history::{Lesson, LessonKind, Past, PastCommit, StatedTexts, learn};

/// Builds a history line by line.
#[derive(Default)]
pub(crate) struct PastBuilder {
    past: Past,
}

impl PastBuilder {
    /// Adds a commit that touches files, a day after the one before. Returns its hash.
    pub(crate) fn commit(&mut self, message: &str, files: &[&str]) -> String {
        let number = self.past.commits.len() as u64 + 1;
        let digits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let id = format!("{digits:016x}{digits:016x}abcd1234");
        let mut touched = Vec::new();
        let mut added = Vec::new();
        for file in files {
            let known = self.past.files.iter().position(|path| path.as_deref() == Some(*file));
            let at = known.unwrap_or_else(|| {
                self.past.files.push(Some((*file).to_owned()));
                self.past.files.len() - 1
            });
            if known.is_none() {
                added.push(at as u32);
            }
            touched.push(at as u32);
        }
        let at = 1_600_000_000 + 86_400 * number as i64;
        let (message, files) = (message.to_owned(), touched);
        self.past.commits.push(PastCommit { id: id.clone(), at, message, files, added });
        id
    }

    /// Deletes a file.
    pub(crate) fn delete(&mut self, file: &str) {
        self.past.files.iter_mut().filter(|path| path.as_deref() == Some(file)).for_each(|path| {
            *path = None;
        });
    }

    pub(crate) fn lessons(&self, kind: LessonKind) -> Vec<Lesson> {
        self.lessons_beside(kind, "")
    }

    /// Returns the lessons of a kind, in a project whose documents have this text.
    pub(crate) fn lessons_beside(&self, kind: LessonKind, document: &str) -> Vec<Lesson> {
        let lessons = learn(&self.past, &StatedTexts::new([document]), |_, _| false);
        lessons.into_iter().filter(|lesson| lesson.kind == kind).collect()
    }
}
