//! Commands and errors bring up the memories about them, in whatever words, and no others.

use super::{Agent, remember};
use crate::initialised;

/// The memories of a project, by name.
const MEMORIES: [(&str, &str); 27] = [
    ("migrate", "`make migrate` needs the VPN, or it waits for ever"),
    ("compose", "`docker compose up` needs the proxy of the office to be off"),
    ("terraform", "terraform apply must wait until nobody else holds the state lock"),
    ("seed", "`npm run seed` wipes the local database first"),
    ("deploy", "`./scripts/deploy.sh staging` reads the token from the keychain of the Mac"),
    ("force", "Never `git push --force` to main: the mirror does not follow"),
    ("alembic", "`alembic upgrade head` takes the admin role, not the one of the app"),
    ("flamegraph", "`cargo flamegraph` needs root on this machine"),
    ("psql", "`psql` must use the socket in /tmp here, the port is blocked"),
    ("rollout", "kubectl rollout restart drops open websockets, do it after six"),
    ("loadtest", "`k6 run load.js` sends mail to real customers unless DRY=1 is set"),
    ("playwright", "`playwright test` hangs if a browser of the last run is still open"),
    ("refused", "ECONNREFUSED on 5433 means that the test database is not up: start db-test"),
    ("oom", "Exit code 137 in the build is the memory limit of the runner: use two jobs"),
    ("peer", "ERESOLVE about vue comes from the old editor: keep legacy-peer-deps"),
    ("serialize", "SQLSTATE 40001 is no bug: `dbtx.Retry` repeats the closure"),
    ("icu", "Text content that does not match with U+202F in it: Node has small-icu"),
    ("yaml", "No module yaml in the hooks: they run with the Python of the system"),
    ("protoc", "Unknown field in `orders.proto`: run `buf generate` after a pull"),
    ("stale", "ErrStaleRate after holidays is expected, the bank publishes no rates"),
    ("clang", "`just bindings` failed because libclang is missing: install clang"),
    ("ssl", "CERTIFICATE_VERIFY_FAILED against the registry: the office swaps certificates"),
    ("enospc", "ENOSPC from the file watcher: raise fs.inotify.max_user_watches"),
    ("schema", "`String to replace not found` in generated code: it was generated again"),
    ("pings", "too_many_pings: the keepalive of the client is below that of the server"),
    ("lint", "The rule no-floating-promises is on for good: await or void the promise"),
    ("lockfile", "`pnpm install --frozen-lockfile` fails after a merge: run it once without"),
];

/// Commands, each with the memory that it must bring up.
const COMMANDS: [(&str, &str); 14] = [
    ("cd api && make migrate 2>&1 | tail", "migrate"),
    ("make -C api migrate", "migrate"),
    ("docker compose -f infra/dev.yml up -d postgres", "compose"),
    ("env AWS_PROFILE=dev terraform -chdir=infra apply -auto-approve", "terraform"),
    ("cd web; npm run seed -- --small", "seed"),
    ("bash scripts/deploy.sh staging", "deploy"),
    ("git push --force origin main", "force"),
    ("uv run alembic upgrade head", "alembic"),
    ("sudo -E cargo flamegraph --bin server", "flamegraph"),
    ("psql -h localhost -U app shop -c 'select 1'", "psql"),
    ("kubectl -n prod rollout restart deploy/web", "rollout"),
    ("time k6 run load.js", "loadtest"),
    ("npx playwright test --ui", "playwright"),
    ("bash -lc 'cd api && make migrate'", "migrate"),
];

