//! Identities of files that persist across renames.
//!
//! Commits are ordered parents first, but branches are interleaved: a branch may still write to a
//! name that another has already given up.

use std::collections::HashMap;

use super::log::CommittedChange;

/// The identity of a file, whatever it is called.
pub type TrackedFileId = u32;

/// An event in the life of a name. Names are fully determined by their sequence of events, so that
/// undoing commits means dropping the last ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameEvent {
    /// The path.
    pub path: String,
    /// The file that owns the path from now on.
    pub file: TrackedFileId,
    /// False if the file was deleted.
    pub alive: bool,
}

/// The current and former names of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileNameHistory {
    /// The current or last owner of each path.
    owners: HashMap<String, TrackedFileId>,
    /// The last path of each file, and whether the file exists.
    current: Vec<(String, bool)>,
}

impl FileNameHistory {
    /// Returns the number of files that ever existed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.current.len()
    }

    /// Returns true if no file ever existed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.current.is_empty()
    }

    /// Returns the file that currently has this path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<TrackedFileId> {
        self.owner(path).filter(|file| self.path(*file) == Some(path))
    }

    /// Returns the file that has or last had this path.
    #[must_use]
    pub fn owner(&self, path: &str) -> Option<TrackedFileId> {
        self.owners.get(path).copied()
    }

    /// Returns the current path of a file, or `None` if it was deleted.
    #[must_use]
    pub fn path(&self, file: TrackedFileId) -> Option<&str> {
        self.current.get(file as usize).filter(|(_, alive)| *alive).map(|(path, _)| path.as_str())
    }

    /// Iterates over existing files with their paths.
    pub fn existing(&self) -> impl Iterator<Item = (TrackedFileId, &str)> {
        let current = self.current.iter().enumerate();
        current
            .filter(|(_, (_, alive))| *alive)
            .map(|(id, (path, _))| (id as TrackedFileId, path.as_str()))
    }

    /// Applies a stored event.
    pub fn replay(&mut self, event: NameEvent) {
        let at = event.file as usize;
        if at >= self.current.len() {
            self.current.resize(at + 1, (String::new(), false));
        }
        let before = self.owners.insert(event.path.clone(), event.file);
        // A file that had this path was overwritten.
        if let Some(before) = before.filter(|before| *before != event.file) {
            let place = &mut self.current[before as usize];
            place.1 = place.1 && place.0 != event.path;
        }
        self.current[at] = (event.path, event.alive);
    }

    /// Applies a change, and returns the file that it touched.
    pub fn apply(
        &mut self,
        change: &CommittedChange,
        events: &mut Vec<NameEvent>,
    ) -> TrackedFileId {
        match change {
            CommittedChange::Added(path) => match self.owner(path) {
                // The file was restored, or added on two branches.
                Some(file) if self.current[file as usize].0 == *path => {
                    if !self.current[file as usize].1 {
                        self.record(path, file, true, events);
                    }
                    file
                }
                // The former owner has another path now.
                _ => self.create(path, events),
            },
            // A path that was given up on another branch still means the same file.
            CommittedChange::Modified(path) => match self.owner(path) {
                Some(file) => file,
                None => self.create(path, events),
            },
            CommittedChange::Deleted(path) => {
                let file = match self.owner(path) {
                    Some(file) => file,
                    None => self.create(path, events),
                };
                if self.path(file) == Some(path) {
                    self.record(path, file, false, events);
                }
                file
            }
            CommittedChange::Renamed { from, to } => {
                let file = match self.owner(from) {
                    Some(file) => file,
                    None => self.create(from, events),
                };
                self.record(to, file, true, events);
                file
            }
        }
    }

    fn create(&mut self, path: &str, events: &mut Vec<NameEvent>) -> TrackedFileId {
        let file = self.current.len() as TrackedFileId;
        self.record(path, file, true, events);
        file
    }

    fn record(
        &mut self,
        path: &str,
        file: TrackedFileId,
        alive: bool,
        events: &mut Vec<NameEvent>,
    ) {
        let event = NameEvent { path: path.to_owned(), file, alive };
        self.replay(event.clone());
        events.push(event);
    }
}
