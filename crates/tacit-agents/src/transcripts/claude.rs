//! Transcripts of Claude Code: a file per session, and one for each of its subagents.
//!
//! A line has a message of the conversation or a note about it. Results of tools are in the form that
//! hooks get, in `toolUseResult`; for subagents only the text that the model saw is there.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};
use tacit_core::Timestamp;

use super::injected::typed;
use super::lines::{Lines, is_set, text, texts, time};
use super::past_session::{Helper, PastSession};
use super::{ClientName, TranscriptSession, TranscriptText};
use crate::outcome::is_refusal;

/// The beginnings of messages in the place of a prompt that report what the user did otherwise.
const NO_PROMPTS: [&str; 7] = [
    // A command of the client itself; one with a message first is a prompt.
    "<command-name>",
    "<local-command-",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "Caveat: The messages below were generated",
    INTERRUPTED,
];
const INTERRUPTED: &str = "[Request interrupted by user";

/// Reads a session and its subagents.
pub(super) fn read(
    main: TranscriptText<'_>,
    helpers: &[TranscriptText<'_>],
) -> Option<TranscriptSession> {
    let lines = Lines::parse(main.text);
    let id = own_session(main, &lines.values)?;
    let mut session = PastSession::new(ClientName::Claude, &id, main.path)?;
    session.unread = lines.unread;
    // A resumed session of older versions begins with a copy of the messages of another one.
    let is_own = |line: &&Value| text(line, "/sessionId").is_none_or(|found| found == id);
    let mut seen = HashSet::new();
    let is_new = |line: &&Value| text(line, "/uuid").is_none_or(|id| seen.insert(id.to_owned()));
    let own: Vec<&Value> = lines.values.iter().filter(is_own).filter(is_new).collect();
    let continues = !lines.values.first().is_none_or(|first| is_own(&first));
    let kinds = helper_kinds(&own);
    let (inside, outside): (Vec<&Value>, Vec<&Value>) =
        own.into_iter().partition(|line| is_set(line, "isSidechain"));
    Conversation::of(&mut session, None).read(&outside, continues);
    let helper_lines: Vec<Lines> = helpers.iter().map(|helper| Lines::parse(helper.text)).collect();
    let mut chains: Vec<(String, Vec<&Value>)> = Vec::new();
    let all = inside.into_iter().chain(helper_lines.iter().flat_map(|lines| &lines.values));
    for line in all {
        // Older versions do not name the subagent.
        let id = text(line, "/agentId").unwrap_or("sidechain").to_owned();
        match chains.iter_mut().find(|(known, _)| *known == id) {
            Some((_, lines)) => lines.push(line),
            None => chains.push((id, vec![line])),
        }
    }
    session.unread += helper_lines.iter().map(|lines| lines.unread).sum::<usize>();
    for (id, lines) in chains {
        let told = lines.iter().find_map(|line| text(line, "/attributionAgent"));
        let kind = told.map(str::to_owned).or_else(|| kinds.get(&id).cloned());
        let helper = Helper { id, kind: Some(kind.unwrap_or_else(|| "general-purpose".into())) };
        Conversation::of(&mut session, Some(helper)).read(&lines, false);
    }
    session.finish("SessionEnd")
}

/// Returns the session of a transcript: the file is named after it; copied lines are of others.
fn own_session(main: TranscriptText<'_>, lines: &[Value]) -> Option<String> {
    let stem = main.path.and_then(|path| path.file_stem()?.to_str());
    let of_line = |line: &Value| text(line, "/sessionId").map(str::to_owned);
    let named = lines.iter().filter_map(of_line).find(|id| Some(id.as_str()) == stem);
    named.or_else(|| lines.iter().rev().find_map(of_line))
}

/// Returns the types of subagents, as the results of the calls that started them tell.
fn helper_kinds(lines: &[&Value]) -> HashMap<String, String> {
    let kind = |line: &&Value| {
        let id = text(line, "/toolUseResult/agentId")?;
        Some((id.to_owned(), text(line, "/toolUseResult/agentType")?.to_owned()))
    };
    lines.iter().filter_map(kind).collect()
}

/// A call whose result has not come yet.
struct OpenCall {
    name: String,
    input: Value,
}

/// The conversation with the agent or a subagent.
struct Conversation<'s> {
    session: &'s mut PastSession,
    helper: Option<Helper>,
    calls: HashMap<String, OpenCall>,
    /// The last message of the agent, with its time and key, while its turn is open.
    last: Option<(Timestamp, String, String)>,
    /// True if a tool was called after the last message.
    working: bool,
    at: Option<Timestamp>,
    number: usize,
}

