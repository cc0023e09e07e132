//! Which commands check the work: tests, builds, linters and type checkers of common ecosystems.

use tacit_core::CheckKind;

use crate::git_commits::program;
use crate::shell::joined_commands;

/// A check that a command line runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckCommand {
    /// What it looks at.
    pub kind: CheckKind,
    /// The program that checks, or that is asked to.
    pub runner: String,
    /// The same for the same check.
    pub key: String,
    /// What it is limited to; empty if it looks at everything.
    pub filters: Vec<String>,
    /// Which of the commands of the line it is.
    pub command_index: usize,
}

impl CheckCommand {
    /// Whether this looks at everything that `other` looks at, and in the same way.
    pub fn covers(&self, other: &CheckCommand) -> bool {
        if self.key == other.key {
            return true;
        }
        let within = |filters: &String| self.filters.iter().any(|wide| filters.starts_with(wide));
        self.kind == other.kind
            && self.runner == other.runner
            && (self.filters.is_empty()
                || (!other.filters.is_empty() && other.filters.iter().all(within)))
    }
}

/// Flags that change what is printed and not what is checked.
const OUTPUT_FLAGS: [&str; 18] = [
    "-q",
    "--quiet",
    "-v",
    "-vv",
    "--verbose",
    "-s",
    "--nocapture",
    "--no-capture",
    "--show-output",
    "--color=always",
    "--color=never",
    "--no-color",
    "-x",
    "--tb=short",
    "--tb=long",
    "--silent",
    "--no-fail-fast",
    "--",
];
/// Programs that run the program behind them.
const LAUNCHERS: [&str; 6] = ["npx", "pnpx", "bunx", "xvfb-run", "time", "stdbuf"];

/// The checks of a command line, in order.
pub fn checks(line: &str) -> Vec<CheckCommand> {
    let mut directory = String::new();
    let mut found = Vec::new();
    for (command_index, command) in joined_commands(line).iter().enumerate() {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let Some((name, args)) = program(&words) else { continue };
        if let ("cd" | "pushd", [to, ..]) = (name, args) {
            directory = (*to).to_owned();
            continue;
        }
        let Some((kind, runner, args)) = recognise(name, args).or_else(|| script(&words, args))
        else {
            continue;
        };
        let telling: Vec<&str> =
            args.iter().copied().filter(|arg| !OUTPUT_FLAGS.contains(arg)).collect();
        let filters = check_filters(&runner, &telling);
        let key = format!("{directory}|{runner} {}", telling.join(" "));
        found.push(CheckCommand { kind, runner, key, filters, command_index });
    }
    found
}

/// The program of a command, behind whatever launches it.
pub(super) fn program_name(words: &[String]) -> Option<String> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    program(&words).map(|(name, _)| name.to_owned())
}

/// A command line without what is done with its output.
pub(super) fn without_output_filters(line: &str) -> String {
    let commands = joined_commands(line);
    let mut kept = Vec::new();
    for command in &commands {
        if let Some(name) = program_name(&command.words)
            && !matches!(
                name.as_str(),
                "tail" | "head" | "true" | "cat" | "tee" | "grep" | "echo" | "less"
            )
        {
            kept.push(command.words.join(" "));
        }
    }
    if kept.is_empty() {
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        kept.join("; ")
    }
}

type Recognised<'a> = (CheckKind, String, Vec<&'a str>);

