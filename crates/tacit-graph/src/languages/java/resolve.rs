//! What imports mean on the Java platform: packages as files declare them, kept apart by the source
//! roots of Maven, Gradle and sbt modules. Java, Kotlin and Scala see each other.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::Language;
use crate::facts::{DefinitionKind, FileFacts, Import, ImportForm};
use crate::graph::EdgeOrigin;
use crate::link::{enclosing_scopes, is_type, qualify};
use crate::project::{
    FileId, ImportTarget, LookupStep, OpenNamespaces, ProjectIndex, Resolver, ancestors, parent,
};

/// The languages that see each other.
pub(crate) const FAMILY: [Language; 3] = [Language::Java, Language::Kotlin, Language::Scala];

/// Where a file is.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct FileHome<'a> {
    module: &'a str,
    /// Its folder, from the root of the sources, where there is one.
    folder: &'a str,
    /// Whether it is among the tests of its module.
    is_test: bool,
}

/// A type in no package: the folder it is in, whether among tests, and its name.
type UnpackagedType<'a> = ((&'a str, &'a str), bool, String);

pub(crate) struct Java<'a> {
    index: &'a ProjectIndex<'a>,
    /// Files by package.
    packages: BTreeMap<&'a str, Vec<FileId>>,
    /// Files that define a name at their top, by its full name.
    names: HashMap<String, Vec<FileId>>,
    /// Those for which it is a type, of which each has all its members in one file.
    types: HashMap<String, Vec<FileId>>,
    /// Where each file is.
    homes: Vec<FileHome<'a>>,
    /// Folders whose files in no package are no one program: they define the same type twice.
    apart: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Java<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Java<'a> {
        let mut java = Java {
            index,
            packages: BTreeMap::new(),
            names: HashMap::new(),
            types: HashMap::new(),
            homes: Vec::new(),
            apart: BTreeSet::new(),
        };
        let mut modules: BTreeSet<&str> = BTreeSet::new();
        for name in ["pom.xml", "build.gradle", "build.gradle.kts", "build.sbt"] {
            modules.extend(index.manifests(name).map(|(directory, _)| directory));
        }
        let homes = index.paths().map(|(_, path)| {
            let module = ancestors(parent(path)).find(|above| modules.contains(above));
            FileHome {
                module: module.unwrap_or_default(),
                folder: below_root(parent(path)),
                is_test: in_tests(path),
            }
        });
        java.homes = homes.collect();
        let mut alone = HashSet::new();
        for (file, facts) in index.parsed(|language| FAMILY.contains(&language)) {
            java.packages.entry(package(facts)).or_default().push(file);
            java.add(file, facts, &mut alone);
        }
        java
    }

    /// Adds what a file defines at its top, or in packages that it writes as blocks.
    fn add(&mut self, file: FileId, facts: &FileFacts, alone: &mut HashSet<UnpackagedType<'a>>) {
        let mut open: Vec<Option<String>> = Vec::with_capacity(facts.definitions.len());
        for definition in &facts.definitions {
            let space = match definition.parent {
                None => Some(package(facts)),
                Some(parent) => open[parent as usize].as_deref(),
            };
            let full = space.map(|space| qualify(space, &definition.name));
            let is_space = definition.kind == DefinitionKind::Module;
            // What is added to a type under its name, `fun Cart.total()`, is none of its own.
            let is_added =
                matches!(definition.kind, DefinitionKind::Extension | DefinitionKind::Anonymous);
            let plain =
                !is_added && definition.binds && (is_space || !definition.name.contains('.'));
            if let Some(full) = full.as_ref().filter(|_| plain) {
                let files = self.names.entry(full.clone()).or_default();
                if files.last() != Some(&file) {
                    files.push(file);
                }
                if is_type(definition) {
                    self.add_type(file, full, alone);
                }
            }
            open.push(full.filter(|_| is_space));
        }
    }

    fn add_type(&mut self, file: FileId, full: &str, alone: &mut HashSet<UnpackagedType<'a>>) {
        let files = self.types.entry(full.to_owned()).or_default();
        if files.last() == Some(&file) {
            return;
        }
        files.push(file);
        let home = self.folder(file);
        if !full.contains('.') && !alone.insert((home, self.is_test(file), full.to_owned())) {
            self.apart.insert(home);
        }
    }

    fn home(&self, file: FileId) -> FileHome<'a> {
        self.homes.get(file as usize).copied().unwrap_or_default()
    }

    /// The module and the folder of a file.
    fn folder(&self, file: FileId) -> (&'a str, &'a str) {
        let home = self.home(file);
        (home.module, home.folder)
    }

    /// Whether files in no package can know each other: those of one folder, which are one program.
    fn is_beside(&self, one: FileId, other: FileId) -> bool {
        let folder = self.folder(one);
        folder == self.folder(other) && !self.apart.contains(&folder)
    }

    /// Whether a full name is, for a file, what another file defines under it: types may be called
    /// the same in several programs, and a member belongs to the one that is meant here.
    fn is_meant(&self, from: FileId, to: FileId, full: &str) -> bool {
        let of_type = enclosing_scopes(full).skip(1).find_map(|at| self.types.get(at));
        match of_type.filter(|files| files.binary_search(&to).is_ok()) {
            None => true,
            Some(files) if files.binary_search(&from).is_ok() => to == from,
            Some(files) => {
                let (own, near) = (self.module(from), self.is_preferred(from, to));
                let is_rival = |file: &&FileId| {
                    (self.is_test(from) || !self.is_test(**file))
                        && (!near || self.module(**file) == own)
                };
                !files.iter().filter(|file| **file != to).any(|file| is_rival(&file))
            }
        }
    }

    /// The module a file is in.
    fn module(&self, file: FileId) -> &'a str {
        self.home(file).module
    }

    /// Whether a file is among the tests of its module.
    fn is_test(&self, file: FileId) -> bool {
        self.home(file).is_test
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
        let full = qualify(package, name);
        // In Scala a type and a function may share a name; whoever imports it means the type as well.
        [&self.names, &self.types].iter().find_map(|known| {
            match self.nearest(from, known.get(&full)?.clone())[..] {
                [file] => Some(file),
                _ => None,
            }
        })
    }

    /// The file of a type, and of the types in it, by its full name.
    fn of_type(&self, from: FileId, full: &str) -> Option<FileId> {
        enclosing_scopes(full).find_map(|at| {
            let (package, name) = at.rsplit_once('.')?;
            self.one(from, package, name)
        })
    }

    /// The full names that the path of an import may stand for, the nearest first. Scala also looks
    /// from the packages around, and from what was imported before.
    fn candidates(&self, from: FileId, path: &str) -> Vec<String> {
        let scala = self.index.facts(from).filter(|facts| facts.language == Language::Scala);
        let Some(facts) = scala else { return vec![path.to_owned()] };
        if let Some(absolute) = path.strip_prefix("_root_.") {
            return vec![absolute.to_owned()];
        }
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        let mut found = Vec::new();
        for import in &facts.imports {
            match &import.form {
                ImportForm::Item { name, local } if local == first && !rest.is_empty() => {
                    found.push(format!("{}.{name}.{rest}", import.module));
                }
                _ => {}
            }
        }
        let clauses = facts.imports.iter().filter(|import| import.reexport);
        let around = [package(facts)].into_iter().chain(clauses.map(|outer| outer.module.as_str()));
        let there = around.filter(|space| self.is_there(&qualify(space, first)));
        found.extend(there.map(|space| qualify(space, path)));
        found.push(path.to_owned());
        found
    }

    /// Whether there is a package or anything else of a full name.
    fn is_there(&self, full: &str) -> bool {
        let below = format!("{full}.");
        self.names.contains_key(full) || self.packages.contains_key(full) || {
            self.packages.range(below.as_str()..).next()
        }
        .is_some_and(|(package, _)| package.starts_with(&below))
    }

    fn found(&self, from: FileId, module: &str, form: &ImportForm) -> Option<ImportTarget> {
        if let ImportForm::Item { name, .. } = form {
            if let Some(file) = self.one(from, module, name) {
                return Some(ImportTarget::InFile(file, EdgeOrigin::Manifest));
            }
            // Scala imports packages as well.
            if self.packages.contains_key(qualify(module, name).as_str()) {
                return Some(ImportTarget::Package(Vec::new(), EdgeOrigin::Manifest));
            }
            // A type inside another, or a static member of one.
            return self
                .of_type(from, module)
                .map(|file| ImportTarget::InFile(file, EdgeOrigin::Manifest));
        }
        if let Some(files) = self.packages.get(module) {
            let others = files.iter().copied().filter(|file| *file != from).collect();
            return Some(ImportTarget::Package(self.nearest(from, others), EdgeOrigin::Manifest));
        }
        self.of_type(from, module).map(|file| ImportTarget::InFile(file, EdgeOrigin::Manifest))
    }
}

