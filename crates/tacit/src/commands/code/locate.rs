//! `tacit code locate`

use std::io::Read;

use tacit_app::locate::{LocatedFiles, locate};
use tacit_app::{AppError, AppResult};

use crate::app::CliApp;
use crate::commands::footer;
use crate::filter_args::at_least_one;
use crate::render::visible_line;
use crate::ui::Tone;

/// Bytes of the beginning and of the end of standard input that are kept.
const KEPT: usize = 1 << 19;

/// List the files that a task is about.
///
/// Takes the text of a task, an issue or an error and lists the files it is most likely about, each
/// with the reasons: paths and names in the text, stack traces, messages, words, similar commits and
/// memories. Only what HEAD can reach is known. docs/locate.md explains the method.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit code locate \"Pool.close hangs when a socket is busy\"
  tacit code locate --symbols --limit 3 \"wrong total after a refund\"
  tacit code locate - < issue.md
  tacit code locate - --json --explain < issue.md")]
pub(crate) struct LocateArgs {
    /// The text; `-` reads it from standard input.
    #[arg(value_name = "TEXT", required = true)]
    text: Vec<String>,
    /// Number of files to list.
    #[arg(long, short = 'n', value_name = "COUNT", default_value = "10", value_parser = at_least_one)]
    limit: usize,
    /// Show the functions and types in each file that fit best.
    #[arg(long)]
    symbols: bool,
    /// Show all evidence for each file with its weight.
    #[arg(long)]
    explain: bool,
}

impl LocateArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let text = self.text()?;
        if text.trim().is_empty() {
            return Err(
                AppError::usage("the text is empty").hint("describe the task, as in an issue")
            );
        }
        let LocatedFiles { answer, warnings } = locate(app, &text, self.limit)?;
        warnings.iter().for_each(|why| app.watcher.warn(why));
        if app.json {
            return app.ui.json(&answer.to_json(self.explain));
        }
        let footer = footer(0, answer.files.len(), answer.matching_files);
        if !self.explain {
            app.ui.lines(answer.lines(self.symbols).iter().map(|line| visible_line(line)))?;
            return app.ui.footer(footer);
        }
        for file in answer.files.iter().chain(&answer.tests) {
            let percent = file.probability * 100.0;
            app.ui.line(visible_line(&format!(
                "{}  {:.2}, {percent:.0}% likely",
                file.path, file.score
            )))?;
            app.ui.lines(
                file.explain()
                    .iter()
                    .map(|line| app.ui.paint(Tone::Dim, &visible_line(&format!("  {line}")))),
            )?;
        }
        app.ui.footer(footer)
    }

    fn text(&self) -> AppResult<String> {
        if self.text != ["-"] {
            return Ok(self.text.join(" "));
        }
        let bytes = both_ends(std::io::stdin().lock(), KEPT)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Reads everything, or `kept` bytes of the beginning and of the end on lines of their own.
fn both_ends(from: impl Read, kept: usize) -> std::io::Result<Vec<u8>> {
    let mut from = std::io::BufReader::new(from);
    let mut bytes = Vec::new();
    from.by_ref().take(kept as u64).read_to_end(&mut bytes)?;
    let mut end = Vec::new();
    while from.by_ref().take(kept as u64).read_to_end(&mut end)? > 0 {
        if end.len() > 2 * kept {
            end.drain(..end.len() - kept);
            end.insert(0, b'\n');
        }
    }
    bytes.append(&mut end);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::both_ends;

    #[test]
    fn long_input_keeps_both_ends() {
        for (length, whole) in [(0, true), (10, true), (30, true), (300, false)] {
            let text: String =
                (0..length).map(|n: u16| char::from(b'a' + (n % 26) as u8)).collect();
            let read =
                String::from_utf8(both_ends(text.as_bytes(), 10).expect("text")).expect("text");
            assert_eq!(read == text, whole, "{length}");
            let (head, tail) = (text.len().min(10), text.len().saturating_sub(10));
            assert!(
                read.starts_with(&text[..head]) && read.ends_with(&text[tail..]),
                "{length}: {read}"
            );
            assert!(read.len() <= 45, "{length}");
        }
    }
}
