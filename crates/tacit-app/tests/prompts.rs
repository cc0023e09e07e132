//! Prompts as people write them, and the queries parsed from them.

use proptest::prelude::*;
use tacit_app::parse_prompt;

/// A prompt, its written text, and the first significant line of its paste.
const PROMPTS: [(&str, &str, Option<&str>); 17] = [
    ("fix the login test", "fix the login test", None),
    ("", "", None),
    (
        "why do I get `error: linker cc not found`?",
        "why do I get `error: linker cc not found`?",
        None,
    ),
    (
        "Add a retry to the client.\n\n- at most 3 times\n- with jitter\n\nKeep the API as it is.",
        "Add a retry to the client.\n\n- at most 3 times\n- with jitter\n\nKeep the API as it is.",
        None,
    ),
    (
        "What does this mean?\n\n```\n$ cargo build\n   Compiling app v0.1.0\nerror[E0277]: the trait bound `A: B` is not satisfied\n --> src/main.rs:3:5\n  |\n3 |     f(a);\n  |       ^ x\n```\n\nIt worked yesterday.",
        "What does this mean?\n\nIt worked yesterday.",
        Some("error[E0277]: the trait bound `A: B` is not satisfied"),
    ),
    (
        "the import fails\nTraceback (most recent call last):\n  File \"/srv/app/run.py\", line 30, in <module>\n    main()\n  File \"/srv/app/run.py\", line 12, in main\n    load()\npsycopg2.OperationalError: could not connect to server\nhow do we start the database locally?",
        "the import fails\n\nhow do we start the database locally?",
        Some("psycopg2.OperationalError: could not connect to server"),
    ),
    (
        "2026-02-17T21:00:00Z INFO starting\n2026-02-17T21:00:01Z INFO listening on :3000\n2026-02-17T21:00:09Z ERROR worker: connection reset by peer\n2026-02-17T21:00:10Z INFO retrying\n\nCan you find out why the worker dies?",
        "Can you find out why the worker dies?",
        Some("2026-02-17T21:00:09Z ERROR worker: connection reset by peer"),
    ),
    (
        "please review\n\ndiff --git a/src/a.rs b/src/a.rs\nindex 123..456 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,2 +1,2 @@\n-let a = 1;\n+let a = 2;\n let b = 3;\n\nis the constant right?",
        "please review\n\nis the constant right?",
        Some("src/a.rs"),
    ),
    (
        "Uncaught in the browser:\n\nTypeError: Cannot read properties of undefined (reading 'id')\n    at UserCard (UserCard.tsx:14:20)\n    at renderWithHooks (react-dom.js:1:2)\n    at mount (react-dom.js:3:4)\n\nOnly for guests.",
        "Uncaught in the browser:\n\nOnly for guests.",
        Some("TypeError: Cannot read properties of undefined (reading 'id')"),
    ),
    (
        "thread 'main' panicked at src/main.rs:10:23:\ncalled `Option::unwrap()` on a `None` value\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\nwhat now?",
        "what now?",
        Some("src/main.rs:10: called `Option::unwrap()` on a `None` value"),
    ),
    (
        "My colleague says:\n\n> We should not use Redis here.\n> It was down twice last month.\n> Use the table instead.\n\nDo we have a decision on that?",
        "My colleague says:\n\nDo we have a decision on that?",
        Some("We should not use Redis here."),
    ),
    (
        "error[E0308]: mismatched types\n\nhelp me with this one",
        "error[E0308]: mismatched types\n\nhelp me with this one",
        None,
    ),
    (
        "Refactor this:\n```rust\nfn total(items: &[u32]) -> u32 {\n    items.iter().sum()\n}\n```",
        "Refactor this:",
        Some("fn total(items: &[u32]) -> u32 {"),
    ),
    (
        "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree\nnpm ERR! Found: react@18.2.0",
        "",
        Some("npm ERR! code ERESOLVE"),
    ),
    (
        "The fence is open\n```\nand I never closed it",
        "The fence is open\n```\nand I never closed it",
        None,
    ),
    (
        "make: *** [Makefile:12: test] Error 2\nmake: *** Waiting for unfinished jobs....\nWhy does make stop here and not at the compiler's error?",
        "Why does make stop here and not at the compiler's error?",
        Some("make: *** [Makefile:12: test] Error 2"),
    ),
    (
        "Warum schlägt der Test fehl? Die Datenbank läuft doch.",
        "Warum schlägt der Test fehl? Die Datenbank läuft doch.",
        None,
    ),
];

