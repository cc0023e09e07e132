//! The chosen tier, and the explanation if it is not the best one.

use std::net::TcpListener;
use std::time::Duration;

use tacit_models::detect::PROBE_TIMEOUT;
use tacit_models::{
    EmbedderChoice, EmbedderReach, EmbedderSettings, Provider, Secret, TextKind, Tier, detect,
};

use crate::wire::KEY;
use tacit_testkit::server::{FakeServer, ScriptedReply};

/// A timeout that even a busy machine meets, for tests that are not about time.
const LONG_TIMEOUT: Duration = Duration::from_secs(10);

fn settings(provider: Provider, ollama: &str) -> EmbedderSettings {
    EmbedderSettings { provider, ollama_base: ollama.to_owned(), ..EmbedderSettings::default() }
}

fn reason(choice: &EmbedderChoice) -> &str {
    choice.degraded.as_deref().expect("a reason")
}

#[test]
fn the_default_is_bundled_and_uses_no_network() {
    let server = FakeServer::start(vec![ScriptedReply::Correct]);
    let settings = EmbedderSettings {
        ollama_base: server.base(),
        openai_base: server.base(),
        openai_key: Secret::new(KEY),
        ..EmbedderSettings::default()
    };
    let choice = detect(&settings, LONG_TIMEOUT);
    assert_eq!((choice.tier, choice.degraded), (Tier::Bundled, None));
    choice.embedder.embed(&["text"], TextKind::Query, None).expect("the bundled model works");
    assert!(server.requests().is_empty());
}

#[test]
fn ollama_with_the_model_is_chosen_and_works() {
    for provider in [Provider::Auto, Provider::Ollama] {
        for models in [&["Qwen3-Embedding:4b"][..], &["llama3:latest", "qwen3-embedding:4b"]] {
            let server = FakeServer::with_models(vec![ScriptedReply::Correct], models);
            let choice = detect(&settings(provider, &server.base()), LONG_TIMEOUT);
            assert_eq!(choice.tier, Tier::Ollama, "{choice:?}");
            assert_eq!(choice.degraded, None);
            assert_eq!(choice.embedder.model().name(), "ollama/qwen3-embedding:4b");
            assert_eq!(choice.embedder.reach(), EmbedderReach::Loopback);
            let vectors = choice.embedder.embed(&["text"], TextKind::Query, None);
            assert_eq!(vectors.expect("a working server")[0].len(), 1024);
            let paths: Vec<String> = server.requests().into_iter().map(|r| r.path).collect();
            assert_eq!(paths, ["/api/tags", "/api/embed"]);
        }
    }
}

#[test]
fn a_model_name_without_a_tag_means_latest() {
    for (model, tag, found) in [
        ("nomic-embed-text", "nomic-embed-text:latest", true),
        ("nomic-embed-text:latest", "nomic-embed-text:latest", true),
        ("nomic-embed-text", "nomic-embed-text:v1.5", false),
        ("localhost:5000/a/b", "localhost:5000/a/b:latest", true),
    ] {
        let server = FakeServer::with_models(vec![ScriptedReply::Correct], &[tag]);
        let mut settings = settings(Provider::Ollama, &server.base());
        settings.ollama_model = model.to_owned();
        let tier = if found { Tier::Ollama } else { Tier::Bundled };
        assert_eq!(detect(&settings, LONG_TIMEOUT).tier, tier, "{model} among {tag}");
    }
}

