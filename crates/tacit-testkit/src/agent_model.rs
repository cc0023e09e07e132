//! A fake model for the agent loop of a real client: plays a script over the protocol that the client
//! speaks and records what the client sends.
//!
//! A client also asks its model for titles and summaries of sessions. Such requests have no tools;
//! they get a short answer and are neither part of the script nor recorded.

mod chat;
mod gemini;
mod messages;
mod protocol;
mod responses;

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::Value;

pub use self::protocol::RequestTexts;
use self::protocol::{AnswerContent, ModelProtocol};
use crate::server::{Listener, RecordedRequest, read_request, respond, wait_for_hangup};

/// The protocols; the path of a request tells which one a client speaks.
const PROTOCOLS: &[&dyn ModelProtocol] =
    &[&messages::Messages, &responses::Responses, &chat::ChatCompletions, &gemini::GenerateContent];

/// A tool that the model asks the client to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelToolCall {
    /// The name of the tool, as the client spells it.
    pub tool: String,
    /// The group of the tool, in clients that send it apart from the name.
    pub namespace: Option<String>,
    /// The arguments: an object, or a string for a tool that takes plain text.
    pub input: Value,
}

impl ModelToolCall {
    /// Creates a call of a tool without a namespace.
    pub fn new(tool: impl Into<String>, input: Value) -> ModelToolCall {
        ModelToolCall { tool: tool.into(), namespace: None, input }
    }
}

/// The model's answer to a request.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelTurn {
    /// Calls a tool.
    Calls(ModelToolCall),
    /// Says something, which ends the turn.
    Says(String),
    /// Answers nothing until the client disconnects.
    Stalls,
}

/// A request of the agent loop.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// The body as the client sent it.
    pub body: Value,
    /// The texts in it, whatever the protocol.
    pub texts: RequestTexts,
}

/// A running model; dropping it stops it.
#[derive(Debug)]
pub struct AgentModel {
    listener: Listener,
    script: Arc<Script>,
}

#[derive(Debug)]
struct Script {
    played: Mutex<Played>,
    changed: Condvar,
}

#[derive(Debug)]
struct Played {
    turns: VecDeque<ModelTurn>,
    requests: Vec<ModelRequest>,
}

impl AgentModel {
    /// Starts a model that answers with these turns. When they are used up, it says so.
    pub fn start(turns: Vec<ModelTurn>) -> AgentModel {
        let played = Mutex::new(Played { turns: turns.into(), requests: Vec::new() });
        let script = Arc::new(Script { played, changed: Condvar::new() });
        let serving = Arc::clone(&script);
        let listener = Listener::start(move |stream| serving.serve(stream));
        AgentModel { listener, script }
    }

    /// Returns the address for the client.
    pub fn base(&self) -> String {
        self.listener.base()
    }

    /// Returns the requests of the agent loop so far.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.script.played.lock().expect("no panic under the lock").requests.clone()
    }

    /// Waits until there were this many requests; returns false if they do not come in time.
    pub fn wait_for_requests(&self, count: usize, limit: Duration) -> bool {
        let played = self.script.played.lock().expect("no panic under the lock");
        let waiting = |played: &mut Played| played.requests.len() < count;
        let waited = self.script.changed.wait_timeout_while(played, limit, waiting);
        !waited.expect("no panic under the lock").1.timed_out()
    }
}

impl Script {
    fn serve(&self, stream: &TcpStream) {
        let mut reader = std::io::BufReader::new(stream);
        while let Some(request) = read_request(&mut reader) {
            let path = request.path.split('?').next().unwrap_or_default();
            let protocol = PROTOCOLS.iter().find(|protocol| protocol.serves(path));
            let answered = match protocol {
                Some(protocol) if request.method == "POST" => {
                    self.answer(stream, *protocol, &request)
                }
                _ => respond(stream, 200, "application/json", other(path).as_bytes()),
            };
            if answered.is_none() {
                return;
            }
        }
    }

    /// Answers a request; returns `None` to close the connection.
    fn answer(
        &self,
        stream: &TcpStream,
        protocol: &dyn ModelProtocol,
        request: &RecordedRequest,
    ) -> Option<()> {
        let (number, turn) = if protocol.is_agent_loop(&request.body) {
            let texts = protocol.texts(&request.body);
            let mut played = self.played.lock().expect("no panic under the lock");
            played.requests.push(ModelRequest { body: request.body.clone(), texts });
            let turn = played.turns.pop_front();
            self.changed.notify_all();
            let used_up = || ModelTurn::Says("The script is used up.".to_owned());
            (played.requests.len(), turn.unwrap_or_else(used_up))
        } else {
            (0, ModelTurn::Says("{\"title\": \"a session\"}".to_owned()))
        };
        let answer = match turn {
            ModelTurn::Stalls => return wait_for_hangup(stream),
            ModelTurn::Says(text) => AnswerContent::Says(text),
            ModelTurn::Calls(call) => AnswerContent::Calls(call),
        };
        let (kind, body) = if protocol.is_streamed(request) {
            ("text/event-stream", protocol.stream(&request.body, number, &answer))
        } else {
            ("application/json", protocol.whole(&request.body, number, &answer).to_string())
        };
        respond(stream, 200, kind, body.as_bytes())
    }
}