/// What a program with these arguments checks.
fn recognise<'a>(name: &str, args: &[&'a str]) -> Option<Recognised<'a>> {
    use CheckKind::{Build, Lint, Test, Types};
    let recognised =
        |kind, runner: &str, rest: &[&'a str]| Some((kind, runner.to_owned(), rest.to_vec()));
    let has = |flags: &[&str]| args.iter().any(|arg| flags.contains(arg));
    let name = name.trim_end_matches(".exe").trim_end_matches(".cmd");
    match (name, args) {
        (launcher, [inner, rest @ ..])
            if LAUNCHERS.contains(&launcher) && !inner.starts_with('-') =>
        {
            recognise(base(inner), rest)
        }
        ("docker", ["compose", "exec" | "run", args @ ..])
        | ("docker-compose", ["exec" | "run", args @ ..])
        | ("docker", ["exec", args @ ..]) => {
            // Behind options and the name of the service.
            let service = args.iter().position(|arg| !arg.starts_with('-'))?;
            let inner = args.get(service + 1)?;
            recognise(base(inner), &args[service + 2..])
        }
        ("timeout", args) => {
            let at = args.iter().position(|arg| !arg.starts_with('-'))?;
            let inner = args.get(at + 1)?;
            recognise(base(inner), &args[at + 2..])
        }
        (
            "poetry" | "uv" | "pipenv" | "hatch" | "rye" | "pdm" | "bundle",
            ["run" | "exec", inner, rest @ ..],
        ) => recognise(base(inner), rest),
        ("python" | "python3" | "py", ["-m", module, rest @ ..]) => match *module {
            "unittest" => recognised(Test, "unittest", rest),
            module => recognise(module, rest),
        },
        ("python" | "python3", [script, "test", rest @ ..]) if script.ends_with("manage.py") => {
            recognised(Test, "django", rest)
        }
        ("cargo", args) => {
            let args = match args {
                [toolchain, rest @ ..] if toolchain.starts_with('+') => rest,
                args => args,
            };
            match args {
                ["test" | "t", rest @ ..] => recognised(Test, "cargo test", rest),
                ["nextest", "run", rest @ ..] => recognised(Test, "cargo nextest", rest),
                ["build" | "b" | "check" | "c", rest @ ..] => {
                    recognised(Build, "cargo build", rest)
                }
                ["clippy", rest @ ..] => recognised(Lint, "cargo clippy", rest),
                ["fmt", rest @ ..] if has(&["--check"]) => recognised(Lint, "cargo fmt", rest),
                [tool @ ("xtask" | "make"), task, rest @ ..] => {
                    Some((script_kind(task)?, format!("cargo {tool} {task}"), rest.to_vec()))
                }
                _ => None,
            }
        }
        ("npm" | "pnpm" | "yarn" | "bun", args) => package_script(name, args),
        ("jest" | "vitest" | "mocha" | "ava" | "jasmine" | "karma", rest) => {
            recognised(Test, name, rest)
        }
        ("playwright", ["test", rest @ ..]) | ("cypress", ["run", rest @ ..]) => {
            recognised(Test, name, rest)
        }
        ("pytest" | "py.test", rest) => recognised(Test, "pytest", rest),
        ("tox" | "nox" | "nose2" | "rspec" | "phpunit" | "pest" | "gotestsum" | "ctest", rest) => {
            recognised(Test, name, rest)
        }
        ("go", ["test", rest @ ..]) => recognised(Test, "go test", rest),
        ("go", ["build", rest @ ..]) => recognised(Build, "go build", rest),
        ("go", ["vet", rest @ ..]) => recognised(Lint, "go vet", rest),
        ("gradle" | "gradlew", args) => tasks("gradle", args),
        ("mvn" | "mvnw", args) => tasks("maven", args),
        ("dotnet", ["test", rest @ ..]) => recognised(Test, "dotnet test", rest),
        ("dotnet", ["build", rest @ ..]) => recognised(Build, "dotnet build", rest),
        ("dotnet", ["format", rest @ ..]) if has(&["--verify-no-changes"]) => {
            recognised(Lint, "dotnet format", rest)
        }
        ("rake" | "make" | "gmake" | "just" | "task" | "ninja", args) => tasks(name, args),
        ("rails", ["test" | "test:system", rest @ ..]) => recognised(Test, "rails test", rest),
        ("php" | "artisan", ["artisan" | "test", rest @ ..]) if has(&["test"]) => {
            recognised(Test, "artisan test", rest)
        }
        ("composer", ["run" | "run-script", script, ..]) => {
            Some((script_kind(script)?, format!("composer {script}"), vec![]))
        }
        ("composer", [script, ..]) => {
            Some((script_kind(script)?, format!("composer {script}"), vec![]))
        }
        ("cmake", rest) if has(&["--build"]) => recognised(Build, "cmake", rest),
        (
            "bazel" | "swift" | "mix" | "sbt" | "lein" | "flutter" | "dart" | "stack" | "cabal"
            | "meson" | "zig" | "deno",
            args,
        ) => {
            let verb = args.iter().find(|arg| !arg.starts_with('-'))?;
            let kind = match *verb {
                "test" => Test,
                "build" | "compile" => Build,
                "analyze" | "lint" | "credo" => Lint,
                "check" => Types,
                _ => return None,
            };
            let rest: Vec<&str> = args.iter().copied().filter(|arg| arg != verb).collect();
            Some((kind, format!("{name} {verb}"), rest))
        }
        ("xcodebuild", rest) if has(&["test"]) => recognised(Test, "xcodebuild", rest),
        (
            "eslint" | "stylelint" | "flake8" | "pylint" | "rubocop" | "shellcheck"
            | "golangci-lint" | "phpcs" | "ktlint" | "standard" | "oxlint",
            rest,
        ) => {
            if has(&["--fix", "-a", "-A", "--fix-type"]) {
                None
            } else {
                recognised(Lint, name, rest)
            }
        }
        ("ruff", ["check", rest @ ..]) if !has(&["--fix"]) => recognised(Lint, "ruff", rest),
        ("ruff", ["format", rest @ ..]) if has(&["--check"]) => {
            recognised(Lint, "ruff format", rest)
        }
        ("biome", ["check" | "lint" | "ci", rest @ ..]) if !has(&["--write", "--apply"]) => {
            recognised(Lint, "biome", rest)
        }
        ("prettier", rest) if has(&["--check", "-c", "--list-different", "-l"]) => {
            recognised(Lint, "prettier", rest)
        }
        ("black" | "isort", rest) if has(&["--check", "--check-only", "-c"]) => {
            recognised(Lint, name, rest)
        }
        (
            "mypy" | "pyright" | "basedpyright" | "tsc" | "vue-tsc" | "svelte-check" | "phpstan"
            | "psalm" | "flow" | "ty",
            rest,
        ) => {
            if has(&["--watch", "-w", "--init", "--version"]) {
                None
            } else {
                recognised(Types, name, rest)
            }
        }
        _ => None,
    }
}

