//! The proof of a purge: a search of every file of the stores, byte by byte.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use tacit_core::Quotations;

use crate::engine::StorePaths;
use crate::inbox::real_inbox;

/// The bytes searched at a time, and those searched again with the next, so that nothing is missed
/// between two.
const CHUNK: usize = 1024 * 1024;
const OVERLAP: usize = 4 * 1024;
/// The deepest folder that is searched.
const DEPTH: usize = 8;

/// The result of searching every file of the stores for a purged memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TraceScan {
    /// The number of files read.
    pub files: usize,
    /// The number of bytes read.
    pub bytes: u64,
    /// Files that still contain words of it.
    pub left: Vec<PathBuf>,
    /// Files that could not be read.
    pub unread: Vec<PathBuf>,
}

impl TraceScan {
    /// Reads every file of both stores and of the inbox. No engine of this process may be open:
    /// closing a database file releases the locks of its connections.
    pub fn of(paths: &StorePaths, quotations: &Quotations) -> TraceScan {
        let mut scan = TraceScan::default();
        let own = [paths.project.clone(), paths.global.clone()];
        for folder in own.into_iter().chain(real_inbox(paths)) {
            scan.folder(&folder, DEPTH, quotations);
        }
        scan.left.sort();
        scan.left.dedup();
        scan
    }

    fn folder(&mut self, folder: &Path, depth: usize, quotations: &Quotations) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth > 0 => {
                    self.folder(&path, depth - 1, quotations);
                }
                Ok(kind) if kind.is_file() => self.file(path, quotations),
                _ => {}
            }
        }
    }

    fn file(&mut self, path: PathBuf, quotations: &Quotations) {
        match quotes_in_file(&path, quotations) {
            Ok((bytes, found)) => {
                self.files += 1;
                self.bytes += bytes;
                if found {
                    self.left.push(path);
                }
            }
            // A temporary file of a process that has ended since.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(_) => self.unread.push(path),
        }
    }
}

/// Returns the length of a file and whether it quotes a memory.
pub fn quotes_in_file(path: &Path, quotations: &Quotations) -> std::io::Result<(u64, bool)> {
    let mut file = tacit_fs::open(path)?;
    let mut chunk = Vec::with_capacity(CHUNK);
    let (mut bytes, mut found) = (0, false);
    loop {
        let read = (&mut file).take(CHUNK as u64).read_to_end(&mut chunk)? as u64;
        if read == 0 {
            return Ok((bytes, found));
        }
        bytes += read;
        found = found || quotations.are_in_bytes(&chunk);
        chunk.drain(..chunk.len().saturating_sub(OVERLAP));
    }
}
