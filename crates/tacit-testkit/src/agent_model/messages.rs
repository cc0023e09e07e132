//! The Messages API, which Claude Code speaks.

use serde_json::{Value, json};

use super::protocol::{AnswerContent, ModelProtocol, RequestTexts, text_of, typed_events};

#[derive(Debug)]
pub(super) struct Messages;

impl ModelProtocol for Messages {
    fn serves(&self, path: &str) -> bool {
        path.ends_with("/messages")
    }

    fn is_agent_loop(&self, body: &Value) -> bool {
        // With one token at most, the client only asks about its quota.
        body["tools"].as_array().is_some_and(|tools| !tools.is_empty())
            && body["max_tokens"].as_u64() > Some(1)
    }

    fn texts(&self, body: &Value) -> RequestTexts {
        let mut texts = RequestTexts::default();
        let messages = body["messages"].as_array().into_iter().flatten();
        for message in messages.filter(|message| message["role"] != "assistant") {
            let content = &message["content"];
            let Some(blocks) = content.as_array() else {
                texts.tell(content);
                continue;
            };
            for block in blocks {
                if block["type"] == "tool_result" {
                    texts.results.push(text_of(&block["content"]));
                } else {
                    texts.tell(&block["text"]);
                }
            }
        }
        texts
    }

    fn whole(&self, body: &Value, number: usize, answer: &AnswerContent) -> Value {
        let (content, stop_reason) = match answer {
            AnswerContent::Says(text) => (json!({"type": "text", "text": text}), "end_turn"),
            AnswerContent::Calls(call) => {
                let id = format!("toolu_{number:04}");
                let input = &call.input;
                let block =
                    json!({"type": "tool_use", "id": id, "name": call.tool, "input": input});
                (block, "tool_use")
            }
        };
        json!({
            "id": format!("msg_{number:04}"), "type": "message", "role": "assistant",
            "model": body["model"], "content": [content], "stop_reason": stop_reason,
            "stop_sequence": null, "usage": {"input_tokens": 100, "output_tokens": 20},
        })
    }

    fn stream(&self, body: &Value, number: usize, answer: &AnswerContent) -> String {
        let mut message = self.whole(body, number, answer);
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
        typed_events(&[
            json!({"type": "message_start", "message": message}),
            json!({"type": "content_block_start", "index": 0, "content_block": start}),
            json!({"type": "content_block_delta", "index": 0, "delta": delta}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": end, "usage": usage}),
            json!({"type": "message_stop"}),
        ])
    }
}
