//! Lists and reads the files that are indexed into a store. A repository chooses their paths, so no
//! link is followed here, not even inside the project, and what exceeds a limit is left out.

use std::fs::{self, Metadata};
use std::path::{Component, Path};
use std::time::UNIX_EPOCH;

use super::{MAX_DEPTH, TriggerLayout, is_markdown, walk};
use crate::corpus::{Corpus, Document, IndexFile};

/// The most files that are listed.
const MAX_FILES: usize = 1_000;
/// The most bytes of a file that is read.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// A file's modification time in nanoseconds since 1970, and its size. While both stay the same, the
/// file need not be read again.
pub type FileStamp = (u128, u64);

/// Returns the stamp of a regular file; `None` for a missing file, a link, or a path through a link.
pub fn stamp(root: &Path, path: &str) -> Option<FileStamp> {
    let mut at = root.to_path_buf();
    let mut there: Option<Metadata> = None;
    for part in Path::new(path).components() {
        let Component::Normal(name) = part else { return None };
        at.push(name);
        there = Some(fs::symlink_metadata(&at).ok().filter(|there| !there.is_symlink())?);
    }
    let there = there.filter(Metadata::is_file)?;
    let written = there.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((written.as_nanos(), there.len()))
}

/// Lists the indexes and the files of the decisions directories with their stamps, sorted. Reads
/// none of them.
pub fn list(layout: &TriggerLayout) -> Vec<(String, FileStamp)> {
    let mut paths: Vec<String> = layout.indexes.clone();
    for directory in &layout.decisions {
        let prefix = directory.trim_end_matches('/');
        if paths.len() >= MAX_FILES || !is_directory(&layout.root, prefix) {
            continue;
        }
        walk(&layout.root.join(prefix), "", MAX_DEPTH, &mut |name, _, is_link| {
            let hidden = name.split('/').any(|part| part.starts_with('.'));
            if !is_link && !hidden && is_markdown(name) && paths.len() < MAX_FILES {
                paths.push(format!("{prefix}/{name}"));
            }
        });
    }
    paths.sort();
    paths.dedup();
    let stamped = paths.into_iter().map(|path| (stamp(&layout.root, &path), path));
    stamped.filter_map(|(stamp, path)| Some((path, stamp?))).collect()
}

/// Reads the listed files, and files that sections of an index name. Unreadable and large ones are
/// left out.
pub fn load(layout: &TriggerLayout) -> Corpus {
    let mut corpus = Corpus { decisions: layout.decisions.clone(), ..Corpus::default() };
    for (path, _) in list(layout) {
        let Some(bytes) = read(&layout.root, &path) else { continue };
        if layout.indexes.contains(&path) {
            corpus.indexes.push(IndexFile::new(path, bytes));
        } else {
            let name = corpus.name_in_decisions(&path);
            corpus.documents.push(Document::new(path, name, bytes));
        }
    }
    let named: Vec<(usize, String)> = corpus
        .indexes
        .iter()
        .enumerate()
        .flat_map(|(at, file)| file.index.sections.iter().map(move |s| (at, s.path.clone())))
        .filter(|(_, path)| is_markdown(path))
        .collect();
    for (at, section) in named {
        if corpus.documents.len() >= MAX_FILES || corpus.document_of(at, &section).is_some() {
            continue;
        }
        let directory = corpus.indexes[at].path.rsplit_once('/').map(|(directory, _)| directory);
        let beside = directory.map(|directory| format!("{directory}/{section}"));
        let found = std::iter::once(section).chain(beside).find_map(|path| {
            let bytes = read(&layout.root, &path)?;
            Some(Document::new(path, None, bytes))
        });
        corpus.documents.extend(found);
    }
    corpus
}

fn read(root: &Path, path: &str) -> Option<Vec<u8>> {
    stamp(root, path)?;
    tacit_fs::read_nofollow(&root.join(path), MAX_FILE_BYTES).ok()
}

/// Returns true for a directory below the root that is reached without a link.
fn is_directory(root: &Path, path: &str) -> bool {
    let mut at = root.to_path_buf();
    Path::new(path).components().all(|part| {
        at.push(part);
        matches!(part, Component::Normal(_))
            && fs::symlink_metadata(&at).is_ok_and(|there| there.is_dir())
    })
}
