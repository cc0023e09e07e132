//! Where the files of a worktree's graph are, and the packed graph as it is mapped.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tacit_graph::{PackedGraph, is_manifest};
use tacit_simd::map::MappedFile;

use crate::error::{CodebaseError, CodebaseResult, io};
use crate::locate::search::SearchDepth;
use crate::mtime::FileTime;

/// The code of a worktree, and where its graph is kept.
#[derive(Debug, Clone)]
pub struct Codebase {
    pub(crate) root: PathBuf,
    pub(crate) directory: PathBuf,
    name: String,
}

impl Codebase {
    /// The code at `root`, with a graph that is kept in `directory` beside those of others.
    #[must_use]
    pub fn new(root: &Path, directory: &Path) -> Codebase {
        let sum = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let name = sum[..6].iter().map(|byte| format!("{byte:02x}")).collect();
        Codebase { root: root.to_path_buf(), directory: directory.to_path_buf(), name }
    }

    /// The root of the worktree.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file of the graph.
    pub(crate) fn file(&self, ending: &str) -> PathBuf {
        self.directory.join(format!("{}.{ending}", self.name))
    }

    /// The database of the graph.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.file("db")
    }

    /// The manifests that a graph was built with.
    #[must_use]
    pub fn manifests(&self, graph: &OpenGraph) -> Vec<String> {
        let (packed, scan_inputs) = (graph.packed(), self.scan_state().unwrap_or_default());
        // Some are programs, and sources as well.
        let sources = (0..packed.files()).map(|file| packed.path(file));
        let all = sources.chain(scan_inputs.split('\0'));
        let mut paths: Vec<String> =
            all.filter(|path| is_manifest(path)).map(str::to_owned).collect();
        paths.sort();
        paths
    }

    /// Whether there is a graph.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.file("graph").exists()
    }

    /// Opens the graph as it was last built.
    pub fn open(&self) -> CodebaseResult<OpenGraph> {
        self.open_for(SearchDepth::Thorough)
    }

    /// The same, as closely looked at as the question is worth.
    pub(crate) fn open_for(&self, depth: SearchDepth) -> CodebaseResult<OpenGraph> {
        let path = self.file("graph");
        let file = tacit_fs::open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => CodebaseError::Missing { root: self.root.clone() },
            std::io::ErrorKind::IsADirectory => CodebaseError::PathBlocked { path: path.clone() },
            std::io::ErrorKind::NotADirectory => {
                CodebaseError::PathBlocked { path: self.directory.clone() }
            }
            _ => io(&path)(error),
        })?;
        let metadata = file.metadata().map_err(io(&path))?;
        let built = FileTime::built_at(&metadata);
        let damaged = || CodebaseError::Damaged { path: path.clone() };
        let map = MappedFile::new(file, metadata.len()).map_err(|_| damaged())?;
        let graph = OpenGraph { map, built, stale_reason: None };
        let packed = PackedGraph::new(graph.bytes()).ok_or_else(damaged)?;
        if depth.verifies_checksum(graph.bytes()) && !packed.has_valid_checksum() {
            return Err(damaged());
        }
        Ok(graph)
    }
}

/// A graph that is open.
pub struct OpenGraph {
    map: MappedFile,
    built: FileTime,
    stale_reason: Option<String>,
}

impl OpenGraph {
    fn bytes(&self) -> &[u8] {
        self.map.get(0..self.map.len()).unwrap_or_default()
    }

    /// The graph.
    #[must_use]
    pub fn packed(&self) -> PackedGraph<'_> {
        PackedGraph::new(self.bytes())
            .unwrap_or_else(|| unreachable!("it was looked at when it was opened"))
    }

    /// Whether it is as it was written.
    pub(crate) fn is_sound(&self) -> bool {
        self.packed().has_valid_checksum()
    }

    /// When it was made, or last found to be current.
    pub(crate) fn built(&self) -> FileTime {
        self.built
    }

    /// Why it may be behind the files; none if it was found to be current.
    #[must_use]
    pub fn stale_reason(&self) -> Option<&str> {
        self.stale_reason.as_deref()
    }

    /// The graph, of which it is known why it may be behind the files.
    pub(crate) fn with_stale_reason(self, why: &CodebaseError) -> OpenGraph {
        OpenGraph { stale_reason: Some(why.to_string()), ..self }
    }
}
