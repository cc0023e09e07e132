//! The offset up to which the transcript of a session was examined, so that nothing is drafted
//! twice.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tacit_core::Timestamp;
use tacit_records::files::write_private;

use super::short_hash;

/// The age at which excerpts, drafts and offsets are deleted.
const MAX_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The file with the offset of one session.
pub struct TranscriptOffset {
    directory: PathBuf,
    name: String,
}

impl TranscriptOffset {
    /// Locates the offset of a session in a directory.
    pub fn of(directory: &Path, session: &str) -> TranscriptOffset {
        let name = format!("seen-{}.txt", short_hash(Path::new(session)));
        TranscriptOffset { directory: directory.to_owned(), name }
    }

    /// Returns the number of bytes examined so far; 0 if none are.
    pub fn get(&self) -> u64 {
        let text = tacit_fs::read_text(&self.directory.join(&self.name), 64).ok();
        text.and_then(|text| text.trim().parse().ok()).unwrap_or_default()
    }

    /// Saves the number of bytes examined.
    pub fn set(&self, offset: u64) -> io::Result<()> {
        write_private(&self.directory, &self.name, format!("{offset}\n").as_bytes()).map(drop)
    }
}

/// Removes old files from the directory. Files that cannot be removed stay.
pub fn remove_old_files(directory: &Path, now: Timestamp) {
    let Ok(now) = u64::try_from(now.as_millis()) else { return };
    let now = SystemTime::UNIX_EPOCH + Duration::from_millis(now);
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let written = entry.metadata().and_then(|meta| meta.modified()).ok();
        let old =
            written.and_then(|at| now.duration_since(at).ok()).is_some_and(|age| age > MAX_AGE);
        if old {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
