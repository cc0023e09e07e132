//! The story of `tacit demo`, as data: the files of its repository, and what happens day by day.

use DemoAction::{Edit, Hook, Learn, Tacit};

/// The files of the repository, with their contents.
pub(super) const FILES: [(&str, &str); 6] = [
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    ("src/lib.rs", "pub mod pool;\n"),
    (
        "tests/pool.rs",
        "#[test]\nfn restarts() {\n    let pool = Pool::connect(REDIS);\n    pool.restart().unwrap();\n}\n",
    ),
    ("package.json", "{\"name\": \"shop\", \"private\": true}\n"),
    ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n"),
    ("Makefile", "wipe:\n\trm -rf fixtures\n"),
];

/// A part of the story that shows one thing.
pub(super) struct Act {
    pub(super) title: &'static str,
    pub(super) steps: &'static [Step],
}

/// A moment of the story. Steps are a minute apart, and days a day.
pub(super) struct Step {
    pub(super) day: &'static str,
    /// The sentence that tells the reader what happens. Ends with a colon exactly if Tacit has something to show then;
    /// `{ms}` stands for the milliseconds it took.
    pub(super) text: &'static str,
    pub(super) action: DemoAction,
}

/// The process that a step runs.
pub(super) enum DemoAction {
    /// `tacit hook claude`, with this payload of Claude Code.
    Hook(&'static str),
    /// The same after a change of a file.
    Edit { file: &'static str, from: &'static str, to: &'static str, payload: &'static str },
    /// `tacit maintain`, which hooks otherwise start in the background.
    Learn,
    /// A command that a person types; `{id}` stands for the memory that was learnt last.
    Tacit(&'static [&'static str]),
}

const fn step(day: &'static str, text: &'static str, action: DemoAction) -> Step {
    Step { day, text, action }
}

pub(super) const ACTS: [Act; 3] = [
    Act {
        title: "A failure is fixed once, and answered the next time",
        steps: &[
            step(
                "Monday",
                "An agent runs `cargo test`. It fails: connection refused (port 6380).",
                Hook(
                    r#"{"session_id":"monday","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_use_id":"m1","tool_input":{"command":"cargo test"},"error":"Exit code 101\n---- pool::restarts stdout ----\nthread 'pool::restarts' panicked at tests/pool.rs:3:22:\nconnection refused (port 6380)\ntest result: FAILED. 3 passed; 1 failed; 0 ignored"}"#,
                ),
            ),
            step(
                "Monday",
                "The agent edits `tests/pool.rs`.",
                Edit {
                    file: "tests/pool.rs",
                    from: "Pool::connect(REDIS)",
                    to: "Pool::connect(&test_redis().addr())",
                    payload: r#"{"session_id":"monday","hook_event_name":"PostToolUse","tool_name":"Edit","tool_use_id":"m2","tool_input":{"file_path":"tests/pool.rs","old_string":"Pool::connect(REDIS)","new_string":"Pool::connect(&test_redis().addr())"}}"#,
                },
            ),
            step(
                "Monday",
                "The agent runs `cargo test` again. All 4 tests pass.",
                Hook(
                    r#"{"session_id":"monday","hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"m3","tool_input":{"command":"cargo test"},"tool_response":{"stdout":"test result: ok. 4 passed; 0 failed; 0 ignored","stderr":"","interrupted":false}}"#,
                ),
            ),
            step(
                "Monday",
                "The session ends.",
                Hook(r#"{"session_id":"monday","hook_event_name":"SessionEnd","reason":"other"}"#),
            ),
            step("Monday", "Nobody wrote anything down, but Tacit learnt:", Learn),
            step(
                "Tuesday",
                "Another agent runs `cargo test` and meets the same error.\n{ms} ms after the command ended, it is shown:",
                Hook(
                    r#"{"session_id":"tuesday","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"cargo test"},"error":"Exit code 101\n---- pool::restarts stdout ----\nthread 'pool::restarts' panicked at tests/pool.rs:3:22:\nconnection refused (port 6380)\ntest result: FAILED. 3 passed; 1 failed; 0 ignored"}"#,
                ),
            ),
        ],
    },
    Act {
        title: "A danger is stopped",
        steps: &[
            step(
                "Tuesday",
                "You warn of a command:",
                Tacit(&[
                    "remember",
                    "`make wipe` deletes the fixtures",
                    "--type",
                    "gotcha",
                    "--tag",
                    "danger",
                ]),
            ),
            step(
                "Tuesday",
                "An agent wants to run `make wipe`. The command is stopped, and the agent is told:",
                Hook(
                    r#"{"session_id":"tuesday","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"t2","tool_input":{"command":"make wipe"}}"#,
                ),
            ),
        ],
    },
    Act {
        title: "A correction is kept",
        steps: &[
            step(
                "Wednesday",
                "An agent runs `npm install`.",
                Hook(
                    r#"{"session_id":"wednesday","hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"w1","tool_input":{"command":"npm install"},"tool_response":{"stdout":"added 212 packages","stderr":"","interrupted":false}}"#,
                ),
            ),
            step(
                "Wednesday",
                "You say: \"no, use pnpm here, not npm\".",
                Hook(
                    r#"{"session_id":"wednesday","hook_event_name":"UserPromptSubmit","prompt":"no, use pnpm here, not npm"}"#,
                ),
            ),
            step(
                "Wednesday",
                "The agent runs `pnpm install`.",
                Hook(
                    r#"{"session_id":"wednesday","hook_event_name":"PostToolUse","tool_name":"Bash","tool_use_id":"w2","tool_input":{"command":"pnpm install"},"tool_response":{"stdout":"Done in 2s","stderr":"","interrupted":false}}"#,
                ),
            ),
            step(
                "Wednesday",
                "The session ends.",
                Hook(
                    r#"{"session_id":"wednesday","hook_event_name":"SessionEnd","reason":"other"}"#,
                ),
            ),
            step("Wednesday", "Tacit learnt:", Learn),
            step(
                "Wednesday",
                "Said once, it waits for review. You confirm it:",
                Tacit(&["review", "confirm", "{id}"]),
            ),
            step(
                "Thursday",
                "A new session starts, and its agent is shown:",
                Hook(
                    r#"{"session_id":"thursday","hook_event_name":"SessionStart","source":"startup"}"#,
                ),
            ),
        ],
    },
];
