//! Text from servers: requests, responses and failures.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tacit_models::EmbedError::{Malformed, RateLimited, Refused, TimedOut, Unreachable};
use tacit_models::GenerateError::{self, NoAnswer, NoText};
use tacit_models::generate::{GeneratorProvider, GeneratorSettings, choose};
use tacit_models::protocol::{ANTHROPIC_CHAT, ChatProtocol, OLLAMA_CHAT, OPENAI_CHAT};
use tacit_models::{Generator, Prompt, Secret, ServerGenerator};
use tacit_testkit::server::{FakeServer, ScriptedReply};

use crate::wire::{KEY, Pauses};

const LONG: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Chat {
    Ollama,
    OpenAi,
    Anthropic,
}

impl Chat {
    const ALL: [Self; 3] = [Self::Ollama, Self::OpenAi, Self::Anthropic];

    /// Returns a generator that records its pauses instead of sleeping.
    fn generator(self, base: &str) -> (Box<dyn Generator>, Pauses) {
        let pauses: Pauses = Arc::new(Mutex::default());
        let recorded = Arc::clone(&pauses);
        let sleep = move |pause| recorded.lock().expect("no panic under the lock").push(pause);
        let (protocol, key, model): (&ChatProtocol, _, _) = match self {
            Self::Ollama => (&OLLAMA_CHAT, None, "m:1b"),
            Self::OpenAi => (&OPENAI_CHAT, Secret::new(KEY), "m-1"),
            Self::Anthropic => (&ANTHROPIC_CHAT, Secret::new(KEY), "m-2"),
        };
        let generator = ServerGenerator::new(protocol, base, key, model).expect("a good address");
        (Box::new(generator.with_sleep(sleep)), pauses)
    }

    /// Returns an answer with this text and stop reason, without token counts.
    fn answer(self, text: &str, stopped: &str) -> ScriptedReply {
        let body = match self {
            Self::Ollama => json!({ "message": { "content": text }, "done_reason": stopped }),
            Self::OpenAi => {
                let message = json!({ "content": text });
                json!({ "choices": [{ "message": message, "finish_reason": stopped }] })
            }
            Self::Anthropic => {
                let thought = json!({ "type": "thinking", "thinking": "hm" });
                let answer = json!({ "type": "text", "text": text });
                json!({ "content": [thought, answer], "stop_reason": stopped })
            }
        };
        ScriptedReply::ok(body.to_string())
    }

    fn limit_reason(self) -> &'static str {
        if self == Self::Anthropic { "max_tokens" } else { "length" }
    }
}

fn prompt() -> Prompt {
    Prompt {
        system: "Answer in one sentence.".to_owned(),
        user: "Why does the pool leak?".to_owned(),
        max_tokens: 150,
        temperature: Some(0.2),
    }
}

#[test]
fn requests_follow_each_interface() {
    let system = json!({ "role": "system", "content": "Answer in one sentence." });
    let user = json!({ "role": "user", "content": "Why does the pool leak?" });
    for (chat, name, path, expected) in [
        (
            Chat::Ollama,
            "ollama/m:1b",
            "/api/chat",
            json!({
                "model": "m:1b", "messages": [system, user], "stream": false, "think": false,
                "keep_alive": "15m", "options": { "num_predict": 150, "temperature": 0.2 },
            }),
        ),
        (
            Chat::OpenAi,
            "openai/m-1",
            "/chat/completions",
            json!({
                "model": "m-1", "messages": [system, user], "max_tokens": 150, "temperature": 0.2,
            }),
        ),
        (
            Chat::Anthropic,
            "anthropic/m-2",
            "/v1/messages",
            json!({
                "model": "m-2", "max_tokens": 150, "system": "Answer in one sentence.",
                "messages": [user], "temperature": 0.2,
            }),
        ),
    ] {
        let server = FakeServer::answering("  Because it is never closed.\n");
        let (generator, _) = chat.generator(&server.base());
        assert_eq!(generator.name(), name);
        let answer = generator.generate(&prompt(), LONG).expect("a working server");
        assert_eq!(answer.text, "Because it is never closed.");
        assert_eq!((answer.input_tokens, answer.output_tokens), (21, 7));
        let [request] = &server.requests()[..] else { panic!("one request") };
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", path));
        assert_eq!(request.body, expected, "{chat:?}");
        let bearer = format!("Bearer {KEY}");
        let (authorization, key, version) = match chat {
            Chat::Ollama => (None, None, None),
            Chat::OpenAi => (Some(bearer.as_str()), None, None),
            Chat::Anthropic => (None, Some(KEY), Some("2023-06-01")),
        };
        assert_eq!(request.header("authorization"), authorization);
        assert_eq!(request.header("x-api-key"), key);
        assert_eq!(request.header("anthropic-version"), version);
    }
}

