//! Triggers for commands: finds the project's decision files and opens their sections.

use std::path::Path;

use tacit_core::Config;
use tacit_triggers::add::AddError;
use tacit_triggers::files::{FilesError, TriggerLayout, load};
use tacit_triggers::migrate::MigrateError;
use tacit_triggers::{Corpus, Operator, ResolveError, ResolvedSection, resolve};

use crate::app::App;
use crate::error::{AppError, AppResult, ErrorCode};

/// The maximum number of problems listed.
const SHOWN: usize = 20;

/// Returns where the trigger files of the current worktree are.
pub fn layout(app: &App, config: &Config) -> TriggerLayout {
    layout_at(app.worktree(), config)
}

/// Returns where the trigger files below a root are.
pub(crate) fn layout_at(root: &Path, config: &Config) -> TriggerLayout {
    let names = |text: &str| -> Vec<String> {
        text.split(',')
            .map(|name| name.trim().trim_start_matches("./").trim_end_matches('/').to_owned())
            .filter(|name| !name.is_empty())
            .collect()
    };
    TriggerLayout {
        root: root.to_path_buf(),
        decisions: names(&config.triggers_decisions),
        indexes: names(&config.triggers_index),
    }
}

/// Loads the indexes and decision files.
pub fn corpus(app: &App, config: &Config) -> AppResult<Corpus> {
    Ok(load(&layout(app, config))?)
}

/// Opens the section that a trigger names. Opens no store and loads no model.
pub fn open(
    app: &App,
    config: &Config,
    operator: Operator,
    query: &str,
) -> AppResult<Result<ResolvedSection, ResolveError>> {
    let corpus = corpus(app, config)?;
    if corpus.indexes.is_empty() && corpus.documents.is_empty() {
        return Err(no_index(config));
    }
    Ok(resolve(&corpus, operator, query))
}

/// Creates the error for a project without an index.
pub fn no_index(config: &Config) -> AppError {
    let path = &config.triggers_index;
    AppError::new(ErrorCode::NotFound, format!("there is no trigger index at `{path}`")).hint(
        "create one with `tacit triggers add`, or set its path with `tacit config set triggers.index FILE`",
    )
}

impl From<FilesError> for AppError {
    fn from(error: FilesError) -> AppError {
        let message = error.to_string();
        match error {
            FilesError::Read { .. } | FilesError::Write { .. } => {
                AppError::new(ErrorCode::Failure, message)
                    .hint("check that it is a file, and its permissions and those of its directory")
            }
            FilesError::Changed { .. } => AppError::new(ErrorCode::Refused, message)
                .hint("nothing was changed; run the command again"),
            FilesError::Busy { .. } => {
                AppError::new(ErrorCode::Busy, message).hint("nothing was changed; try again")
            }
        }
    }
}

impl From<AddError> for AppError {
    fn from(error: AddError) -> AppError {
        let message = error.to_string();
        match error {
            AddError::Naming { .. } => AppError::usage(message)
                .hint("a trigger is two to five words of plain prose that an agent would type"),
            AddError::Exists { .. } => AppError::new(ErrorCode::Refused, message)
                .hint("nothing was written; edit the existing section, or use another trigger"),
            AddError::NotUnique { .. } => AppError::new(ErrorCode::Refused, message).hint(
                "nothing was written; `tacit triggers compress HEADING` suggests a unique trigger",
            ),
            AddError::NoSuchHeading { .. } => AppError::new(ErrorCode::NotFound, message)
                .hint("`tacit when ..FILE` shows the file"),
            AddError::NoIndex
            | AddError::NotADecisionFile { .. }
            | AddError::HeadingInBody { .. } => AppError::usage(message),
        }
    }
}

impl From<MigrateError> for AppError {
    fn from(error: MigrateError) -> AppError {
        let message = error.to_string();
        let (lines, hint) = match error {
            MigrateError::NothingToDo => return AppError::new(ErrorCode::Refused, message),
            MigrateError::Unclear { problems } => (
                problems,
                "nothing was changed; every entry needs a heading with the same words as its key, or `--map ENTRY=drop`",
            ),
            MigrateError::Invalid { issues } => (
                issues.iter().map(ToString::to_string).collect(),
                "nothing was changed; use `--map` to choose other triggers",
            ),
        };
        let more = lines.len().saturating_sub(SHOWN);
        let mut listed: String =
            lines.iter().take(SHOWN).map(|line| format!("\n  {line}")).collect();
        if more > 0 {
            listed.push_str(&format!("\n  and {more} more"));
        }
        AppError::new(ErrorCode::Refused, format!("{message}:{listed}")).hint(hint)
    }
}