#[test]
fn written_and_pasted_text_are_separated() {
    for (prompt, text, significant) in PROMPTS {
        let query = parse_prompt(prompt);
        assert_eq!(query.text, text, "{prompt}");
        let first = query.pasted.as_deref().and_then(|pasted| pasted.lines().next());
        assert_eq!(first, significant, "{prompt}");
    }
}

#[test]
fn a_short_question_survives_a_long_log() {
    let log: String =
        (0..500).map(|n| format!("[21:00:{:02}] INFO step {n} done\n", n % 60)).collect();
    let prompt = format!("{log}[21:09:00] ERROR disk quota exceeded\n\nwhich volume is that?\n");
    let query = parse_prompt(&prompt);
    assert_eq!(query.text, "which volume is that?");
    assert!(
        query
            .pasted
            .as_deref()
            .is_some_and(|significant| significant.contains("disk quota exceeded"))
    );
}

#[test]
fn a_long_quotation_counts_as_pasted() {
    let report = "the customer wrote a lot about this. ".repeat(20);
    let query = parse_prompt(&format!("They said \"{report}\". What do we know? And \"short\"?"));
    assert_eq!(query.text, "They said \"…\". What do we know? And \"short\"?");
    assert!(query.pasted.is_some());
}

#[test]
fn openspec_commands_name_a_change() {
    let cases = [
        ("/opsx:apply add-login", Some("add-login")),
        ("opsx:archive \"add-login\" please", Some("add-login")),
        ("openspec-apply-change add-login", Some("add-login")),
        ("Use the openspec-verify-change skill", None),
        ("run `openspec-continue-change` add-two-factor, then stop", Some("add-two-factor")),
        ("/opsx:apply login", Some("login")),
        ("/opsx:explore how should auth work", None),
        ("/opsx:new", None),
        ("/opsx:apply --change add-login", Some("add-login")),
        ("see .claude/skills/openspec-apply-change/SKILL.md", None),
        ("my-openspec-tool add-login", None),
        (
            "<command-message>opsx:apply is running…</command-message>\n<command-name>/opsx:apply</command-name>\n<command-args>add-login now</command-args>",
            Some("add-login"),
        ),
        ("openspec list", None),
    ];
    for (prompt, expected) in cases {
        assert_eq!(parse_prompt(prompt).change.as_deref(), expected, "{prompt}");
    }
}

#[test]
fn slash_commands_of_tacit_are_recognised() {
    let cases = [
        ("/when deploying", true),
        ("/how", true),
        (" /remember never force-push", true),
        ("/memory", true),
        ("/tacit:remember x", true),
        ("<command-name>/remember</command-name>", true),
        ("/however", false),
        ("/opsx:apply x", false),
        ("how does /when work", false),
        ("/usr/bin/when", false),
    ];
    for (prompt, expected) in cases {
        assert_eq!(parse_prompt(prompt).is_command(), expected, "{prompt}");
    }
}

proptest! {
    #[test]
    fn pasted_lines_are_limited_for_any_prompt(prompt in r#"(```|\n|> |"|“|”|@@ -|\+|error: |at |opsx:|openspec-|<command-args>|[a-z é?:0-9]){0,80}"#) {
        let query = parse_prompt(&prompt);
        prop_assert!(query.pasted.is_none_or(|significant| !significant.is_empty() && significant.len() <= 600));
    }

    #[test]
    fn any_text_is_parsed(prompt in any::<String>()) {
        parse_prompt(&prompt);
    }

    #[test]
    fn plain_words_are_unchanged(words in prop::collection::vec("[a-z]{1,9}", 1..30)) {
        let prompt = words.join(" ");
        prop_assert_eq!(parse_prompt(&prompt).text, prompt);
    }
}
