//! Names of tools, in every language the same.

/// Well-known tools. An instruction to use one of them is about the project, not about the task.
#[rustfmt::skip] // The names fill the lines.
pub(in super::super) const TOOLS: &[&str] = &[
    "npm", "npx", "pnpm", "yarn", "bun", "bunx", "deno", "node", "nvm", "fnm", "volta", "pip",
    "pipx", "uv", "poetry", "pipenv", "conda", "mamba", "pixi", "hatch", "pdm", "tox", "nox",
    "virtualenv", "venv", "cargo", "rustup", "nextest", "make", "just", "mise", "asdf", "task",
    "bazel", "buck2", "ninja", "cmake", "meson", "gradle", "gradlew", "maven", "mvn", "sbt", "ant",
    "docker", "podman", "compose", "kubectl", "helm", "terraform", "tofu", "ansible", "vagrant",
    "jest", "vitest", "mocha", "jasmine", "karma", "playwright", "cypress", "selenium", "pytest",
    "unittest", "rspec", "minitest", "junit", "phpunit", "pest", "testify", "gomock", "gotest",
    "testcontainers", "mockito", "eslint", "prettier", "biome", "oxlint", "stylelint", "ruff",
    "black", "isort", "flake8", "pylint", "mypy", "pyright", "clippy", "rustfmt", "gofmt",
    "gofumpt", "goimports", "golangci-lint", "rubocop", "ktlint", "detekt", "checkstyle",
    "spotless", "swiftlint", "swiftformat", "clang-format", "clang-tidy", "tsc", "tsx", "esbuild",
    "vite", "webpack", "rollup", "turbo", "nx", "lerna", "git", "gh", "glab", "jj", "hg", "svn",
    "rg", "ripgrep", "grep", "fd", "sed", "awk", "jq", "curl", "wget", "httpie", "bash", "zsh",
    "fish", "powershell", "pwsh", "sqlx", "diesel", "prisma", "drizzle", "typeorm", "sequelize",
    "knex", "sqlalchemy", "alembic", "flyway", "liquibase", "postgres", "postgresql", "mysql",
    "mariadb", "sqlite", "mongodb", "redis", "react", "vue", "svelte", "angular", "redux",
    "zustand", "mobx", "tailwind", "axios", "fetch", "lodash", "moment", "dayjs", "date-fns",
    "luxon", "zod", "yup", "pydantic", "attrs", "requests", "httpx", "aiohttp", "django", "flask",
    "fastapi", "rails", "laravel", "spring", "express", "fastify", "tokio", "async-std", "anyhow",
    "thiserror", "tracing", "log4j", "slf4j", "logback", "println", "print", "printf", "loguru",
    "winston", "pino", "bundler", "composer", "brew", "apt", "apk", "nix", "pre-commit", "lefthook",
    "husky", "commitlint", "typescript", "javascript", "kotlin", "java", "rust", "go", "python",
];
