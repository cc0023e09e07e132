//! Reads the tasks that manifests of common tools define, and how they are run.
//!
//! A file with invalid syntax has no tasks.

use serde_json::Value;
use toml_edit::{Document, Item, TableLike};

use super::pattern::escape;

/// A kind of manifest: its possible file names, and the function that reads its tasks.
pub(super) struct Manifest {
    pub(super) files: &'static [&'static str],
    pub(super) read: fn(&str) -> Vec<Task>,
}

/// A task and the commands that run it, such as `npm run`.
pub(super) struct Task {
    pub(super) name: String,
    runners: &'static [&'static str],
}

impl Task {
    /// Returns a pattern for all ways to run the task. A bare program name must be followed by
    /// white space or the end.
    pub(super) fn pattern(&self) -> String {
        if self.runners.is_empty() {
            return format!("{}\\s", escape(&self.name));
        }
        let commands: Vec<String> =
            self.runners.iter().map(|runner| escape(&format!("{runner} {}", self.name))).collect();
        commands.join("|")
    }
}

pub(super) const MANIFESTS: [Manifest; 8] = [
    Manifest { files: &["package.json"], read: package_json },
    Manifest { files: &["Makefile", "makefile", "GNUmakefile"], read: makefile },
    Manifest { files: &["justfile", "Justfile", ".justfile"], read: justfile },
    Manifest { files: &["pyproject.toml"], read: pyproject },
    Manifest { files: &[".cargo/config.toml", ".cargo/config"], read: cargo_aliases },
    Manifest { files: &["Cargo.toml"], read: cargo_aliases },
    Manifest { files: &["deno.json"], read: deno_json },
    Manifest { files: &["composer.json"], read: composer_json },
];

const NPM: [&str; 6] = ["npm run", "bun run", "pnpm", "pnpm run", "yarn", "yarn run"];
/// The commands for scripts that npm also runs without `run`.
const NPM_SHORT: [&str; 7] = ["npm", "npm run", "bun run", "pnpm", "pnpm run", "yarn", "yarn run"];
const COMPOSER: [&str; 3] = ["composer", "composer run", "composer run-script"];

fn json_names(text: &str, key: &str) -> Vec<String> {
    let value: Option<Value> = serde_json::from_str(text).ok();
    let table = value.as_ref().and_then(|value| value.get(key)?.as_object());
    table.into_iter().flat_map(|table| table.keys().cloned()).collect()
}

fn package_json(text: &str) -> Vec<Task> {
    let names = json_names(text, "scripts");
    let is_step = |name: &str| {
        // `pre` and `post` scripts run with their main script.
        ["pre", "post"].iter().filter_map(|step| name.strip_prefix(step)).any(|rest| {
            names.iter().any(|name| name == rest)
                || matches!(rest, "install" | "pack" | "publish" | "version" | "pare")
        })
    };
    let scripts = names.iter().filter(|name| !is_step(name));
    scripts
        .map(|name| Task {
            name: name.clone(),
            runners: if matches!(name.as_str(), "test" | "start") { &NPM_SHORT } else { &NPM },
        })
        .collect()
}

fn deno_json(text: &str) -> Vec<Task> {
    let names = json_names(text, "tasks").into_iter();
    names.map(|name| Task { name, runners: &["deno task"] }).collect()
}

fn composer_json(text: &str) -> Vec<Task> {
    let names = json_names(text, "scripts").into_iter();
    // Names of composer's own hooks end like this.
    let commands =
        names.filter(|name| !name.ends_with("-cmd") && !name.ends_with("-autoload-dump"));
    commands.map(|name| Task { name, runners: &COMPOSER }).collect()
}

fn toml_names(document: &Document<&str>, path: &[&str]) -> Vec<String> {
    let mut table: &dyn TableLike = document.as_table();
    for key in path {
        let Some(inner) = table.get(key).and_then(Item::as_table_like) else {
            return Vec::new();
        };
        table = inner;
    }
    table.iter().map(|(name, _)| name.to_owned()).collect()
}

fn pyproject(text: &str) -> Vec<Task> {
    const TABLES: [(&[&str], &[&str]); 5] = [
        (&["project", "scripts"], &[]),
        (&["tool", "poetry", "scripts"], &[]),
        (&["tool", "poe", "tasks"], &["poe"]),
        (&["tool", "taskipy", "tasks"], &["task"]),
        (&["tool", "pdm", "scripts"], &["pdm run", "pdm"]),
    ];
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let tasks = TABLES.iter().flat_map(|(path, runners)| {
        let names = toml_names(&document, path).into_iter();
        names.filter(|name| !name.starts_with('_')).map(|name| Task { name, runners })
    });
    tasks.collect()
}

fn cargo_aliases(text: &str) -> Vec<Task> {
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let names = toml_names(&document, &["alias"]).into_iter();
    names.map(|name| Task { name, runners: &["cargo"] }).collect()
}

