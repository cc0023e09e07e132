//! What `composer.json` says is loaded by name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::link::qualify;
use crate::project::{ProjectIndex, join, reachable};

/// One package, by its `composer.json`.
#[derive(Debug, Default)]
pub(crate) struct ComposerPackage {
    name: String,
    requires: Vec<String>,
    /// Namespaces with the directories that their classes are in.
    psr4: Vec<(String, String)>,
    psr0: Vec<(String, String)>,
    /// Files and directories all of whose classes are found.
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

    /// The classes that a file is loaded for.
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
            // Underscores of old names are directories as well: `A_B` is in `A/B.php`.
            let names = [rest.replace('/', "."), rest.replace('/', "_")].into_iter();
            classes.extend(names.filter(|class| class.starts_with(prefix.as_str())));
        }
        classes
    }

    /// Whether all classes of a file are known, whatever they are called.
    pub(crate) fn is_whole(&self, path: &str) -> bool {
        self.files.iter().any(|file| file == path) || { self.classmap.iter() }
            .any(|at| at == path || below(at, path).is_some())
    }

    /// Whether a class would be one of this package.
    pub(crate) fn owns(&self, full: &str) -> bool {
        let prefixes = self.psr4.iter().chain(&self.psr0);
        { prefixes }.any(|(prefix, _)| !prefix.is_empty() && is_inside(full, prefix))
    }
}

/// A name and what it is in.
pub(crate) fn is_inside(inner: &str, outer: &str) -> bool {
    let rest = inner.strip_prefix(outer);
    rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with('.'))
}

fn below<'p>(directory: &str, path: &'p str) -> Option<&'p str> {
    if directory.is_empty() { Some(path) } else { path.strip_prefix(directory)?.strip_prefix('/') }
}

/// One text or a list of them.
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

/// The packages of a project, by directory.
pub(crate) fn packages<'a>(index: &ProjectIndex<'a>) -> BTreeMap<&'a str, ComposerPackage> {
    let manifests = index.manifests("composer.json");
    manifests
        .filter_map(|(directory, text)| Some((directory, ComposerPackage::new(directory, text)?)))
        .collect()
}

/// The packages whose classes are known in one: itself, and those it requires, directly or not.
pub(crate) fn known<'a>(
    packages: &BTreeMap<&'a str, ComposerPackage>,
    directory: &'a str,
) -> BTreeSet<&'a str> {
    reachable([directory], |at| {
        let requires = packages.get(at).map_or(&[][..], |package| &package.requires);
        let found = packages.iter().filter(|(_, package)| requires.contains(&package.name));
        found.map(|(directory, _)| *directory)
    })
}
