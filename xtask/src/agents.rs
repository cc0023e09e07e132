//! `cargo xtask agents`: real agent clients play stories, and the requests to their model are checked.
//!
//! The stories are in `crates/tacit/tests/agents/`; [`story`] explains their lines. [`client`] is the
//! table of clients.

mod claude_code;
mod client;
mod codex;
mod copilot;
mod gemini;
mod opencode;
mod play;
mod request;
mod running;
mod story;
mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::builder::PossibleValuesParser;

use crate::agents::client::{AgentClient, CLIENTS};
use crate::agents::play::{Outcome, Stage};
use crate::agents::story::AgentStory;
use crate::table::{Align, Table, seconds};
use crate::tools::answers;
use crate::workspace::{Workspace, run};

/// The folder of the stories and of the pinned clients.
const STORIES: &str = "crates/tacit/tests/agents";

/// The file whose steps begin every story.
const PROJECT: &str = "project.txt";

/// The maximum median of tokens that a session with default settings is shown, in the project of the
/// stories.
const MEDIAN_TOKENS: usize = 300;

/// Play stories with real agent clients against a fake model.
///
/// The clients are installed beside the build, in the versions that are pinned in
/// `crates/tacit/tests/agents/`. Needs Node.js with npm, and Linux on x64 for some of them. Where Linux
/// allows it, the clients run in a network namespace in which only the fake model can be reached.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Agents {
    /// Stories with one of these words in their names [default: all].
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// A client to leave out.
    #[arg(long, value_name = "CLIENT", value_parser = client_names())]
    without: Vec<String>,

    /// A client that plays; the others are left out [default: all].
    #[arg(long, value_name = "CLIENT", value_parser = client_names())]
    only: Vec<String>,

    /// The folder for projects, logs and requests, which is kept [default: a temporary one].
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,

    /// The installed clients; set when the command runs itself in a network namespace.
    #[arg(long, hide = true, value_name = "FOLDER")]
    installed: Option<PathBuf>,

    /// The binary to test; set with `--installed`.
    #[arg(long, hide = true, value_name = "FILE")]
    tacit: Option<PathBuf>,
}

/// A story and a client that plays it.
type Play<'s> = (&'static dyn AgentClient, &'s AgentStory);

fn client_names() -> PossibleValuesParser {
    PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name()))
}

/// Plays all stories with all clients.
pub(crate) fn agents(workspace: &Workspace) -> Result<()> {
    Agents::default().run(workspace)
}

