//! Which commands check, and which do not.

use super::*;

#[test]
fn check_commands_are_recognised() {
    use CheckKind::{Build, Lint, Test, Types};
    for (line, kind) in [
        ("cargo test", Test),
        ("cargo +nightly t -p a", Test),
        ("cargo nextest run", Test),
        ("cargo check", Build),
        ("cargo build --release", Build),
        ("cargo clippy -- -D warnings", Lint),
        ("cargo fmt --all --check", Lint),
        ("npm test", Test),
        ("npm run test:unit -- a", Test),
        ("npm t", Test),
        ("pnpm test", Test),
        ("pnpm -r run build", Build),
        ("yarn lint", Lint),
        ("yarn jest a", Test),
        ("bun test", Test),
        ("npm run type-check", Types),
        ("npx jest", Test),
        ("npx vitest run", Test),
        ("pnpm exec mocha", Test),
        ("npx tsc --noEmit", Types),
        ("npx eslint .", Lint),
        ("npx playwright test", Test),
        ("pytest -q", Test),
        ("python -m pytest tests/a.py", Test),
        ("python3 -m unittest", Test),
        ("poetry run pytest", Test),
        ("uv run mypy .", Types),
        ("tox", Test),
        ("nox -s tests", Test),
        ("python manage.py test", Test),
        ("ruff check .", Lint),
        ("black --check .", Lint),
        ("go test ./...", Test),
        ("go vet ./...", Lint),
        ("go build ./...", Build),
        ("./gradlew test", Test),
        ("gradle :app:assemble", Build),
        ("mvn -q verify", Test),
        ("mvn compile", Build),
        ("dotnet test", Test),
        ("dotnet build", Build),
        ("bundle exec rspec", Test),
        ("rake", Test),
        ("vendor/bin/phpunit", Test),
        ("php artisan test", Test),
        ("composer test", Test),
        ("make", Build),
        ("make test", Test),
        ("make -j4 lint", Lint),
        ("just check", Test),
        ("cmake --build build", Build),
        ("ctest", Test),
        ("mix test", Test),
        ("deno test", Test),
        ("swift build", Build),
        ("mypy src", Types),
        ("shellcheck a.sh", Lint),
        ("timeout 60 cargo test", Test),
        ("CI=1 npm test", Test),
        ("sudo make test", Test),
        ("cd web && npm test", Test),
        ("cargo xtask ci", Test),
        ("docker compose exec -T app pytest -q", Test),
        ("./scripts/test.sh", Test),
        (".ci/lint", Lint),
    ] {
        let found = checks(line);
        assert_eq!(found.iter().map(|check| check.kind).collect::<Vec<_>>(), [kind], "{line}");
    }
}

#[test]
fn other_commands_are_not_checks() {
    for line in [
        "",
        "ls",
        "cat test.log",
        "echo cargo test",
        "cargo fmt",
        "cargo run",
        "cargo add serde",
        "npm install",
        "npm run dev",
        "npm run test:watch",
        "npm ci",
        "yarn add jest",
        "npx eslint --fix .",
        "prettier --write .",
        "ruff check --fix",
        "ruff format",
        "black .",
        "go run .",
        "git test",
        "make clean",
        "just deploy",
        "python test.py",
        "tsc --watch",
        "grep test src",
        "mvn clean",
        "rubocop -a",
        "# cargo test",
        "./scripts/deploy.sh",
        "vim ./test.sh",
        "docker compose up",
    ] {
        assert_eq!(checks(line), [], "{line}");
    }
}

#[test]
fn wider_checks_cover_narrower_ones() {
    let check = |line: &str| checks(line).remove(0);
    for (wide, filters, covers) in [
        ("cargo test", "cargo test parse", true),
        ("cargo test", "cargo test -p a", true),
        ("cargo test parse", "cargo test", false),
        ("pytest tests/a.py", "pytest tests/a.py::test_x", true),
        ("pytest tests/b.py", "pytest tests/a.py::test_x", false),
        ("pytest", "pytest -k name", true),
        ("cargo build", "cargo test", false),
        ("go test ./...", "go test ./pkg", true),
        ("npm test", "npm test -- a.test.ts", true),
    ] {
        assert_eq!(check(wide).covers(&check(filters)), covers, "{wide} / {filters}");
    }
}
