//! The tasks of a project that somebody who changes it needs.

use tacit_observer::{TaskDefinitions, TaskRunner};
use toml_edit::DocumentMut;

/// A task with the file that defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnTask {
    pub(super) command: String,
    pub(super) file: String,
    /// True if it checks or builds; others only help those who know how to.
    pub(super) checks: bool,
}

/// The names of useful tasks, most useful first.
const USEFUL: [&str; 36] = [
    "ci",
    "check",
    "verify",
    "validate",
    "precommit",
    "pre-commit",
    "test",
    "tests",
    "unit",
    "lint",
    "style",
    "typecheck",
    "type-check",
    "types",
    "typing",
    "mypy",
    "format",
    "fmt",
    "fix",
    "build",
    "compile",
    "all",
    "generate",
    "gen",
    "codegen",
    "migrate",
    "integration",
    "e2e",
    "dev",
    "start",
    "run",
    "serve",
    "server",
    "setup",
    "bootstrap",
    "deps",
];

/// Parts of names that follow a useful one, such as `test:unit`, and the most of such tasks.
const PARTS: [&str; 7] = ["unit", "integration", "e2e", "types", "typescript", "fix", "all"];
const MAX_PARTS: usize = 2;

/// Returns the useful tasks, most useful first.
pub(super) fn own_tasks(
    files: &[(String, String)],
    definitions: &TaskDefinitions,
    manager: &str,
) -> Vec<OwnTask> {
    let mut found: Vec<(usize, OwnTask)> = Vec::new();
    if definitions.has_default(TaskRunner::Tox)
        && let Some(file) = file_of(files, "tox")
    {
        // The environment of the Python that is installed, whatever others are listed.
        found.push((0, OwnTask { command: "tox -e py".to_owned(), file, checks: true }));
    }
    for task in definitions.listed(manager) {
        let Some(rank) = rank(&task.name) else { continue };
        let Some(file) = file_of(files, &task.command) else { continue };
        found
            .push((rank, OwnTask { command: shortest(&task.command), file, checks: checks(rank) }));
    }
    for (rank, name) in nox_sessions(files) {
        let file = "noxfile.py".to_owned();
        found.push((
            rank,
            OwnTask { command: format!("nox -s {name}"), file, checks: checks(rank) },
        ));
    }
    for name in cargo_aliases(files) {
        let Some(rank) = rank(&name) else { continue };
        let file = ".cargo/config.toml".to_owned();
        found
            .push((rank, OwnTask { command: format!("cargo {name}"), file, checks: checks(rank) }));
    }
    found.sort_by(|a, b| (a.0, &a.1.command).cmp(&(b.0, &b.1.command)));
    found.dedup_by(|a, b| a.1.command == b.1.command);
    let plain = found.iter().filter(|(rank, _)| *rank < USEFUL.len()).count();
    found.truncate(plain + MAX_PARTS);
    found.into_iter().map(|(_, task)| task).collect()
}

/// Returns true for the ranks of tasks that check or build.
fn checks(rank: usize) -> bool {
    let last = USEFUL.iter().position(|name| *name == "all").unwrap_or(0);
    rank % USEFUL.len() <= last
}

/// Returns the rank of a task by its name. `test:unit` follows `test`.
fn rank(name: &str) -> Option<usize> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
    if !name.chars().all(is_plain) || name.len() > 40 {
        return None;
    }
    let at = USEFUL.iter().position(|known| *known == name);
    at.or_else(|| {
        let (first, part) = name.split_once(':')?;
        let at = USEFUL.iter().position(|known| *known == first)?;
        PARTS.contains(&part).then_some(at + USEFUL.len())
    })
}

/// Returns the file that defines the tasks of a command's runner.
fn file_of(files: &[(String, String)], command: &str) -> Option<String> {
    let starter = command.split(' ').next().unwrap_or_default();
    let names: &[&str] = match starter {
        "npm" | "pnpm" | "yarn" | "bun" => &["package.json"],
        "composer" => &["composer.json"],
        "deno" => &["deno.json", "deno.jsonc"],
        "mise" => &["mise.toml", ".mise.toml"],
        "pixi" => &["pixi.toml", "pyproject.toml"],
        "poe" | "pdm" => &["pyproject.toml"],
        "hatch" => &["hatch.toml", "pyproject.toml"],
        "task" => &["Taskfile.yml", "Taskfile.yaml", "pyproject.toml"],
        "tox" => &["tox.ini", "pyproject.toml"],
        "make" => &["Makefile", "makefile", "GNUmakefile"],
        "just" => &["justfile", "Justfile", ".justfile"],
        "cargo" => &["Makefile.toml"],
        _ => return None,
    };
    let has = |name: &&&str| files.iter().any(|(path, _)| path == **name);
    names.iter().find(has).map(|name| (*name).to_owned())
}

/// Returns `npm test` for `npm run test`, which is how people type it.
fn shortest(command: &str) -> String {
    match command {
        "npm run test" => "npm test".to_owned(),
        "npm run start" => "npm start".to_owned(),
        command => match command.split_once(" run ") {
            Some((manager @ ("pnpm" | "yarn"), name)) => format!("{manager} {name}"),
            _ => command.to_owned(),
        },
    }
}

/// Returns the program that runs the scripts of `package.json`.
pub(super) fn package_manager(files: &[(String, String)], lockfiles: &[String]) -> &'static str {
    const LOCKFILES: [(&str, &str); 5] = [
        ("pnpm-lock.yaml", "pnpm"),
        ("yarn.lock", "yarn"),
        ("bun.lockb", "bun"),
        ("bun.lock", "bun"),
        ("package-lock.json", "npm"),
    ];
    let manifest = files.iter().find(|(path, _)| path == "package.json");
    let stated = manifest.and_then(|(_, text)| {
        let manifest: serde_json::Value = serde_json::from_str(text).ok()?;
        let stated = manifest["packageManager"].as_str()?.split('@').next()?.to_owned();
        ["npm", "pnpm", "yarn", "bun"].into_iter().find(|known| *known == stated)
    });
    stated.unwrap_or_else(|| {
        let found = LOCKFILES.iter().find(|(name, _)| lockfiles.iter().any(|file| file == name));
        found.map_or("npm", |(_, manager)| manager)
    })
}

/// Returns the useful sessions of a `noxfile.py`.
fn nox_sessions(files: &[(String, String)]) -> Vec<(usize, String)> {
    let Some((_, text)) = files.iter().find(|(path, _)| path == "noxfile.py") else {
        return Vec::new();
    };
    let mut is_session = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("@nox.session") || line.starts_with("@session") {
            is_session = true;
        } else if let Some(rest) = line.strip_prefix("def ") {
            let name = rest.split('(').next().unwrap_or_default();
            if std::mem::take(&mut is_session)
                && let Some(rank) = rank(name)
            {
                found.push((rank, name.to_owned()));
            }
        }
    }
    found
}

/// Returns the aliases of cargo that the project defines.
fn cargo_aliases(files: &[(String, String)]) -> Vec<String> {
    let Some((_, text)) = files.iter().find(|(path, _)| path == ".cargo/config.toml") else {
        return Vec::new();
    };
    let Ok(config) = text.parse::<DocumentMut>() else { return Vec::new() };
    let aliases = config.get("alias").and_then(|alias| alias.as_table_like());
    aliases.into_iter().flat_map(|table| table.iter()).map(|(name, _)| name.to_owned()).collect()
}
