//! The file of hot topics: read before every command, written when a session starts, and extended
//! when a command fails.
//!
//! Writers hold a lock on a second file and replace the file atomically. So readers see one version
//! or the other, and concurrent writers do not lose each other's changes.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tacit_core::Timestamp;
use tacit_fs::{Lock, Wait};
use tacit_observer::runs_form;

use super::pattern::escape;
use super::prefix::command_prefix;

/// The maximum number of patterns that a session starts with.
pub(super) const MAX_DISCOVERED: usize = 20;
/// The maximum number of commands known not to work.
const MAX_VARIANTS: usize = 60;
/// The maximum number of commands that memories name.
const MAX_COMMANDS: usize = 300;
/// The maximum number of commands that memories warn of.
const MAX_DANGERS: usize = 100;
/// The maximum number of patterns that a session adds; the oldest are dropped.
const MAX_PROMOTED: usize = 20;
const LARGEST: u64 = 64 * 1024;
/// The time to wait for the lock. A writer holds it only while it writes one page.
const WAIT: Duration = Duration::from_millis(250);

/// The hot-topic patterns of a project, in addition to the built-in ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HotTopics {
    patterns: Vec<String>,
    generated_at: String,
    promoted: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variants: Vec<VariantTopic>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dangers: Vec<String>,
}

/// A command that is known not to work, and the variant that does, both as forms (see
/// [`tacit_observer::runs_form`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantTopic {
    /// The form of the command that does not work.
    pub failing: String,
    /// The form of the command that does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working: Option<String>,
}

impl VariantTopic {
    /// Returns true if a command line runs the command that does not work.
    pub fn matches(&self, line: &str) -> bool {
        let runs_working = |form: &String| runs_form(line, form);
        runs_form(line, &self.failing) && !self.working.as_ref().is_some_and(runs_working)
    }
}

/// The result of promoting a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicPromotion {
    /// The pattern was added.
    Added(String),
    /// The pattern was already there.
    Known(String),
    /// The command has no distinctive words, or is too common.
    Trivial,
}

/// An error when writing the file.
#[derive(Debug, thiserror::Error)]
pub enum TopicsError {
    /// Another process holds the lock.
    #[error("`{}` is being written by another process", path.display())]
    Busy {
        /// The file of hot topics.
        path: PathBuf,
    },
    /// The file could not be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// The file of hot topics.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl Default for HotTopics {
    /// Has no patterns, and 1970 as the time of generation.
    fn default() -> HotTopics {
        let generated_at = "1970-01-01T00:00:00Z".to_owned();
        HotTopics {
            patterns: Vec::new(),
            generated_at,
            promoted: Vec::new(),
            variants: Vec::new(),
            commands: Vec::new(),
            dangers: Vec::new(),
        }
    }
}

impl HotTopics {
    /// Creates the topics of a new session.
    pub(super) fn new(patterns: Vec<String>, now: Timestamp) -> HotTopics {
        // Whole seconds are precise enough.
        let text = now.to_string();
        let generated_at =
            text.split_once('.').map_or(text.clone(), |(seconds, _)| format!("{seconds}Z"));
        HotTopics { patterns, generated_at, ..HotTopics::default() }
    }

    /// Adds commands that are known not to work.
    #[must_use]
    pub fn with_variants(mut self, mut variants: Vec<VariantTopic>) -> HotTopics {
        variants.truncate(MAX_VARIANTS);
        self.variants = variants;
        self
    }

    /// Adds commands that memories name, as forms.
    #[must_use]
    pub fn with_commands(mut self, commands: impl IntoIterator<Item = String>) -> HotTopics {
        for form in commands {
            if self.commands.len() < MAX_COMMANDS && !self.commands.contains(&form) {
                self.commands.push(form);
            }
        }
        self
    }

    /// Adds commands that memories warn of, as forms of [`super::danger_forms`].
    #[must_use]
    pub fn with_dangers(mut self, dangers: impl IntoIterator<Item = String>) -> HotTopics {
        for form in dangers {
            if self.dangers.len() < MAX_DANGERS && !self.dangers.contains(&form) {
                self.dangers.push(form);
            }
        }
        self
    }

    /// Reads the file; empty if it is missing, too large or invalid.
    pub fn read(file: &Path) -> HotTopics {
        let bytes = tacit_fs::read(file, LARGEST).ok();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Replaces the file.
    ///
    /// # Errors
    ///
    /// If another process holds the lock, or the file cannot be written; the old file stays then.
    pub fn write(&self, file: &Path) -> Result<(), TopicsError> {
        let lock = acquire(file)?;
        self.replace(file, &lock)
    }

    /// All patterns, the most important first.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// The patterns that were added because a command failed.
    pub fn promoted(&self) -> &[String] {
        &self.promoted
    }

    /// The commands that are known not to work.
    pub fn variants(&self) -> &[VariantTopic] {
        &self.variants
    }

    /// The commands that memories name, as forms.
    pub fn commands(&self) -> &[String] {
        &self.commands
    }

    /// The commands that memories warn of.
    pub fn dangers(&self) -> &[String] {
        &self.dangers
    }

    /// The start of the session, as text.
    pub fn generated_at(&self) -> &str {
        &self.generated_at
    }

    fn add(&mut self, pattern: &str) {
        self.patterns.push(pattern.to_owned());
        self.promoted.push(pattern.to_owned());
        while self.promoted.len() > MAX_PROMOTED {
            let oldest = self.promoted.remove(0);
            self.patterns.retain(|pattern| *pattern != oldest);
        }
    }

    fn replace(&self, file: &Path, _lock: &Lock) -> Result<(), TopicsError> {
        let fail = |source| TopicsError::Write { path: file.to_owned(), source };
        let text = |topics: &HotTopics| {
            serde_json::to_string_pretty(topics).map_err(|error| fail(error.into()))
        };
        let mut json = text(self)?;
        // A file that is too large would not be read. Warnings matter most, so the rest goes first.
        if json.len() as u64 >= LARGEST {
            let dangers = self.dangers.clone();
            json = text(&HotTopics { dangers, ..HotTopics::default() })?;
        }
        json.push('\n');
        tacit_fs::replace_unsynced(file, json.as_bytes()).map_err(fail)
    }
}

/// Makes a failed command a hot topic.
///
/// # Errors
///
/// See [`HotTopics::write`].
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

/// Makes the commands that a new memory names or warns of hot topics, before the others.
///
/// # Errors
///
/// See [`HotTopics::write`].
pub fn add_commands(
    file: &Path,
    mut commands: Vec<String>,
    mut dangers: Vec<String>,
) -> Result<(), TopicsError> {
    if !commands.is_empty() || !dangers.is_empty() {
        let known = HotTopics::read(file);
        commands.retain(|form| !known.commands.contains(form));
        dangers.retain(|form| !known.dangers.contains(form));
    }
    if commands.is_empty() && dangers.is_empty() {
        return Ok(());
    }
    let lock = acquire(file)?;
    let mut topics = HotTopics::read(file);
    commands.append(&mut topics.commands);
    dangers.append(&mut topics.dangers);
    topics.with_commands(commands).with_dangers(dangers).replace(file, &lock)
}

/// Waits for the lock.
fn acquire(path: &Path) -> Result<Lock, TopicsError> {
    let fail = |source| TopicsError::Write { path: path.to_owned(), source };
    let name = tacit_fs::with_suffix(path, ".lock");
    let lock = Lock::exclusive(&name, Wait::AtMost(WAIT)).map_err(fail)?;
    lock.ok_or_else(|| TopicsError::Busy { path: path.to_owned() })
}
