//! Attacks, each through a real socket.

use std::io::{Read, Write};
use std::net::{Ipv6Addr, TcpStream};

use serde_json::json;

use super::{Answer, Panel};

const LIST: &str = "GET /api/v1/memories";

#[test]
fn only_its_own_names_reach_the_server() {
    let panel = Panel::start();
    let port = panel.port;
    for host in ["127.0.0.1", "[::1]", "localhost"] {
        let host = format!("{host}:{port}");
        assert_eq!(panel.send(LIST, &[("Host", &host)], "").status, 200, "{host}");
    }
    let wrong_port = format!("127.0.0.1:{}", port.wrapping_add(1));
    let rebound = format!("evil.example:{port}");
    let longer = format!("127.0.0.1.evil.example:{port}");
    for host in ["evil.example", "127.0.0.1", &wrong_port, &rebound, &longer, "0.0.0.0", " "] {
        for line in [LIST, "GET /"] {
            let answer = panel.send(line, &[("Host", host)], "");
            // An unreadable name is refused before the server sees it.
            assert!([400, 421].contains(&answer.status), "{host}: {answer:?}");
        }
    }
    let two = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(panel.raw(&two).status, 421);
    let absolute = format!("GET http://evil.example:{port}/api/v1/memories");
    assert_eq!(panel.send(&absolute, &[], "").status, 421);
    let none = panel.raw("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert!([400, 421].contains(&none.status), "{none:?}");
}

#[test]
fn other_origins_are_refused() {
    let panel = Panel::start();
    let own = format!("http://127.0.0.1:{}", panel.port);
    let other_name = format!("http://localhost:{}", panel.port);
    let other_port = format!("http://127.0.0.1:{}", panel.port.wrapping_add(1));
    let secure = format!("https://127.0.0.1:{}", panel.port);
    assert_eq!(panel.send(LIST, &[("Origin", &own)], "").status, 200);
    for origin in ["http://evil.example", "null", &other_name, &other_port, &secure] {
        let answer = panel.send(LIST, &[("Origin", origin)], "");
        assert_eq!(answer.error(), (403, "origin".to_owned()), "{origin}");
    }
}

#[test]
fn requests_of_other_sites_are_refused() {
    let panel = Panel::start();
    for (site, api, file) in [
        ("same-origin", 200, 200),
        ("none", 403, 200),
        ("same-site", 403, 403),
        ("cross-site", 403, 403),
    ] {
        let header = [("Sec-Fetch-Site", site)];
        assert_eq!(panel.send(LIST, &header, "").status, api, "{site}");
        assert_eq!(panel.send("GET /assets/index-1a2b.js", &header, "").status, file, "{site}");
    }
    // A link may lead to the page, which holds no data, but not into a frame, and not to the API.
    let visit = |dest| {
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", dest)]
    };
    assert_eq!(panel.send("GET /", &visit("document"), "").status, 200);
    assert_eq!(panel.send("GET /", &visit("iframe"), "").status, 403);
    assert_eq!(panel.send(LIST, &visit("document"), "").status, 403);
    // Another site gets no permission by asking before.
    let preflight = [("Access-Control-Request-Method", "GET"), ("Origin", "http://evil.example")];
    let answer = panel.send("OPTIONS /api/v1/memories", &preflight, "");
    assert_eq!(answer.status, 403);
    assert!(!answer.head.contains("access-control-allow"));
}

#[test]
fn the_token_is_needed_and_only_as_a_header() {
    let panel = Panel::start();
    let token = panel.token.clone();
    let (short, cookie) = (token[..63].to_owned(), format!("token={token}"));
    for wrong in
        ["", "Bearer", "Bearer ", &token, &format!("Bearer {short}"), &format!("Basic {token}")]
    {
        let answer = panel.send(LIST, &[("Authorization", wrong), ("Cookie", &cookie)], "");
        assert_eq!(answer.error(), (401, "token".to_owned()), "{wrong}");
        assert!(!answer.body.contains(&short), "the answer does not repeat it");
    }
    let query = panel.send(&format!("{LIST}?token={token}"), &[("Authorization", "")], "");
    assert_eq!(query.status, 401);
    let page = panel.send("GET /", &[("Authorization", "")], "");
    assert_eq!(page.status, 200);
    assert!(!page.head.contains("set-cookie"));
}

#[test]
fn wrong_tokens_are_counted_and_the_right_one_still_works() {
    let panel = Panel::start();
    let wrong = [("Authorization", "Bearer 0")];
    for _ in 0..10 {
        assert_eq!(panel.send(LIST, &wrong, "").status, 401);
    }
    let answer = panel.send(LIST, &wrong, "");
    assert_eq!(answer.error(), (429, "rate".to_owned()));
    assert!(answer.head.contains("retry-after: "), "{answer:?}");
    assert_eq!(panel.send(LIST, &[], "").status, 200);
}

#[test]
fn requests_without_a_token_do_not_count_as_guesses() {
    let panel = Panel::start();
    for _ in 0..20 {
        assert_eq!(panel.send(LIST, &[("Authorization", "")], "").status, 401);
    }
    assert_eq!(panel.send(LIST, &[("Authorization", "Bearer 0")], "").status, 401);
}

#[test]
fn a_write_needs_json() {
    let panel = Panel::start();
    let body = json!({"content": "a fact"}).to_string();
    let forms =
        ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""];
    for kind in forms {
        let answer = panel.send("POST /api/v1/memories", &[("Content-Type", kind)], &body);
        assert_eq!(answer.error(), (415, "media_type".to_owned()), "{kind}");
    }
    assert_eq!(panel.get("/memories").json()["total"], 0);
    let charset = [("Content-Type", "application/json; charset=utf-8")];
    assert_eq!(panel.send("POST /api/v1/memories", &charset, &body).status, 200);
}

