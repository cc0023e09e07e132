//! `tacit proactive`

use serde_json::Value;
use tacit_app::question;
use tacit_app::{AppError, AppResult};
use tacit_engine::{RecallRequest, RecallResults};

use super::recall::{explain_omitted, in_words, to_json};
use crate::app::App;
use crate::filter_args::at_least_one;
use crate::render;
use crate::ui::Tone;

/// How many memories are put before an agent at once.
const LIMIT: usize = 3;

/// What an agent would be told about a text, nobody having asked.
///
/// Only what is clearly about it and has proved true: verified, or learnt at least twice, and not
/// about things that are gone. Mostly that is nothing. Unlike `tacit recall`, it does not count as
/// a use of what it shows.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit proactive \"the workers leak sockets after the fork\"
  tacit proactive why does checkout retry --explain
  tacit proactive \"$(git log -1 --format=%B)\" --json")]
pub(crate) struct Proactive {
    /// What the agent is told or is about to do.
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// How many at most.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one,
          default_value_t = LIMIT)]
    limit: usize,
    /// Show why each is told, and what was left out.
    #[arg(long)]
    explain: bool,
}

impl Proactive {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        let text = self.text.join(" ");
        if text.trim().is_empty() {
            return Err(AppError::usage("there is no text")
                .hint("tacit proactive \"what the agent is about to do\""));
        }
        // Taken apart as a prompt is, so that the answer is the one an agent would get.
        let query = question(&text).query();
        let question = query.map(|query| RecallRequest::proactive(query, self.limit));
        let answers = match &question {
            None => RecallResults::default(),
            Some(question) => app.engine_to_ask(question)?.recall(question)?,
        };
        if app.json {
            let shown = answers.shown.iter().map(|answer| to_json(answer, None, self.explain));
            return app.ui.json(&Value::Array(shown.collect()));
        }
        if answers.shown.is_empty() {
            app.ui.line("Nothing: an agent would not be interrupted.")?;
        }
        let now = app.now();
        for (index, answer) in answers.shown.iter().enumerate() {
            if index > 0 {
                app.ui.line("")?;
            }
            app.ui.lines(render::answer(&app.ui, &answer.found, now))?;
            if let (true, Some(why)) = (self.explain, &answer.why) {
                let why = format!("  {}", in_words(answer.score, why));
                app.ui.line(app.ui.paint(Tone::Dim, &why))?;
            }
        }
        if self.explain {
            explain_omitted(app, &answers.omitted)?;
        }
        Ok(())
    }
}
