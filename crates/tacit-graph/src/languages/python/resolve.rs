//! What Python imports mean: packages, relative imports, and the roots that manifests set.

use std::collections::BTreeSet;

use toml_edit::{DocumentMut, Item};

use crate::Language;
use crate::facts::{DefinitionKind, Import, ImportForm};
use crate::graph::EdgeOrigin;
use crate::project::{FileId, ImportTarget, ProjectIndex, Resolver, ancestors, join, parent};

pub(crate) struct Python<'a> {
    index: &'a ProjectIndex<'a>,
    /// Directories from which absolute imports start, because a manifest says so.
    roots: BTreeSet<String>,
}

/// What a dotted name leads to.
enum ModuleTarget {
    File(FileId),
    /// A package without a file of its own.
    Namespace(String),
}

impl<'a> Python<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Python<'a> {
        let mut roots = BTreeSet::from([String::new()]);
        for name in ["pyproject.toml", "setup.cfg", "setup.py"] {
            for (directory, text) in index.manifests(name) {
                roots.insert(directory.to_owned());
                roots.extend(join(directory, "src").filter(|src| index.is_directory(src)));
                for folder in stated(name, text) {
                    roots.extend(join(directory, &folder).filter(|root| index.is_directory(root)));
                }
            }
        }
        Python { index, roots }
    }

    /// The file of a package in a directory.
    fn package(&self, directory: &str) -> Option<FileId> {
        ["__init__.py", "__init__.pyi"]
            .iter()
            .find_map(|name| self.index.file(&join(directory, name)?))
    }

    /// What a path of parts means below a directory.
    fn below(&self, directory: &str, parts: &[&str]) -> Option<ModuleTarget> {
        let path = join(directory, &parts.join("/"))?;
        if parts.is_empty() {
            return self
                .package(&path)
                .map(ModuleTarget::File)
                .or(Some(ModuleTarget::Namespace(path)));
        }
        // A package hides a module of the same name.
        let found = self.package(&path).or_else(|| {
            [".py", ".pyi"].iter().find_map(|end| self.index.file(&format!("{path}{end}")))
        });
        if let Some(file) = found {
            return Some(ModuleTarget::File(file));
        }
        let has_python =
            |file: &FileId| Language::of_path(self.index.path(*file)) == Some(Language::Python);
        let is_namespace = self.index.is_directory(&path)
            && (parts.len() > 1
                || self.index.in_directory(&path).iter().any(has_python)
                || self.subpackages(&path));
        is_namespace.then_some(ModuleTarget::Namespace(path))
    }

    /// Whether packages lie directly below a directory without Python files of its own.
    fn subpackages(&self, directory: &str) -> bool {
        let prefix = format!("{directory}/");
        let mut below = self.index.paths_with_prefix(&prefix).take(10_000);
        below.any(|(_, path)| path.ends_with("/__init__.py"))
    }

    /// The directories from which absolute imports in a file may start, the likeliest first.
    fn starts(&self, from: FileId) -> Vec<&str> {
        let here = parent(self.index.path(from));
        let top = ancestors(here).find(|directory| self.package(directory).is_none());
        let mut starts = Vec::new();
        // Above the outermost package, or beside the script.
        starts.extend(top);
        starts.extend(ancestors(here).filter(|directory| self.roots.contains(*directory)));
        for directory in ancestors(here) {
            let below =
                self.roots.iter().filter(|root| parent(root) == directory && **root != directory);
            starts.extend(below.map(String::as_str));
        }
        starts.extend(self.roots.iter().map(String::as_str));
        let mut seen = BTreeSet::new();
        starts.retain(|start| seen.insert(*start));
        starts
    }

    /// What a module's name means in a file.
    fn module(&self, from: FileId, name: &str) -> Option<(ModuleTarget, EdgeOrigin)> {
        let dots = name.chars().take_while(|c| *c == '.').count();
        let parts: Vec<&str> = name[dots..].split('.').filter(|part| !part.is_empty()).collect();
        if dots > 0 {
            let mut directory = parent(self.index.path(from));
            for _ in 1..dots {
                if directory.is_empty() {
                    return None;
                }
                directory = parent(directory);
            }
            return Some((self.below(directory, &parts)?, EdgeOrigin::Relative));
        }
        let place = self.starts(from).into_iter().find_map(|start| {
            // Where the first part is, the rest has to be too: names are not looked for further.
            self.below(start, &parts[..1])?;
            Some(self.below(start, &parts))
        })?;
        Some((place?, EdgeOrigin::Manifest))
    }

    /// Whether the first part of an absolute name is part of this project.
    fn is_ours(&self, from: FileId, name: &str) -> bool {
        let first = name.split('.').next().unwrap_or(name);
        name.starts_with('.')
            || self.starts(from).into_iter().any(|start| self.below(start, &[first]).is_some())
    }

    fn absent(&self, from: FileId, name: &str) -> ImportTarget {
        if self.is_ours(from, name) { ImportTarget::Missing } else { ImportTarget::External }
    }
}

