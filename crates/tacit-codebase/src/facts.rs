//! The store of facts by content hash, shared by all worktrees of a repository: content is parsed
//! once, on whatever branch it occurs.

use std::borrow::Cow;
use std::path::Path;

use sha2::{Digest, Sha256};
use tacit_graph::{FACTS_VERSION, FileFacts, Language, SkipReason, skip_by_path};

use crate::content_cache::{CacheKind, ContentCache};
use crate::error::CodebaseResult;

/// The hash of a file's content and language.
pub(crate) type Hash = [u8; 16];

/// Hashes the content of a file together with its language.
pub(crate) fn content_hash(language: Option<Language>, bytes: &[u8]) -> Hash {
    let mut sha = Sha256::new();
    sha.update(language.map_or("", Language::name));
    sha.update([0]);
    sha.update(bytes);
    let whole = sha.finalize();
    std::array::from_fn(|at| whole[at])
}

/// The cache of facts.
pub(crate) const FACTS: CacheKind = CacheKind { name: "facts", version: FACTS_VERSION };

/// The store of facts.
pub(crate) struct FactStore(ContentCache);

/// Reasons for skipping a file, stored as a single byte, which no facts are.
const SKIPPED: [SkipReason; 4] =
    [SkipReason::Generated, SkipReason::Minified, SkipReason::Huge, SkipReason::Binary];

impl FactStore {
    pub(crate) fn open(directory: &Path) -> CodebaseResult<FactStore> {
        ContentCache::open(directory, FACTS).map(FactStore)
    }

    /// Returns the stored facts of a file, or `None` if it must be parsed.
    pub(crate) fn get(&self, hash: &Hash) -> CodebaseResult<Option<StoredFacts>> {
        Ok(self.0.get(hash, StoredFacts::decode)?.flatten())
    }

    /// Returns the facts of a file that looks unchanged, or `None` if they were lost.
    pub(crate) fn get_for_file(
        &self,
        path: &str,
        hash: &Hash,
    ) -> CodebaseResult<Option<StoredFacts>> {
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

    /// Stores newly parsed facts.
    pub(crate) fn put(&mut self, parsed: &[(Hash, StoredFacts)]) -> CodebaseResult<()> {
        self.0.put(parsed.iter().map(|(hash, facts)| (hash, facts.bytes())))
    }
}

/// The stored facts of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StoredFacts {
    /// Encoded facts.
    Facts(Vec<u8>),
    /// The reason why the file was skipped.
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

    fn decode(bytes: &[u8]) -> Option<StoredFacts> {
        match bytes {
            [why] => SKIPPED.get(*why as usize).map(|why| StoredFacts::Skipped(*why)),
            bytes => Some(StoredFacts::Facts(bytes.to_vec())),
        }
    }

    /// Decodes the facts, or returns `None` if they are damaged.
    pub(crate) fn read(&self) -> Option<Result<FileFacts, SkipReason>> {
        match self {
            StoredFacts::Facts(bytes) => FileFacts::from_bytes(bytes).map(Ok),
            StoredFacts::Skipped(why) => Some(Err(*why)),
        }
    }
}
