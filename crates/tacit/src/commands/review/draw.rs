//! Draws a review: the memory, a line about the place in the queue, and a line with the keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use tacit_app::review::{ReviewDialogue, ReviewTally};
use tacit_core::visible_line;

use super::card::{CardLine, CardTone};

/// The keys and what they do.
pub(super) const KEYS: [(&str, &str); 14] = [
    ("y", "confirm: it is right"),
    ("e", "edit it in $VISUAL or $EDITOR"),
    ("n", "reject: take it out of use"),
    ("s", "skip: leave it for later"),
    ("w", "wrong: it misleads"),
    ("o", "outdated: it no longer holds"),
    ("d", "duplicate: choose the memory that says the same"),
    ("u", "undo the last decision, again and again"),
    ("q", "quit; all decisions are stored"),
    ("?", "this help"),
    ("← →", "the memory before, the next one"),
    ("↑ ↓", "scroll"),
    ("PgUp", "and PgDn: scroll by a page"),
    ("Home", "and End: the beginning, the end"),
];

/// The keys in one line, the longest that fits.
const HINTS: [&str; 4] = [
    "y confirm  e edit  n reject  s skip  w wrong  o outdated  d duplicate  u undo  q quit  ? help",
    "y confirm  e edit  n reject  s skip  w wrong  o old  d double  u undo  q quit  ?",
    "y ok  e edit  n no  s skip  w wrong  ? help",
    "y e n s w o d u q ?",
];
/// The same while the original of a duplicate is chosen.
const CHOICE_HINT: &str = "a number chooses, any other key goes back";

/// The columns of labels; narrow terminals have none.
const LABELS: usize = 12;
/// The fewest columns of text beside labels.
const NARROWEST: usize = 40;
/// The most columns of text: longer lines are hard to read.
const WIDEST: usize = 100;

/// The current memory, wrapped to a width.
pub(super) struct WrappedCard {
    rows: Vec<Line<'static>>,
}

impl WrappedCard {
    /// Wraps lines to a width in columns.
    pub(super) fn new(lines: &[CardLine], width: usize, coloured: bool) -> WrappedCard {
        let width = width.clamp(1, WIDEST);
        let indent = if width >= NARROWEST { LABELS } else { 2 };
        let rows = lines.iter().flat_map(|line| wrap_line(line, width, indent, coloured));
        WrappedCard { rows: rows.collect() }
    }

    /// The page behind the last memory.
    pub(super) fn end(tally: ReviewTally, width: usize) -> WrappedCard {
        let ReviewTally { confirmed, rejected, flagged, left } = tally;
        let texts = [
            "That was the last memory.".to_owned(),
            String::new(),
            format!("{confirmed} confirmed, {rejected} rejected, {flagged} flagged, {left} left"),
            String::new(),
            "u undoes the last decision, q ends the review.".to_owned(),
        ];
        let rows = texts.iter().flat_map(|text| wrap_columns(text, width.max(1)));
        WrappedCard { rows: rows.map(Line::from).collect() }
    }

    /// The help.
    pub(super) fn help(width: usize) -> WrappedCard {
        let indent = 6;
        let rows = KEYS.iter().flat_map(|(key, what)| {
            let wrapped = wrap_columns(what, width.saturating_sub(indent).max(1)).into_iter();
            wrapped.enumerate().map(move |(at, row)| {
                let key = if at == 0 { *key } else { "" };
                Line::from(format!("{key:<indent$}{row}"))
            })
        });
        WrappedCard { rows: rows.collect() }
    }

    /// The number of rows.
    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }
}

/// Returns the rows that remain for the memory on a screen of this height.
pub(super) fn body_height(height: u16) -> usize {
    usize::from(height.saturating_sub(2))
}

/// Draws the review.
pub(super) fn draw(
    frame: &mut Frame<'_>,
    dialogue: &ReviewDialogue,
    card: &WrappedCard,
    coloured: bool,
) {
    let area = frame.area();
    if area.height == 0 || area.width == 0 {
        return;
    }
    let row = |at: u16| Rect { x: area.x, y: area.y + at, width: area.width, height: 1 };
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    let title = fitted(&title(dialogue, card, body_height(area.height)), area.width);
    frame.render_widget(Line::from(title).style(reversed), row(0));
    let shown = card.rows.iter().skip(dialogue.scroll()).take(body_height(area.height));
    for (at, line) in (1..).zip(shown) {
        frame.render_widget(line, row(at));
    }
    if area.height < 2 {
        return;
    }
    let bottom = row(area.height - 1);
    match dialogue.message() {
        Some(message) => {
            let message = fitted(&visible_line(message), area.width);
            let style = paint(coloured, Color::Yellow, Modifier::BOLD);
            frame.render_widget(Line::from(message).style(style), bottom);
        }
        None => {
            let width = usize::from(area.width);
            let hint = HINTS.iter().find(|hint| columns(hint) <= width).unwrap_or(&HINTS[3]);
            let hint = if dialogue.choices() > 0 { CHOICE_HINT } else { hint };
            let style = Style::new().add_modifier(Modifier::DIM);
            frame.render_widget(Line::from(fitted(hint, area.width)).style(style), bottom);
        }
    }
}