/// A script of the project that is named for what it checks: `./scripts/test.sh`, `.ci/lint`.
fn script<'a>(words: &[&'a str], args: &[&'a str]) -> Option<Recognised<'a>> {
    let path = words.get(words.len().checked_sub(args.len() + 1)?)?;
    let name = base(path);
    let stem = name.split('.').next().unwrap_or(name);
    let kind = script_kind(stem).filter(|_| path.contains('/'))?;
    Some((kind, (*path).to_owned(), args.to_vec()))
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// A script of a package, by its name.
fn package_script<'a>(name: &str, args: &[&'a str]) -> Option<Recognised<'a>> {
    let at = args.iter().position(|arg| !arg.starts_with('-'))?;
    let (verb, rest) = (args[at], &args[at + 1..]);
    let (script, rest) = match verb {
        "run" | "run-script" => {
            let at = rest.iter().position(|arg| !arg.starts_with('-'))?;
            (rest[at], &rest[at + 1..])
        }
        "exec" | "dlx" | "x" => {
            let inner = rest.iter().position(|arg| !arg.starts_with('-'))?;
            return recognise(base(rest[inner]), &rest[inner + 1..]);
        }
        "t" | "tst" => ("test", rest),
        "install" | "add" | "remove" | "ci" | "i" | "publish" | "init" | "create" | "start" => {
            return None;
        }
        script => (script, rest),
    };
    if name != "npm"
        && let Some(inner) =
            (script_kind(script).is_none()).then(|| recognise(script, rest)).flatten()
    {
        return Some(inner);
    }
    Some((script_kind(script)?, format!("{name} {script}"), rest.to_vec()))
}

