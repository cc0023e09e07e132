//! Moments as people write and read them.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use tacit_core::Timestamp;

use crate::error::AppError;

/// Reads `3d`, `2w`, `12h`, `45m`, a date, or a time in UTC.
pub fn parse(text: &str, now: Timestamp) -> Result<Timestamp, AppError> {
    let wrong = || {
        AppError::usage(format!("`{text}` is not a time"))
            .hint("write `3d`, `2w` or `12h` ago, a date such as 2026-11-15, or a time such as 2026-11-15T10:00:00Z")
    };
    if let Some((number, unit)) = text.split_at_checked(text.len().saturating_sub(1))
        && let Ok(number) = number.parse::<u32>()
    {
        let days = match unit {
            "m" => 1.0 / 1_440.0,
            "h" => 1.0 / 24.0,
            "d" => 1.0,
            "w" => 7.0,
            _ => return Err(wrong()),
        };
        return Ok(now.plus_days(-f64::from(number) * days));
    }
    if let Ok(date) = text.parse::<Date>()
        && !text.contains('T')
    {
        let midnight = date.to_zoned(TimeZone::UTC).map_err(|_| wrong())?;
        return Timestamp::from_millis(midnight.timestamp().as_millisecond()).ok_or_else(wrong);
    }
    text.parse().map_err(|_| wrong())
}

/// How long ago a moment was, roughly.
pub fn ago(moment: Timestamp, now: Timestamp) -> String {
    let minutes = (now.as_millis() - moment.as_millis()) / 60_000;
    let some =
        |count: i64, unit: &str| format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" });
    match minutes {
        ..=-1 => moment.to_string(),
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
    fn moments_people_write() {
        for (text, expected) in [
            ("2d", "2026-11-13T10:30:00.000Z"),
            ("1w", "2026-11-08T10:30:00.000Z"),
            ("12h", "2026-11-14T22:30:00.000Z"),
            ("45m", "2026-11-15T09:45:00.000Z"),
            ("2026-01-02", "2026-01-02T00:00:00.000Z"),
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
        ] {
            assert_eq!(parse(text, now()).unwrap().to_string(), expected, "{text}");
        }
        for wrong in ["", "d", "3x", "yesterday", "2026-13-01", "-3d", "é"] {
            assert!(parse(wrong, now()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn moments_people_read() {
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
