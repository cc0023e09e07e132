//! Acted on: the agent opened a file of the memory or ran its command, and nothing else had told it
//! to.

use super::guidance::Guidance;
use super::session::{MAX_GUIDED_FILES, Window, has_failed};
use super::{COMMAND_CALLS, FILE_CALLS};
use crate::command_form::runs_command;
use crate::text::{counted, quote, quote_command};
use crate::timeline::StepKind;

/// Returns the use of a memory's file or command, if there was one.
pub(super) fn acted(window: &Window<'_>, guidance: &Guidance) -> Option<String> {
    file(window, guidance).or_else(|| command(window, guidance))
}

fn file(window: &Window<'_>, guidance: &Guidance) -> Option<String> {
    // The files of a fix are of use only when its error occurs.
    if guidance.files.len() > MAX_GUIDED_FILES || (guidance.is_fix && window.failure().is_none()) {
        return None;
    }
    window.events().filter(|(_, calls, _)| *calls <= FILE_CALLS).find_map(|(at, calls, entry)| {
        let opened = entry.files();
        let file = guidance.files.iter().find(|file| {
            opened.iter().any(|name| name == file.as_str()) && !window.knew_file(file, at)
        })?;
        let verb = match entry.step() {
            Some(StepKind::Edit(_)) => "changed",
            _ => "opened",
        };
        Some(format!("{} was {verb} {}", quote(file.as_str()), later(calls)))
    })
}

fn command(window: &Window<'_>, guidance: &Guidance) -> Option<String> {
    let (calls, form) = ran_recommended(window, guidance, COMMAND_CALLS)?;
    Some(format!("{} was run {}", quote_command(form), later(calls)))
}

/// Returns the first recommended command that ran and did not fail, with the number of calls. A
/// command that the session had before does not count.
pub(super) fn ran_recommended<'g>(
    window: &Window<'_>,
    guidance: &'g Guidance,
    most_calls: usize,
) -> Option<(usize, &'g str)> {
    let mut events = window.events().filter(|(_, calls, _)| *calls <= most_calls);
    events.find_map(|(at, calls, entry)| {
        let run = entry.run().filter(|run| !has_failed(run))?;
        let form = guidance
            .own_commands()
            .find(|form| runs_command(&run.line, form) && !window.knew_command(form, at))?;
        Some((calls, form))
    })
}

fn later(calls: usize) -> String {
    match calls {
        0 | 1 => "in the next call".to_owned(),
        _ => format!("{} later", counted(calls, "call", "calls")),
    }
}