#[test]
fn an_unusable_ollama_is_explained() {
    let cloud = r#"{"models":[{"name":"qwen3-embedding:4b","remote_host":"https://ollama.com"}]}"#;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let unused_address = format!("http://{}", listener.local_addr().expect("bound"));
    drop(listener);
    let cases = [
        (vec![ScriptedReply::ok(r#"{"models":[]}"#)], "run `ollama pull qwen3-embedding:4b`"),
        (vec![ScriptedReply::ok(cloud)], "ollama has no model `qwen3-embedding:4b`"),
        (vec![ScriptedReply::ok("{}")], "invalid answer"),
        (
            vec![ScriptedReply::error(500, "starting"), ScriptedReply::Correct],
            "status 500: starting",
        ),
        (vec![ScriptedReply::Disconnect, ScriptedReply::Correct], "closed the connection"),
        (vec![], "nothing is listening there"),
    ];
    for provider in [Provider::Auto, Provider::Ollama] {
        for (script, message_part) in cases.clone() {
            let server = (!script.is_empty()).then(|| FakeServer::start(script));
            let base = server.as_ref().map_or(unused_address.clone(), FakeServer::base);
            let choice = detect(&settings(provider, &base), LONG_TIMEOUT);
            assert_eq!(choice.tier, Tier::Bundled, "{choice:?}");
            assert!(reason(&choice).contains(message_part), "{choice:?}");
            assert!(reason(&choice).ends_with("Using the bundled model."), "{choice:?}");
            let requests = server.map_or(0, |server| server.requests().len());
            assert!(requests <= 1, "a probe is one request");
        }
    }
}

#[test]
fn a_slow_ollama_is_not_used() {
    let server = FakeServer::start(vec![ScriptedReply::Stalled]);
    let choice = detect(&settings(Provider::Auto, &server.base()), PROBE_TIMEOUT);
    assert_eq!(choice.tier, Tier::Bundled);
    assert!(reason(&choice).contains("did not answer within 50 ms"), "{choice:?}");
    assert!(reason(&choice).contains("no openai key is configured"), "{choice:?}");
}

#[test]
fn auto_uses_openai_only_with_a_key() {
    let server = FakeServer::with_models(vec![ScriptedReply::Correct], &[]);
    let mut settings = settings(Provider::Auto, &server.base());
    assert_eq!(detect(&settings, LONG_TIMEOUT).tier, Tier::Bundled);
    settings.openai_key = Secret::new(KEY);
    let choice = detect(&settings, LONG_TIMEOUT);
    assert_eq!(choice.tier, Tier::OpenAi);
    assert_eq!(choice.embedder.model().name(), "openai/text-embedding-3-small");
    assert_eq!(choice.embedder.model().dims(), 1024);
    assert_eq!(choice.embedder.reach(), EmbedderReach::Remote);
    assert!(reason(&choice).ends_with("qwen3-embedding:4b`. Using openai."), "{choice:?}");
}

#[test]
fn auto_does_not_contact_a_remote_ollama() {
    let mut settings = settings(Provider::Auto, "http://ollama.example.invalid:11434");
    let choice = detect(&settings, PROBE_TIMEOUT);
    assert_eq!(choice.tier, Tier::Bundled);
    assert!(reason(&choice).contains("is not on this machine"), "{choice:?}");
    settings.ollama_base = "not an address".to_owned();
    assert!(reason(&detect(&settings, PROBE_TIMEOUT)).contains("is not an address"));
}

#[test]
fn openai_needs_a_key_and_compatible_servers_do_not() {
    let server = FakeServer::start(vec![ScriptedReply::Correct]);
    let mut settings = settings(Provider::OpenAi, "http://127.0.0.1:1");
    let choice = detect(&settings, LONG_TIMEOUT);
    assert_eq!(choice.tier, Tier::Bundled);
    assert!(reason(&choice).contains("openai needs a key"), "{choice:?}");
    settings.openai_base = format!("{}/v1", server.base());
    let choice = detect(&settings, LONG_TIMEOUT);
    assert_eq!((choice.tier, &choice.degraded), (Tier::OpenAi, &None));
    assert!(server.requests().is_empty(), "nothing is sent before the first text");
    choice.embedder.embed(&["text"], TextKind::Query, None).expect("a working server");
    assert_eq!(server.requests()[0].header("authorization"), None);
}