impl Conversation<'_> {
    fn of(session: &mut PastSession, helper: Option<Helper>) -> Conversation<'_> {
        let (calls, last) = (HashMap::new(), None);
        Conversation { session, helper, calls, last, working: false, at: None, number: 0 }
    }

    fn read(mut self, lines: &[&Value], continues: bool) {
        for line in lines {
            self.number += 1;
            let Some(at) = time(line, "/timestamp") else { continue };
            // Lines are in the order of the conversation, even where their times are not.
            let first = self.at.is_none();
            let at = self.at.map_or(at, |last| last.max(at));
            self.at = Some(at);
            if let Some(cwd) = text(line, "/cwd") {
                self.session.cwd = trimmed(cwd).to_owned();
            }
            if first {
                self.begin(line, at, continues);
            }
            if is_set(line, "isMeta") || is_set(line, "isCompactSummary") {
                continue;
            }
            match text(line, "/type") {
                Some("user") => self.user(line, at),
                Some("assistant") => self.assistant(line, at),
                Some("system") => self.system(line, at),
                Some("attachment") => self.attachment(line, at),
                _ => {}
            }
        }
        self.stop(true);
    }

    fn key(&self, line: &Value) -> String {
        match text(line, "/uuid") {
            Some(id) => id.to_owned(),
            None => format!("line {}", self.number),
        }
    }

    fn add(&mut self, at: Timestamp, key: &str, event: &str, fields: Value) {
        let key = match &self.helper {
            Some(helper) => format!("{} {key} {event}", helper.id),
            None => format!("{key} {event}"),
        };
        self.session.add(at, key, event, self.helper.as_ref(), fields);
    }

    fn begin(&mut self, line: &Value, at: Timestamp, continues: bool) {
        if self.helper.is_some() {
            return self.add(at, "start", "SubagentStart", json!({}));
        }
        self.session.branch =
            text(line, "/gitBranch").filter(|name| *name != "HEAD").map(str::to_owned);
        let source = if continues { "resume" } else { "startup" };
        self.add(at, "start", "SessionStart", json!({"source": source}));
    }

    fn user(&mut self, line: &Value, at: Timestamp) {
        let Some(content) = line.pointer("/message/content") else { return };
        for block in content.as_array().into_iter().flatten() {
            if text(block, "/type") == Some("tool_result") {
                self.result(line, block, at);
            }
        }
        if self.helper.is_some() {
            return;
        }
        let mode = text(line, "/permissionMode");
        let is_prompt =
            |text: &&str| !NO_PROMPTS.iter().any(|start| text.trim_start().starts_with(start));
        let found = texts(content);
        if found.iter().any(|text| text.starts_with(INTERRUPTED)) {
            self.last = None;
        }
        let parts = found.into_iter().filter(is_prompt).filter_map(typed);
        let prompt = parts.collect::<Vec<_>>().join("\n");
        self.prompt(line, at, &prompt, mode);
    }

    fn prompt(&mut self, line: &Value, at: Timestamp, prompt: &str, mode: Option<&str>) {
        if prompt.is_empty() {
            return;
        }
        self.stop(false);
        let key = self.key(line);
        let fields = json!({"prompt": prompt, "permission_mode": mode.unwrap_or("default")});
        self.add(at, &key, "UserPromptSubmit", fields);
    }

    fn assistant(&mut self, line: &Value, at: Timestamp) {
        let is_error = is_set(line, "isApiErrorMessage")
            || text(line, "/message/model") == Some("<synthetic>");
        let Some(content) = line.pointer("/message/content").filter(|_| !is_error) else { return };
        let said = texts(content).join("\n");
        if !said.trim().is_empty() {
            self.last = Some((at, self.key(line), said));
            self.working = false;
        }
        for call in content.as_array().into_iter().flatten() {
            let is_call = text(call, "/type") == Some("tool_use");
            let named = text(call, "/id").zip(text(call, "/name")).filter(|_| is_call);
            let Some((id, name)) = named else { continue };
            self.working = true;
            let input = call.get("input").cloned().unwrap_or_default();
            let fields = json!({"tool_name": name, "tool_input": input, "tool_use_id": id});
            self.add(at, id, "PreToolUse", fields);
            self.calls.insert(id.to_owned(), OpenCall { name: name.to_owned(), input });
        }
    }

    fn result(&mut self, line: &Value, block: &Value, at: Timestamp) {
        let Some(id) = text(block, "/tool_use_id") else { return };
        let Some(OpenCall { name, input }) = self.calls.remove(id) else { return };
        let seen =
            block.get("content").map(|content| texts(content).join("\n")).unwrap_or_default();
        let mut fields = json!({"tool_name": name, "tool_input": input, "tool_use_id": id});
        if is_set(block, "is_error") && is_refusal(&seen) {
            // The client reports these only with the whole batch.
            fields["tool_response"] = json!(seen);
            return self.add(at, id, "PostToolBatch", json!({"tool_calls": [fields]}));
        }
        if is_set(block, "is_error") {
            fields["error"] = json!(seen);
            return self.add(at, id, "PostToolUseFailure", fields);
        }
        fields["tool_response"] = match line.get("toolUseResult") {
            Some(result) if result.is_object() || result.is_array() => result.clone(),
            _ => as_reported(&name, block, &seen),
        };
        self.add(at, id, "PostToolUse", fields);
    }

    fn system(&mut self, line: &Value, at: Timestamp) {
        if text(line, "/subtype") != Some("compact_boundary") || self.helper.is_some() {
            return;
        }
        let trigger = text(line, "/compactMetadata/trigger").unwrap_or("auto");
        let key = self.key(line);
        self.add(at, &key, "PreCompact", json!({"trigger": trigger}));
        self.add(at, &key, "SessionStart", json!({"source": "compact"}));
    }

    /// Handles a prompt that the user typed while the agent worked.
    fn attachment(&mut self, line: &Value, at: Timestamp) {
        let queued =
            line.get("attachment").filter(|it| text(it, "/type") == Some("queued_command"));
        let Some(queued) = queued.filter(|_| self.helper.is_none()) else { return };
        let prompt = queued.get("prompt").map(texts).unwrap_or_default().join("\n");
        let is_prompt = text(queued, "/commandMode").is_none_or(|mode| mode == "prompt");
        if let Some(prompt) = typed(&prompt).filter(|_| is_prompt) {
            self.prompt(line, at, &prompt, None);
        }
    }

    /// Ends the turn, unless it was broken off.
    fn stop(&mut self, at_end: bool) {
        let Some((at, key, said)) = self.last.take() else { return };
        if self.working && at_end {
            return;
        }
        // Tools that ran after the message come before the end.
        let at = self.at.filter(|_| self.working).unwrap_or(at);
        let event = if self.helper.is_some() { "SubagentStop" } else { "Stop" };
        let fields = json!({"stop_hook_active": false, "last_assistant_message": said});
        self.add(at, &key, event, fields);
    }
}

/// Returns a result in the form that hooks get, from the text that the model saw.
fn as_reported(tool: &str, block: &Value, seen: &str) -> Value {
    match tool {
        "Bash" => json!({"stdout": seen, "stderr": "", "interrupted": false}),
        "Read" => json!({"type": "text", "file": {"content": without_numbers(seen)}}),
        _ if tool.starts_with("mcp__") => block.get("content").cloned().unwrap_or_default(),
        _ => json!({"content": seen}),
    }
}

/// Removes the numbers before the lines of a file, which come with a tab or an arrow.
fn without_numbers(seen: &str) -> String {
    let content = |line: &str| {
        let rest = line.trim_start().trim_start_matches(|digit: char| digit.is_ascii_digit());
        let rest = rest.strip_prefix('\t').or_else(|| rest.strip_prefix('→'));
        rest.unwrap_or(line).to_owned()
    };
    let seen = seen.split("\n\n<system-reminder>").next().unwrap_or(seen);
    seen.lines().map(content).collect::<Vec<_>>().join("\n")
}

fn trimmed(path: &str) -> &str {
    match path.trim_end_matches('/') {
        "" => path,
        trimmed => trimmed,
    }
}
