//! Resolves names in Swift: files of one target see each other, and the exports of imported
//! targets.

use std::collections::BTreeMap;

use super::TESTABLE;
use super::{manifest, xcode};
use crate::Language;
use crate::facts::Import;
use crate::graph::EdgeOrigin;
use crate::link::{enclosing_scopes, qualify};
use crate::project::{FileId, ImportTarget, LookupStep, OpenNamespaces, ProjectIndex, Resolver};

pub(crate) struct Swift<'a> {
    index: &'a ProjectIndex<'a>,
    modules: Vec<Module>,
    /// The indices of the modules of each file. Xcode may build a file into several.
    modules_of: BTreeMap<FileId, Vec<usize>>,
}

/// A target with sources.
struct Module {
    /// The name for imports, if known.
    name: Option<String>,
    /// The manifest that defines the module.
    manifest: String,
}

impl<'a> Swift<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Swift<'a> {
        let mut swift = Swift { index, modules: Vec::new(), modules_of: BTreeMap::new() };
        swift.assign_packages();
        swift.assign_projects();
        swift
    }

    /// Assigns files to the targets of packages, by directory.
    fn assign_packages(&mut self) {
        let targets = manifest::targets(self.index);
        for (file, _) in self.index.parsed(|language| language == Language::Swift) {
            let path = self.index.path(file);
            let around = targets.iter().enumerate().filter(|(_, target)| {
                let rest = path.strip_prefix(target.directory.as_str());
                rest.is_some_and(|rest| target.directory.is_empty() || rest.starts_with('/'))
            });
            // The innermost directory wins.
            if let Some((at, _)) = around.max_by_key(|(_, target)| target.directory.len()) {
                self.modules_of.insert(file, vec![at]);
            }
        }
        let module = |target: manifest::PackageTarget| Module {
            name: Some(target.name),
            manifest: format!("{}/Package.swift", target.package),
        };
        self.modules = targets.into_iter().map(module).collect();
    }

    /// Assigns the remaining files to targets of Xcode projects. Projects often build the sources
    /// of a package again; the package takes precedence.
    fn assign_projects(&mut self) {
        let files = self.index.parsed(|language| language == Language::Swift);
        let unassigned: Vec<FileId> = files
            .map(|(file, _)| file)
            .filter(|file| !self.modules_of.contains_key(file))
            .collect();
        for target in xcode::targets(self.index) {
            let own = unassigned.iter().filter(|file| target.has(self.index.path(**file)));
            let mut own = own.peekable();
            if own.peek().is_none() {
                continue;
            }
            for file in own {
                self.modules_of.entry(*file).or_default().push(self.modules.len());
            }
            self.modules.push(Module { name: target.module, manifest: target.manifest });
        }
    }

    fn modules_of(&self, file: FileId) -> &[usize] {
        self.modules_of.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Returns true if all modules with a name are from one manifest: Xcode may have a target for
    /// each platform.
    fn is_unambiguous(&self, name: &str) -> bool {
        let mut named = self.modules.iter().filter(|module| module.name.as_deref() == Some(name));
        let first = named.next();
        first.is_some_and(|first| named.all(|other| other.manifest == first.manifest))
    }
}

impl Resolver for Swift<'_> {
    fn resolve_import(&self, _from: FileId, import: &Import) -> ImportTarget {
        let name = import.module.strip_prefix(TESTABLE).unwrap_or(&import.module);
        // The references to its names decide which files are used.
        match self.modules.iter().any(|module| module.name.as_deref() == Some(name)) {
            false => ImportTarget::External,
            true if self.is_unambiguous(name) => {
                ImportTarget::Package(Vec::new(), EdgeOrigin::Manifest)
            }
            true => ImportTarget::Missing,
        }
    }

    /// Returns true for files in a target, and for `Package.swift`, which is a program of its own.
    fn has_known_target(&self, file: FileId) -> bool {
        let path = self.index.path(file);
        let name = path.rsplit('/').next().unwrap_or(path);
        self.modules_of.contains_key(&file)
            || name == "Package.swift"
            || name.starts_with("Package@swift-")
    }

    fn open_namespaces(&self) -> Option<&dyn OpenNamespaces> {
        Some(self)
    }
}

impl OpenNamespaces for Swift<'_> {
    fn lookup_steps(&self, _from: FileId, scope: &str, first: &str) -> Vec<LookupStep> {
        enclosing_scopes(scope).map(|space| LookupStep::one(qualify(space, first))).collect()
    }

    fn sees(&self, from: FileId, to: FileId, full: &str) -> bool {
        if self.is_preferred(from, to) {
            return true;
        }
        if self.modules_of(from).is_empty() {
            return false;
        }
        let (Some(facts), Some(other)) = (self.index.facts(from), self.index.facts(to)) else {
            return false;
        };
        let top = full.split('.').next().unwrap_or(full);
        let is_public = || other.exports.iter().any(|export| export.name == top);
        let imports = |name: &str| {
            facts.imports.iter().any(|import| match import.module.strip_prefix(TESTABLE) {
                Some(module) => module == name,
                None => import.module == name && is_public(),
            })
        };
        let names =
            self.modules_of(to).iter().filter_map(|home| self.modules[*home].name.as_deref());
        names.into_iter().any(|name| imports(name) && self.is_unambiguous(name))
    }

    /// Returns true for files of the same target, whose names hide those of others.
    fn is_preferred(&self, from: FileId, to: FileId) -> bool {
        self.modules_of(from).iter().any(|home| self.modules_of(to).contains(home))
    }

    fn inherits_names(&self) -> bool {
        true
    }

    fn hides_private(&self) -> bool {
        true
    }

    /// Returns true for names in lower case: by convention, types start with a capital.
    fn may_be_inherited(&self, name: &str) -> bool {
        !name.starts_with(char::is_uppercase)
    }
}