/// Failed commands with their output, each with the memory that it must bring up.
const ERRORS: [(&str, &str, &str); 15] = [
    ("npm test", "Error: connect ECONNREFUSED 127.0.0.1:5433\n    at TCPConnectWrap", "refused"),
    ("make image", "Exit code 137\nKilled", "oom"),
    ("npm install", "npm ERR! code ERESOLVE\nnpm ERR! could not resolve peer vue@^2.6", "peer"),
    (
        "go test ./ledger",
        "--- FAIL: TestPost\npq: could not serialize access (SQLSTATE 40001)",
        "serialize",
    ),
    (
        "npm run e2e",
        "Error: Hydration failed: text content does not match, U+202F versus U+00A0",
        "icu",
    ),
    ("git commit -m x", "ModuleNotFoundError: No module named 'yaml'", "yaml"),
    ("go build ./...", "orders.proto:14:3: unknown field currency", "protoc"),
    ("go test ./fx", "fx_test.go:31: unexpected error: fx.Latest: ErrStaleRate", "stale"),
    ("just bindings", "error: bindings need libclang, which is missing", "clang"),
    (
        "pip install -r requirements.txt",
        "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate'))",
        "ssl",
    ),
    ("npm run dev", "Error: ENOSPC: System limit for number of file watchers reached", "enospc"),
    ("sed -i s/a/b/ x.rs", "error: String to replace not found in generated/x.rs", "schema"),
    (
        "go run ./cmd/client",
        "rpc error: code = Unavailable desc = closing transport: ENHANCE_YOUR_CALM, too_many_pings",
        "pings",
    ),
    (
        "npx eslint src",
        "src/a.ts\n  3:1  error  Promises must be awaited  no-floating-promises",
        "lint",
    ),
    (
        "pnpm install --frozen-lockfile",
        "ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with frozen-lockfile",
        "lockfile",
    ),
];

/// Commands about which nothing is known.
const QUIET_COMMANDS: [&str; 12] = [
    "make lint",
    "docker compose ps",
    "docker ps",
    "terraform plan",
    "npm run build",
    "git push origin feature",
    "git status && git diff --stat",
    "cargo build --release",
    "kubectl get pods",
    "npx playwright install",
    "bash scripts/setup.sh",
    "grep -rn migrate api | head",
];

/// Failures about which nothing is known.
const QUIET_ERRORS: [(&str, &str); 10] = [
    ("npm test", "Error: tests failed: a table is missing in the database"),
    ("cargo test", "error[E0599]: no method named `spin` found for struct `Wheel`"),
    ("python app.py", "TypeError: 'NoneType' object is not subscriptable"),
    ("go build ./...", "main.go:12:2: undefined: handler"),
    ("npm run build", "Error: Cannot find module './theme'"),
    ("curl -sf http://localhost:8080/health", "Exit code 7\ncurl: (7) Failed to connect"),
    ("pytest tests/api", "AssertionError: assert 3 == 4\nFAILED tests/api/test_cart.py"),
    ("tsc --noEmit", "src/cart.ts(4,7): error TS2322: Type 'string' is not assignable"),
    ("git merge main", "CONFLICT (content): Merge conflict in README.md"),
    ("make docs", "sphinx: the build of the documentation failed with an error"),
];

#[test]
fn commands_and_errors_bring_up_what_is_known_and_nothing_else() {
    let env = initialised();
    for (_, text) in MEMORIES {
        remember(&env, text, &["-t", "gotcha"]);
    }
    let text = |name: &str| MEMORIES.iter().find(|(known, _)| *known == name).expect("a memory").1;
    let mut wrong = Vec::new();
    let mut number = 0;
    let mut agent = || {
        number += 1;
        Agent::new(&env, &format!("s{number}"))
    };
    for (command, name) in COMMANDS {
        let told = agent().is_about_to(command);
        if !told.says(text(name)) {
            wrong.push(format!("{command}: expected `{name}`, got {:?}", told.context));
        }
    }
    for (command, error, name) in ERRORS {
        let told = agent().has_failed(command, &format!("Exit code 1\n{error}"));
        if !told.says(text(name)) {
            wrong.push(format!("{error}: expected `{name}`, got {:?}", told.context));
        }
    }
    for command in QUIET_COMMANDS {
        let told = agent().is_about_to(command);
        if !told.is_nothing() {
            wrong.push(format!("{command}: expected nothing, got {:?}", told.context));
        }
    }
    for (command, error) in QUIET_ERRORS {
        let told = agent().has_failed(command, &format!("Exit code 1\n{error}"));
        if !told.is_nothing() {
            wrong.push(format!("{error}: expected nothing, got {:?}", told.context));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