#[test]
fn unreported_tokens_are_estimated() {
    for chat in Chat::ALL {
        let server = FakeServer::start(vec![chat.answer("eight by", chat.limit_reason())]);
        let (generator, _) = chat.generator(&server.base());
        let answer = generator.generate(&prompt(), LONG).expect("half a text is a text");
        assert_eq!((answer.input_tokens, answer.output_tokens), (12, 2), "{chat:?}");
    }
}

#[test]
fn refused_fields_are_dropped_or_renamed() {
    let limit = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    let temperature = "Unsupported value: 'temperature' does not support 0.2 with this model.";
    for (chat, refusals) in [
        (Chat::OpenAi, vec![limit, temperature]),
        (Chat::OpenAi, vec![temperature]),
        (Chat::Anthropic, vec![temperature]),
    ] {
        let mut script: Vec<ScriptedReply> =
            refusals.iter().map(|message| ScriptedReply::error(400, message)).collect();
        script.push(ScriptedReply::Correct);
        let server = FakeServer::start(script);
        let (generator, pauses) = chat.generator(&server.base());
        generator.generate(&prompt(), LONG).expect("the last try fits");
        let requests = server.requests();
        assert_eq!(requests.len(), refusals.len() + 1);
        let last = &requests[refusals.len()].body;
        assert_eq!(last.get("temperature"), None);
        let renamed = refusals.contains(&limit);
        assert_eq!(last.get("max_completion_tokens").is_some(), renamed);
        assert_eq!(last.get("max_tokens").is_some(), !renamed);
        assert!(pauses.lock().unwrap().is_empty());
        let stubborn = FakeServer::start(vec![ScriptedReply::error(400, temperature)]);
        let (generator, _) = chat.generator(&stubborn.base());
        assert!(generator.generate(&prompt(), LONG).is_err());
        assert_eq!(stubborn.requests().len(), 2, "requests do not repeat forever");
    }
}

#[test]
fn refused_think_field_is_dropped() {
    let refusal = ScriptedReply::Status(
        400,
        Vec::new(),
        br#"{"error":"\"m:1b\" does not support thinking"}"#.to_vec(),
    );
    let server = FakeServer::start(vec![refusal.clone(), ScriptedReply::Correct]);
    let (generator, _) = Chat::Ollama.generator(&server.base());
    generator.generate(&prompt(), LONG).expect("the second try fits");
    let thinks: Vec<bool> =
        server.requests().iter().map(|request| request.body.get("think").is_some()).collect();
    assert_eq!(thinks, [true, false]);
    let stubborn = FakeServer::start(vec![refusal]);
    let (generator, _) = Chat::Ollama.generator(&stubborn.base());
    assert!(generator.generate(&prompt(), LONG).is_err());
    assert_eq!(stubborn.requests().len(), 2, "requests do not repeat forever");
}

