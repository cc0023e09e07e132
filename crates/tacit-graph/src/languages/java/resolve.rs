//! Resolves imports on the Java platform: declared packages, separated by the source roots of
//! Maven, Gradle and sbt modules. Java, Kotlin and Scala see each other.

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

/// The location of a file.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct FileLocation<'a> {
    module: &'a str,
    /// The folder, relative to the source root if there is one.
    folder: &'a str,
    /// True if the file is in the tests of its module.
    is_test: bool,
}

/// A type without a package: its module and folder, whether it is in the tests, and its name.
type UnpackagedType<'a> = ((&'a str, &'a str), bool, String);

pub(crate) struct Java<'a> {
    index: &'a ProjectIndex<'a>,
    /// Files by package.
    packages: BTreeMap<&'a str, Vec<FileId>>,
    /// Files that define a top-level name, by full name.
    names: HashMap<String, Vec<FileId>>,
    /// Files that define a top-level type, by full name.
    types: HashMap<String, Vec<FileId>>,
    /// The location of each file.
    locations: Vec<FileLocation<'a>>,
    /// Folders whose files without a package are separate programs, because they define a type
    /// twice.
    separate_programs: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Java<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Java<'a> {
        let mut java = Java {
            index,
            packages: BTreeMap::new(),
            names: HashMap::new(),
            types: HashMap::new(),
            locations: Vec::new(),
            separate_programs: BTreeSet::new(),
        };
        let mut modules: BTreeSet<&str> = BTreeSet::new();
        for name in ["pom.xml", "build.gradle", "build.gradle.kts", "build.sbt"] {
            modules.extend(index.manifests(name).map(|(directory, _)| directory));
        }
        let locations = index.paths().map(|(_, path)| {
            let module = ancestors(parent(path)).find(|above| modules.contains(above));
            FileLocation {
                module: module.unwrap_or_default(),
                folder: below_root(parent(path)),
                is_test: in_tests(path),
            }
        });
        java.locations = locations.collect();
        let mut unpackaged = HashSet::new();
        for (file, facts) in index.parsed(|language| FAMILY.contains(&language)) {
            java.packages.entry(package(facts)).or_default().push(file);
            java.add(file, facts, &mut unpackaged);
        }
        java
    }

    /// Adds the top-level definitions of a file, and those in its package blocks.
    fn add(
        &mut self,
        file: FileId,
        facts: &FileFacts,
        unpackaged: &mut HashSet<UnpackagedType<'a>>,
    ) {
        let mut namespaces: Vec<Option<String>> = Vec::with_capacity(facts.definitions.len());
        for definition in &facts.definitions {
            let space = match definition.parent {
                None => Some(package(facts)),
                Some(parent) => namespaces[parent as usize].as_deref(),
            };
            let full = space.map(|space| qualify(space, &definition.name));
            let is_space = definition.kind == DefinitionKind::Module;
            // An extension such as `fun Cart.total()` is not a definition of its own.
            let is_added =
                matches!(definition.kind, DefinitionKind::Extension | DefinitionKind::Anonymous);
            let is_definition =
                !is_added && definition.binds && (is_space || !definition.name.contains('.'));
            if let Some(full) = full.as_ref().filter(|_| is_definition) {
                let files = self.names.entry(full.clone()).or_default();
                if files.last() != Some(&file) {
                    files.push(file);
                }
                if is_type(definition) {
                    self.add_type(file, full, unpackaged);
                }
            }
            namespaces.push(full.filter(|_| is_space));
        }
    }

    fn add_type(&mut self, file: FileId, full: &str, unpackaged: &mut HashSet<UnpackagedType<'a>>) {
        let files = self.types.entry(full.to_owned()).or_default();
        if files.last() == Some(&file) {
            return;
        }
        files.push(file);
        let location = self.folder(file);
        if !full.contains('.')
            && !unpackaged.insert((location, self.is_test(file), full.to_owned()))
        {
            self.separate_programs.insert(location);
        }
    }

    fn location(&self, file: FileId) -> FileLocation<'a> {
        self.locations.get(file as usize).copied().unwrap_or_default()
    }

    /// Returns the module and the folder of a file.
    fn folder(&self, file: FileId) -> (&'a str, &'a str) {
        let location = self.location(file);
        (location.module, location.folder)
    }

    /// Returns true if two files without a package see each other: in one folder, as one program.
    fn same_program(&self, one: FileId, other: FileId) -> bool {
        let folder = self.folder(one);
        folder == self.folder(other) && !self.separate_programs.contains(&folder)
    }

    /// Returns true if a full name in one file may refer to a definition in another. Several
    /// programs may have types of the same name; a member belongs to the type that is visible here.
    fn may_refer_to(&self, from: FileId, to: FileId, full: &str) -> bool {
        let of_type = enclosing_scopes(full).skip(1).find_map(|at| self.types.get(at));
        match of_type.filter(|files| files.binary_search(&to).is_ok()) {
            None => true,
            Some(files) if files.binary_search(&from).is_ok() => to == from,
            Some(files) => {
                let (own, same_module) = (self.module(from), self.is_preferred(from, to));
                let is_rival = |file: &&FileId| {
                    (self.is_test(from) || !self.is_test(**file))
                        && (!same_module || self.module(**file) == own)
                };
                !files.iter().filter(|file| **file != to).any(|file| is_rival(&file))
            }
        }
    }

    /// Returns the module of a file.
    fn module(&self, file: FileId) -> &'a str {
        self.location(file).module
    }

    /// Returns true if a file is in the tests of its module.
    fn is_test(&self, file: FileId) -> bool {
        self.location(file).is_test
    }

    /// Selects the files that code in `from` sees first: its own module before others, and test
    /// files only from tests.
    fn nearest(&self, from: FileId, mut files: Vec<FileId>) -> Vec<FileId> {
        let own = self.module(from);
        if !self.is_test(from) {
            files.retain(|file| !self.is_test(*file));
        }
        let in_own: Vec<FileId> =
            files.iter().copied().filter(|file| self.module(*file) == own).collect();
        if in_own.is_empty() { files } else { in_own }
    }

    /// Returns the only file that defines a name in a package, as seen from another file.
    fn only_definer(&self, from: FileId, package: &str, name: &str) -> Option<FileId> {
        let full = qualify(package, name);
        // In Scala a type and a function may share a name; one import covers both.
        [&self.names, &self.types].iter().find_map(|known| {
            match self.nearest(from, known.get(&full)?.clone())[..] {
                [file] => Some(file),
                _ => None,
            }
        })
    }

    /// Returns the file of a type, or of the outer type that contains it.
    fn file_of_type(&self, from: FileId, full: &str) -> Option<FileId> {
        enclosing_scopes(full).find_map(|at| {
            let (package, name) = at.rsplit_once('.')?;
            self.only_definer(from, package, name)
        })
    }

    /// Lists the full names that an import path may refer to, the nearest first. Scala also looks
    /// in enclosing packages and in earlier imports.
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
        let packages =
            [package(facts)].into_iter().chain(clauses.map(|outer| outer.module.as_str()));
        let existing = packages.filter(|space| self.exists(&qualify(space, first)));
        found.extend(existing.map(|space| qualify(space, path)));
        found.push(path.to_owned());
        found
    }

    /// Returns true if there is a package or a definition with a full name.
    fn exists(&self, full: &str) -> bool {
        let below = format!("{full}.");
        self.names.contains_key(full) || self.packages.contains_key(full) || {
            self.packages.range(below.as_str()..).next()
        }
        .is_some_and(|(package, _)| package.starts_with(&below))
    }

    fn resolve_in(&self, from: FileId, module: &str, form: &ImportForm) -> Option<ImportTarget> {
        if let ImportForm::Item { name, .. } = form {
            if let Some(file) = self.only_definer(from, module, name) {
                return Some(ImportTarget::InFile(file, EdgeOrigin::Manifest));
            }
            // Scala can import packages.
            if self.packages.contains_key(qualify(module, name).as_str()) {
                return Some(ImportTarget::Package(Vec::new(), EdgeOrigin::Manifest));
            }
            // A nested type, or a static member.
            return self
                .file_of_type(from, module)
                .map(|file| ImportTarget::InFile(file, EdgeOrigin::Manifest));
        }
        if let Some(files) = self.packages.get(module) {
            let others = files.iter().copied().filter(|file| *file != from).collect();
            return Some(ImportTarget::Package(self.nearest(from, others), EdgeOrigin::Manifest));
        }
        self.file_of_type(from, module).map(|file| ImportTarget::InFile(file, EdgeOrigin::Manifest))
    }
}

