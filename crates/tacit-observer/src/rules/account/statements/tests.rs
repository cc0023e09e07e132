use proptest::prelude::*;

use super::*;

#[test]
fn causes_rules_and_lessons_are_found() {
    for (message, expected) in [
        (
            "Fixed!\n\nThe issue was that `loadConfig` resolved paths against the current directory.",
            "`loadConfig` resolved paths against the current directory.",
        ),
        (
            "All tests pass.\n\n**Root cause:** `jest` hoists `vi.mock` calls above imports. The \
             factory ran before `API_URL` was set.\n\n**Fix:** Read `API_URL` inside the factory.",
            "`jest` hoists `vi.mock` calls above imports. The factory ran before `API_URL` was set. \
             Fix: Read `API_URL` inside the factory.",
        ),
        (
            "Done. Serde doesn't apply `rename_all` to nested enums, so the field was silently dropped.",
            "Serde doesn't apply `rename_all` to nested enums, so the field was silently dropped.",
        ),
        (
            "## What was wrong\n\n`HikariCP` never returned connections because the test held a \
             transaction open.",
            "`HikariCP` never returned connections because the test held a transaction open.",
        ),
        (
            "Found it.\n\n**Root cause of the failure:** Next.js inlines `NEXT_PUBLIC_*` variables at \
             build time.",
            "Next.js inlines `NEXT_PUBLIC_*` variables at build time.",
        ),
        (
            "Changes:\n- `tests/test_a.py`: `TestCase` never commits, so callbacks of `on_commit` don't run \
             in tests.",
            "`TestCase` never commits, so callbacks of `on_commit` don't run in tests.",
        ),
        (
            "ESLint 9 only reads `eslint.config.js`; a `.eslintrc.json` is silently ignored, so I moved it.",
            "ESLint 9 only reads `eslint.config.js`; a `.eslintrc.json` is silently ignored.",
        ),
        (
            "**Note:** after changing `packages/ui` you have to run `pnpm build`; otherwise the other \
             packages see the old types.",
            "After changing `packages/ui` you have to run `pnpm build`; otherwise the other packages see \
             the old types.",
        ),
        (
            "- I tried `sqlite:///:memory:` first and dropped it because `JSONB` columns cannot be rendered.",
            "Tried `sqlite:///:memory:` first and dropped it because `JSONB` columns cannot be rendered.",
        ),
        (
            "1. `Gateway` is `final`, so PHPUnit cannot double it. I extracted `Charges`.",
            "`Gateway` is `final`, so PHPUnit cannot double it.",
        ),
        (
            "Lesson: push the tag only after `main` has the release commit.",
            "Push the tag only after `main` has the release commit.",
        ),
        (
            "**교훈:** 릴리즈 커밋을 `main`에 먼저 머지해야 합니다.",
            "릴리즈 커밋을 `main`에 먼저 머지해야 합니다.",
        ),
    ] {
        let found = account(message).map(|account| account.text);
        assert_eq!(found.as_deref(), Some(expected), "{message}");
    }
}

#[test]
fn reports_offers_and_talk_are_no_accounts() {
    for message in [
        "All tests pass. Added `foo` to `bar.rs` and updated `baz.rs`.",
        "I changed `a.py` because you asked for it, and it must stay there.",
        "**Next steps:** you'll need to pass `--build-arg` in the deploy workflow before the release.",
        "- `vitest.config.ts` – switched the environment to `jsdom`, because a DOM is needed there.",
        "The failure of `wide` is not new: it was introduced in `5512abc`, which has no test.",
        "Want me to also fix `b.ts` because it has the same problem?",
        "Here's a summary:\n- `x.go` — uses `y` instead of `z`\n- `q.go` — renamed",
        "The build never worked before and it is always slow for everybody in the team.",
        "```\nroot cause: `x` must never be `y` in this place because of that\n```",
        "| cause | `x` must never be used here because it breaks the whole thing |",
        "",
    ] {
        assert_eq!(account(message), None, "{message}");
    }
}

#[test]
fn rules_that_stand_alone_are_told_from_descriptions() {
    let stands_alone = |message| account(message).map(|account| account.stands_alone);
    for (message, expected) in [
        (
            "`permissions` must be nested under `jobs.build`, not at the top level of the file.",
            true,
        ),
        ("Once `begin()` has returned, the caller has to release the lease itself.", true),
        (
            "Clap doesn't inherit `hide` in subcommands, so `db migrate` was listed in the help.",
            true,
        ),
        ("`Cache::get` never blocks, so later callers won't see the spinner of the first.", false),
        ("For this to return `true`, something in the error chain must be a `Timeout`.", false),
        ("`load` no longer returns `None` when the file of the settings is missing.", false),
    ] {
        assert_eq!(stands_alone(message), Some(expected), "{message}");
    }
}

#[test]
fn problems_are_told_from_rules() {
    let is_problem = |message| account(message).map(|account| account.is_problem);
    assert_eq!(
        is_problem("The problem is that `poll` drops the first event of each batch."),
        Some(true)
    );
    assert_eq!(
        is_problem("Handlers of `on_exit` must not allocate, or the signal arrives twice."),
        Some(false)
    );
}

proptest! {
    #[test]
    fn any_message_is_accepted(message in r"([a-zA-Z `*#:.\n|>é—-]|because|must|Fix: |원인){0,200}") {
        if let Some(found) = account(&message) {
            prop_assert!(!found.text.is_empty());
        }
    }
}
