//! Commands that can end a failure: installs, generators, formatters and replacements with `sed`.

use tacit_core::RepoPath;

use crate::file_edit::FileEdit;
use crate::findings::{Finding, FindingKind};
use crate::git_commits::program;
use crate::shell::joined_commands;
use crate::timeline::CommandRun;

/// The class of a command that changes files or the environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FixClass {
    /// Installs or updates dependencies.
    Install,
    /// Writes generated files.
    Generate,
    /// Starts a service.
    Start,
    /// Formats code or applies the fixes of a linter.
    Format,
}

/// Words of errors that an install ends.
const MISSING_DEPENDENCY: [&str; 19] = [
    "go.mod",
    "go.sum",
    "cannot find module",
    "cannot find package",
    "no module named",
    "modulenotfounderror",
    "err_module_not_found",
    "could not find gem",
    "bundle install",
    "npm install",
    "npm ci",
    "not installed",
    "lockfile",
    "lock file",
    "unmet",
    "missing dependenc",
    "no such package",
    "failed to resolve import",
    "can't find crate",
];
/// Words of errors that a generator ends.
const STALE_GENERATED: [&str; 8] = [
    "generated",
    "out of date",
    "out-of-date",
    "stale",
    "regenerate",
    "codegen",
    "not up to date",
    "outdated",
];
/// Words of errors that a formatter ends.
const UNFORMATTED: [&str; 11] = [
    "would reformat",
    "not formatted",
    "is not properly formatted",
    "isn't formatted",
    "diff in",
    "code style",
    "formatting",
    "file is not `gofmt`",
    "needs formatting",
    "incorrectly formatted",
    "would be reformatted",
];
/// Words of errors that the start of a service ends.
const UNREACHABLE: [&str; 10] = [
    "econnrefused",
    "connection refused",
    "can't reach",
    "cannot reach",
    "could not connect",
    "couldn't connect",
    "failed to connect",
    "unable to connect",
    "enotfound",
    "could not translate host name",
];
/// Names of rules that a formatter satisfies.
const FORMAT_RULES: [&str; 13] = [
    "gofmt",
    "goimports",
    "gofumpt",
    "gci",
    "golines",
    "prettier/prettier",
    "prettier",
    "rustfmt",
    "black",
    "isort",
    "I001",
    "ktlint",
    "format",
];

/// Returns true if a finding is one that a formatter ends.
pub(super) fn is_format_finding(finding: &Finding) -> bool {
    finding.kind == FindingKind::Lint
        && (finding.rule.as_deref().is_some_and(|rule| FORMAT_RULES.contains(&rule))
            || FORMAT_RULES.contains(&finding.tool)
            || says_any(&finding.message, &UNFORMATTED))
}

/// Returns true if a command of this class is known to end such an error.
pub(super) fn fits(class: FixClass, finding: &Finding) -> bool {
    match class {
        FixClass::Install => says_any(&finding.message, &MISSING_DEPENDENCY),
        FixClass::Generate => says_any(&finding.message, &STALE_GENERATED),
        FixClass::Format => is_format_finding(finding),
        FixClass::Start => says_any(&finding.message, &UNREACHABLE),
    }
}

fn says_any(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().any(|word| text.contains(word))
}

