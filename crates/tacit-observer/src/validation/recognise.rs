//! Recognises the programs that check: test runners, compilers, linters and type checkers.

use tacit_core::CheckKind;

use super::command::script_kind;

/// The kind, the runner and the arguments of a check.
type Recognised<'a> = (CheckKind, String, Vec<&'a str>);

/// Recognises a program with its arguments as a check.
pub(super) fn recognise<'a>(name: &str, args: &[&'a str]) -> Option<Recognised<'a>> {
    use CheckKind::{Build, Lint, Test, Types};
    let recognised =
        |kind, runner: &str, rest: &[&'a str]| Some((kind, runner.to_owned(), rest.to_vec()));
    let has = |flags: &[&str]| args.iter().any(|arg| flags.contains(arg));
    let name = name.trim_end_matches(".exe").trim_end_matches(".cmd");
    match (name, args) {
        ("python" | "python3" | "py", ["-m", "unittest", rest @ ..]) => {
            recognised(Test, "unittest", rest)
        }
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
                _ => None,
            }
        }
        ("bun-test", rest) => recognised(Test, "bun test", rest),
        ("jest" | "vitest" | "mocha" | "ava" | "jasmine" | "karma", rest) => {
            recognised(Test, name, rest)
        }
        ("playwright", ["test", rest @ ..]) | ("cypress", ["run", rest @ ..]) => {
            recognised(Test, name, rest)
        }
        ("pytest" | "py.test", rest) => recognised(Test, "pytest", rest),
        ("nose2" | "rspec" | "phpunit" | "pest" | "gotestsum" | "ctest", rest) => {
            recognised(Test, name, rest)
        }
        ("go", ["test", rest @ ..]) => recognised(Test, "go test", rest),
        ("go", ["build", rest @ ..]) => recognised(Build, "go build", rest),
        ("go", ["vet", rest @ ..]) => recognised(Lint, "go vet", rest),
        ("gradle" | "gradlew", args) => build_targets("gradle", args),
        ("mvn" | "mvnw", args) => build_targets("maven", args),
        ("dotnet", ["test", rest @ ..]) => recognised(Test, "dotnet test", rest),
        ("dotnet", ["build", rest @ ..]) => recognised(Build, "dotnet build", rest),
        ("dotnet", ["format", rest @ ..]) if has(&["--verify-no-changes"]) => {
            recognised(Lint, "dotnet format", rest)
        }
        ("ninja", args) => build_targets(name, args),
        ("rails", ["test" | "test:system", rest @ ..]) => recognised(Test, "rails test", rest),
        ("php" | "artisan", ["artisan" | "test", rest @ ..]) if has(&["test"]) => {
            recognised(Test, "artisan test", rest)
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

/// Recognises scripts named after a check: `./scripts/test.sh`, `.ci/lint`.
pub(super) fn script<'a>(words: &[&'a str], args: &[&'a str]) -> Option<Recognised<'a>> {
    let path = words.get(words.len().checked_sub(args.len() + 1)?)?;
    let name = base_name(path);
    let stem = name.split('.').next().unwrap_or(name);
    let kind = script_kind(stem).filter(|_| path.contains('/'))?;
    Some((kind, (*path).to_owned(), args.to_vec()))
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Linters whose tasks are named after them, such as `ktlintCheck`.
const GRADLE_LINTERS: [&str; 6] = ["lint", "detekt", "checkstyle", "spotless", "spotbugs", "pmd"];

/// Recognises targets of a build tool; tests win over other kinds.
fn build_targets<'a>(runner: &str, args: &[&'a str]) -> Option<Recognised<'a>> {
    let takes_value = |arg: &&str| PLACE_OPTIONS.contains(arg) || NAME_OPTIONS.contains(arg);
    let (mut targets, mut limits) = (Vec::new(), Vec::new());
    for (at, arg) in args.iter().copied().enumerate() {
        let is_value = at.checked_sub(1).is_some_and(|before| takes_value(&args[before]));
        if is_value || arg.starts_with('-') || arg.contains('=') {
            limits.push(arg);
        } else {
            targets.push(arg);
        }
    }
    let kind = match (runner, targets.as_slice()) {
        ("maven", targets) => targets
            .iter()
            .filter_map(|target| match *target {
                "test" | "verify" | "package" | "install" | "integration-test" => {
                    Some(CheckKind::Test)
                }
                "compile" | "test-compile" => Some(CheckKind::Build),
                // Goals of linters: `checkstyle:check`, `spotless:check`.
                target if target.ends_with(":check") => Some(CheckKind::Lint),
                _ => None,
            })
            .min()?,
        ("ninja", [] | ["all"]) => CheckKind::Build,
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
                    _ if lower.ends_with("format") || lower.ends_with("apply") => None,
                    _ if GRADLE_LINTERS.iter().any(|linter| lower.contains(linter)) => {
                        Some(CheckKind::Lint)
                    }
                    _ if lower.contains("test") => Some(CheckKind::Test),
                    _ => script_kind(&lower),
                }
            })
            .min()?,
        (_, targets) => targets.iter().filter_map(|target| script_kind(target)).min()?,
    };
    Some((kind, format!("{runner} {}", targets.join(" ")).trim_end().to_owned(), limits))
}

