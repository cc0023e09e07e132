//! `tacit review` as a person uses it: in a real terminal, and on a large store.

mod many;
mod screen;
mod tmux;

use serde_json::Value;
use tacit_testkit::env::TestEnv;

/// Stores memories as an agent's claims, which wait for review. The queue has the last one first.
fn told_by_agent(env: &TestEnv, texts: &[&str]) {
    for text in texts {
        let mut command = env.command();
        command.env("TACIT_AGENT", "1").args(["remember", "--type", "gotcha", text]);
        let output = command.output().expect("the binary starts");
        assert!(output.status.success(), "{output:?}");
    }
}

/// Returns every memory, whatever its state.
fn memories(env: &TestEnv) -> Value {
    env.run(["list", "--status", "all", "--limit", "10000", "--json"]).succeeded().json()
}
