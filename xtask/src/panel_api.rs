//! Checks the API of the panel against its OpenAPI document with Schemathesis.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::clients::python_packages;
use crate::workspace::{Workspace, run};

/// The requests for a route while fuzzing. The number of requests ends a run, not the time: a slower machine makes
/// the same ones.
const EXAMPLES: &str = "60";
/// The seconds to wait for an answer, far more than any takes.
const REQUEST_SECONDS: &str = "120";
/// Makes the same requests in every run.
const SEED: &str = "24";
/// Rules of texts, such as those of dates and paths, are no part of a schema: a request may be valid by the
/// schema and refused. Wrong tokens are soon answered with 429 instead of the 401 that a check demands; the
/// tests of attacks cover both.
const EXCLUDED: &str = "positive_data_acceptance,ignored_auth";
/// A stream that never ends.
const STREAM: &str = "/api/v1/events";
const START: &str = "from schemathesis.cli import schemathesis; schemathesis()";

/// Sends requests that fit the document, and others that do not, to the real server of a throw-away project.
pub(crate) fn check_api(workspace: &Workspace) -> Result<()> {
    let sources = workspace.root.join("crates/tacit-panel/tests/schemathesis");
    let target = workspace.target()?;
    let directory = target.join("clients/schemathesis");
    let (python, packages) = python_packages(&sources, &directory)?;
    run(&mut workspace.cargo(["build", "--locked", "--package", "tacit"]))?;
    let tacit = target.join("debug").join(format!("tacit{}", std::env::consts::EXE_SUFFIX));
    let panel = RunningPanel::start(&tacit, &directory.join("run"), &sources)?;
    let document = workspace.root.join("crates/tacit-panel/openapi.json");
    let mut command = Command::new(python);
    command.env("PYTHONPATH", packages).current_dir(&panel.directory).args(["-c", START, "run"]);
    command.arg(document).args(["--url", &panel.url]);
    command.args(["--header", &format!("Authorization: Bearer {}", panel.token)]);
    command.args(["--phases", "coverage,fuzzing", "--max-examples", EXAMPLES]);
    command.args(["--seed", SEED, "--generation-database", "none"]);
    // Neither a slow answer nor slow generation is a failure.
    command.args(["--request-timeout", REQUEST_SECONDS, "--suppress-health-check", "all"]);
    command.args(["--exclude-checks", EXCLUDED, "--exclude-path", STREAM]);
    command.args(["--continue-on-failure", "--no-color", "--warnings", "off"]);
    run(&mut command)?;
    panel.stop()
}

/// A panel of a project with a few memories.
struct RunningPanel {
    process: Child,
    directory: PathBuf,
    url: String,
    token: String,
}

impl RunningPanel {
    fn start(tacit: &Path, directory: &Path, sources: &Path) -> Result<RunningPanel> {
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
        let project = directory.join("project");
        fs::create_dir_all(&project)?;
        run(Command::new("git").args(["init", "--quiet"]).current_dir(&project))?;
        let tacit = |arguments: &[&str]| {
            let mut command = Command::new(tacit);
            command.args(arguments).current_dir(&project);
            let settings = [("TACIT_MAINTAIN_AUTO", "false"), ("TACIT_EMBEDDING_PROVIDER", "off")];
            command.env("TACIT_HOME", directory.join("home")).envs(settings);
            command
        };
        run(&mut tacit(&["init", "--no-hooks", "--yes"]))?;
        run(tacit(&["import", "--trust"]).arg(sources.join("memories.jsonl")))?;
        let errors = fs::File::create(directory.join("errors.txt"))?;
        let mut process = tacit(&["panel", "--no-open", "--json"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .context("cannot start the panel")?;
        let mut line = String::new();
        let output = process.stdout.take().context("no output")?;
        BufReader::new(output).read_line(&mut line)?;
        let started: Value = serde_json::from_str(&line).context("the panel did not start")?;
        let address = started["url"].as_str().context("no address")?;
        let (url, token) = address.split_once("/#token=").context("no token")?;
        let (url, token) = (url.to_owned(), token.to_owned());
        Ok(RunningPanel { process, directory: directory.to_owned(), url, token })
    }

    /// Fails if the server has ended, or if it reported anything.
    fn stop(mut self) -> Result<()> {
        if let Some(status) = self.process.try_wait()? {
            bail!("the panel ended ({status})");
        }
        let mut errors = String::new();
        fs::File::open(self.directory.join("errors.txt"))?.read_to_string(&mut errors)?;
        if !errors.is_empty() {
            bail!("the panel reported:\n{errors}");
        }
        Ok(())
    }
}

impl Drop for RunningPanel {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
