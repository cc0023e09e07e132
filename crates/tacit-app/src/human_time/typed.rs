//! Times as people type them: `yesterday`, `last week`, `3d`, `november 2025`. Pure.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp as Instant};
use tacit_core::{MONTHS, Timestamp};

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];

const NUMBERS: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
];

/// Reads a time, or `None` if it is none of the known forms.
pub(super) fn read(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(date) = text.parse::<Date>()
        && !text.contains(['T', 't'])
    {
        return start_of(date);
    }
    if let Ok(moment) = text.parse() {
        return Some(moment);
    }
    let words = words(text)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let today = Instant::from_millisecond(now.as_millis()).ok()?.to_zoned(TimeZone::UTC).date();
    match words.as_slice() {
        ["now"] => Some(now),
        [one] => start_of(day(one, today).or_else(|| month(one, today)).or_else(|| year(one))?),
        ["this", unit] => start_of(period(unit, today)?),
        ["last", word] => start_of(last(word, today)?),
        [name, digits] if is_month(name) => start_of(month_of_year(name, year(digits)?)?),
        [digits, number] if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            let number = number.parse().ok().filter(|_| number.len() == 2)?;
            start_of(Date::new(year(digits)?.year(), number, 1).ok()?)
        }
        [number, unit] | [number, unit, "ago"] | ["last" | "past", number, unit] => {
            before(now, today, number, unit)
        }
        _ => None,
    }
}

/// Splits a text at white space, dashes and between digits and letters, in lower case: `3d` is two
/// words, as `3 d` and `3-days` are.
fn words(text: &str) -> Option<Vec<String>> {
    if text.starts_with('-') {
        return None;
    }
    let mut words: Vec<String> = Vec::new();
    for part in text.split(|c: char| c.is_whitespace() || matches!(c, '-' | '_')) {
        let part = part.to_lowercase();
        let letters = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (digits, rest) = part.split_at(letters);
        let pieces = [digits, rest].into_iter().filter(|piece| !piece.is_empty());
        words.extend(pieces.map(str::to_owned));
    }
    Some(words)
}

/// A day by its word; a weekday is the last one, today included.
fn day(word: &str, today: Date) -> Option<Date> {
    match word {
        "today" => Some(today),
        "yesterday" => today.yesterday().ok(),
        _ => back(today, i64::from(today.weekday().since(weekday(word)?))),
    }
}

/// The beginning of the week, month or year that a day is in.
fn period(unit: &str, today: Date) -> Option<Date> {
    match unit {
        "week" => back(today, i64::from(today.weekday().since(Weekday::Monday))),
        "month" => Some(today.first_of_month()),
        "year" => Some(today.first_of_year()),
        _ => None,
    }
}

/// The beginning of the week, month or year before this one, or the last such weekday or month that
/// is not the present one.
fn last(word: &str, today: Date) -> Option<Date> {
    let yesterday = today.yesterday().ok()?;
    match word {
        "week" | "month" | "year" => period(word, period(word, today)?.yesterday().ok()?),
        _ if is_month(word) => month(word, today.first_of_month().yesterday().ok()?),
        _ => day(word, yesterday).filter(|_| weekday(word).is_some()),
    }
}

/// The first day of the last month of this name that has begun.
fn month(word: &str, today: Date) -> Option<Date> {
    let this_year = month_of_year(word, today)?;
    if this_year <= today {
        Some(this_year)
    } else {
        month_of_year(word, this_year.first_of_year().yesterday().ok()?)
    }
}

fn month_of_year(word: &str, year: Date) -> Option<Date> {
    let index = MONTHS.iter().position(|month| is_short_for(word, month))?;
    Date::new(year.year(), i8::try_from(index).ok()? + 1, 1).ok()
}

fn is_month(word: &str) -> bool {
    MONTHS.iter().any(|month| is_short_for(word, month))
}

fn weekday(word: &str) -> Option<Weekday> {
    WEEKDAYS.iter().find(|(name, _)| is_short_for(word, name)).map(|(_, weekday)| *weekday)
}

/// `nov` and `november` are the same; two letters would be a guess.
fn is_short_for(word: &str, name: &str) -> bool {
    word.len() >= 3 && name.starts_with(word)
}

/// The first day of a year of four digits.
fn year(digits: &str) -> Option<Date> {
    let is_year = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let year = digits.parse().ok().filter(|year| is_year && *year > 0)?;
    Date::new(year, 1, 1).ok()
}

/// So many units before now: exact for minutes to weeks, by the calendar for months and years.
fn before(now: Timestamp, today: Date, number: &str, unit: &str) -> Option<Timestamp> {
    let number: u32 = match number {
        "a" | "an" => 1,
        digits => digits.parse().ok().or_else(|| {
            let index = NUMBERS.iter().position(|word| *word == digits)?;
            u32::try_from(index + 1).ok()
        })?,
    };
    let days = match unit {
        "m" | "min" | "mins" | "minute" | "minutes" => 1.0 / 1_440.0,
        "h" | "hr" | "hrs" | "hour" | "hours" => 1.0 / 24.0,
        "d" | "day" | "days" => 1.0,
        "w" | "week" | "weeks" => 7.0,
        "mo" | "month" | "months" => {
            let span = Span::new().try_months(number).ok()?;
            return same_time_on(now, today, today.checked_sub(span).ok()?);
        }
        "y" | "year" | "years" => {
            let span = Span::new().try_years(number).ok()?;
            return same_time_on(now, today, today.checked_sub(span).ok()?);
        }
        _ => return None,
    };
    Some(now.plus_days(-f64::from(number) * days))
}