/// Options whose value limits a check to packages or paths.
const PLACE_OPTIONS: [&str; 12] = [
    "-p",
    "--package",
    "--test",
    "--bin",
    "--example",
    "-pl",
    "--projects",
    "--project",
    "--project-dir",
    "--manifest-path",
    "--files",
    "-f",
];
/// Options whose value limits a check to tests by name.
const NAME_OPTIONS: [&str; 14] = [
    "-k",
    "-t",
    "--testNamePattern",
    "-run",
    "--run",
    "--tests",
    "-Dtest",
    "--filter",
    "-e",
    "--grep",
    "-g",
    "--only-test",
    "-m",
    "-R",
];
/// Options whose value does not limit a check.
const OTHER_OPTIONS: [&str; 24] = [
    "-n",
    "-j",
    "--jobs",
    "--features",
    "-F",
    "-o",
    "-tags",
    "--tags",
    "-count",
    "-timeout",
    "--timeout",
    "-c",
    "--config",
    "--config-file",
    "--maxWorkers",
    "--reporter",
    "--format",
    "--target",
    "--target-dir",
    "--profile",
    "--skip",
    "--max-warnings",
    "--ext",
    "--output-format",
];

/// Returns the packages or paths, and the names of tests, that arguments limit a check to.
pub(super) fn check_limits(runner: &str, args: &[&str]) -> (Vec<String>, Vec<String>) {
    let (mut places, mut names) = (Vec::new(), Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let (option, value) = match arg.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (*arg, None),
        };
        let mut value_of = || value.or_else(|| args.next().copied()).unwrap_or_default().to_owned();
        if !arg.starts_with('-') {
            // `cargo test NAME` runs the tests whose names contain it.
            if runner.starts_with("cargo") {
                names.push((*arg).to_owned());
            } else {
                places.extend(place(runner, arg));
            }
        } else if runner.starts_with("cargo") && matches!(option, "--test" | "--bin" | "--example")
        {
            // A target is within the package that is named beside it.
            names.push(value_of());
        } else if PLACE_OPTIONS.contains(&option) {
            places.extend(place(runner, &value_of()));
        } else if NAME_OPTIONS.contains(&option) {
            names.push(value_of());
        } else if OTHER_OPTIONS.contains(&option) {
            value_of();
        } else if matches!(*arg, "--lib" | "--bins" | "--doc") {
            names.push((*arg).to_owned());
        }
    }
    (places, names)
}

/// Returns a path or package as it is compared with others, or `None` if it stands for everything.
fn place(runner: &str, word: &str) -> Option<String> {
    // `go test .` checks one package, `eslint .` checks everything.
    if word == "." && runner.starts_with("go ") {
        return Some(".".to_owned());
    }
    let bare = word.strip_prefix("./").unwrap_or(word);
    let bare = bare.strip_suffix("...").unwrap_or(bare).trim_end_matches('/');
    let whole = matches!(bare, "" | "." | "run" | "src" | "tests" | "test" | "lib")
        || (runner.starts_with("dotnet") && bare.ends_with(".sln"));
    (!whole).then(|| bare.to_owned())
}
