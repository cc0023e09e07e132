//! Time as a value: the domain never reads the system clock.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::field::Problem;

/// A UTC time with millisecond precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest time that can be written as text.
    pub const MIN: Timestamp = Timestamp(-62_135_596_800_000);
    /// The latest time that can be written as text.
    pub const MAX: Timestamp = Timestamp(253_402_207_200_000);

    /// Creates a time from milliseconds since 1970; `None` outside the years 1 to 9999.
    pub fn from_millis(millis: i64) -> Option<Timestamp> {
        let moment = Timestamp(millis);
        (Timestamp::MIN..=Timestamp::MAX).contains(&moment).then_some(moment)
    }

    /// Returns the milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// Adds a number of days, clamped to the valid range.
    pub fn plus_days(self, days: f64) -> Timestamp {
        let millis = self.0.saturating_add((days * 86_400_000.0) as i64);
        Timestamp(millis.clamp(Timestamp::MIN.0, Timestamp::MAX.0))
    }

    /// Returns the days since `earlier`; negative if it is later.
    pub fn days_since(self, earlier: Timestamp) -> f64 {
        self.0.saturating_sub(earlier.0) as f64 / 86_400_000.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(moment) => write!(f, "{moment:.3}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

impl FromStr for Timestamp {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Timestamp, Problem> {
        text.parse::<jiff::Timestamp>()
            .ok()
            .and_then(|moment| Timestamp::from_millis(moment.as_millisecond()))
            .ok_or_else(|| Problem::unexpected(text, "a UTC time such as 2026-11-15T10:30:00Z"))
    }
}

impl TryFrom<String> for Timestamp {
    type Error = Problem;

    fn try_from(text: String) -> Result<Timestamp, Problem> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> String {
        moment.to_string()
    }
}

/// A source of the current time.
pub trait Clock {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_survive_a_text_round_trip() {
        for text in ["2026-11-15T10:30:00.000Z", "0001-01-01T00:00:00.000Z"] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
        assert_eq!(Timestamp::MAX.to_string().parse(), Ok(Timestamp::MAX));
        assert_eq!(Timestamp::MIN.to_string().parse(), Ok(Timestamp::MIN));
    }

    #[test]
    fn timestamps_are_cut_to_milliseconds() {
        let moment: Timestamp = "2026-11-15T10:30:00.123456Z".parse().unwrap();
        assert_eq!(moment.to_string(), "2026-11-15T10:30:00.123Z");
    }

    #[test]
    fn errors_quote_the_invalid_text() {
        let problem = "yesterday".parse::<Timestamp>().unwrap_err();
        assert!(problem.to_string().contains("`yesterday`"), "{problem}");
    }
}
