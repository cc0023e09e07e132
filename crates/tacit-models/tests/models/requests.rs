//! Requests to working servers, and their responses.

use tacit_models::protocol::{EmbedProtocol, OLLAMA_EMBED, OPENAI_EMBED};
use tacit_models::{BundledEmbedder, Embedder, EmbedderReach, Secret, ServerEmbedder, TextKind};

use crate::wire::{DIMS, KEY, Wire, expected, shuffled};
use tacit_testkit::server::{FakeServer, ScriptedReply};

fn embedder(protocol: &'static EmbedProtocol, base: &str, model: &str) -> ServerEmbedder {
    ServerEmbedder::new(protocol, base, None, model, DIMS).expect("a good address")
}

#[test]
fn requests_follow_each_interface() {
    for wire in Wire::ALL {
        let server = FakeServer::start(vec![ScriptedReply::Correct]);
        let (embedder, _) = wire.embedder(&server.base());
        embedder.embed(&["some text"], TextKind::Passage, None).expect("a working server");
        let [request] = &server.requests()[..] else { panic!("one request") };
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", wire.path()));
        assert_eq!(request.header("content-type"), Some("application/json"));
        assert_eq!(request.body["dimensions"], DIMS);
        assert_eq!(request.input(), ["some text"]);
        match wire {
            Wire::Ollama => {
                assert_eq!(request.body["model"], "qwen3-embedding:4b");
                assert_eq!(request.body["truncate"], true);
                assert_eq!(request.body["keep_alive"], "15m");
                assert_eq!(request.header("authorization"), None);
            }
            Wire::OpenAi => {
                assert_eq!(request.body["model"], "text-embedding-3-small");
                assert_eq!(request.body["encoding_format"], "float");
                assert_eq!(request.header("authorization"), Some(&*format!("Bearer {KEY}")));
            }
        }
    }
}

