//! `index.scip` at the root of a worktree: an input of the graph like a manifest, known by its hash
//! and by which files were written after it.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use tacit_graph::{CompilerIndex, Language, read_scip};

use crate::facts::content_hash;
use crate::mtime::FileTime;
use crate::refresh::FileState;
use crate::tables::RecordedFile;
use crate::walk::{FileStat, WalkedFile};

/// What indexers call their file.
pub(crate) const NAME: &str = "index.scip";
/// The row that stands for the files that are newer. No file has such a path: it is no source.
const NEWER_ROW: &str = "index.scip: newer";
/// One that is larger is not read.
const MAX_INDEX_BYTES: u64 = 512 << 20;

/// Whether a row of the files stands for the index and not for a file to be linked.
pub(crate) fn is_row(path: &str) -> bool {
    path == NAME || path == NEWER_ROW
}

/// An index that is there.
pub(crate) struct CompilerIndexFile {
    path: PathBuf,
    stat: FileStat,
    newer: BTreeSet<String>,
    /// Its bytes, if they had to be read already.
    bytes: Option<Vec<u8>>,
}

/// Looks for an index. Ignore rules do not matter, since nobody commits one.
pub(crate) fn find(root: &Path, files: &[WalkedFile]) -> Option<CompilerIndexFile> {
    let path = root.join(NAME);
    let metadata = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    let stat = FileStat::of(&metadata);
    let newer = files.iter().filter(|file| file.stat.modified > stat.modified);
    let sources = newer.filter(|file| Language::of_path(&file.path).is_some());
    let newer = sources.map(|file| file.path.clone()).collect();
    Some(CompilerIndexFile { path, stat, newer, bytes: None })
}

impl CompilerIndexFile {
    /// The rows that say which index the graph is built with.
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

    /// What it says; none if it is no index.
    pub(crate) fn read(mut self) -> Option<CompilerIndex> {
        let bytes = self.bytes.take().unwrap_or_else(|| read(&self.path));
        Some(CompilerIndex { scip: read_scip(&bytes)?, newer_files: self.newer })
    }
}

/// The bytes of an index; a single one, which is none, where it cannot be read.
fn read(path: &Path) -> Vec<u8> {
    tacit_fs::read_following(path, MAX_INDEX_BYTES).unwrap_or_else(|_| vec![0])
}
