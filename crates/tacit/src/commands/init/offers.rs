//! Offers to learn from what a project had before its memory. A further source is a row of `OFFERS`.

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::learn::git::{self, LearnRequest};
use tacit_app::learn::transcripts::{self, TranscriptRequest};

use crate::app::CliApp;
use crate::commands::learn::{git as commits, transcripts as past_sessions};
use crate::commands::{count, count_large};

/// Something to learn from.
struct Offer {
    /// The command that does it later.
    command: &'static str,
    /// Measures what there is to learn from; `None` if there is nothing.
    measure: fn(&CliApp) -> AppResult<Option<Measured>>,
    /// Learns, and says what came of it.
    learn: fn(&CliApp) -> AppResult<String>,
}

/// A measured source to learn from.
struct Measured {
    /// In words, such as `1,083 commits`.
    what: String,
    /// The time that it takes, such as `about 2 s`.
    time: String,
    /// True if it is enough to ask about. A user who accepts beforehand is not asked.
    is_worth_asking: bool,
}

/// The offers, in the order in which they are made.
const OFFERS: &[Offer] = &[
    Offer {
        command: "tacit learn git",
        measure: measure_commits,
        learn: |app| Ok(commits::summary(&git::learn(app, LearnRequest::default())?, false)),
    },
    Offer {
        command: "tacit learn transcripts",
        measure: measure_sessions,
        learn: |app| {
            let request = TranscriptRequest::default();
            Ok(past_sessions::summary(&transcripts::learn_transcripts(app, &request)?))
        },
    },
];

/// Shorter histories teach too little to ask about.
const MIN_COMMITS: usize = 20;

/// The outcome of an offer.
pub(super) struct OfferOutcome {
    command: &'static str,
    measured: Measured,
    /// A summary of the lessons; `None` if the offer was declined, or could not be made.
    learnt: Option<String>,
    /// True if the user declined it.
    is_declined: bool,
}

impl OfferOutcome {
    /// Returns what was learnt.
    pub(super) fn in_words(&self) -> Option<String> {
        self.learnt.clone()
    }

    /// Returns the command for later, if there was nobody to ask.
    pub(super) fn next(&self) -> Option<String> {
        let Measured { what, time, .. } = &self.measured;
        let is_open = self.learnt.is_none() && !self.is_declined;
        is_open.then(|| format!("{}    # {what}, {time}", self.command))
    }

    pub(super) fn to_json(&self) -> Value {
        let Measured { what, time, .. } = &self.measured;
        json!({"command": self.command, "from": what, "time": time, "learnt": self.learnt})
    }
}

/// Makes the offers: asks at a terminal, unless `accept` answers for the user or `quiet` forbids to ask.
/// If one fails, the project is set up all the same.
pub(super) fn make_offers(app: &CliApp, accept: bool, quiet: bool) -> AppResult<Vec<OfferOutcome>> {
    let may_ask = !quiet && !app.json && app.ui.interactive && app.terminal.stdin_is_terminal;
    let mut outcomes = Vec::new();
    for Offer { command, measure, learn } in OFFERS {
        let measured = match measure(app) {
            Ok(Some(measured)) if accept || measured.is_worth_asking => measured,
            Ok(_) => continue,
            Err(error) => {
                app.watcher.warn(&error.message);
                continue;
            }
        };
        let mut outcome = OfferOutcome { command, measured, learnt: None, is_declined: false };
        let is_accepted = accept || {
            let Measured { what, time, .. } = &outcome.measured;
            may_ask && app.ui.ask(&format!("Learn from {what} ({time})?"))?
        };
        if is_accepted {
            match learn(app) {
                Ok(learnt) => outcome.learnt = Some(learnt),
                Err(error) => app.watcher.warn(&error.message),
            }
        } else {
            outcome.is_declined = may_ask;
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

fn measure_commits(app: &CliApp) -> AppResult<Option<Measured>> {
    Ok(git::estimate(app)?.map(|estimate| Measured {
        what: count_large(estimate.commits, "commit", "commits"),
        time: estimate.in_words(),
        is_worth_asking: estimate.commits >= MIN_COMMITS,
    }))
}

fn measure_sessions(app: &CliApp) -> AppResult<Option<Measured>> {
    let estimate = transcripts::estimate(app);
    Ok((estimate.sessions > 0).then(|| Measured {
        what: count(estimate.sessions, "past session", "past sessions"),
        time: estimate.in_words(),
        is_worth_asking: true,
    }))
}