/// Returns the class of a simple command, or `None` if it is none of these.
pub(super) fn fix_class(words: &[&str]) -> Option<FixClass> {
    use FixClass::{Format, Generate, Install, Start};
    let (name, args) = program(words)?;
    let has = |flags: &[&str]| args.iter().any(|arg| flags.contains(arg));
    let checks_only =
        has(&["--check", "--check-only", "-c", "--diff", "-l", "--list-different", "--dry-run"]);
    match (name, args) {
        ("npx" | "pnpx" | "bunx", rest) => fix_class(rest),
        (
            "uv" | "poetry" | "pipenv" | "hatch" | "rye" | "pdm" | "bundle",
            ["run" | "exec", rest @ ..],
        )
        | ("mise", ["exec" | "x", "--", rest @ ..])
        | ("python" | "python3", ["-m", rest @ ..]) => fix_class(rest),
        ("docker" | "podman", ["compose", "run" | "exec", rest @ ..])
        | ("docker-compose" | "podman-compose", ["run" | "exec", rest @ ..]) => {
            let service = rest.iter().position(|arg| !arg.starts_with('-'))?;
            fix_class(&rest[service + 1..])
        }
        ("docker" | "podman", ["compose", "up" | "start" | "restart", ..] | ["start", ..])
        | ("docker-compose" | "podman-compose", ["up" | "start" | "restart", ..])
        | ("brew", ["services", "start" | "restart", ..])
        | ("systemctl", ["start" | "restart", ..])
        | ("supabase", ["start", ..]) => Some(Start),
        ("python" | "python3", ["manage.py", "makemigrations" | "migrate", ..])
        | ("manage.py", ["makemigrations" | "migrate", ..])
        | ("flask", ["db", "upgrade" | "migrate", ..])
        | ("rails" | "rake", ["db:migrate" | "db:schema:load" | "db:prepare", ..])
        | ("drizzle-kit", ["generate" | "push" | "migrate", ..]) => Some(Generate),
        ("npm" | "pnpm" | "yarn" | "bun", ["ci" | "install" | "i" | "add", ..]) | ("yarn", []) => {
            Some(Install)
        }
        (
            "go",
            ["mod", "tidy" | "download" | "vendor", ..] | ["get", ..] | ["work", "sync", ..],
        ) => Some(Install),
        ("pip" | "pip3", ["install", ..])
        | ("uv", ["sync" | "lock" | "add" | "pip", ..])
        | ("poetry" | "pipenv" | "pdm" | "rye", ["install" | "lock" | "sync" | "update", ..])
        | ("bundle" | "composer" | "mise" | "asdf", ["install" | "update", ..])
        | ("cargo", ["update" | "add" | "fetch", ..])
        | ("mix", ["deps.get", ..])
        | ("dotnet", ["restore", ..])
        | ("pod" | "carthage", ["install" | "update", ..])
        | ("playwright", ["install", ..]) => Some(Install),
        ("go", ["generate", ..]) => Some(Generate),
        (
            "protoc" | "buf" | "sqlc" | "mockgen" | "wire" | "openapi-generator"
            | "graphql-codegen",
            _,
        ) => Some(Generate),
        ("prisma", ["generate" | "migrate", ..]) | ("alembic", _) => Some(Generate),
        ("gofmt" | "goimports" | "gofumpt", _) => has(&["-w"]).then_some(Format),
        ("go" | "cargo" | "dotnet" | "terraform" | "deno" | "zig", ["fmt" | "format", ..])
        | ("ruff", ["format", ..])
        | ("rustfmt" | "black" | "isort", _) => (!checks_only).then_some(Format),
        ("prettier", _) => has(&["--write", "-w"]).then_some(Format),
        ("biome", _) => has(&["--write", "--apply"]).then_some(Format),
        ("eslint" | "stylelint" | "golangci-lint" | "oxlint" | "cargo" | "ruff", _)
            if has(&["--fix"]) =>
        {
            Some(Format)
        }
        ("rubocop", _) if has(&["-a", "-A", "--autocorrect"]) => Some(Format),
        ("mvn" | "mvnw", _) if args.iter().any(|arg| arg.ends_with(":apply")) => Some(Format),
        ("gradle" | "gradlew", _) if args.iter().any(|arg| arg.ends_with("Apply")) => Some(Format),
        (
            "npm" | "pnpm" | "yarn" | "bun" | "make" | "just" | "task" | "mise" | "rake"
            | "composer" | "turbo" | "nx" | "poe" | "hatch",
            args,
        ) => args
            .iter()
            .find(|arg| !arg.starts_with('-') && **arg != "run")
            .and_then(|task| task_class(task)),
        _ => None,
    }
}

/// Returns true if a command runs a task that the project defines.
pub(super) fn is_task(command: &str) -> bool {
    let first = command.split_whitespace().next().unwrap_or_default();
    matches!(
        first,
        "npm"
            | "pnpm"
            | "yarn"
            | "bun"
            | "make"
            | "just"
            | "task"
            | "mise"
            | "rake"
            | "composer"
            | "turbo"
            | "nx"
            | "poe"
            | "hatch"
    )
}

/// Derives the class of a project's own task from its name.
fn task_class(task: &str) -> Option<FixClass> {
    let words: Vec<&str> = task.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    if has(&["check", "test", "lint"]) && !has(&["fix"]) {
        None
    } else if has(&["fmt", "format", "fix", "prettier"]) {
        Some(FixClass::Format)
    } else if has(&["gen", "generate", "codegen", "proto", "protos", "schema", "migrate"]) {
        Some(FixClass::Generate)
    } else if has(&["install", "deps", "setup", "bootstrap", "vendor", "tidy"]) {
        Some(FixClass::Install)
    } else {
        None
    }
}

/// Returns the simple commands of a line that belong to a class, as text.
pub(super) fn classified_commands(line: &str) -> Vec<(FixClass, String)> {
    let mut found = Vec::new();
    for command in joined_commands(line) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        found.extend(fix_class(&words).map(|class| (class, command.words.join(" "))));
    }
    found
}

/// Returns the last command of a line that installs or generates something, as text.
pub(super) fn preparing_command(line: &str) -> Option<String> {
    let mut prepared = classified_commands(line);
    prepared.retain(|(class, _)| matches!(class, FixClass::Install | FixClass::Generate));
    prepared.pop().map(|(_, command)| command)
}

/// Returns true if a command can change files or the environment, so that the next run of a check
/// may differ for that reason.
pub(super) fn may_change_something(run: &CommandRun) -> bool {
    let joined = joined_commands(&run.line);
    let first_check = run.check.checks.iter().map(|check| check.command_index).collect::<Vec<_>>();
    joined.iter().enumerate().any(|(index, command)| {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let plain_check = first_check.contains(&index) && fix_class(&words).is_none();
        let in_place = matches!(program(&words), Some(("sed" | "perl", args)) if args.iter().any(|arg| arg.starts_with("-i") || *arg == "-pi"));
        let git_changes = matches!(program(&words), Some(("git", args)) if args.iter().any(|arg| GIT_CHANGES.contains(arg)));
        !plain_check && (in_place || git_changes || !super::error_fix::inspects(&words))
    })
}

