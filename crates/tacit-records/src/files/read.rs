//! Reads record files.

use std::fs;
use std::io;

use md5::{Digest, Md5};
use serde_json::Value;
use tacit_core::{FieldError, Problem};

use super::paths::{io_error, path_error};
use super::{RecordsFolder, StoredRecord};
use crate::category::RecordCategory;
use crate::error::{RecordError, RecordResult};
use crate::record::Record;
use crate::slug::Slug;

/// The most bytes of a record file.
pub const MAX_RECORD_BYTES: u64 = 256 * 1024;

/// Returns the MD5 of a file in hexadecimal, as `md5sum` prints it. Writers use it to detect
/// changes.
pub fn file_hash(bytes: &[u8]) -> String {
    Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses a record; `path` is only for messages.
pub fn parse(bytes: &[u8], path: &str) -> RecordResult<Record> {
    let whole =
        |problem: String| RecordError::Invalid(vec![FieldError::new(path, Problem::rule(problem))]);
    let text = std::str::from_utf8(bytes).map_err(|_| whole("is not valid UTF-8".to_owned()))?;
    let json: Value =
        serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|error| {
            match conflict(text) {
                Some(line) => RecordError::Unmerged { path: path.to_owned(), line },
                None => whole(format!("is not JSON: {error}")),
            }
        })?;
    Record::from_json(json).map_err(RecordError::Invalid)
}

/// Returns the line of a merge conflict marker.
fn conflict(text: &str) -> Option<usize> {
    let line = text.lines().position(|line| line.starts_with("<<<<<<< "))?;
    Some(line + 1)
}

impl RecordsFolder {
    /// Reads a record; `None` if it does not exist.
    pub fn read(
        &self,
        category: RecordCategory,
        slug: &Slug,
    ) -> RecordResult<Option<StoredRecord>> {
        let Some(bytes) = self.read_bytes(category, slug)? else { return Ok(None) };
        let path = format!("{}/{slug}.json", category.folder());
        let record = parse(&bytes, &path)?;
        if record.category != category || record.id != *slug {
            let why = format!("its content says it is `{}`", record.path());
            return Err(RecordError::Path { path, why });
        }
        Ok(Some(StoredRecord { record, hash: file_hash(&bytes) }))
    }

    /// Reads the bytes of a record's file; `None` if it does not exist.
    pub fn read_bytes(
        &self,
        category: RecordCategory,
        slug: &Slug,
    ) -> RecordResult<Option<Vec<u8>>> {
        if !self.check_directories(category, false)? {
            return Ok(None);
        }
        let path = self.file(category, slug);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(io_error(&path)(error)),
            Ok(there) if there.is_symlink() => {
                return Err(path_error(&path, "it is a symbolic link"));
            }
            Ok(there) if !there.is_file() => return Err(path_error(&path, "it is not a file")),
            Ok(_) => {}
        }
        match tacit_fs::read_nofollow(&path, MAX_RECORD_BYTES) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                Err(path_error(&path, "it is larger than 256 KiB"))
            }
            Err(error) => Err(io_error(&path)(error)),
        }
    }

    /// Returns a file's modification time in nanoseconds since 1970, and its size. While both stay
    /// the same, the file need not be read again.
    pub fn stamp(&self, category: RecordCategory, slug: &Slug) -> Option<(u128, u64)> {
        let there = fs::symlink_metadata(self.file(category, slug)).ok()?;
        let written = there.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some((written.as_nanos(), there.len()))
    }
}