/// A folder from the root of the sources that it is in: `src/main/scala/shop` is `/shop`.
fn below_root(folder: &str) -> &str {
    let roots = ["/java", "/kotlin", "/scala"].into_iter();
    let below = roots.flat_map(|root| folder.match_indices(root)).find_map(|(at, root)| {
        let (before, below) = (&folder[..at], &folder[at + root.len()..]);
        let is_set = before == "src" || before.rsplit('/').nth(1) == Some("src");
        (is_set && (below.is_empty() || below.starts_with('/'))).then_some(below)
    });
    below.unwrap_or(folder)
}

/// Whether a path is in a source set for tests: `src/test`, `src/jvmTest`.
fn in_tests(path: &str) -> bool {
    let folders: Vec<&str> = path.split('/').collect();
    folders.windows(2).any(|pair| {
        pair[0] == "src" && (matches!(pair[1], "test" | "it") || pair[1].ends_with("Test"))
    })
}

fn package(facts: &FileFacts) -> &str {
    facts.package.as_deref().unwrap_or_default()
}

impl Resolver for Java<'_> {
    fn resolve_import(&self, from: FileId, import: &Import) -> ImportTarget {
        let candidates = self.candidates(from, &import.module);
        let found = candidates.iter().find_map(|module| self.found(from, module, &import.form));
        let is_item = matches!(import.form, ImportForm::Item { .. });
        let is_ours =
            || is_item && candidates.iter().any(|at| self.packages.contains_key(at.as_str()));
        found.unwrap_or_else(
            || if is_ours() { ImportTarget::Missing } else { ImportTarget::External },
        )
    }

    fn open_namespaces(&self) -> Option<&dyn OpenNamespaces> {
        Some(self)
    }
}

