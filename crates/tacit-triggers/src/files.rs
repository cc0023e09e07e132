//! Reads the indexes and decision files of a project, and its text files.

pub mod plain;

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;

use crate::corpus::{Corpus, Document, IndexFile};

/// The maximum number of directory levels searched.
const MAX_DEPTH: usize = 16;
/// Larger files are not searched for references.
const MAX_REFERENCE_BYTES: u64 = 4 * 1024 * 1024;
/// Larger indexes and decision files are refused.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Directories without files that people wrote.
const SKIPPED: &[&str] =
    &[".git", ".hg", ".jj", ".svn", ".tacit", ".venv", "node_modules", "target", "vendor"];

/// The locations of a project's trigger files.
#[derive(Debug, Clone)]
pub struct TriggerLayout {
    /// The root of the project.
    pub root: PathBuf,
    /// The decisions directories, relative to the root.
    pub decisions: Vec<String>,
    /// The index files, relative to the root.
    pub indexes: Vec<String>,
}

/// An error when reading or writing trigger files.
#[derive(Debug, Error)]
pub enum FilesError {
    /// A file cannot be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// A file has changed since the work began.
    #[error("`{path}` has changed in the meantime")]
    Changed {
        /// The file.
        path: String,
    },
    /// Another process is writing.
    #[error("another process is changing the triggers of `{path}`")]
    Busy {
        /// The project.
        path: String,
    },
}

/// Reads the indexes and decision files. Missing files are skipped, and so are files outside the
/// project, because a repository can configure the paths.
pub fn load(layout: &TriggerLayout) -> Result<Corpus, FilesError> {
    let mut corpus = Corpus { decisions: layout.decisions.clone(), ..Corpus::default() };
    let project = ResolvedDirectory::of(&layout.root);
    for path in &layout.indexes {
        if project.contains(&layout.root.join(path))
            && let Some(bytes) = read(&layout.root, path)?
        {
            corpus.indexes.push(IndexFile::new(path, bytes));
        }
    }
    for directory in &layout.decisions {
        let inside = layout.root.join(directory);
        if !project.contains(&inside) {
            continue;
        }
        let mut names = Vec::new();
        let real = ResolvedDirectory::of(&inside);
        walk(&inside, "", MAX_DEPTH, &mut |name, path, is_link| {
            let hidden = name.split('/').any(|part| part.starts_with('.'));
            if !hidden && is_markdown(name) && (!is_link || real.contains(path)) {
                names.push(name.to_owned());
            }
        });
        names.sort();
        for name in names {
            let path = format!("{}/{name}", directory.trim_end_matches('/'));
            if let Some(bytes) = read(&layout.root, &path)? {
                corpus.documents.push(Document::new(path, Some(name), bytes));
            }
        }
    }
    load_named_files(layout, &mut corpus)?;
    Ok(corpus)
}

/// Reads files that sections name but that are in no decisions directory. Files outside the project
/// are skipped.
fn load_named_files(layout: &TriggerLayout, corpus: &mut Corpus) -> Result<(), FilesError> {
    let mut wanted: Vec<(usize, String)> = Vec::new();
    for (at, file) in corpus.indexes.iter().enumerate() {
        for section in &file.index.sections {
            if corpus.document_of(at, &section.path).is_none() && is_markdown(&section.path) {
                wanted.push((at, section.path.clone()));
            }
        }
    }
    let real = ResolvedDirectory::of(&layout.root);
    for (at, section) in wanted {
        if corpus.document_of(at, &section).is_some() {
            continue;
        }
        let index = &corpus.indexes[at].path;
        let beside = index.rsplit_once('/').map(|(parent, _)| format!("{parent}/{section}"));
        for path in std::iter::once(section).chain(beside) {
            let plain =
                Path::new(&path).components().all(|part| matches!(part, Component::Normal(_)));
            if plain
                && real.contains(&layout.root.join(&path))
                && let Some(bytes) = read(&layout.root, &path)?
            {
                corpus.documents.push(Document::new(path, None, bytes));
                break;
            }
        }
    }
    Ok(())
}

/// Returns true if a file exists and, after resolving links, is inside a project.
pub fn is_inside(root: &Path, path: &Path) -> bool {
    ResolvedDirectory::of(root).contains(path)
}

/// A directory whose links are resolved on first use.
struct ResolvedDirectory<'a> {
    directory: &'a Path,
    real: std::cell::OnceCell<Option<PathBuf>>,
}

impl<'a> ResolvedDirectory<'a> {
    fn of(directory: &'a Path) -> ResolvedDirectory<'a> {
        ResolvedDirectory { directory, real: std::cell::OnceCell::new() }
    }

    /// Returns true if a path is inside, after resolving links.
    fn contains(&self, path: &Path) -> bool {
        let real = self.real.get_or_init(|| self.directory.canonicalize().ok());
        match (real, path.canonicalize()) {
            (Some(real), Ok(path)) => path.starts_with(real),
            _ => false,
        }
    }
}

fn is_markdown(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|e| e.eq_ignore_ascii_case("md") || e.eq_ignore_ascii_case("markdown"))
}

/// Reads a file; `None` if it does not exist.
pub(crate) fn read(root: &Path, path: &str) -> Result<Option<Vec<u8>>, FilesError> {
    match tacit_fs::read_following(&root.join(path), MAX_BYTES) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => Ok(None),
        Err(source) => Err(FilesError::Read { path: path.to_owned(), source }),
    }
}

/// Calls `found` for every file below a directory, with its relative path and whether it is a link.
/// Linked directories are not entered. Unreadable ones are skipped.
fn walk(directory: &Path, prefix: &str, depth: usize, found: &mut dyn FnMut(&str, &Path, bool)) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else { continue };
        if SKIPPED.contains(&name) {
            continue;
        }
        let path = entry.path();
        let inside = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}/{name}") };
        if kind.is_dir() && depth > 0 {
            walk(&path, &inside, depth - 1, found);
        } else if kind.is_file() || (kind.is_symlink() && path.is_file()) {
            found(&inside, &path, kind.is_symlink());
        }
    }
}

/// Returns every text file of a project with its path, without following links.
pub fn text_files(root: &Path) -> impl Iterator<Item = (String, Vec<u8>)> {
    let mut files = Vec::new();
    walk(root, "", MAX_DEPTH, &mut |name, path, is_link| {
        if !is_link {
            files.push((name.to_owned(), path.to_owned()));
        }
    });
    files.sort();
    files.into_iter().filter_map(|(name, path)| {
        let bytes = tacit_fs::read_nofollow(&path, MAX_REFERENCE_BYTES).ok()?;
        let is_text = !bytes.contains(&0) && std::str::from_utf8(&bytes).is_ok();
        is_text.then_some((name, bytes))
    })
}
