//! Graphs of worktrees on disk.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

mod cleanup;
mod compiler_index;
mod damage;
mod estimates;
mod freshness;
mod git_log;
mod history;
mod incremental;
mod locate;
mod publishing;
mod unusual_files;
mod walk_oracle;
mod words;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use tacit_codebase::{Codebase, RefreshOptions, RefreshReport};

/// A worktree, with a clock of its own for its files.
struct Worktree {
    folder: tempfile::TempDir,
    ticks: u64,
}

impl Worktree {
    fn new() -> Worktree {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("code")).unwrap();
        Worktree { folder, ticks: 0 }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("code")
    }

    /// Writes a file, later than all before it.
    fn write(&mut self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        self.ticks += 1;
        let at = UNIX_EPOCH + Duration::from_secs(1_000_000_000 + self.ticks);
        File::options().write(true).open(&path).unwrap().set_modified(at).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.root().join(path)).unwrap();
    }

    fn codebase(&self, graphs: &str) -> Codebase {
        Codebase::new(&self.root(), &self.folder.path().join(graphs))
    }

    /// The bytes of the graph, without the number of its generation.
    fn packed(&self, graphs: &str) -> Vec<u8> {
        let mut bytes = fs::read(find(&self.folder.path().join(graphs), "graph")).unwrap();
        bytes[8..16].fill(0);
        // Nor the sum of the header, which has it.
        bytes[64..72].fill(0);
        bytes
    }
}

fn find(folder: &Path, ending: &str) -> PathBuf {
    let mut files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|found| found == ending)).unwrap()
}

fn refresh(codebase: &Codebase) -> RefreshReport {
    let options = RefreshOptions { threads: 2, reread_all: false, progress: &|_, _| {} };
    codebase.refresh(&options).unwrap()
}
