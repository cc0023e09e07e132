//! `tacit demo`: plays a story in a repository of its own, through the real hooks.

mod folder;
mod story;

use std::time::Instant;

use serde_json::{Value, json};
use tacit_agents::Reply;
use tacit_app::{AppError, AppResult, Environment, ErrorCode};
use tacit_core::{ColorChoice, Timestamp};

use crate::environment::Terminal;
use crate::render::wrap;
use crate::ui::{Tone, Ui};
use folder::DemoFolder;
use story::{ACTS, DemoAction, FILES, Step};

/// The days between the first step of the story and now.
const DAYS_AGO: i64 = 4;
const MILLIS_PER_MINUTE: i64 = 60_000;
const MILLIS_PER_DAY: i64 = 24 * 60 * MILLIS_PER_MINUTE;

/// The columns in front of texts, where the days are.
const DAY_COLUMNS: usize = 11;

/// The commands that a person who has seen the story types next.
const NEXT: [&str; 4] = [
    "Next: tacit init        in your repository: starts a memory, sets up the agents you use",
    "      tacit review      asks you about what was learnt, one key for each memory",
    "      tacit why         explains what agents were shown",
    "      docs/README.md    an index by task",
];

/// Show Tacit at work in a repository of its own.
///
/// Builds a small repository in a temporary folder, replays sessions of an agent through the real
/// hooks, and shows what is learnt and what agents are shown. Uses no network, and nothing of yours:
/// no settings, no memories, no agents. The folder is deleted at the end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit demo
  tacit demo --keep        then look around, with `tacit list` or `tacit why`")]
pub(crate) struct DemoArgs {
    /// Keep the folder, and print where it is.
    #[arg(long)]
    keep: bool,
}

impl DemoArgs {
    /// Plays and prints the story. Opens no project, because opening one may move its old store.
    pub(crate) fn run(&self, environment: &Environment, json: bool) -> AppResult<()> {
        let ui = Ui::new(&Terminal::read(), ColorChoice::Auto);
        let start = environment.clock.now().as_millis() - DAYS_AGO * MILLIS_PER_DAY;
        let folder = DemoFolder::prepare(environment, &FILES, time(start))?;
        let acts = play(&folder, start)?;
        let kept = match self.keep {
            true => Some(folder.keep()),
            false => folder.delete().map(|()| None)?,
        };
        if json {
            let acts: Vec<Value> = acts.iter().map(PlayedAct::to_json).collect();
            ui.json(&json!({"acts": acts, "kept": kept}))?;
            return ui.flush();
        }
        for (number, act) in acts.iter().enumerate() {
            act.print(&ui, number + 1)?;
            ui.line("")?;
        }
        ui.line(match kept {
            Some(repository) => format!("Kept: {}", repository.display()),
            None => "The repository of this demo is deleted; nothing of yours was used.".to_owned(),
        })?;
        ui.line("")?;
        ui.lines(NEXT)?;
        ui.flush()
    }
}

/// Plays all acts.
fn play(folder: &DemoFolder, start: i64) -> AppResult<Vec<PlayedAct>> {
    let mut player = Player { folder, start, day: "", days: -1, steps: 0, learnt: Vec::new() };
    let mut acts = Vec::new();
    for act in &ACTS {
        let steps: AppResult<_> = act.steps.iter().map(|step| player.play(step)).collect();
        acts.push(PlayedAct { title: act.title, steps: steps? });
    }
    Ok(acts)
}

/// Runs the steps of the story, one after another.
struct Player<'s> {
    folder: &'s DemoFolder,
    /// The time before the first step, in milliseconds.
    start: i64,
    day: &'static str,
    days: i64,
    steps: u32,
    /// The ids of the memories that were learnt so far.
    learnt: Vec<String>,
}

/// An act with what came of its steps.
struct PlayedAct {
    title: &'static str,
    steps: Vec<PlayedStep>,
}

