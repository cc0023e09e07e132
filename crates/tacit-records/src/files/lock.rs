//! One writer at a time.
//!
//! The lock is on the folder itself, so that nothing is left behind that git would see. Where folders
//! cannot be opened it is on an empty file in it. The system lets go of it when a process ends,
//! however it ends.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use tacit_fs::{Hold, Wait};

use super::paths::failed;
use crate::error::{RecordError, RecordResult};

/// Waits for the right to write, for a limited time.
pub(super) fn acquire(root: &Path, wait: Duration) -> RecordResult<File> {
    let file = tacit_fs::open_folder(root).map_err(failed(root))?;
    match tacit_fs::lock(&file, Hold::Alone, Wait::AtMost(wait)).map_err(failed(root))? {
        true => Ok(file),
        false => Err(RecordError::Busy(root.to_owned())),
    }
}
