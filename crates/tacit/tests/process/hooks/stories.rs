//! Sessions written as stories and replayed through the real hooks: exactly the expected memories are
//! learnt, and exactly the expected lines are shown. The same memories are learnt when the sessions come as
//! transcripts later.
//!
//! A story is a file in `tests/sessions`, one project with several sessions. Its lines:
//!
//! ```text
//! file PATH            a file of the project, its content in the lines below
//! session NAME         begins a session; its end starts maintenance
//! prompt TEXT          the user says something
//! runs COMMAND         a command succeeds, its output in the lines below
//! fails COMMAND        a command fails
//! reads PATH           a file is read
//! edits PATH           a file is edited: lines below with `-` are replaced by those with `+`
//! writes PATH          a file is written
//! commits MESSAGE      everything is committed
//! says TEXT            the agent ends its turn with a message, continued in the lines below
//! stopped COMMAND      the guard denies a command
//! compacts             the context is compacted
//! plans TEXT           the agent writes a plan
//! helper NAME          the lines up to the next `helper` or `session` are those of a subagent
//! tacit ARGUMENTS      the user runs a command; quoted words stay together
//! flags TEXT           the user flags the memory with this text as wrong
//! learnt               the expected memories, one per line, in the lines below
//! shown                the expected lines after failures and before commands
//! fates                the expected fate of every injection of a memory, if the story tells them
//! ```
//!
//! Lines below begin with `| `. With `UPDATE_STORIES=1` the expectations are written instead.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tacit_testkit::env::TestEnv;
use tacit_testkit::story::{StoryStep, steps};

use super::{Agent, Recorder, Told};
use crate::learn::{PAST_FORMS, learnt_from};

/// A project in which a story happens.
struct Stage<'e> {
    env: &'e TestEnv,
    minutes: u32,
    shown: String,
    helper: Option<String>,
    payloads: Recorder,
}

impl<'e> Stage<'e> {
    fn now(&self) -> String {
        let (day, minute) = (self.minutes / 1440, self.minutes % 1440);
        format!("2026-03-{:02}T{:02}:{:02}:00Z", day + 1, minute / 60, minute % 60)
    }

