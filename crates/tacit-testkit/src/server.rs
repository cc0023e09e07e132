//! A fake model server: replies from a script in the formats of model servers, and records
//! requests.
//!
//! Every connection has a thread; all share the script, whose last reply repeats. A stalled reply
//! waits until the client disconnects, so nothing sleeps.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// The reply to a request.
#[derive(Clone, Debug)]
pub enum ScriptedReply {
    /// The answer of a working server, in the format of the path.
    Correct,
    /// A response with status, headers and body.
    Status(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// A body that is shorter than its `Content-Length`.
    Truncated(Vec<u8>),
    /// A chunked body of JSON with this many bytes.
    Endless(usize),
    /// No answer until the client disconnects.
    Stalled,
    /// Half an answer, then nothing until the client disconnects.
    StalledHalfway,
    /// A closed connection without an answer.
    Disconnect,
    /// Bytes that are not HTTP.
    Raw(&'static [u8]),
}

impl ScriptedReply {
    /// Creates a response with status 200.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::Status(200, Vec::new(), body.into())
    }

    /// Creates an error response in OpenAI's format.
    pub fn error(status: u16, message: &str) -> Self {
        let body = json!({ "error": { "message": message, "code": null } });
        Self::Status(status, Vec::new(), body.to_string().into_bytes())
    }
}

/// A request to the fake server.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// `GET` or `POST`.
    pub method: String,
    /// The path of the URL.
    pub path: String,
    /// The headers in their original spelling.
    pub headers: Vec<(String, String)>,
    /// The JSON body.
    pub body: Value,
}

impl RecordedRequest {
    /// Returns the value of a header, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the texts to embed.
    pub fn input(&self) -> Vec<String> {
        let input = self.body["input"].as_array().expect("a request has a list of texts");
        input.iter().map(|text| text.as_str().expect("a text is a string").to_owned()).collect()
    }
}

/// A port of this machine on which every connection has a thread; dropping it stops it.
#[derive(Debug)]
pub(crate) struct Listener {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
}

impl Listener {
    /// Starts to serve connections.
    pub(crate) fn start(serve: impl Fn(&TcpStream) + Send + Sync + 'static) -> Listener {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let (serve, stopped) = (Arc::new(serve), Arc::new(AtomicBool::new(false)));
        let flag = Arc::clone(&stopped);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if flag.load(Ordering::Relaxed) {
                    break;
                }
                let serve = Arc::clone(&serve);
                thread::spawn(move || serve(&stream));
            }
        });
        Listener { address, stopped }
    }

    /// Returns the address as a URL.
    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes the accepting thread so that it sees the flag.
        drop(TcpStream::connect(self.address));
    }
}

/// A running fake server; dropping it stops it.
#[derive(Debug)]
pub struct FakeServer {
    listener: Listener,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    script: Mutex<Vec<ScriptedReply>>,
    models: Vec<String>,
    answer_text: String,
    requests: Mutex<Vec<RecordedRequest>>,
}

impl FakeServer {
    /// Starts a server with a script of replies.
    pub fn start(script: Vec<ScriptedReply>) -> Self {
        Self::with_models(script, &["qwen3-embedding:4b"])
    }

    /// Starts a server with a script of replies and these models.
    pub fn with_models(script: Vec<ScriptedReply>, models: &[&str]) -> Self {
        Self::run(script, models, "a supposed answer")
    }

    /// Starts a server that answers every prompt with this text.
    pub fn answering(text: &str) -> Self {
        Self::run(vec![ScriptedReply::Correct], &[], text)
    }

    fn run(mut script: Vec<ScriptedReply>, models: &[&str], answer_text: &str) -> Self {
        script.reverse();
        let state = Arc::new(State {
            script: Mutex::new(script),
            models: models.iter().map(|&model| model.to_owned()).collect(),
            answer_text: answer_text.to_owned(),
            requests: Mutex::default(),
        });
        let serving = Arc::clone(&state);
        Self { listener: Listener::start(move |stream| serving.serve(stream)), state }
    }

    /// Returns the address of the server.
    pub fn base(&self) -> String {
        self.listener.base()
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state.requests.lock().expect("no panic under the lock").clone()
    }
}

