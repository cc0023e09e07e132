//! Checks of a request to the model, against the one before it.

use tacit_testkit::agent_model::RequestTexts;

use super::client::AgentClient;
use super::story::{ExpectedText, RequestCheck};

/// The number of lines that a message quotes.
const LINES: usize = 40;

/// Returns what is wrong with a request, which follows another one.
pub(crate) fn problem(
    request: &RequestTexts,
    before: &RequestTexts,
    check: &RequestCheck,
    client: &dyn AgentClient,
) -> Option<String> {
    let line = check.line;
    match &check.expected {
        ExpectedText::Shown(text) => {
            let count = |texts: &RequestTexts| {
                parts(texts, client).map(|part| part.matches(text.as_str()).count()).sum::<usize>()
            };
            let wrong = count(request) <= count(before);
            wrong.then(|| {
                format!("line {line}: not shown: {text}\n{}", since(request, before, client))
            })
        }
        ExpectedText::Result(text) => {
            let result = request.results.last().map_or("", String::as_str);
            let wrong = !result.contains(text.as_str());
            wrong.then(|| format!("line {line}: not in the result: {text}\n{}", indent(result)))
        }
        ExpectedText::Hidden(text) => {
            let mut texts = request.results.iter().chain([&request.told]);
            let found = texts.find(|told| told.contains(text.as_str()))?;
            let near = found.lines().find(|line| line.contains(text.as_str()));
            let near = indent(near.unwrap_or(text));
            Some(format!("line {line}: in the request: {text}\n{near}"))
        }
        ExpectedText::Silent => {
            let count = |texts: &RequestTexts| {
                parts(texts, client).map(|part| client.hook_replies(part)).sum::<usize>()
            };
            let wrong = count(request) > count(before);
            wrong.then(|| format!("line {line}: a hook spoke\n{}", since(request, before, client)))
        }
    }
}

/// Returns the texts in which hooks of a client speak.
fn parts<'t>(texts: &'t RequestTexts, client: &dyn AgentClient) -> impl Iterator<Item = &'t str> {
    let results = if client.extends_results() { texts.results.as_slice() } else { &[] };
    [&texts.told].into_iter().chain(results).map(String::as_str)
}

/// Returns the lines that the request before did not have, as part of a message.
fn since(request: &RequestTexts, before: &RequestTexts, client: &dyn AgentClient) -> String {
    let lines_of = |texts: &'_ RequestTexts| -> Vec<String> {
        parts(texts, client).flat_map(str::lines).map(str::to_owned).collect()
    };
    let old = lines_of(before);
    let mut lines = lines_of(request);
    lines.retain(|line| !old.contains(line));
    // A first request begins with the long instructions of the client.
    indent(&lines[lines.len().saturating_sub(LINES)..].join("\n"))
}

/// Marks lines as quoted, the first ones of a long text.
fn indent(text: &str) -> String {
    let notes = text.lines().filter(|line| !line.trim().is_empty());
    notes.take(LINES).map(|line| format!("    | {line:.200}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::claude_code::ClaudeCode;
    use crate::agents::opencode::OPENCODE;

    fn texts(added: &str, results: &[&str]) -> RequestTexts {
        RequestTexts {
            told: format!("fix it\nSessionStart hook additional context: start\n{added}"),
            results: results.iter().map(|result| (*result).to_owned()).collect(),
        }
    }

    fn holds(expected: ExpectedText, request: &RequestTexts, before: &RequestTexts) -> bool {
        let check = RequestCheck { line: 1, expected };
        problem(request, before, &check, &ClaudeCode).is_none()
    }

    #[test]
    fn only_new_text_counts_as_shown() {
        let shown = |text: &str| ExpectedText::Shown(text.into());
        let (none, first) = (RequestTexts::default(), texts("", &[]));
        let second = texts("PostToolUse:Read hook additional context: a note", &[]);
        assert!(holds(shown("start"), &first, &none));
        assert!(!holds(shown("start"), &second, &first));
        assert!(holds(shown("a note"), &second, &first));
        assert!(holds(ExpectedText::Silent, &first, &none));
        assert!(!holds(ExpectedText::Silent, &second, &first));
        assert!(holds(ExpectedText::Silent, &second, &second));
    }

    #[test]
    fn results_are_apart_from_what_is_shown() {
        let (before, request) = (texts("", &[]), texts("", &["stopped"]));
        assert!(holds(ExpectedText::Result("stopped".into()), &request, &before));
        assert!(!holds(ExpectedText::Shown("stopped".into()), &request, &before));
        assert!(!holds(ExpectedText::Hidden("stopped".into()), &request, &before));
        assert!(holds(ExpectedText::Hidden("a secret word".into()), &request, &before));
    }

    #[test]
    fn hooks_may_speak_in_results() {
        let note = "1 failed\n<tacit-notes>\na note\n</tacit-notes>";
        let (before, request) = (texts("", &[]), texts("", &[note]));
        let says = |expected: ExpectedText| {
            let check = RequestCheck { line: 1, expected };
            problem(&request, &before, &check, &OPENCODE)
        };
        assert_eq!(says(ExpectedText::Shown("a note".into())), None);
        assert!(says(ExpectedText::Silent).unwrap().contains("| a note"));
    }
}
