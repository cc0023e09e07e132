//! Plays a story: a home and a project of its own, and a run of the client for each session.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use tacit_testkit::agent_model::{AgentModel, ModelTurn};

use super::client::AgentClient;
use super::request::RequestTexts;
use super::story::{AgentStory, StoryAct, StorySession};

/// The longest time that a turn of a client may take.
const TURN_LIMIT: Duration = Duration::from_secs(90);

/// Estimated bytes per token, as in the budgets of hooks.
const BYTES_PER_TOKEN: usize = 4;

/// The result of a story.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The tokens that hooks showed, by session.
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
    installed: &'a Path,
    folder: &'a Path,
    path: String,
}

impl<'a> Stage<'a> {
    /// Creates an empty repository and the home of a person who has the client.
    pub(crate) fn new(
        client: &'a dyn AgentClient,
        installed: &'a Path,
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
        let stage = Stage { client, installed, folder, path };
        client.settle(&stage.home())?;
        let identity =
            "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n";
        fs::write(stage.home().join(".gitconfig"), identity)?;
        stage.command_line(0, "git init -q")?;
        Ok(stage)
    }

    fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// Plays a story, to its first session that does not work.
    pub(crate) fn play(&self, story: &AgentStory) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        for act in &story.acts {
            match act {
                StoryAct::File { path, content } => {
                    self.write(&self.project().join(path), content)?;
                }
                StoryAct::Tool { name, script } => {
                    let tool = self.folder.join("bin").join(name);
                    self.write(&tool, &format!("#!/bin/sh\n{script}"))?;
                    #[cfg(unix)]
                    {
                        use std::os::unix::fs::PermissionsExt;
                        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755))?;
                    }
                }
                StoryAct::Command { line, command } => self.command_line(*line, command)?,
                StoryAct::Session(session) => {
                    self.session(session, &mut outcome).with_context(|| {
                        format!("line {}: session `{}`", session.line, session.name)
                    })?;
                }
            }
        }
        Ok(outcome)
    }

    fn write(&self, path: &Path, content: &str) -> Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        fs::write(path, content).with_context(|| format!("cannot write `{}`", path.display()))
    }

    /// Gives a command the environment of the story and nothing else of the machine.
    fn settle<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command
            .current_dir(self.project())
            .env("PATH", &self.path)
            .env("HOME", self.home())
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

    /// Runs the client for a session, and checks the requests of its model.
    fn session(&self, session: &StorySession, outcome: &mut Outcome) -> Result<()> {
        let model = AgentModel::start(self.turns(session));
        let shown_before = self.client.shown(&self.home())?.len();
        self.converse(session, &model)?;
        let requests = model.requests();
        let log = self.folder.join("logs").join(format!("{}.requests.json", session.name));
        self.write(&log, &serde_json::to_string_pretty(&requests)?)?;
        let shown = self.client.shown(&self.home())?;
        let shown = shown.get(shown_before..).unwrap_or_default();
        outcome.tokens.push(bytes(shown).div_ceil(BYTES_PER_TOKEN));
        let moments = || session.prompts.iter().flat_map(|prompt| &prompt.moments);
        if requests.len() != moments().count() {
            let (expected, found) = (moments().count(), requests.len());
            bail!("the model got {found} requests, the story has {expected}");
        }
        let mut before = RequestTexts::default();
        for (moment, request) in moments().zip(&requests) {
            let request = RequestTexts::of(request);
            outcome.problems.extend(
                moment
                    .checks
                    .iter()
                    .filter_map(|check| request.problem(check, &before, self.client)),
            );
            before = request;
        }
        Ok(())
    }

    /// Returns the answers of the model: each call answers the request before it.
    fn turns(&self, session: &StorySession) -> Vec<ModelTurn> {
        let mut turns = Vec::new();
        for prompt in &session.prompts {
            let calls = prompt.moments.iter().filter_map(|moment| moment.call.as_ref());
            turns.extend(
                calls.map(|call| ModelTurn::Calls(self.client.call(call, &self.project()))),
            );
            turns.push(ModelTurn::Says(prompt.says.clone().unwrap_or_else(|| "Done.".to_owned())));
        }
        if session.is_killed {
            turns.pop();
            turns.push(ModelTurn::Stalls);
        }
        turns
    }

    /// Starts the client and gives it the prompts, each when the turn before has ended.
    fn converse(&self, session: &StorySession, model: &AgentModel) -> Result<()> {
        let mut command = self.client.command(self.installed, &self.home(), &model.base())?;
        let log = |kind: &str| self.folder.join("logs").join(format!("{}.{kind}", session.name));
        let mut client = Running::start(
            self.settle(&mut command).stderr(fs::File::create(log("stderr"))?),
            fs::File::create(log("stdout"))?,
        )?;
        let mut requests = 0;
        for (at, prompt) in session.prompts.iter().enumerate() {
            requests += prompt.moments.len();
            client.send(&self.client.prompt(&prompt.text))?;
            if session.is_killed && at + 1 == session.prompts.len() {
                if !model.wait_for_requests(requests, TURN_LIMIT) {
                    bail!("the model got {} requests, not {requests}", model.requests().len());
                }
                return client.kill();
            }
            client.wait_for(|line| self.client.ends_turn(line))?;
        }
        client.finish()
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

/// A client that is running; it is killed if it is dropped before its end.
#[derive(Debug)]
struct Running {
    child: Child,
    lines: Receiver<String>,
}

impl Running {
    /// Starts a client, and copies its output to a file.
    fn start(command: &mut Command, mut log: fs::File) -> Result<Running> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the client")?;
        let output = child.stdout.take().context("the client has an output")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // The log is for people, and the session may have failed already.
                drop(writeln!(log, "{line}"));
                drop(sender.send(line));
            }
        });
        Ok(Running { child, lines })
    }

    fn send(&mut self, line: &str) -> Result<()> {
        let input = self.child.stdin.as_mut().context("the client has an input")?;
        writeln!(input, "{line}").and_then(|()| input.flush()).context("the client has ended")
    }

    /// Waits for a line of output.
    fn wait_for(&self, is_expected: impl Fn(&str) -> bool) -> Result<()> {
        let end = Instant::now() + TURN_LIMIT;
        let mut last = String::new();
        loop {
            match self.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if is_expected(&line) => return Ok(()),
                Ok(line) => last = line,
                Err(RecvTimeoutError::Timeout) => bail!("the turn did not end in time"),
                Err(RecvTimeoutError::Disconnected) => bail!("the client has ended: {last:.400}"),
            }
        }
    }

    /// Closes the input and waits for the end.
    fn finish(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let end = Instant::now() + TURN_LIMIT;
        // The output ends with the client.
        while self.lines.recv_timeout(end.saturating_duration_since(Instant::now())).is_ok() {}
        if Instant::now() >= end {
            bail!("the client did not end in time");
        }
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the client failed ({status})");
        }
        Ok(())
    }

    fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail if the client has ended.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
