//! Facts by content hash, for all worktrees of a repository: what was parsed once, on any branch,
//! is not parsed again.

use std::borrow::Cow;
use std::path::Path;

use sha2::{Digest, Sha256};
use tacit_graph::{FACTS_VERSION, FileFacts, Language, SkipReason, skip_by_path};

use crate::content_cache::{CacheKind, ContentCache};
use crate::error::CodebaseResult;

/// The hash of a file's bytes, with the language they are read as.
pub(crate) type Hash = [u8; 16];

/// The hash of a file.
pub(crate) fn content_hash(language: Option<Language>, bytes: &[u8]) -> Hash {
    let mut sha = Sha256::new();
    sha.update(language.map_or("", Language::name));
    sha.update([0]);
    sha.update(bytes);
    let whole = sha.finalize();
    std::array::from_fn(|at| whole[at])
}

/// Facts, as they are kept.
pub(crate) const FACTS: CacheKind = CacheKind { name: "facts", version: FACTS_VERSION };

/// The store of facts.
pub(crate) struct FactStore(ContentCache);

/// Why a file was skipped, as facts: a single byte, which no facts are.
const SKIPPED: [SkipReason; 4] =
    [SkipReason::Generated, SkipReason::Minified, SkipReason::Huge, SkipReason::Binary];

impl FactStore {
    pub(crate) fn open(directory: &Path) -> CodebaseResult<FactStore> {
        ContentCache::open(directory, FACTS).map(FactStore)
    }

    /// What is known of a file; none if it has to be parsed.
    pub(crate) fn get(&self, hash: &Hash) -> CodebaseResult<Option<StoredFacts>> {
        Ok(self.0.get(hash, StoredFacts::of)?.flatten())
    }

    /// Returns the facts of a file that looks unchanged, or `None` if they were lost.
    pub(crate) fn of_file(&self, path: &str, hash: &Hash) -> CodebaseResult<Option<StoredFacts>> {
        if let Some(why) = skip_by_path(path) {
            return Ok(Some(StoredFacts::Skipped(why)));
        }
        let language = Language::of_path(path);
        for (why, stat) in [(SkipReason::Huge, "huge"), (SkipReason::Unreadable, "unreadable")] {
            if *hash == content_hash(language, stat.as_bytes()) {
                return Ok(Some(StoredFacts::Skipped(why)));
            }
        }
        self.get(hash)
    }

    /// Keeps what was parsed.
    pub(crate) fn put(&mut self, parsed: &[(Hash, StoredFacts)]) -> CodebaseResult<()> {
        self.0.put(parsed.iter().map(|(hash, facts)| (hash, facts.bytes())))
    }
}

/// What is known of a file, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoredFacts {
    /// Facts, as bytes.
    Facts(Vec<u8>),
    /// Why there are none.
    Skipped(SkipReason),
}

impl StoredFacts {
    fn bytes(&self) -> Cow<'_, [u8]> {
        match self {
            StoredFacts::Facts(bytes) => Cow::Borrowed(bytes),
            StoredFacts::Skipped(why) => {
                let number = SKIPPED.iter().position(|known| known == why).unwrap_or(0);
                Cow::Owned(vec![number as u8])
            }
        }
    }

    fn of(bytes: &[u8]) -> Option<StoredFacts> {
        match bytes {
            [why] => SKIPPED.get(*why as usize).map(|why| StoredFacts::Skipped(*why)),
            bytes => Some(StoredFacts::Facts(bytes.to_vec())),
        }
    }

    /// What is known; none if it is not whole.
    pub(crate) fn read(&self) -> Option<Result<FileFacts, SkipReason>> {
        match self {
            StoredFacts::Facts(bytes) => FileFacts::from_bytes(bytes).map(Ok),
            StoredFacts::Skipped(why) => Some(Err(*why)),
        }
    }
}
