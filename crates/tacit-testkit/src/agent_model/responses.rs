//! The Responses API, which Codex speaks.

use serde_json::{Value, json};

use super::protocol::{AnswerContent, ModelProtocol, RequestTexts, text_of, typed_events};

#[derive(Debug)]
pub(super) struct Responses;

impl ModelProtocol for Responses {
    fn serves(&self, path: &str) -> bool {
        path.ends_with("/responses")
    }

    fn texts(&self, body: &Value) -> RequestTexts {
        let mut texts = RequestTexts::default();
        for item in body["input"].as_array().into_iter().flatten() {
            let kind = item["type"].as_str().unwrap_or_default();
            if kind.ends_with("_output") {
                texts.results.push(text_of(&item["output"]));
            } else if item["role"] == "user" || item["role"] == "developer" {
                texts.tell(&item["content"]);
            }
        }
        texts
    }

    fn whole(&self, body: &Value, number: usize, answer: &AnswerContent) -> Value {
        json!({
            "id": format!("resp_{number:04}"), "object": "response", "created_at": 0,
            "model": body["model"], "status": "completed", "output": [item(number, answer)],
            "usage": {
                "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": 120,
            },
        })
    }

    fn stream(&self, body: &Value, number: usize, answer: &AnswerContent) -> String {
        let response = self.whole(body, number, answer);
        let mut created = response.clone();
        created["status"] = json!("in_progress");
        created["output"] = json!([]);
        let item = &response["output"][0];
        typed_events(&[
            json!({"type": "response.created", "response": created}),
            json!({"type": "response.output_item.done", "output_index": 0, "item": item}),
            json!({"type": "response.completed", "response": response}),
        ])
    }
}

/// Returns the only item of the output.
fn item(number: usize, answer: &AnswerContent) -> Value {
    let id = format!("item_{number:04}");
    let call = match answer {
        AnswerContent::Says(text) => {
            return json!({
                "type": "message", "id": id, "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}],
            });
        }
        AnswerContent::Calls(call) => call,
    };
    let mut item = json!({
        "id": id, "call_id": format!("call_{number:04}"), "name": call.tool, "status": "completed",
    });
    if let Some(namespace) = &call.namespace {
        item["namespace"] = json!(namespace);
    }
    if call.input.is_string() {
        item["type"] = json!("custom_tool_call");
        item["input"] = call.input.clone();
    } else {
        item["type"] = json!("function_call");
        item["arguments"] = json!(call.input.to_string());
    }
    item
}
