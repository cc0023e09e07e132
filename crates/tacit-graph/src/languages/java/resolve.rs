//! What imports mean on the Java platform: packages as files declare them, kept apart by the source
//! roots of Maven, Gradle and sbt modules. Java, Kotlin and Scala see each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::Language;
use crate::facts::{DefinitionKind, FileFacts, Form, Import};
use crate::graph::Origin;
use crate::link::{inside, outward};
use crate::project::{FileId, Found, Index, Open, Resolver, Step, ancestors, parent};

/// The languages that see each other.
pub(crate) const FAMILY: [Language; 3] = [Language::Java, Language::Kotlin, Language::Scala];

pub(crate) struct Java<'a> {
    index: &'a Index<'a>,
    /// Files by package.
    packages: BTreeMap<&'a str, Vec<FileId>>,
    /// Files that define a name at their top, by package and name.
    names: BTreeMap<(&'a str, &'a str), Vec<FileId>>,
    /// The module of each file, and whether it is among the tests there.
    homes: Vec<(&'a str, bool)>,
}

impl<'a> Java<'a> {
    pub(crate) fn new(index: &'a Index<'a>) -> Java<'a> {
        let mut java =
            Java { index, packages: BTreeMap::new(), names: BTreeMap::new(), homes: Vec::new() };
        let mut modules: BTreeSet<&str> = BTreeSet::new();
        for name in ["pom.xml", "build.gradle", "build.gradle.kts", "build.sbt"] {
            modules.extend(index.manifests(name).map(|(directory, _)| directory));
        }
        let homes = index.paths().map(|(_, path)| {
            let module = ancestors(parent(path)).find(|above| modules.contains(above));
            (module.unwrap_or_default(), in_tests(path))
        });
        java.homes = homes.collect();
        for (file, facts) in index.parsed(|language| FAMILY.contains(&language)) {
            let package = package(facts);
            java.packages.entry(package).or_default().push(file);
            for definition in &facts.definitions {
                if definition.parent.is_none() && definition.kind != DefinitionKind::Extension {
                    java.names.entry((package, &definition.name)).or_default().push(file);
                }
            }
        }
        java
    }

    /// The module a file is in.
    fn module(&self, file: FileId) -> &'a str {
        self.homes.get(file as usize).map_or("", |home| home.0)
    }

    /// Whether a file is among the tests of its module.
    fn is_test(&self, file: FileId) -> bool {
        self.homes.get(file as usize).is_some_and(|home| home.1)
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
        outward(full).find_map(|at| {
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
                Form::Item { name, local } if local == first && !rest.is_empty() => {
                    found.push(format!("{}.{name}.{rest}", import.module));
                }
                _ => {}
            }
        }
        found.push(inside(package(facts), path));
        let clauses = facts.imports.iter().filter(|import| import.reexport);
        found.extend(clauses.map(|outer| inside(&outer.module, path)));
        found.push(path.to_owned());
        found
    }

    fn found(&self, from: FileId, module: &str, form: &Form) -> Option<Found> {
        if let Form::Item { name, .. } = form {
            if let Some(file) = self.one(from, module, name) {
                return Some(Found::Within(file, Origin::Manifest));
            }
            // Scala imports packages as well.
            if self.packages.contains_key(inside(module, name).as_str()) {
                return Some(Found::Package(Vec::new(), Origin::Manifest));
            }
            // A type inside another, or a static member of one.
            return self.of_type(from, module).map(|file| Found::Within(file, Origin::Manifest));
        }
        if let Some(files) = self.packages.get(module) {
            let others = files.iter().copied().filter(|file| *file != from).collect();
            return Some(Found::Package(self.nearest(from, others), Origin::Manifest));
        }
        self.of_type(from, module).map(|file| Found::Within(file, Origin::Manifest))
    }
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
    fn import(&self, from: FileId, import: &Import) -> Found {
        let candidates = self.candidates(from, &import.module);
        let found = candidates.iter().find_map(|module| self.found(from, module, &import.form));
        let is_item = matches!(import.form, Form::Item { .. });
        let is_ours =
            || is_item && candidates.iter().any(|at| self.packages.contains_key(at.as_str()));
        found.unwrap_or_else(|| if is_ours() { Found::Missing } else { Found::External })
    }

    fn open(&self) -> Option<&dyn Open> {
        Some(self)
    }
}

impl Open for Java<'_> {
    fn steps(&self, from: FileId, scope: &str, first: &str) -> Vec<Step> {
        let Some(facts) = self.index.facts(from) else { return Vec::new() };
        let own = package(facts);
        let types = outward(scope).take_while(|space| *space != own);
        let mut steps: Vec<Step> = types.map(|space| Step::one(inside(space, first))).collect();
        let (mut named, mut all) = (Vec::new(), Vec::new());
        for import in &facts.imports {
            match &import.form {
                Form::Item { name, local } if local == first => {
                    named.push(inside(&import.module, name));
                }
                Form::Star => all.push(&import.module),
                _ => {}
            }
        }
        if !named.is_empty() {
            // What is imported by name is meant, also if it is nothing of this project.
            let places = named.iter().map(|name| self.candidates(from, name));
            let mut names: Vec<String> = places.flatten().collect();
            names.dedup();
            if facts.language == Language::Scala {
                let near = names.into_iter().map(Step::one);
                steps.extend(near.map(|step| Step { imported: true, ..step }));
            } else {
                steps.push(Step { names, imported: true, ..Step::default() });
            }
            return steps;
        }
        steps.push(Step::one(inside(own, first)));
        let stars = all.iter().flat_map(|module| self.candidates(from, module));
        let names: Vec<String> = stars.map(|space| inside(&space, first)).collect();
        steps.push(Step { names, ..Step::default() });
        // `com.shop.Order` written out.
        steps.push(Step::one(first.to_owned()));
        steps
    }

    fn sees(&self, from: FileId, to: FileId, _full: &str) -> bool {
        let (Some(here), Some(there)) = (self.index.facts(from), self.index.facts(to)) else {
            return false;
        };
        let is_script = |file: FileId| self.index.path(file).ends_with(".kts");
        FAMILY.contains(&there.language)
            // What is in no package is not known in one.
            && (!package(there).is_empty() || package(here).is_empty())
            && (self.is_test(from) || !self.is_test(to))
            && !is_script(from)
            && !is_script(to)
    }

    fn is_near(&self, from: FileId, to: FileId) -> bool {
        self.module(from) == self.module(to)
    }

    fn hides_private(&self) -> bool {
        true
    }

    /// Types and constants are written with a large letter, members with a small one.
    fn may_be_inherited(&self, name: &str) -> bool {
        !name.starts_with(char::is_uppercase)
    }
}
