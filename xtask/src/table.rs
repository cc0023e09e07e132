//! Formats tables and numbers for the terminal.

use std::fmt;
use std::time::Duration;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table of text; every column is as wide as its widest cell.
#[derive(Debug)]
pub(crate) struct Table<const COLUMNS: usize> {
    aligns: [Align; COLUMNS],
    rows: Vec<[String; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    /// Creates a table with a heading and no rows.
    pub(crate) fn new(heading: [(&str, Align); COLUMNS]) -> Table<COLUMNS> {
        Table {
            aligns: heading.map(|(_, align)| align),
            rows: vec![heading.map(|(name, _)| name.to_owned())],
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: [String; COLUMNS]) {
        self.rows.push(cells);
    }
}

impl<const COLUMNS: usize> fmt::Display for Table<COLUMNS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut widths = [0; COLUMNS];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for (index, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for ((cell, width), align) in row.iter().zip(widths).zip(self.aligns) {
                match align {
                    Align::Left => line.push_str(&format!("{cell:<width$}  ")),
                    Align::Right => line.push_str(&format!("{cell:>width$}  ")),
                }
            }
            writeln!(f, "{}", line.trim_end())?;
            if index == 0 {
                let rules = widths.map(|width| "-".repeat(width));
                writeln!(f, "{}", rules.join("  "))?;
            }
        }
        Ok(())
    }
}

/// Formats a duration in seconds or minutes.
pub(crate) fn seconds(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{} min {:02} s", duration.as_secs() / 60, duration.as_secs() % 60)
    }
}

/// Formats a number with thousands separators.
#[cfg_attr(not(unix), expect(dead_code, reason = "only benchmarks count in thousands"))]
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new([("what", Align::Left), ("×", Align::Right)]);
        table.row(["recall".into(), "6.0".into()]);
        table.row(["é".into(), "10.0".into()]);
        assert_eq!(table.to_string(), "what       ×\n------  ----\nrecall   6.0\né       10.0\n");
    }

    #[test]
    fn durations_are_in_seconds_or_minutes() {
        for (millis, text) in
            [(0, "0.0 s"), (1_250, "1.2 s"), (59_900, "59.9 s"), (60_000, "1 min 00 s")]
        {
            assert_eq!(seconds(Duration::from_millis(millis)), text);
        }
    }

    #[test]
    fn thousands_are_separated() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
