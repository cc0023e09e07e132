//! Time as a value: the domain never asks the machine what time it is.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::field::Problem;

/// A moment in UTC with millisecond precision, which is what the store keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest moment that can be written as text.
    pub const MIN: Timestamp = Timestamp(-62_135_596_800_000);
    /// The latest moment that can be written as text.
    pub const MAX: Timestamp = Timestamp(253_402_207_200_000);

    /// A moment from milliseconds since 1970, or `None` outside the years 1 to 9999.
    pub fn from_millis(millis: i64) -> Option<Timestamp> {
        let moment = Timestamp(millis);
        (Timestamp::MIN..=Timestamp::MAX).contains(&moment).then_some(moment)
    }

    /// Milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// This moment moved by a number of days, held at the ends of the calendar.
    pub fn plus_days(self, days: f64) -> Timestamp {
        let millis = self.0.saturating_add((days * 86_400_000.0) as i64);
        Timestamp(millis.clamp(Timestamp::MIN.0, Timestamp::MAX.0))
    }

    /// Days from `earlier` to this moment; negative when `earlier` is later.
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

/// Where the present moment comes from.
pub trait Clock {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        for text in ["2026-11-15T10:30:00.000Z", "0001-01-01T00:00:00.000Z"] {
            assert_eq!(text.parse::<Timestamp>().unwrap().to_string(), text);
        }
        assert_eq!(Timestamp::MAX.to_string().parse(), Ok(Timestamp::MAX));
        assert_eq!(Timestamp::MIN.to_string().parse(), Ok(Timestamp::MIN));
    }

    #[test]
    fn finer_than_a_millisecond_is_cut() {
        let moment: Timestamp = "2026-11-15T10:30:00.123456Z".parse().unwrap();
        assert_eq!(moment.to_string(), "2026-11-15T10:30:00.123Z");
    }

    #[test]
    fn nonsense_is_named() {
        let problem = "yesterday".parse::<Timestamp>().unwrap_err();
        assert!(problem.to_string().contains("`yesterday`"), "{problem}");
    }
}
