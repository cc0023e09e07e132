//! The versions of languages that the code has to work with.

use toml_edit::DocumentMut;

/// Files that state versions, besides those that define tasks.
pub const VERSION_FILES: [&str; 13] = [
    "Cargo.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    ".cargo/config.toml",
    ".nvmrc",
    ".node-version",
    ".python-version",
    ".ruby-version",
    ".tool-versions",
    "go.mod",
    "noxfile.py",
    "setup.cfg",
    "tsconfig.json",
];

/// Returns a sentence about the versions, with the files that state them.
pub(super) fn versions(files: &[(String, String)]) -> Option<(String, Vec<String>)> {
    let mut found: Vec<(&str, String, &str)> = Vec::new();
    let text =
        |name: &str| files.iter().find(|(path, _)| path == name).map(|(_, text)| text.as_str());
    let toml = |name: &str| text(name).and_then(|text| text.parse::<DocumentMut>().ok());
    if let Some(manifest) = toml("Cargo.toml") {
        let places =
            [manifest.get("package"), manifest.get("workspace").and_then(|it| it.get("package"))];
        let stated = places.into_iter().flatten().find_map(|it| it.get("rust-version")?.as_str());
        found.extend(stated.map(|version| ("Rust", format!("{version} or newer"), "Cargo.toml")));
    }
    if let Some(manifest) = toml("pyproject.toml") {
        let project = manifest.get("project").and_then(|it| it.get("requires-python"));
        let poetry = || manifest.get("tool")?.get("poetry")?.get("dependencies")?.get("python");
        let stated = project.or_else(poetry).and_then(|item| item.as_str());
        found.extend(stated.map(|version| ("Python", version.to_owned(), "pyproject.toml")));
    }
    if let Some(setup) = text("setup.cfg") {
        let stated = setup.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "python_requires").then(|| value.trim().to_owned())
        });
        found.extend(stated.map(|version| ("Python", version, "setup.cfg")));
    }
    if let Some(module) = text("go.mod") {
        let stated = module.lines().find_map(|line| line.strip_prefix("go "));
        found.extend(stated.map(|version| ("Go", version.trim().to_owned(), "go.mod")));
    }
    if let Some(manifest) = text("package.json") {
        let manifest: Option<serde_json::Value> = serde_json::from_str(manifest).ok();
        let engine = manifest.and_then(|it| Some(it["engines"]["node"].as_str()?.to_owned()));
        found.extend(engine.map(|version| ("Node.js", version, "package.json")));
    }
    for (file, what) in [
        (".nvmrc", "Node.js"),
        (".node-version", "Node.js"),
        (".python-version", "Python"),
        (".ruby-version", "Ruby"),
    ] {
        let stated = text(file).and_then(|text| text.lines().next()).map(str::trim);
        found.extend(stated.map(|version| (what, version.to_owned(), file)));
    }
    found.retain(|(_, version, _)| is_version(version));
    // The first file about a language decides.
    let mut kept: Vec<(&str, String, &str)> = Vec::new();
    for one in found {
        if !kept.iter().any(|(what, ..)| *what == one.0) {
            kept.push(one);
        }
    }
    if kept.is_empty() {
        return None;
    }
    let texts: Vec<String> =
        kept.iter().map(|(what, version, _)| format!("{what} {version}")).collect();
    let sources = kept.iter().map(|(.., file)| (*file).to_owned()).collect();
    Some((format!("The code has to work with {}.", texts.join(", ")), sources))
}

fn is_version(text: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || " .<>=!~^*|,-".contains(c);
    !text.is_empty()
        && text.len() <= 40
        && text.chars().all(fits)
        && text.chars().any(|c| c.is_ascii_digit())
}