/// Returns the answer to a request that is not for the model: a count of tokens, or a list of models
/// without entries.
fn other(path: &str) -> &'static str {
    if path.ends_with("count_tokens") || path.ends_with(":countTokens") {
        r#"{"input_tokens": 100, "totalTokens": 100}"#
    } else {
        r#"{"object": "list", "data": [], "models": []}"#
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use serde_json::json;

    use super::*;

    /// Sends a body and returns the response.
    fn post(base: &str, path: &str, body: &Value) -> String {
        let mut stream = TcpStream::connect(base.trim_start_matches("http://")).expect("a server");
        let body = body.to_string();
        let head = format!("POST {path} HTTP/1.1\r\nconnection: close\r\ncontent-length");
        write!(stream, "{head}: {}\r\n\r\n{body}", body.len()).expect("sent");
        stream.shutdown(std::net::Shutdown::Write).expect("an open connection");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        response
    }

    const MESSAGES: &str = "/v1/messages?beta=true";

    fn request(text: &str) -> Value {
        json!({
            "model": "m", "stream": true, "max_tokens": 100, "tools": [{"name": "Bash"}],
            "messages": [{"role": "user", "content": text}],
        })
    }

    #[test]
    fn turns_are_played_in_order_and_requests_recorded() {
        let call = ModelToolCall::new("Bash", json!({"command": "ls \"a b\""}));
        let turns = vec![ModelTurn::Calls(call), ModelTurn::Says("Done.".into())];
        let model = AgentModel::start(turns);
        let first = post(&model.base(), MESSAGES, &request("one"));
        assert!(first.contains("Content-Type: text/event-stream\r\n"), "{first}");
        assert!(first.contains(r#""partial_json":"{\"command\":\"ls \\\"a b\\\"\"}""#), "{first}");
        assert!(first.contains(r#""stop_reason":"tool_use""#), "{first}");
        let second = post(&model.base(), MESSAGES, &request("two"));
        assert!(second.contains(r#""text":"Done.""#), "{second}");
        assert!(post(&model.base(), MESSAGES, &request("three")).contains("used up"));
        let told: Vec<String> =
            model.requests().iter().map(|request| request.texts.told.clone()).collect();
        assert_eq!(told, ["one\n", "two\n", "three\n"]);
        assert!(model.wait_for_requests(3, Duration::ZERO));
        assert!(!model.wait_for_requests(4, Duration::ZERO));
    }

    #[test]
    fn requests_without_tools_use_up_no_turn() {
        let model = AgentModel::start(vec![ModelTurn::Says("Done.".into())]);
        let mut title = request("a title");
        title["tools"] = json!([]);
        title["stream"] = json!(false);
        for path in [MESSAGES, "/v1/responses", "/v1/chat/completions", "/m:generateContent"] {
            assert!(post(&model.base(), path, &title).contains("a session"), "{path}");
        }
        assert!(post(&model.base(), "/v1/messages/count_tokens", &title).contains("input_tokens"));
        assert!(model.requests().is_empty());
        assert!(post(&model.base(), MESSAGES, &request("work")).contains("Done."));
    }

    #[test]
    fn every_protocol_tells_prompts_and_results_apart() {
        let tools = json!([{"name": "shell"}]);
        for (path, body) in [
            (
                MESSAGES,
                json!({"tools": tools, "max_tokens": 9, "messages": [
                    {"role": "user", "content": [{"type": "text", "text": "a prompt"}]},
                    {"role": "assistant", "content": [{"type": "tool_use", "input": "a call"}]},
                    {"role": "user", "content": [
                        {"type": "tool_result", "content": [{"type": "text", "text": "a result"}]}]},
                    {"role": "system", "content": "a note"}]}),
            ),
            (
                "/v1/responses",
                json!({"tools": tools, "input": [
                    {"type": "message", "role": "user", "content": [
                        {"type": "input_text", "text": "a prompt"}]},
                    {"type": "function_call", "call_id": "1", "arguments": "a call"},
                    {"type": "function_call_output", "call_id": "1", "output": "a result"},
                    {"role": "developer", "content": "a note"}]}),
            ),
            (
                "/v1/chat/completions",
                json!({"tools": tools, "messages": [
                    {"role": "user", "content": "a prompt"},
                    {"role": "assistant", "tool_calls": [{"function": {"arguments": "a call"}}]},
                    {"role": "tool", "tool_call_id": "1", "content": "a result"},
                    {"role": "system", "content": [{"type": "text", "text": "a note"}]}]}),
            ),
            (
                "/v1beta/models/m:streamGenerateContent?alt=sse",
                json!({"tools": tools, "contents": [
                    {"role": "user", "parts": [{"text": "a prompt"}]},
                    {"role": "model", "parts": [{"functionCall": {"args": "a call"}}]},
                    {"role": "user", "parts": [
                        {"functionResponse": {"response": {"output": "a result"}}},
                        {"text": "a note"}]}]}),
            ),
        ] {
            let model = AgentModel::start(Vec::new());
            post(&model.base(), path, &body);
            let requests = model.requests();
            assert_eq!(requests[0].texts.told, "a prompt\na note\n", "{path}");
            assert_eq!(requests[0].texts.results, ["a result"], "{path}");
        }
    }
}
