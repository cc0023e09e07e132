//! Sample files of each format.

use tacit_bridges::{Format, detect, read};

use crate::{drafts, skipped};

type DraftRow<'a> = (usize, Option<&'a str>, &'a str, &'a str, &'a str);

/// An owned [`DraftRow`].
type OwnedRow = (usize, Option<String>, String, String, String);

/// Returns line, heading, text, type and reference of every draft.
fn rows(name: &str, text: &str) -> (Format, Vec<OwnedRow>) {
    let format = detect(name, text.as_bytes()).expect("a format");
    let items = read(format, name, text.as_bytes()).expect("items");
    let lines =
        items.iter().filter(|item| matches!(item.content, tacit_bridges::ImportContent::Draft(_)));
    let rows = lines.map(|item| item.line).zip(drafts(&items)).map(|(line, draft)| {
        let kind = draft.kind.clone().unwrap_or_default();
        (line, draft.name.clone(), draft.content.clone(), kind, draft.references[0].clone())
    });
    (format, rows.collect())
}

fn check(name: &str, text: &str, format: Format, expected: &[DraftRow<'_>]) {
    let (found, rows) = rows(name, text);
    let rows: Vec<DraftRow<'_>> = rows
        .iter()
        .map(|(line, title, content, kind, reference)| {
            (*line, title.as_deref(), content.as_str(), kind.as_str(), reference.as_str())
        })
        .collect();
    assert_eq!(found, format, "{name}");
    assert_eq!(rows, expected, "{name}");
}

const CLAUDE: &str = "\
# CLAUDE.md

This file guides agents in the shop.

@docs/style.md

## Build

- `pnpm build` builds everything
- Never run `npm install`: it rewrites the lock file
  - use `pnpm i` instead

Before a commit:

1. run `pnpm lint`
2. run the tests in `web/`

## Architecture

The API (`src/api/mod.rs`) talks to the database:

```
api -> store -> sqlite
```

- [Style guide](docs/style.md)
- TypeScript
";

#[test]
fn rules_become_one_draft_per_item_and_paragraph() {
    check(
        "CLAUDE.md",
        CLAUDE,
        Format::Rules,
        &[
            (
                3,
                None,
                "This file guides agents in the shop.",
                "module_insight",
                "CLAUDE.md#CLAUDE.md",
            ),
            (
                9,
                Some("Build: `pnpm build` builds everything"),
                "`pnpm build` builds everything",
                "module_insight",
                "CLAUDE.md#CLAUDE.md / Build",
            ),
            (
                10,
                Some("Build: Never run `npm install`: it rewrites the lock file"),
                "Never run `npm install`: it rewrites the lock file\n- use `pnpm i` instead",
                "gotcha",
                "CLAUDE.md#CLAUDE.md / Build",
            ),
            (
                15,
                Some("Before a commit: run `pnpm lint`"),
                "run `pnpm lint`",
                "module_insight",
                "CLAUDE.md#CLAUDE.md / Build / Before a commit",
            ),
            (
                16,
                Some("Before a commit: run the tests in `web/`"),
                "run the tests in `web/`",
                "module_insight",
                "CLAUDE.md#CLAUDE.md / Build / Before a commit",
            ),
            (
                20,
                Some("Architecture: The API (`src/api/mod.rs`) talks to the database:"),
                "The API (`src/api/mod.rs`) talks to the database:\n```\napi -> store -> sqlite\n```",
                "module_insight",
                "CLAUDE.md#CLAUDE.md / Architecture",
            ),
        ],
    );
    let items = read(Format::Rules, "CLAUDE.md", CLAUDE.as_bytes()).unwrap();
    assert_eq!(
        skipped(&items),
        [(5, "only refers to a file"), (26, "only a link"), (27, "only a single word")]
    );
    let first = drafts(&items)[0];
    assert_eq!(first.source.as_deref(), Some("user_taught"));
    assert_eq!(first.generator.as_deref(), Some("user"));
}

#[test]
fn globs_of_cursor_and_copilot_rules_become_reasons() {
    let cursor = "---\ndescription: How we write the API\nglobs: src/api/**/*.ts,src/types.ts\n\
                  alwaysApply: false\n---\n\n# API\n\nAlways return problems as JSON.\n";
    let items = read(Format::Rules, ".cursor/rules/api.mdc", cursor.as_bytes()).unwrap();
    let draft = drafts(&items)[0];
    assert_eq!(draft.kind.as_deref(), Some("preference"));
    assert_eq!(
        draft.reasoning.as_deref(),
        Some("How we write the API\nApplies to src/api/**/*.ts, src/types.ts")
    );
    assert_eq!(items[0].paths, ["src/api", "src/types.ts"]);
    let copilot = "---\napplyTo: \"**\"\n---\nPrefer small functions.\n";
    let items =
        read(Format::Rules, ".github/instructions/a.instructions.md", copilot.as_bytes()).unwrap();
    assert_eq!((drafts(&items)[0].reasoning.as_deref(), items[0].paths.len()), (None, 0));
}

#[test]
fn auto_memory_facts_and_index_are_read() {
    check(
        "~/.claude/projects/-home-ada-shop/memory/no-mocks.md",
        "---\nname: no-mocks-in-tests\ndescription: Integration tests hit a real database\nmetadata:\
         \n  type: feedback\n---\n\nTests must not mock the database.\n\n**Why:** a mock hid a broken \
         migration.\n",
        Format::AutoMemory,
        &[(
            7,
            Some("Integration tests hit a real database"),
            "Tests must not mock the database.\n\n**Why:** a mock hid a broken migration.",
            "preference",
            "~/.claude/projects/-home-ada-shop/memory/no-mocks.md",
        )],
    );
    check(
        "~/.claude/projects/-home-ada-shop/memory/MEMORY.md",
        "# Memory\n\n- [No mocks](no-mocks.md) — tests hit a database\n- The staging server is slow\n",
        Format::AutoMemory,
        &[(
            4,
            Some("Memory: The staging server is slow"),
            "The staging server is slow",
            "module_insight",
            "~/.claude/projects/-home-ada-shop/memory/MEMORY.md#Memory",
        )],
    );
}

#[test]
fn basic_memory_observations_and_relations_are_read() {
    let text = "---\ntitle: Checkout\ntype: note\ntags: [payments, web]\npermalink: notes/checkout\n\
                ---\n\n# Checkout\n\n## Observations\n- [decision] Card data never reaches us #pci \
                (audit 2025)\n- [risk] The webhook may come twice\n- [ ] write the runbook\n\n## \
                Relations\n- depends_on [[Payment Provider]]\n";
    check(
        "notes/checkout.md",
        text,
        Format::BasicMemory,
        &[
            (
                11,
                Some("Checkout: Card data never reaches us"),
                "Card data never reaches us",
                "decision",
                "notes/checkout.md#Observations [decision]",
            ),
            (
                12,
                Some("Checkout: The webhook may come twice"),
                "The webhook may come twice",
                "gotcha",
                "notes/checkout.md#Observations [risk]",
            ),
            (
                13,
                Some("Observations: [ ] write the runbook"),
                "[ ] write the runbook",
                "module_insight",
                "notes/checkout.md#Checkout / Observations",
            ),
            (
                16,
                Some("Checkout"),
                "Checkout depends on Payment Provider",
                "module_insight",
                "notes/checkout.md#Checkout / Relations",
            ),
        ],
    );
    let items = read(Format::BasicMemory, "notes/checkout.md", text.as_bytes()).unwrap();
    let found = drafts(&items);
    assert_eq!(found[0].tags, ["decision", "pci", "payments", "web"]);
    assert_eq!(found[0].reasoning.as_deref(), Some("audit 2025"));
    assert_eq!(found[3].tags, ["relation", "payments", "web"]);
}

#[test]
fn mcp_memory_entities_and_relations_are_read() {
    let lines = r#"{"type":"entity","name":"checkout_service","entityType":"Service","observations":["Retries three times","checkout_service owns the cart",""]}
{"type":"entity","name":"empty","entityType":"Service","observations":[]}

{"type":"relation","from":"checkout_service","to":"stripe","relationType":"depends_on"}
"#;
    let expected = [
        (
            1,
            None,
            "checkout_service: Retries three times",
            "module_insight",
            "memory.json#checkout_service",
        ),
        (
            1,
            None,
            "checkout_service owns the cart",
            "module_insight",
            "memory.json#checkout_service",
        ),
        (
            4,
            None,
            "checkout_service depends on stripe",
            "module_insight",
            "memory.json#checkout_service",
        ),
    ];
    check("memory.json", lines, Format::McpMemory, &expected);
    let items = read(Format::McpMemory, "memory.json", lines.as_bytes()).unwrap();
    assert_eq!(
        skipped(&items),
        [(1, "the observation is empty"), (2, "the entity has no observations")]
    );
    let graph = r#"{"entities":[{"name":"a","entityType":"b","observations":[{"content":"likes tea"}]}],
                    "relations":[{"from":"a","to":"c","relationType":"knows"}]}"#;
    let (format, found) = rows("graph.json", graph);
    let texts: Vec<&str> = found.iter().map(|row| row.2.as_str()).collect();
    assert_eq!((format, texts), (Format::McpMemory, vec!["a: likes tea", "a knows c"]));
}

