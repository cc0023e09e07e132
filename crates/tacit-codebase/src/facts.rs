//! Facts by content hash, for all worktrees of a repository: what was parsed once, on any branch,
//! is not parsed again.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};
use sha2::{Digest, Sha256};
use tacit_graph::{FACTS_VERSION, FileFacts, Language, Skipped};

use crate::derived;
use crate::error::{CodebaseResult, database};

/// The hash of a file's bytes, with the language they are read as.
pub(crate) type Hash = [u8; 16];

/// The hash of a file.
pub(crate) fn hash_of(language: Option<Language>, bytes: &[u8]) -> Hash {
    let mut sha = Sha256::new();
    sha.update(language.map_or("", Language::name));
    sha.update([0]);
    sha.update(bytes);
    let whole = sha.finalize();
    std::array::from_fn(|at| whole[at])
}

/// The store of facts.
pub(crate) struct FactStore {
    connection: Connection,
    path: PathBuf,
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS facts (
        hash BLOB PRIMARY KEY,
        facts BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
";

/// Why a file was skipped, as facts: a single byte, which no facts are.
const SKIPPED: [Skipped; 4] =
    [Skipped::Generated, Skipped::Minified, Skipped::Huge, Skipped::Binary];

impl FactStore {
    pub(crate) fn open(directory: &Path) -> CodebaseResult<FactStore> {
        let path = directory.join("facts.db");
        let fail = database(&path);
        let connection = derived::open(&path, SCHEMA)?;
        let version: Option<u32> = connection
            .query_row("SELECT value FROM meta WHERE name = 'version'", [], |row| row.get(0))
            .optional()
            .map_err(&fail)?;
        if version != Some(FACTS_VERSION) {
            connection.execute("DELETE FROM facts", []).map_err(&fail)?;
            connection
                .execute("INSERT OR REPLACE INTO meta VALUES ('version', ?1)", [FACTS_VERSION])
                .map_err(&fail)?;
        }
        drop(fail);
        Ok(FactStore { connection, path })
    }

    /// What is known of a file; none if it has to be parsed.
    pub(crate) fn get(&self, hash: &Hash) -> CodebaseResult<Option<Kept>> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT facts FROM facts WHERE hash = ?1")
            .map_err(database(&self.path))?;
        let kept = statement
            .query_row([hash.as_slice()], |row| Ok(Kept::of(row.get_ref(0)?.as_blob()?)))
            .optional()
            .map_err(database(&self.path))?;
        Ok(kept.flatten())
    }

    /// Keeps what was parsed.
    pub(crate) fn put(&mut self, parsed: &[(Hash, Kept)]) -> CodebaseResult<()> {
        let fail = database(&self.path);
        let transaction = self.connection.transaction().map_err(&fail)?;
        {
            let mut insert = transaction
                .prepare_cached("INSERT OR REPLACE INTO facts VALUES (?1, ?2)")
                .map_err(&fail)?;
            for (hash, facts) in parsed {
                insert.execute(params![hash.as_slice(), facts.bytes()]).map_err(&fail)?;
            }
        }
        transaction.commit().map_err(&fail)
    }
}

/// What is known of a file, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kept {
    /// Facts, as bytes.
    Facts(Vec<u8>),
    /// Why there are none.
    Skipped(Skipped),
}

impl Kept {
    fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Kept::Facts(bytes) => Cow::Borrowed(bytes),
            Kept::Skipped(why) => {
                let number = SKIPPED.iter().position(|known| known == why).unwrap_or(0);
                Cow::Owned(vec![number as u8])
            }
        }
    }

    fn of(bytes: &[u8]) -> Option<Kept> {
        match bytes {
            [why] => SKIPPED.get(*why as usize).map(|why| Kept::Skipped(*why)),
            bytes => Some(Kept::Facts(bytes.to_vec())),
        }
    }

    /// What is known; none if it is not whole.
    pub(crate) fn read(&self) -> Option<Result<FileFacts, Skipped>> {
        match self {
            Kept::Facts(bytes) => FileFacts::from_bytes(bytes).map(Ok),
            Kept::Skipped(why) => Some(Err(*why)),
        }
    }
}