/// A script of replies, the expected number of requests, and the expected error.
struct FailureCase {
    name: &'static str,
    script: fn(Chat) -> Vec<ScriptedReply>,
    requests: usize,
    matches_error: fn(&GenerateError) -> bool,
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

#[rustfmt::skip]
fn failure_cases() -> Vec<FailureCase> {
    vec![
        case!("wrong JSON", |_| vec![ScriptedReply::ok("{\"message\":")], 1,
            NoAnswer(Malformed { .. }), "ends too early"),
        case!("another shape", |_| vec![ScriptedReply::ok(r#"{"status":"fine"}"#)], 1,
            NoAnswer(Malformed { .. }), "without the expected fields"),
        case!("not JSON", |_| vec![ScriptedReply::ok("NaN")], 1, NoAnswer(Malformed { .. }), "not JSON"),
        case!("a web page", |_| vec![ScriptedReply::ok("<html>")], 1,
            NoAnswer(Malformed { .. }), "a web page; check the address"),
        case!("a body that stops short", |_| vec![ScriptedReply::Truncated(b"{\"mess".to_vec())], 3,
            NoAnswer(Unreachable { .. }), "broke off its answer"),
        case!("hung up", |_| vec![ScriptedReply::Disconnect], 3,
            NoAnswer(Unreachable { .. }), "closed the connection"),
        case!("2 MB", |_| vec![ScriptedReply::Endless(2 << 20)], 1,
            NoAnswer(Malformed { .. }), "longer than 1 MB"),
        case!("429", |_| vec![ScriptedReply::Status(429, vec![("Retry-After", "2".into())], b"{}".to_vec())],
            3, NoAnswer(RateLimited { .. }), "try again in 2 s"),
        case!("500", |_| vec![ScriptedReply::error(500, "out of memory")], 3,
            NoAnswer(Refused { status: 500, .. }), "out of memory"),
        case!("529 in Anthropic's words",
            |_| vec![ScriptedReply::Status(529, Vec::new(),
                br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#
                    .to_vec())],
            3, NoAnswer(Refused { status: 529, .. }), "status 529: Overloaded"),
        case!("401", |_| vec![ScriptedReply::error(401, &format!("Incorrect key: {KEY}"))], 1,
            NoAnswer(Refused { status: 401, .. }), "key"),
        case!("400 with the key", |_| vec![ScriptedReply::error(400, &format!("bad {KEY}"))], 1,
            NoAnswer(Refused { status: 400, .. }), "status 400: bad"),
        case!("nothing said", |chat| vec![chat.answer(" \n", "stop")], 1,
            NoText { .. }, "the text is empty"),
        case!("nothing but thoughts", |chat| vec![chat.answer("", chat.limit_reason())], 1,
            NoText { .. }, "all 150 tokens were spent on thinking"),
    ]
}

#[test]
fn errors_have_a_kind_name_the_endpoint_and_hide_the_key() {
    for chat in Chat::ALL {
        for FailureCase { name, script, requests, matches_error, message_part } in failure_cases() {
            let server = FakeServer::start(script(chat));
            let (generator, pauses) = chat.generator(&server.base());
            let error = generator.generate(&prompt(), LONG).expect_err(name);
            let message = error.to_string();
            assert!(matches_error(&error), "{chat:?}, {name}: {error:?}");
            assert!(message.contains(message_part), "{chat:?}, {name}: {message}");
            assert!(message.contains(&server.base()), "{chat:?}, {name}: {message}");
            assert!(!message.contains('\n'), "{chat:?}, {name}: {message}");
            // Ollama gets no key, so it has none to repeat.
            let shown = format!("{error:?} {message}");
            assert!(chat == Chat::Ollama || !shown.contains(KEY), "{chat:?}, {name}: {message}");
            assert_eq!(server.requests().len(), requests, "{chat:?}, {name}");
            assert_eq!(pauses.lock().unwrap().len(), requests - 1, "{chat:?}, {name}");
        }
    }
}

#[test]
fn temporary_failures_are_retried() {
    for chat in Chat::ALL {
        let busy = ScriptedReply::Status(429, vec![("Retry-After", "7".into())], b"{}".to_vec());
        let server = FakeServer::start(vec![
            busy,
            ScriptedReply::error(503, "busy"),
            ScriptedReply::Correct,
        ]);
        let (generator, pauses) = chat.generator(&server.base());
        let answer = generator.generate(&prompt(), LONG).expect("the third try works");
        assert_eq!(answer.text, "a supposed answer");
        let expected = [Duration::from_secs(7), Duration::from_millis(500)];
        assert_eq!(*pauses.lock().unwrap(), expected, "{chat:?}");
    }
}

#[test]
fn deadlines_end_slow_requests_and_expired_ones_send_nothing() {
    for chat in Chat::ALL {
        for reply in [ScriptedReply::Stalled, ScriptedReply::StalledHalfway] {
            let server = FakeServer::start(vec![reply]);
            let (generator, _) = chat.generator(&server.base());
            let error = generator.generate(&prompt(), Duration::from_millis(80));
            assert!(matches!(error, Err(NoAnswer(TimedOut { .. }))), "{chat:?}: {error:?}");
            assert_eq!(server.requests().len(), 1);
        }
        let server = FakeServer::start(vec![ScriptedReply::Correct]);
        let (generator, _) = chat.generator(&server.base());
        let error = generator.generate(&prompt(), Duration::ZERO);
        assert!(matches!(error, Err(NoAnswer(TimedOut { .. }))), "{chat:?}: {error:?}");
        assert!(server.requests().is_empty());
    }
}

#[test]
fn a_missing_ollama_model_is_reported_with_the_pull_command() {
    let server = FakeServer::start(vec![ScriptedReply::error(404, "model not found")]);
    let (generator, _) = Chat::Ollama.generator(&server.base());
    let error = generator.generate(&prompt(), LONG).expect_err("no model").to_string();
    assert!(error.ends_with("ollama has no model `m:1b`; run `ollama pull m:1b`"), "{error}");
}

#[test]
fn keys_are_never_shown() {
    let settings = settings(GeneratorProvider::OpenAi);
    let generator = |protocol, base| ServerGenerator::new(protocol, base, Secret::new(KEY), "m");
    let base = "https://example.org";
    let shown = format!(
        "{settings:?} {:?} {:?}",
        generator(&OPENAI_CHAT, base),
        generator(&ANTHROPIC_CHAT, base)
    );
    assert!(!shown.contains("do-not-show"), "{shown}");
    let error = generator(&ANTHROPIC_CHAT, "http://example.org").expect_err("no TLS");
    assert!(error.to_string().contains("unencrypted"), "{error}");
}

fn settings(provider: GeneratorProvider) -> GeneratorSettings {
    GeneratorSettings {
        provider,
        model: String::new(),
        url: String::new(),
        command: "claude -p".to_owned(),
        openai_key: Secret::new(KEY),
        anthropic_key: Secret::new(KEY),
    }
}

#[test]
fn the_configured_provider_is_chosen() {
    for (provider, default) in [
        (GeneratorProvider::Ollama, "ollama/llama3.2:3b"),
        (GeneratorProvider::OpenAi, "openai/gpt-4.1-mini"),
        (GeneratorProvider::Anthropic, "anthropic/claude-haiku-4-5"),
        (GeneratorProvider::Command, "command/claude"),
    ] {
        assert_eq!(choose(&settings(provider)).name(), default);
        if provider != GeneratorProvider::Command {
            let server = FakeServer::answering("hello");
            let url = format!("{}/", server.base());
            let settings = GeneratorSettings { model: "m".into(), url, ..settings(provider) };
            let generator = choose(&settings);
            assert!(generator.name().ends_with("/m"), "{}", generator.name());
            assert_eq!(generator.generate(&prompt(), LONG).expect("it works").text, "hello");
        }
    }
}

#[test]
fn invalid_settings_fail_on_the_first_call() {
    let no_keys = |provider| GeneratorSettings {
        openai_key: None,
        anthropic_key: None,
        ..settings(provider)
    };
    for (settings, message_part) in [
        (no_keys(GeneratorProvider::OpenAi), "set `OPENAI_API_KEY`"),
        (no_keys(GeneratorProvider::Anthropic), "set `ANTHROPIC_API_KEY`"),
        (
            GeneratorSettings { url: "ftp://x".into(), ..settings(GeneratorProvider::Ollama) },
            "`http://`",
        ),
        (
            GeneratorSettings { command: " ".into(), ..settings(GeneratorProvider::Command) },
            "no program",
        ),
        (
            GeneratorSettings { command: "a 'b".into(), ..settings(GeneratorProvider::Command) },
            "unclosed quote",
        ),
    ] {
        let error = choose(&settings).generate(&prompt(), LONG).expect_err("it cannot work");
        assert!(error.is_misconfigured(), "{error:?}");
        assert!(error.to_string().contains(message_part), "{error}");
    }
    let keyless = GeneratorSettings {
        url: "http://127.0.0.1:1".into(),
        ..no_keys(GeneratorProvider::OpenAi)
    };
    let error = choose(&keyless).generate(&prompt(), LONG).expect_err("nothing is listening");
    assert_eq!((error.is_misconfigured(), error.code()), (false, "unreachable"));
}
