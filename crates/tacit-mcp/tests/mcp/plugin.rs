//! The plugin starts this server, and its skills name existing tools.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

fn plugin() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugin")
}

#[test]
fn the_plugin_starts_the_server() {
    let text = fs::read_to_string(plugin().join(".mcp.json")).expect("a file");
    let settings: Value = serde_json::from_str(&text).expect("JSON");
    let expected = json!({"command": "tacit", "args": ["mcp"], "alwaysLoad": true});
    assert_eq!(settings, json!({"mcpServers": {"tacit": expected}}));
}

/// Returns the words in a skill that look like tool names.
fn names(text: &str) -> BTreeSet<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let words = quoted.map(|quoted| quoted.split([':', ' ']).next().unwrap_or_default());
    let named = |word: &&str| {
        word.contains('_') && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    };
    words.filter(named).collect()
}

#[test]
fn skills_name_existing_tools_and_arguments() {
    let tools = tacit_mcp::tools();
    let mut known: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    let store = tools.iter().find(|tool| tool.name == "store_memory").expect("a tool");
    let arguments = store.input_schema["properties"].as_object().expect("an object");
    known.extend(arguments.keys().map(String::as_str));
    for (skill, expected) in [
        ("remember", &["store_memory", "use_when"][..]),
        ("capturing-learnings", &["remember_this", "store_memory", "use_when"]),
    ] {
        let path = plugin().join("skills").join(skill).join("SKILL.md");
        let text = fs::read_to_string(path).expect("a skill");
        let head = text.strip_prefix("---\n").and_then(|text| text.split("\n---\n").next());
        let head = head.expect("a head");
        assert!(head.lines().any(|line| line == format!("name: {skill}")), "{head}");
        let description = head.lines().find_map(|line| line.strip_prefix("description: "));
        assert!(description.is_some_and(|text| (50..1_024).contains(&text.len())), "{skill}");
        let named = names(&text);
        assert_eq!(named.into_iter().collect::<Vec<_>>(), expected, "{skill}");
        assert!(expected.iter().all(|name| known.contains(name)), "{skill}");
    }
}

/// The skill quotes the messages of the tool.
#[test]
fn skills_quote_the_messages_of_the_tool() {
    let skill = fs::read_to_string(plugin().join("skills/remember/SKILL.md")).expect("a skill");
    let flat = skill.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "Learning too short (need at least 20 characters). Please provide more detail.",
        "`Stored: NAME (CATEGORY)`",
        "`Reinforced: NAME (CATEGORY) — observation count incremented`",
        "`Failed to store learning: `",
    ] {
        assert!(flat.contains(words), "{words}");
    }
}