#[test]
fn bodies_are_bounded_and_checked() {
    let panel = Panel::start();
    let large = json!({"content": "x".repeat(1 << 20)}).to_string();
    let answer = panel.send("POST /api/v1/memories", &[], &large);
    assert_eq!(answer.error(), (413, "too_large".to_owned()));
    for wrong in ["{", "[]", "{\"content\": 1}", "{\"content\": \"a\", \"review\": \"verified\"}"] {
        let answer = panel.send("POST /api/v1/memories", &[], wrong);
        assert_eq!(answer.error(), (400, "usage".to_owned()), "{wrong}");
    }
    let nested = "[".repeat(100_000);
    assert_eq!(panel.send("POST /api/v1/memories", &[], &nested).status, 400);
    assert_eq!(panel.get("/memories").json()["total"], 0);
}

#[test]
fn no_path_leads_to_the_disk() {
    let panel = Panel::start();
    for path in [
        "/../Cargo.toml",
        "/assets/../index.html",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%2findex.html",
        "//etc/passwd",
        "/assets/",
        "/assets",
        "/index.html/",
        "/INDEX.HTML",
        "/.git/config",
        "/memories.json",
        "//memories",
    ] {
        assert_eq!(panel.send(&format!("GET {path}"), &[], "").status, 404, "{path}");
    }
    // Below a view there is only the page, wherever the rest of the path leads.
    let page = panel.send("GET /", &[], "").body;
    for path in ["/memories", "/m/27734d01", "/sessions/../../etc/passwd", "/memories/..%2f.git"] {
        let answer = panel.send(&format!("GET {path}"), &[("Authorization", "")], "");
        assert_eq!((answer.status, &answer.body), (200, &page), "{path}");
        assert!(answer.head.contains("cache-control: no-cache"), "{answer:?}");
    }
    assert_eq!(panel.get("/memories/..%2f..%2fetc").error(), (404, "not_found".to_owned()));
    assert_eq!(panel.get("/nothing").error(), (404, "not_found".to_owned()));
    assert_eq!(panel.send("GET /api/v2/memories", &[], "").status, 404);
    assert_eq!(panel.send("POST /", &[], "{}").status, 405);
    let answer = panel.write("PUT", "/memories", &json!({}));
    assert_eq!(answer.error(), (405, "method".to_owned()));
    assert!(answer.head.contains("allow: post, get"), "{answer:?}");
    let answer = panel.write("DELETE", "/memories/bulk", &json!({}));
    assert_eq!(answer.error(), (405, "method".to_owned()), "no memory has this name");
    assert!(answer.head.contains("allow: post\r\n"), "{answer:?}");
}

#[test]
fn every_answer_has_the_headers_that_protect_the_page() {
    let panel = Panel::start();
    let answers = [
        panel.send("GET /", &[], ""),
        panel.send("GET /nothing", &[], ""),
        panel.get("/memories"),
        panel.send(LIST, &[("Host", "evil.example")], ""),
        panel.send(LIST, &[("Authorization", "")], ""),
    ];
    for answer in &answers {
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(answer.head.contains(header), "{header} in {answer:?}");
        }
        assert!(!answer.head.contains("unsafe"), "{answer:?}");
        assert!(!answer.head.contains("access-control-allow"), "{answer:?}");
    }
    assert!(answers[2].head.contains("cache-control: no-store"));
    let hashed = panel.send("GET /assets/index-1a2b.js", &[], "");
    assert!(hashed.head.contains("immutable"), "{hashed:?}");
    assert!(hashed.head.contains("content-type: text/javascript"), "{hashed:?}");
}

