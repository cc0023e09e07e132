//! What an `#include` means in C and C++: beside the file, then include paths; and what is known
//! in a file because of all that it includes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use super::compile_commands::{IncludePaths, include_paths_by_file};
use crate::Language;
use crate::facts::{Import, ImportForm};
use crate::graph::EdgeOrigin;
use crate::link::{enclosing_scopes, qualify};
use crate::project::{
    FileId, ImportTarget, LookupStep, OpenNamespaces, ProjectIndex, Resolver, ancestors, join,
    parent, reachable,
};
use crate::skip::is_listed;

/// Headers of the language itself: a directory of the project that happens to be called `include`
/// does not make them its own.
const STANDARD: &str = "\
    assert.h complex.h ctype.h dirent.h errno.h fcntl.h fenv.h float.h inttypes.h iso646.h \
    limits.h locale.h math.h pthread.h setjmp.h signal.h stdalign.h stdarg.h stdatomic.h \
    stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h threads.h time.h \
    unistd.h wchar.h";

pub(crate) struct C<'a> {
    index: &'a ProjectIndex<'a>,
    /// Include paths by file that is compiled; empty if nobody says.
    commands: BTreeMap<FileId, IncludePaths>,
    /// All include paths of the commands, for headers.
    all: BTreeSet<String>,
    /// Files below directories called `include`, by their path from there.
    included: HashMap<&'a str, Vec<FileId>>,
    /// What each file includes itself, once somebody asked.
    direct: Vec<OnceLock<Vec<FileId>>>,
    /// What each file includes with all that these include, once somebody asked.
    reached: Vec<OnceLock<Vec<FileId>>>,
}