impl OpenNamespaces for Java<'_> {
    fn lookup_steps(&self, from: FileId, scope: &str, first: &str) -> Vec<LookupStep> {
        let Some(facts) = self.index.facts(from) else { return Vec::new() };
        let own = package(facts);
        let types = enclosing_scopes(scope).take_while(|space| *space != own);
        let mut steps: Vec<LookupStep> =
            types.map(|space| LookupStep::one(qualify(space, first))).collect();
        let (mut named, mut all) = (Vec::new(), Vec::new());
        for import in &facts.imports {
            match &import.form {
                ImportForm::Item { name, local } if local == first => {
                    named.push(qualify(&import.module, name));
                }
                ImportForm::Star => all.push(&import.module),
                _ => {}
            }
        }
        if !named.is_empty() {
            // What is imported by name is meant, also if it is nothing of this project.
            let places = named.iter().map(|name| self.candidates(from, name));
            let mut names: Vec<String> = places.flatten().collect();
            names.dedup();
            if facts.language == Language::Scala {
                let near = names.into_iter().map(LookupStep::one);
                steps.extend(near.map(|step| LookupStep { imported: true, ..step }));
            } else {
                steps.push(LookupStep { names, imported: true, ..LookupStep::default() });
            }
            return steps;
        }
        steps.push(LookupStep::one(qualify(own, first)));
        let stars = all.iter().flat_map(|module| self.candidates(from, module));
        let names: Vec<String> = stars.map(|space| qualify(&space, first)).collect();
        steps.push(LookupStep { names, ..LookupStep::default() });
        // `com.shop.Order` written out.
        steps.push(LookupStep::one(first.to_owned()));
        steps
    }

    fn sees(&self, from: FileId, to: FileId, full: &str) -> bool {
        let (Some(here), Some(there)) = (self.index.facts(from), self.index.facts(to)) else {
            return false;
        };
        let is_script = |file: FileId| self.index.path(file).ends_with(".kts");
        FAMILY.contains(&there.language)
            // What is in no package is not known in one.
            && (!package(there).is_empty() || (package(here).is_empty() && self.is_beside(from, to)))
            && (self.is_test(from) || !self.is_test(to))
            && !is_script(from)
            && !is_script(to)
            && self.is_meant(from, to, full)
    }

    fn is_preferred(&self, from: FileId, to: FileId) -> bool {
        self.module(from) == self.module(to)
    }

    fn inherits_names(&self) -> bool {
        true
    }

    fn hides_private(&self) -> bool {
        true
    }

    fn modules_are_packages(&self) -> bool {
        true
    }

    /// In Scala they are names for types as well: `type Row = List[Int]`.
    fn values_are_types(&self, file: FileId) -> bool {
        self.index.facts(file).is_some_and(|facts| facts.language == Language::Scala)
    }

    /// Types and constants are written with a large letter, members with a small one.
    fn may_be_inherited(&self, name: &str) -> bool {
        !name.starts_with(char::is_uppercase)
    }
}
