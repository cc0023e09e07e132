//! Definitions of tasks, and the checks that they run.

use proptest::prelude::*;

use super::*;

fn runners(file: &str, text: &str, line: &str) -> Vec<String> {
    let tasks = TaskDefinitions::from_files("/srv/app", [(file, text)]);
    tasks.checks(line).into_iter().map(|check| check.runner).collect()
}

#[test]
fn tasks_are_the_checks_that_they_run() {
    const PACKAGE: &str = r#"{"scripts": {"test": "vitest run", "verify": "npm run lint && tsc --noEmit",
        "lint": "eslint .", "all": "npm-run-all verify", "qa": "pnpm test && pnpm lint", "loop": "npm run loop"}}"#;
    const MISE: &str = "[tasks]\nfmt = 'gofmt -w .'\n[tasks.lint]\nrun = 'golangci-lint run'\n\
        [tasks.'test:ci']\nrun = ['go vet ./...', 'go test -race ./...']\ndepends = ['lint']\n\
        [tasks.qa]\ndepends = ['test:*']\n[tasks.a]\ndepends='b'\n[tasks.b]\ndepends='a'\nrun='go test ./b'\n";
    const MAKE: &str = "GO ?= go\nLINT = golangci-lint\nall: build\n\nbuild:\n\t@$(GO) build ./...\n\
        qa: lint ## everything\n\t-$(GO) test $(ARGS) ./...\nlint:\n\t${LINT} run\ndeploy:\n\t./deploy.sh\n";
    const JUST: &str = "set shell := ['bash']\nversion := '1'\n\ndefault: qa\n\n# Runs all\nqa filter='': lint\n    \
        cargo nextest run {{filter}}\n\n[private]\nlint:\n  @cargo clippy\nalias q := qa\n";
    const TASK: &str = "version: '3'\nvars:\n  A: 1\ntasks:\n  qa:\n    deps: [lint]\n    cmds:\n      - go test {{.CLI_ARGS}} ./...\n      \
        - task: types\n  lint: golangci-lint run\n  types:\n    cmd: mypy .\n  build:\n    - go build ./...\n";
    const PYPROJECT: &str = "[tool.poe.tasks]\nunit = 'pytest -q'\nqa = ['unit', 'style']\n\
        style = {cmd = 'ruff check .'}\n[tool.pdm.scripts]\nqa = {composite = ['ruff check .', 'pytest']}\n\
        [tool.hatch.envs.default.scripts]\ncov = 'pytest --cov'\n[tool.pixi.tasks]\nqa = {cmd = 'pytest', depends-on = ['style']}\n\
        style = 'ruff check .'\n[tool.tox]\nlegacy_tox_ini = '''\n[testenv]\ncommands =\n    pytest {posargs}\n[testenv:style]\ncommands = ruff check .\n'''\n";
    const COMPOSER: &str =
        r#"{"scripts": {"qa": ["@style", "@php vendor/bin/phpunit"], "style": "phpcs src"}}"#;
    const HOOKS: &str = "repos:\n- repo: https://x\n  hooks:\n  - id: ruff\n    args: [--fix]\n  - id: mypy\n- repo: local\n  hooks:\n    - id: unit\n      entry: pytest -q\n";
    for (file, text, line, expected) in [
        ("package.json", PACKAGE, "npm test", &["vitest"][..]),
        ("package.json", PACKAGE, "npm run verify", &["eslint", "tsc"]),
        ("package.json", PACKAGE, "yarn qa", &["vitest", "eslint"]),
        ("package.json", PACKAGE, "npm run loop", &[]),
        ("package.json", PACKAGE, "pnpm --filter web test", &["pnpm test"]),
        ("package.json", PACKAGE, "cd web && npm test", &["npm test"]),
        ("package.json", PACKAGE, "cd /srv/app && npm test", &["vitest"]),
        ("mise.toml", MISE, "mise run lint", &["golangci-lint"]),
        ("mise.toml", MISE, "mise run fmt && mise run lint", &["golangci-lint"]),
        ("mise.toml", MISE, "mise r test:ci", &["golangci-lint", "go vet", "go test"]),
        ("mise.toml", MISE, "mise qa", &["golangci-lint", "go vet", "go test"]),
        ("mise.toml", MISE, "mise run a", &["go test"]),
        ("mise.toml", MISE, "mise run lint ::: b", &["golangci-lint", "go test"]),
        ("Makefile", MAKE, "make", &["go build"]),
        ("Makefile", MAKE, "make -j 4 qa", &["golangci-lint", "go test"]),
        ("Makefile", MAKE, "make -C sub qa", &[]),
        ("Makefile", MAKE, "make deploy", &[]),
        ("justfile", JUST, "just", &["cargo clippy", "cargo nextest"]),
        ("justfile", JUST, "just q parse", &["cargo clippy", "cargo nextest"]),
        ("Taskfile.yml", TASK, "task qa", &["golangci-lint", "mypy", "go test"]),
        ("Taskfile.yml", TASK, "task build", &["go build"]),
        ("pyproject.toml", PYPROJECT, "poetry run poe qa", &["pytest", "ruff"]),
        ("pyproject.toml", PYPROJECT, "pdm run qa", &["ruff", "pytest"]),
        ("pyproject.toml", PYPROJECT, "hatch run cov", &["pytest"]),
        ("pyproject.toml", PYPROJECT, "pixi run qa", &["ruff", "pytest"]),
        ("pyproject.toml", PYPROJECT, "tox", &["pytest"]),
        ("pyproject.toml", PYPROJECT, "tox -e style", &["ruff"]),
        ("composer.json", COMPOSER, "composer qa", &["phpcs", "phpunit"]),
        ("deno.json", r#"{"tasks": {"qa": "deno test -A"}}"#, "deno task qa", &["deno test"]),
        (
            "turbo.json",
            r#"{"tasks": {"test": {"dependsOn": ["^build", "lint"]}}}"#,
            "npx turbo test",
            &["turbo lint", "turbo test"],
        ),
        (".pre-commit-config.yaml", HOOKS, "pre-commit run -a", &["ruff", "mypy", "pytest"]),
        (".pre-commit-config.yaml", HOOKS, "pre-commit run mypy --all-files", &["mypy"]),
        (
            "lefthook.yml",
            "pre-push:\n  commands:\n    t:\n      run: go test ./... {files}\n",
            "lefthook run pre-push",
            &["go test"],
        ),
        (
            "Makefile.toml",
            "[tasks.qa]\ncommand = 'cargo'\nargs = ['clippy']\n",
            "cargo make qa",
            &["cargo clippy"],
        ),
    ] {
        assert_eq!(runners(file, text, line), expected, "{file}: {line}");
    }
}

