//! Reads the autoloading rules of `composer.json`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::link::qualify;
use crate::project::{ProjectIndex, join, reachable};

/// A package with a `composer.json`.
#[derive(Debug, Default)]
pub(crate) struct ComposerPackage {
    name: String,
    requires: Vec<String>,
    /// Namespaces with the directories of their classes.
    psr4: Vec<(String, String)>,
    psr0: Vec<(String, String)>,
    /// Files and directories whose classes are all loaded.
    classmap: Vec<String>,
    /// Files that are always loaded.
    files: Vec<String>,
}

impl ComposerPackage {
    fn new(directory: &str, text: &str) -> Option<ComposerPackage> {
        let manifest: Value = serde_json::from_str(text).ok()?;
        let mut package = ComposerPackage {
            name: manifest.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            ..ComposerPackage::default()
        };
        for key in ["require", "require-dev"] {
            let required = manifest.get(key).and_then(Value::as_object).into_iter().flatten();
            package.requires.extend(required.map(|(name, _)| name.clone()));
        }
        for key in ["autoload", "autoload-dev"] {
            let Some(autoload) = manifest.get(key) else { continue };
            package.psr4.extend(prefixes(directory, autoload.get("psr-4")));
            package.psr0.extend(prefixes(directory, autoload.get("psr-0")));
            package.classmap.extend(paths(directory, autoload.get("classmap")));
            package.files.extend(paths(directory, autoload.get("files")));
        }
        Some(package)
    }

    /// Returns the classes for which a file is loaded.
    pub(crate) fn classes(&self, path: &str) -> Vec<String> {
        let mut classes = Vec::new();
        let Some(stem) = path.strip_suffix(".php") else { return classes };
        for (prefix, directory) in &self.psr4 {
            if let Some(rest) = below(directory, stem) {
                classes.push(qualify(prefix, &rest.replace('/', ".")));
            }
        }
        for (prefix, directory) in &self.psr0 {
            let Some(rest) = below(directory, stem) else { continue };
            // In old names, underscores also stand for directories: `A_B` is in `A/B.php`.
            let names = [rest.replace('/', "."), rest.replace('/', "_")].into_iter();
            classes.extend(names.filter(|class| class.starts_with(prefix.as_str())));
        }
        classes
    }

    /// Returns true if all classes of a file are loaded, regardless of their names.
    pub(crate) fn loads_all(&self, path: &str) -> bool {
        self.files.iter().any(|file| file == path) || { self.classmap.iter() }
            .any(|at| at == path || below(at, path).is_some())
    }

    /// Returns true if a class belongs to a namespace of this package.
    pub(crate) fn owns(&self, full: &str) -> bool {
        let prefixes = self.psr4.iter().chain(&self.psr0);
        { prefixes }.any(|(prefix, _)| !prefix.is_empty() && is_inside(full, prefix))
    }
}

/// Returns true if a name is equal to `outer` or inside it.
pub(crate) fn is_inside(inner: &str, outer: &str) -> bool {
    let rest = inner.strip_prefix(outer);
    rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with('.'))
}

fn below<'p>(directory: &str, path: &'p str) -> Option<&'p str> {
    if directory.is_empty() { Some(path) } else { path.strip_prefix(directory)?.strip_prefix('/') }
}

/// Returns a string or a list of strings as a list.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn paths(directory: &str, value: Option<&Value>) -> Vec<String> {
    let listed = value.map(texts).unwrap_or_default().into_iter();
    listed.filter_map(|path| join(directory, path)).collect()
}

fn prefixes(directory: &str, value: Option<&Value>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (prefix, folders) in value.and_then(Value::as_object).into_iter().flatten() {
        let prefix = prefix.trim_end_matches('\\').replace('\\', ".");
        let folders = texts(folders).into_iter().filter_map(|folder| join(directory, folder));
        found.extend(folders.map(|folder| (prefix.clone(), folder)));
    }
    found
}

/// Returns the packages of a project, by directory.
pub(crate) fn packages<'a>(index: &ProjectIndex<'a>) -> BTreeMap<&'a str, ComposerPackage> {
    let manifests = index.manifests("composer.json");
    manifests
        .filter_map(|(directory, text)| Some((directory, ComposerPackage::new(directory, text)?)))
        .collect()
}

/// Returns the packages whose classes are visible in one: itself and its direct and indirect
/// requirements.
pub(crate) fn visible_packages<'a>(
    packages: &BTreeMap<&'a str, ComposerPackage>,
    directory: &'a str,
) -> BTreeSet<&'a str> {
    reachable([directory], |at| {
        let requires = packages.get(at).map_or(&[][..], |package| &package.requires);
        let found = packages.iter().filter(|(_, package)| requires.contains(&package.name));
        found.map(|(directory, _)| *directory)
    })
}
