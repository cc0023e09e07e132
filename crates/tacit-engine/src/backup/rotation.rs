//! The choice of backups to keep.
//!
//! Backups are ordered by a number that only grows, never by the clock: a clock that jumps forward
//! or back must not make good backups look old.

use std::collections::BTreeSet;

use tacit_core::Timestamp;

const DAY: i64 = 86_400_000;

/// Returns the day of a time, in days since 1970 (UTC).
pub(super) fn day_of(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(DAY)
}

/// Returns the week of a day, from Monday on.
fn week_of(day: i64) -> i64 {
    // 1970 began on a Thursday.
    (day + 3).div_euclid(7)
}

/// Returns the backups to keep, by number: the last of each of the `daily` days that were backed up
/// last, and the last of each of the `weekly` weeks.
pub(super) fn kept(backups: &[(u64, Timestamp)], daily: usize, weekly: usize) -> BTreeSet<u64> {
    let mut newest_first = backups.to_vec();
    newest_first.sort_unstable_by_key(|(number, _)| std::cmp::Reverse(*number));
    let mut kept = BTreeSet::new();
    let (mut days, mut weeks) = (BTreeSet::new(), BTreeSet::new());
    for (number, at) in newest_first {
        let day = day_of(at);
        if days.len() < daily && days.insert(day) {
            kept.insert(number);
        }
        if weeks.len() < weekly && weeks.insert(week_of(day)) {
            kept.insert(number);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("{text}T09:00:00Z").parse().unwrap()
    }

    fn daily_from(first: &str, count: u64) -> Vec<(u64, Timestamp)> {
        let first = at(first);
        (0..count).map(|day| (day + 1, first.plus_days(day as f64))).collect()
    }

    #[test]
    fn seven_days_and_four_weeks_are_kept() {
        // 2026-11-02 is a Monday; the last backup is of Tuesday, 2026-12-01.
        let kept: Vec<u64> = kept(&daily_from("2026-11-02", 30), 7, 4).into_iter().collect();
        // Sundays are the last days of their weeks.
        assert_eq!(kept, [14, 21, 24, 25, 26, 27, 28, 29, 30]);
    }

    #[test]
    fn few_backups_are_all_kept() {
        for count in 0..=7 {
            assert_eq!(kept(&daily_from("2026-11-02", count), 7, 4).len() as u64, count);
        }
    }

    #[test]
    fn a_clock_that_jumped_forward_displaces_one_backup() {
        let mut backups = daily_from("2026-11-02", 7);
        backups.push((8, at("2099-01-01")));
        backups.push((9, at("2026-11-09")));
        let kept = kept(&backups, 7, 4);
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn a_clock_that_jumps_back_and_forth_displaces_few() {
        let mut backups = daily_from("2026-11-02", 7);
        for number in (8..108).step_by(2) {
            backups.push((number, at("2020-01-01")));
            backups.push((number + 1, at("2026-11-09")));
        }
        let kept = kept(&backups, 7, 4);
        assert_eq!(kept.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6, 7, 106, 107]);
    }

    #[test]
    fn weeks_begin_on_monday() {
        let (sunday, monday) = (day_of(at("2026-11-08")), day_of(at("2026-11-09")));
        assert_eq!(week_of(monday), week_of(sunday) + 1);
        assert_eq!(week_of(monday), week_of(monday + 6));
    }
}
