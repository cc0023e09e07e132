//! The packages of the project: names, entries, `exports`, `imports`, and who may use whom.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::jsonc;
use crate::project::{ProjectIndex, ancestors, join};

/// A `package.json`.
pub(crate) struct NpmPackage {
    pub(crate) directory: String,
    pub(crate) json: Value,
}

/// All of them.
pub(crate) struct NpmPackages {
    by_directory: BTreeMap<String, NpmPackage>,
    /// Directories by name, of packages that others may use by it.
    by_name: BTreeMap<String, String>,
}

impl NpmPackages {
    pub(crate) fn new(index: &ProjectIndex<'_>) -> NpmPackages {
        let mut by_directory = BTreeMap::new();
        for (directory, text) in index.manifests("package.json") {
            if let Some(json) = jsonc::parse(text) {
                by_directory.insert(
                    directory.to_owned(),
                    NpmPackage { directory: directory.to_owned(), json },
                );
            }
        }
        let mut members = BTreeSet::new();
        for package in by_directory.values() {
            members.extend(members_of(index, package, &by_directory));
            members.extend(linked(package));
        }
        let by_name = members
            .iter()
            .filter_map(|directory| {
                let name = by_directory.get(directory)?.json["name"].as_str()?;
                Some((name.to_owned(), directory.clone()))
            })
            .collect();
        NpmPackages { by_directory, by_name }
    }

    /// The package a directory belongs to.
    pub(crate) fn around(&self, directory: &str) -> Option<&NpmPackage> {
        ancestors(directory).find_map(|above| self.by_directory.get(above))
    }

    pub(crate) fn at(&self, directory: &str) -> Option<&NpmPackage> {
        self.by_directory.get(directory)
    }

    /// The directory of the package that a name starts with, and what follows.
    pub(crate) fn directory_of<'n>(&self, name: &'n str) -> Option<(&str, &'n str)> {
        let (package, rest) = split(name);
        Some((self.by_name.get(package)?, rest))
    }
}

/// `@a/b/c` is `c` of `@a/b`, `a/b` is `b` of `a`.
pub(crate) fn split(name: &str) -> (&str, &str) {
    let parts = if name.starts_with('@') { 2 } else { 1 };
    let end = name.match_indices('/').nth(parts - 1).map_or(name.len(), |(at, _)| at);
    (&name[..end], name[end..].trim_start_matches('/'))
}

/// The directories that a package's `workspaces` name.
fn members_of(
    index: &ProjectIndex<'_>,
    package: &NpmPackage,
    all: &BTreeMap<String, NpmPackage>,
) -> Vec<String> {
    let workspaces = &package.json["workspaces"];
    let listed = workspaces.as_array().or_else(|| workspaces["packages"].as_array());
    let mut patterns: Vec<String> =
        listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let pnpm =
        join(&package.directory, "pnpm-workspace.yaml").and_then(|path| index.manifest(&path));
    patterns.extend(pnpm.map(yaml_packages).unwrap_or_default());
    let (refused, wanted): (Vec<String>, Vec<String>) =
        patterns.into_iter().partition(|pattern| pattern.starts_with('!'));
    let within = |directory: &str| {
        let prefix = if package.directory.is_empty() {
            String::new()
        } else {
            format!("{}/", package.directory)
        };
        directory.strip_prefix(&prefix).filter(|rest| !rest.is_empty()).map(str::to_owned)
    };
    let fits = |directory: &str| {
        within(directory).is_some_and(|rest| {
            wanted.iter().any(|pattern| glob(pattern, &rest))
                && !refused.iter().any(|pattern| glob(&pattern[1..], &rest))
        })
    };
    let mut members: Vec<String> =
        all.keys().filter(|directory| fits(directory)).cloned().collect();
    // Members can use the root of their workspace by its name.
    if !members.is_empty() {
        members.push(package.directory.clone());
    }
    members
}

/// Packages that dependencies name by their place: `file:../a`, `link:../a`.
fn linked(package: &NpmPackage) -> Vec<String> {
    let kinds = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
    let tables = kinds.iter().filter_map(|kind| package.json[kind].as_object());
    let places = tables.flat_map(|table| table.values()).filter_map(Value::as_str);
    places
        .filter_map(|place| place.strip_prefix("file:").or_else(|| place.strip_prefix("link:")))
        .filter_map(|place| join(&package.directory, place))
        .collect()
}

/// The list under `packages:`.
fn yaml_packages(text: &str) -> Vec<String> {
    let after = text.lines().skip_while(|line| !line.trim_end().starts_with("packages:")).skip(1);
    after
        .take_while(|line| line.trim().is_empty() || line.starts_with([' ', '-', '#']))
        .filter_map(|line| line.trim().strip_prefix('-'))
        .map(|item| {
            item.split(" #").next().unwrap_or(item).trim().trim_matches(['"', '\'']).to_owned()
        })
        .collect()
}

