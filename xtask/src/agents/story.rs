//! The stories that agent clients play.
//!
//! A file has several stories, each in a project of its own. Every story begins with the steps of
//! `project.txt` and those before the first `story` of its file:
//!
//! ```text
//! story TITLE          begins a story
//! clients NAMES        the clients that play, or `all`; without it, Claude Code
//! file PATH            a file of the project, its content in the lines below
//! tool NAME            a program on the path of the client, a shell script in the lines below
//! $ COMMAND            a shell command in the project, which must succeed
//! trusts               the user answers the client's question whether it may run the project's hooks
//! session NAME         starts the client; it ends before the next line of those above
//! prompt TEXT          the user says something
//! runs COMMAND         the model runs a shell command
//! reads PATH           the model reads a file
//! writes PATH          the model writes a file
//! edits PATH           the model edits a file: lines below with `-` are replaced by those with `+`
//! asks TOOL JSON       the model calls a tool of Tacit's MCP server
//! says TEXT            the model ends its turn; without it, it says "Done."
//! killed               the client is killed while it waits for the model
//! shown TEXT           what comes before puts TEXT in front of the model, in its next request
//! result TEXT          the result of the tool contains TEXT
//! hidden TEXT          TEXT is nowhere in the model's next request
//! silent               what comes before makes no hook say anything
//! ```

use anyhow::{Result, bail};
use serde_json::Value;
use tacit_testkit::story::{StoryStep, steps};

use super::claude_code::ClaudeCode;
use super::client::{AgentClient, CLIENTS};

/// A project and the sessions in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AgentStory {
    /// The name of its file.
    pub(crate) file: String,
    pub(crate) title: String,
    /// The names of the clients that play it.
    pub(crate) clients: Vec<String>,
    pub(crate) acts: Vec<StoryAct>,
}

/// A part of a story.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StoryAct {
    File { path: String, content: String },
    Tool { name: String, script: String },
    Command { line: usize, command: String },
    Trust { line: usize },
    Session(StorySession),
}

/// A run of the client.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StorySession {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) prompts: Vec<StoryPrompt>,
    pub(crate) is_killed: bool,
}

/// A prompt and the model's turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StoryPrompt {
    pub(crate) text: String,
    /// The prompt itself, then every call; each leads to a request.
    pub(crate) moments: Vec<StoryMoment>,
    pub(crate) says: Option<String>,
}

/// A prompt or a call, with the checks of the request that follows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StoryMoment {
    pub(crate) call: Option<StoryCall>,
    pub(crate) checks: Vec<RequestCheck>,
}

/// A tool call in the words of no client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum StoryCall {
    Shell(String),
    Read(String),
    Write { path: String, content: String },
    Edit { path: String, old: String, new: String },
    Mcp { tool: String, arguments: Value },
}

/// A check of a request to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestCheck {
    pub(crate) line: usize,
    pub(crate) expected: ExpectedText,
}

/// A text that a request must have or must not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedText {
    Shown(String),
    Result(String),
    Hidden(String),
    Silent,
}

/// Reads the stories of a file. Each begins with the steps of the project, and then with those that
/// the file has before its first story.
pub(crate) fn read(file: &str, project: &str, text: &str) -> Result<Vec<AgentStory>> {
    let mut before = AgentStory {
        file: file.to_owned(),
        title: String::new(),
        clients: vec![ClaudeCode.name().to_owned()],
        acts: Vec::new(),
    };
    for step in steps(project) {
        before.take(step)?;
    }
    let mut stories: Vec<AgentStory> = Vec::new();
    for step in steps(text) {
        if step.word == "story" {
            stories.push(AgentStory { title: step.rest, ..before.clone() });
        } else {
            stories.last_mut().unwrap_or(&mut before).take(step)?;
        }
    }
    let checks = |story: &AgentStory| story.sessions().any(StorySession::is_checked);
    if let Some(story) = stories.iter().find(|story| !checks(story)) {
        bail!("`{}` checks nothing", story.title);
    }
    Ok(stories)
}

impl AgentStory {
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &StorySession> {
        self.acts.iter().filter_map(|act| match act {
            StoryAct::Session(session) => Some(session),
            _ => None,
        })
    }

