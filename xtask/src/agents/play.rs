//! Plays a story: a home and a project of its own, and a run of the client for each session.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tacit_testkit::agent_model::{AgentModel, ModelTurn, RequestTexts};

use super::client::{AgentClient, PromptInput, StoryFolders, write};
use super::request::problem;
use super::running::{Running, TURN_LIMIT};
use super::story::{AgentStory, StoryAct, StorySession};
use super::terminal::answer;

/// Estimated bytes per token, as in the budgets of hooks.
const BYTES_PER_TOKEN: usize = 4;

/// The result of a story.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The tokens that hooks showed, by session, if the client logs them.
    pub(crate) tokens: Vec<usize>,
    pub(crate) problems: Vec<String>,
}

impl Outcome {
    /// Creates the result of a story that could not be played.
    pub(crate) fn failed(problem: String) -> Outcome {
        Outcome { tokens: Vec::new(), problems: vec![problem] }
    }
}

/// The folders in which a story is played with a client.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    client: &'a dyn AgentClient,
    folder: &'a Path,
    folders: StoryFolders,
    path: String,
}

impl<'a> Stage<'a> {
    /// Creates an empty repository and the home of a person who has the client.
    pub(crate) fn new(
        client: &'a dyn AgentClient,
        installed: &Path,
        tacit: &Path,
        folder: &'a Path,
    ) -> Result<Stage<'a>> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        for name in ["home", "project", "bin", "logs"] {
            fs::create_dir_all(folder.join(name))?;
        }
        let binaries = tacit.parent().context("the binary has a folder")?;
        let machine = "/usr/local/bin:/usr/bin:/bin";
        let path = format!("{}:{}:{machine}", folder.join("bin").display(), binaries.display());
        let folders = StoryFolders {
            installed: installed.to_owned(),
            home: folder.join("home"),
            project: folder.join("project"),
        };
        let stage = Stage { client, folder, folders, path };
        client.settle(&stage.folders)?;
        for (path, content) in client.settings() {
            write(&stage.folders.project.join(path), content)?;
        }
        let identity =
            "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n";
        write(&stage.folders.home.join(".gitconfig"), identity)?;
        stage.command_line(0, "git init -q")?;
        Ok(stage)
    }

    /// Plays a story, to its first session that does not work.
    pub(crate) fn play(&self, story: &AgentStory) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        for act in &story.acts {
            match act {
                StoryAct::File { path, content } => {
                    write(&self.folders.project.join(path), content)?;
                }
                StoryAct::Tool { name, script } => {
                    let tool = self.folder.join("bin").join(name);
                    write(&tool, &format!("#!/bin/sh\n{script}"))?;
                    #[cfg(unix)]
                    {
                        use std::os::unix::fs::PermissionsExt;
                        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755))?;
                    }
                }
                StoryAct::Command { line, command } => self.command_line(*line, command)?,
                StoryAct::Trust { line } => {
                    self.trust().with_context(|| format!("line {line}: `trusts`"))?;
                }
                StoryAct::Session(session) => {
                    self.session(session, &mut outcome).with_context(|| {
                        format!("line {}: session `{}`", session.line, session.name)
                    })?;
                }
            }
        }
        Ok(outcome)
    }

    /// Gives a command the environment of the story and nothing else of the machine.
    fn settle<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .current_dir(&self.folders.project)
            .env("PATH", &self.path)
            .env("HOME", &self.folders.home)
            .env("USER", "ada")
            .env("LANG", "C.UTF-8")
            .env("SHELL", "/bin/bash")
            .env("TMPDIR", std::env::temp_dir())
            // Stories run maintenance themselves, so that they know when it is done.
            .env("TACIT_MAINTAIN_AUTO", "false")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
    }

    /// Runs a command of the story, which must succeed.
    fn command_line(&self, line: usize, command: &str) -> Result<()> {
        let mut shell = Command::new("sh");
        let shell = self.settle(shell.env_clear().args(["-c", command]).stdin(Stdio::null()));
        let output = shell.output().context("cannot run `sh`")?;
        if !output.status.success() {
            // `tacit remember --jsonl` reports its refusals on standard output.
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            bail!("line {line}: `{command}` failed ({}): {said}", output.status);
        }
        Ok(())
    }

    /// Answers the client's question about the hooks of the project.
    fn trust(&self) -> Result<()> {
        let Some(question) = self.client.question(&self.folders)? else { return Ok(()) };
        let settle = |command: &mut Command| {
            self.settle(command);
        };
        answer(&question, settle, || self.client.is_answered(&self.folders))
    }

    /// Runs the client for a session, and checks the requests of its model.
    fn session(&self, session: &StorySession, outcome: &mut Outcome) -> Result<()> {
        let model = AgentModel::start(self.turns(session));
        let home = &self.folders.home;
        let shown_before = self.client.shown(home)?.unwrap_or_default().len();
        let conversed = self.converse(session, &model);
        let requests = model.requests();
        let bodies: Vec<&Value> = requests.iter().map(|request| &request.body).collect();
        write(&self.log(session, "requests.json"), &serde_json::to_string_pretty(&bodies)?)?;
        conversed?;
        if let Some(shown) = self.client.shown(home)? {
            let shown = shown.get(shown_before..).unwrap_or_default();
            outcome.tokens.push(bytes(shown).div_ceil(BYTES_PER_TOKEN));
        }
        let moments = || session.prompts.iter().flat_map(|prompt| &prompt.moments);
        if requests.len() != moments().count() {
            let (expected, found) = (moments().count(), requests.len());
            bail!("the model got {found} requests, the story has {expected}");
        }
        let mut before = &RequestTexts::default();
        for (moment, request) in moments().zip(&requests) {
            let checks = moment.checks.iter();
            outcome.problems.extend(
                checks.filter_map(|check| problem(&request.texts, before, check, self.client)),
            );
            before = &request.texts;
        }
        Ok(())
    }

    /// Returns the path of a log of a session.
    fn log(&self, session: &StorySession, kind: &str) -> PathBuf {
        self.folder.join("logs").join(format!("{}.{kind}", session.name))
    }

    /// Returns the answers of the model: each call answers the request before it.
    fn turns(&self, session: &StorySession) -> Vec<ModelTurn> {
        let mut turns = Vec::new();
        for prompt in &session.prompts {
            let calls = prompt.moments.iter().filter_map(|moment| moment.call.as_ref());
            turns.extend(
                calls.map(|call| ModelTurn::Calls(self.client.call(call, &self.folders.project))),
            );
            turns.push(ModelTurn::Says(prompt.says.clone().unwrap_or_else(|| "Done.".to_owned())));
        }
        if session.is_killed {
            turns.pop();
            turns.push(ModelTurn::Stalls);
        }
        turns
    }

    /// Gives the client the prompts, each when the turn before has ended.
    fn converse(&self, session: &StorySession, model: &AgentModel) -> Result<()> {
        let mut client = None;
        let mut requests = 0;
        for (at, prompt) in session.prompts.iter().enumerate() {
            requests += prompt.moments.len();
            let mut running = match client.take() {
                Some(running) => running,
                None => self.start(session, at, model)?,
            };
            if let PromptInput::Lines { line, .. } = self.client.prompts() {
                running.send(&line(&prompt.text))?;
            }
            if session.is_killed && at + 1 == session.prompts.len() {
                if !model.wait_for_requests(requests, TURN_LIMIT) {
                    bail!("the model got {} requests, not {requests}", model.requests().len());
                }
                return running.kill();
            }
            match self.client.prompts() {
                PromptInput::Lines { ends_turn, .. } => {
                    running.wait_for(ends_turn)?;
                    client = Some(running);
                }
                PromptInput::Arguments(_) => running.finish()?,
            }
        }
        client.map_or(Ok(()), Running::finish)
    }

    /// Starts the client for the session, or for one of its prompts.
    fn start(&self, session: &StorySession, at: usize, model: &AgentModel) -> Result<Running> {
        let mut command = self.client.command(&self.folders, &model.base())?;
        if let PromptInput::Arguments(arguments) = self.client.prompts() {
            command.args(arguments(&session.prompts[at].text, at > 0));
        }
        let append = |kind: &str| {
            fs::OpenOptions::new().create(true).append(true).open(self.log(session, kind))
        };
        let stderr = append("stderr")?;
        Running::start(self.settle(&mut command).stderr(stderr), append("stdout")?)
    }
}

/// Returns the bytes of all texts in the values.
fn bytes(values: &[Value]) -> usize {
    let of = |value: &Value| match value {
        Value::String(text) => text.len(),
        Value::Array(values) => bytes(values),
        _ => 0,
    };
    values.iter().map(of).sum()
}
