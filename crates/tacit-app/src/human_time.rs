//! Times as people write and read them.

mod typed;

use tacit_core::Timestamp;

use crate::error::AppError;

/// The forms of a time that options take, for their help.
pub const FORMS: &str =
    "yesterday, monday, \"last week\", \"2 weeks ago\", 3d, november, 2026-11-15";

/// Parses a time as people type it after `--since`. A day, a week, a month or a year
/// stands for its beginning; days begin at midnight UTC.
pub fn parse(text: &str, now: Timestamp) -> Result<Timestamp, AppError> {
    typed::read(text, now).ok_or_else(|| {
        AppError::usage(format!("`{text}` is not a time")).hint(
            "write `today`, `yesterday`, `monday`, `this week`, `last month`, `2 weeks ago`, `3d`, \
             `12h`, `november`, `november 2025`, `2026-11-15` or `2026-11-15T10:00:00Z`",
        )
    })
}

/// Formats how long ago a time was, roughly; a future time is printed in full.
pub fn ago(time: Timestamp, now: Timestamp) -> String {
    let minutes = (now.as_millis() - time.as_millis()) / 60_000;
    let some =
        |count: i64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match minutes {
        ..=-1 => time.to_string(),
        0 => "just now".into(),
        1..=59 => some(minutes, "minute"),
        60..=1_439 => some(minutes / 60, "hour"),
        1_440..=86_399 => some(minutes / 1_440, "day"),
        86_400..=1_051_199 => some(minutes / 43_200, "month"),
        _ => some(minutes / 525_600, "year"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-15T10:30:00Z".parse().unwrap()
    }

    #[test]
    fn an_error_lists_the_forms() {
        let error = parse("soon", now()).unwrap_err();
        assert_eq!(error.message, "`soon` is not a time");
        assert!(error.hint.is_some_and(|hint| hint.contains("`last month`")));
    }

    #[test]
    fn the_forms_in_help_are_times() {
        for form in FORMS.split(", ") {
            assert!(parse(form.trim_matches('"'), now()).is_ok(), "{form}");
        }
    }

    #[test]
    fn ages_are_rounded_to_one_unit() {
        for (days, expected) in [
            (0.0, "just now"),
            (1.0 / 1440.0, "1 minute ago"),
            (0.5, "12 hours ago"),
            (1.0, "1 day ago"),
            (45.0, "45 days ago"),
            (90.0, "3 months ago"),
            (800.0, "2 years ago"),
            (-1.0, "2026-11-16T10:30:00.000Z"),
        ] {
            assert_eq!(ago(now().plus_days(-days), now()), expected);
        }
    }
}
