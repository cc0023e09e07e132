//! The history of a worktree on disk: commits that can be reached from its `HEAD`, as far as they
//! were read. Only commits that are new are read; those that a rewritten history no longer has are
//! taken out, with everything that was read after them.

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

/// A commit and what it says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitMessage {
    /// The first digits of its name.
    pub id: String,
    /// The text of the message.
    pub text: String,
    /// The files it touched.
    pub files: Vec<TrackedFileId>,
}

/// Changes with what is kept, and how.
const VERSION: &str = "4";
/// So many commits are asked of git at once.
const BATCH: usize = 2_000;
/// A list of where a clone ends that is longer is not read.
const MAX_SHALLOW_BYTES: u64 = 16 << 20;
/// So much of a message is kept.
const MAX_MESSAGE: usize = 2_000;
/// So much of a commit's name is told.
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
        match self.read_in_turn() {
            // Where nothing can be written there may be nothing to write.
            Err(error) if error.is_unwritable() && self.has_read_all() => {
                Ok(HistoryReport::default())
            }
            read => read,
        }
    }

    /// Returns true if `HEAD` is the commit up to which the history was read.
    fn has_read_all(&self) -> bool {
        let now = head_commit(&self.root).ok().flatten();
        now.is_some() && self.reading(|rows| meta(rows, "head")).is_ok_and(|last| last == now)
    }

    fn read_in_turn(&self) -> CodebaseResult<HistoryReport> {
        let path = self.history_path();
        // Whoever asks waits for the one who reads: the answer is ready then.
        self.with_lock("history-lock", |_| repairing(|| self.read_locked(&path)))
    }

    fn read_locked(&self, path: &Path) -> CodebaseResult<HistoryReport> {
        let mut connection = open(path)?;
        let transaction = connection.transaction().map_err(database(path))?;
        let read = self.read_new(&transaction, path)?;
        transaction.commit().map_err(database(path))?;
        Ok(read)
    }

    fn read_new(&self, rows: &Transaction<'_>, path: &Path) -> CodebaseResult<HistoryReport> {
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
            return Ok(done);
        };
        let last = meta(rows, "head").map_err(&fail)?;
        if last.as_deref() == Some(now.as_str()) {
            return Ok(done);
        }
        if let Some(last) = &last {
            done.dropped += match list_commits(&self.root, last, Some(&now))? {
                // It is not even known any more.
                None => drop_commits_from(rows, 0).map_err(&fail)?,
                Some(unreachable) => match first_row(rows, &unreachable).map_err(&fail)? {
                    Some(first) => drop_commits_from(rows, first).map_err(&fail)?,
                    None => 0,
                },
            };
        }
        let but = last.as_deref().filter(|_| done.dropped == 0);
        let mut fresh = list_commits(&self.root, &now, but)?.unwrap_or_default();
        if done.dropped > 0 {
            let mut known = rows.prepare("SELECT 1 FROM commits WHERE id = ?1").map_err(&fail)?;
            fresh.retain(|id| !known.exists([id]).unwrap_or(false));
        }
        let mut history = load(rows).map_err(&fail)?;
        for batch in fresh.chunks(BATCH) {
            for commit in parse_log(&read_log(&self.root, batch)?) {
                let seq = history.commits.len() as i64;
                let appended = history.push(&commit);
                append(rows, seq, &commit.id, &commit.message, &appended).map_err(&fail)?;
                done.read += 1;
            }
        }
        set_meta(rows, "head", &now).map_err(&fail)?;
        Ok(done)
    }

    /// The history as far as it was read.
    pub fn history(&self) -> CodebaseResult<History> {
        let path = self.history_path();
        if !path.exists() {
            return Err(CodebaseError::Missing { root: self.root.clone() });
        }
        self.reading(load)
    }

    /// Reads from what was kept. What is damaged is read from git again.
    fn reading<T>(&self, read: impl Fn(&Connection) -> rusqlite::Result<T>) -> CodebaseResult<T> {
        let path = self.history_path();
        let from_rows =
            || derived::open_read_only(&path).and_then(|rows| read(&rows).map_err(database(&path)));
        match from_rows() {
            Err(error) if error.damaged().is_some() => {
                self.with_lock("history-lock", |_| {
                    derived::remove_database(&path).map_err(io(&path))?;
                    self.read_locked(&path)
                })?;
                from_rows()
            }
            read => read,
        }
    }

    /// Returns the messages of the newest commits, newest first, without those of commits that
    /// touched very many files.
    pub fn messages(&self, most: usize) -> CodebaseResult<Vec<CommitMessage>> {
        self.reading(|rows| newest(rows, most))
    }

    /// Returns true if a derived value is up to date with the history.
    pub fn is_up_to_date(&self, what: HistoryConsumer) -> CodebaseResult<bool> {
        self.reading(|rows| Ok(meta(rows, what.name())? == meta(rows, "head")?))
    }

    /// Notes that something that follows from the history was taken from it as it is.
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
}

impl HistoryConsumer {
    fn name(self) -> &'static str {
        match self {
            HistoryConsumer::CoChanges => "learnt",
            HistoryConsumer::Renames => "followed",
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

/// Takes out a commit and all that were read after it.
fn drop_commits_from(rows: &Connection, seq: i64) -> rusqlite::Result<usize> {
    rows.execute("DELETE FROM names WHERE seq >= ?1", [seq])?;
    rows.execute("DELETE FROM messages WHERE seq >= ?1", [seq])?;
    rows.execute("DELETE FROM swept WHERE seq >= ?1", [seq])?;
    rows.execute("DELETE FROM meta WHERE name = 'head'", [])?;
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
    // A row that does not fit names nobody.
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

fn pack(files: &[TrackedFileId]) -> Vec<u8> {
    files.iter().flat_map(|file| file.to_le_bytes()).collect()
}

fn unpack(bytes: &[u8]) -> Vec<TrackedFileId> {
    let chunks = bytes.chunks_exact(size_of::<TrackedFileId>());
    chunks.map(|chunk| TrackedFileId::from_le_bytes(std::array::from_fn(|at| chunk[at]))).collect()
}
