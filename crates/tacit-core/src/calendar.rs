//! The words of times: months, weekdays and small numbers, as options and queries use them.

use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp as Instant};

use crate::clock::Timestamp;

/// The names of the months in English, in lower case.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

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

/// Returns the number of a month, from 1, by its name or a beginning of at least three letters.
pub fn month_number(word: &str) -> Option<i8> {
    let index = MONTHS.iter().position(|month| is_short_for(word, month))?;
    i8::try_from(index + 1).ok()
}

/// Returns the number of a month, from 1, by its full name.
pub fn month_by_full_name(word: &str) -> Option<i8> {
    month_number(word).filter(|_| MONTHS.contains(&word))
}

/// Returns a weekday by its name or a beginning of at least three letters.
pub fn weekday(word: &str) -> Option<Weekday> {
    WEEKDAYS.iter().find(|(name, _)| is_short_for(word, name)).map(|(_, weekday)| *weekday)
}

/// Returns a weekday by its full name.
pub fn weekday_by_full_name(word: &str) -> Option<Weekday> {
    weekday(word).filter(|_| word.ends_with("day"))
}

/// Returns a number in digits or as an English word up to twelve; an article is one.
pub fn small_number(word: &str) -> Option<u32> {
    match word {
        "a" | "an" => Some(1),
        digits => digits.parse().ok().or_else(|| {
            let index = NUMBERS.iter().position(|number| *number == digits)?;
            u32::try_from(index + 1).ok()
        }),
    }
}

/// Returns a year of four digits.
pub fn year_number(digits: &str) -> Option<i16> {
    let is_year = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|year| is_year && *year > 0)
}

/// Returns the beginning of the week, month or year that a day is in.
pub fn start_of_period(unit: &str, day: Date) -> Option<Date> {
    match unit {
        "week" => days_before(day, i64::from(day.weekday().since(Weekday::Monday))),
        "month" => Some(day.first_of_month()),
        "year" => Some(day.first_of_year()),
        _ => None,
    }
}

/// Returns the last day of this weekday, `today` included.
pub fn last_weekday(weekday: Weekday, today: Date) -> Option<Date> {
    days_before(today, i64::from(today.weekday().since(weekday)))
}

/// Returns the first day of the last month of this number that has begun.
pub fn last_month(number: i8, today: Date) -> Option<Date> {
    let this_year = Date::new(today.year(), number, 1).ok()?;
    if this_year <= today { Some(this_year) } else { Date::new(today.year() - 1, number, 1).ok() }
}

/// Returns the day so many days earlier.
pub fn days_before(day: Date, days: i64) -> Option<Date> {
    day.checked_sub(Span::new().try_days(days).ok()?).ok()
}

/// Returns the day of a time, in UTC.
pub fn day_of(time: Timestamp) -> Option<Date> {
    Some(Instant::from_millisecond(time.as_millis()).ok()?.to_zoned(TimeZone::UTC).date())
}

/// Returns midnight UTC at the beginning of a day.
pub fn midnight(date: Date) -> Option<Timestamp> {
    let midnight = date.to_zoned(TimeZone::UTC).ok()?;
    Timestamp::from_millis(midnight.timestamp().as_millisecond())
}

/// Returns true for `nov` and `november`; two letters would be a guess.
fn is_short_for(word: &str, name: &str) -> bool {
    word.len() >= 3 && name.starts_with(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_their_beginnings_are_known() {
        assert_eq!((month_number("nov"), month_number("november")), (Some(11), Some(11)));
        assert_eq!((month_number("ma"), month_by_full_name("mar")), (None, None));
        assert_eq!((weekday("fri"), weekday_by_full_name("fri")), (Some(Weekday::Friday), None));
        assert_eq!(
            [small_number("a"), small_number("four"), small_number("30")],
            [Some(1), Some(4), Some(30)]
        );
        assert_eq!(
            (small_number("few"), year_number("0000"), year_number("2026")),
            (None, None, Some(2026))
        );
    }
}