#[test]
fn errors_describe_the_problem() {
    for (text, expected) in [
        ("{\"type\":\"entity\"\n", "line 1: not valid JSON (column 16)"),
        ("\n{\"type\":\"cow\"}", "line 2: `type` is neither `entity` nor `relation`"),
    ] {
        let error = read(Format::McpMemory, "x", text.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    let error = read(Format::Rules, "x", b"fine \xff").unwrap_err();
    assert_eq!(error.to_string(), "not valid UTF-8 (at byte 5)");
}

#[test]
fn very_long_texts_are_split() {
    let text = format!("# Log\n\n{}", "word after word\n".repeat(1_000));
    let items = read(Format::Rules, "AGENTS.md", text.as_bytes()).unwrap();
    let found = drafts(&items);
    assert_eq!(found.len(), 3);
    assert_eq!(found[2].references, ["AGENTS.md#Log (3)"]);
}

#[test]
fn beads_have_memories_and_decisions_that_were_made() {
    let text = r#"{"_type":"issue","id":"shop-1","title":"Add a cart","issue_type":"task","status":"closed"}
{"_type":"memory","key":"auth-jwt","value":"Always verify tokens with `src/auth.rs`, never by hand"}
{"_type":"issue","id":"shop-2","title":"Which store for orders?","issue_type":"decision","status":"closed","description":"Orders must survive a crash.","close_reason":"Postgres, because reports join orders","labels":["db"]}
{"_type":"issue","id":"shop-3","title":"Which queue?","issue_type":"decision","status":"open","description":"Kafka or none"}
"#;
    check(
        ".beads/issues.jsonl",
        text,
        Format::Beads,
        &[
            (
                2,
                None,
                "Always verify tokens with `src/auth.rs`, never by hand",
                "gotcha",
                ".beads/issues.jsonl#memory auth-jwt",
            ),
            (
                3,
                Some("Which store for orders?"),
                "Postgres, because reports join orders",
                "decision",
                ".beads/issues.jsonl#issue shop-2",
            ),
        ],
    );
    let items = read(Format::Beads, ".beads/issues.jsonl", text.as_bytes()).unwrap();
    assert_eq!(
        skipped(&items),
        [(1, "an issue, not a memory"), (4, "a decision that is still open")]
    );
    assert_eq!(drafts(&items)[1].reasoning.as_deref(), Some("Orders must survive a crash."));
}

#[test]
fn exports_of_wt_memory_have_lessons_and_events() {
    let text = r#"{"version": 1, "format": "wt-memory-export", "project": "shop", "count": 3, "records": [
        {"id": "a1", "content": "Sessions live in Redis", "experience_type": "Decision",
         "tags": ["auth"], "created_at": "2026-02-17T10:00:00Z"},
        {"id": "a2", "content": "Prefer pnpm over npm", "experience_type": "Learning", "tags": []},
        {"id": "a3", "content": "ran the tests", "experience_type": "Command", "tags": []}]}"#;
    check(
        "memories.json",
        text,
        Format::WtMemory,
        &[
            (1, None, "Sessions live in Redis", "decision", "memories.json#record a1, 2026-02-17"),
            (2, None, "Prefer pnpm over npm", "preference", "memories.json#record a2"),
        ],
    );
    let items = read(Format::WtMemory, "memories.json", text.as_bytes()).unwrap();
    assert_eq!(skipped(&items), [(3, "an event of a session, not a lesson")]);
    let newer = text.replace("\"version\": 1", "\"version\": 2");
    let refused = read(Format::WtMemory, "memories.json", newer.as_bytes()).unwrap_err();
    assert_eq!(refused.to_string(), "version 2 of the export is not known");
}

#[test]
fn memories_of_serena_are_its_rules_and_commands() {
    let text = "# Style\n\nThe project is a shop in TypeScript.\n\n- Use 2 spaces, never tabs\n\n\
                ## Testing\n\n- `pnpm test --run`: all tests\n";
    check(
        ".serena/memories/style.md",
        text,
        Format::Serena,
        &[
            (
                5,
                Some("Style: Use 2 spaces, never tabs"),
                "Use 2 spaces, never tabs",
                "gotcha",
                ".serena/memories/style.md#Style",
            ),
            (
                9,
                Some("Testing: `pnpm test --run`: all tests"),
                "`pnpm test --run`: all tests",
                "module_insight",
                ".serena/memories/style.md#Style / Testing",
            ),
        ],
    );
}
