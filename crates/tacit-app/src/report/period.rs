//! The period of a report and its division into days or weeks.

use serde::Serialize;
use tacit_core::Timestamp;

const DAY: i64 = 86_400_000;
/// The longest period that is divided into days.
const DAILY: i64 = 14 * DAY;
/// The most parts of a period.
const MAX_PARTS: i64 = 53;

/// The period of a report. Its parts are counted back from the end, so that the last one is whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportPeriod {
    /// The beginning.
    pub since: Timestamp,
    /// The end, which is the time of the report.
    pub until: Timestamp,
    /// The days in each part.
    pub days_per_part: u32,
    /// The beginning of each part; the first may be shorter.
    pub parts: Vec<Timestamp>,
}

impl ReportPeriod {
    /// Divides a period into days, weeks, or as many weeks as keep the number of parts small.
    #[must_use]
    pub fn new(since: Timestamp, until: Timestamp) -> ReportPeriod {
        let span = until.as_millis().saturating_sub(since.as_millis()).max(1);
        let parts_of = |length: i64| (span - 1) / length + 1;
        let days = match span {
            ..=DAILY => 1,
            _ => 7 * parts_of(7 * DAY * MAX_PARTS),
        };
        let count = parts_of(days * DAY);
        let begin = |part: i64| {
            let at = until.as_millis() - (count - part) * days * DAY;
            Timestamp::from_millis(at).map_or(since, |at| at.max(since))
        };
        let parts = (0..count).map(begin).collect();
        ReportPeriod { since, until, days_per_part: u32::try_from(days).unwrap_or(7), parts }
    }

    /// Returns the last days of the calendar, in UTC, one part each; the last one is today.
    #[must_use]
    pub fn days(days: u32, until: Timestamp) -> ReportPeriod {
        let today = until.as_millis() - until.as_millis().rem_euclid(DAY);
        let begin = |back: i64| Timestamp::from_millis(today - back * DAY).unwrap_or(until);
        let parts: Vec<Timestamp> = (0..i64::from(days.max(1))).rev().map(begin).collect();
        ReportPeriod { since: parts[0], until, days_per_part: 1, parts }
    }

    /// Returns the index of the part that contains a time; times outside belong to the nearest part.
    #[must_use]
    pub fn part(&self, at: Timestamp) -> usize {
        self.parts.partition_point(|begin| *begin <= at).saturating_sub(1)
    }

    /// Returns true if a time is in the period.
    #[must_use]
    pub fn contains(&self, at: Timestamp) -> bool {
        self.since <= at && at <= self.until
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn now() -> Timestamp {
        "2026-11-15T10:30:00Z".parse().unwrap()
    }

    #[test]
    fn periods_are_divided_by_their_length() {
        for (days, per_part, parts) in [
            (0.0, 1, 1),
            (1.0, 1, 1),
            (1.5, 1, 2),
            (14.0, 1, 14),
            (15.0, 7, 3),
            (30.0, 7, 5),
            (365.0, 7, 53),
            (3_650.0, 70, 53),
        ] {
            let period = ReportPeriod::new(now().plus_days(-days), now());
            assert_eq!((period.days_per_part, period.parts.len()), (per_part, parts), "{days}");
        }
    }

    #[test]
    fn the_last_part_is_whole() {
        let period = ReportPeriod::new(now().plus_days(-30.0), now());
        assert_eq!(period.parts[0], period.since);
        assert_eq!(period.parts[1], now().plus_days(-28.0));
        assert_eq!(period.part(now().plus_days(-7.0)), 4);
        assert_eq!(period.part(now()), 4);
    }

    #[test]
    fn days_begin_at_midnight() {
        let period = ReportPeriod::days(3, now());
        let begins: Vec<String> = period.parts.iter().map(ToString::to_string).collect();
        let midnight = |day| format!("2026-11-{day}T00:00:00.000Z");
        assert_eq!(begins, [midnight(13), midnight(14), midnight(15)]);
        assert_eq!((period.since, period.until), (period.parts[0], now()));
        assert_eq!(period.part(now().plus_days(-1.0)), 1);
    }

    proptest! {
        #[test]
        fn every_time_has_a_part(span in 0_i64..400_000_000_000, at in 0.0..=1.0_f64) {
            let since = Timestamp::from_millis(now().as_millis() - span).unwrap();
            let period = ReportPeriod::new(since, now());
            prop_assert!(!period.parts.is_empty() && period.parts.len() <= 54);
            prop_assert!(period.parts.is_sorted());
            let at = Timestamp::from_millis(since.as_millis() + (span as f64 * at) as i64).unwrap();
            let part = period.part(at);
            prop_assert!(period.parts[part] <= at);
            prop_assert!(period.parts.get(part + 1).is_none_or(|next| at < *next));
        }
    }
}