    /// Returns true if the story keeps the default settings.
    pub(crate) fn keeps_settings(&self) -> bool {
        let sets = |act: &StoryAct| matches!(act, StoryAct::Command { command, .. } if command.contains("tacit config set"));
        !self.acts.iter().any(sets)
    }

    /// Adds a step.
    fn take(&mut self, step: StoryStep) -> Result<()> {
        let line = step.line;
        match step.word.as_str() {
            "clients" => self.clients = clients(&step)?,
            "file" => self.acts.push(StoryAct::File { path: step.rest, content: step.body }),
            "tool" => self.acts.push(StoryAct::Tool { name: step.rest, script: step.body }),
            "$" => self.acts.push(StoryAct::Command { line, command: step.text() }),
            "trusts" => self.acts.push(StoryAct::Trust { line }),
            "session" => self.acts.push(StoryAct::Session(StorySession {
                line,
                name: step.rest,
                ..StorySession::default()
            })),
            _ => match self.acts.last_mut() {
                Some(StoryAct::Session(session)) => session.take(&step)?,
                _ => bail!("line {line}: `{}` outside of a session", step.word),
            },
        }
        Ok(())
    }
}

impl StorySession {
    fn is_checked(&self) -> bool {
        let mut moments = self.prompts.iter().flat_map(|prompt| &prompt.moments);
        moments.any(|moment| !moment.checks.is_empty())
    }

    fn take(&mut self, step: &StoryStep) -> Result<()> {
        let (line, word) = (step.line, step.word.as_str());
        if self.is_killed {
            bail!("line {line}: `{word}` after the client was killed");
        }
        if word == "prompt" {
            let moments = vec![StoryMoment::default()];
            self.prompts.push(StoryPrompt { text: step.text(), moments, says: None });
            return Ok(());
        }
        let Some(prompt) = self.prompts.last_mut() else {
            bail!("line {line}: `{word}` before a prompt");
        };
        if word == "killed" {
            self.is_killed = true;
            return Ok(());
        }
        if let Some(expected) = expected(step)? {
            if matches!(&expected, ExpectedText::Shown(text) if prompt.text.contains(text)) {
                bail!("line {line}: the prompt itself has this text");
            }
            if let Some(moment) = prompt.moments.last_mut() {
                moment.checks.push(RequestCheck { line, expected });
            }
            return Ok(());
        }
        if prompt.says.is_some() {
            bail!("line {line}: `{word}` after the end of the turn");
        }
        if word == "says" {
            prompt.says = Some(step.text());
        } else {
            let call = Some(call(step)?);
            prompt.moments.push(StoryMoment { call, checks: Vec::new() });
        }
        Ok(())
    }
}

/// Reads the names of clients.
fn clients(step: &StoryStep) -> Result<Vec<String>> {
    let known = || CLIENTS.iter().map(|client| client.name());
    if step.rest == "all" {
        return Ok(known().map(str::to_owned).collect());
    }
    let names: Vec<String> = step.rest.split_whitespace().map(str::to_owned).collect();
    match names.iter().find(|name| known().all(|known| known != name.as_str())) {
        Some(name) => bail!("line {}: `{name}` is no client", step.line),
        None => Ok(names),
    }
}

/// Reads a check; `None` if the step is none.
fn expected(step: &StoryStep) -> Result<Option<ExpectedText>> {
    let text = step.text();
    let is_check = ["shown", "result", "hidden", "silent"].contains(&step.word.as_str());
    // An empty text would be in every request.
    if is_check && text.is_empty() != (step.word == "silent") {
        bail!("line {}: `{}` needs a text, `silent` has none", step.line, step.word);
    }
    Ok(match step.word.as_str() {
        "shown" => Some(ExpectedText::Shown(text)),
        "result" => Some(ExpectedText::Result(text)),
        "hidden" => Some(ExpectedText::Hidden(text)),
        "silent" => Some(ExpectedText::Silent),
        _ => None,
    })
}

