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
mod statement;
mod verify;

use tacit_core::{
    PromptPart, is_client_note, lines_outside_fences, open_points, own_words, prompt_parts,
};

use crate::category::RecordCategory;

pub use activity::{Activity, CheckRun, Fix};
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
    /// Adds a message of the user, without what the client added and what was pasted.
    pub fn add_prompt(&mut self, text: &str) {
        self.activity.exchanges += 1;
        self.activity.requests.add_prompt(text);
        let own = own_words(text);
        let written = prompt_parts(&own).into_iter().filter_map(|part| match part {
            PromptPart::Written(text) => Some(text),
            PromptPart::Pasted(_) => None,
        });
        let written: Vec<&str> = written.collect();
        // A plan or a document is not what the user says; it begins with a heading.
        let words: Vec<&str> = written
            .iter()
            .flat_map(|part| part.lines())
            .take_while(|line| !is_heading(line.trim()))
            .collect();
        self.add_message(Speaker::User, &words.join("\n"));
    }

    /// Adds the last message of an agent in a turn.
    pub fn add_last_message(&mut self, text: &str) {
        self.activity.open_points = open_points(text);
        self.add_message(Speaker::Agent, text);
    }

    /// Adds a message. Fenced code and output are skipped, except in errors of tools; headings and
    /// notes of clients always.
    pub fn add_message(&mut self, speaker: Speaker, text: &str) {
        let lines = match speaker {
            Speaker::Tool => text.lines().collect(),
            Speaker::User | Speaker::Agent => lines_outside_fences(text),
        };
        let lines = lines.into_iter().map(str::trim);
        let lines = lines.filter(|line| {
            !line.is_empty()
                && !is_client_note(line)
                && (speaker == Speaker::Tool || !is_heading(line))
        });
        self.lines.extend(lines.map(|line| SessionLine {
            speaker,
            text: line.to_owned(),
            category: None,
        }));
    }
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
}
