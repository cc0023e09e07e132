//! What imports mean on the Java platform: packages as files declare them, kept apart by the source
//! roots of Maven and Gradle modules.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{DefinitionKind, FileFacts, Form, Import};
use crate::graph::Origin;
use crate::project::{FileId, Found, Index, Resolver, ancestors, parent};

pub(crate) struct Java<'a> {
    index: &'a Index<'a>,
    /// Files by package.
    packages: BTreeMap<&'a str, Vec<FileId>>,
    /// Files that define a name at their top, by package and name.
    names: BTreeMap<(&'a str, &'a str), Vec<FileId>>,
    neighbours: BTreeMap<FileId, Vec<FileId>>,
    /// Directories with a manifest.
    modules: BTreeSet<&'a str>,
}

impl<'a> Java<'a> {
    /// The files of one family of languages, which see each other.
    pub(crate) fn new(index: &'a Index<'a>, is_ours: fn(&FileFacts) -> bool) -> Java<'a> {
        let mut java = Java {
            index,
            packages: BTreeMap::new(),
            names: BTreeMap::new(),
            neighbours: BTreeMap::new(),
            modules: BTreeSet::new(),
        };
        for name in ["pom.xml", "build.gradle", "build.gradle.kts"] {
            java.modules.extend(index.manifests(name).map(|(directory, _)| directory));
        }
        for (file, facts) in index.parsed().filter(|(_, facts)| is_ours(facts)) {
            let package = facts.package.as_deref().unwrap_or_default();
            java.packages.entry(package).or_default().push(file);
            for definition in &facts.definitions {
                if definition.parent.is_none() && definition.kind != DefinitionKind::Extension {
                    java.names.entry((package, &definition.name)).or_default().push(file);
                }
            }
        }
        for files in java.packages.values() {
            for file in files {
                let known = files.iter().copied().filter(|other| other != file);
                java.neighbours.insert(*file, java.nearest(*file, known.collect()));
            }
        }
        java
    }

    /// The Maven or Gradle module a file is in.
    fn module(&self, file: FileId) -> &'a str {
        let here = parent(self.index.path(file));
        ancestors(here).find(|directory| self.modules.contains(directory)).unwrap_or_default()
    }

    /// Whether a file is among the tests of its module.
    fn is_test(&self, file: FileId) -> bool {
        let path = self.index.path(file);
        path.starts_with("src/test/") || path.contains("/src/test/")
    }

    /// Of files that could be meant, those that code in `from` sees first: its own module before
    /// others, and never the tests of what it is no test of.
    fn nearest(&self, from: FileId, mut files: Vec<FileId>) -> Vec<FileId> {
        let own = self.module(from);
        if !self.is_test(from) {
            files.retain(|file| !self.is_test(*file));
        }
        let in_own: Vec<FileId> =
            files.iter().copied().filter(|file| self.module(*file) == own).collect();
        if in_own.is_empty() { files } else { in_own }
    }

    /// The one file that defines a name in a package, as seen from another.
    fn one(&self, from: FileId, package: &str, name: &str) -> Option<FileId> {
        let files = self.names.get(&(package, name))?;
        match self.nearest(from, files.clone())[..] {
            [file] => Some(file),
            _ => None,
        }
    }

    /// The file of a type, and of the types in it, by its full name.
    fn of_type(&self, from: FileId, full: &str) -> Option<FileId> {
        let mut end = full.len();
        while let Some(dot) = full[..end].rfind('.') {
            let name = full[dot + 1..end].to_owned();
            if let Some(file) = self.one(from, &full[..dot], &name) {
                return Some(file);
            }
            end = dot;
        }
        None
    }

    /// Whether a package, or one that it is in or that is in it, is of this project.
    fn is_ours(&self, package: &str) -> bool {
        self.packages.contains_key(package)
    }
}

impl Resolver for Java<'_> {
    fn import(&self, from: FileId, import: &Import) -> Found {
        let absent = || if self.is_ours(&import.module) { Found::Missing } else { Found::External };
        match &import.form {
            Form::Item { name, .. } => {
                if let Some(file) = self.one(from, &import.module, name) {
                    return Found::Within(file, Origin::Manifest);
                }
                // A type inside another, or a static member of one.
                let around = self.of_type(from, &import.module);
                around.map_or_else(absent, |file| Found::Within(file, Origin::Manifest))
            }
            _ => match self.packages.get(import.module.as_str()) {
                Some(files) => {
                    let others = files.iter().copied().filter(|file| *file != from).collect();
                    Found::Package(self.nearest(from, others), Origin::Manifest)
                }
                None => self
                    .of_type(from, &import.module)
                    .map_or(Found::External, |file| Found::Within(file, Origin::Manifest)),
            },
        }
    }

    fn neighbours(&self, from: FileId) -> &[FileId] {
        self.neighbours.get(&from).map_or(&[], Vec::as_slice)
    }

    fn written(&self, from: FileId, path: &[String]) -> Option<(FileId, usize)> {
        // `com.shop.Order.of` written out.
        (1..path.len()).rev().find_map(|end| {
            let file = self.one(from, &path[..end].join("."), &path[end])?;
            Some((file, end))
        })
    }
}
