//! Many servers at once, and one for a long time.

use tacit_testkit::mcp_client::{McpClient, lesson};

use crate::initialised;

/// Turns vectors off: writes do not depend on them, and are faster without.
const WORDS_ALONE: [(&str, &str); 1] = [("TACIT_EMBEDDING_PROVIDER", "off")];

#[test]
fn eight_clients_write_a_thousand_memories_each_and_none_is_lost() {
    const CLIENTS: usize = 8;
    const EACH: usize = 1_000;
    let env = initialised();
    std::thread::scope(|scope| {
        for index in 0..CLIENTS {
            let env = &env;
            scope.spawn(move || {
                let mut client = McpClient::start_with(env, &WORDS_ALONE);
                for number in 0..EACH {
                    let text = format!("client {index} was told fact number {number} of many");
                    let said = client.call("store_memory", &lesson(&text));
                    // Also what waits for the lock is stored: the next call sees to it.
                    assert!(said.starts_with("Stored: "), "{said}");
                }
                client.end();
            });
        }
    });
    let listed = env.run(["list", "--limit", "100000", "--json"]).succeeded().json();
    let mut told: Vec<&str> = listed
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|memory| memory["content"].as_str())
        .collect();
    told.sort_unstable();
    let mut expected: Vec<String> = (0..CLIENTS * EACH)
        .map(|n| format!("client {} was told fact number {} of many", n / EACH, n % EACH))
        .collect();
    expected.sort_unstable();
    assert!(told == expected, "{} of {} are there", told.len(), expected.len());
}

/// A server lives as long as its client's session. `cargo xtask soak` does this for longer.
#[cfg(target_os = "linux")]
#[test]
fn calls_leave_nothing_behind_in_the_server() {
    const CALLS: usize = 600;
    /// The most kilobytes by which the second half of the calls may make the server grow.
    const GROWTH: u64 = 2_048;
    let env = initialised();
    let mut client = McpClient::start(&env);
    (0..CALLS / 2).for_each(|number| client.call_number(number));
    let halfway = client.resident().0;
    (CALLS / 2..CALLS).for_each(|number| client.call_number(number));
    let grown = client.resident().0.saturating_sub(halfway);
    assert!(grown <= GROWTH, "{grown} kB more than the {halfway} kB of halfway");
    client.end();
}