/// Reads the targets that are not files: phony ones first, then those with plain names.
fn makefile(text: &str) -> Vec<Task> {
    let mut phony = Vec::new();
    let mut others = Vec::new();
    for line in text.lines() {
        let Some((targets, rest)) = line.split_once(':') else { continue };
        if line.starts_with(['\t', ' ', '#']) || targets.contains(['=', '$', '%', '"']) {
            continue;
        }
        if targets.trim() == ".PHONY" {
            phony.extend(rest.split_whitespace());
        } else if !rest.starts_with('=') && !rest.starts_with(":=") {
            others.extend(targets.split_whitespace().filter(|name| !name.contains(['.', '/'])));
        }
    }
    let mut tasks: Vec<Task> = Vec::new();
    for name in phony.into_iter().chain(others) {
        if !tasks.iter().any(|task| task.name == name) {
            tasks.push(Task { name: name.to_owned(), runners: &["make"] });
        }
    }
    tasks
}

fn justfile(text: &str) -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut is_private = false;
    for line in text.lines() {
        if line.starts_with('[') {
            is_private |= line.contains("private");
            continue;
        }
        if line.starts_with([' ', '\t', '#']) || line.trim().is_empty() {
            continue;
        }
        let name = match line.strip_prefix("alias ") {
            Some(alias) => alias.split(":=").next(),
            None => recipe(line),
        };
        let name = name.map(str::trim).filter(|name| !name.starts_with('_') && !is_private);
        tasks.extend(name.map(|name| Task { name: name.to_owned(), runners: &["just"] }));
        is_private = false;
    }
    tasks
}

/// Returns the name of the recipe that starts on a line.
fn recipe(line: &str) -> Option<&str> {
    let colon = line.find(':')?;
    if line[colon..].starts_with(":=") || line.starts_with("set ") {
        return None;
    }
    line[..colon].trim_start_matches('@').split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(tasks: &[Task]) -> Vec<&str> {
        tasks.iter().map(|task| task.name.as_str()).collect()
    }

    #[test]
    fn tasks_are_read_from_each_kind_of_manifest() {
        type Read = fn(&str) -> Vec<Task>;
        let cases: [(Read, &str, &[&str]); 11] = [
            (
                package_json,
                r#"{"scripts": {"prebuild": "a", "build": "b", "prepare": "h", "premium": "c"}}"#,
                &["build", "premium"],
            ),
            (package_json, "{", &[]),
            (package_json, r#"{"scripts": ["a"]}"#, &[]),
            (
                makefile,
                "CC := gcc\nX = a:b\n.PHONY: test deploy\nall: main.o\n\techo a:b\n\
                 main.o: main.c\n%.o: %.c\ntest:\nout/x: y\nA::=1\nclean:: all\n$(V): x\n",
                &["test", "deploy", "all", "clean"],
            ),
            (
                justfile,
                "set shell := ['bash']\nv := '1'\nalias b := build\n\n# x: y\nbuild target='a:b':\n\
                 \x20 echo x: y\n@lint:\n_hidden:\n[private]\nsecret:\ndeploy: build\n",
                &["b", "build", "lint", "deploy"],
            ),
            (
                pyproject,
                "[project.scripts]\nserve = 'a:b'\n[tool.poetry.scripts]\nadmin = 'a:c'\n\
                 [tool.poe.tasks]\nfmt = 'x'\n_part = 'y'\n[tool.poe.tasks.e2e]\ncmd = 'z'\n",
                &["serve", "admin", "fmt", "e2e"],
            ),
            (pyproject, "[project", &[]),
            (cargo_aliases, "[alias]\nxtask = 'run -p xtask --'\nci = ['a']\n", &["xtask", "ci"]),
            (cargo_aliases, "alias = 3", &[]),
            (
                deno_json,
                r#"{"tasks": {"dev": "x", "db:seed": {"command": "y"}}}"#,
                &["dev", "db:seed"],
            ),
            (
                composer_json,
                r#"{"scripts": {"post-install-cmd": "x", "test": "y", "cs-fix": []}}"#,
                &["test", "cs-fix"],
            ),
        ];
        for (read, text, expected) in cases {
            assert_eq!(names(&read(text)), expected, "{text}");
        }
    }

    #[test]
    fn patterns_cover_the_commands_that_run_a_task() {
        let cases = [
            (package_json(r#"{"scripts": {"e2e": ""}}"#), r"npm\s+run\s+e2e|bun\s+run\s+e2e|"),
            (package_json(r#"{"scripts": {"test": ""}}"#), r"npm\s+test|npm\s+run\s+test|"),
            (pyproject("[project.scripts]\na-b = ''"), r"a-b\s"),
            (pyproject("[tool.poe.tasks]\nx = ''"), r"poe\s+x"),
            (makefile("db.reset:\n.PHONY: db.reset"), r"make\s+db\.reset"),
        ];
        for (tasks, expected) in cases {
            let pattern = tasks[0].pattern();
            assert!(pattern.starts_with(expected), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn any_manifest_is_accepted(text in r#"([a-z:=\[\]{}"'.,%$@# \t\n]|\.PHONY:|alias |é){0,120}"#) {
            for manifest in &MANIFESTS {
                for task in (manifest.read)(&text) {
                    task.pattern();
                }
            }
        }
    }
}
