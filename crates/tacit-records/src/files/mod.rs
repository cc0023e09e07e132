//! Record files: the only part of this crate that accesses the disk.
//!
//! Files are replaced atomically, one process writes at a time, and symbolic links are not
//! followed.

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

/// The name of the index file in the records folder.
pub const INDEX_FILE: &str = "index.md";

/// The records folder of a worktree.
#[derive(Debug, Clone)]
pub struct RecordsFolder {
    project: PathBuf,
    root: PathBuf,
}

/// A record as read from its file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRecord {
    /// The record.
    pub record: Record,
    /// The MD5 of the file, by which writers detect changes.
    pub hash: String,
}

/// All records of a folder.
#[derive(Debug, Default)]
pub struct LoadedRecords {
    /// The valid records, by category and name.
    pub stored: Vec<StoredRecord>,
    /// The files that are not valid records.
    pub problems: Vec<UnreadableFile>,
}

/// A file that is not a valid record.
#[derive(Debug)]
pub struct UnreadableFile {
    /// The path from the records folder.
    pub path: String,
    /// The problem with it.
    pub error: RecordError,
}

impl LoadedRecords {
    /// Returns the records without hashes.
    pub fn records(&self) -> Vec<Record> {
        self.stored.iter().map(|stored| stored.record.clone()).collect()
    }
}

impl RecordsFolder {
    /// Locates the records folder of a worktree, which need not exist.
    pub fn at(project: &Path) -> RecordsFolder {
        RecordsFolder { project: project.to_owned(), root: project.join(".claude").join("memory") }
    }

    /// The path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns true if a file of the project exists; paths out of the project do not count.
    pub fn has_file(&self, path: &str) -> bool {
        tacit_core::RepoPath::new(path).is_ok()
            && self.project.join(path).symlink_metadata().is_ok()
    }

    /// Returns the categories and names of all record files, sorted.
    pub fn paths(&self) -> RecordResult<Vec<(RecordCategory, Slug)>> {
        let mut found = Vec::new();
        for category in RecordCategory::ALL {
            found.extend(self.slugs(category)?.into_iter().map(|slug| (category, slug)));
        }
        Ok(found)
    }

    /// Reads all records. Invalid files are reported and do not affect the others.
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

    /// Finds a record by slug, `folder/slug`, or the path of its file.
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