    fn agent(&mut self, session: &str) -> Agent<'e> {
        self.minutes += 1;
        let agent = Agent::new(self.env, session).with("TACIT_NOW", self.now());
        let agent = agent.recorded_by(&self.payloads);
        self.helper.as_ref().map_or_else(|| agent.clone(), |helper| agent.helper(helper))
    }

    /// Runs a command of the user.
    fn run(&mut self, arguments: &[&str]) -> String {
        self.minutes += 1;
        let now = self.now();
        let done = self.env.command().args(arguments).env("TACIT_NOW", now).output();
        let done = done.expect("the binary runs");
        assert!(done.status.success(), "{arguments:?}: {done:?}");
        String::from_utf8(done.stdout).expect("UTF-8")
    }

    fn git(&self, arguments: &[&str]) {
        self.env.git(&self.env.project(), arguments);
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.env.project().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, content).expect("a file");
    }

    /// Keeps the lines that the agent was shown.
    fn keep(&mut self, occasion: &str, told: &Told) {
        let context = told.context.as_deref().unwrap_or_default();
        let told = context.lines().filter(|line| line.trim_start().starts_with('['));
        for line in told {
            let text = line.split_once("] ").map_or(line, |(_, text)| text);
            writeln!(self.shown, "{occasion}: {text}").expect("a string");
        }
    }

    fn play(&mut self, session: &str, step: &StoryStep) {
        let (rest, body) = (step.rest.as_str(), step.body.as_str());
        let project = self.env.project();
        let named = |path: &str| project.join(path).display().to_string();
        match step.word.as_str() {
            "prompt" => drop(self.agent(session).says(&step.text())),
            "runs" | "fails" => {
                let told = self.agent(session).is_about_to(rest);
                self.keep(&format!("before {rest}"), &told);
                let told = match step.word.as_str() {
                    "runs" => self.agent(session).has_run(rest, body),
                    _ => self.agent(session).has_failed(rest, &format!("Exit code 1\n{body}")),
                };
                self.keep(&format!("after {rest}"), &told);
            }
            "reads" => {
                let content = fs::read_to_string(project.join(rest)).unwrap_or_default();
                let input = json!({"file_path": named(rest)});
                self.used(session, "Read", &input, &json!({"file": {"content": content}}));
            }
            "edits" => {
                let part = |mark: char| -> String {
                    let lines = body.lines().filter_map(|line| line.strip_prefix(mark));
                    lines.collect::<Vec<_>>().join("\n")
                };
                let (old, new) = (part('-'), part('+'));
                let before = fs::read_to_string(project.join(rest)).unwrap_or_default();
                assert!(before.contains(&old), "{rest} does not have {old:?}");
                self.write(rest, &before.replacen(&old, &new, 1));
                let input = json!({"file_path": named(rest), "old_string": old, "new_string": new});
                self.used(session, "Edit", &input, &json!({"filePath": named(rest)}));
            }
            "writes" => {
                self.write(rest, body);
                let input = json!({"file_path": named(rest), "content": body});
                self.used(session, "Write", &input, &json!({"filePath": named(rest)}));
            }
            "commits" => {
                self.git(&["add", "-A"]);
                self.git(&["commit", "-qm", rest]);
                let output = format!("[main 1234abc] {rest}\n 1 file changed\n");
                self.agent(session).has_run(&format!("git commit -am '{rest}'"), &output);
            }
            "says" => {
                let message = step.text();
                let fields = json!({"stop_hook_active": false, "last_assistant_message": message});
                self.agent(session).fire("Stop", fields);
            }
            "stopped" => {
                let told = self.agent(session).is_about_to(rest);
                assert!(told.deny.is_some(), "{rest} is denied: {told:?}");
            }
            "compacts" => drop(self.agent(session).starts("compact")),
            "plans" => {
                let input = json!({"todos": [{"content": step.text(), "status": "pending"}]});
                self.used(session, "TodoWrite", &input, &json!({}));
            }
            "helper" if rest.is_empty() => self.helper = None,
            "helper" => {
                self.helper = Some(rest.to_owned());
                self.agent(session).fire("SubagentStart", json!({}));
            }
            "tacit" => {
                let words = rest.split('"').enumerate().flat_map(|(at, part)| match at % 2 {
                    0 => part.split_whitespace().collect::<Vec<_>>(),
                    _ => vec![part],
                });
                self.run(&words.collect::<Vec<_>>());
            }
            "flags" => {
                let listed = self.run(&["list", "--json", "--limit", "1000"]);
                let memories: Vec<Value> = serde_json::from_str(&listed).expect("JSON");
                let has = |memory: &&Value| memory["content"].as_str().unwrap_or("").contains(rest);
                let id = memories.iter().find(has).expect("a memory")["id"].clone();
                self.run(&["flag", id.as_str().expect("an id"), "--wrong"]);
            }
            other => panic!("`{other}` is no word of a story"),
        }
    }

    fn used(&mut self, session: &str, tool: &str, input: &Value, response: &Value) {
        let fields = json!({"tool_name": tool, "tool_input": input, "tool_response": response});
        self.agent(session).fire("PostToolUse", fields);
    }

    fn end(&mut self, session: &str) {
        self.helper = None;
        self.agent(session).fire("SessionEnd", json!({"reason": "other"}));
        let now = self.now();
        let done = self.env.command().args(["maintain"]).env("TACIT_NOW", now).output();
        let done = done.expect("the binary runs");
        assert!(done.status.success(), "{done:?}");
        self.minutes += 1440 - self.minutes % 1440;
    }
}