/// Returns a folder relative to its source root: `src/main/scala/shop` is `/shop`.
fn below_root(folder: &str) -> &str {
    let roots = ["/java", "/kotlin", "/scala"].into_iter();
    let below = roots.flat_map(|root| folder.match_indices(root)).find_map(|(at, root)| {
        let (before, below) = (&folder[..at], &folder[at + root.len()..]);
        let is_set = before == "src" || before.rsplit('/').nth(1) == Some("src");
        (is_set && (below.is_empty() || below.starts_with('/'))).then_some(below)
    });
    below.unwrap_or(folder)
}

/// Returns true if a path is in a source set for tests: `src/test`, `src/jvmTest`.
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
        let found =
            candidates.iter().find_map(|module| self.resolve_in(from, module, &import.form));
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
            // An explicit import wins, even if its target is outside the project.
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
        // A fully qualified name: `com.shop.Order`.
        steps.push(LookupStep::one(first.to_owned()));
        steps
    }

    fn sees(&self, from: FileId, to: FileId, full: &str) -> bool {
        let (Some(here), Some(there)) = (self.index.facts(from), self.index.facts(to)) else {
            return false;
        };
        let is_script = |file: FileId| self.index.path(file).ends_with(".kts");
        FAMILY.contains(&there.language)
            // Files in a package do not see files without one.
            && (!package(there).is_empty() || (package(here).is_empty() && self.same_program(from, to)))
            && (self.is_test(from) || !self.is_test(to))
            && !is_script(from)
            && !is_script(to)
            && self.may_refer_to(from, to, full)
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

    /// Returns true for Scala, which has type aliases: `type Row = List[Int]`.
    fn values_are_types(&self, file: FileId) -> bool {
        self.index.facts(file).is_some_and(|facts| facts.language == Language::Scala)
    }

    /// Returns true for names in lower case: by convention, types and constants start with a
    /// capital.
    fn may_be_inherited(&self, name: &str) -> bool {
        !name.starts_with(char::is_uppercase)
    }
}
