//! Text from servers: what goes over the wire, what comes back, and everything that can go wrong.

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

    /// A generator that notes its pauses instead of making them.
    fn generator(self, base: &str) -> (Box<dyn Generator>, Pauses) {
        let pauses: Pauses = Arc::new(Mutex::default());
        let noted = Arc::clone(&pauses);
        let sleep = move |pause| noted.lock().expect("no panic under the lock").push(pause);
        let (protocol, key, model): (&ChatProtocol, _, _) = match self {
            Self::Ollama => (&OLLAMA_CHAT, None, "m:1b"),
            Self::OpenAi => (&OPENAI_CHAT, Secret::new(KEY), "m-1"),
            Self::Anthropic => (&ANTHROPIC_CHAT, Secret::new(KEY), "m-2"),
        };
        let generator = ServerGenerator::new(protocol, base, key, model).expect("a good address");
        (Box::new(generator.with_sleep(sleep)), pauses)
    }

    /// An answer with this text, stopped for this reason, without any count.
    fn answer(self, text: &str, stopped: &str) -> ScriptedReply {
        let body = match self {
            Self::Ollama => json!({ "message": { "content": text }, "done_reason": stopped }),
            Self::OpenAi => {
                let message = json!({ "content": text });
                json!({ "choices": [{ "message": message, "finish_reason": stopped }] })
            }
            Self::Anthropic => {
                let thought = json!({ "type": "thinking", "thinking": "hm" });
                let said = json!({ "type": "text", "text": text });
                json!({ "content": [thought, said], "stop_reason": stopped })
            }
        };
        ScriptedReply::ok(body.to_string())
    }

    fn cut_short(self) -> &'static str {
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
fn prompts_are_sent_as_each_interface_wants_them() {
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
        let said = generator.generate(&prompt(), LONG).expect("a working server");
        assert_eq!(said.text, "Because it is never closed.");
        assert_eq!((said.input_tokens, said.output_tokens), (21, 7));
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
fn tokens_that_are_not_told_are_estimated() {
    for chat in Chat::ALL {
        let server = FakeServer::start(vec![chat.answer("eight by", chat.cut_short())]);
        let (generator, _) = chat.generator(&server.base());
        let said = generator.generate(&prompt(), LONG).expect("half a text is a text");
        assert_eq!((said.input_tokens, said.output_tokens), (12, 2), "{chat:?}");
    }
}

#[test]
fn a_model_that_minds_the_terms_is_asked_in_others() {
    let limit = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    let temperature = "Unsupported value: 'temperature' does not support 0.2 with this model.";
    for (chat, refusals) in [
        (Chat::OpenAi, vec![limit, temperature]),
        (Chat::OpenAi, vec![temperature]),
        (Chat::Anthropic, vec![temperature]),
    ] {
        let mut script: Vec<ScriptedReply> =
            refusals.iter().map(|message| ScriptedReply::error(400, message)).collect();
        script.push(ScriptedReply::Right);
        let server = FakeServer::start(script);
        let (generator, pauses) = chat.generator(&server.base());
        generator.generate(&prompt(), LONG).expect("the last try fits");
        let requests = server.requests();
        assert_eq!(requests.len(), refusals.len() + 1);
        let last = &requests[refusals.len()].body;
        assert_eq!(last.get("temperature"), None);
        let newer = refusals.contains(&limit);
        assert_eq!(last.get("max_completion_tokens").is_some(), newer);
        assert_eq!(last.get("max_tokens").is_some(), !newer);
        assert!(pauses.lock().unwrap().is_empty());
        let stubborn = FakeServer::start(vec![ScriptedReply::error(400, temperature)]);
        let (generator, _) = chat.generator(&stubborn.base());
        assert!(generator.generate(&prompt(), LONG).is_err());
        assert_eq!(stubborn.requests().len(), 2, "it is not asked for ever");
    }
}

#[test]
fn a_model_that_knows_nothing_of_thinking_is_asked_without_a_word_about_it() {
    let refusal = ScriptedReply::Status(
        400,
        Vec::new(),
        br#"{"error":"\"m:1b\" does not support thinking"}"#.to_vec(),
    );
    let server = FakeServer::start(vec![refusal.clone(), ScriptedReply::Right]);
    let (generator, _) = Chat::Ollama.generator(&server.base());
    generator.generate(&prompt(), LONG).expect("the second try fits");
    let thinks: Vec<bool> =
        server.requests().iter().map(|request| request.body.get("think").is_some()).collect();
    assert_eq!(thinks, [true, false]);
    let stubborn = FakeServer::start(vec![refusal]);
    let (generator, _) = Chat::Ollama.generator(&stubborn.base());
    assert!(generator.generate(&prompt(), LONG).is_err());
    assert_eq!(stubborn.requests().len(), 2, "it is not asked for ever");
}

/// A script of replies, how often it is asked, and what that leads to.
struct Row {
    name: &'static str,
    script: fn(Chat) -> Vec<ScriptedReply>,
    tries: usize,
    is_expected: fn(&GenerateError) -> bool,
    says: &'static str,
}

macro_rules! row {
    ($name:literal, $script:expr, $tries:literal, $pattern:pat, $says:literal) => {
        Row {
            name: $name,
            script: $script,
            tries: $tries,
            is_expected: |error| matches!(error, $pattern),
            says: $says,
        }
    };
}

#[rustfmt::skip]
fn rows() -> Vec<Row> {
    vec![
        row!("wrong JSON", |_| vec![ScriptedReply::ok("{\"message\":")], 1,
            NoAnswer(Malformed { .. }), "ends too early"),
        row!("another shape", |_| vec![ScriptedReply::ok(r#"{"status":"fine"}"#)], 1,
            NoAnswer(Malformed { .. }), "another shape"),
        row!("not JSON", |_| vec![ScriptedReply::ok("NaN")], 1, NoAnswer(Malformed { .. }), "not JSON"),
        row!("a web page", |_| vec![ScriptedReply::ok("<html>")], 1,
            NoAnswer(Malformed { .. }), "a web page; check the address"),
        row!("a body that stops short", |_| vec![ScriptedReply::Truncated(b"{\"mess".to_vec())], 3,
            NoAnswer(Unreachable { .. }), "broke off its answer"),
        row!("hung up", |_| vec![ScriptedReply::HungUp], 3,
            NoAnswer(Unreachable { .. }), "closed the connection"),
        row!("2 MB", |_| vec![ScriptedReply::Endless(2 << 20)], 1,
            NoAnswer(Malformed { .. }), "longer than 1 MB"),
        row!("429", |_| vec![ScriptedReply::Status(429, vec![("Retry-After", "2".into())], b"{}".to_vec())],
            3, NoAnswer(RateLimited { .. }), "try again in 2 s"),
        row!("500", |_| vec![ScriptedReply::error(500, "out of memory")], 3,
            NoAnswer(Refused { status: 500, .. }), "out of memory"),
        row!("529 in Anthropic's words",
            |_| vec![ScriptedReply::Status(529, Vec::new(),
                br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#
                    .to_vec())],
            3, NoAnswer(Refused { status: 529, .. }), "status 529: Overloaded"),
        row!("401", |_| vec![ScriptedReply::error(401, &format!("Incorrect key: {KEY}"))], 1,
            NoAnswer(Refused { status: 401, .. }), "key"),
        row!("400 with the key", |_| vec![ScriptedReply::error(400, &format!("bad {KEY}"))], 1,
            NoAnswer(Refused { status: 400, .. }), "status 400: bad"),
        row!("nothing said", |chat| vec![chat.answer(" \n", "stop")], 1,
            NoText { .. }, "an empty text"),
        row!("nothing but thoughts", |chat| vec![chat.answer("", chat.cut_short())], 1,
            NoText { .. }, "all 150 tokens went into thinking"),
    ]
}

#[test]
fn every_failure_is_told_apart_names_the_endpoint_and_hides_the_key() {
    for chat in Chat::ALL {
        for Row { name, script, tries, is_expected, says } in rows() {
            let server = FakeServer::start(script(chat));
            let (generator, pauses) = chat.generator(&server.base());
            let error = generator.generate(&prompt(), LONG).expect_err(name);
            let message = error.to_string();
            assert!(is_expected(&error), "{chat:?}, {name}: {error:?}");
            assert!(message.contains(says), "{chat:?}, {name}: {message}");
            assert!(message.contains(&server.base()), "{chat:?}, {name}: {message}");
            assert!(!message.contains('\n'), "{chat:?}, {name}: {message}");
            // Ollama gets no key, so it has none to repeat.
            let shown = format!("{error:?} {message}");
            assert!(chat == Chat::Ollama || !shown.contains(KEY), "{chat:?}, {name}: {message}");
            assert_eq!(server.requests().len(), tries, "{chat:?}, {name}");
            assert_eq!(pauses.lock().unwrap().len(), tries - 1, "{chat:?}, {name}");
        }
    }
}

#[test]
fn a_failure_that_passes_is_not_noticed() {
    for chat in Chat::ALL {
        let busy = ScriptedReply::Status(429, vec![("Retry-After", "7".into())], b"{}".to_vec());
        let server =
            FakeServer::start(vec![busy, ScriptedReply::error(503, "busy"), ScriptedReply::Right]);
        let (generator, pauses) = chat.generator(&server.base());
        let said = generator.generate(&prompt(), LONG).expect("the third try works");
        assert_eq!(said.text, "a supposed answer");
        let expected = [Duration::from_secs(7), Duration::from_millis(500)];
        assert_eq!(*pauses.lock().unwrap(), expected, "{chat:?}");
    }
}

#[test]
fn a_slow_answer_ends_at_the_deadline_and_no_time_means_no_request() {
    for chat in Chat::ALL {
        for reply in [ScriptedReply::Stalled, ScriptedReply::StalledHalfway] {
            let server = FakeServer::start(vec![reply]);
            let (generator, _) = chat.generator(&server.base());
            let error = generator.generate(&prompt(), Duration::from_millis(80));
            assert!(matches!(error, Err(NoAnswer(TimedOut { .. }))), "{chat:?}: {error:?}");
            assert_eq!(server.requests().len(), 1);
        }
        let server = FakeServer::start(vec![ScriptedReply::Right]);
        let (generator, _) = chat.generator(&server.base());
        let error = generator.generate(&prompt(), Duration::ZERO);
        assert!(matches!(error, Err(NoAnswer(TimedOut { .. }))), "{chat:?}: {error:?}");
        assert!(server.requests().is_empty());
    }
}

#[test]
fn a_missing_model_in_ollama_says_what_to_run() {
    let server = FakeServer::start(vec![ScriptedReply::error(404, "model not found")]);
    let (generator, _) = Chat::Ollama.generator(&server.base());
    let error = generator.generate(&prompt(), LONG).expect_err("no model").to_string();
    assert!(error.ends_with("ollama has no model `m:1b`; run `ollama pull m:1b`"), "{error}");
}

#[test]
fn keys_show_nowhere() {
    let settings = settings(GeneratorProvider::OpenAi);
    let made = |protocol, base| ServerGenerator::new(protocol, base, Secret::new(KEY), "m");
    let base = "https://example.org";
    let shown =
        format!("{settings:?} {:?} {:?}", made(&OPENAI_CHAT, base), made(&ANTHROPIC_CHAT, base));
    assert!(!shown.contains("do-not-show"), "{shown}");
    let error = made(&ANTHROPIC_CHAT, "http://example.org").expect_err("no TLS");
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
fn what_is_configured_is_what_is_chosen() {
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
fn settings_that_cannot_work_say_so_when_asked() {
    let no_keys = |provider| GeneratorSettings {
        openai_key: None,
        anthropic_key: None,
        ..settings(provider)
    };
    for (settings, says) in [
        (no_keys(GeneratorProvider::OpenAi), "put one into `OPENAI_API_KEY`"),
        (no_keys(GeneratorProvider::Anthropic), "put one into `ANTHROPIC_API_KEY`"),
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
            "quote",
        ),
    ] {
        let error = choose(&settings).generate(&prompt(), LONG).expect_err("it cannot work");
        assert!(error.is_misconfigured(), "{error:?}");
        assert!(error.to_string().contains(says), "{error}");
    }
    let keyless = GeneratorSettings {
        url: "http://127.0.0.1:1".into(),
        ..no_keys(GeneratorProvider::OpenAi)
    };
    let error = choose(&keyless).generate(&prompt(), LONG).expect_err("nobody listens");
    assert_eq!((error.is_misconfigured(), error.code()), (false, "unreachable"));
}
