//! Servers that embed: a hook asks none that is elsewhere, and waits for none for long.

use tacit_testkit::env::TestEnv;
use tacit_testkit::server::{FakeServer, Reply};

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
    Agent::new(env, "s")
        .with("TACIT_EMBEDDING_PROVIDER", provider)
        .with("TACIT_EMBEDDING_OPENAI_URL", url)
        .with("TACIT_EMBEDDING_OLLAMA_URL", url)
        .with("OPENAI_API_KEY", "sk-test-0123456789")
        .with("TACIT_HOOKS_DEADLINE_MS", "10000")
}

#[test]
fn a_server_elsewhere_is_not_asked() {
    let env = known();
    let server = FakeServer::start(vec![Reply::Right]);
    // An address of this machine that is not loopback by its name stands in for another machine:
    // every request that is made would arrive.
    let port = server.base().rsplit(':').next().expect("a port").to_owned();
    for provider in ["openai", "ollama", "auto"] {
        for host in ["elsewhere.invalid", "192.0.2.1"] {
            let agent = asking(&env, provider, &format!("http://{host}:{port}"));
            // All requests of the process go through a proxy that would see them.
            let proxy = server.base();
            let agent = agent.with("HTTP_PROXY", proxy.clone()).with("HTTPS_PROXY", proxy);
            let told = agent.says(QUESTION);
            assert!(told.context.is_none_or(|context| context.contains(POOL)));
        }
    }
    assert!(server.requests().is_empty(), "{:?}", server.requests());
    assert_eq!(log(&env), "");
}

#[test]
fn a_server_here_that_does_not_answer_is_not_waited_for() {
    for provider in ["openai", "ollama"] {
        let env = known();
        let server = FakeServer::start(vec![Reply::Stalled]);
        let told = asking(&env, provider, &server.base()).says(QUESTION);
        assert!(told.says(POOL), "{provider}: answered by words: {told:?} {}", log(&env));
    }
}

#[test]
fn only_prompts_are_embedded() {
    let env = known();
    let server = FakeServer::start(vec![Reply::Right]);
    let agent = asking(&env, "openai", &server.base());
    agent.starts("startup");
    agent.is_about_to("docker run pool");
    agent.has_used("Read", "src/pool.rs");
    agent.has_failed("make pool", "Exit code 1\nthe pool is closed");
    agent.stops(false);
    agent.ends("other");
    assert!(server.requests().is_empty(), "{:?}", server.requests());
}
