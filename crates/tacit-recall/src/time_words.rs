//! Time expressions in queries: `yesterday`, `last Friday`, `four weeks ago`, `on 7 July 2026`,
//! `two weeks before August 11`.

use jiff::ToSpan;
use jiff::civil::Date;
use tacit_core::Timestamp;
use tacit_core::calendar::{
    day_of, days_before, last_month, last_weekday, midnight, month_by_full_name, small_number,
    start_of_period, weekday_by_full_name, year_number,
};

/// The days after a window in which people still tell of it.
pub const SOON_AFTER_DAYS: f64 = 4.0;

/// A period of days, end exclusive.
type Days = (Date, Date);

/// Returns the time window that a query names, end exclusive; `None` if it names none. Days start
/// at midnight UTC.
pub fn time_window(text: &str, now: Timestamp) -> Option<(Timestamp, Timestamp)> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .map(|word| without_ordinal(&word.to_lowercase()).to_owned())
        .collect();
    let words = Words(words.iter().map(String::as_str).collect());
    let today = day_of(now)?;
    let found = (0..words.0.len())
        .find_map(|at| Some(words.before_date(at, words.date(at, today)?)))
        .or_else(|| (0..words.0.len()).find_map(|at| words.relative(at, today)));
    let (from, to) = found?;
    Some((midnight(from)?, midnight(to)?))
}

/// Returns `15` for `15th`.
fn without_ordinal(word: &str) -> &str {
    let ends = ["st", "nd", "rd", "th"];
    ends.iter()
        .find_map(|end| word.strip_suffix(end))
        .filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
        .unwrap_or(word)
}

/// The words of a query, in lower case.
struct Words<'a>(Vec<&'a str>);

impl Words<'_> {
    /// Returns the word so many places after another; an empty one outside the text.
    fn at(&self, at: usize, offset: isize) -> &str {
        at.checked_add_signed(offset).and_then(|at| self.0.get(at)).copied().unwrap_or_default()
    }

    /// Returns the day or the month of a date at a word: `2026-02-28`, `7 July 2026`, `May 3`,
    /// `in March`.
    fn date(&self, at: usize, today: Date) -> Option<Days> {
        let word = self.0[at];
        if word.len() == 10
            && let Ok(date) = word.parse::<Date>()
        {
            return whole_day(date);
        }
        let month = month_by_full_name(word)?;
        let day_before = day_number(self.at(at, -1))
            .or_else(|| day_number(self.at(at, -2)).filter(|_| self.at(at, -1) == "of"));
        let (day, year) = match day_before.or_else(|| day_number(self.at(at, 1))) {
            Some(day) if day_before.is_some() => (Some(day), self.at(at, 1)),
            Some(day) => (Some(day), self.at(at, 2)),
            None => (None, self.at(at, 1)),
        };
        let year = year_number(year).filter(|year| (1970..2200).contains(year));
        // `may` is a verb more often than a month.
        if word == "may" && day.is_none() && year.is_none() && self.at(at, -1) != "in" {
            return None;
        }
        let first = match year {
            Some(year) => Date::new(year, month, 1).ok()?,
            None => last_month(month, today)?,
        };
        match day {
            Some(day) => whole_day(Date::new(first.year(), month, day).ok()?),
            None => Some((first, first.checked_add(1.month()).ok()?)),
        }
    }

    /// Returns the time before a date if the words in front of it name one: `two weeks before
    /// August 11`, `the week before`. Otherwise returns the date.
    fn before_date(&self, at: usize, date: Days) -> Days {
        let before = (1..=4).find(|back| self.at(at, -back) == "before").and_then(|back| {
            let (number, unit) = (self.at(at, -back - 2), self.at(at, -back - 1));
            around(number, unit, date.0).or_else(|| match unit {
                "week" => Some((days_before(date.0, 7)?, date.0)),
                "weekend" => Some((days_before(date.0, 8)?, date.0)),
                _ => None,
            })
        });
        before.unwrap_or(date)
    }

    /// Returns the period that ends before or with today and is named at a word.
    fn relative(&self, at: usize, today: Date) -> Option<Days> {
        let (word, before) = (self.0[at], self.at(at, -1));
        let tomorrow = today.tomorrow().ok()?;
        match (before, word) {
            (_, "today") => Some((today, tomorrow)),
            (_, "yesterday") => Some((today.yesterday().ok()?, today)),
            (number, unit) if self.at(at, 1) == "ago" => around(number, unit, today),
            ("this", unit @ ("week" | "month" | "year")) => {
                Some((start_of_period(unit, today)?, tomorrow))
            }
            // `in the last month` ends today, `last month` with the month.
            ("last", unit @ ("week" | "month" | "year")) if self.at(at, -2) != "the" => {
                let end = start_of_period(unit, today)?;
                Some((start_of_period(unit, end.yesterday().ok()?)?, end))
            }
            ("last", "weekend") => {
                let monday = start_of_period("week", today)?;
                Some((days_before(monday, 2)?, monday))
            }
            ("last" | "past", unit) if months_or_days(unit).is_some() => {
                Some((earlier(today, 1, unit)?, tomorrow))
            }
            ("last", name) => {
                whole_day(last_weekday(weekday_by_full_name(name)?, today.yesterday().ok()?)?)
            }
            (number, unit) if matches!(self.at(at, -2), "last" | "past") => {
                let number = if number == "few" { 3 } else { small_number(number)? };
                Some((earlier(today, number, unit)?, tomorrow))
            }
            _ => None,
        }
    }
}

