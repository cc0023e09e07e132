//! The API of Gemini models, `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use super::protocol::{AnswerContent, ModelProtocol, RequestTexts, plain_events};
use crate::server::RecordedRequest;

#[derive(Debug)]
pub(super) struct GenerateContent;

impl ModelProtocol for GenerateContent {
    fn serves(&self, path: &str) -> bool {
        path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent")
    }

    fn is_streamed(&self, request: &RecordedRequest) -> bool {
        request.path.contains(":streamGenerateContent")
    }

    fn texts(&self, body: &Value) -> RequestTexts {
        let mut texts = RequestTexts::default();
        let contents = body["contents"].as_array().into_iter().flatten();
        let parts = contents
            .filter(|content| content["role"] != "model")
            .flat_map(|content| content["parts"].as_array().into_iter().flatten());
        for part in parts {
            let response = &part["functionResponse"]["response"];
            if response.is_object() {
                texts.results.push(result(response));
            } else {
                texts.tell(&part["text"]);
            }
        }
        texts
    }

    fn whole(&self, _body: &Value, number: usize, answer: &AnswerContent) -> Value {
        let part = match answer {
            AnswerContent::Says(text) => json!({"text": text}),
            AnswerContent::Calls(call) => {
                let id = format!("call_{number:04}");
                json!({"functionCall": {"id": id, "name": call.tool, "args": call.input}})
            }
        };
        let content = json!({"role": "model", "parts": [part]});
        json!({
            "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {
                "promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120,
            },
            "responseId": format!("response_{number:04}"),
        })
    }

    fn stream(&self, body: &Value, number: usize, answer: &AnswerContent) -> String {
        plain_events(&[self.whole(body, number, answer)])
    }
}

/// Returns the text of a tool's result; tools that fail have an error instead of an output.
fn result(response: &Value) -> String {
    let text = response["output"].as_str().or_else(|| response["error"].as_str());
    text.map_or_else(|| response.to_string(), str::to_owned)
}
