//! Converts names to paths. No path leads out of the records folder, and no link is followed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{INDEX_FILE, RecordsFolder};
use crate::category::RecordCategory;
use crate::error::{RecordError, RecordResult};
use crate::slug::Slug;

impl RecordsFolder {
    /// Parses a name: a slug, `folder/slug`, or the path of the file, relative to the worktree or
    /// the records folder, or absolute.
    pub fn parse_name(&self, name: &str) -> RecordResult<(Option<RecordCategory>, Slug)> {
        let error = |why: &str| RecordError::Path { path: name.to_owned(), why: why.to_owned() };
        let root = self.root.to_string_lossy();
        let inside = name
            .strip_prefix(root.as_ref())
            .and_then(|rest| rest.strip_prefix('/'))
            .or_else(|| name.trim_start_matches("./").strip_prefix(".claude/memory/"))
            .unwrap_or(name);
        if inside.starts_with('/') || inside.split(['/', '\\']).any(|part| part == "..") {
            return Err(error("it is outside the records folder"));
        }
        let plain = inside.strip_suffix(".json").unwrap_or(inside);
        let (category, slug) = match plain.split_once('/') {
            None => (None, plain),
            Some((folder, slug)) => {
                let category = RecordCategory::of_folder(folder)
                    .ok_or_else(|| error("its folder does not belong to a category"))?;
                (Some(category), slug)
            }
        };
        let slug = Slug::new(slug).map_err(|problem| error(&problem.to_string()))?;
        Ok((category, slug))
    }

    /// Returns the path of a record's file.
    pub(super) fn file(&self, category: RecordCategory, slug: &Slug) -> PathBuf {
        self.root.join(category.folder()).join(format!("{slug}.json"))
    }

    /// Checks that no directory on the path to a category is a link or a file. Creates missing ones
    /// if `make` is set; otherwise returns false if one is missing.
    pub(super) fn check_directories(
        &self,
        category: RecordCategory,
        make: bool,
    ) -> RecordResult<bool> {
        let directories = [self.project.join(".claude"), self.root.clone()];
        for directory in directories.into_iter().chain([self.root.join(category.folder())]) {
            match fs::symlink_metadata(&directory) {
                Ok(there) if there.is_dir() => {}
                Ok(there) => {
                    let why = if there.is_symlink() {
                        "it is a symbolic link"
                    } else {
                        "it is not a directory"
                    };
                    return Err(path_error(&directory, why));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound && make => {
                    match fs::create_dir(&directory) {
                        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                            return Err(io_error(&directory)(error));
                        }
                        _ => {}
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
                Err(error) => return Err(io_error(&directory)(error)),
            }
        }
        Ok(true)
    }

    /// Returns the names of the records in a category, sorted. Files with other names are ignored.
    pub(super) fn slugs(&self, category: RecordCategory) -> RecordResult<Vec<Slug>> {
        if !self.check_directories(category, false)? {
            return Ok(Vec::new());
        }
        let directory = self.root.join(category.folder());
        let mut slugs = Vec::new();
        for entry in fs::read_dir(&directory).map_err(io_error(&directory))? {
            let name = entry.map_err(io_error(&directory))?.file_name();
            let slug = name.to_str().and_then(|name| name.strip_suffix(".json"));
            slugs.extend(slug.and_then(|slug| Slug::new(slug).ok()));
        }
        slugs.sort();
        Ok(slugs)
    }
}

/// Returns true if a path, relative to the worktree, belongs to records: the folder itself, a
/// category folder, a file in one, or the index.
pub fn is_record_path(path: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(".claude/memory") else { return false };
    let first = inside.components().next().and_then(|part| part.as_os_str().to_str());
    first.is_none_or(|first| first == INDEX_FILE || RecordCategory::of_folder(first).is_some())
}

pub(super) fn path_error(path: &Path, why: &str) -> RecordError {
    RecordError::Path { path: path.display().to_string(), why: why.to_owned() }
}

pub(super) fn io_error(path: &Path) -> impl FnOnce(io::Error) -> RecordError {
    let path = path.to_owned();
    move |source| RecordError::Io { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_paths_are_recognised() {
        for (path, expected) in [
            (".claude/memory/decisions/a.json", true),
            (".claude/memory/tech-debt/deep/er", true),
            (".claude/memory/sessions", true),
            (".claude/memory/index.md", true),
            (".claude/memory", true),
            (".claude/memory/.gitattributes", false),
            (".claude/memory/notes/a.json", false),
            (".claude/settings.json", false),
            ("memory/decisions/a.json", false),
        ] {
            assert_eq!(is_record_path(Path::new(path)), expected, "{path}");
        }
    }
}
