//! Numbers, shares, intervals and sparklines as text.

use tacit_app::report::errors::Estimate;
use tacit_app::report::statistics::{Interval, Proportion};

use crate::app::CliApp;

/// The blocks of a sparkline, lowest first.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Formats a number with commas: `1,204`.
pub(super) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number and what it counts: `1 session`, `1,204 sessions`.
pub(super) fn counted(value: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(value), if value == 1 { one } else { many })
}

/// Formats a mean: large ones as whole numbers, others with one or two digits.
pub(super) fn decimal(value: f64) -> String {
    // No `-0.00`.
    let value = if value.abs() < 0.005 { 0.0 } else { value };
    match value.abs() {
        100.0.. => {
            let sign = if value < 0.0 { "-" } else { "" };
            format!("{sign}{}", number(value.abs().round() as u64))
        }
        10.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Formats a difference with its sign.
pub(super) fn signed(value: f64) -> String {
    let text = decimal(value);
    if value > 0.0 && text != "0.00" { format!("+{text}") } else { text }
}

/// Formats a mean that may be unknown.
pub(super) fn or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), decimal)
}

/// Formats a share: `34 %`.
pub(super) fn percent(share: f64) -> String {
    match share * 100.0 {
        small @ 0.000_1..0.95 => format!("{small:.1} %"),
        share => format!("{share:.0} %"),
    }
}

/// Formats a share with its interval: `21 of 25 (84 %, interval 65 % to 94 %)`.
pub(super) fn proportion(one: &Proportion) -> String {
    let text = format!("{} of {}", number(one.count), number(one.of));
    match (one.share(), one.interval) {
        (Some(share), Some(Interval { low, high })) => {
            format!("{text} ({}, interval {} to {})", percent(share), percent(low), percent(high))
        }
        _ => text,
    }
}

/// Formats an estimate, or says that there is not enough data for it.
pub(super) fn estimate(one: &Estimate, unit: &str) -> String {
    let cases = format!(
        "from {} with a memory and {} without, of the same errors",
        counted(one.with_memory, "case", "cases"),
        number(one.without_memory)
    );
    match one.value {
        Some(value) if value >= 0.5 => {
            format!("about {} {unit}, {cases}", number(value.round() as u64))
        }
        Some(value) if value <= -0.5 => {
            format!("none: about {} {unit} more, {cases}", number(value.abs().round() as u64))
        }
        Some(_) => format!("none, {cases}"),
        None => format!("not enough data: {cases}; {} of each are needed", one.needed),
    }
}

/// Draws numbers as a sparkline on a coloured terminal, and lists them elsewhere.
pub(super) fn sparkline(app: &CliApp, values: &[u64]) -> String {
    match app.ui.interactive && app.ui.is_coloured() {
        true => blocks(values),
        false => values.iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
    }
}

fn blocks(values: &[u64]) -> String {
    let most = values.iter().copied().max().unwrap_or(0).max(1);
    let block = |value: &u64| match value {
        0 => ' ',
        value => {
            let top = BLOCKS.len() as u64 - 1;
            BLOCKS[usize::try_from((value * top).div_ceil(most)).unwrap_or(0).min(top as usize)]
        }
    };
    values.iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_commas() {
        for (value, expected) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (52_310, "52,310"), (1_234_567, "1,234,567")]
        {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn means_are_as_precise_as_they_are_large() {
        for (value, expected) in [
            (0.0, "0.00"),
            (-0.001, "0.00"),
            (0.256, "0.26"),
            (-1.5, "-1.50"),
            (12.34, "12.3"),
            (1_204.4, "1,204"),
            (-52_310.0, "-52,310"),
        ] {
            assert_eq!(decimal(value), expected);
        }
        assert_eq!(
            (signed(0.5), signed(-0.5), signed(0.001)),
            ("+0.50".into(), "-0.50".into(), "0.00".into())
        );
    }

    #[test]
    fn sparklines_rise_with_their_numbers() {
        for (values, expected) in [
            (&[0, 0][..], "  "),
            (&[1], "█"),
            (&[0, 1, 2, 4, 8], " ▂▃▅█"),
            (&[1, 1_000], "▂█"),
            (&[], ""),
        ] {
            assert_eq!(blocks(values), expected);
        }
    }
}
