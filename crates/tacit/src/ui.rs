//! Standard output and standard error: width, colours, wrapping and progress bars.

use std::cell::RefCell;
use std::io::{self, BufWriter, Stdout, Write};
use std::sync::{Mutex, PoisonError};

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use tacit_app::{AppResult, ProgressKind, Watcher};
use tacit_core::ColorChoice;

use crate::environment::Terminal;
use crate::render::{cut, visible, wrap_wide};

/// The fewest columns that output is made for.
const NARROWEST: usize = 40;
/// The most columns that output is made for: longer lines are hard to read.
const WIDEST: usize = 160;

/// The fewest columns to which a text is cut.
const SHORTEST: usize = 8;

/// Standard output, with its width and colours.
pub(crate) struct Ui {
    out: RefCell<BufWriter<Stdout>>,
    color: bool,
    width: usize,
    /// True if longer lines are wrapped, because the width is known. Pipes get whole lines.
    wraps: bool,
    /// True if a person reads the output. Pipes get no hints.
    pub(crate) interactive: bool,
}

/// The role of a text, which determines its colour.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tone {
    /// An identifier.
    Id,
    /// A type.
    Kind,
    /// A success.
    Good,
    /// A warning.
    Warn,
    /// Less important.
    Dim,
    /// A heading.
    Strong,
}

impl Ui {
    pub(crate) fn new(terminal: &Terminal, choice: ColorChoice) -> Ui {
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal.stdout_is_terminal && !terminal.no_color,
        };
        let known = terminal
            .stdout_is_terminal
            .then(terminal_size::terminal_size)
            .flatten()
            .map(|(width, _)| usize::from(width.0))
            .or(terminal.columns);
        Ui {
            out: RefCell::new(BufWriter::new(io::stdout())),
            color,
            width: known.unwrap_or(100).clamp(NARROWEST, WIDEST),
            wraps: known.is_some(),
            interactive: terminal.stdout_is_terminal,
        }
    }

    /// Returns true if output is coloured.
    pub(crate) fn is_coloured(&self) -> bool {
        self.color
    }

    /// Returns the number of columns.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Colours a text by its tone.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let style = match tone {
            Tone::Id => Style::new().fg_color(Some(AnsiColor::Cyan.into())),
            Tone::Kind => Style::new().fg_color(Some(AnsiColor::Magenta.into())),
            Tone::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
            Tone::Warn => Style::new().fg_color(Some(AnsiColor::Yellow.into())),
            Tone::Dim => Style::new().dimmed(),
            Tone::Strong => Style::new().bold(),
        };
        format!("{style}{text}{style:#}")
    }

    /// Cuts the text column of a row whose other columns take so many; not for pipes.
    pub(crate) fn fit(&self, text: &str, taken: usize) -> String {
        if !self.wraps {
            return text.to_owned();
        }
        cut(text, self.width.saturating_sub(taken).max(SHORTEST))
    }

    /// Prints a line, in several rows if it is wider than the terminal.
    pub(crate) fn line(&self, text: impl AsRef<str>) -> AppResult<()> {
        let mut out = self.out.borrow_mut();
        if !self.wraps {
            return Ok(writeln!(out, "{}", text.as_ref())?);
        }
        for row in text.as_ref().split('\n').flat_map(|line| wrap_wide(line, self.width)) {
            writeln!(out, "{row}")?;
        }
        Ok(())
    }

    /// Prints lines.
    pub(crate) fn lines(&self, lines: impl IntoIterator<Item: AsRef<str>>) -> AppResult<()> {
        lines.into_iter().try_for_each(|line| self.line(line))
    }

    /// Prints the last line of a truncated list.
    pub(crate) fn footer(&self, line: Option<String>) -> AppResult<()> {
        line.map_or(Ok(()), |line| self.line(self.paint(Tone::Dim, &line)))
    }

    /// Prints lines in groups, with an empty line between two groups.
    pub(crate) fn paragraphs(
        &self,
        groups: impl IntoIterator<Item: IntoIterator<Item: AsRef<str>>>,
    ) -> AppResult<()> {
        groups.into_iter().enumerate().try_for_each(|(index, lines)| {
            if index > 0 {
                self.line("")?;
            }
            self.lines(lines)
        })
    }

    /// Prints a text without adding a line break.
    pub(crate) fn text(&self, text: &str) -> AppResult<()> {
        Ok(self.out.borrow_mut().write_all(text.as_bytes())?)
    }

    /// Prints bytes unchanged; on a terminal, control characters are shown as visible text.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> AppResult<()> {
        if self.interactive {
            return self.text(&visible(&String::from_utf8_lossy(bytes)));
        }
        Ok(self.out.borrow_mut().write_all(bytes)?)
    }

    /// Prints a value as JSON on one line.
    pub(crate) fn json(&self, value: &Value) -> AppResult<()> {
        self.text(&format!("{value}\n"))
    }

    /// Asks a yes-or-no question at the terminal; only `y` and `yes` count as yes.
    pub(crate) fn ask(&self, question: &str) -> AppResult<bool> {
        self.text(&format!("{question} [y/N] "))?;
        self.flush()?;
        let mut answer = String::new();
        io::stdin().read_line(&mut answer)?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// Writes out buffered output.
    pub(crate) fn flush(&self) -> AppResult<()> {
        Ok(self.out.borrow_mut().flush()?)
    }
}

