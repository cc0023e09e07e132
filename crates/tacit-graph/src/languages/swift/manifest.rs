//! The targets that a `Package.swift` defines, read as text: it is a program, but what it says of
//! targets is nearly always written out.

use crate::project::{ProjectIndex, join};

/// A target: the name of its module, and the directory of its sources.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackageTarget {
    pub(crate) directory: String,
    pub(crate) name: String,
    /// The directory of the package it is of.
    pub(crate) package: String,
}

/// All targets of the packages of a project.
pub(crate) fn targets(index: &ProjectIndex<'_>) -> Vec<PackageTarget> {
    let mut found = Vec::new();
    for (directory, text) in index.manifests("Package.swift") {
        for (name, path, is_test) in parse_targets(text) {
            let places: Vec<String> = match path {
                Some(path) => vec![path],
                None => {
                    let above: &[&str] =
                        if is_test { &["Tests", "Sources"] } else { &["Sources", "Source", "src"] };
                    above.iter().map(|above| format!("{above}/{name}")).collect()
                }
            };
            let place = { places.iter() }
                .filter_map(|place| join(directory, place))
                .find(|place| index.is_directory(place));
            found.extend(place.map(|place| PackageTarget {
                directory: place,
                name: name.clone(),
                package: directory.to_owned(),
            }));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Name, path and whether it is one of tests, of each target.
fn parse_targets(text: &str) -> Vec<(String, Option<String>, bool)> {
    let text = without_comments(text);
    let mut found: Vec<(String, Option<String>, bool)> = Vec::new();
    let kinds = [".target(", ".executableTarget(", ".testTarget(", ".macro(", ".plugin("];
    for kind in kinds {
        for (at, _) in text.match_indices(kind) {
            let own = own_words(&text[at + kind.len()..]);
            let Some(name) = argument(&own, "name") else { continue };
            let path = argument(&own, "path");
            // As a dependency, a target is named again without the rest.
            match found.iter_mut().find(|known| known.0 == name) {
                Some(known) => known.1 = known.1.take().or(path),
                None => found.push((name, path, kind == ".testTarget(")),
            }
        }
    }
    found
}

fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| match line.trim_start().starts_with("//") {
        true => "",
        false => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What is between the brackets that just opened, without what is in further ones.
fn own_words(text: &str) -> String {
    let (mut own, mut depth, mut quoted) = (String::new(), 0_usize, false);
    for c in text.chars() {
        quoted ^= c == '"';
        match c {
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted && depth == 0 => break,
            ')' | ']' if !quoted => depth -= 1,
            c if depth == 0 => own.push(c),
            _ => {}
        }
    }
    own
}

/// The text that is given for an argument.
fn argument(words: &str, name: &str) -> Option<String> {
    let label = format!("{name}:");
    let at = words
        .match_indices(&label)
        .map(|(at, _)| at)
        .find(|at| words[..*at].chars().next_back().is_none_or(|c| !c.is_alphanumeric()))?;
    let value = words[at + label.len()..].trim_start().strip_prefix('"')?;
    Some(value.split('"').next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_from_the_text() {
        let text = r#"
let package = Package(name: "Shop", targets: [
    .target(name: "Core"),
    // .target(name: "Old"),
    .target(
        name: "Web",
        dependencies: ["Core", .target(name: "Moved"), .product(name: "NIO", package: "swift-nio")],
        path: "Other/Web", // here
        resources: [.process("x")]),
    .target(name: "Moved", path: "Elsewhere"),
    .testTarget(name: "CoreTests", dependencies: [.target(name: "Core")]),
])"#;
        let mut found = parse_targets(text);
        found.sort();
        let path = |path: &str| Some(path.to_owned());
        assert_eq!(
            found,
            [
                ("Core".into(), None, false),
                ("CoreTests".into(), None, true),
                ("Moved".into(), path("Elsewhere"), false),
                ("Web".into(), path("Other/Web"), false),
            ]
        );
    }
}