/// What a script or target checks, by the words of its name.
pub(super) fn script_kind(script: &str) -> Option<CheckKind> {
    let words: Vec<&str> = script.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    if has(&["watch", "dev", "serve", "fix", "write", "start", "update", "clean"]) {
        None
    } else if has(&["test", "tests", "spec", "unit", "e2e", "integration"]) {
        Some(CheckKind::Test)
    } else if has(&["lint", "eslint", "clippy", "stylelint"]) {
        Some(CheckKind::Lint)
    } else if has(&["typecheck", "types", "tsc", "mypy", "pyright"])
        || script.contains("type-check")
    {
        Some(CheckKind::Types)
    } else if has(&["check", "verify", "ci", "validate"]) {
        Some(CheckKind::Test)
    } else if has(&["build", "compile"]) {
        Some(CheckKind::Build)
    } else {
        None
    }
}

/// The targets of a build tool: the most telling of them.
fn tasks<'a>(runner: &str, args: &[&'a str]) -> Option<Recognised<'a>> {
    let targets: Vec<&str> =
        args.iter().copied().filter(|arg| !arg.starts_with('-') && !arg.contains('=')).collect();
    let kind = match (runner, targets.as_slice()) {
        ("maven", targets) => targets
            .iter()
            .filter_map(|target| match *target {
                "test" | "verify" | "package" | "install" | "integration-test" => {
                    Some(CheckKind::Test)
                }
                "compile" | "test-compile" => Some(CheckKind::Build),
                _ => None,
            })
            .min()?,
        ("make" | "gmake" | "ninja", []) => CheckKind::Build,
        ("make" | "gmake" | "ninja", ["all"]) => CheckKind::Build,
        ("rake", []) => CheckKind::Test,
        ("gradle", targets) => targets
            .iter()
            .filter_map(|target| {
                let task = target.rsplit(':').next().unwrap_or(target);
                let lower = task.to_ascii_lowercase();
                match lower.as_str() {
                    "assemble" | "classes" | "compilejava" | "compilekotlin" => {
                        Some(CheckKind::Build)
                    }
                    "build" => Some(CheckKind::Test),
                    _ if lower.contains("test") => Some(CheckKind::Test),
                    _ => script_kind(&lower),
                }
            })
            .min()?,
        (_, targets) => targets.iter().filter_map(|target| script_kind(target)).min()?,
    };
    Some((kind, format!("{runner} {}", targets.join(" ")), Vec::new()))
}

/// The words that limit a check to a part.
fn check_filters(runner: &str, args: &[&str]) -> Vec<String> {
    const TAKES_VALUE: [&str; 20] = [
        "-p",
        "--package",
        "--test",
        "--bin",
        "--example",
        "-k",
        "-t",
        "--testNamePattern",
        "-m",
        "-run",
        "--tests",
        "-Dtest",
        "--filter",
        "-e",
        "--grep",
        "-g",
        "-n",
        "-j",
        "--features",
        "-F",
    ];
    /// Values of these change how, not what.
    const HOW: [&str; 5] = ["-n", "-j", "--features", "-F", "-m"];
    let mut filters = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if TAKES_VALUE.contains(arg) {
            let value = args.next();
            if !HOW.contains(arg) {
                filters.extend(value.map(|value| (*value).to_owned()));
            }
        } else if matches!(*arg, "--lib" | "--bins" | "--doc") {
            filters.push((*arg).to_owned());
        } else if !arg.starts_with('-') && !matches!(*arg, "." | "./..." | "run" | "src" | "tests")
        {
            // `go test ./...` and `eslint .` look at everything.
            let whole = runner.starts_with("dotnet") && arg.ends_with(".sln");
            if !whole {
                filters.push((*arg).to_owned());
            }
        }
    }
    filters
}

#[cfg(test)]
mod tests;
