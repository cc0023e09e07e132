//! Reads the imports of code in a description: names from other projects are not searched here, and
//! aliases stand for full names.

use std::collections::HashMap;

use super::zones::Zone;

/// Names as code uses them, with their full names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Imports(HashMap<String, Vec<String>>);

impl Imports {
    /// Collects the imports of a description.
    pub(crate) fn from_zones(zones: &[(Zone, &str)]) -> Imports {
        let mut imports = Imports::default();
        for (_, line) in zones.iter().filter(|(zone, _)| *zone != Zone::Trace) {
            if let Some((module, names)) = parse_import(line) {
                imports.take(module, names);
            }
        }
        imports
    }

    fn take(&mut self, module: &str, names: Option<&str>) {
        let parts = |dotted: &str| dotted.split('.').map(str::to_owned).collect::<Vec<String>>();
        let Some(names) = names else {
            for one in module.split(',') {
                // Without an alias, only the first part of a module is bound.
                let root = one.trim().split('.').next().unwrap_or("");
                let (full, short) = one.trim().split_once(" as ").unwrap_or((root, root));
                self.0.insert(short.trim().to_owned(), parts(full.trim()));
            }
            return;
        };
        for one in names.trim_matches(['(', ')', ' ']).split(',') {
            let (name, short) = one.trim().split_once(" as ").unwrap_or((one.trim(), one.trim()));
            if !name.is_empty() && name != "*" {
                let mut full = parts(module);
                full.push(name.to_owned());
                self.0.insert(short.to_owned(), full);
            }
        }
    }

    /// Returns the full name if its first part is imported.
    pub(crate) fn full_name(&self, parts: &[String]) -> Option<Vec<String>> {
        let (first, rest) = parts.split_first()?;
        let mut full_name = self.0.get(first)?.clone();
        full_name.extend_from_slice(rest);
        Some(full_name)
    }
}

/// Parses a Python import statement: the module, and the names imported from it.
pub(crate) fn parse_import(line: &str) -> Option<(&str, Option<&str>)> {
    let line = line.trim_start_matches(['>', '.', ' ']);
    let line = line.split('#').next().unwrap_or(line).trim();
    let is_path = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c))
    };
    if let Some(rest) = line.strip_prefix("from ") {
        let (module, names) = rest.split_once(" import ")?;
        return is_path(module.trim()).then_some((module.trim(), Some(names)));
    }
    let rest = line.strip_prefix("import ")?;
    let is_one = |one: &str| {
        let (name, short) = one.trim().split_once(" as ").unwrap_or((one.trim(), "x"));
        is_path(name.trim()) && is_path(short.trim())
    };
    rest.split(',').all(is_one).then_some((rest, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_resolve_to_full_names() {
        let code = |line| (Zone::Code, line);
        let imports = Imports::from_zones(&[
            code("import os, numpy as np"),
            code(">>> from shop.pool import Pool as P, Socket  # all of it"),
            code("from shop import (cart)"),
            code("import shop.db.models"),
            (Zone::Prose, "from here we import nothing"),
        ]);
        for (name, full_name) in [
            ("np.array", Some("numpy.array")),
            ("os.path.join", Some("os.path.join")),
            ("P.close", Some("shop.pool.Pool.close")),
            ("Socket", Some("shop.pool.Socket")),
            ("cart.total", Some("shop.cart.total")),
            ("shop.db", Some("shop.db")),
            ("nothing", None),
            ("total", None),
        ] {
            let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
            assert_eq!(
                imports.full_name(&parts).map(|parts| parts.join(".")).as_deref(),
                full_name,
                "{name}"
            );
        }
    }

    #[test]
    fn only_import_statements_are_read() {
        for (line, read) in [
            ("import os", true),
            ("import a.b as c, d", true),
            ("from . import x", true),
            ("from a.b import c", true),
            ("import of many files fails", false),
            ("from the shop import everything", false),
            ("important = 1", false),
        ] {
            assert_eq!(parse_import(line).is_some(), read, "{line}");
        }
    }
}