#[test]
fn arguments_limit_the_last_command_of_a_task() {
    let tasks = TaskDefinitions::from_files("", [("mise.toml", "tasks.test = 'go test'\n")]);
    let check = tasks.checks("mise run test -- -run TestA ./pkg").remove(0);
    assert_eq!((check.names, check.filters), (vec!["TestA".to_owned()], vec!["pkg".to_owned()]));
    assert_eq!(check.task.as_deref(), Some("mise test"));
}

#[test]
fn definitions_that_hide_failures_need_a_summary() {
    let makefile = "test:\n\tgo test ./... | tee log\n";
    let tasks = TaskDefinitions::from_files("", [("Makefile", makefile)]);
    let outcome = |output| tasks.evaluate("make test", output, Some(true)).outcome;
    assert_eq!(outcome(""), crate::validation::CheckOutcome::Unknown);
    assert_eq!(outcome("ok  \ta\t0.1s"), crate::validation::CheckOutcome::Passed);
}

#[test]
fn many_tasks_are_read_in_bounded_time() {
    let names: Vec<String> = (0..400).map(|number| format!("t{number}")).collect();
    let mut text = String::new();
    for name in &names {
        text.push_str(&format!("{name}: {}\n\tgo test ./{name}\n", names.join(" ")));
    }
    text.truncate(MAX_TASK_FILE as usize);
    assert!(runners("Makefile", &text, "make t1").len() <= 32);
}

proptest! {
    #[test]
    fn any_file_is_accepted(
        file in 0..TASK_FILES.len(),
        text in "([a-z:=,'\"{}\\[\\]$()@-]|\n|\t|  |tasks|scripts|cmds:|- |é|commands|run){0,80}",
    ) {
        let tasks = TaskDefinitions::from_files("", [(TASK_FILES[file], text.as_str())]);
        for line in ["make", "just a", "mise run a", "task a", "npm run a", "tox", "pre-commit run"] {
            tasks.checks(line);
        }
    }
}
