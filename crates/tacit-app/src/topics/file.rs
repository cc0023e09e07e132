//! The file of hot topics: read before every command, written when a session starts, added to when
//! a command fails.
//!
//! Writers hold a lock on a file beside it and put the new version in the place of the old one, so
//! a reader sees one or the other and two writers lose nothing of each other.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacit_core::Timestamp;
use tacit_fs::{Lock, Wait};

use super::pattern::escape;
use super::prefix::command_prefix;

/// Patterns that a session starts with.
pub(super) const MOST_DISCOVERED: usize = 20;
/// Patterns that a session adds; the oldest make room.
const MOST_PROMOTED: usize = 20;
const LARGEST: u64 = 64 * 1024;
/// The lock is held for as long as it takes to write a page: whoever holds it longer is stuck.
const WAIT: Duration = Duration::from_millis(250);

/// The patterns of a project, beside those that are hot everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HotTopics {
    patterns: Vec<String>,
    generated_at: String,
    promoted: Vec<String>,
}

/// What became of a command that was to be promoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicPromotion {
    /// This pattern was added.
    Added(String),
    /// This pattern was there.
    Known(String),
    /// There is nothing to know the command by, or it is too common.
    Trivial,
}

/// Why the file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum TopicsError {
    /// Another process holds the lock.
    #[error("`{}` is being written by another process", path.display())]
    Busy {
        /// The file of hot topics.
        path: PathBuf,
    },
    /// What the system says.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file of hot topics.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Default for HotTopics {
    /// No patterns; generated long ago.
    fn default() -> HotTopics {
        let generated_at = "1970-01-01T00:00:00Z".to_owned();
        HotTopics { patterns: Vec::new(), generated_at, promoted: Vec::new() }
    }
}

impl HotTopics {
    /// The patterns that a session starts with.
    pub(super) fn new(patterns: Vec<String>, now: Timestamp) -> HotTopics {
        // To the second: nobody needs to know it closer.
        let text = now.to_string();
        let generated_at =
            text.split_once('.').map_or(text.clone(), |(seconds, _)| format!("{seconds}Z"));
        HotTopics { patterns, generated_at, promoted: Vec::new() }
    }

    /// What a file says; nothing if it is missing, too large or broken.
    pub fn read(file: &Path) -> HotTopics {
        let bytes = tacit_fs::read(file, LARGEST).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Writes the file whole, in the place of what was there.
    ///
    /// # Errors
    ///
    /// When another process holds the lock, or the system refuses; what was there then stays.
    pub fn write(&self, file: &Path) -> Result<(), TopicsError> {
        let lock = acquire(file)?;
        self.replace(file, &lock)
    }

    /// All patterns, in order of importance.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Those of the patterns that were added because a command failed.
    pub fn promoted(&self) -> &[String] {
        &self.promoted
    }

    /// When the session started, as text.
    pub fn generated_at(&self) -> &str {
        &self.generated_at
    }

    fn add(&mut self, pattern: &str) {
        self.patterns.push(pattern.to_owned());
        self.promoted.push(pattern.to_owned());
        while self.promoted.len() > MOST_PROMOTED {
            let oldest = self.promoted.remove(0);
            self.patterns.retain(|pattern| *pattern != oldest);
        }
    }

    fn replace(&self, file: &Path, _lock: &Lock) -> Result<(), TopicsError> {
        let fail = |source| TopicsError::Write { path: file.to_owned(), source };
        let mut json = serde_json::to_string_pretty(self).map_err(|error| fail(error.into()))?;
        json.push('\n');
        tacit_fs::replace_unsynced(file, json.as_bytes()).map_err(fail)
    }
}

/// Makes a command hot that has failed: the words it is known by are added to the file.
///
/// # Errors
///
/// As [`HotTopics::write`].
pub fn promote(file: &Path, command: &str) -> Result<TopicPromotion, TopicsError> {
    let Some(prefix) = command_prefix(command) else {
        return Ok(TopicPromotion::Trivial);
    };
    let pattern = escape(&prefix);
    let lock = acquire(file)?;
    let mut topics = HotTopics::read(file);
    if topics.patterns.contains(&pattern) {
        return Ok(TopicPromotion::Known(pattern));
    }
    topics.add(&pattern);
    topics.replace(file, &lock)?;
    Ok(TopicPromotion::Added(pattern))
}

/// Waits for the right to write the file.
fn acquire(path: &Path) -> Result<Lock, TopicsError> {
    let fail = |source| TopicsError::Write { path: path.to_owned(), source };
    let name = tacit_fs::with_suffix(path, ".lock");
    let lock = Lock::exclusive(&name, Wait::AtMost(WAIT)).map_err(fail)?;
    lock.ok_or_else(|| TopicsError::Busy { path: path.to_owned() })
}
