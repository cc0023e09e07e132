//! The structure of a project, which suggests related files before any commit does.

use std::collections::HashMap;

use super::names::{FileNameHistory, TrackedFileId};

/// Relations between files: imports, shared stems and directories.
#[derive(Debug, Clone, Default)]
pub struct Structure {
    /// For each file, the files it imports or is imported by, with the number of importers of the
    /// imported one.
    imports: HashMap<TrackedFileId, Vec<(TrackedFileId, u32)>>,
    stems: HashMap<String, Vec<TrackedFileId>>,
    directories: HashMap<String, Vec<TrackedFileId>>,
}

/// Returns the part of a name that related files share: without its extension and test marker.
/// Returns `None` for names that say nothing, such as `mod` or `index`.
#[must_use]
pub fn stem_of(path: &str) -> Option<String> {
    const GENERIC_STEMS: [&str; 9] =
        ["mod", "lib", "main", "index", "__init__", "readme", "cargo", "package", "build"];
    let name = path.rsplit('/').next()?;
    let name = name.trim_start_matches('.').split('.').next()?.to_lowercase();
    let stem = ["test_", "spec_"].iter().find_map(|mark| name.strip_prefix(mark)).unwrap_or(&name);
    let stem = ["_test", "_tests", "_spec", "-test", "-spec"]
        .iter()
        .find_map(|mark| stem.strip_suffix(mark))
        .unwrap_or(stem);
    (stem.len() > 2 && !GENERIC_STEMS.contains(&stem)).then(|| stem.to_owned())
}

fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

impl Structure {
    /// Builds the structure of existing files. `imports` are pairs of paths: a file and one that it
    /// imports.
    pub fn new<'i>(
        names: &FileNameHistory,
        imports: impl IntoIterator<Item = (&'i str, &'i str)>,
    ) -> Structure {
        let mut structure = Structure::default();
        for (file, path) in names.existing() {
            if let Some(stem) = stem_of(path) {
                structure.stems.entry(stem).or_default().push(file);
            }
            let directory = directory_of(path).to_owned();
            structure.directories.entry(directory).or_default().push(file);
        }
        let mut edges: Vec<(TrackedFileId, TrackedFileId)> = imports
            .into_iter()
            .filter_map(|(from, to)| Some((names.find(from)?, names.find(to)?)))
            .filter(|(from, to)| from != to)
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut importers: HashMap<TrackedFileId, u32> = HashMap::new();
        edges.iter().for_each(|(_, to)| *importers.entry(*to).or_default() += 1);
        for (from, to) in edges {
            let hub = importers.get(&to).copied().unwrap_or(1);
            structure.imports.entry(from).or_default().push((to, hub));
            structure.imports.entry(to).or_default().push((from, hub));
        }
        structure
    }

    /// Returns the files that a file imports or is imported by, with the number of importers of the
    /// imported one.
    #[must_use]
    pub fn imports(&self, file: TrackedFileId) -> &[(TrackedFileId, u32)] {
        self.imports.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Returns the files with the same stem.
    #[must_use]
    pub fn same_stem(&self, path: &str) -> &[TrackedFileId] {
        stem_of(path).and_then(|stem| self.stems.get(&stem)).map_or(&[], Vec::as_slice)
    }

    /// Returns the files in the same directory.
    #[must_use]
    pub fn neighbours(&self, path: &str) -> &[TrackedFileId] {
        self.directories.get(directory_of(path)).map_or(&[], Vec::as_slice)
    }
}
