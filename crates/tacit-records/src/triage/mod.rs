//! Triage: scores how much a session is worth a record of each category. Pure: a session is lines
//! and counts, from any client.

mod activity;
mod addition;
mod context;
mod draft;
mod lexicon;
pub mod meaning;
pub mod model;
mod phrases;
mod score;
mod verify;

use tacit_core::lines_outside_fences;

use crate::category::RecordCategory;

pub use activity::{Activity, Fix, SessionCommand};
pub use addition::{RecordAddition, addition_to};
pub use context::{MAX_CONTEXT, context_text};
pub use draft::draft_record;
pub use score::{CategoryScore, MatchedLine, categories_to_capture, score_session};
pub use verify::{DraftVerdict, verify};

/// A session, prepared for triage.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriageSession {
    /// The messages, line by line.
    pub lines: Vec<SessionLine>,
    /// The tools, files and commands of the session.
    pub activity: Activity,
}

/// A line of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLine {
    /// The author of the line.
    pub speaker: Speaker,
    /// The text of the line.
    pub text: String,
    /// The category by meaning, if the line was classified and belongs to one.
    pub category: Option<RecordCategory>,
}

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The agent.
    Agent,
    /// A tool that failed.
    Tool,
}

impl Speaker {
    /// Returns the name used in excerpts.
    pub fn as_str(self) -> &'static str {
        match self {
            Speaker::User => "user",
            Speaker::Agent => "agent",
            Speaker::Tool => "tool",
        }
    }
}

impl TriageSession {
    /// Adds a message of the user; the first one sets the goal.
    pub fn add_prompt(&mut self, text: &str) {
        self.activity.exchanges += 1;
        if self.activity.goal.is_none() {
            let first = text.lines().map(str::trim).find(|line| !line.is_empty());
            self.activity.goal = first.map(str::to_owned);
        }
        self.add_message(Speaker::User, text);
    }

    /// Adds a message. Fenced code and output are skipped, except in errors of tools.
    pub fn add_message(&mut self, speaker: Speaker, text: &str) {
        let lines = match speaker {
            Speaker::Tool => text.lines().collect(),
            Speaker::User | Speaker::Agent => lines_outside_fences(text),
        };
        let lines = lines.into_iter().map(str::trim).filter(|line| !line.is_empty());
        self.lines.extend(lines.map(|line| SessionLine {
            speaker,
            text: line.to_owned(),
            category: None,
        }));
    }
}
