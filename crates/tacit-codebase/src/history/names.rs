//! Who a file is: an identity that stays while names change.
//!
//! Commits come in an order in which parents precede children, but branches are interleaved: a
//! branch may still write to a name that another has already given up.

use std::collections::HashMap;

use super::log::FileChange;

/// A file, whatever it is called.
pub type TrackedFileId = u32;

/// Something that happened to a name. All that is known of names is the sequence of these, so that
/// taking back commits is dropping the last of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameEvent {
    /// The name.
    pub path: String,
    /// Whose it is since.
    pub file: TrackedFileId,
    /// Whether the file is there; else it was deleted.
    pub alive: bool,
}

/// The names of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileNames {
    /// Whose a name is, or was last.
    owners: HashMap<String, TrackedFileId>,
    /// The last name of each file, and whether it is there.
    current: Vec<(String, bool)>,
}

impl FileNames {
    /// How many files there were.
    #[must_use]
    pub fn len(&self) -> usize {
        self.current.len()
    }

    /// Whether there were none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.current.is_empty()
    }

    /// The file that a name stands for, if it is there under this name.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<TrackedFileId> {
        self.owner(path).filter(|file| self.path(*file) == Some(path))
    }

    /// The file that has, or last had, a name.
    #[must_use]
    pub fn owner(&self, path: &str) -> Option<TrackedFileId> {
        self.owners.get(path).copied()
    }

    /// What a file is called now; none if it was deleted.
    #[must_use]
    pub fn path(&self, file: TrackedFileId) -> Option<&str> {
        self.current.get(file as usize).filter(|(_, alive)| *alive).map(|(path, _)| path.as_str())
    }

    /// Files that are there, with their names.
    pub fn living(&self) -> impl Iterator<Item = (TrackedFileId, &str)> {
        let current = self.current.iter().enumerate();
        current
            .filter(|(_, (_, alive))| *alive)
            .map(|(id, (path, _))| (id as TrackedFileId, path.as_str()))
    }

    /// Takes in something that happened before.
    pub fn replay(&mut self, event: NameEvent) {
        let at = event.file as usize;
        if at >= self.current.len() {
            self.current.resize(at + 1, (String::new(), false));
        }
        let before = self.owners.insert(event.path.clone(), event.file);
        // Whoever was there under this name was overwritten.
        if let Some(before) = before.filter(|before| *before != event.file) {
            let place = &mut self.current[before as usize];
            place.1 = place.1 && place.0 != event.path;
        }
        self.current[at] = (event.path, event.alive);
    }

    /// Takes in a change: which file it touched, and what happened to names.
    pub fn apply(&mut self, change: &FileChange, events: &mut Vec<NameEvent>) -> TrackedFileId {
        match change {
            FileChange::Added(path) => match self.owner(path) {
                // It is back, or it was added on two branches.
                Some(file) if self.current[file as usize].0 == *path => {
                    if !self.current[file as usize].1 {
                        self.note(path, file, true, events);
                    }
                    file
                }
                // The one that had this name goes by another now.
                _ => self.create(path, events),
            },
            // A name that was given up on another branch still means the same file.
            FileChange::Modified(path) => match self.owner(path) {
                Some(file) => file,
                None => self.create(path, events),
            },
            FileChange::Deleted(path) => {
                let file = match self.owner(path) {
                    Some(file) => file,
                    None => self.create(path, events),
                };
                if self.path(file) == Some(path) {
                    self.note(path, file, false, events);
                }
                file
            }
            FileChange::Renamed { from, to } => {
                let file = match self.owner(from) {
                    Some(file) => file,
                    None => self.create(from, events),
                };
                self.note(to, file, true, events);
                file
            }
        }
    }

    fn create(&mut self, path: &str, events: &mut Vec<NameEvent>) -> TrackedFileId {
        let file = self.current.len() as TrackedFileId;
        self.note(path, file, true, events);
        file
    }

    fn note(&mut self, path: &str, file: TrackedFileId, alive: bool, events: &mut Vec<NameEvent>) {
        let event = NameEvent { path: path.to_owned(), file, alive };
        self.replay(event.clone());
        events.push(event);
    }
}
