//! The report of a recall measurement.

use serde::Serialize;

use crate::transcript::LineCounts;

/// The way an entry was used, the strongest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EntryUse {
    ActedOn,
    Read,
    Invoked,
}

/// Opportunities and uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct UseCounts {
    /// The number of sessions in which an entry would have been useful.
    pub opportunities: usize,
    /// The number of opportunities in which it was invoked.
    pub invoked: usize,
    /// The number of opportunities in which its section was read.
    pub read: usize,
    /// The number of opportunities in which it was injected and acted on.
    pub acted_on: usize,
}

impl UseCounts {
    pub(crate) fn count(&mut self, used: Option<EntryUse>) {
        self.opportunities += 1;
        match used {
            Some(EntryUse::Invoked) => self.invoked += 1,
            Some(EntryUse::Read) => self.read += 1,
            Some(EntryUse::ActedOn) => self.acted_on += 1,
            None => {}
        }
    }

    pub(crate) fn add(&mut self, other: UseCounts) {
        self.opportunities += other.opportunities;
        self.invoked += other.invoked;
        self.read += other.read;
        self.acted_on += other.acted_on;
    }

    /// Returns the number of used opportunities.
    pub fn uses(&self) -> usize {
        self.invoked + self.read + self.acted_on
    }

    /// Returns the share of used opportunities; `None` if there were none.
    pub fn recall(&self) -> Option<f64> {
        (self.opportunities > 0).then(|| self.uses() as f64 / self.opportunities as f64)
    }
}

/// The result of a measurement.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecallReport {
    /// The counts of all entries.
    pub total: UseCounts,
    /// The counts per entry, in the order of the index.
    pub entries: Vec<EntryRecall>,
    /// The counts per session, the earliest first.
    pub sessions: Vec<SessionRecall>,
    /// The counts per day.
    pub days: Vec<DayRecall>,
    /// The number of invocations that no entry answers.
    pub unresolved: usize,
    /// The lines read from transcripts.
    pub lines: LineCounts,
}

/// The counts of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryRecall {
    /// The entry.
    pub entry: String,
    /// The file.
    pub file: String,
    /// The numbers.
    #[serde(flatten)]
    pub counts: UseCounts,
}

/// The counts of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionRecall {
    /// The session.
    pub session: String,
    /// The day it began.
    pub day: String,
    /// The numbers.
    #[serde(flatten)]
    pub counts: UseCounts,
}

/// The counts of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DayRecall {
    /// The day.
    pub day: String,
    /// The number of sessions that began on it.
    pub sessions: usize,
    /// The numbers.
    #[serde(flatten)]
    pub counts: UseCounts,
}
