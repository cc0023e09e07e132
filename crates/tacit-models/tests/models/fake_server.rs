//! A server for tests: answers from a script, speaks both wire formats, records what it was sent.
//!
//! Every connection has a thread; the script is shared by all of them and its last line repeats.
//! A stalled answer is held until the client hangs up, so that nothing sleeps.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// What the server does with a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// The answer a working server gives, in the format the path asks for.
    Right,
    /// A status, headers, and a body.
    Status(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// A body whose `Content-Length` promises more than comes.
    Truncated(Vec<u8>),
    /// This many bytes of JSON, in chunks, without a length ahead.
    Endless(usize),
    /// Nothing, until the client hangs up.
    Stalled,
    /// Half an answer, then nothing until the client hangs up.
    StalledHalfway,
    /// The connection is closed without an answer.
    HungUp,
    /// Bytes that are not HTTP.
    Raw(&'static [u8]),
}

impl Reply {
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::Status(200, Vec::new(), body.into())
    }

    pub(crate) fn error(status: u16, message: &str) -> Self {
        let body = json!({ "error": { "message": message, "code": null } });
        Self::Status(status, Vec::new(), body.to_string().into_bytes())
    }
}

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Recorded {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn input(&self) -> Vec<String> {
        let input = self.body["input"].as_array().expect("a request has a list of texts");
        input.iter().map(|text| text.as_str().expect("a text is a string").to_owned()).collect()
    }
}

/// A running server; dropping it stops it.
pub(crate) struct FakeServer {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    script: Mutex<Vec<Reply>>,
    models: Vec<String>,
    requests: Mutex<Vec<Recorded>>,
    stopped: AtomicBool,
}

impl FakeServer {
    pub(crate) fn start(script: Vec<Reply>) -> Self {
        Self::with_models(script, &["qwen3-embedding:4b"])
    }

    pub(crate) fn with_models(mut script: Vec<Reply>, models: &[&str]) -> Self {
        script.reverse();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let state = Arc::new(State {
            script: Mutex::new(script),
            models: models.iter().map(|&model| model.to_owned()).collect(),
            requests: Mutex::default(),
            stopped: AtomicBool::new(false),
        });
        let server = Self {
            address: listener.local_addr().expect("a bound listener has an address"),
            state: Arc::clone(&state),
        };
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if state.stopped.load(Ordering::Relaxed) {
                    break;
                }
                let state = Arc::clone(&state);
                thread::spawn(move || state.serve(&stream));
            }
        });
        server
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> Vec<Recorded> {
        self.state.requests.lock().expect("no panic under the lock").clone()
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts, so that it sees the flag.
        drop(TcpStream::connect(self.address));
    }
}

impl State {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(request) = read_request(&mut reader) {
            self.requests.lock().expect("no panic under the lock").push(request.clone());
            if answer(stream, &self.next_reply(), &self.right(&request)).is_none() {
                return;
            }
        }
    }

    fn next_reply(&self) -> Reply {
        let mut script = self.script.lock().expect("no panic under the lock");
        let reply = if script.len() > 1 { script.pop() } else { script.last().cloned() };
        reply.expect("a script has a line")
    }

    fn right(&self, request: &Recorded) -> Vec<u8> {
        if request.path.ends_with("/api/tags") {
            let models: Vec<_> = self.models.iter().map(|name| json!({ "name": name })).collect();
            return json!({ "models": models }).to_string().into_bytes();
        }
        let dims = request.body["dimensions"].as_u64().expect("dimensions are always sent");
        let vectors: Vec<Value> = request
            .input()
            .iter()
            .map(|text| raw_vector(text, usize::try_from(dims).expect("a small number")).into())
            .collect();
        let body = if request.path.ends_with("/api/embed") {
            json!({ "model": request.body["model"], "embeddings": vectors, "load_duration": 1 })
        } else {
            let item = |(index, vector)| json!({ "index": index, "embedding": vector });
            let data: Vec<Value> = vectors.into_iter().enumerate().map(item).collect();
            json!({ "object": "list", "data": data, "usage": { "total_tokens": 3 } })
        };
        body.to_string().into_bytes()
    }
}

/// The vector a working server sends for a text: unlike that of other texts, and not normalised.
pub(crate) fn raw_vector(text: &str, dims: usize) -> Vec<f64> {
    let mut vector = vec![0.0; dims];
    for (at, byte) in text.bytes().enumerate() {
        vector[(at * 31 + usize::from(byte)) % dims] += 0.5;
    }
    vector
}

fn read_request(reader: &mut impl BufRead) -> Option<Recorded> {
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next()?, words.next()?);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_owned(), value.to_owned()));
    }
    let mut request = Recorded { method, path, headers, body: Value::Null };
    let length = request.header("content-length").map_or(0, |n| n.parse().expect("a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    if !body.is_empty() {
        request.body = serde_json::from_slice(&body).expect("a request is JSON");
    }
    Some(request)
}

/// Sends a reply; nothing when the connection is to be closed.
fn answer(mut stream: &TcpStream, reply: &Reply, right: &[u8]) -> Option<()> {
    let head = |status: u16, length: usize| {
        format!(
            "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
        )
    };
    match reply {
        Reply::Right => {
            let head = format!("{}\r\n", head(200, right.len()));
            stream.write_all(&[head.as_bytes(), right].concat()).ok()
        }
        Reply::Status(status, headers, body) => {
            let mut head = head(*status, body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            stream.write_all(&[head.as_bytes(), b"\r\n", body].concat()).ok()
        }
        Reply::Truncated(body) => {
            let head = format!("{}\r\n", head(200, body.len() + 100));
            stream.write_all(&[head.as_bytes(), body].concat()).ok()?;
            None
        }
        Reply::Endless(bytes) => {
            stream.write_all(b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n").ok()?;
            let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
            for _ in 0..bytes.div_ceil(0x10000) {
                stream.write_all(&chunk).ok()?;
            }
            stream.write_all(b"0\r\n\r\n").ok()
        }
        Reply::Stalled => wait_for_hangup(stream),
        Reply::StalledHalfway => {
            let head = format!("{}\r\n", head(200, right.len()));
            stream.write_all(&[head.as_bytes(), &right[..right.len() / 2]].concat()).ok()?;
            wait_for_hangup(stream)
        }
        Reply::HungUp => None,
        Reply::Raw(bytes) => {
            stream.write_all(bytes).ok()?;
            None
        }
    }
}

fn wait_for_hangup(mut stream: &TcpStream) -> Option<()> {
    let _: Result<usize, _> = stream.read(&mut [0; 1]);
    None
}
