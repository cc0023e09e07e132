//! Reads targets from `Package.swift` as text. The file is a program, but its targets are nearly
//! always literals.

use crate::project::{ProjectIndex, join};

/// A target of a Swift package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackageTarget {
    pub(crate) directory: String,
    pub(crate) name: String,
    /// The directory of the package.
    pub(crate) package: String,
}

/// Returns all targets of the project's packages.
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

/// Parses the name and path of each target, and whether it is a test target.
fn parse_targets(text: &str) -> Vec<(String, Option<String>, bool)> {
    let text = without_comments(text);
    let mut found: Vec<(String, Option<String>, bool)> = Vec::new();
    let kinds = [".target(", ".executableTarget(", ".testTarget(", ".macro(", ".plugin("];
    for kind in kinds {
        for (at, _) in text.match_indices(kind) {
            let own = top_level_text(&text[at + kind.len()..]);
            let Some(name) = argument(&own, "name") else { continue };
            let path = argument(&own, "path");
            // A dependency repeats the target without its path.
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

/// Returns the text up to the closing bracket, without nested brackets.
fn top_level_text(text: &str) -> String {
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

/// Returns the string value of an argument.
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
    fn targets_are_parsed_with_their_paths() {
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
