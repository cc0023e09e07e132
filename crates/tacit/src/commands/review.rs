//! `tacit review`: the queue of memories that wait for a person, and decisions about them.

mod card;
mod draw;
mod list;
mod plain;
mod run;
mod screen;
mod session;
mod verdicts;

use clap::Subcommand;
use tacit_app::review::{
    ReviewQueue, compare_with_code, is_about_changed_code, link_confirmed, note_waiting,
    review_queue,
};
use tacit_app::{AppError, AppResult};
use tacit_engine::{StoreAccess, StoreScope};

use super::flag::FlagArgs;
use super::validate::CheckArgs;
use crate::app::CliApp;
use crate::filter_args::at_least_one;

/// Review memories that wait for a person.
///
/// At a terminal, shows one memory after the other and takes a key for each: y confirms it, n rejects
/// it, e opens it in your editor, w and o flag it as wrong or outdated, d as a duplicate of a memory that
/// you choose, s leaves it for later, u undoes the last decision, ? explains the rest. Each decision is stored at once. Elsewhere, and with
/// --list, lists what waits.
///
/// The queue has memories that were flagged, that contradict others, whose code has changed, that may
/// replace another, that are shown and never used, and that no person has confirmed yet. Those come first
/// whose review is worth most:
/// by the reason, how often they were shown, how certain and how new they are. What is certain and used,
/// and what was noted from a commit, needs no review.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  tacit review                             one memory after the other
  tacit review --list                      what waits, the most valuable first
  tacit review --session                   what the last session used and taught
  tacit review confirm a1b2c3d4            it is right
  tacit review reject a1b2c3d4             it is of no use
  tacit review flag a1b2c3d4 --outdated    it no longer holds
  tacit review fail --summary 'the login page is empty'"
)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    action: Option<ReviewAction>,
    /// Only memories whose code has changed.
    #[arg(long)]
    stale: bool,
    /// List what waits instead of asking.
    #[arg(long, conflicts_with = "plain")]
    list: bool,
    /// Ask line by line instead of on the full screen.
    #[arg(long)]
    plain: bool,
    /// Show what a session used and taught; the last session if none is named.
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "",
          conflicts_with_all = ["stale", "list", "plain", "limit"])]
    session: Option<String>,
    /// Largest number of memories to list [default: 20]; implies --list.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one,
          conflicts_with = "plain")]
    limit: Option<usize>,
}

#[derive(Debug, Subcommand)]
enum ReviewAction {
    Confirm(verdicts::ConfirmArgs),
    Reject(verdicts::RejectArgs),
    Flag(FlagArgs),
    /// Report that the work of a session passed a check.
    ///
    /// Notes of a session become memories when its work passes. Tacit recognises the checks that
    /// agents run themselves (tests, builds, linters); this is for others.
    #[command(after_help = "Examples:
  tacit review pass                                     the session at work here
  tacit review pass --work-unit spec_042/subtask_3

`tacit work qa` reads detailed results of QA.")]
    Pass(CheckArgs),
    /// Report that the work of a session failed a check.
    ///
    /// Tacit learns nothing from work that failed.
    #[command(after_help = "Examples:
  tacit review fail --summary 'the login page is empty'")]
    Fail(CheckArgs),
}

/// The way in which the queue is shown.
enum ReviewMode {
    List,
    Lines,
    FullScreen,
}

impl ReviewArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.action {
            None => self.review(app),
            Some(ReviewAction::Confirm(args)) => args.run(app),
            Some(ReviewAction::Reject(args)) => args.run(app),
            Some(ReviewAction::Flag(args)) => args.run(app),
            Some(ReviewAction::Pass(check)) => check.report(app, true),
            Some(ReviewAction::Fail(check)) => check.report(app, false),
        }
    }

    fn review(self, app: &CliApp) -> AppResult<()> {
        if let Some(session) = &self.session {
            return session::show(app, session);
        }
        let mode = self.mode(app);
        if matches!(mode, ReviewMode::Lines | ReviewMode::FullScreen) {
            app.person_only("review memories")?;
        }
        // If the comparison fails, the queue has the results of the last one.
        let compared = compare_with_code(app).map_err(|error| {
            let problem =
                format!("memories could not be compared with the code: {}", error.message);
            AppError::new(error.code, problem)
                .hint("the list is of the last comparison; `tacit doctor` looks for the cause")
        });
        let mut queue = read_queue(app)?;
        if self.stale {
            queue.items.retain(|item| is_about_changed_code(&item.found.memory));
        }
        if queue.items.is_empty() && !app.json {
            if compared.is_ok() {
                list::print_nothing(app, &queue)?;
            }
            return compared;
        }
        match mode {
            ReviewMode::List => list::print(app, &queue, self.limit.unwrap_or(list::LIMIT))?,
            ReviewMode::Lines => finish(app, plain::review(app, queue.items)?)?,
            ReviewMode::FullScreen => finish(app, screen::review(app, queue.items)?)?,
        }
        app.ui.flush()?;
        compared
    }

    fn mode(&self, app: &CliApp) -> ReviewMode {
        let terminal = &app.terminal;
        let at_terminal = terminal.stdin_is_terminal && terminal.stdout_is_terminal;
        if app.json || self.list || self.limit.is_some() {
            ReviewMode::List
        } else if self.plain {
            ReviewMode::Lines
        } else if !at_terminal || app.environment.agent.is_some() {
            ReviewMode::List
        } else if terminal.is_dumb {
            ReviewMode::Lines
        } else {
            ReviewMode::FullScreen
        }
    }
}

/// Reads the queue, and notes its length for the reminder.
fn read_queue(app: &CliApp) -> AppResult<ReviewQueue> {
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let queue = review_queue(&engine, app.now())?;
    if engine.store(StoreScope::Project).is_some() {
        // The reminder is a convenience; a read-only store must not prevent a review.
        let _ = note_waiting(&app.places, &queue);
    }
    Ok(queue)
}

/// Links what was confirmed to the code, and says what came of the review.
fn finish(app: &CliApp, run: run::ReviewRun<'_>) -> AppResult<()> {
    let tally = run.dialogue.tally();
    drop(run);
    if tally.confirmed > 0 {
        link_confirmed(app)?;
    }
    let waiting = read_queue(app)?.items.len();
    list::print_tally(app, tally, waiting)
}