/// Prints a message on standard error, wrapped to the width of the terminal. Failures are ignored:
/// the exit code still reports the outcome.
pub(crate) fn tell(message: &str) {
    let columns = Terminal::read().error_columns();
    let mut text = String::new();
    for line in message.lines() {
        match columns {
            None => text.push_str(&format!("{line}\n")),
            Some(columns) => {
                let rows = wrap_wide(line, columns.clamp(NARROWEST, WIDEST));
                rows.into_iter().for_each(|row| text.push_str(&format!("{row}\n")));
            }
        }
    }
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Creates a progress bar on standard error; an invisible one if `is_silent`.
pub(crate) fn bar(template: &str, is_silent: bool) -> ProgressBar {
    let target =
        if is_silent { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Shows notes and progress bars on standard error.
pub(crate) struct Spectator {
    is_silent: bool,
    bar: Mutex<Option<ProgressBar>>,
}

impl Spectator {
    /// Creates a spectator; it shows no progress bars if `is_silent`.
    pub(crate) fn new(is_silent: bool) -> Spectator {
        Spectator { is_silent, bar: Mutex::new(None) }
    }
}

impl Watcher for Spectator {
    fn note(&self, text: &str) {
        tell(&format!("note: {}", visible(text)));
    }

    fn warn(&self, text: &str) {
        tell(&format!("warning: {}", visible(text)));
    }

    fn progress(&self, what: ProgressKind, done: u64, total: u64) {
        if self.is_silent {
            return;
        }
        let mut shown = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = shown.get_or_insert_with(|| {
            let template = match what {
                ProgressKind::Files => "{bar:30} {pos}/{len} files, {eta} left",
                ProgressKind::Vectors => "{bar:30} {pos}/{len} embedded, {eta} left",
                ProgressKind::Modules => "{bar:30} {pos}/{len} modules",
                ProgressKind::Commits => "{bar:30} {pos}/{len} commits, {eta} left",
                ProgressKind::Memories => "{bar:30} {pos}/{len} memories, {eta} left",
                ProgressKind::Rows => "{bar:30} {pos}/{len} rows, {eta} left",
                ProgressKind::Sessions => "{bar:30} {pos}/{len} sessions, {eta} left",
            };
            bar(template, false)
        });
        bar.set_length(total);
        bar.set_position(done);
        if done >= total {
            bar.finish_and_clear();
            *shown = None;
        }
    }
}
