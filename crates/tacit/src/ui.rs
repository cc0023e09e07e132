//! Where output goes, how wide it is, and whether it is coloured.

use std::io::{self, BufWriter, Stdout, Write};

use anstyle::{AnsiColor, Style};
use tacit_core::ColorChoice;

use crate::environment::Environment;
use crate::render::visible;

/// Standard output with what is known about it.
pub(crate) struct Ui {
    out: BufWriter<Stdout>,
    color: bool,
    width: usize,
    /// Whether a person is watching: asides are for people, not for pipes.
    pub(crate) interactive: bool,
}

/// What a piece of text is, which decides its colour.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tone {
    /// An identifier.
    Id,
    /// A type.
    Kind,
    /// Something that went well.
    Good,
    /// Something to look at.
    Warn,
    /// Less important.
    Dim,
    /// A heading.
    Strong,
}

impl Ui {
    pub(crate) fn new(environment: &Environment, choice: ColorChoice) -> Ui {
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => environment.stdout_is_terminal && !environment.no_color,
        };
        let width = environment
            .stdout_is_terminal
            .then(terminal_size::terminal_size)
            .flatten()
            .map(|(width, _)| usize::from(width.0))
            .or(environment.columns)
            .unwrap_or(100);
        Ui {
            out: BufWriter::new(io::stdout()),
            color,
            width: width.clamp(40, 160),
            interactive: environment.stdout_is_terminal,
        }
    }

    /// How many columns there are.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Text in the colour of its tone.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        if !self.color {
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

    /// Says something beside the output, on standard error.
    pub(crate) fn note(&self, text: &str) {
        let _ = writeln!(io::stderr(), "note: {}", visible(text));
    }

    /// Warns beside the output, on standard error.
    pub(crate) fn warn(&self, text: &str) {
        let _ = writeln!(io::stderr(), "warning: {}", visible(text));
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// Prints text that has its own ends of lines.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// Prints bytes as they are; on a terminal, so that they cannot play tricks on it.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.interactive {
            return self.out.write_all(bytes);
        }
        self.out.write_all(visible(&String::from_utf8_lossy(bytes)).as_bytes())
    }

    /// Prints a value as JSON on one line.
    pub(crate) fn json(&mut self, value: &serde_json::Value) -> io::Result<()> {
        writeln!(self.out, "{value}")
    }

    /// Makes sure that everything printed so far has left.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
