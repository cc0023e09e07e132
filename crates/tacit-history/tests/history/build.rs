//! Tells how a project is built, checked and run.

use proptest::prelude::*;
use tacit_history::StatedTexts;
use tacit_history::build::{build_lesson, is_build_file};

fn lesson(files: &[(&str, &str)], document: &str) -> Option<String> {
    let owned: Vec<(String, String)> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let root: Vec<String> = files
        .iter()
        .map(|(path, _)| (*path).to_owned())
        .filter(|path| !path.contains('/'))
        .collect();
    build_lesson(&owned, &root, &StatedTexts::new([document])).map(|lesson| lesson.content)
}

/// Returns the lesson of a workflow with these steps.
fn steps(steps: &str) -> Option<String> {
    let workflow =
        format!("on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{steps}");
    lesson(&[(".github/workflows/ci.yml", &workflow)], "")
}

#[test]
fn the_checks_of_a_workflow_are_told() {
    let workflow = "
name: CI
on:
  push:
    branches: [main]
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    strategy:
      matrix: {python: ['3.9', '3.13', 'pypy3.10']}
    defaults: {run: {working-directory: server}}
    steps:
      - uses: actions/checkout@v4
      - run: sudo apt-get install -y libfoo
      - run: |
          pip install tox
          pip install -e '.[test]'
      - name: Lint
        run: ruff check .
      - name: Test ${{ matrix.python }}
        run: >-
          python -m pytest
          -q
      - run: cd ../web && npm ci && npm test | tee log
      - run: codecov --token ${{ secrets.TOKEN }}
  publish:
    if: startsWith(github.ref, 'refs/tags')
    steps:
      - run: make test
";
    assert_eq!(
        lesson(&[(".github/workflows/ci.yml", workflow)], "").as_deref(),
        Some(
            "Set up: in `server`: `pip install -e '.[test]'`; in `web`: `npm ci`. Check a change as CI \
             does (`.github/workflows/ci.yml`): in `server`: `ruff check .`, `python -m pytest -q`; in \
             `web`: `npm test`."
        )
    );
}

#[test]
fn only_commands_that_run_as_they_stand_are_told() {
    for (what, script, kept) in [
        ("plain", "cargo test --workspace", true),
        ("with its environment", "RUST_BACKTRACE=1 cargo test", true),
        ("a variable of the service", "cargo test --target $TARGET", false),
        ("a secret", "cargo test ${{ secrets.KEY }}", false),
        ("publishes", "npm publish && npm run deploy", false),
        ("as another user", "sudo make test", false),
        ("under a condition", "if [ -f x ]; then\n            cargo test\n          fi", false),
        ("in a document", "cat <<EOF\n          cargo test\n          EOF", false),
        ("prepares only", "npm ci", false),
        ("no check", "curl http://x.example/a.sh | sh", false),
        ("an artefact", "tox --installpkg dist/x.whl -e py", false),
    ] {
        let step = format!("      - run: |\n          {script}\n");
        assert_eq!(steps(&step).is_some(), kept, "{what}: {:?}", steps(&step));
    }
    for (what, step) in [
        ("for another system", "      - run: cargo test\n        if: runner.os == 'Windows'\n"),
        ("in another shell", "      - run: cargo test\n        shell: pwsh\n"),
    ] {
        assert_eq!(steps(step), None, "{what}");
    }
}

#[test]
fn workflows_that_do_not_run_for_changes_are_left_out() {
    let jobs = "jobs:\n  test:\n    steps:\n      - run: cargo test\n";
    for (on, kept) in [
        ("on: push\n", true),
        ("on: [pull_request, workflow_dispatch]\n", true),
        ("'on':\n  pull_request:\n    paths: [src]\n", true),
        ("on: workflow_dispatch\n", false),
        ("on:\n  schedule:\n    - cron: '0 0 * * *'\n", false),
        ("on:\n  push:\n    tags: ['v*']\n", false),
        ("", false),
    ] {
        let found = lesson(&[(".github/workflows/ci.yml", &format!("{on}{jobs}"))], "");
        assert_eq!(found.is_some(), kept, "{on}");
    }
    let workflow = format!("on: push\n{jobs}");
    assert_eq!(lesson(&[(".github/workflows/release.yml", &workflow)], ""), None);
}

#[test]
fn other_services_are_read() {
    for (path, text) in [
        (".gitlab-ci.yml", "stages: [test]\ntest:\n  stage: test\n  script:\n    - make check\n"),
        (
            ".circleci/config.yml",
            "jobs:\n  a:\n    steps:\n      - checkout\n      - run: {command: make check}\n",
        ),
        ("azure-pipelines.yml", "jobs:\n- job: a\n  steps:\n  - script: make check\n"),
        (".travis.yml", "script:\n  - make check\n"),
        (".cirrus.yml", "lint_task:\n  check_script: make check\n"),
        (".woodpecker.yml", "steps:\n  test:\n    commands:\n      - make check\n"),
        (".drone.yml", "steps:\n- name: test\n  commands: [make check]\n"),
        (
            "bitbucket-pipelines.yml",
            "pipelines:\n  default:\n    - step:\n        script:\n          - make check\n",
        ),
        (".build.yml", "tasks:\n  - check: |\n      cd project\n      make check\n"),
        ("Jenkinsfile", "stage('Test') {\n  sh 'make check'\n}\n"),
    ] {
        assert!(is_build_file(path), "{path}");
        let expected = format!("Check a change as CI does (`{path}`): `make check`.");
        let makefile = "check:\n\tpytest\n";
        let found = lesson(&[(path, text), ("Makefile", makefile)], "");
        assert_eq!(found.as_deref(), Some(expected.as_str()), "{path}");
    }
}

#[test]
fn the_projects_own_tasks_and_versions_follow() {
    let manifest = r#"{"scripts": {"dev": "vite", "test": "vitest", "lint": "eslint .", "test:unit":
        "vitest unit", "release": "x", "postinstall": "y"}, "engines": {"node": ">=20"}}"#;
    let workflow = "on: push\njobs:\n  a:\n    steps:\n      - run: pnpm test\n";
    let files = [
        ("package.json", manifest),
        ("pnpm-lock.yaml", ""),
        (".github/workflows/ci.yml", workflow),
        ("Cargo.toml", "[package]\nname = \"x\"\nrust-version = \"1.75\"\n"),
    ];
    assert_eq!(
        lesson(&files, "").as_deref(),
        Some(
            "Check a change as CI does (`.github/workflows/ci.yml`): `pnpm test`. More tasks \
             (`package.json`): `pnpm lint`, `pnpm dev`, `pnpm test:unit`. The code has to work with \
             Rust 1.75 or newer, Node.js >=20."
        )
    );
}

#[test]
fn commands_in_documents_are_not_repeated() {
    let files = [(".travis.yml", "script:\n  - make check\n  - make lint\n")];
    for (document, kept) in
        [("", true), ("Run `make check`.", true), ("Run `make lint` and\n    make  check\n", false)]
    {
        assert_eq!(lesson(&files, document).is_some(), kept, "{document}");
    }
}

proptest! {
    #[test]
    fn any_file_is_read(text in "(?s)[ -~\n]{0,300}") {
        for path in [
            ".github/workflows/ci.yml", ".gitlab-ci.yml", ".circleci/config.yml", ".travis.yml",
            "azure-pipelines.yml", ".cirrus.yml", "Jenkinsfile", ".build.yml", ".drone.yml",
            "Makefile", "package.json", "noxfile.py", "tox.ini", ".cargo/config.toml", "go.mod",
        ] {
            lesson(&[(path, &text)], "");
        }
    }
}
