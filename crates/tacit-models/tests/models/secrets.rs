//! Keys are sent only where they may go, and shown nowhere.

use std::time::Duration;

use tacit_models::protocol::OPENAI_EMBED;
use tacit_models::{
    EmbedError, Embedder, EmbedderSettings, Provider, Secret, ServerEmbedder, TextKind, detect,
};

use crate::wire::{DIMS, KEY};
use tacit_testkit::server::{FakeServer, ScriptedReply};

fn openai(base: &str, key: &str) -> Result<ServerEmbedder, EmbedError> {
    ServerEmbedder::new(&OPENAI_EMBED, base, Secret::new(key), "m", DIMS)
        .map(|openai| openai.with_sleep(|_| {}))
}

#[test]
fn debug_output_hides_the_key() {
    let settings = EmbedderSettings {
        provider: Provider::OpenAi,
        openai_key: Secret::new(KEY),
        ..EmbedderSettings::default()
    };
    let shown = [
        format!("{:?}", Secret::new(KEY)),
        format!("{settings:?}"),
        format!("{:?}", openai("https://api.openai.com/v1", KEY)),
        format!("{:?}", detect(&settings, Duration::from_millis(50))),
    ];
    for shown in shown {
        assert!(!shown.contains("do-not-show"), "{shown}");
    }
}

#[test]
fn keys_repeated_by_a_server_are_removed_from_errors() {
    // Long enough for the limit to cut the key.
    let long = format!("{}{KEY}", "x".repeat(285));
    let echoes = [
        ScriptedReply::error(400, &format!("bad request with {KEY} in it")),
        ScriptedReply::error(500, &long),
        ScriptedReply::error(401, &format!("Incorrect API key provided: {}****", &KEY[..12])),
        ScriptedReply::Status(400, Vec::new(), format!("<h1>{KEY}</h1>").into_bytes()),
        ScriptedReply::Status(
            308,
            vec![("Location", format!("http://{KEY}.invalid/"))],
            Vec::new(),
        ),
        ScriptedReply::ok(format!(r#"{{"data":[{{"index":0,"embedding":["{KEY}"]}}]}}"#)),
        ScriptedReply::ok(format!(r#"{{"data":"{KEY}"}}"#)),
        ScriptedReply::ok(KEY),
    ];
    for reply in echoes {
        let server = FakeServer::start(vec![reply]);
        let openai = openai(&server.base(), KEY).expect("a good address");
        let error = openai.embed(&["text"], TextKind::Passage, None).expect_err("no vectors");
        let shown = format!("{error} {error:?}");
        for part in [KEY, "do-not-show", &KEY[..8]] {
            assert!(!shown.contains(part), "{shown}");
        }
    }
}

#[test]
fn keys_are_not_sent_unencrypted_to_another_machine() {
    for base in ["http://api.openai.com/v1", "http://10.0.0.4:8000/v1", "api.openai.com/v1"] {
        let error = openai(base, KEY).expect_err("refused");
        assert!(matches!(error, EmbedError::Misconfigured(_)), "{error:?}");
        assert!(error.to_string().contains("unencrypted; use `https://`"), "{error}");
        let keyless = ServerEmbedder::new(&OPENAI_EMBED, base, None, "m", DIMS);
        assert!(keyless.is_ok(), "without a key there is no secret");
    }
    assert!(openai("https://api.openai.com/v1", KEY).is_ok());
    assert!(openai("http://127.0.0.1:1234/v1", KEY).is_ok());
}

#[test]
fn invalid_keys_and_addresses_are_rejected_without_quoting_them() {
    for (base, key, message_part) in [
        ("https://user:hunter2@example.org", "k", "contains a user name or password"),
        ("https://example.org/v1?token=hunter2", "k", "contains a query"),
        ("https://example.org/v1#hunter2", "k", "contains a query"),
        ("ftp://hunter2.example.org", "k", "starts with something other"),
        ("", "k", "is not an address"),
        ("http://", "k", "is not an address"),
        ("http://a b.hunter2", "k", "is not an address"),
        ("https://example.org", "hunter2\r\nHost: evil", "the key contains invalid characters"),
    ] {
        let error = openai(base, key).expect_err("refused").to_string();
        assert!(error.contains(message_part), "{base}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn a_blank_key_is_none_and_space_around_a_key_is_dropped() {
    assert_eq!(Secret::new(" \n"), None);
    assert_eq!(Secret::new(" abc\n"), Secret::new("abc"));
}
