//! Records on disk: the only part of this crate that touches files.
//!
//! A file is replaced whole or not at all, one process writes at a time, and nothing is read or
//! written through a symbolic link.

mod paths;
mod read;
mod write;

use std::path::{Path, PathBuf};

use crate::category::RecordCategory;
use crate::error::{RecordError, RecordResult};
use crate::record::Record;
use crate::slug::Slug;

pub use paths::is_record_path;
pub use read::{MAX_RECORD_BYTES, file_hash, parse};
pub use write::{RecordWriter, write_private};

/// The name of the index beside the folders of records.
pub const INDEX_FILE: &str = "index.md";

/// The records of one worktree.
#[derive(Debug, Clone)]
pub struct RecordsFolder {
    project: PathBuf,
    root: PathBuf,
}

/// A record and the file it is in.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRecord {
    /// The record.
    pub record: Record,
    /// The MD5 of the file's bytes, by which writers see whether it has changed.
    pub hash: String,
}

/// Everything that is there.
#[derive(Debug, Default)]
pub struct LoadedRecords {
    /// What could be read, by category and name.
    pub stored: Vec<StoredRecord>,
    /// What could not, and why.
    pub problems: Vec<UnreadableFile>,
}

/// A file that is not a record.
#[derive(Debug)]
pub struct UnreadableFile {
    /// Where, from the root of the records.
    pub path: String,
    /// Why.
    pub error: RecordError,
}

impl LoadedRecords {
    /// The records alone.
    pub fn records(&self) -> Vec<Record> {
        self.stored.iter().map(|stored| stored.record.clone()).collect()
    }
}

impl RecordsFolder {
    /// The records of the worktree at `project`; nothing needs to be there yet.
    pub fn at(project: &Path) -> RecordsFolder {
        RecordsFolder { project: project.to_owned(), root: project.join(".claude").join("memory") }
    }

    /// Where the records are.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether a file of the project is there. What leads out of the project is not.
    pub fn has_file(&self, path: &str) -> bool {
        tacit_core::RepoPath::new(path).is_ok()
            && self.project.join(path).symlink_metadata().is_ok()
    }

    /// The paths of all record files, from the root of the records, sorted.
    pub fn paths(&self) -> RecordResult<Vec<(RecordCategory, Slug)>> {
        let mut found = Vec::new();
        for category in RecordCategory::ALL {
            found.extend(self.slugs(category)?.into_iter().map(|slug| (category, slug)));
        }
        Ok(found)
    }

    /// Everything that is there. A file that cannot be read is told and does not hide the others.
    pub fn load(&self) -> RecordResult<LoadedRecords> {
        let mut loaded = LoadedRecords::default();
        for (category, slug) in self.paths()? {
            match self.read(category, &slug) {
                Ok(Some(stored)) => loaded.stored.push(stored),
                Ok(None) => {}
                Err(error) => {
                    let path = format!("{}/{slug}.json", category.folder());
                    loaded.problems.push(UnreadableFile { path, error });
                }
            }
        }
        Ok(loaded)
    }

    /// The record that a name means: a slug, `folder/slug`, or the path of its file.
    pub fn find(&self, name: &str) -> RecordResult<StoredRecord> {
        let (category, slug) = self.parse_name(name)?;
        let categories = match category {
            Some(category) => vec![category],
            None => RecordCategory::ALL.to_vec(),
        };
        let mut found = Vec::new();
        for category in categories {
            found.extend(self.read(category, &slug)?);
        }
        match found.len() {
            0 => Err(RecordError::NotFound(name.to_owned())),
            1 => Ok(found.remove(0)),
            _ => {
                let choices = found.iter().map(|s| format!("`{}`", s.record.path())).collect();
                Err(RecordError::Ambiguous { name: name.to_owned(), choices })
            }
        }
    }
}