/// Returns the line at the top.
fn title(dialogue: &ReviewDialogue, card: &WrappedCard, height: usize) -> String {
    let count = dialogue.count();
    let mut title = match dialogue.current() {
        _ if dialogue.shows_help() => " Keys; q goes back".to_owned(),
        Some(_) if dialogue.choices() > 0 => " Duplicate of which memory?".to_owned(),
        Some(index) => format!(" Review: {} of {count}", index + 1),
        None => " Review: the end".to_owned(),
    };
    if let Some(decision) = dialogue.decision().filter(|_| !dialogue.shows_help()) {
        title += &format!(", {}", decision.as_str());
    }
    let below = card.height().saturating_sub(dialogue.scroll() + height);
    if below > 0 {
        title += &format!(", {below} more rows below");
    }
    title
}

fn paint(coloured: bool, color: Color, modifier: Modifier) -> Style {
    let style = Style::new().add_modifier(modifier);
    if coloured { style.fg(color) } else { style }
}

fn wrap_line(line: &CardLine, width: usize, indent: usize, coloured: bool) -> Vec<Line<'static>> {
    let style = match line.tone {
        None => Style::new(),
        Some(CardTone::Reason) => paint(coloured, Color::Yellow, Modifier::empty()),
        Some(CardTone::Title) => Style::new().add_modifier(Modifier::BOLD),
        Some(CardTone::Other) => Style::new().add_modifier(Modifier::DIM),
    };
    let Some(label) = line.label else {
        let rows = wrap_columns(&line.text, width).into_iter();
        return rows.map(|row| Line::from(Span::styled(row, style))).collect();
    };
    let dim = Style::new().add_modifier(Modifier::DIM);
    let room = width.saturating_sub(indent).max(1);
    let mut rows = Vec::new();
    // Without room for a column of labels, each stands above its value.
    if indent < LABELS && !label.is_empty() {
        rows.push(Line::from(Span::styled(label, dim)));
    }
    for (at, row) in wrap_columns(&line.text, room).into_iter().enumerate() {
        let label = if at == 0 && indent == LABELS { label } else { "" };
        let label = Span::styled(format!("{label:<indent$}"), dim);
        rows.push(Line::from(vec![label, Span::styled(row, style)]));
    }
    rows
}

/// Returns the number of columns that a text takes on a terminal.
fn columns(text: &str) -> usize {
    Span::raw(text).width()
}

/// Cuts a text to the width of a row.
fn fitted(text: &str, width: u16) -> String {
    let width = usize::from(width);
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut cut = take_columns(text, width.saturating_sub(1)).to_owned();
    cut.push('…');
    cut
}

/// Returns the longest beginning that takes at most so many columns.
fn take_columns(text: &str, width: usize) -> &str {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let end = ends.take_while(|end| columns(&text[..*end]) <= width).last();
    &text[..end.unwrap_or(0)]
}

/// Wraps a line to a width in columns: at spaces where possible, else inside words.
fn wrap_columns(line: &str, width: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    for (at, word) in line.split(' ').enumerate() {
        let row = rows.last_mut();
        let fits = |row: &&mut String| columns(row) + 1 + columns(word) <= width;
        match row.filter(|row| at == 0 || fits(row)) {
            Some(row) => {
                if at > 0 {
                    row.push(' ');
                }
                row.push_str(word);
            }
            None => rows.push(word.to_owned()),
        }
        break_last(&mut rows, width);
    }
    rows
}

/// Breaks the last row into rows that fit.
fn break_last(rows: &mut Vec<String>, width: usize) {
    while let Some(row) = rows.last().filter(|row| columns(row) > width) {
        // A character that is wider than the screen still has to go somewhere.
        let first = row.chars().next().map_or(0, char::len_utf8);
        let end = take_columns(row, width).len().max(first);
        let rest = row[end..].to_owned();
        if let Some(row) = rows.last_mut() {
            row.truncate(end);
        }
        if rest.is_empty() {
            return;
        }
        rows.push(rest);
    }
}

#[cfg(test)]
mod tests;
