//! `tacit recall`

use serde_json::{Value, json};
use tacit_engine::{Needs, Recall as Question};

use crate::app::App;
use crate::commands::count;
use crate::error::CliResult;
use crate::filter_args::{FilterArgs, at_least_one};
use crate::render;

/// What is known about something.
///
/// Words are matched in any form: `caching` finds `cache`, `token_refresh` finds `tokenRefresh`,
/// and error codes, flags and paths are matched whole. Searches this project's memories and your
/// own.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit recall connection pool
  tacit recall E0308 --type error_pattern
  tacit recall --file src/auth            everything about a directory, newest first
  tacit recall migration --since 2w --json")]
pub(crate) struct Recall {
    /// What to look for; without words, the newest memories that pass the filters.
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
    /// How many at most.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one)]
    limit: Option<usize>,
    #[command(flatten)]
    filter: FilterArgs,
}

impl Recall {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let question = Question {
            query: self.words.join(" "),
            filter: self.filter.filter(app)?,
            limit: self.limit.unwrap_or(app.config().recall_limit as usize),
        };
        let mut engine = app.engine(Needs::Recall)?;
        let answers = engine.recall(&question)?;
        engine.count_shown(&answers);
        drop(engine);
        if app.json {
            let answers = answers.iter().map(|answer| {
                let mut value = render::to_json(&answer.found);
                if let Value::Object(fields) = &mut value {
                    fields.insert("score".into(), json!(answer.score));
                }
                value
            });
            let value = Value::Array(answers.collect());
            return Ok(app.ui.json(&value)?);
        }
        if answers.is_empty() {
            return Ok(app.ui.line("Nothing is known about that.")?);
        }
        let now = app.now();
        for (index, answer) in answers.iter().enumerate() {
            if index > 0 {
                app.ui.line("")?;
            }
            for line in render::answer(&app.ui, &answer.found, now) {
                app.ui.line(line)?;
            }
        }
        if app.ui.interactive {
            app.ui.line("")?;
            app.ui.line(count(answers.len(), "memory", "memories"))?;
        }
        Ok(())
    }
}
