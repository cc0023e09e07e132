//! What `source` means in Bash: a file seen from the script, whose functions are then known.

use std::collections::{BTreeMap, BTreeSet};

use crate::Language;
use crate::facts::Import;
use crate::graph::EdgeOrigin;
use crate::project::{
    FileId, ImportTarget, LookupStep, MemberScope, OpenNamespaces, ProjectIndex, Resolver, join,
    parent, reachable,
};

pub(crate) struct Bash<'a> {
    index: &'a ProjectIndex<'a>,
    /// What each script sources, with all that these source.
    sourced: BTreeMap<FileId, BTreeSet<FileId>>,
}

impl<'a> Bash<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Bash<'a> {
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
    fn resolve_import(&self, from: FileId, import: &Import) -> ImportTarget {
        match self.file(from, &import.module) {
            Some(file) => ImportTarget::File(file, EdgeOrigin::Relative),
            None if import.module.starts_with("./") => ImportTarget::Missing,
            // From where the script is started, or from `PATH`.
            None => ImportTarget::External,
        }
    }

    fn open_namespaces(&self) -> Option<&dyn OpenNamespaces> {
        Some(self)
    }
}

impl OpenNamespaces for Bash<'_> {
    fn lookup_steps(&self, _from: FileId, _scope: &str, first: &str) -> Vec<LookupStep> {
        vec![LookupStep::one(first.to_owned())]
    }

    fn sees(&self, from: FileId, to: FileId, _full: &str) -> bool {
        self.sourced.get(&from).is_some_and(|files| files.contains(&to))
    }

    fn origin(&self) -> EdgeOrigin {
        EdgeOrigin::Import
    }

    fn member_scope(&self) -> MemberScope {
        MemberScope::Never
    }
}
