//! The Chat Completions API, which Copilot CLI, OpenCode, Kilo and Qwen Code speak.

use serde_json::{Value, json};

use super::protocol::{AnswerContent, ModelProtocol, RequestTexts, plain_events, text_of};

#[derive(Debug)]
pub(super) struct ChatCompletions;

impl ModelProtocol for ChatCompletions {
    fn serves(&self, path: &str) -> bool {
        path.ends_with("/chat/completions")
    }

    fn texts(&self, body: &Value) -> RequestTexts {
        let mut texts = RequestTexts::default();
        for message in body["messages"].as_array().into_iter().flatten() {
            match message["role"].as_str() {
                Some("assistant") => {}
                Some("tool") => texts.results.push(text_of(&message["content"])),
                _ => texts.tell(&message["content"]),
            }
        }
        texts
    }

    fn whole(&self, body: &Value, number: usize, answer: &AnswerContent) -> Value {
        let (mut message, finish_reason) = message(number, answer);
        message["role"] = json!("assistant");
        let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason});
        response(body, number, "chat.completion", &json!([choice]), true)
    }

    fn stream(&self, body: &Value, number: usize, answer: &AnswerContent) -> String {
        const KIND: &str = "chat.completion.chunk";
        let (delta, finish_reason) = message(number, answer);
        let chunk = |delta: Value, finish_reason: Option<&str>| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
            response(body, number, KIND, &json!([choice]), false)
        };
        let events = plain_events(&[
            chunk(json!({"role": "assistant", "content": ""}), None),
            chunk(delta, None),
            chunk(json!({}), Some(finish_reason)),
            response(body, number, KIND, &json!([]), true),
        ]);
        format!("{events}data: [DONE]\n\n")
    }
}

/// Returns the message without its role, and the reason why it ends.
fn message(number: usize, answer: &AnswerContent) -> (Value, &'static str) {
    match answer {
        AnswerContent::Says(text) => (json!({"content": text}), "stop"),
        AnswerContent::Calls(call) => {
            let function = json!({"name": call.tool, "arguments": call.input.to_string()});
            let id = format!("call_{number:04}");
            let call = json!({"index": 0, "id": id, "type": "function", "function": function});
            (json!({"content": null, "tool_calls": [call]}), "tool_calls")
        }
    }
}

fn response(body: &Value, number: usize, kind: &str, choices: &Value, with_usage: bool) -> Value {
    let mut response = json!({
        "id": format!("chatcmpl-{number:04}"), "object": kind, "created": 0,
        "model": body["model"], "choices": choices,
    });
    if with_usage {
        response["usage"] =
            json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120});
    }
    response
}
