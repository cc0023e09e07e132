//! The stored history of a worktree: the commits reachable from `HEAD`. Only new commits are read;
//! commits that a rewritten history no longer has are removed, with everything read after them.
//!
//! Each batch of commits is committed to the database on its own, so that a process that is killed
//! loses one batch, and the next one continues.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use sha2::{Digest, Sha256};
use tacit_git::{head_commit, list_commits, read_log};

use super::{AppendedCommit, CommitSummary, History, NameEvent, TrackedFileId, parse_log};
use crate::derived::{self, repairing};
use crate::error::{CodebaseError, CodebaseResult, database, io};
use crate::open::Codebase;

/// The result of reading the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HistoryReport {
    /// Number of commits that were read.
    pub read: usize,
    /// Number of commits that were dropped, because they or a parent are no longer part of the
    /// history.
    pub dropped: usize,
}

/// A commit message with the files of its commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    /// The abbreviated hash.
    pub id: String,
    /// The text of the message.
    pub text: String,
    /// The files it touched.
    pub files: Vec<TrackedFileId>,
}

/// A commit as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCommit {
    /// The full hash.
    pub id: String,
    /// The commit time, in seconds since 1970.
    pub at: i64,
    /// The message.
    pub message: String,
    /// The files it touched; empty for a bulk commit.
    pub files: Vec<TrackedFileId>,
    /// The files among them that it was the first to touch.
    pub added: Vec<TrackedFileId>,
}

/// The commits that are to be read, up to one.
struct ReadPlan {
    head: String,
    commits: Vec<String>,
}

