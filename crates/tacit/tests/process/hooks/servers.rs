//! Servers that embed: a hook asks none that is elsewhere, and waits for none for long.

use tacit_testkit::env::TestEnv;
use tacit_testkit::server::{FakeServer, ScriptedReply};

use super::{Agent, log, remember};
use crate::initialised;

const QUESTION: &str = "close the connection pool before the worker forks?";
const POOL: &str = "Close the connection pool before the worker forks, or both share one socket";

fn known() -> TestEnv {
    let env = initialised();
    remember(&env, POOL, &["-t", "gotcha"]);
    for text in ["Names of files are in kebab case", "Invoices are rounded half to even"] {
        remember(&env, text, &["-t", "decision"]);
    }
    env
}

fn asking<'e>(env: &'e TestEnv, provider: &str, url: &str) -> Agent<'e> {
    Agent::new(env, provider)
        .with("TACIT_EMBEDDING_PROVIDER", provider)
        .with("TACIT_EMBEDDING_OPENAI_URL", url)
        .with("TACIT_EMBEDDING_OLLAMA_URL", url)
        .with("OPENAI_API_KEY", "sk-test-0123456789")
        .with("TACIT_TIMEOUTS_HOOK_MS", "10000")
}

#[test]
fn a_server_elsewhere_is_not_asked() {
    let env = known();
    let server = FakeServer::start(vec![ScriptedReply::Correct]);
    // Not an address of loopback, and yet one that leads to the server: a request would arrive.
    let elsewhere = server.base().replace("127.0.0.1", "0.0.0.0");
    for provider in ["openai", "ollama"] {
        embed(&env, provider);
        let told = asking(&env, provider, &elsewhere).says(QUESTION);
        assert!(server.requests().is_empty(), "{provider}: {:?}", server.requests());
        assert!(told.says(POOL), "{provider}: {told:?}");
    }
    assert_eq!(log(&env), "");
    // It does arrive where a person asks.
    let asked = env
        .command()
        .args(["recall", QUESTION])
        .env("TACIT_EMBEDDING_PROVIDER", "ollama")
        .env("TACIT_EMBEDDING_OLLAMA_URL", &elsewhere)
        .output();
    assert!(asked.expect("the binary starts").status.success());
    assert!(!server.requests().is_empty(), "the address leads to the server");
}

/// Has a server of this machine embed everything that is known, so that questions go to it too.
fn embed(env: &TestEnv, provider: &str) {
    let server = FakeServer::start(vec![ScriptedReply::Correct]);
    let mut command = env.command();
    command.args(["maintain", "--quiet"]);
    for (name, value) in asking(env, provider, &server.base()).variables {
        command.env(name, value);
    }
    assert!(command.status().expect("the binary starts").success());
    assert!(!server.requests().is_empty(), "{provider} embeds");
}

#[test]
fn a_server_here_that_does_not_answer_is_not_waited_for() {
    for provider in ["openai", "ollama"] {
        let env = known();
        embed(&env, provider);
        let server = FakeServer::start(vec![ScriptedReply::Stalled]);
        let told = asking(&env, provider, &server.base()).says(QUESTION);
        assert!(!server.requests().is_empty(), "{provider} is asked");
        assert!(told.says(POOL), "{provider}: answered by words: {told:?} {}", log(&env));
    }
}

#[test]
fn only_prompts_are_embedded() {
    let env = known();
    embed(&env, "openai");
    let server = FakeServer::start(vec![ScriptedReply::Correct]);
    let agent = asking(&env, "openai", &server.base());
    agent.starts("startup");
    agent.is_about_to("docker run pool");
    agent.has_used("Read", "src/pool.rs");
    agent.has_failed("make pool", "Exit code 1\nthe pool is closed");
    agent.stops(false);
    agent.ends("other");
    assert!(server.requests().is_empty(), "{:?}", server.requests());
    agent.says(QUESTION);
    assert!(!server.requests().is_empty(), "a prompt is");
}
