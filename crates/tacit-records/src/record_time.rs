//! Times in records.

use std::fmt;

use tacit_core::{Problem, Timestamp};

/// A time with its original text, so that rewriting a record does not change the line. Two times
/// are equal if they are the same moment.
#[derive(Debug, Clone)]
pub struct RecordTime {
    at: Timestamp,
    text: String,
}

impl RecordTime {
    /// Formats a time in UTC, to the second.
    pub fn of(at: Timestamp) -> RecordTime {
        let whole = Timestamp::from_millis(at.as_millis().div_euclid(1000) * 1000).unwrap_or(at);
        let text = whole.to_string();
        let text = text.strip_suffix(".000Z").map_or(text.clone(), |text| format!("{text}Z"));
        RecordTime { at: whole, text }
    }

    /// Parses a time and keeps its text.
    pub fn parse(text: &str) -> Result<RecordTime, Problem> {
        Ok(RecordTime { at: text.parse()?, text: text.to_owned() })
    }

    /// Returns the time.
    pub fn at(&self) -> Timestamp {
        self.at
    }

    /// Returns the original text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl PartialEq for RecordTime {
    fn eq(&self, other: &RecordTime) -> bool {
        self.at == other.at
    }
}

impl fmt::Display for RecordTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_times_are_in_utc_and_parsed_ones_keep_their_text() {
        let at: Timestamp = "2026-11-15T10:30:00.999Z".parse().unwrap();
        assert_eq!(RecordTime::of(at).as_str(), "2026-11-15T10:30:00Z");
        let theirs = RecordTime::parse("2026-11-15T11:30:00+01:00").unwrap();
        assert_eq!(theirs.as_str(), "2026-11-15T11:30:00+01:00");
        assert_eq!(theirs, RecordTime::of(at));
        assert!(RecordTime::parse("2026-11-15").is_err());
    }

    #[test]
    fn times_before_the_epoch_round_down() {
        let at = Timestamp::from_millis(-1).unwrap();
        assert_eq!(RecordTime::of(at).as_str(), "1969-12-31T23:59:59Z");
    }
}