impl Stage<'_> {
    /// Returns the fate of every injection of a memory, in order.
    fn fates(&mut self) -> String {
        let listed = self.run(&["why", "--shown", "--json", "-n", "100000"]);
        let mut events: Vec<Value> = serde_json::from_str(&listed).expect("JSON");
        events.reverse();
        let mut lines = String::new();
        for event in events {
            // Equal memories are shown in the order of their ids, which differ from run to run.
            let mut of_event = Vec::new();
            for shown in event["shown"].as_array().expect("a list") {
                if shown["memory"].is_null() {
                    continue;
                }
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let fate = match &shown["fate"] {
                    Value::Null => "open".to_owned(),
                    fate => format!("{} ({})", text(fate), text(&shown["fate_why"])),
                };
                let (session, layer) = (text(&event["session"]), text(&shown["layer"]));
                let memory: String = text(&shown["text"]).chars().take(40).collect();
                of_event.push(format!("{session} {layer}: {memory}: {fate}\n"));
            }
            of_event.sort();
            lines.extend(of_event);
        }
        lines
    }
}

/// Replays a story, and compares what was learnt and shown with its expectations.
fn replay(path: &Path) {
    let story = fs::read_to_string(path).expect("a story");
    let env = TestEnv::new(crate::BINARY);
    let mut stage = Stage {
        env: &env,
        minutes: 600,
        shown: String::new(),
        helper: None,
        payloads: Recorder::default(),
    };
    let steps = steps(&story);
    for step in steps.iter().filter(|step| step.word == "file") {
        stage.write(&step.rest, &step.body);
    }
    stage.git(&["add", "-A"]);
    stage.git(&["commit", "-q", "--allow-empty", "-m", "Begin"]);
    env.run(["init", "--no-hooks"]).succeeded();
    env.run(["config", "set", "maintain.auto", "false"]).succeeded();
    // The fates tell what was shown, on machines that are busy too.
    env.run(["config", "set", "timeouts.hook_ms", "10000"]).succeeded();
    let mut session: Option<&str> = None;
    let (mut learnt, mut shown, mut fates) = (String::new(), String::new(), None);
    for step in &steps {
        match step.word.as_str() {
            "file" => {}
            "session" => {
                if let Some(ended) = session {
                    stage.end(ended);
                }
                stage.agent(&step.rest).starts("startup");
                session = Some(&step.rest);
            }
            "learnt" => learnt.clone_from(&step.body),
            "shown" => shown.clone_from(&step.body),
            "fates" => fates = Some(step.body.clone()),
            "tacit" | "flags" if session.is_none() => stage.play("", step),
            _ => stage.play(session.expect("a session before its steps"), step),
        }
    }
    stage.end(session.expect("a session"));
    let found = (learnt_from(&env), stage.shown.clone());
    let judged = fates.is_some().then(|| stage.fates());
    #[expect(clippy::disallowed_methods, reason = "the developer asks for new expectations")]
    let update = std::env::var_os("UPDATE_STORIES").is_some();
    if update {
        let head = story.split("\nlearnt\n").next().unwrap_or(&story).trim_end();
        let body = |text: &str| text.lines().map(|line| format!("| {line}\n")).collect::<String>();
        let mut text = format!("{head}\n\nlearnt\n{}\nshown\n{}", body(&found.0), body(&found.1));
        if let Some(judged) = &judged {
            write!(text, "\nfates\n{}", body(judged)).expect("a string");
        }
        fs::write(path, text).expect("the story is written");
        return;
    }
    assert_eq!(found.0, learnt, "learnt in {}", path.display());
    assert_eq!(found.1, shown, "shown in {}", path.display());
    assert_eq!(judged, fates, "fates in {}", path.display());
    let payloads = stage.payloads.lock().expect("no panic").clone();
    for form in PAST_FORMS {
        let past = (form.learn)(&env, &payloads);
        assert_eq!(past, learnt, "learnt from {} of {}", form.name, path.display());
    }
}

#[test]
fn stories_teach_exactly_what_is_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sessions");
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("stories")
        .map(|entry| entry.expect("a story").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "the stories are there");
    std::thread::scope(|scope| {
        for path in &paths {
            scope.spawn(move || replay(path));
        }
    });
}
