//! The plugin for Claude Code installs the same hooks as `tacit init`.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tacit_agents::Client;
use tacit_agents::install::{count_hooks, plan_hooks, plugin_hooks};
use tacit_core::ClientName;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn json(path: &str) -> Value {
    let text = std::fs::read_to_string(root().join(path)).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn plugin_hooks_match_the_installed_settings() {
    let path = root().join("plugin/hooks/hooks.json");
    let expected = plugin_hooks();
    let found = std::fs::read_to_string(&path).expect("the hooks of the plugin");
    assert_eq!(found, expected, "see plugin/README.md for how to regenerate it");
    let claude = Client::named(ClientName::Claude);
    let settings = plan_hooks(claude, None, "tacit").expect("a plan").after.expect("settings");
    assert_eq!(settings, expected.into_bytes());
    assert_eq!(count_hooks(claude, found.as_bytes()).expect("a count"), claude.hooks.len());
}

#[test]
fn plugin_and_marketplace_agree() {
    let plugin = json("plugin/.claude-plugin/plugin.json");
    let market = json(".claude-plugin/marketplace.json");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(market["plugins"][0]["name"], plugin["name"]);
    assert_eq!(market["plugins"][0]["description"], plugin["description"]);
    let source = market["plugins"][0]["source"].as_str().expect("a path");
    assert!(root().join(source).join(".claude-plugin/plugin.json").is_file());
}
