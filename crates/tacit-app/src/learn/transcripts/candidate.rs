//! A transcript that may be read: where it is, and the session it is of.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use tacit_agents::transcripts::{
    TranscriptForm, TranscriptHead, TranscriptPlace, TranscriptSession, TranscriptText,
};
use tacit_core::{SessionId, Timestamp};

use super::TranscriptSource;

/// The largest transcript that is read, in bytes.
pub(super) const LARGEST: u64 = 256 * 1024 * 1024;
/// The bytes at the beginning of a transcript that tell what it is.
const HEAD: u64 = 256 * 1024;

/// The place of a transcript.
#[derive(Debug, Clone)]
pub(super) enum TranscriptLocation {
    /// A file.
    File(PathBuf),
    /// Blobs of the repository, which follow one another.
    Blobs(Vec<String>),
}

/// A transcript that may be read.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) source: TranscriptSource,
    /// The name in messages.
    pub(super) name: String,
    pub(super) form: TranscriptForm,
    /// The session; `None` if the file may have several.
    pub(super) session: Option<SessionId>,
    /// The time at which it begins.
    pub(super) at: Timestamp,
    pub(super) main: TranscriptLocation,
    pub(super) helpers: Vec<TranscriptLocation>,
    /// The directory of the project on the machine where the session was recorded, if that was another.
    pub(super) foreign_root: Option<String>,
    pub(super) bytes: u64,
}

/// The directories of this project: all its worktrees.
#[derive(Debug, Clone)]
pub(super) struct ProjectRoots(Vec<PathBuf>);

impl ProjectRoots {
    pub(super) fn new(roots: impl IntoIterator<Item = PathBuf>) -> ProjectRoots {
        let mut found: Vec<PathBuf> = Vec::new();
        for root in roots {
            let root = root.canonicalize().unwrap_or(root);
            if !found.contains(&root) {
                found.push(root);
            }
        }
        ProjectRoots(found)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter()
    }

    /// Returns true if a directory is in the project. It may be gone.
    pub(super) fn contain(&self, directory: &Path) -> bool {
        let is_plain = directory.components().all(|part| part.as_os_str() != "..");
        let resolved = directory.canonicalize().ok();
        let directory = resolved.as_deref().unwrap_or(directory);
        is_plain && self.0.iter().any(|root| directory.starts_with(root))
    }

    /// Returns the root of the session that a transcript is of, if it is of this project.
    pub(super) fn of(&self, place: &TranscriptPlace) -> Option<PathBuf> {
        match place {
            TranscriptPlace::Directory(directory) => {
                let directory = Path::new(directory);
                self.contain(directory).then(|| directory.to_owned())
            }
            place @ TranscriptPlace::PathHash(_) => {
                self.0.iter().find(|root| place.is_hash_of(root)).cloned()
            }
            TranscriptPlace::Unknown => None,
        }
    }
}

/// Reads the beginning of a file. Fails if it is a link.
pub(super) fn read_head(path: &Path) -> std::io::Result<Option<TranscriptHead>> {
    let mut bytes = Vec::new();
    tacit_fs::open_nofollow(path)?.take(HEAD).read_to_end(&mut bytes)?;
    Ok(TranscriptHead::read(&String::from_utf8_lossy(&bytes)))
}

impl Candidate {
    /// Reads the sessions of the transcript. `worktree` stands for the directory of sessions from
    /// another machine, and for that of sessions that name none.
    pub(super) fn read(&self, worktree: &Path) -> Result<Vec<TranscriptSession>, String> {
        let main = self.text(&self.main, worktree)?;
        let helpers: Vec<String> =
            self.helpers.iter().filter_map(|helper| self.text(helper, worktree).ok()).collect();
        let path = match &self.main {
            TranscriptLocation::File(path) => Some(path.as_path()),
            TranscriptLocation::Blobs(_) => None,
        };
        let helpers: Vec<TranscriptText<'_>> =
            helpers.iter().map(|text| TranscriptText { path: None, text }).collect();
        Ok(self.form.read(TranscriptText { path, text: &main }, &helpers, worktree))
    }

    fn text(&self, location: &TranscriptLocation, worktree: &Path) -> Result<String, String> {
        let bytes = match location {
            TranscriptLocation::File(path) => {
                tacit_fs::read_nofollow(path, LARGEST).map_err(|error| error.to_string())?
            }
            TranscriptLocation::Blobs(blobs) => {
                let mut bytes = Vec::new();
                // One checkpoint of a session may repeat the lines of another.
                let mut seen = HashSet::new();
                for blob in blobs {
                    let left = LARGEST.saturating_sub(bytes.len() as u64);
                    let read = tacit_git::read_blob(worktree, blob, left);
                    let read = read.map_err(|error| error.to_string())?;
                    for line in read.split(|byte| *byte == b'\n') {
                        if blobs.len() == 1 || seen.insert(line.to_vec()) {
                            bytes.extend_from_slice(line);
                            bytes.push(b'\n');
                        }
                    }
                }
                bytes
            }
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(match (&self.foreign_root, worktree.to_str()) {
            (Some(foreign), Some(own)) => moved(&text, foreign, own).into_owned(),
            _ => text,
        })
    }
}

/// Replaces the root of a project by another one, wherever it is a whole path or the beginning of one.
fn moved<'t>(text: &'t str, from: &str, to: &str) -> Cow<'t, str> {
    if from.len() < 2 || !text.contains(from) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from) {
        let after = &rest[at + from.len()..];
        let is_name = |next: char| next.is_alphanumeric() || next == '-' || next == '_';
        let goes_on = after.chars().next().is_some_and(is_name);
        out.push_str(&rest[..at]);
        out.push_str(if goes_on { from } else { to });
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_are_moved() {
        for (text, expected) in [
            ("/a/p", "/x"),
            ("/a/p/src and /a/p.", "/x/src and /x."),
            ("/a/p-old /a/p_2 /a/pp", "/a/p-old /a/p_2 /a/pp"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(moved(text, "/a/p", "/x"), expected);
        }
    }

    #[test]
    fn directories_of_the_project_are_recognised() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("p");
        std::fs::create_dir_all(root.join("src")).expect("a folder");
        let roots = ProjectRoots::new([root.clone()]);
        for (directory, expected) in [
            (root.clone(), true),
            (root.join("src"), true),
            (root.join(".claude/worktrees/gone"), true),
            (folder.path().join("p-other"), false),
            (root.join("../q"), false),
            (PathBuf::from("p"), false),
        ] {
            assert_eq!(roots.contain(&directory), expected, "{}", directory.display());
        }
    }
}
