//! Who a file is: an identity that stays while names change.
//!
//! Commits come in an order in which parents precede children, but branches are interleaved: a
//! branch may still write to a name that another has already given up.

use std::collections::HashMap;

use super::log::Change;

/// A file, whatever it is called.
pub type FileId = u32;

/// Something that happened to a name. All that is known of names is the sequence of these, so that
/// taking back commits is dropping the last of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameEvent {
    /// The name.
    pub path: String,
    /// Whose it is since.
    pub file: FileId,
    /// Whether the file is there; else it was deleted.
    pub alive: bool,
}

/// The names of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Names {
    /// Whose a name is, or was last.
    owners: HashMap<String, FileId>,
    /// The last name of each file, and whether it is there.
    places: Vec<(String, bool)>,
}

impl Names {
    /// How many files there were.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there were none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The file that a name stands for, if it is there under this name.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.owner(path).filter(|file| self.path(*file) == Some(path))
    }

    /// The file that has, or last had, a name.
    #[must_use]
    pub fn owner(&self, path: &str) -> Option<FileId> {
        self.owners.get(path).copied()
    }

    /// What a file is called now; none if it was deleted.
    #[must_use]
    pub fn path(&self, file: FileId) -> Option<&str> {
        self.places.get(file as usize).filter(|(_, alive)| *alive).map(|(path, _)| path.as_str())
    }

    /// Files that are there, with their names.
    pub fn living(&self) -> impl Iterator<Item = (FileId, &str)> {
        let places = self.places.iter().enumerate();
        places.filter(|(_, (_, alive))| *alive).map(|(id, (path, _))| (id as FileId, path.as_str()))
    }

    /// Takes in something that happened before.
    pub fn replay(&mut self, event: NameEvent) {
        let at = event.file as usize;
        if at >= self.places.len() {
            self.places.resize(at + 1, (String::new(), false));
        }
        let before = self.owners.insert(event.path.clone(), event.file);
        // Whoever was there under this name was overwritten.
        if let Some(before) = before.filter(|before| *before != event.file) {
            let place = &mut self.places[before as usize];
            place.1 = place.1 && place.0 != event.path;
        }
        self.places[at] = (event.path, event.alive);
    }

    /// Takes in a change: which file it touched, and what happened to names.
    pub fn apply(&mut self, change: &Change, events: &mut Vec<NameEvent>) -> FileId {
        match change {
            Change::Added(path) => match self.owner(path) {
                // It is back, or it was added on two branches.
                Some(file) if self.places[file as usize].0 == *path => {
                    if !self.places[file as usize].1 {
                        self.note(path, file, true, events);
                    }
                    file
                }
                // The one that had this name goes by another now.
                _ => self.create(path, events),
            },
            // A name that was given up on another branch still means the same file.
            Change::Modified(path) => match self.owner(path) {
                Some(file) => file,
                None => self.create(path, events),
            },
            Change::Deleted(path) => {
                let file = match self.owner(path) {
                    Some(file) => file,
                    None => self.create(path, events),
                };
                if self.path(file) == Some(path) {
                    self.note(path, file, false, events);
                }
                file
            }
            Change::Renamed { from, to } => {
                let file = match self.owner(from) {
                    Some(file) => file,
                    None => self.create(from, events),
                };
                self.note(to, file, true, events);
                file
            }
        }
    }

    fn create(&mut self, path: &str, events: &mut Vec<NameEvent>) -> FileId {
        let file = self.places.len() as FileId;
        self.note(path, file, true, events);
        file
    }

    fn note(&mut self, path: &str, file: FileId, alive: bool, events: &mut Vec<NameEvent>) {
        let event = NameEvent { path: path.to_owned(), file, alive };
        self.replay(event.clone());
        events.push(event);
    }
}
