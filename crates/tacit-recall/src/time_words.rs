//! Time expressions in queries: `yesterday`, `last week`, `3 days ago`, `in March 2026`.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp as Instant, ToSpan};
use tacit_core::{MONTHS, Timestamp};

/// Returns the time window that a query names, end exclusive; `None` if it names none. Days start
/// at midnight UTC.
pub fn time_window(text: &str, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
    let today = Instant::from_millisecond(now.as_millis()).ok()?.to_zoned(TimeZone::UTC).date();
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (from, to) = dates(&words, today)?;
    Some((start_of(from)?, start_of(to)?))
}

fn dates(words: &[&str], today: Date) -> Option<(Date, Date)> {
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| words[before]);
        let after = words.get(at + 1).copied();
        let found = match *word {
            "today" => Some((today, today.tomorrow().ok()?)),
            "yesterday" => Some((today.yesterday().ok()?, today)),
            "week" if before == Some("this") => Some((monday(today)?, today.tomorrow().ok()?)),
            "week" if before == Some("last") => {
                let monday = monday(today)?;
                Some((monday.checked_sub(1.week()).ok()?, monday))
            }
            "month" if before == Some("this") => {
                Some((today.first_of_month(), today.tomorrow().ok()?))
            }
            "month" if before == Some("last") => {
                let first = today.first_of_month();
                Some((first.checked_sub(1.month()).ok()?, first))
            }
            "year" if before == Some("last") => {
                let first = Date::new(today.year(), 1, 1).ok()?;
                Some((first.checked_sub(1.year()).ok()?, first))
            }
            "ago" => before.and_then(|unit| ago(unit, at.checked_sub(2).map(|n| words[n]), today)),
            month if MONTHS.contains(&month) && (month != "may" || before == Some("in")) => {
                month_named(month, after, today)
            }
            date => date
                .parse::<Date>()
                .ok()
                .filter(|_| date.len() == 10)
                .and_then(|date| Some((date, date.tomorrow().ok()?))),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Parses `3 days ago`, with the tolerance that people mean.
fn ago(unit: &str, number: Option<&str>, today: Date) -> Option<(Date, Date)> {
    let number = match number? {
        "a" | "an" | "one" => 1,
        "two" => 2,
        "three" => 3,
        digits => digits.parse::<i64>().ok().filter(|number| (1..=400).contains(number))?,
    };
    let (middle, room) = match unit {
        "day" | "days" => (today.checked_sub(number.days()).ok()?, 0),
        "week" | "weeks" => (today.checked_sub(number.weeks()).ok()?, 3),
        "month" | "months" => (today.checked_sub(number.months()).ok()?, 15),
        _ => return None,
    };
    Some((middle.checked_sub(room.days()).ok()?, middle.checked_add((room + 1).days()).ok()?))
}

/// Returns the named month of the given year, or the last one that has begun.
fn month_named(name: &str, after: Option<&str>, today: Date) -> Option<(Date, Date)> {
    let month = MONTHS.iter().position(|known| *known == name)? as i8 + 1;
    let year = after.and_then(|year| year.parse::<i16>().ok()).filter(|y| (1970..2200).contains(y));
    let year = year.unwrap_or(if month > today.month() { today.year() - 1 } else { today.year() });
    let first = Date::new(year, month, 1).ok()?;
    Some((first, first.checked_add(1.month()).ok()?))
}

fn monday(today: Date) -> Option<Date> {
    let days = today.weekday().since(Weekday::Monday);
    today.checked_sub(i64::from(days).days()).ok()
}

fn start_of(date: Date) -> Option<Timestamp> {
    let midnight = date.to_zoned(TimeZone::UTC).ok()?;
    Timestamp::from_millis(midnight.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_expressions_give_windows() {
        // A Sunday.
        let now: Timestamp = "2026-11-15T10:30:00Z".parse().unwrap();
        for (text, expected) in [
            ("what broke today?", Some(("2026-11-15", "2026-11-16"))),
            ("what did we decide yesterday", Some(("2026-11-14", "2026-11-15"))),
            ("failures this week", Some(("2026-11-09", "2026-11-16"))),
            ("the change from last week", Some(("2026-11-02", "2026-11-09"))),
            ("last month's incident", Some(("2026-10-01", "2026-11-01"))),
            ("last year", Some(("2025-01-01", "2026-01-01"))),
            ("the bug 3 days ago", Some(("2026-11-12", "2026-11-13"))),
            ("two weeks ago", Some(("2026-10-29", "2026-11-05"))),
            ("appointments in March", Some(("2026-03-01", "2026-04-01"))),
            ("in December", Some(("2025-12-01", "2026-01-01"))),
            ("March 2023", Some(("2023-03-01", "2023-04-01"))),
            ("on 2026-02-28", Some(("2026-02-28", "2026-03-01"))),
            ("it may fail", None),
            ("a long time ago", None),
            ("marching orders", None),
            ("", None),
        ] {
            let day = |text: &str| format!("{text}T00:00:00Z").parse::<Timestamp>().unwrap();
            let expected = expected.map(|(from, to)| (day(from), day(to)));
            assert_eq!(time_window(text, now), expected, "{text}");
        }
    }
}
