//! `index.scip` at the root of a worktree: an input of the graph like a manifest, identified by its
//! hash and by the set of files that are newer.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use tacit_graph::{CompilerIndex, Language, read_scip};

use crate::facts::content_hash;
use crate::mtime::FileTime;
use crate::refresh::FileState;
use crate::tables::RecordedFile;
use crate::walk::{FileStat, WalkedFile};

/// The file name that indexers use.
pub(crate) const NAME: &str = "index.scip";
/// The row that stands for the set of newer files. No source has such a path.
const NEWER_ROW: &str = "index.scip: newer";
/// Larger files are not read.
const MAX_INDEX_BYTES: u64 = 512 << 20;

/// Returns true if a row of the files table stands for the index and not for a source.
pub(crate) fn is_row(path: &str) -> bool {
    path == NAME || path == NEWER_ROW
}

/// An index that was found.
pub(crate) struct CompilerIndexFile {
    path: PathBuf,
    stat: FileStat,
    newer: BTreeSet<String>,
    /// The content, if it had to be read already.
    bytes: Option<Vec<u8>>,
}

/// Finds the index. Ignore rules do not apply, because such files are never committed.
pub(crate) fn find(root: &Path, files: &[WalkedFile]) -> Option<CompilerIndexFile> {
    let path = root.join(NAME);
    let metadata = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    let stat = FileStat::from_metadata(&metadata);
    let newer = files.iter().filter(|file| file.stat.modified > stat.modified);
    let sources = newer.filter(|file| Language::of_path(&file.path).is_some());
    let newer = sources.map(|file| file.path.clone()).collect();
    Some(CompilerIndexFile { path, stat, newer, bytes: None })
}

impl CompilerIndexFile {
    /// Returns the rows that identify the index that the graph is built with.
    pub(crate) fn rows(
        &mut self,
        known: &HashMap<String, RecordedFile>,
        reread_all: bool,
        started: FileTime,
    ) -> [FileState; 2] {
        let before = known.get(NAME).filter(|known| !reread_all && known.stat == self.stat);
        let hash = match before {
            Some(known) => known.hash,
            None => content_hash(None, self.bytes.insert(read(&self.path))),
        };
        let newer: Vec<&str> = self.newer.iter().map(String::as_str).collect();
        let newer = content_hash(None, newer.join("\n").as_bytes());
        [
            (NAME.to_owned(), started.trusted(self.stat), hash),
            (NEWER_ROW.to_owned(), FileStat::default(), newer),
        ]
    }

    /// Parses the index, or returns `None` if it is invalid.
    pub(crate) fn read(mut self) -> Option<CompilerIndex> {
        let bytes = self.bytes.take().unwrap_or_else(|| read(&self.path));
        Some(CompilerIndex { scip: read_scip(&bytes)?, newer_files: self.newer })
    }
}

/// Reads the index. An unreadable file yields a single byte, which is not a valid index.
fn read(path: &Path) -> Vec<u8> {
    tacit_fs::read_following(path, MAX_INDEX_BYTES).unwrap_or_else(|_| vec![0])
}
