//! The review line by line: one memory, a prompt, one letter and Enter.

use std::io::BufRead;

use tacit_app::AppResult;
use tacit_app::review::{ReviewItem, ReviewKey};
use tacit_core::visible_line;

use super::card::{self, CardLine};
use super::draw::KEYS;
use super::run::{AfterKey, ReviewRun};
use crate::app::CliApp;
use crate::render::wrap;
use crate::ui::Tone;

/// The columns of labels.
const LABELS: usize = 11;

/// Asks about one memory after the other, until the end of the input.
pub(super) fn review(app: &CliApp, items: Vec<ReviewItem>) -> AppResult<ReviewRun<'_>> {
    let mut run = ReviewRun::new(app, items);
    let mut input = std::io::stdin().lock();
    let mut printed = None;
    loop {
        let current = run.dialogue.current();
        if printed != Some(current) {
            print_current(&mut run)?;
            printed = Some(current);
        }
        let Some(typed) = ask(&run, &mut input)? else { break };
        let Some(letter) = typed.trim().chars().next() else { continue };
        let at = run.dialogue.current();
        match run.press(ReviewKey::Char(letter)) {
            AfterKey::Quit => break,
            AfterKey::Edit => {
                run.edit();
                printed = None;
            }
            AfterKey::Show => {}
        }
        if run.dialogue.shows_help() {
            let letters = KEYS.iter().filter(|(key, _)| key.len() == 1);
            app.ui.lines(letters.map(|(key, what)| format!("  {key}  {what}")))?;
            run.press(ReviewKey::Escape);
        }
        if run.dialogue.choices() > 0 {
            app.ui.line("")?;
            for line in card::choices(&run.originals, app.now()) {
                print_line(app, &line)?;
            }
        }
        if run.dialogue.current() != at {
            printed = None;
        }
        if let Some(message) = run.dialogue.message() {
            app.ui.line(visible_line(message))?;
        }
    }
    Ok(run)
}

/// Prints the current memory.
fn print_current(run: &mut ReviewRun<'_>) -> AppResult<()> {
    let app = run.app;
    app.ui.line("")?;
    let Some(card) = run.card()? else {
        return app.ui.line("That was the last one; q ends the review.");
    };
    for line in card::lines(card, app.now()) {
        print_line(app, &line)?;
    }
    app.ui.line("")
}

fn print_line(app: &CliApp, line: &CardLine) -> AppResult<()> {
    let indent = if line.label.is_some() { LABELS } else { 0 };
    let label = line.label.unwrap_or_default();
    let mut label = app.ui.paint(Tone::Dim, &format!("{label:<indent$}"));
    for row in wrap(&line.text, app.ui.width().saturating_sub(indent)) {
        let row = line.tone.map_or_else(|| row.clone(), |tone| app.ui.paint(tone.tone(), &row));
        app.ui.line(format!("{label}{row}").trim_end())?;
        label = " ".repeat(indent);
    }
    Ok(())
}

/// Prompts for a letter; `None` at the end of the input.
fn ask(run: &ReviewRun<'_>, input: &mut impl BufRead) -> AppResult<Option<String>> {
    let count = run.dialogue.count();
    run.app.ui.text(&match run.dialogue.current() {
        Some(_) if run.dialogue.choices() > 0 => {
            format!("duplicate of [1-{}, else back] ", run.dialogue.choices())
        }
        Some(index) => format!("{} of {count} [y/e/n/s/w/o/d/u/q/?] ", index + 1),
        None => "end [u/q/?] ".to_owned(),
    })?;
    run.app.ui.flush()?;
    let mut bytes = Vec::new();
    if input.read_until(b'\n', &mut bytes)? == 0 {
        run.app.ui.line("")?;
        return Ok(None);
    }
    if !run.app.terminal.stdin_is_terminal {
        // At a terminal, the person's Enter ends the line.
        run.app.ui.line("")?;
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
