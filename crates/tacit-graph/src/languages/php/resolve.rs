//! What names mean in PHP: what `composer.json` loads by name, and what files include.

use std::collections::{BTreeMap, BTreeSet};

use super::autoload::{ComposerPackage, is_inside, known, packages};
use crate::Language;
use crate::facts::{DefinitionKind, Import, ImportForm, Reference, ReferenceKind};
use crate::graph::EdgeOrigin;
use crate::link::{enclosing_scopes, qualify};
use crate::project::{
    FileId, ImportTarget, LookupStep, MemberScope, OpenNamespaces, ProjectIndex, Resolver,
    ancestors, join, parent, reachable,
};

pub(crate) struct Php<'a> {
    index: &'a ProjectIndex<'a>,
    packages: BTreeMap<&'a str, ComposerPackage>,
    /// The packages that are known in each.
    known: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// What files are loaded for: the package, and the class; none if for all they have.
    loaded: BTreeMap<FileId, Vec<(&'a str, Option<String>)>>,
    /// What each file includes, with all that these include.
    included: BTreeMap<FileId, BTreeSet<FileId>>,
    /// Files by the full names that they define, classes and functions.
    defined: BTreeMap<String, Vec<FileId>>,
}

impl<'a> Php<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Php<'a> {
        let packages = packages(index);
        let known = packages.keys().map(|at| (*at, known(&packages, at))).collect();
        let mut php = Php {
            index,
            packages,
            known,
            loaded: BTreeMap::new(),
            included: BTreeMap::new(),
            defined: BTreeMap::new(),
        };
        let mut direct: BTreeMap<FileId, Vec<FileId>> = BTreeMap::new();
        for (file, facts) in index.parsed(|language| language == Language::Php) {
            let path = index.path(file);
            for (directory, package) in &php.packages {
                let loaded = php.loaded.entry(file).or_default();
                if package.is_whole(path) {
                    loaded.push((directory, None));
                }
                let classes = package.classes(path).into_iter();
                loaded.extend(classes.map(|class| (*directory, Some(class))));
            }
            let package = facts.package.as_deref().unwrap_or_default();
            for (at, definition) in facts.definitions.iter().enumerate() {
                let is_top = definition.parent.is_none_or(|parent| {
                    facts.definitions[parent as usize].kind == DefinitionKind::Module
                });
                if is_top && definition.binds && definition.kind != DefinitionKind::Module {
                    let full = qualify(package, &facts.qualified(at as u32));
                    php.defined.entry(full).or_default().push(file);
                }
            }
            let included = facts.imports.iter().filter_map(|import| match import.form {
                ImportForm::Module { .. } => php.include(file, &import.module),
                _ => None,
            });
            direct.insert(file, included.filter(|to| *to != file).collect());
        }
        for file in direct.keys() {
            let included = |at| direct.get(&at).into_iter().flatten().copied();
            php.included.insert(*file, reachable(included(*file), included));
        }
        php
    }

    /// The file that an include names.
    fn include(&self, from: FileId, path: &str) -> Option<FileId> {
        self.index.file(&join(parent(self.index.path(from)), path)?)
    }

    /// The packages whose classes are known in a file.
    fn around(&self, from: FileId) -> impl Iterator<Item = &'a str> + '_ {
        let above = ancestors(parent(self.index.path(from)));
        above.filter_map(|directory| self.known.get(directory)).flatten().copied()
    }

    /// The namespace that a scope is in.
    fn namespace(&self, from: FileId, scope: &'a str) -> &'a str {
        let Some(facts) = self.index.facts(from) else { return "" };
        if let Some(package) = &facts.package {
            return package;
        }
        let is_space = |space: &&str| {
            { facts.definitions.iter() }
                .any(|d| d.kind == DefinitionKind::Module && d.name == *space)
        };
        enclosing_scopes(scope).find(is_space).unwrap_or_default()
    }
}

impl Resolver for Php<'_> {
    fn resolve_import(&self, from: FileId, import: &Import) -> ImportTarget {
        let ImportForm::Item { name, .. } = &import.form else {
            let relative = import.module.starts_with("./");
            return match self.include(from, &import.module) {
                Some(file) => ImportTarget::File(file, EdgeOrigin::Relative),
                // Else it may be anywhere that the configuration of the server says.
                None if relative => ImportTarget::Missing,
                None => ImportTarget::External,
            };
        };
        let full = qualify(&import.module, name);
        let defined = self.defined.get(&full).into_iter().flatten().copied();
        let mut found = defined.filter(|to| self.sees(from, *to, &full));
        match (found.next(), found.next()) {
            (Some(file), None) => ImportTarget::InFile(file, EdgeOrigin::Manifest),
            (Some(_), Some(_)) => ImportTarget::Missing,
            // A namespace may be used as a whole.
            (None, _)
                if self
                    .defined
                    .range(format!("{full}.")..)
                    .next()
                    .is_some_and(|(at, _)| is_inside(at, &full)) =>
            {
                ImportTarget::Package(Vec::new(), EdgeOrigin::Manifest)
            }
            (None, _) => {
                let ours = self.around(from).any(|at| self.packages[at].owns(&full));
                if ours { ImportTarget::Missing } else { ImportTarget::External }
            }
        }
    }

    fn open_namespaces(&self) -> Option<&dyn OpenNamespaces> {
        Some(self)
    }
}

impl OpenNamespaces for Php<'_> {
    fn lookup_steps(&self, from: FileId, scope: &str, first: &str) -> Vec<LookupStep> {
        let imports = self.index.facts(from).map_or(&[][..], |facts| &facts.imports);
        let named = imports.iter().find_map(|import| match &import.form {
            ImportForm::Item { name, local } if local == first => {
                Some(qualify(&import.module, name))
            }
            _ => None,
        });
        if let Some(full) = named {
            return vec![LookupStep::one(full)];
        }
        let namespace = self.namespace(from, scope);
        let mut steps = vec![LookupStep::one(qualify(namespace, first))];
        if !namespace.is_empty() {
            // Functions are looked for outside of all namespaces as well, classes are not.
            steps.push(LookupStep::function(first.to_owned()));
        }
        steps
    }

    fn sees(&self, from: FileId, to: FileId, full: &str) -> bool {
        if self.included.get(&from).is_some_and(|files| files.contains(&to)) {
            return true;
        }
        let loaded = self.loaded.get(&to).map_or(&[][..], Vec::as_slice);
        loaded.iter().any(|(package, class)| {
            let named =
                class.as_ref().is_none_or(|class| is_inside(full, class) || is_inside(class, full));
            named && self.around(from).any(|at| at == *package)
        })
    }

    /// Traits come before the class that is extended, and interfaces, which have no bodies, last.
    fn order_bases(&self, bases: &mut [&Reference]) {
        bases.reverse();
        bases.sort_by_key(|base| base.kind == ReferenceKind::Implements);
    }

    fn member_scope(&self) -> MemberScope {
        MemberScope::Never
    }
}