/// The version of the stored format.
const VERSION: &str = "4";
/// Number of commits read from git at once: some megabytes of output, less than two seconds.
const BATCH: usize = 1_000;
/// Number of runs of commits that are sampled.
const RUNS: usize = 3;
/// Larger lists of shallow boundaries are not read.
const MAX_SHALLOW_BYTES: u64 = 16 << 20;
/// Maximum length of a stored message, in bytes.
const MAX_MESSAGE: usize = 2_000;
/// Length of an abbreviated hash.
const SHORT_ID: usize = 8;

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS commits (
        seq INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        at INTEGER NOT NULL,
        size INTEGER NOT NULL,
        files BLOB NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS swept (seq INTEGER PRIMARY KEY, files BLOB NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS messages (seq INTEGER PRIMARY KEY, message TEXT NOT NULL) STRICT;
    CREATE TABLE IF NOT EXISTS names (
        event INTEGER PRIMARY KEY,
        seq INTEGER NOT NULL,
        path TEXT NOT NULL,
        file INTEGER NOT NULL,
        alive INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS names_seq ON names (seq);
";

impl Codebase {
    /// Returns true if any part of the history was read.
    #[must_use]
    pub fn has_history(&self) -> bool {
        self.history_path().exists()
    }

    fn history_path(&self) -> PathBuf {
        self.file("history")
    }

    /// Reads the commits that are new since the last time.
    pub fn refresh_history(&self) -> CodebaseResult<HistoryReport> {
        self.refresh_history_with(&|_, _| {})
    }

    /// Reads the commits that are new since the last time. After each batch, `progress` is called with
    /// the number of commits read and of all new ones.
    pub fn refresh_history_with(
        &self,
        progress: &dyn Fn(usize, usize),
    ) -> CodebaseResult<HistoryReport> {
        match self.read_with_lock(progress) {
            // If nothing can be written, there may be nothing new to write.
            Err(error) if error.is_unwritable() && self.has_read_all() => {
                Ok(HistoryReport::default())
            }
            read => read,
        }
    }

    /// Returns true if `HEAD` is the commit up to which the history was read.
    fn has_read_all(&self) -> bool {
        let now = head_commit(&self.root).ok().flatten();
        now.is_some()
            && self.query_or_reread(|rows| meta(rows, "head")).is_ok_and(|last| last == now)
    }

    fn read_with_lock(&self, progress: &dyn Fn(usize, usize)) -> CodebaseResult<HistoryReport> {
        let path = self.history_path();
        // Wait for a process that is reading: its result is needed.
        self.with_lock("history-lock", |_| repairing(|| self.read_locked(&path, progress)))
    }

    fn read_locked(
        &self,
        path: &Path,
        progress: &dyn Fn(usize, usize),
    ) -> CodebaseResult<HistoryReport> {
        let fail = database(path);
        let mut connection = open(path)?;
        let transaction = connection.transaction().map_err(&fail)?;
        let (mut done, plan) = self.plan(&transaction, path)?;
        transaction.commit().map_err(&fail)?;
        let Some(ReadPlan { head, commits }) = plan else { return Ok(done) };
        let mut history = load(&connection).map_err(&fail)?;
        for batch in commits.chunks(BATCH) {
            let transaction = connection.transaction().map_err(&fail)?;
            // Where the next process continues, should this one be killed.
            set_meta(&transaction, "reading", &head).map_err(&fail)?;
            for commit in parse_log(&read_log(&self.root, batch)?) {
                let seq = history.commits.len() as i64;
                let appended = history.push(&commit);
                append(&transaction, seq, &commit.id, &commit.message, &appended).map_err(&fail)?;
                done.read += 1;
            }
            transaction.commit().map_err(&fail)?;
            progress(done.read, commits.len());
        }
        let transaction = connection.transaction().map_err(&fail)?;
        set_meta(&transaction, "head", &head).map_err(&fail)?;
        transaction.execute("DELETE FROM meta WHERE name = 'reading'", []).map_err(&fail)?;
        transaction.commit().map_err(&fail)?;
        Ok(done)
    }

    /// Removes commits that are no longer part of the history, and returns those to read; `None` if
    /// everything was read.
    fn plan(
        &self,
        rows: &Transaction<'_>,
        path: &Path,
    ) -> CodebaseResult<(HistoryReport, Option<ReadPlan>)> {
        let fail = database(path);
        let mut done = HistoryReport::default();
        let cut = shallow_boundary(&self.root);
        if meta(rows, "version").map_err(&fail)?.as_deref() != Some(VERSION)
            || meta(rows, "cut").map_err(&fail)?.as_deref() != Some(cut.as_str())
        {
            done.dropped += drop_commits_from(rows, 0).map_err(&fail)?;
            set_meta(rows, "version", VERSION).map_err(&fail)?;
            set_meta(rows, "cut", &cut).map_err(&fail)?;
        }
        let Some(now) = head_commit(&self.root)? else {
            done.dropped += drop_commits_from(rows, 0).map_err(&fail)?;
            return Ok((done, None));
        };
        let last = meta(rows, "head").map_err(&fail)?;
        if last.as_deref() == Some(now.as_str()) {
            return Ok((done, None));
        }
        // A reader that was killed leaves the commit that it read up to in `reading`.
        let begun = meta(rows, "reading").map_err(&fail)?;
        for before in last.iter().chain(&begun) {
            done.dropped += match list_commits(&self.root, before, Some(&now))? {
                // The commit no longer exists.
                None => drop_commits_from(rows, 0).map_err(&fail)?,
                Some(unreachable) => match first_row(rows, &unreachable).map_err(&fail)? {
                    Some(first) => drop_commits_from(rows, first).map_err(&fail)?,
                    None => 0,
                },
            };
        }
        let but = last.as_deref().filter(|_| done.dropped == 0);
        let mut commits = list_commits(&self.root, &now, but)?.unwrap_or_default();
        if done.dropped > 0 || begun.is_some() {
            let mut known = rows.prepare("SELECT 1 FROM commits WHERE id = ?1").map_err(&fail)?;
            commits.retain(|id| !known.exists([id]).unwrap_or(false));
        }
        Ok((done, Some(ReadPlan { head: now, commits })))
    }

    /// Returns the history as last read.
    pub fn history(&self) -> CodebaseResult<History> {
        let path = self.history_path();
        if !path.exists() {
            return Err(CodebaseError::Missing { root: self.root.clone() });
        }
        self.query_or_reread(load)
    }

    /// Reads from the stored history, and reads it from git again if it is damaged.
    fn query_or_reread<T>(
        &self,
        read: impl Fn(&Connection) -> rusqlite::Result<T>,
    ) -> CodebaseResult<T> {
        let path = self.history_path();
        let from_rows =
            || derived::open_read_only(&path).and_then(|rows| read(&rows).map_err(database(&path)));
        match from_rows() {
            Err(error) if error.damaged().is_some() => {
                self.with_lock("history-lock", |_| {
                    derived::remove_database(&path).map_err(io(&path))?;
                    self.read_locked(&path, &|_, _| {})
                })?;
                from_rows()
            }
            read => read,
        }
    }

    /// Returns the messages of the newest commits, newest first, without those of commits that
    /// touched very many files.
    pub fn messages(&self, most: usize) -> CodebaseResult<Vec<CommitMessage>> {
        self.query_or_reread(|rows| newest(rows, most))
    }

    /// Returns the newest commits with their messages, parents first, at most `most`. Messages are
    /// redacted and cut.
    pub fn stored_commits(&self, most: usize) -> CodebaseResult<Vec<StoredCommit>> {
        self.query_or_reread(|rows| stored(rows, most))
    }

    /// Returns the number of commits that [`refresh_history`](Self::refresh_history) would read, and
    /// some of them, in three runs: neighbours share trees, which makes them faster to read.
    pub fn unread_commits(&self, some: usize) -> CodebaseResult<(usize, Vec<String>)> {
        let path = self.history_path();
        let head = match path.exists() {
            true => self.query_or_reread(|rows| meta(rows, "head"))?,
            false => None,
        };
        let Some(now) = head_commit(&self.root)? else { return Ok((0, Vec::new())) };
        let commits = list_commits(&self.root, &now, head.as_deref())?.unwrap_or_default();
        let each = some.div_ceil(RUNS);
        let mut sample: Vec<String> = Vec::new();
        for run in 0..RUNS {
            let from = commits.len() * (2 * run + 1) / (2 * RUNS);
            sample.extend(commits.iter().skip(from).take(each).cloned());
        }
        sample.dedup();
        Ok((commits.len(), sample))
    }

    /// Returns true if a derived value is up to date with the history.
    pub fn is_up_to_date(&self, what: HistoryConsumer) -> CodebaseResult<bool> {
        self.query_or_reread(|rows| Ok(meta(rows, what.name())? == meta(rows, "head")?))
    }

    /// Marks a derived value as up to date with the history.
    pub fn mark_up_to_date(&self, what: HistoryConsumer) -> CodebaseResult<()> {
        let path = self.history_path();
        let sql = "INSERT OR REPLACE INTO meta SELECT ?1, value FROM meta WHERE name = 'head'";
        open(&path)?.execute(sql, [what.name()]).map_err(database(&path))?;
        Ok(())
    }
}

/// Values derived from the history, updated when it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryConsumer {
    /// Files that are certain to change together.
    CoChanges,
    /// Current names of renamed files.
    Renames,
    /// Lessons for memories.
    Lessons,
}

impl HistoryConsumer {
    fn name(self) -> &'static str {
        match self {
            HistoryConsumer::CoChanges => "learnt",
            HistoryConsumer::Renames => "followed",
            HistoryConsumer::Lessons => "lessons",
        }
    }
}

fn open(path: &Path) -> CodebaseResult<Connection> {
    derived::open(path, SCHEMA)
}

/// Reads the boundary of a shallow clone: when it moves, commits have other parents than before.
fn shallow_boundary(root: &Path) -> String {
    let shallow = tacit_git::discover(root)
        .and_then(|repository| {
            tacit_fs::read_following(&repository.common_dir.join("shallow"), MAX_SHALLOW_BYTES).ok()
        })
        .unwrap_or_default();
    Sha256::digest(&shallow)[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn meta(rows: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    rows.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0)).optional()
}

fn set_meta(rows: &Connection, name: &str, value: &str) -> rusqlite::Result<()> {
    rows.execute("INSERT OR REPLACE INTO meta VALUES (?1, ?2)", [name, value])?;
    Ok(())
}

/// Finds the row of the first of these commits.
fn first_row(rows: &Connection, ids: &[String]) -> rusqlite::Result<Option<i64>> {
    let mut statement = rows.prepare("SELECT seq FROM commits WHERE id = ?1")?;
    let mut first = None;
    for id in ids {
        let seq: Option<i64> = statement.query_row([id], |row| row.get(0)).optional()?;
        first = match (first, seq) {
            (Some(a), Some(b)) => Some(std::cmp::min(a, b)),
            (a, b) => a.or(b),
        };
    }
    Ok(first)
}

/// Deletes a commit and all that were read after it.
fn drop_commits_from(rows: &Connection, seq: i64) -> rusqlite::Result<usize> {
    rows.execute("DELETE FROM names WHERE seq >= ?1", [seq])?;
    rows.execute("DELETE FROM messages WHERE seq >= ?1", [seq])?;
    rows.execute("DELETE FROM swept WHERE seq >= ?1", [seq])?;
    rows.execute("DELETE FROM meta WHERE name IN ('head', 'reading')", [])?;
    rows.execute("DELETE FROM commits WHERE seq >= ?1", [seq])
}

fn append(
    rows: &Connection,
    seq: i64,
    id: &str,
    message: &str,
    AppendedCommit { past, events }: &AppendedCommit,
) -> rusqlite::Result<()> {
    rows.prepare_cached("INSERT INTO commits VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(params![
        seq,
        id,
        past.at,
        past.size,
        pack(&past.files)
    ])?;
    if !past.bulk_files.is_empty() {
        rows.prepare_cached("INSERT INTO swept VALUES (?1, ?2)")?
            .execute(params![seq, pack(&past.bulk_files)])?;
    }
    let message = tacit_redact::redact(message).text;
    let kept = &message[..message.floor_char_boundary(MAX_MESSAGE)];
    rows.prepare_cached("INSERT INTO messages VALUES (?1, ?2)")?.execute(params![seq, kept])?;
    for NameEvent { path, file, alive } in events {
        rows.prepare_cached("INSERT INTO names (seq, path, file, alive) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![seq, path, file, alive])?;
    }
    Ok(())
}

fn load(rows: &Connection) -> rusqlite::Result<History> {
    let mut history = History::default();
    let mut names = rows.prepare("SELECT path, file, alive FROM names ORDER BY event")?;
    let events = names.query_map([], |row| {
        Ok(NameEvent { path: row.get(0)?, file: row.get(1)?, alive: row.get(2)? })
    })?;
    for event in events {
        history.names.replay(event?);
    }
    let mut commits = rows.prepare(
        "SELECT at, size, commits.files, swept.files FROM commits LEFT JOIN swept USING (seq)
         ORDER BY seq",
    )?;
    let past = commits.query_map([], |row| {
        let files = unpack(row.get_ref(2)?.as_blob()?);
        let bulk_files = unpack(row.get_ref(3)?.as_blob_or_null()?.unwrap_or_default());
        Ok(CommitSummary { at: row.get(0)?, size: row.get(1)?, files, bulk_files })
    })?;
    history.commits = past.collect::<rusqlite::Result<_>>()?;
    // Ignore damaged rows that name no known file.
    let known = history.names.len() as TrackedFileId;
    for past in &mut history.commits {
        past.files.retain(|file| *file < known);
        past.bulk_files.retain(|file| *file < known);
    }
    Ok(history)
}

fn newest(rows: &Connection, most: usize) -> rusqlite::Result<Vec<CommitMessage>> {
    let sql = "SELECT substr(id, 1, ?2), message, files FROM commits JOIN messages USING (seq)
               WHERE length(files) > 0 ORDER BY seq DESC LIMIT ?1";
    let mut statement = rows.prepare(sql)?;
    let messages = statement.query_map(params![most as i64, SHORT_ID as i64], |row| {
        let files = unpack(row.get_ref(2)?.as_blob()?);
        Ok(CommitMessage { id: row.get(0)?, text: row.get(1)?, files })
    })?;
    messages.collect()
}

fn stored(rows: &Connection, most: usize) -> rusqlite::Result<Vec<StoredCommit>> {
    // The first event of a file tells which commit added it.
    let mut first = rows.prepare("SELECT min(event), seq, file FROM names GROUP BY file")?;
    let mut added: std::collections::HashMap<i64, Vec<TrackedFileId>> =
        std::collections::HashMap::new();
    let events = first.query_map([], |row| Ok((row.get(1)?, row.get(2)?)))?;
    for event in events {
        let (seq, file): (i64, TrackedFileId) = event?;
        added.entry(seq).or_default().push(file);
    }
    let sql = "SELECT seq, id, at, message, files FROM commits JOIN messages USING (seq)
               ORDER BY seq DESC LIMIT ?1";
    let mut statement = rows.prepare(sql)?;
    let commits = statement.query_map([most as i64], |row| {
        let files = unpack(row.get_ref(4)?.as_blob()?);
        let mut added = added.get(&row.get(0)?).cloned().unwrap_or_default();
        added.retain(|file| files.contains(file));
        Ok(StoredCommit { id: row.get(1)?, at: row.get(2)?, message: row.get(3)?, files, added })
    })?;
    let mut commits: Vec<StoredCommit> = commits.collect::<rusqlite::Result<_>>()?;
    commits.reverse();
    Ok(commits)
}

fn pack(files: &[TrackedFileId]) -> Vec<u8> {
    files.iter().flat_map(|file| file.to_le_bytes()).collect()
}

fn unpack(bytes: &[u8]) -> Vec<TrackedFileId> {
    let chunks = bytes.chunks_exact(size_of::<TrackedFileId>());
    chunks.map(|chunk| TrackedFileId::from_le_bytes(std::array::from_fn(|at| chunk[at]))).collect()
}
