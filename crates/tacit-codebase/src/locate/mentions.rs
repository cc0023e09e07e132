//! Files that a description names: by path, by module.

use tacit_core::tokenize;

use super::description::{CodeName, Description, PathMention};
use super::index::{FileNumber, WordIndex};
use super::words::is_word;

/// A name that more files than this define tells nothing.
pub(crate) const COMMON: usize = 24;

/// That a description names a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FileMention {
    pub(crate) file: FileNumber,
    /// How surely; what is named alone counts one.
    pub(crate) strength: f32,
    /// What is named.
    pub(crate) what: String,
    /// The piece that defines it, if it is a definition.
    pub(crate) piece: Option<u32>,
    /// Whether the first line names this file and no other by that path.
    pub(crate) in_title: bool,
}

/// Files by the words of their paths.
impl WordIndex<'_> {
    /// The files that may have a name as a part of their path: those that have its word, or all if
    /// it has none.
    fn files_with_path_word(&self, name: &str) -> Vec<FileNumber> {
        let tokens = tokenize(name);
        let Some(word) = tokens.iter().find(|token| is_word(token)) else {
            return (0..self.files()).collect();
        };
        let mut files: Vec<FileNumber> =
            self.word(word).map(|row| row.paths().collect()).unwrap_or_default();
        files.dedup();
        files
    }

    /// The files that a path as it is written may mean: the one that has it, or those that share
    /// most of its end.
    pub(crate) fn files_for_path(&self, mention: &PathMention) -> Vec<FileNumber> {
        if let Some(file) = self.find(&mention.path) {
            return vec![file];
        }
        let (stem, ending) = split_file_name(&mention.path);
        let written: Vec<&str> = mention.path.rsplit('/').collect();
        let mut best: (usize, Vec<FileNumber>) = (0, Vec::new());
        for file in self.files_with_path_word(stem) {
            let path = self.path(file);
            if split_file_name(path) != (stem, ending) {
                continue;
            }
            let parts = path.rsplit('/');
            let shared = parts.clone().zip(&written).take_while(|(a, b)| a == *b).count();
            let whole = shared == path.split('/').count() || shared == written.len();
            if shared == 0 || (shared < 2 && !whole) {
                continue;
            }
            match shared.cmp(&best.0) {
                std::cmp::Ordering::Greater => best = (shared, vec![file]),
                std::cmp::Ordering::Equal => best.1.push(file),
                std::cmp::Ordering::Less => {}
            }
        }
        best.1
    }

    /// Whether a name may be one of these files': what is imported from a module of another project
    /// is not.
    pub(crate) fn may_have(&self, name: &CodeName) -> bool {
        let Some(root) = name.parts.first().filter(|_| name.imported) else { return true };
        self.files_with_path_word(root).into_iter().any(|file| {
            let mut parts = self.path(file).split('/');
            self.kind(file).is_code() && parts.any(|part| part.split('.').next() == Some(root))
        })
    }

    /// The file of a module that is named `a.b.c`, or of the longest beginning of it that is one,
    /// with how many parts that is.
    pub(crate) fn file_of_module(&self, parts: &[String]) -> Option<(FileNumber, usize)> {
        for length in (1..=parts.len()).rev() {
            let (last, before) = parts[..length].split_last()?;
            let matches = |file: &FileNumber| {
                let path = self.path(*file);
                let (directory, _) = path.rsplit_once('/').unwrap_or(("", path));
                let (stem, _) = split_file_name(path);
                let mut folders = directory.rsplit('/').filter(|part| !part.is_empty());
                // The file of a package is named by its folder.
                let named = match ["__init__", "mod", "index"].contains(&stem) {
                    true => folders.next() == Some(last) || stem == last,
                    false => stem == last,
                };
                named
                    && folders.clone().count() >= before.len()
                    && before.iter().rev().zip(folders).all(|(a, b)| a == b)
            };
            let mut found: Vec<FileNumber> = self.files_with_path_word(last);
            found.retain(matches);
            found.retain(|file| self.kind(*file).is_code());
            if length >= 2 && found.len() == 1 {
                return Some((found[0], length));
            }
            // The one nearest to the root, of a package that lies in `src`.
            if length >= 2 && !found.is_empty() {
                let depth = |file: &FileNumber| self.path(*file).matches('/').count();
                return found.into_iter().min_by_key(depth).map(|file| (file, length));
            }
        }
        None
    }
}

pub(crate) fn split_file_name(path: &str) -> (&str, &str) {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').unwrap_or((name, ""))
}

/// The files whose modules a description names.
pub(crate) fn module_mentions(index: WordIndex<'_>, description: &Description) -> Vec<FileMention> {
    let mut named = Vec::new();
    let names = description.names.iter().filter(|name| name.parts.len() > 1);
    for name in names.filter(|name| index.may_have(name)) {
        if let Some((file, length)) = index.file_of_module(&name.parts) {
            let strength = name.weight * if length == name.parts.len() { 1.0 } else { 0.7 };
            named.push(FileMention {
                file,
                strength,
                what: name.parts[..length].join("."),
                piece: None,
                in_title: false,
            });
        }
    }
    named
}

/// The files that a description names by path, outside of stack traces and in them.
pub(crate) fn path_mentions(
    index: WordIndex<'_>,
    description: &Description,
    in_trace: bool,
) -> Vec<FileMention> {
    // Calls of other projects' files say nothing about the order of those in this one.
    let places: Vec<(&PathMention, Vec<FileNumber>)> = description
        .paths
        .iter()
        .filter(|mention| mention.in_trace == in_trace)
        .map(|mention| (mention, index.files_for_path(mention)))
        .filter(|(_, found)| (1..=COMMON).contains(&found.len()))
        .collect();
    let mut named = Vec::new();
    for (at, (mention, found)) in places.iter().enumerate() {
        // What was called last is nearest to what failed.
        let order =
            if in_trace { 0.35 + 0.65 * (at + 1) as f32 / places.len() as f32 } else { 1.0 };
        for file in found {
            let within = |piece: &u32| {
                let row = index.piece(*piece);
                row.is_some_and(|row| {
                    mention.line.is_some_and(|line| (row.line..=row.end_line).contains(&line))
                })
            };
            let piece = index.pieces_of(*file).rfind(within);
            let what = match mention.line {
                Some(line) => format!("{}:{line}", mention.path),
                None => mention.path.clone(),
            };
            let strength = order / found.len() as f32;
            let in_title = mention.in_title && found.len() == 1;
            named.push(FileMention { file: *file, strength, what, piece, in_title });
        }
    }
    named
}