/// Returns the days that people mean by `3 weeks` before a day: exact for days, a week or a month
/// wide for longer units.
fn around(number: &str, unit: &str, day: Date) -> Option<Days> {
    let number = small_number(number).filter(|number| (1..=400).contains(number))?;
    let middle = earlier(day, number, unit)?;
    let room = match months_or_days(unit)? {
        (0, 1) => 0,
        (0, _) => 3,
        _ => 15,
    };
    Some((days_before(middle, room)?, middle.checked_add((room + 1).days()).ok()?))
}

/// Returns the day so many units before another.
fn earlier(day: Date, number: u32, unit: &str) -> Option<Date> {
    let (months, days) = months_or_days(unit)?;
    let number = i64::from(number.min(400));
    day.checked_sub((number * months).months()).ok()?.checked_sub((number * days).days()).ok()
}

/// Returns the length of a unit in months and days.
fn months_or_days(unit: &str) -> Option<(i64, i64)> {
    match unit {
        "day" | "days" => Some((0, 1)),
        "week" | "weeks" => Some((0, 7)),
        "month" | "months" => Some((1, 0)),
        _ => None,
    }
}

fn day_number(word: &str) -> Option<i8> {
    word.parse().ok().filter(|day| (1..=31).contains(day))
}

fn whole_day(date: Date) -> Option<Days> {
    Some((date, date.tomorrow().ok()?))
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
            ("four weeks ago", Some(("2026-10-15", "2026-10-22"))),
            ("the release of last Friday", Some(("2026-11-13", "2026-11-14"))),
            ("last Sunday", Some(("2026-11-08", "2026-11-09"))),
            ("last weekend", Some(("2026-11-07", "2026-11-09"))),
            ("incidents in the last month", Some(("2026-10-15", "2026-11-16"))),
            ("incidents in the past three weeks", Some(("2026-10-25", "2026-11-16"))),
            ("on May 3, 2026", Some(("2026-05-03", "2026-05-04"))),
            ("on 7 July, 2026", Some(("2026-07-07", "2026-07-08"))),
            ("the 2nd of October", Some(("2026-10-02", "2026-10-03"))),
            ("two weeks before August 11, 2026", Some(("2026-07-25", "2026-08-01"))),
            ("the week before 2026-08-11", Some(("2026-08-04", "2026-08-11"))),
            ("before August", Some(("2026-08-01", "2026-09-01"))),
            ("31 February", None),
            ("the last two attempts", None),
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