/// Commands of git that change the files of the project.
const GIT_CHANGES: [&str; 12] = [
    "checkout",
    "restore",
    "reset",
    "stash",
    "switch",
    "merge",
    "rebase",
    "pull",
    "cherry-pick",
    "revert",
    "apply",
    "clean",
];

/// Reads `sed -i 's/old/new/' files` as edits. Patterns other than plain text are not read.
pub(super) fn sed_edits(line: &str) -> Vec<(RepoPath, FileEdit)> {
    let mut edits = Vec::new();
    for command in joined_commands(line) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let Some(("sed", args)) = program(&words) else { continue };
        if !args.iter().any(|arg| arg.starts_with("-i")) {
            continue;
        }
        let is_script =
            |arg: &&&str| arg.starts_with("s/") || arg.starts_with("s|") || arg.starts_with("s#");
        let files: Vec<RepoPath> = args
            .iter()
            .filter(|arg| !arg.starts_with('-') && !arg.is_empty() && !is_script(arg))
            .filter_map(|file| RepoPath::new(file.trim_start_matches("./")).ok())
            .collect();
        for script in args.iter().filter(|arg| is_script(arg)) {
            let Some((old, new)) = plain_replacement(script) else { continue };
            for file in &files {
                let (old, new) = (old.clone(), new.clone());
                edits.push((file.clone(), FileEdit { old, new, whole_file: false }));
            }
        }
    }
    edits
}

/// Reads `s/old/new/g` if the old text has no pattern in it.
fn plain_replacement(script: &str) -> Option<(String, String)> {
    let mut chars = script.chars();
    let separator = chars.nth(1)?;
    let mut parts = vec![String::new()];
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                c @ ('.' | '*' | '[' | ']' | '$' | '^' | '/' | '|' | '#' | '&' | '\\') => {
                    parts.last_mut()?.push(c);
                }
                _ => return None,
            },
            c if c == separator => parts.push(String::new()),
            '*' | '[' | '^' | '$' if parts.len() == 1 => return None,
            '&' if parts.len() == 2 => return None,
            c => parts.last_mut()?.push(c),
        }
    }
    match parts.as_slice() {
        [old, new, flags]
            if !old.is_empty() && flags.chars().all(|c| c.is_ascii_alphanumeric()) =>
        {
            Some((old.clone(), new.clone()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_classified() {
        use FixClass::{Format, Generate, Install, Start};
        for (line, expected) in [
            ("go mod tidy", Some(Install)),
            ("npm ci", Some(Install)),
            ("npm run codegen", Some(Generate)),
            ("pnpm format", Some(Format)),
            ("uv sync --all-extras", Some(Install)),
            ("uv run ruff format src", Some(Format)),
            ("uv run ruff format --check src", None),
            ("ruff check --fix .", Some(Format)),
            ("cargo fmt", Some(Format)),
            ("cargo fmt --check", None),
            ("cargo clippy --fix", Some(Format)),
            ("npx prettier --write .", Some(Format)),
            ("npx prettier --check .", None),
            ("npx eslint . --fix", Some(Format)),
            ("gofmt -w .", Some(Format)),
            ("gofmt -l .", None),
            ("go generate ./...", Some(Generate)),
            ("make gen", Some(Generate)),
            ("make test", None),
            ("mise run fmt", Some(Format)),
            ("mise run lint", None),
            ("bundle install", Some(Install)),
            ("bundle exec rubocop -A", Some(Format)),
            ("python -m pip install -e .", Some(Install)),
            ("dotnet restore", Some(Install)),
            ("./gradlew spotlessApply", Some(Format)),
            ("docker compose up -d db", Some(Start)),
            ("docker compose run --rm web python manage.py migrate", Some(Generate)),
            ("docker compose run --rm web python manage.py test", None),
            ("docker compose logs db", None),
            ("npx prisma generate", Some(Generate)),
            ("ls", None),
            ("", None),
        ] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(fix_class(&words), expected, "{line}");
        }
    }

    #[test]
    fn replacements_with_sed_are_edits() {
        for (line, expected) in [
            ("sed -i 's/old_name/new_name/g' src/a.rs", Some(("src/a.rs", "old_name", "new_name"))),
            ("sed -i '' 's|a/b|c/d|' ./x.go", Some(("x.go", "a/b", "c/d"))),
            ("sed -i 's/f\\.go(/g(/' x.go", Some(("x.go", "f.go(", "g("))),
            ("sed -i 's/a.*b/c/' x.go", None),
            ("sed 's/a/b/' x.go", None),
            ("sed -i '3d' x.go", None),
        ] {
            let edits = sed_edits(line);
            let found = edits.first().map(|(file, edit)| (file.as_str(), &*edit.old, &*edit.new));
            assert_eq!(found, expected, "{line}");
        }
    }
}