/// Whether a path fits a pattern of `*` and `**` parts.
fn glob(pattern: &str, path: &str) -> bool {
    fn fits(pattern: &[&str], path: &[&str]) -> bool {
        match (pattern.first(), path.first()) {
            (None, None) => true,
            (Some(&"**"), _) => {
                fits(&pattern[1..], path) || (!path.is_empty() && fits(pattern, &path[1..]))
            }
            (Some(part), Some(name)) => word(part, name) && fits(&pattern[1..], &path[1..]),
            _ => false,
        }
    }
    fn word(pattern: &str, name: &str) -> bool {
        match pattern.split_once('*') {
            None => pattern == name,
            Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| {
                (0..=rest.len())
                    .filter(|at| rest.is_char_boundary(*at))
                    .any(|at| word(after, &rest[at..]))
            }),
        }
    }
    let pattern: Vec<&str> =
        pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let path: Vec<&str> = path.split('/').collect();
    fits(&pattern, &path)
}

/// Targets of a name in `exports` or `imports`, in the order in which they are tried.
pub(crate) fn targets(map: &Value, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    match map {
        Value::Object(fields) if fields.keys().any(|key| key.starts_with(['.', '#'])) => {
            if let Some(exact) = fields.get(name) {
                conditions(exact, "", &mut found);
                return found;
            }
            let fitting = fields.iter().filter_map(|(key, target)| {
                let (before, after) = key.split_once('*')?;
                let rest = name.strip_prefix(before)?.strip_suffix(after)?;
                Some((before.len(), rest, target))
            });
            if let Some((_, rest, target)) = fitting.max_by_key(|(length, ..)| *length) {
                conditions(target, rest, &mut found);
            }
        }
        map if name == "." => conditions(map, "", &mut found),
        _ => {}
    }
    found
}

/// The targets under all conditions, sources first: what is built is made from them.
fn conditions(target: &Value, star: &str, found: &mut Vec<String>) {
    match target {
        Value::String(path) => found.push(path.replace('*', star)),
        Value::Array(several) => several.iter().for_each(|one| conditions(one, star, found)),
        Value::Object(fields) => {
            let first = |key: &str| !matches!(key, "source" | "types" | "typings");
            let mut ordered: Vec<(&String, &Value)> = fields.iter().collect();
            ordered.sort_by_key(|(key, _)| (first(key), key.as_str() != "source"));
            ordered.iter().for_each(|(_, inner)| conditions(inner, star, found));
        }
        _ => {}
    }
}

/// Where the source of a built file may be: `dist/a.js` is made from `src/a.ts`.
pub(crate) fn sources(built: &str) -> Vec<String> {
    const BUILT: [&str; 11] =
        ["dist", "lib", "build", "out", "esm", "cjs", "es", "types", "umd", "module", "commonjs"];
    let mut parts: Vec<&str> = built.split('/').collect();
    let Some(first) = parts.iter().position(|part| BUILT.contains(part)) else { return Vec::new() };
    let mut end = first + 1;
    while end + 1 < parts.len() && BUILT.contains(&parts[end]) {
        end += 1;
    }
    parts.drain(first..end);
    let plain = parts.join("/");
    parts.insert(first, "src");
    let with_src = parts.join("/");
    // `dist/src/a.js` keeps the name of the source folder.
    vec![with_src, plain]
}

/// A path without the ending of a source file.
pub(crate) fn stem(path: &str) -> &str {
    let name_start = path.len() - path.rsplit('/').next().map_or(0, str::len);
    let name = &path[name_start..];
    let endings =
        [".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
    let ending =
        endings.iter().find(|ending| name.ends_with(**ending) && name.len() > ending.len());
    ending.map_or(path, |ending| &path[..path.len() - ending.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspaces_fit_by_parts() {
        for (pattern, path, fits) in [
            ("packages/*", "packages/a", true),
            ("packages/*", "packages/a/b", false),
            ("packages/**", "packages/a/b", true),
            ("./apps/*-web", "apps/shop-web", true),
            ("apps/*-web", "apps/shop", false),
            ("**", "a/b", true),
        ] {
            assert_eq!(glob(pattern, path), fits, "{pattern} {path}");
        }
    }

    #[test]
    fn sources_lie_behind_what_is_built() {
        assert_eq!(sources("dist/a.js"), ["src/a.js", "a.js"]);
        assert_eq!(sources("dist/esm/a.js"), ["src/a.js", "a.js"]);
        assert_eq!(sources("src/a.js"), Vec::<String>::new());
        assert_eq!(stem("x/a.d.ts"), "x/a");
        assert_eq!(stem("x/.ts"), "x/.ts");
        assert_eq!(split("@a/b/c/d"), ("@a/b", "c/d"));
        assert_eq!(split("a"), ("a", ""));
    }
}
