//! What code in a description imports: names that come from elsewhere are not to be found here, and
//! short names stand for long ones.

use std::collections::HashMap;

use super::zones::Zone;

/// Names as code uses them, with what they stand for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Imports(HashMap<String, Vec<String>>);

impl Imports {
    /// What the code of a description imports.
    pub(crate) fn of(zones: &[(Zone, &str)]) -> Imports {
        let mut imports = Imports::default();
        for (_, line) in zones.iter().filter(|(zone, _)| *zone != Zone::Trace) {
            if let Some((module, names)) = statement(line) {
                imports.take(module, names);
            }
        }
        imports
    }

    fn take(&mut self, module: &str, names: Option<&str>) {
        let parts = |dotted: &str| dotted.split('.').map(str::to_owned).collect::<Vec<String>>();
        let Some(names) = names else {
            for one in module.split(',') {
                // Without a name of its own only the beginning of a module is known afterwards.
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

    /// The whole of a name whose beginning is imported.
    pub(crate) fn whole(&self, parts: &[String]) -> Option<Vec<String>> {
        let (first, rest) = parts.split_first()?;
        let mut whole = self.0.get(first)?.clone();
        whole.extend_from_slice(rest);
        Some(whole)
    }
}

/// A statement of Python that imports: the module, and the names that are taken from it.
pub(crate) fn statement(line: &str) -> Option<(&str, Option<&str>)> {
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
        let imports = Imports::of(&[
            code("import os, numpy as np"),
            code(">>> from shop.pool import Pool as P, Socket  # all of it"),
            code("from shop import (cart)"),
            code("import shop.db.models"),
            (Zone::Prose, "from here we import nothing"),
        ]);
        for (name, whole) in [
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
                imports.whole(&parts).map(|parts| parts.join(".")).as_deref(),
                whole,
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
            assert_eq!(statement(line).is_some(), read, "{line}");
        }
    }
}
