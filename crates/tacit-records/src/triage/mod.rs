//! When a session is worth a record, and what of it to look at. Pure: a session comes in as lines
//! and counts, whatever client wrote it.

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

use tacit_core::outside_fences;

use crate::category::RecordCategory;

pub use activity::{Activity, CommandRun, Fix};
pub use addition::{RecordAddition, addition_to};
pub use context::{MAX_CONTEXT, context_text};
pub use draft::draft_record;
pub use score::{CategoryScore, MatchedLine, categories_to_capture, score_session};
pub use verify::{DraftVerdict, verify};

/// A session, as far as it matters here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriageSession {
    /// What was said, line by line.
    pub lines: Vec<SessionLine>,
    /// How much happened.
    pub activity: Activity,
}

/// A line that somebody said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLine {
    /// Who.
    pub speaker: Speaker,
    /// What.
    pub text: String,
    /// The category it means, if somebody looked and it means one.
    pub category: Option<RecordCategory>,
}

/// Who said something.
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
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Speaker::User => "user",
            Speaker::Agent => "agent",
            Speaker::Tool => "tool",
        }
    }
}

impl TriageSession {
    /// The user asked for something; what was asked for first is the goal.
    pub fn add_prompt(&mut self, text: &str) {
        self.activity.exchanges += 1;
        if self.activity.goal.is_none() {
            let first = text.lines().map(str::trim).find(|line| !line.is_empty());
            self.activity.goal = first.map(str::to_owned);
        }
        self.add_message(Speaker::User, text);
    }

    /// Adds what somebody said. What stands in fences is code or output, not speech, and is left
    /// out, except where a tool failed.
    pub fn add_message(&mut self, speaker: Speaker, text: &str) {
        let lines = match speaker {
            Speaker::Tool => text.lines().collect(),
            Speaker::User | Speaker::Agent => outside_fences(text),
        };
        let lines = lines.into_iter().map(str::trim).filter(|line| !line.is_empty());
        self.lines.extend(lines.map(|line| SessionLine {
            speaker,
            text: line.to_owned(),
            category: None,
        }));
    }
}