fn call(step: &StoryStep) -> Result<StoryCall> {
    let path = step.rest.clone();
    Ok(match step.word.as_str() {
        "runs" => StoryCall::Shell(step.text()),
        "reads" => StoryCall::Read(path),
        "writes" => StoryCall::Write { path, content: step.body.clone() },
        "edits" => {
            let part = |mark: char| {
                let lines = step.body.lines().filter_map(|line| line.strip_prefix(mark));
                lines.collect::<Vec<_>>().join("\n")
            };
            StoryCall::Edit { path, old: part('-'), new: part('+') }
        }
        "asks" => {
            let (tool, arguments) = step.rest.split_once(' ').unwrap_or((&step.rest, "{}"));
            StoryCall::Mcp { tool: tool.to_owned(), arguments: serde_json::from_str(arguments)? }
        }
        other => bail!("line {}: `{other}` is no word of a story", step.line),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_begins_with_the_project_and_the_head_of_its_file() {
        let text = "tool make\nstory One\nsession a\nprompt Hi\nshown x\nstory Two\nsession b\nprompt Hi\nsilent\n";
        let stories = read("f", "file a.txt\n| a\n$ tacit init\n", text).unwrap();
        assert_eq!(stories.len(), 2);
        for story in &stories {
            let command = StoryAct::Command { line: 3, command: "tacit init".into() };
            assert_eq!(story.acts[1], command);
            let tool = StoryAct::Tool { name: "make".into(), script: String::new() };
            assert_eq!(story.acts[2], tool);
            assert_eq!(story.sessions().count(), 1);
        }
    }

    #[test]
    fn a_changed_setting_is_noticed() {
        let text = "story One\nsession a\nprompt Hi\nsilent\n";
        assert!(read("f", "$ tacit init", text).unwrap()[0].keeps_settings());
        assert!(!read("f", "$ tacit config set a.b 0", text).unwrap()[0].keeps_settings());
    }

    #[test]
    fn stories_are_for_claude_code_unless_they_say_otherwise() {
        let story = "story One\nsession a\nprompt Hi\nsilent\n";
        let clients =
            |head: &str| read("f", "", &format!("{head}{story}")).unwrap().remove(0).clients;
        assert_eq!(clients(""), ["claude-code"]);
        assert_eq!(clients("clients opencode\n"), ["opencode"]);
        assert_eq!(clients("clients all\n").len(), CLIENTS.len());
        let text = format!("{story}clients claude-code\nstory Two\nsession a\nprompt Hi\nsilent\n");
        let stories = read("f", "clients all", &text).unwrap();
        assert_eq!(stories[0].clients, ["claude-code"]);
        assert_eq!(stories[1].clients.len(), CLIENTS.len());
    }

    #[test]
    fn checks_belong_to_the_call_before_them() {
        let text =
            "story One\nsession a\nprompt Hi\nsilent\nruns ls\nshown x\nresult y\nsays Bye\n";
        let story = read("f", "", text).unwrap().remove(0);
        let prompt = &story.sessions().next().unwrap().prompts[0];
        assert_eq!(prompt.says.as_deref(), Some("Bye"));
        let lines = |at: usize| -> Vec<usize> {
            prompt.moments[at].checks.iter().map(|check| check.line).collect()
        };
        assert_eq!((lines(0), lines(1)), (vec![4], vec![6, 7]));
        assert_eq!(prompt.moments[1].call, Some(StoryCall::Shell("ls".into())));
    }

    #[test]
    fn malformed_stories_are_rejected() {
        for (text, message) in [
            ("prompt Hi\n", "line 1: `prompt` outside of a session"),
            ("story One\nprompt Hi\n", "outside of a session"),
            ("clients nobody\n", "line 1: `nobody` is no client"),
            ("story One\nsession a\nshown x\n", "before a prompt"),
            ("story One\nsession a\nprompt Hi\nshown\n", "needs a text"),
            ("story One\nsession a\nprompt Hi\nsilent x\n", "needs a text"),
            ("story One\nsession a\nprompt Hi\nshown Hi\n", "the prompt itself"),
            ("story One\nsession a\nprompt Hi\nsees x\n", "no word of a story"),
            ("story One\nsession a\nprompt Hi\nsays x\nruns y\n", "after the end of the turn"),
            ("story One\nsession a\nprompt Hi\nkilled\nshown x\n", "after the client was killed"),
            ("story One\nsession a\nprompt Hi\n", "checks nothing"),
        ] {
            let error = read("f", "", text).unwrap_err().to_string();
            assert!(error.contains(message), "{text:?}: {error}");
        }
    }
}
