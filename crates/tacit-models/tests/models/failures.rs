//! Server failures on both wire formats, one case each.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use tacit_models::EmbedError::{
    self, Malformed, NotFinite, RateLimited, Refused, TimedOut, Unreachable, WrongCount,
    WrongDimensions,
};
use tacit_models::TextKind;

use crate::wire::{DIMS, KEY, Wire, shuffled, vector_json};
use tacit_testkit::server::{FakeServer, ScriptedReply};

/// A script of replies, the expected number of requests, and the expected error.
struct FailureCase {
    name: &'static str,
    script: fn(Wire) -> Vec<ScriptedReply>,
    requests: usize,
    matches_error: fn(&EmbedError) -> bool,
    message_part: &'static str,
}

macro_rules! case {
    ($name:literal, $script:expr, $requests:literal, $pattern:pat, $message_part:literal) => {
        FailureCase {
            name: $name,
            script: $script,
            requests: $requests,
            matches_error: |error| matches!(error, $pattern),
            message_part: $message_part,
        }
    };
}

fn web_page(status: u16) -> Vec<ScriptedReply> {
    vec![ScriptedReply::Status(status, Vec::new(), b"<!doctype html><h1>Bad Gateway</h1>".to_vec())]
}

fn rate_limited(headers: &[(&'static str, &str)]) -> Vec<ScriptedReply> {
    let headers = headers.iter().map(|&(name, value)| (name, value.to_owned())).collect();
    vec![ScriptedReply::Status(429, headers, b"{}".to_vec())]
}

#[rustfmt::skip]
fn failure_cases() -> Vec<FailureCase> {
    vec![
        case!("fewer dimensions", |wire| vec![wire.answer(&[vector_json(768)])], 1,
            WrongDimensions { expected: DIMS, found: 768, .. }, "sent 768 dimensions instead of 1024"),
        case!("all of the model's dimensions", |wire| vec![wire.answer(&[vector_json(2560)])], 1,
            WrongDimensions { expected: DIMS, found: 2560, .. }, "re-index"),
        case!("no dimensions", |wire| vec![wire.answer(&["[]".to_owned()])], 1,
            WrongDimensions { found: 0, .. }, "sent 0 dimensions"),
        case!("bare NaN", |wire| vec![wire.odd_number("NaN")], 1, NotFinite { .. }, "not finite"),
        case!("bare Infinity", |wire| vec![wire.odd_number("Infinity")], 1, NotFinite { .. }, ""),
        case!("bare -Infinity", |wire| vec![wire.odd_number("-Infinity")], 1, NotFinite { .. }, ""),
        case!("null", |wire| vec![wire.odd_number("null")], 1, NotFinite { .. }, "not finite"),
        case!("too large a number", |wire| vec![wire.odd_number("1e999")], 1, NotFinite { .. }, ""),
        case!("numbers whose squares overflow", |wire| vec![wire.odd_number("1e200")], 1,
            NotFinite { .. }, ""),
        case!("a string", |wire| vec![wire.odd_number("\"0.5\"")], 1,
            Malformed { .. }, "without the expected fields"),
        case!("a list in a vector", |wire| vec![wire.odd_number("[0.5]")], 1,
            Malformed { .. }, "without the expected fields"),
        case!("base64", |wire| vec![wire.answer(&["\"AACAPw==\"".to_owned()])], 1,
            Malformed { .. }, "without the expected fields"),
        case!("zeros", |wire| vec![wire.answer(&[format!("[{}0]", "0,".repeat(DIMS - 1))])], 1,
            Malformed { .. }, "zeros"),
        case!("JSON that ends early", |wire| vec![wire.truncated_answer()], 1,
            Malformed { .. }, "ends too early, at line 1"),
        case!("nothing at all", |_| vec![ScriptedReply::ok("")], 1, Malformed { .. }, "ends too early"),
        case!("other JSON", |_| vec![ScriptedReply::ok(r#"{"status":"fine"}"#)], 1,
            Malformed { .. }, "without the expected fields"),
        case!("a web page", |_| web_page(200), 1, Malformed { .. }, "a web page; check the address"),
        case!("not HTTP", |_| vec![ScriptedReply::Raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")], 1,
            Malformed { .. }, "not HTTP"),
        case!("65 MB", |_| vec![ScriptedReply::Endless(65 << 20)], 1, Malformed { .. }, "longer than 64 MB"),
        case!("no vectors", |wire| vec![wire.answer(&[])], 1,
            WrongCount { expected: 1, found: 0, .. }, "0 vectors for 1 texts"),
        case!("a vector too many", |wire| vec![wire.answer(&[vector_json(DIMS), vector_json(DIMS)])],
            1, WrongCount { expected: 1, found: 2, .. }, "2 vectors for 1 texts"),
        case!("a body that stops short", |_| vec![ScriptedReply::Truncated(b"{\"embeddi".to_vec())], 3,
            Unreachable { .. }, "broke off its answer"),
        case!("hung up", |_| vec![ScriptedReply::Disconnect], 3, Unreachable { .. }, "closed the connection"),
        case!("429", |_| rate_limited(&[]), 3, RateLimited { retry_after: None, .. }, "try again later"),
        case!("429 with a short pause", |_| rate_limited(&[("Retry-After", "2")]), 3,
            RateLimited { retry_after: Some(_), .. }, "try again in 2 s"),
        case!("429 with a pause past the deadline", |_| rate_limited(&[("Retry-After", "3600")]), 1,
            RateLimited { retry_after: Some(_), .. }, "try again in 3600 s"),
        case!("429 with a date", |_| rate_limited(&[("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT")]), 3,
            RateLimited { retry_after: None, .. }, "try again later"),
        case!("429 for an account without money",
            |_| vec![ScriptedReply::Status(429, Vec::new(),
                br#"{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}"#
                    .to_vec())],
            1, Refused { status: 429, .. }, "You exceeded your quota"),
        case!("500", |_| vec![ScriptedReply::error(500, "out of memory")], 3,
            Refused { status: 500, .. }, "status 500: out of memory"),
        case!("503 as a web page", |_| web_page(503), 3, Refused { status: 503, .. }, "a web page"),
        case!("500 in Ollama's words",
            |_| vec![ScriptedReply::Status(500, Vec::new(), br#"{"error":"unsupported value: NaN"}"#.to_vec())],
            3, Refused { status: 500, .. }, "unsupported value: NaN"),
        case!("400", |_| vec![ScriptedReply::error(400, "no such\n\u{1b}[31mparameter")], 1,
            Refused { status: 400, .. }, "status 400: no such [31mparameter"),
        case!("401", |_| vec![ScriptedReply::error(401, &format!("Incorrect key: {KEY}"))], 1,
            Refused { status: 401, .. }, "key"),
        case!("403", |_| web_page(403), 1, Refused { status: 403, .. }, "key"),
        case!("another host", |_| vec![ScriptedReply::Status(307,
                vec![("Location", "http://elsewhere.invalid/embeddings".to_owned())], Vec::new())],
            1, Refused { status: 307, .. }, "`elsewhere.invalid` are not followed"),
        case!("another path", |_| vec![ScriptedReply::Status(302,
                vec![("Location", "/v2/embeddings".to_owned())], Vec::new())],
            1, Refused { status: 302, .. }, "not followed"),
    ]
}

#[test]
fn errors_have_a_kind_name_the_endpoint_and_hide_the_key() {
    for wire in Wire::ALL {
        for FailureCase { name, script, requests, matches_error, message_part } in failure_cases() {
            let server = FakeServer::start(script(wire));
            let (embedder, pauses) = wire.embedder(&server.base());
            let result = embedder.embed(&["some text"], TextKind::Passage, None);
            let error = result.expect_err(name);
            let message = error.to_string();
            assert!(matches_error(&error), "{wire:?}, {name}: {error:?}");
            assert!(message.contains(message_part), "{wire:?}, {name}: {message}");
            assert!(message.contains(&server.base()), "{wire:?}, {name}: {message}");
            assert!(message.starts_with('`') && !message.contains('\n'), "{name}: {message}");
            assert!(!format!("{error:?} {message}").contains(KEY), "{wire:?}, {name}: {message}");
            assert_eq!(server.requests().len(), requests, "{wire:?}, {name}");
            assert_eq!(pauses.lock().unwrap().len(), requests - 1, "{wire:?}, {name}");
        }
    }
}

#[test]
fn temporary_failures_are_retried() {
    let millis = Duration::from_millis;
    let cases: [(&str, Vec<ScriptedReply>, Vec<Duration>); 6] = [
        ("500", vec![ScriptedReply::error(500, "busy")], vec![millis(250)]),
        ("502 twice", [web_page(502), web_page(502)].concat(), vec![millis(250), millis(500)]),
        ("429", rate_limited(&[]), vec![millis(250)]),
        ("429 with a pause", rate_limited(&[("Retry-After", "7")]), vec![millis(7000)]),
        ("429 with no pause", rate_limited(&[("Retry-After", "0")]), vec![millis(250)]),
        (
            "cut, hung up",
            vec![ScriptedReply::Truncated(vec![b'{']), ScriptedReply::Disconnect],
            vec![millis(250), millis(500)],
        ),
    ];
    for wire in Wire::ALL {
        for (name, mut script, expected) in cases.clone() {
            script.push(ScriptedReply::Correct);
            let server = FakeServer::start(script);
            let (embedder, pauses) = wire.embedder(&server.base());
            let vectors = embedder.embed(&["some text"], TextKind::Passage, None);
            assert_eq!(vectors.expect(name).len(), 1);
            assert_eq!(*pauses.lock().unwrap(), expected, "{wire:?}, {name}");
            let bodies: Vec<_> = server.requests().into_iter().map(|r| r.body).collect();
            assert!(bodies.iter().all(|body| *body == bodies[0]), "the same request again");
        }
    }
}

#[test]
fn slow_requests_end_at_the_deadline() {
    let deadline = Duration::from_millis(80);
    for wire in Wire::ALL {
        for reply in [ScriptedReply::Stalled, ScriptedReply::StalledHalfway] {
            let server = FakeServer::start(vec![reply]);
            let (embedder, _) = wire.embedder(&server.base());
            let start = Instant::now();
            let result = embedder.embed(&["some text"], TextKind::Passage, Some(deadline));
            assert!(start.elapsed() < Duration::from_secs(5), "{wire:?}");
            let error = result.expect_err("nothing comes");
            assert!(matches!(error, TimedOut { after, .. } if after == deadline), "{error:?}");
            assert!(error.to_string().contains("did not answer within 80 ms"), "{error}");
            assert_eq!(server.requests().len(), 1);
        }
    }
}

#[test]
fn no_retry_if_the_pause_exceeds_the_deadline() {
    for wire in Wire::ALL {
        let busy =
            ScriptedReply::Status(503, vec![("Retry-After", "20".to_owned())], b"{}".to_vec());
        let server = FakeServer::start(vec![busy, ScriptedReply::Correct]);
        let (embedder, pauses) = wire.embedder(&server.base());
        let deadline = Some(Duration::from_secs(20));
        let error = embedder.embed(&["some text"], TextKind::Passage, deadline);
        assert!(matches!(error, Err(Refused { status: 503, .. })), "{error:?}");
        assert!(pauses.lock().unwrap().is_empty());
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn an_expired_deadline_sends_nothing_and_the_longest_does_not_overflow() {
    for wire in Wire::ALL {
        let server = FakeServer::start(vec![ScriptedReply::Correct]);
        let (embedder, _) = wire.embedder(&server.base());
        let error = embedder.embed(&["some text"], TextKind::Passage, Some(Duration::ZERO));
        assert!(matches!(error, Err(TimedOut { .. })), "{error:?}");
        assert!(server.requests().is_empty());
        let vectors = embedder.embed(&["some text"], TextKind::Passage, Some(Duration::MAX));
        assert_eq!(vectors.expect("a working server").len(), 1);
    }
}

#[test]
fn a_refused_connection_is_reported_at_once_with_a_hint() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("bound"));
    drop(listener);
    for (wire, hint) in [(Wire::Ollama, "`ollama serve`"), (Wire::OpenAi, "check the address")] {
        let (embedder, pauses) = wire.embedder(&base);
        let error = embedder.embed(&["some text"], TextKind::Passage, None);
        let error = error.expect_err("nothing is listening");
        assert!(matches!(error, Unreachable { .. }), "{error:?}");
        let message = error.to_string();
        assert!(
            message.contains("nothing is listening there") && message.contains(hint),
            "{message}"
        );
        assert!(pauses.lock().unwrap().is_empty());
    }
}

#[test]
fn tls_to_a_plain_server_is_unreachable() {
    for wire in Wire::ALL {
        let server = FakeServer::start(vec![ScriptedReply::Correct]);
        let (embedder, _) = wire.embedder(&server.base().replace("http:", "https:"));
        let deadline = Some(Duration::from_secs(2));
        let error = embedder.embed(&["some text"], TextKind::Passage, deadline);
        assert!(matches!(error, Err(Unreachable { .. } | TimedOut { .. })), "{error:?}");
    }
}

#[test]
fn a_missing_ollama_model_is_reported_with_the_pull_command() {
    let body = br#"{"error":"model \"qwen3-embedding:4b\" not found, try pulling it first"}"#;
    let server = FakeServer::start(vec![ScriptedReply::Status(404, Vec::new(), body.to_vec())]);
    let (embedder, _) = Wire::Ollama.embedder(&server.base());
    let error = embedder.embed(&["some text"], TextKind::Passage, None).expect_err("no model");
    let message = error.to_string();
    assert!(
        message.ends_with(
            "status 404: ollama has no model `qwen3-embedding:4b`; run `ollama pull \
             qwen3-embedding:4b`"
        ),
        "{message}"
    );
}

#[test]
fn duplicate_or_missing_indices_are_malformed() {
    let texts = ["a", "b", "c"];
    for indices in [[0, 1, 1], [0, 2, 2]] {
        let server = FakeServer::start(vec![shuffled(&texts, &indices)]);
        let (embedder, _) = Wire::OpenAi.embedder(&server.base());
        let error = embedder.embed(&texts, TextKind::Passage, None);
        assert!(matches!(error, Err(Malformed { .. })), "{error:?}");
    }
}
