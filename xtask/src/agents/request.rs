//! Checks of a request to the model, against the one before it.

use serde_json::Value;

use super::client::AgentClient;
use super::story::{ExpectedText, RequestCheck};

/// The texts of a request that the model has not written itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestTexts {
    /// Prompts, and what the client and its hooks add.
    told: String,
    /// The results of tools.
    results: Vec<String>,
}

impl RequestTexts {
    /// Collects the texts of a request of the Messages API.
    pub(crate) fn of(request: &Value) -> RequestTexts {
        let mut texts = RequestTexts::default();
        for message in request["messages"].as_array().into_iter().flatten() {
            if message["role"] != "assistant" {
                texts.add(&message["content"]);
            }
        }
        texts
    }

    fn add(&mut self, content: &Value) {
        if let Some(text) = content.as_str() {
            self.told.push_str(text);
            self.told.push('\n');
        }
        for block in content.as_array().into_iter().flatten() {
            if block["type"] == "tool_result" {
                self.results.push(result(&block["content"]));
            } else {
                self.add(&block["text"]);
            }
        }
    }

    /// Returns what is wrong with this request, which follows another one.
    pub(crate) fn problem(
        &self,
        check: &RequestCheck,
        before: &RequestTexts,
        client: &dyn AgentClient,
    ) -> Option<String> {
        let line = check.line;
        match &check.expected {
            ExpectedText::Shown(text) => {
                let count = |texts: &RequestTexts| texts.told.matches(text.as_str()).count();
                let wrong = count(self) <= count(before);
                wrong.then(|| format!("line {line}: not shown: {text}\n{}", self.since(before)))
            }
            ExpectedText::Result(text) => {
                let result = self.results.last().map_or("", String::as_str);
                let wrong = !result.contains(text.as_str());
                wrong.then(|| format!("line {line}: not in the result: {text}\n{}", indent(result)))
            }
            ExpectedText::Hidden(text) => {
                let mut texts = self.results.iter().chain([&self.told]);
                let found = texts.find(|told| told.contains(text.as_str()))?;
                let near = found.lines().find(|line| line.contains(text.as_str()));
                let near = indent(near.unwrap_or(text));
                Some(format!("line {line}: in the request: {text}\n{near}"))
            }
            ExpectedText::Silent => {
                let count = |texts: &RequestTexts| client.hook_replies(&texts.told);
                let wrong = count(self) > count(before);
                wrong.then(|| format!("line {line}: a hook spoke\n{}", self.since(before)))
            }
        }
    }

    /// Returns the lines that the request before did not have, as part of a message.
    fn since(&self, before: &RequestTexts) -> String {
        let is_new = |line: &&str| !before.told.lines().any(|old| old == *line);
        let lines: Vec<&str> = self.told.lines().filter(is_new).collect();
        indent(&lines.join("\n"))
    }
}

/// Returns the text of a tool's result.
fn result(content: &Value) -> String {
    match content.as_array() {
        Some(blocks) => {
            let texts = blocks.iter().filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        None => content.as_str().unwrap_or_default().to_owned(),
    }
}

/// Marks lines as quoted, the first ones of a long text.
fn indent(text: &str) -> String {
    const LINES: usize = 40;
    let notes = text.lines().filter(|line| !line.trim().is_empty());
    notes.take(LINES).map(|line| format!("    | {line:.200}\n")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agents::claude_code::ClaudeCode;

    fn texts(added: &[Value]) -> RequestTexts {
        let first = [
            json!({"role": "user", "content": [{"type": "text", "text": "fix it"}]}),
            json!({"role": "system", "content": "SessionStart hook additional context: start"}),
        ];
        let messages: Vec<&Value> = first.iter().chain(added).collect();
        RequestTexts::of(&json!({"messages": messages}))
    }

    fn holds(expected: ExpectedText, request: &RequestTexts, before: &RequestTexts) -> bool {
        let check = RequestCheck { line: 1, expected };
        request.problem(&check, before, &ClaudeCode).is_none()
    }

    #[test]
    fn only_new_text_counts_as_shown() {
        let shown = |text: &str| ExpectedText::Shown(text.into());
        let (none, first) = (RequestTexts::default(), texts(&[]));
        let added = json!({"role": "system", "content": [
            {"type": "text", "text": "PostToolUse:Read hook additional context: a note"}]});
        let second = texts(std::slice::from_ref(&added));
        assert!(holds(shown("start"), &first, &none));
        assert!(!holds(shown("start"), &second, &first));
        assert!(holds(shown("a note"), &second, &first));
        assert!(holds(ExpectedText::Silent, &first, &none));
        assert!(!holds(ExpectedText::Silent, &second, &first));
        assert!(holds(ExpectedText::Silent, &texts(std::slice::from_ref(&added)), &second));
    }

    #[test]
    fn results_are_apart_from_what_is_shown() {
        let used = json!({"role": "assistant", "content": [
            {"type": "tool_use", "name": "Bash", "input": {"command": "a secret word"}}]});
        let result = json!({"role": "user", "content": [
            {"type": "tool_result", "content": [{"type": "text", "text": "stopped"}]}]});
        let request = texts(&[used, result]);
        let before = texts(&[]);
        assert!(holds(ExpectedText::Result("stopped".into()), &request, &before));
        assert!(!holds(ExpectedText::Shown("stopped".into()), &request, &before));
        assert!(!holds(ExpectedText::Hidden("stopped".into()), &request, &before));
        assert!(holds(ExpectedText::Hidden("a secret word".into()), &request, &before));
    }
}