/// The time of day of `now`, on another day than today.
fn same_time_on(now: Timestamp, today: Date, day: Date) -> Option<Timestamp> {
    let since_midnight = now.as_millis() - start_of(today)?.as_millis();
    Timestamp::from_millis(start_of(day)?.as_millis() + since_midnight)
}

fn back(day: Date, days: i64) -> Option<Date> {
    day.checked_sub(Span::new().try_days(days).ok()?).ok()
}

fn start_of(date: Date) -> Option<Timestamp> {
    let midnight = date.to_zoned(TimeZone::UTC).ok()?;
    Timestamp::from_millis(midnight.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A Sunday.
    fn now() -> Timestamp {
        "2026-11-15T10:30:00Z".parse().unwrap()
    }

    #[test]
    fn times_that_people_type() {
        for (text, expected) in [
            ("now", "2026-11-15T10:30:00.000Z"),
            ("today", "2026-11-15T00:00:00.000Z"),
            ("Yesterday", "2026-11-14T00:00:00.000Z"),
            ("sunday", "2026-11-15T00:00:00.000Z"),
            ("last sunday", "2026-11-08T00:00:00.000Z"),
            ("monday", "2026-11-09T00:00:00.000Z"),
            ("mon", "2026-11-09T00:00:00.000Z"),
            ("last monday", "2026-11-09T00:00:00.000Z"),
            ("this week", "2026-11-09T00:00:00.000Z"),
            ("last week", "2026-11-02T00:00:00.000Z"),
            ("last-week", "2026-11-02T00:00:00.000Z"),
            ("this month", "2026-11-01T00:00:00.000Z"),
            ("last month", "2026-10-01T00:00:00.000Z"),
            ("last year", "2025-01-01T00:00:00.000Z"),
            ("november", "2026-11-01T00:00:00.000Z"),
            ("Nov", "2026-11-01T00:00:00.000Z"),
            ("last november", "2025-11-01T00:00:00.000Z"),
            ("december", "2025-12-01T00:00:00.000Z"),
            ("november 2024", "2024-11-01T00:00:00.000Z"),
            ("2024", "2024-01-01T00:00:00.000Z"),
            ("2024-02", "2024-02-01T00:00:00.000Z"),
            ("2d", "2026-11-13T10:30:00.000Z"),
            ("2 days ago", "2026-11-13T10:30:00.000Z"),
            ("two days ago", "2026-11-13T10:30:00.000Z"),
            ("last 2 days", "2026-11-13T10:30:00.000Z"),
            ("1w", "2026-11-08T10:30:00.000Z"),
            ("a week ago", "2026-11-08T10:30:00.000Z"),
            ("2 weeks ago", "2026-11-01T10:30:00.000Z"),
            ("12h", "2026-11-14T22:30:00.000Z"),
            ("45m", "2026-11-15T09:45:00.000Z"),
            ("3 months ago", "2026-08-15T10:30:00.000Z"),
            ("1y", "2025-11-15T10:30:00.000Z"),
            ("2026-01-02", "2026-01-02T00:00:00.000Z"),
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
        ] {
            let found = read(text, now()).map(|moment| moment.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn everything_else_is_no_time() {
        for text in [
            "",
            " ",
            "d",
            "3x",
            "2026-13-01",
            "2026-13",
            "-3d",
            "é",
            "soon",
            "ago",
            "last",
            "ma",
            "last 3",
            "3 days hence",
            "tomorrow",
            "next week",
            "0000",
            "99999999999d",
        ] {
            assert_eq!(read(text, now()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,24}", millis in any::<i64>()) {
            let now = Timestamp::from_millis(millis).unwrap_or(Timestamp::MIN);
            let _ = read(&text, now);
        }

        #[test]
        fn words_alone_never_name_the_future(
            text in "(this |last )?(week|month|year|[a-z]{3,9}|[0-9]{1,3} ?(d|w|mo|y|days ago))",
            days in 0.0..40_000.0_f64,
        ) {
            let now = now().plus_days(-days);
            if let Some(moment) = read(&text, now) {
                prop_assert!(moment <= now, "{text} is {moment}");
            }
        }

        #[test]
        fn short_and_long_forms_agree(number in 1_u32..5_000) {
            for (short, long) in
                [("m", "minutes"), ("h", "hours"), ("d", "days"), ("w", "weeks"), ("mo", "months")]
            {
                let short = read(&format!("{number}{short}"), now());
                let long = format!("{number} {long} ago");
                prop_assert!(short.is_some());
                prop_assert_eq!(short, read(&long, now()));
                prop_assert_eq!(short, read(&long.to_uppercase().replace(' ', "-"), now()));
            }
        }

        #[test]
        fn a_date_is_its_midnight(days in -700_000.0..700_000.0_f64) {
            let date = Timestamp::MIN.plus_days(days.abs()).to_string();
            let day = date.split('T').next().unwrap_or_default();
            let midnight = format!("{day}T00:00:00Z").parse::<Timestamp>().ok();
            prop_assert_eq!(read(day, now()), midnight);
        }
    }
}
