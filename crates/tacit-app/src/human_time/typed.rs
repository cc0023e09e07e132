//! Times as people type them: `yesterday`, `last week`, `3d`, `november 2025`. Pure.

use jiff::Span;
use jiff::civil::Date;
use tacit_core::Timestamp;
use tacit_core::calendar::{
    day_of, last_month, last_weekday, midnight, month_number, small_number, start_of_period,
    weekday, year_number,
};

/// Reads a time, or `None` if it is none of the known forms.
pub(super) fn read(text: &str, now: Timestamp) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(date) = text.parse::<Date>()
        && !text.contains(['T', 't'])
    {
        return midnight(date);
    }
    if let Ok(moment) = text.parse() {
        return Some(moment);
    }
    let words = words(text)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let today = day_of(now)?;
    match words.as_slice() {
        ["now"] => Some(now),
        [one] => midnight(day(one, today).or_else(|| month(one, today)).or_else(|| year(one))?),
        ["this", unit] => midnight(start_of_period(unit, today)?),
        ["last", word] => midnight(last(word, today)?),
        [name, digits] if month_number(name).is_some() => {
            midnight(Date::new(year_number(digits)?, month_number(name)?, 1).ok()?)
        }
        [digits, number] if number.bytes().all(|byte| byte.is_ascii_digit()) => {
            let number = number.parse().ok().filter(|_| number.len() == 2)?;
            midnight(Date::new(year_number(digits)?, number, 1).ok()?)
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
        _ => last_weekday(weekday(word)?, today),
    }
}

/// The beginning of the week, month or year before this one, or the last such weekday or month that
/// is not the present one.
fn last(word: &str, today: Date) -> Option<Date> {
    let yesterday = today.yesterday().ok()?;
    match word {
        "week" | "month" | "year" => {
            start_of_period(word, start_of_period(word, today)?.yesterday().ok()?)
        }
        _ => month(word, today.first_of_month().yesterday().ok()?)
            .or_else(|| last_weekday(weekday(word)?, yesterday)),
    }
}

/// The first day of the last month of this name that has begun.
fn month(word: &str, today: Date) -> Option<Date> {
    last_month(month_number(word)?, today)
}

/// The first day of a year of four digits.
fn year(digits: &str) -> Option<Date> {
    Date::new(year_number(digits)?, 1, 1).ok()
}

/// So many units before now: exact for minutes to weeks, by the calendar for months and years.
fn before(now: Timestamp, today: Date, number: &str, unit: &str) -> Option<Timestamp> {
    let number = small_number(number)?;
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
    let since_midnight = now.as_millis() - midnight(today)?.as_millis();
    Timestamp::from_millis(midnight(day)?.as_millis() + since_midnight)
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
