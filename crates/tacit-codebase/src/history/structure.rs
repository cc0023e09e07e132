//! What the layout of a project says about files that belong together, before any commit does.

use std::collections::HashMap;

use super::names::{FileNames, TrackedFileId};

/// How files stand to each other.
#[derive(Debug, Clone, Default)]
pub struct Structure {
    /// For each file, those it imports and those that import it, with how many import the one that
    /// is imported.
    imports: HashMap<TrackedFileId, Vec<(TrackedFileId, u32)>>,
    stems: HashMap<String, Vec<TrackedFileId>>,
    directories: HashMap<String, Vec<TrackedFileId>>,
}

/// What files of other kinds with the same subject have in common: the name without its ending,
/// and without what marks a test. None for names that say nothing about their subject.
#[must_use]
pub fn stem_of(path: &str) -> Option<String> {
    const SAY_NOTHING: [&str; 9] =
        ["mod", "lib", "main", "index", "__init__", "readme", "cargo", "package", "build"];
    let name = path.rsplit('/').next()?;
    let name = name.trim_start_matches('.').split('.').next()?.to_lowercase();
    let stem = ["test_", "spec_"].iter().find_map(|mark| name.strip_prefix(mark)).unwrap_or(&name);
    let stem = ["_test", "_tests", "_spec", "-test", "-spec"]
        .iter()
        .find_map(|mark| stem.strip_suffix(mark))
        .unwrap_or(stem);
    (stem.len() > 2 && !SAY_NOTHING.contains(&stem)).then(|| stem.to_owned())
}

fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

impl Structure {
    /// The structure of the files that are there. `imports` are pairs of names: a file, and one
    /// that it imports.
    pub fn new<'i>(
        names: &FileNames,
        imports: impl IntoIterator<Item = (&'i str, &'i str)>,
    ) -> Structure {
        let mut structure = Structure::default();
        for (file, path) in names.living() {
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

    /// Files that a file imports or is imported by, each with how many import the imported one.
    #[must_use]
    pub fn imports(&self, file: TrackedFileId) -> &[(TrackedFileId, u32)] {
        self.imports.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Files of the same subject.
    #[must_use]
    pub fn namesakes(&self, path: &str) -> &[TrackedFileId] {
        stem_of(path).and_then(|stem| self.stems.get(&stem)).map_or(&[], Vec::as_slice)
    }

    /// Files of the same directory.
    #[must_use]
    pub fn neighbours(&self, path: &str) -> &[TrackedFileId] {
        self.directories.get(directory_of(path)).map_or(&[], Vec::as_slice)
    }
}