#[test]
fn only_loopback_addresses_are_bound() {
    let panel = Panel::start();
    // Where the machine has no IPv6, there is only the other address.
    if let Ok(mut stream) = TcpStream::connect((Ipv6Addr::LOCALHOST, panel.port)) {
        let request =
            format!("GET / HTTP/1.1\r\nHost: [::1]:{}\r\nConnection: close\r\n\r\n", panel.port);
        stream.write_all(request.as_bytes()).expect("a write");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    }
    // A second address of the same machine that is not bound.
    assert!(TcpStream::connect(("127.0.0.2", panel.port)).is_err());
}

/// Sends bytes and returns everything that comes back, even if the server closes before it read them all.
fn exchange(panel: &Panel, bytes: &[u8]) -> String {
    let mut stream = panel.connect();
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn no_request_hides_in_the_body_of_another() {
    let panel = Panel::start();
    let head = format!(
        "Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
        panel.port, panel.token
    );
    let body = json!({"content": "a fact that was smuggled"}).to_string();
    let hidden = format!(
        "POST /api/v1/memories HTTP/1.1\r\n{head}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for lengths in [
        format!("Content-Length: 5\r\nContent-Length: {}", hidden.len() + 5),
        "Content-Length: +5".to_owned(),
        "Content-Length: 5, 6".to_owned(),
        "Transfer-Encoding: identity, chunked, x".to_owned(),
        "Transfer-Encoding : chunked".to_owned(),
        "Transfer-Encoding: chunked\r\n : x".to_owned(),
    ] {
        let request =
            format!("POST /api/v1/undo HTTP/1.1\r\n{head}{lengths}\r\n\r\n0\r\n\r\n{hidden}");
        let answer = exchange(&panel, request.as_bytes());
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{lengths}: {answer}");
        assert!(answer.starts_with("HTTP/1.1 400"), "{lengths}: {answer}");
    }
    assert_eq!(panel.get("/memories").json()["total"], 0);
}

#[test]
fn very_large_heads_are_refused() {
    let panel = Panel::start();
    let large = format!("X-Large: {}\r\n", "x".repeat(1 << 20));
    let many = "X-Many: x\r\n".repeat(1_000);
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(1 << 20));
    for request in
        [format!("GET / HTTP/1.1\r\n{large}"), format!("GET / HTTP/1.1\r\n{many}\r\n"), long]
    {
        let answer = exchange(&panel, request.as_bytes());
        let refused = ["HTTP/1.1 431", "HTTP/1.1 414", "HTTP/1.1 400"];
        // The server may close before its answer is read.
        let is_refused =
            answer.is_empty() || refused.iter().any(|status| answer.starts_with(status));
        assert!(is_refused, "{answer}");
    }
    assert_eq!(panel.get("/memories").status, 200);
}

#[test]
fn unfinished_requests_do_not_block_others() {
    let panel = Panel::start();
    let head = format!(
        "POST /api/v1/memories HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{",
        panel.port, panel.token
    );
    // Some stop within the head, others within the body.
    let waiting: Vec<TcpStream> = (0..40)
        .map(|number| {
            let mut stream = panel.connect();
            let end = if number % 2 == 0 { 20 } else { head.len() };
            stream.write_all(&head.as_bytes()[..end]).expect("a write");
            stream
        })
        .collect();
    assert_eq!(panel.get("/memories").status, 200);
    // The server ends although they are there.
    drop(panel);
    drop(waiting);
}

/// Each thread keeps some memory for its next request.
#[cfg(target_os = "linux")]
#[test]
fn many_requests_share_few_threads() {
    let panel = Panel::start();
    let host = format!("127.0.0.1:{}", panel.port);
    let request = format!(
        "GET /api/v1/health HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        panel.token
    );
    let mut streams: Vec<_> = (0..40).map(|_| panel.connect()).collect();
    for stream in &mut streams {
        stream.write_all(request.as_bytes()).expect("a write");
    }
    for mut stream in streams {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        assert_eq!(Answer::parse(&bytes).status, 200);
    }
    let threads = std::fs::read_dir("/proc/self/task").expect("the threads").flatten();
    let named =
        threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
    let name = format!("panel-{}", panel.port);
    let count = named.filter(|comm| comm.trim_end() == name).count();
    assert!((1..=4).contains(&count), "{count} threads");
}

#[test]
fn unknown_methods_are_refused() {
    let panel = Panel::start();
    for method in ["TRACE", "CONNECT", "PROPFIND", "BREW"] {
        let answer = panel.send(&format!("{method} /api/v1/memories"), &[], "");
        assert!([400, 405].contains(&answer.status), "{method}: {answer:?}");
    }
}