impl State {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = BufReader::new(stream);
        while let Some(request) = read_request(&mut reader) {
            self.requests.lock().expect("no panic under the lock").push(request.clone());
            if answer(stream, &self.next_reply(), &self.correct_answer(&request)).is_none() {
                return;
            }
        }
    }

    fn next_reply(&self) -> ScriptedReply {
        let mut script = self.script.lock().expect("no panic under the lock");
        let reply = if script.len() > 1 { script.pop() } else { script.last().cloned() };
        reply.expect("a script has a line")
    }

    fn correct_answer(&self, request: &RecordedRequest) -> Vec<u8> {
        if request.path.ends_with("/api/tags") {
            let models: Vec<_> = self.models.iter().map(|name| json!({ "name": name })).collect();
            return json!({ "models": models }).to_string().into_bytes();
        }
        if request.body.get("messages").is_some() {
            return self.chat_answer(&request.path).to_string().into_bytes();
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

    /// Returns the answer to a prompt, reporting 21 tokens read and 7 written.
    fn chat_answer(&self, path: &str) -> Value {
        let answer_text = self.answer_text.as_str();
        if path.ends_with("/api/chat") {
            json!({
                "model": "m", "message": { "role": "assistant", "content": answer_text },
                "done": true, "done_reason": "stop", "prompt_eval_count": 21, "eval_count": 7,
            })
        } else if path.ends_with("/v1/messages") {
            json!({
                "type": "message", "role": "assistant", "stop_reason": "end_turn",
                "content": [{ "type": "text", "text": answer_text }],
                "usage": { "input_tokens": 21, "output_tokens": 7 },
            })
        } else {
            let message = json!({ "role": "assistant", "content": answer_text });
            json!({
                "object": "chat.completion",
                "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
                "usage": { "prompt_tokens": 21, "completion_tokens": 7, "total_tokens": 28 },
            })
        }
    }
}

/// Returns the vector that the server sends for a text: distinct per text, not normalised.
pub fn raw_vector(text: &str, dims: usize) -> Vec<f64> {
    let mut vector = vec![0.0; dims];
    for (at, byte) in text.bytes().enumerate() {
        vector[(at * 31 + usize::from(byte)) % dims] += 0.5;
    }
    vector
}

/// Reads a request; `None` if the connection was closed.
pub(crate) fn read_request(reader: &mut impl BufRead) -> Option<RecordedRequest> {
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
    let mut request = RecordedRequest { method, path, headers, body: Value::Null };
    let length = request.header("content-length").map_or(0, |n| n.parse().expect("a number"));
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    if !body.is_empty() {
        request.body = serde_json::from_slice(&body).expect("a request is JSON");
    }
    Some(request)
}

/// Sends a response; returns `None` if the client has disconnected.
pub(crate) fn respond(mut stream: &TcpStream, status: u16, kind: &str, body: &[u8]) -> Option<()> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), body].concat()).ok()
}

/// Sends a reply; returns `None` to close the connection.
fn answer(mut stream: &TcpStream, reply: &ScriptedReply, correct_answer: &[u8]) -> Option<()> {
    let head = |status: u16, length: usize| {
        format!(
            "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
        )
    };
    match reply {
        ScriptedReply::Correct => respond(stream, 200, "application/json", correct_answer),
        ScriptedReply::Status(status, headers, body) => {
            let mut head = head(*status, body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            stream.write_all(&[head.as_bytes(), b"\r\n", body].concat()).ok()
        }
        ScriptedReply::Truncated(body) => {
            let head = format!("{}\r\n", head(200, body.len() + 100));
            stream.write_all(&[head.as_bytes(), body].concat()).ok()?;
            None
        }
        ScriptedReply::Endless(bytes) => {
            stream.write_all(b"HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\n").ok()?;
            let chunk = [b"10000\r\n".as_slice(), &[b' '; 0x10000], b"\r\n"].concat();
            for _ in 0..bytes.div_ceil(0x10000) {
                stream.write_all(&chunk).ok()?;
            }
            stream.write_all(b"0\r\n\r\n").ok()
        }
        ScriptedReply::Stalled => wait_for_hangup(stream),
        ScriptedReply::StalledHalfway => {
            let head = format!("{}\r\n", head(200, correct_answer.len()));
            stream
                .write_all(&[head.as_bytes(), &correct_answer[..correct_answer.len() / 2]].concat())
                .ok()?;
            wait_for_hangup(stream)
        }
        ScriptedReply::Disconnect => None,
        ScriptedReply::Raw(bytes) => {
            stream.write_all(bytes).ok()?;
            None
        }
    }
}

/// Waits until the client disconnects.
pub(crate) fn wait_for_hangup(mut stream: &TcpStream) -> Option<()> {
    let _: Result<usize, _> = stream.read(&mut [0; 1]);
    None
}
