//! The condition that a memory belongs to a module.

use tacit_core::Module;

/// A text after all paths in the order of bytes.
const AFTER_ALL: &str = "\u{10ffff}";

/// A module: memories labelled with it, and memories about a file that lies in one of its ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleFilter {
    /// The label.
    pub label: Module,
    /// The paths of its files; none if only the label counts.
    pub paths: Vec<PathRange>,
}

/// The paths from one text up to, but without, another one, in the order of bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathRange {
    /// The first text.
    pub first: String,
    /// The first text after the range.
    pub end: String,
}

impl ModuleFilter {
    /// Returns the filter for memories labelled with a module, wherever their files are.
    pub fn label(label: Module) -> ModuleFilter {
        ModuleFilter { label, paths: Vec::new() }
    }

    /// Returns the filter for a module that has the name of its directory; `.` is the root. A file belongs to
    /// the innermost module around it, so `modules` are the directories of all modules; the root's is empty.
    pub fn new<'m>(label: Module, modules: impl IntoIterator<Item = &'m str>) -> ModuleFilter {
        let directory = match label.as_str().trim_end_matches('/') {
            "." => "",
            name => name,
        };
        let is_inner = |other: &&str| {
            let rest = other.strip_prefix(directory);
            !other.is_empty()
                && *other != directory
                && rest.is_some_and(|rest| directory.is_empty() || rest.starts_with('/'))
        };
        let inner = modules.into_iter().filter(is_inner).flat_map(within);
        let mut inner: Vec<PathRange> = inner.collect();
        inner.sort();
        let paths = within(directory).flat_map(|range| without(range, &inner)).collect();
        ModuleFilter { label, paths }
    }

    /// Returns true if a file belongs to the module.
    pub fn contains(&self, path: &str) -> bool {
        self.paths.iter().any(|range| range.first.as_str() <= path && path < range.end.as_str())
    }
}

/// Returns the ranges of a directory itself and of everything below it.
fn within(directory: &str) -> impl Iterator<Item = PathRange> + use<> {
    let range = |first: String, end: String| PathRange { first, end };
    let ranges = match directory {
        "" => vec![range(String::new(), AFTER_ALL.to_owned())],
        // '0' follows '/'. Between the two ranges are siblings, such as `src-old` or `src.rs`.
        name => vec![
            range(name.to_owned(), format!("{name}\u{1}")),
            range(format!("{name}/"), format!("{name}0")),
        ],
    };
    ranges.into_iter()
}

/// Returns the parts of a range that are in none of the others, which are sorted.
fn without(range: PathRange, others: &[PathRange]) -> Vec<PathRange> {
    let (mut parts, mut first) = (Vec::new(), range.first);
    for other in others.iter().filter(|other| other.first < range.end) {
        if first < other.first {
            parts.push(PathRange { first: first.clone(), end: other.first.clone() });
        }
        if first < other.end {
            first.clone_from(&other.end);
        }
    }
    if first < range.end {
        parts.push(PathRange { first, end: range.end });
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of a module among some that lie near the borders.
    fn files(label: &str, modules: &[&str]) -> Vec<&'static str> {
        let label = label.parse().expect("a label");
        let filter = ModuleFilter::new(label, modules.iter().copied());
        let all = [
            "Cargo.toml",
            "src",
            "src/main.rs",
            "src/pool",
            "src/pool-a.rs",
            "src/pool.rs",
            "src/pool/a.rs",
            "src/pool/in/b.rs",
            "src/pools/c.rs",
            "srcs/d.rs",
            "z/ü.rs",
        ];
        all.into_iter().filter(|path| filter.contains(path)).collect()
    }

    #[test]
    fn a_file_belongs_to_the_innermost_module_around_it() {
        let modules = ["", "src", "src/pool"];
        assert_eq!(files(".", &modules), ["Cargo.toml", "srcs/d.rs", "z/ü.rs"]);
        assert_eq!(
            files("src", &modules),
            ["src", "src/main.rs", "src/pool-a.rs", "src/pool.rs", "src/pools/c.rs"]
        );
        assert_eq!(files("src/pool", &modules), ["src/pool", "src/pool/a.rs", "src/pool/in/b.rs"]);
    }

    #[test]
    fn modules_within_inner_modules_and_elsewhere_change_nothing() {
        let inner = files("src", &["src", "src/pool"]);
        assert_eq!(files("src", &["", "src/pool/in", "src/pool", "srcs", "src"]), inner);
    }

    #[test]
    fn without_an_index_a_module_is_its_directory() {
        assert_eq!(files("src/pool", &[]), ["src/pool", "src/pool/a.rs", "src/pool/in/b.rs"]);
        assert_eq!(files("src/pool/", &[]), files("src/pool", &[]));
        assert_eq!(files(".", &[]).len(), 11);
        assert!(files("billing", &[]).is_empty());
        assert!(ModuleFilter::label("src".parse().expect("a label")).paths.is_empty());
    }
}