impl<'a> C<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> C<'a> {
        let commands = include_paths_by_file(index);
        let all = commands.values().flat_map(|paths| paths.quoted.iter().chain(&paths.all));
        let mut c = C {
            all: all.cloned().collect(),
            commands,
            index,
            included: HashMap::new(),
            direct: Vec::new(),
            reached: Vec::new(),
        };
        let ours =
            |path: &str| matches!(Language::of_path(path), Some(Language::C | Language::Cpp));
        for (id, path) in index.paths().filter(|(_, path)| ours(path)) {
            for (at, _) in path.match_indices("include/") {
                if at == 0 || path[..at].ends_with('/') {
                    c.included.entry(&path[at + 8..]).or_default().push(id);
                }
            }
        }
        c.direct = (0..index.count()).map(|_| OnceLock::new()).collect();
        c.reached = (0..index.count()).map(|_| OnceLock::new()).collect();
        c
    }

    /// The files that a file includes itself.
    fn direct(&self, file: FileId) -> &[FileId] {
        self.direct
            .get(file as usize)
            .map_or(&[], |known| known.get_or_init(|| self.includes(file)))
    }

    fn includes(&self, file: FileId) -> Vec<FileId> {
        let Some(facts) = self.index.facts(file) else { return Vec::new() };
        if !matches!(facts.language, Language::C | Language::Cpp) {
            return Vec::new();
        }
        let found =
            facts.imports.iter().filter(|import| matches!(import.form, ImportForm::Module { .. }));
        found
            .filter_map(|import| match self.include(file, &import.module) {
                ImportTarget::File(to, _) if to != file => Some(to),
                _ => None,
            })
            .collect()
    }

    /// Everything that is included, in order.
    fn reached(&self, file: FileId) -> &[FileId] {
        let Some(reached) = self.reached.get(file as usize) else { return &[] };
        reached.get_or_init(|| {
            let direct = |file| self.direct(file).iter().copied();
            reachable(direct(file), direct).into_iter().collect()
        })
    }

    fn include(&self, from: FileId, module: &str) -> ImportTarget {
        let angled = module.strip_prefix('<').and_then(|path| path.strip_suffix('>'));
        let path = angled.unwrap_or(module);
        let here = parent(self.index.path(from));
        let at = |directory: &str| self.index.file(&join(directory, path)?);
        if angled.is_none()
            && let Some(file) = at(here)
        {
            return ImportTarget::File(file, EdgeOrigin::Relative);
        }
        if let Some(paths) = self.commands.get(&from) {
            let quoted = paths.quoted.iter().filter(|_| angled.is_none());
            let found = { quoted }.chain(&paths.all).find_map(|directory| at(directory));
            return found.map_or_else(
                || self.absent(from, path, angled.is_some()),
                |file| ImportTarget::File(file, EdgeOrigin::Manifest),
            );
        }
        let found: BTreeSet<FileId> = if self.commands.is_empty() {
            self.guessed(here, path, angled.is_some())
        } else {
            self.all.iter().filter_map(|directory| at(directory)).collect()
        };
        match (found.len(), found.first()) {
            (1, Some(file)) => ImportTarget::File(*file, EdgeOrigin::Manifest),
            (0, _) => self.absent(from, path, angled.is_some()),
            _ => ImportTarget::Missing,
        }
    }

    /// Where nobody says what the include paths are: directories called `include`, and for paths
    /// with a directory in them, those that the file is in.
    fn guessed(&self, here: &str, path: &str, angled: bool) -> BTreeSet<FileId> {
        let is_standard = is_listed(STANDARD, path) || (angled && !path.contains('.'));
        if is_standard {
            return BTreeSet::new();
        }
        let mut found: BTreeSet<FileId> =
            self.included.get(path).into_iter().flatten().copied().collect();
        // An `include` of the own part of the project comes before those of others.
        let own = ancestors(here)
            .find_map(|above| self.index.file(&join(&join(above, "include")?, path)?));
        if let Some(own) = own {
            found = BTreeSet::from([own]);
        }
        if !angled && path.contains('/') {
            found.extend(ancestors(here).filter_map(|above| self.index.file(&join(above, path)?)));
        }
        found
    }

    /// What is not there belongs to others, unless its directory is one of this project.
    fn absent(&self, from: FileId, path: &str, angled: bool) -> ImportTarget {
        let Some((directory, _)) = path.split_once('/') else {
            let external = angled || is_listed(STANDARD, path);
            return if external { ImportTarget::External } else { ImportTarget::Missing };
        };
        let here = parent(self.index.path(from));
        let is_there =
            |above: &str| join(above, directory).is_some_and(|path| self.index.is_directory(&path));
        let ours = matches!(directory, "." | "..")
            || (!angled && ancestors(here).any(is_there))
            || self.all.iter().any(|above| is_there(above));
        if ours { ImportTarget::Missing } else { ImportTarget::External }
    }
}

impl Resolver for C<'_> {
    fn resolve_import(&self, from: FileId, import: &Import) -> ImportTarget {
        match import.form {
            ImportForm::Module { .. } => self.include(from, &import.module),
            // `using` names what an include brought.
            _ => ImportTarget::Package(Vec::new(), EdgeOrigin::Import),
        }
    }

    fn open_namespaces(&self) -> Option<&dyn OpenNamespaces> {
        Some(self)
    }
}

impl OpenNamespaces for C<'_> {
    fn lookup_steps(&self, from: FileId, scope: &str, first: &str) -> Vec<LookupStep> {
        let imports = self.index.facts(from).map_or(&[][..], |facts| &facts.imports);
        let mut brought: Vec<String> = Vec::new();
        for import in imports {
            match &import.form {
                ImportForm::Item { name, local } if local == first => {
                    brought.push(qualify(&import.module, name));
                }
                ImportForm::Star => brought.push(qualify(&import.module, first)),
                _ => {}
            }
        }
        let mut steps: Vec<LookupStep> =
            enclosing_scopes(scope).map(|space| LookupStep::one(qualify(space, first))).collect();
        // What `using` brings is as near as the outermost names.
        if let Some(last) = steps.last_mut() {
            last.names.extend(brought);
        }
        steps
    }

    fn sees(&self, from: FileId, to: FileId, _full: &str) -> bool {
        self.reached(from).binary_search(&to).is_ok()
    }

    fn origin(&self) -> EdgeOrigin {
        EdgeOrigin::Import
    }
}