#[test]
fn vectors_are_in_order_and_have_length_one() {
    for wire in Wire::ALL {
        let server = FakeServer::start(vec![ScriptedReply::Correct]);
        let (embedder, _) = wire.embedder(&server.base());
        let texts: Vec<String> = (0..300).map(|n| format!("text number {n}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder.embed(&texts, TextKind::Passage, None).expect("a working server");
        assert_eq!(vectors.len(), texts.len());
        for (text, vector) in texts.iter().zip(&vectors) {
            assert_eq!(*vector, expected(text), "{wire:?}, {text}");
            let length: f64 = vector.iter().map(|x| f64::from(*x).powi(2)).sum();
            assert!((length - 1.0).abs() < 1e-5);
        }
    }
}

#[test]
fn texts_are_sent_in_batches() {
    for wire in Wire::ALL {
        let batch = wire.batch();
        for (texts, expected) in [
            (0, vec![]),
            (1, vec![1]),
            (batch, vec![batch]),
            (batch + 1, vec![batch, 1]),
            (2 * batch + 5, vec![batch, batch, 5]),
        ] {
            let server = FakeServer::start(vec![ScriptedReply::Correct]);
            let (embedder, _) = wire.embedder(&server.base());
            let vectors = embedder.embed(&vec!["text"; texts], TextKind::Passage, None);
            assert_eq!(vectors.expect("a working server").len(), texts);
            let sizes: Vec<usize> = server.requests().iter().map(|r| r.input().len()).collect();
            assert_eq!(sizes, expected, "{wire:?}");
        }
    }
}

#[test]
fn long_texts_are_cut_and_batched_by_size_for_openai() {
    let server = FakeServer::start(vec![ScriptedReply::Correct]);
    let (embedder, _) = Wire::OpenAi.embedder(&server.base());
    // Each letter has two bytes, so a cut at an odd byte would split one.
    let long = "x".to_owned() + &"é".repeat(20_000);
    let vectors = embedder.embed(&vec![&*long; 40], TextKind::Passage, None);
    assert_eq!(vectors.expect("a working server").len(), 40);
    let requests = server.requests();
    let sizes: Vec<usize> = requests.iter().map(|request| request.input().len()).collect();
    assert_eq!(sizes, [18, 18, 4]);
    assert_eq!(requests[0].input()[0].len(), 15_999);
}

#[test]
fn a_failed_batch_fails_the_call() {
    for wire in Wire::ALL {
        let server =
            FakeServer::start(vec![ScriptedReply::Correct, ScriptedReply::error(400, "no")]);
        let (embedder, _) = wire.embedder(&server.base());
        let texts = vec!["text"; wire.batch() + 1];
        assert!(embedder.embed(&texts, TextKind::Passage, None).is_err());
    }
}

#[test]
fn only_queries_to_qwen3_carry_an_instruction() {
    let sent = |embedder: &dyn Embedder, server: &FakeServer, kind| {
        embedder.embed(&["where is the parser"], kind, None).expect("a working server");
        server.requests().last().expect("a request").input().remove(0)
    };
    let server = FakeServer::start(vec![ScriptedReply::Correct]);
    let base = server.base();
    let ollama = |model| embedder(&OLLAMA_EMBED, &base, model);
    let openai = |model| embedder(&OPENAI_EMBED, &base, model);
    let cases: [(Box<dyn Embedder>, bool); 6] = [
        (Box::new(ollama("qwen3-embedding:4b")), true),
        (Box::new(ollama("hf.co/Qwen/Qwen3-Embedding-0.6B-GGUF")), true),
        (Box::new(ollama("nomic-embed-text")), false),
        (Box::new(ollama("qwen3:4b")), false),
        (Box::new(openai("text-embedding-qwen3-embedding-8b")), true),
        (Box::new(openai("text-embedding-3-small")), false),
    ];
    for (embedder, instructed) in cases {
        let name = embedder.model().name();
        assert_eq!(sent(&*embedder, &server, TextKind::Passage), "where is the parser", "{name}");
        let query = sent(&*embedder, &server, TextKind::Query);
        if instructed {
            let task = query.strip_suffix("\nQuery:where is the parser").expect(name);
            assert!(task.starts_with("Instruct: Given what a programmer asks"), "{name}: {task}");
            assert!(!task.contains('\n'), "{name}: {task}");
        } else {
            assert_eq!(query, "where is the parser", "{name}");
        }
    }
}

#[test]
fn an_empty_text_is_sent_as_a_space() {
    for wire in Wire::ALL {
        let server = FakeServer::start(vec![ScriptedReply::Correct]);
        let (embedder, _) = wire.embedder(&server.base());
        embedder.embed(&["", "a"], TextKind::Passage, None).expect("a working server");
        assert_eq!(server.requests()[0].input(), [" ", "a"]);
    }
}

#[test]
fn openai_vectors_are_sorted_by_index() {
    let texts = ["first", "second", "third"];
    let server = FakeServer::start(vec![shuffled(&texts, &[2, 0, 1])]);
    let (embedder, _) = Wire::OpenAi.embedder(&server.base());
    let vectors = embedder.embed(&texts, TextKind::Passage, None).expect("a working server");
    assert_eq!(vectors, texts.map(expected));
}

#[test]
fn addresses_may_have_a_path_a_slash_or_no_scheme() {
    let server = FakeServer::start(vec![ScriptedReply::Correct]);
    let bare = server.base().replace("http://", "");
    for base in [format!("{}/v1", server.base()), format!("{bare}/v1/"), format!(" {bare}/v1")] {
        let openai = ServerEmbedder::new(&OPENAI_EMBED, &base, Secret::new(KEY), "m", DIMS);
        let openai = openai.expect("a good address");
        openai.embed(&["text"], TextKind::Passage, None).expect("a working server");
        assert_eq!(server.requests().last().expect("a request").path, "/v1/embeddings");
    }
}

#[test]
fn reach_depends_on_the_host_alone() {
    let ollama = |base: &str| {
        let embedder = ServerEmbedder::new(&OLLAMA_EMBED, base, None, "m:1b", 512);
        embedder.expect("a good address")
    };
    assert_eq!(ollama("localhost").model().to_string(), "ollama/m:1b (512 dimensions)");
    for (base, reach) in [
        ("http://127.0.0.1:11434", EmbedderReach::Loopback),
        ("http://127.8.9.10", EmbedderReach::Loopback),
        ("http://[::1]:11434", EmbedderReach::Loopback),
        ("http://[::ffff:127.0.0.1]", EmbedderReach::Loopback),
        ("LOCALHOST:11434", EmbedderReach::Loopback),
        ("http://192.168.1.4:11434", EmbedderReach::Remote),
        ("http://localhost.example.org", EmbedderReach::Remote),
        ("http://0.0.0.0:11434", EmbedderReach::Remote),
        ("https://ollama.example.org", EmbedderReach::Remote),
    ] {
        assert_eq!(ollama(base).reach(), reach, "{base}");
    }
    let bundled = BundledEmbedder::new();
    assert_eq!(bundled.model().to_string(), "tacit-embed-s/int8 (384 dimensions)");
    assert_eq!(bundled.reach(), EmbedderReach::Bundled);
}