impl PlayedAct {
    fn print(&self, ui: &Ui, number: usize) -> AppResult<()> {
        ui.line(ui.paint(Tone::Strong, &format!("{number}. {}", self.title)))?;
        let mut day = "";
        for step in &self.steps {
            step.print(ui, step.day != day)?;
            day = step.day;
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        let steps: Vec<Value> = self.steps.iter().map(PlayedStep::to_json).collect();
        json!({"title": self.title, "steps": steps})
    }
}

/// A step with what came of it.
struct PlayedStep {
    day: &'static str,
    text: String,
    /// The command that a person typed.
    command: Option<String>,
    /// The output of that command.
    printed: Option<String>,
    /// The memories that were learnt, as `tacit list --json` prints them.
    learnt: Vec<Value>,
    reply: Reply,
    millis: u128,
}

impl Player<'_> {
    fn play(&mut self, step: &Step) -> AppResult<PlayedStep> {
        if step.day != self.day {
            (self.day, self.days) = (step.day, self.days + 1);
        }
        self.steps += 1;
        let minutes = i64::from(self.steps) * MILLIS_PER_MINUTE;
        let at = time(self.start + self.days * MILLIS_PER_DAY + minutes);
        let run = |arguments: &[&str], input: &[u8]| {
            self.folder.run(arguments, input, at, u64::from(self.steps))
        };
        let mut played = PlayedStep {
            day: step.day,
            text: String::new(),
            command: None,
            printed: None,
            learnt: Vec::new(),
            reply: Reply::default(),
            millis: 0,
        };
        if let DemoAction::Edit { file, from, to, .. } = &step.action {
            self.folder.edit(file, from, to)?;
        }
        let began = Instant::now();
        match &step.action {
            DemoAction::Hook(payload) | DemoAction::Edit { payload, .. } => {
                let output = run(&["hook", "claude"], payload.as_bytes())?;
                played.millis = began.elapsed().as_millis();
                played.reply = Reply::from_claude(&output).ok_or_else(|| unexpected(step))?;
            }
            DemoAction::Learn => {
                run(&["maintain", "--quiet"], &[])?;
                played.millis = began.elapsed().as_millis();
                let listed = run(&["list", "--sort", "oldest", "--json"], &[])?;
                let listed = serde_json::from_slice(&listed).map_err(|_| unexpected(step))?;
                played.learnt = self.take_new(listed);
            }
            DemoAction::Tacit(words) => {
                let id = self.learnt.last().map_or("", String::as_str);
                let words: Vec<&str> =
                    words.iter().map(|word| if *word == "{id}" { id } else { word }).collect();
                let output = run(&words, &[])?;
                played.millis = began.elapsed().as_millis();
                played.command = Some(as_typed(&words));
                played.printed = Some(String::from_utf8_lossy(&output).trim_end().to_owned());
            }
        }
        played.text = step.text.replace("{ms}", &played.millis.to_string());
        // The text must not promise what did not come, or hide what did.
        if step.text.ends_with(':') == played.shown().is_empty() {
            return Err(unexpected(step));
        }
        Ok(played)
    }

    /// Returns the memories that Tacit itself has learnt since it was last asked.
    fn take_new(&mut self, listed: Vec<Value>) -> Vec<Value> {
        let is_learnt = |memory: &Value| memory["source"] == "observer_inferred";
        let id = |memory: &Value| memory["short_id"].as_str().unwrap_or_default().to_owned();
        let new: Vec<Value> = listed
            .into_iter()
            .filter(|memory| is_learnt(memory) && !self.learnt.contains(&id(memory)))
            .collect();
        self.learnt.extend(new.iter().map(id));
        new
    }
}

impl PlayedStep {
    /// Returns what was shown to the agent or to the user, line by line.
    fn shown(&self) -> Vec<String> {
        let Reply { context, ask, deny, block, notice } = &self.reply;
        let command = self.command.as_ref().map(|command| format!("$ {command}"));
        let learnt = self.learnt.iter().filter_map(|memory| memory["content"].as_str());
        let texts = [&command, &self.printed, notice, ask, deny, block, context];
        let texts = texts.into_iter().flatten().map(String::as_str).chain(learnt);
        texts.flat_map(str::lines).map(str::to_owned).collect()
    }

    fn print(&self, ui: &Ui, is_new_day: bool) -> AppResult<()> {
        let day = if is_new_day { self.day } else { "" };
        let room = ui.width().saturating_sub(DAY_COLUMNS + 2);
        let days = std::iter::once(day).chain(std::iter::repeat(""));
        let rows = self.text.lines().flat_map(|line| wrap(line, room));
        for (row, day) in rows.zip(days) {
            ui.line(format!("{}{row}", ui.paint(Tone::Dim, &format!("{day:<DAY_COLUMNS$}"))))?;
        }
        let bar = ui.paint(Tone::Good, "│");
        for row in self.shown().iter().flat_map(|line| wrap(line, room)) {
            ui.line(format!("{:DAY_COLUMNS$}{bar} {row}", ""))?;
        }
        Ok(())
    }

    fn to_json(&self) -> Value {
        json!({
            "day": self.day, "text": self.text, "command": self.command, "printed": self.printed,
            "learnt": self.learnt, "shown": self.reply.context, "stopped": self.reply.deny,
            "notice": self.reply.notice, "millis": u64::try_from(self.millis).unwrap_or(u64::MAX),
        })
    }
}

fn time(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis).unwrap_or(Timestamp::MIN)
}

/// Writes a command as one types it in a shell.
fn as_typed(words: &[&str]) -> String {
    let quoted = words.iter().map(|word| match word.contains(' ') {
        true => format!("'{word}'"),
        false => (*word).to_owned(),
    });
    format!("tacit {}", quoted.collect::<Vec<_>>().join(" "))
}

fn unexpected(step: &Step) -> AppError {
    let text = step.text.lines().next().unwrap_or_default().trim_end_matches(':');
    AppError::new(ErrorCode::Failure, format!("the demo went differently at \"{text}\""))
        .hint("run it again; a hook gives up if the machine is very busy")
}