impl Agents {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let sources = workspace.root.join(STORIES);
        let stories = self.stories(&sources)?;
        let plays = self.plays(&stories);
        if plays.is_empty() {
            bail!("no story has such a name, or its clients are left out");
        }
        match (&self.installed, &self.tacit) {
            (Some(installed), Some(tacit)) => self.play(&plays, installed, tacit),
            _ => self.prepare(workspace, &plays, &sources),
        }
    }

    /// Returns every story with every client that plays it.
    fn plays<'s>(&self, stories: &'s [AgentStory]) -> Vec<Play<'s>> {
        let has = |names: &[String], client: &dyn AgentClient| {
            names.iter().any(|name| name == client.name())
        };
        let takes_part = |client: &dyn AgentClient| {
            !has(&self.without, client) && (self.only.is_empty() || has(&self.only, client))
        };
        let clients = CLIENTS.iter().filter(|client| takes_part(**client));
        clients
            .flat_map(|client| stories.iter().map(move |story| (*client, story)))
            .filter(|(client, story)| has(&story.clients, *client))
            .collect()
    }

    /// Installs the clients, builds the binary, and plays the stories in a process without a
    /// network.
    fn prepare(&self, workspace: &Workspace, plays: &[Play<'_>], sources: &Path) -> Result<()> {
        let target = workspace.target()?;
        let installed = target.join("agents");
        let mut names: Vec<&str> = plays.iter().map(|(client, _)| client.name()).collect();
        // The plays of a client are neighbours.
        names.dedup();
        for name in names {
            crate::clients::npm_packages(&sources.join(name), &installed.join(name)).with_context(
                || format!("cannot install {name}; `--without {name}` leaves it out"),
            )?;
        }
        run(&mut workspace.cargo(["build", "--locked", "--package", "tacit"]))?;
        let tacit = target.join("debug").join(format!("tacit{}", std::env::consts::EXE_SUFFIX));
        let mut command = offline(&std::env::current_exe()?);
        command.arg("agents").args(&self.names);
        command.args(self.without.iter().flat_map(|name| ["--without", name.as_str()]));
        command.args(self.only.iter().flat_map(|name| ["--only", name.as_str()]));
        command.args(self.work.iter().flat_map(|work| [Path::new("--work"), work.as_path()]));
        command.arg("--installed").arg(installed).arg("--tacit").arg(tacit);
        run(&mut command)
    }

    /// Plays the stories.
    fn play(&self, plays: &[Play<'_>], installed: &Path, tacit: &Path) -> Result<()> {
        let temporary = tempfile::tempdir()?;
        let work = self.work.as_deref().unwrap_or(temporary.path());
        fs::create_dir_all(work)?;
        // Without symbolic links, so that paths in stories are those that clients report.
        let work = work.canonicalize()?;
        let outcomes = side_by_side(plays, |number, (client, story)| {
            let folder = work.join(format!("{}-{:02}", client.name(), number + 1));
            let begin = Instant::now();
            let installed = installed.join(client.name());
            let stage = Stage::new(*client, &installed, tacit, &folder);
            let outcome = stage.and_then(|stage| stage.play(story));
            let outcome = outcome.unwrap_or_else(|error| Outcome::failed(format!("{error:#}")));
            let state = if outcome.problems.is_empty() { "passed" } else { "FAILED" };
            eprintln!("{state} {} {}: {}", client.name(), story.file, story.title);
            (outcome, begin.elapsed())
        });
        let mut table = Table::new([
            ("client", Align::Left),
            ("story", Align::Left),
            ("result", Align::Left),
            ("tokens shown, by session", Align::Right),
            ("time", Align::Right),
        ]);
        let mut problems = String::new();
        let mut tokens = Vec::new();
        for ((client, story), (outcome, elapsed)) in plays.iter().zip(&outcomes) {
            let counts: Vec<String> = outcome.tokens.iter().map(usize::to_string).collect();
            let result = if outcome.problems.is_empty() { "passed" } else { "failed" };
            table.row([
                client.name().to_owned(),
                format!("{}: {}", story.file, story.title),
                result.to_owned(),
                counts.join(" "),
                seconds(*elapsed),
            ]);
            // A story that turns a layer off says nothing about what people see.
            if story.keeps_settings() {
                tokens.extend(&outcome.tokens);
            }
            for problem in &outcome.problems {
                problems.push_str(&format!("\n{}, {}, {problem}\n", client.name(), story.file));
            }
        }
        println!("{table}{problems}");
        let median = median(tokens);
        if median > 0 {
            println!(
                "median of tokens shown per session with default settings: {median} (at most \
                 {MEDIAN_TOKENS})"
            );
        }
        let failed = outcomes.iter().filter(|(o, _)| !o.problems.is_empty()).count();
        if failed > 0 {
            bail!("{failed} of {} stories failed", plays.len());
        }
        if self.names.is_empty() && median > MEDIAN_TOKENS {
            bail!("sessions are shown {median} tokens in the median");
        }
        Ok(())
    }

    /// Reads the stories to play, in the order of their files.
    fn stories(&self, sources: &Path) -> Result<Vec<AgentStory>> {
        let entries = fs::read_dir(sources)?.map(|entry| entry.map(|entry| entry.path()));
        let mut paths: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "txt"));
        paths.sort();
        let project = fs::read_to_string(sources.join(PROJECT))?;
        let mut stories = Vec::new();
        for path in paths.iter().filter(|path| !path.ends_with(PROJECT)) {
            let file = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let found = story::read(&file, &project, &fs::read_to_string(path)?)
                .with_context(|| format!("`{}`", path.display()))?;
            let named = |story: &AgentStory, name: &String| {
                story.file.contains(name) || story.title.contains(name)
            };
            stories.extend(found.into_iter().filter(|story| {
                self.names.is_empty() || self.names.iter().any(|name| named(story, name))
            }));
        }
        Ok(stories)
    }
}

/// Returns a command for a program without a network where Linux allows that, and with one elsewhere.
fn offline(program: &Path) -> Command {
    const LOOPBACK: &str = "ip link set lo up || ifconfig lo up";
    // As root, or as any user in a namespace of users.
    for options in ["-n", "-rn"] {
        if answers(Command::new("unshare").args([options, "sh", "-c", LOOPBACK])) {
            let mut command = Command::new("unshare");
            let script = format!("{{ {LOOPBACK}; }} && exec \"$@\"");
            command.args([options, "sh", "-c", &script, "sh"]).arg(program);
            return command;
        }
    }
    eprintln!("note: no network namespace is available; the clients run with the network");
    Command::new(program)
}

/// Runs work on as many threads as there are cores; the results have the order of the items.
fn side_by_side<I: Sync, R: Send>(items: &[I], work: impl Fn(usize, &I) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    let result = work(at, item);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Returns the lower median; 0 of nothing.
fn median(mut values: Vec<usize>) -> usize {
    values.sort_unstable();
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stories_of_the_repository_are_readable() {
        let all = Agents::default();
        let stories = all.stories(&Workspace::here().root.join(STORIES)).unwrap();
        assert!(!stories.is_empty());
        let named = Agents { names: vec!["danger".into()], ..Agents::default() };
        let some = named.stories(&Workspace::here().root.join(STORIES)).unwrap();
        assert!(some.len() < stories.len());
    }

    #[test]
    fn the_median_is_the_lower_one() {
        assert_eq!(median(vec![]), 0);
        assert_eq!(median(vec![9, 1, 5]), 5);
        assert_eq!(median(vec![1, 2, 3, 4]), 2);
    }

    #[test]
    fn results_have_the_order_of_the_items() {
        let items: Vec<usize> = (0..50).collect();
        assert_eq!(
            side_by_side(&items, |at, item| at + item),
            (0..100).step_by(2).collect::<Vec<_>>()
        );
    }
}
