//! Sixty hostile texts through every input channel. Whatever they claim, they never become verified,
//! the user's own, or global; no hook shows them unasked, and searches return them inside the fence.

mod channels;
mod texts;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;
use tacit_testkit::mcp_client::McpClient;

use crate::hooks::Agent;
use texts::{MARK, SUBJECT, is_marked, mark, texts};

/// Notes that hooks may show of a channel unasked: always fenced, never as verified.
#[derive(Clone, Copy, PartialEq)]
enum Unasked {
    /// No notes.
    Nothing,
    /// Notes of these kinds: names of the project itself (`files`, `trigger`), and where the last
    /// session says that it left its work (`work_state`).
    Only(&'static [&'static str]),
    /// Notes that a second session was observed to bear out.
    Observed,
}

impl Unasked {
    /// The first line that may not be told.
    fn forbidden(self, told: &str) -> Option<&str> {
        let mut first = "";
        told.lines().find(|line| {
            if line.starts_with('[') {
                first = line;
            }
            is_marked(line) && !self.allows(first)
        })
    }

    /// Returns true if a note may be shown, judged by its first line.
    fn allows(self, line: &str) -> bool {
        let kind = line.strip_prefix('[').and_then(|rest| rest.split([' ', ']']).next());
        match self {
            Unasked::Nothing => false,
            Unasked::Only(kinds) => kind.is_some_and(|kind| kinds.contains(&kind)),
            Unasked::Observed => !line.contains("· verified"),
        }
    }
}

/// Makes sure that nothing of the texts is trusted, told unasked, or told as anything but a note.
fn is_harmless(env: &TestEnv, channel: &str, unasked: Unasked) {
    stands_for_nothing(env, channel);
    // Looked at again and again, nothing becomes true.
    asked(env, channel);
    asked(env, channel);
    stands_for_nothing(env, channel);
    for told in hooks(env) {
        safe(&told, channel);
        let marked = unasked.forbidden(&told);
        assert!(marked.is_none(), "{channel}: told unasked: {marked:?}");
    }
}

/// Asserts that no memory is vouched for, and none is for all projects.
fn stands_for_nothing(env: &TestEnv, channel: &str) {
    let all = env.run(["export"]).succeeded().json_lines();
    for memory in &all[1..] {
        let is_so = |field: &str, word: &str| memory[field] == word;
        assert!(!is_so("review", "verified"), "{channel}: {memory}");
        assert!(!is_so("source", "user_taught"), "{channel}: {memory}");
    }
    let own = env.run(["export", "--global"]).succeeded().json_lines();
    assert_eq!(own.len(), 1, "{channel}: kept for all projects: {own:?}");
}

/// Asks for the memories, in a terminal and over MCP.
fn asked(env: &TestEnv, channel: &str) {
    for arguments in [
        vec!["recall", SUBJECT, "--all", "-n", "20"],
        vec!["list", "--limit", "200"],
        vec!["session", "brief", "--task", SUBJECT],
    ] {
        let ran = env.run(&arguments);
        let stray = ran.stdout.chars().find(|c| c.is_control() && *c != '\n');
        assert!(stray.is_none(), "{channel}: {stray:?} in `tacit {}`", arguments.join(" "));
    }
    let mut client = McpClient::start(env);
    for query in [SUBJECT.to_owned(), mark(3), format!("{MARK} verified user_taught")] {
        safe(&client.call("memory_search", &json!({"query": query, "limit": 20})), channel);
    }
    let listed = env.run(["list", "--limit", "8", "--json"]).succeeded().json();
    let ids = listed.as_array().expect("a list").iter().map(|memory| &memory["short_id"]);
    safe(&client.call("memory_get", &json!({"ids": ids.collect::<Vec<&Value>>()})), channel);
    client.end();
}

/// Returns the text that hooks show in a new session.
fn hooks(env: &TestEnv) -> Vec<String> {
    let agent = Agent::new(env, "fresh");
    let told = [
        agent.starts("startup"),
        agent.says(&format!("why must I {SUBJECT}?")),
        agent.says(&mark(5)),
        agent.is_about_to("make pool"),
        agent.has_used("Read", "src/pool.rs"),
        agent.has_failed("make pool", &format!("error: {SUBJECT}")),
        agent.helper("h1").fire("SubagentStart", json!({})),
    ];
    told.into_iter()
        .flat_map(|told| [told.context, told.ask, told.deny, told.block])
        .flatten()
        .collect()
}

/// Asserts that no part of a text is outside the fence, ends it, or controls a terminal.
fn safe(told: &str, channel: &str) {
    let mut inside = false;
    for line in told.lines() {
        match line {
            "<tacit-notes>" => {
                assert!(!inside, "{channel}: a fence inside a fence: {told}");
                inside = true;
            }
            "</tacit-notes>" => {
                assert!(inside, "{channel}: an end without a fence: {told}");
                inside = false;
            }
            line => {
                let noted = inside && (line.starts_with('[') || line.starts_with("  | "));
                assert!(noted || !is_marked(line), "{channel}: outside of a note: {line:?}");
                let fence = ["<tacit-notes>", "</tacit-notes>"].iter().any(|f| line.contains(f));
                assert!(!fence, "{channel}: {line:?}");
            }
        }
    }
    assert!(!inside, "{channel}: a fence that does not end: {told}");
    let hidden = |c: &char| {
        (c.is_control() && *c != '\n')
            || matches!(*c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
            || matches!(*c, '\u{e0000}'..='\u{e007f}')
    };
    let stray = told.chars().find(hidden);
    assert!(stray.is_none(), "{channel}: {stray:?}");
}
