//! `tsconfig.json`: base URL and paths, with what it extends and refers to.

use serde_json::Value;

use super::jsonc;
use super::packages::NpmPackages;
use crate::project::{ProjectIndex, join, parent};

/// How deep configurations may extend each other.
const DEEPEST: usize = 16;

/// What of a configuration matters for imports.
#[derive(Debug, Clone, Default)]
pub(crate) struct TsConfig {
    /// Where names that are not relative start.
    pub(crate) base: Option<String>,
    /// Patterns with their targets, which are paths from the root.
    pub(crate) paths: Vec<(String, Vec<String>)>,
    /// Directories that count as one.
    pub(crate) root_dirs: Vec<String>,
}

impl TsConfig {
    /// Reads the configuration at a path.
    pub(crate) fn read(
        index: &ProjectIndex<'_>,
        packages: &NpmPackages,
        path: &str,
    ) -> Option<TsConfig> {
        let value = jsonc::parse(index.manifest(path)?)?;
        let mut config = chain(index, packages, path, &value, 0);
        // A file that only refers to others has no code of its own: theirs is meant.
        let only_refers = value["files"].as_array().is_some_and(Vec::is_empty);
        if config.paths.is_empty() && config.base.is_none() && only_refers {
            for reference in value["references"].as_array().into_iter().flatten() {
                let at = reference["path"].as_str().and_then(|at| join(parent(path), at));
                let Some(at) = at.map(|at| as_file(index, at)) else { continue };
                let Some(inner) = index.manifest(&at).and_then(jsonc::parse) else { continue };
                let inner = chain(index, packages, &at, &inner, 1);
                if !inner.paths.is_empty() || inner.base.is_some() {
                    config = inner;
                    break;
                }
            }
        }
        Some(config)
    }
}

/// The configuration with what it extends; what it says itself counts.
fn chain(
    index: &ProjectIndex<'_>,
    packages: &NpmPackages,
    path: &str,
    value: &Value,
    depth: usize,
) -> TsConfig {
    let mut config = TsConfig::default();
    let extended = match &value["extends"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    for name in extended {
        let Some(at) = extended_path(index, packages, path, name) else { continue };
        let Some(inner) = index.manifest(&at).and_then(jsonc::parse) else { continue };
        if depth < DEEPEST {
            let inner = chain(index, packages, &at, &inner, depth + 1);
            config.base = inner.base.or(config.base);
            config.paths = if inner.paths.is_empty() { config.paths } else { inner.paths };
            config.root_dirs =
                if inner.root_dirs.is_empty() { config.root_dirs } else { inner.root_dirs };
        }
    }
    let options = &value["compilerOptions"];
    let here = |text: &str| join(parent(path), &text.replace("${configDir}", "."));
    if let Some(base) = options["baseUrl"].as_str() {
        config.base = here(base);
    }
    if let Some(paths) = options["paths"].as_object() {
        let base = config.base.clone().unwrap_or_else(|| parent(path).to_owned());
        let targets = |value: &Value| -> Vec<String> {
            let list = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            list.filter_map(|target| join(&base, target)).collect()
        };
        config.paths = paths.iter().map(|(name, to)| (name.clone(), targets(to))).collect();
    }
    if let Some(dirs) = options["rootDirs"].as_array() {
        config.root_dirs = dirs.iter().filter_map(Value::as_str).filter_map(here).collect();
    }
    config
}

/// Where a configuration is that another extends.
fn extended_path(
    index: &ProjectIndex<'_>,
    packages: &NpmPackages,
    from: &str,
    name: &str,
) -> Option<String> {
    if name.starts_with('.') {
        return join(parent(from), name).map(|at| as_file(index, at));
    }
    let (directory, rest) = packages.directory_of(name)?;
    Some(as_file(index, join(directory, rest)?))
}

/// A path as written, with the ending or the name that may be left out.
fn as_file(index: &ProjectIndex<'_>, at: String) -> String {
    let whole = [at.clone(), format!("{at}.json"), format!("{at}/tsconfig.json")];
    whole.into_iter().find(|path| index.manifest(path).is_some()).unwrap_or(at)
}
