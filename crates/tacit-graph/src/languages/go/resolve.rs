//! What Go imports mean: module paths of `go.mod`, replacements, workspaces, and packages.

use std::sync::OnceLock;

use crate::facts::Import;
use crate::graph::EdgeOrigin;
use crate::project::{FileId, ImportTarget, ProjectIndex, Resolver, join, parent};

pub(crate) struct Go<'a> {
    index: &'a ProjectIndex<'a>,
    /// Module paths with their directories, longest first.
    modules: Vec<(String, String)>,
    /// The files of the same package that each file knows, once somebody asked.
    neighbours: Vec<OnceLock<Vec<FileId>>>,
}

impl<'a> Go<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Go<'a> {
        let mut modules = Vec::new();
        for (directory, text) in index.manifests("go.mod") {
            let words = |line: &'a str| -> Vec<&'a str> {
                line.split("//").next().unwrap_or_default().split_whitespace().collect()
            };
            let mut replacing = false;
            for line in text.lines() {
                let mut parts = words(line);
                match parts.first() {
                    Some(&"module") if parts.len() > 1 => {
                        modules.push((parts[1].trim_matches('"').to_owned(), directory.to_owned()));
                    }
                    Some(&"replace") if parts.get(1) == Some(&"(") => replacing = true,
                    Some(&")") => replacing = false,
                    _ => {}
                }
                if parts.first() == Some(&"replace") {
                    parts.remove(0);
                } else if !replacing {
                    continue;
                }
                // `old v1 => ../new`
                let arrow = parts.iter().position(|part| *part == "=>");
                let target = arrow.and_then(|arrow| parts.get(arrow + 1));
                if let (Some(old), Some(target)) = (parts.first(), target)
                    && target.starts_with('.')
                    && let Some(target) = join(directory, target)
                {
                    modules.push(((*old).to_owned(), target));
                }
            }
        }
        modules.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        let neighbours = (0..index.count()).map(|_| OnceLock::new()).collect();
        Go { index, modules, neighbours }
    }

    /// The files of a package: those of the directory that are no tests.
    fn package(&self, directory: &str) -> Vec<FileId> {
        let files = self.index.in_directory(directory).iter().copied();
        files
            .filter(|file| {
                let path = self.index.path(*file);
                path.ends_with(".go") && !path.ends_with("_test.go")
            })
            .collect()
    }
}

/// Files of the same package in the same directory; tests know the others, not the other way.
fn neighbours(index: &ProjectIndex<'_>, from: FileId) -> Vec<FileId> {
    let package = |file: FileId| {
        let is_go = index.path(file).ends_with(".go");
        is_go.then(|| index.facts(file))??.package.as_deref()
    };
    let is_test = |file: FileId| index.path(file).ends_with("_test.go");
    let Some(own) = package(from) else { return Vec::new() };
    let beside = index.in_directory(parent(index.path(from))).iter().copied();
    beside
        .filter(|other| *other != from && (is_test(from) || !is_test(*other)))
        .filter(|other| package(*other) == Some(own))
        .collect()
}

impl Resolver for Go<'_> {
    fn resolve_import(&self, _from: FileId, import: &Import) -> ImportTarget {
        for (module, directory) in &self.modules {
            let Some(rest) = import.module.strip_prefix(module.as_str()) else { continue };
            if !rest.is_empty() && !rest.starts_with('/') {
                continue;
            }
            let Some(directory) = join(directory, rest) else { continue };
            let files = self.package(&directory);
            return if files.is_empty() {
                ImportTarget::Missing
            } else {
                ImportTarget::Package(files, EdgeOrigin::Manifest)
            };
        }
        ImportTarget::External
    }

    fn neighbours(&self, from: FileId) -> &[FileId] {
        let known = self.neighbours.get(from as usize);
        known.map_or(&[], |known| known.get_or_init(|| neighbours(self.index, from)))
    }
}
