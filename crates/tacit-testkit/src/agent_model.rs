//! A fake model for the agent loop of a real client: plays a script over the streaming Messages API
//! and records what the client sends.
//!
//! A client also asks its model for titles of sessions. Such requests have no tools; they get a
//! short answer and are neither part of the script nor recorded.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::server::{Listener, RecordedRequest, read_request, respond, wait_for_hangup};

/// A tool that the model asks the client to run.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelToolCall {
    /// The name of the tool, as the client spells it.
    pub tool: String,
    /// The arguments.
    pub input: Value,
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
    requests: Vec<Value>,
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

    /// Returns the bodies of the requests of the agent loop so far.
    pub fn requests(&self) -> Vec<Value> {
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
            let answered = if request.method == "POST" && request.path.contains("/v1/messages") {
                self.answer(stream, &request)
            } else {
                respond(stream, 200, "application/json", b"{\"data\": []}")
            };
            if answered.is_none() {
                return;
            }
        }
    }

    /// Answers a request; returns `None` to close the connection.
    fn answer(&self, stream: &TcpStream, request: &RecordedRequest) -> Option<()> {
        if request.path.contains("count_tokens") {
            return respond(stream, 200, "application/json", b"{\"input_tokens\": 100}");
        }
        let (number, turn) = if is_agent_loop(&request.body) {
            let mut played = self.played.lock().expect("no panic under the lock");
            played.requests.push(request.body.clone());
            let turn = played.turns.pop_front();
            self.changed.notify_all();
            let used_up = || ModelTurn::Says("The script is used up.".to_owned());
            (played.requests.len(), turn.unwrap_or_else(used_up))
        } else {
            (0, ModelTurn::Says("{\"title\": \"a session\"}".to_owned()))
        };
        let (content, stop_reason) = match turn {
            ModelTurn::Stalls => return wait_for_hangup(stream),
            ModelTurn::Says(text) => (json!({"type": "text", "text": text}), "end_turn"),
            ModelTurn::Calls(ModelToolCall { tool, input }) => {
                let id = format!("toolu_{number:04}");
                (json!({"type": "tool_use", "id": id, "name": tool, "input": input}), "tool_use")
            }
        };
        let message = json!({
            "id": format!("msg_{number:04}"), "type": "message", "role": "assistant",
            "model": request.body["model"], "content": [content], "stop_reason": stop_reason,
            "stop_sequence": null, "usage": {"input_tokens": 100, "output_tokens": 20},
        });
        if request.body["stream"] == true {
            respond(stream, 200, "text/event-stream", events(message).as_bytes())
        } else {
            respond(stream, 200, "application/json", message.to_string().as_bytes())
        }
    }
}

/// Returns true for a request of the agent loop, which offers tools.
fn is_agent_loop(body: &Value) -> bool {
    body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
        && body["max_tokens"].as_u64() > Some(1)
}

/// Formats a message as the events of a stream.
fn events(mut message: Value) -> String {
    let content = message["content"][0].take();
    let stop_reason = message["stop_reason"].take();
    message["content"] = json!([]);
    let (start, delta) = if content["type"] == "text" {
        let delta = json!({"type": "text_delta", "text": content["text"]});
        (json!({"type": "text", "text": ""}), delta)
    } else {
        let mut start = content.clone();
        start["input"] = json!({});
        let input = content["input"].to_string();
        (start, json!({"type": "input_json_delta", "partial_json": input}))
    };
    let end = json!({"stop_reason": stop_reason, "stop_sequence": null});
    let usage = message["usage"].clone();
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": start}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": end, "usage": usage}),
        json!({"type": "message_stop"}),
    ];
    let format = |event: &Value| {
        format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default())
    };
    events.iter().map(format).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    /// Sends a body and returns the response.
    fn post(base: &str, body: &Value) -> String {
        let mut stream = TcpStream::connect(base.trim_start_matches("http://")).expect("a server");
        let body = body.to_string();
        let head = "POST /v1/messages?beta=true HTTP/1.1\r\nconnection: close\r\ncontent-length";
        write!(stream, "{head}: {}\r\n\r\n{body}", body.len()).expect("sent");
        stream.shutdown(std::net::Shutdown::Write).expect("an open connection");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        response
    }

    fn request(text: &str) -> Value {
        json!({
            "model": "m", "stream": true, "max_tokens": 100, "tools": [{"name": "Bash"}],
            "messages": [{"role": "user", "content": text}],
        })
    }

    #[test]
    fn turns_are_played_in_order_and_requests_recorded() {
        let call = ModelToolCall { tool: "Bash".into(), input: json!({"command": "ls \"a b\""}) };
        let turns = vec![ModelTurn::Calls(call), ModelTurn::Says("Done.".into())];
        let model = AgentModel::start(turns);
        let first = post(&model.base(), &request("one"));
        assert!(first.contains("Content-Type: text/event-stream\r\n"), "{first}");
        assert!(first.contains(r#""partial_json":"{\"command\":\"ls \\\"a b\\\"\"}""#), "{first}");
        assert!(first.contains(r#""stop_reason":"tool_use""#), "{first}");
        let second = post(&model.base(), &request("two"));
        assert!(second.contains(r#""text":"Done.""#), "{second}");
        assert!(post(&model.base(), &request("three")).contains("used up"));
        let contents: Vec<Value> = model
            .requests()
            .iter()
            .map(|request| request["messages"][0]["content"].clone())
            .collect();
        assert_eq!(contents, ["one", "two", "three"]);
        assert!(model.wait_for_requests(3, Duration::ZERO));
        assert!(!model.wait_for_requests(4, Duration::ZERO));
    }

    #[test]
    fn requests_without_tools_use_up_no_turn() {
        let model = AgentModel::start(vec![ModelTurn::Says("Done.".into())]);
        let mut title = request("a title");
        title["tools"] = json!([]);
        title["stream"] = json!(false);
        assert!(post(&model.base(), &title).contains("a session"));
        assert!(model.requests().is_empty());
        assert!(post(&model.base(), &request("work")).contains("Done."));
    }
}
