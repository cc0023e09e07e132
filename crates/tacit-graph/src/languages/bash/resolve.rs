//! What `source` means in Bash: a file seen from the script, whose functions are then known.

use std::collections::{BTreeMap, BTreeSet};

use crate::Language;
use crate::facts::Import;
use crate::graph::EdgeOrigin;
use crate::project::{
    FileId, Found, Index, Members, Open, Resolver, Step, join, parent, reachable,
};

pub(crate) struct Bash<'a> {
    index: &'a Index<'a>,
    /// What each script sources, with all that these source.
    sourced: BTreeMap<FileId, BTreeSet<FileId>>,
}

impl<'a> Bash<'a> {
    pub(crate) fn new(index: &'a Index<'a>) -> Bash<'a> {
        let mut bash = Bash { index, sourced: BTreeMap::new() };
        let mut direct: BTreeMap<FileId, Vec<FileId>> = BTreeMap::new();
        for (file, facts) in index.parsed(|language| language == Language::Bash) {
            let found = facts.imports.iter().filter_map(|import| bash.file(file, &import.module));
            direct.insert(file, found.collect());
        }
        for file in direct.keys() {
            let sourced = |at| direct.get(&at).into_iter().flatten().copied();
            bash.sourced.insert(*file, reachable(sourced(*file), sourced));
        }
        bash
    }

    fn file(&self, from: FileId, path: &str) -> Option<FileId> {
        self.index.file(&join(parent(self.index.path(from)), path)?)
    }
}

impl Resolver for Bash<'_> {
    fn import(&self, from: FileId, import: &Import) -> Found {
        match self.file(from, &import.module) {
            Some(file) => Found::Module(file, EdgeOrigin::Relative),
            None if import.module.starts_with("./") => Found::Missing,
            // From where the script is started, or from `PATH`.
            None => Found::External,
        }
    }

    fn open(&self) -> Option<&dyn Open> {
        Some(self)
    }
}

impl Open for Bash<'_> {
    fn steps(&self, _from: FileId, _scope: &str, first: &str) -> Vec<Step> {
        vec![Step::one(first.to_owned())]
    }

    fn sees(&self, from: FileId, to: FileId, _full: &str) -> bool {
        self.sourced.get(&from).is_some_and(|files| files.contains(&to))
    }

    fn origin(&self) -> EdgeOrigin {
        EdgeOrigin::Import
    }

    fn members(&self) -> Members {
        Members::Never
    }
}