impl Resolver for Python<'_> {
    fn resolve_import(&self, from: FileId, import: &Import) -> ImportTarget {
        let Some((place, origin)) = self.module(from, &import.module) else {
            return self.absent(from, &import.module);
        };
        match (&import.form, place) {
            (ImportForm::Item { name, .. }, place) => {
                let directory = match &place {
                    ModuleTarget::File(file) => {
                        let path = self.index.path(*file);
                        let is_package =
                            path.rsplit('/').next().is_some_and(|n| n.starts_with("__init__."));
                        is_package.then(|| parent(path).to_owned())
                    }
                    ModuleTarget::Namespace(directory) => Some(directory.clone()),
                };
                let submodule = directory.and_then(|directory| self.below(&directory, &[name]));
                // What a package defines under the name of a module in it hides that module.
                let defined = match &place {
                    // Only a module of the name can be hidden.
                    ModuleTarget::File(file) if submodule.is_some() => {
                        self.index.facts(*file).is_some_and(|facts| {
                            facts.definitions.iter().any(|definition| {
                                definition.parent.is_none()
                                    && definition.kind != DefinitionKind::Value
                                    && definition.name == *name
                            })
                        })
                    }
                    _ => false,
                };
                match (submodule, place) {
                    (Some(ModuleTarget::File(file)), _) if !defined => {
                        ImportTarget::File(file, origin)
                    }
                    (_, ModuleTarget::File(file)) => ImportTarget::InFile(file, origin),
                    (Some(_), ModuleTarget::Namespace(_)) => ImportTarget::External,
                    (None, ModuleTarget::Namespace(_)) => ImportTarget::Missing,
                }
            }
            (ImportForm::Star, ModuleTarget::File(file)) => ImportTarget::InFile(file, origin),
            (_, ModuleTarget::File(file)) => ImportTarget::File(file, origin),
            // A package without a file has nothing to depend on.
            (_, ModuleTarget::Namespace(_)) => ImportTarget::External,
        }
    }
}

/// The folders that a manifest says packages are in.
fn stated(name: &str, text: &str) -> Vec<String> {
    if name != "pyproject.toml" {
        // `package_dir = {"": "lib"}`, `package_dir = =lib`
        return text
            .lines()
            .filter(|line| line.contains("where"))
            .filter_map(|line| line.split_once('='))
            .map(|(_, value)| value.trim().trim_matches(['"', '\'', '[', ']', ',', ')']).to_owned())
            .filter(|folder| !folder.is_empty() && !folder.contains([' ', '(']))
            .collect();
    }
    let manifest: DocumentMut = text.parse().unwrap_or_default();
    let mut folders = Vec::new();
    let tool = manifest.get("tool");
    let setuptools = tool.and_then(|tool| tool.get("setuptools"));
    let list = |item: Option<&Item>| -> Vec<String> {
        let values = item.and_then(Item::as_array).into_iter().flatten();
        values.filter_map(|value| Some(value.as_str()?.to_owned())).collect()
    };
    folders.extend(list(setuptools.and_then(|s| s.get("packages")?.get("find")?.get("where"))));
    let package_dir = setuptools.and_then(|s| s.get("package-dir")).and_then(Item::as_table_like);
    folders.extend(package_dir.and_then(|dirs| Some(dirs.get("")?.as_str()?.to_owned())));
    let poetry = tool.and_then(|tool| tool.get("poetry")?.get("packages")).and_then(Item::as_array);
    for package in poetry.into_iter().flatten() {
        let from = package.as_inline_table().and_then(|table| table.get("from")?.as_str());
        folders.extend(from.map(str::to_owned));
    }
    folders.extend(list(
        tool.and_then(|tool| tool.get("pytest")?.get("ini_options")?.get("pythonpath")),
    ));
    folders
}
