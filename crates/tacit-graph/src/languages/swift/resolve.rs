//! What names mean in Swift: the files of one target know each other, and what other targets export
//! where they are imported.

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
    /// The modules of each file, by their places in the list. Xcode may build a file into several.
    homes: BTreeMap<FileId, Vec<usize>>,
}

/// A target that has sources.
struct Module {
    /// What it is imported as, if that is known.
    name: Option<String>,
    /// What defines it.
    manifest: String,
}

impl<'a> Swift<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Swift<'a> {
        let mut swift = Swift { index, modules: Vec::new(), homes: BTreeMap::new() };
        swift.take_packages();
        swift.take_projects();
        swift
    }

    /// Files in the directories of a package's targets.
    fn take_packages(&mut self) {
        let targets = manifest::targets(self.index);
        for (file, _) in self.index.parsed(|language| language == Language::Swift) {
            let path = self.index.path(file);
            let around = targets.iter().enumerate().filter(|(_, target)| {
                let rest = path.strip_prefix(target.directory.as_str());
                rest.is_some_and(|rest| target.directory.is_empty() || rest.starts_with('/'))
            });
            // The innermost directory decides.
            if let Some((at, _)) = around.max_by_key(|(_, target)| target.directory.len()) {
                self.homes.insert(file, vec![at]);
            }
        }
        let module = |target: manifest::PackageTarget| Module {
            name: Some(target.name),
            manifest: format!("{}/Package.swift", target.package),
        };
        self.modules = targets.into_iter().map(module).collect();
    }

    /// Files in targets of Xcode's projects. Many projects build a package's sources once more; what
    /// a package has is left to it.
    fn take_projects(&mut self) {
        let files = self.index.parsed(|language| language == Language::Swift);
        let loose: Vec<FileId> =
            files.map(|(file, _)| file).filter(|file| !self.homes.contains_key(file)).collect();
        for target in xcode::targets(self.index) {
            let own = loose.iter().filter(|file| target.has(self.index.path(**file)));
            let mut own = own.peekable();
            if own.peek().is_none() {
                continue;
            }
            for file in own {
                self.homes.entry(*file).or_default().push(self.modules.len());
            }
            self.modules.push(Module { name: target.module, manifest: target.manifest });
        }
    }

    fn homes(&self, file: FileId) -> &[usize] {
        self.homes.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Whether a name is that of modules of one manifest: Xcode has a target for each system.
    fn is_one(&self, name: &str) -> bool {
        let mut named = self.modules.iter().filter(|module| module.name.as_deref() == Some(name));
        let first = named.next();
        first.is_some_and(|first| named.all(|other| other.manifest == first.manifest))
    }
}

impl Resolver for Swift<'_> {
    fn resolve_import(&self, _from: FileId, import: &Import) -> ImportTarget {
        let name = import.module.strip_prefix(TESTABLE).unwrap_or(&import.module);
        // Which files are meant is known by what is used of it.
        match self.modules.iter().any(|module| module.name.as_deref() == Some(name)) {
            false => ImportTarget::External,
            true if self.is_one(name) => ImportTarget::Package(Vec::new(), EdgeOrigin::Manifest),
            true => ImportTarget::Missing,
        }
    }

    /// A `Package.swift` is a program of its own.
    fn has_known_target(&self, file: FileId) -> bool {
        let path = self.index.path(file);
        let name = path.rsplit('/').next().unwrap_or(path);
        self.homes.contains_key(&file)
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
        if self.homes(from).is_empty() {
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
        let names = self.homes(to).iter().filter_map(|home| self.modules[*home].name.as_deref());
        names.into_iter().any(|name| imports(name) && self.is_one(name))
    }

    /// A name of the own target hides those of others.
    fn is_preferred(&self, from: FileId, to: FileId) -> bool {
        self.homes(from).iter().any(|home| self.homes(to).contains(home))
    }

    fn inherits_names(&self) -> bool {
        true
    }

    fn hides_private(&self) -> bool {
        true
    }

    /// Types are written with a large letter, members with a small one.
    fn may_be_inherited(&self, name: &str) -> bool {
        !name.starts_with(char::is_uppercase)
    }
}
