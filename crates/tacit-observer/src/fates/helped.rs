//! Helped: a known failure passed on the next try after the agent did what the memory says, a command
//! that does not work was replaced by the one that does, or the guard kept a command from running.

use super::acted::ran_recommended;
use super::guidance::{Guidance, adds_line};
use super::session::{MAX_GUIDED_FILES, Window, has_passed};
use super::{GUARD_LAYERS, RETRY_CALLS, ShownMemory};
use crate::command_form::runs_command;
use crate::text::{quote, quote_command};
use crate::timeline::StepKind;

/// Returns how a memory helped, if it did.
pub(super) fn helped(
    window: &Window<'_>,
    shown: &ShownMemory<'_>,
    guidance: &Guidance,
) -> Option<String> {
    if GUARD_LAYERS.contains(&shown.layer) {
        return kept_from(window, guidance);
    }
    replaced(window, guidance).or_else(|| passed(window, guidance))
}

/// Returns the command that the agent left alone after the guard stopped it.
fn kept_from(window: &Window<'_>, guidance: &Guidance) -> Option<String> {
    let line = window.occasion()?;
    let went_on = window
        .events()
        .any(|(_, calls, entry)| calls > 0 || matches!(entry.step(), Some(StepKind::Message(_))));
    let ran = window.events().any(|(_, _, entry)| {
        entry.run().is_some_and(|run| {
            run.line == line || guidance.warned.iter().any(|form| runs_command(&run.line, form))
        })
    });
    (went_on && !ran).then(|| format!("{} was not run", quote_command(line)))
}

/// Returns the recommended command that worked in place of one that the memory warns of.
fn replaced(window: &Window<'_>, guidance: &Guidance) -> Option<String> {
    let line = window.occasion()?;
    let warned = guidance.warned.iter().find(|form| runs_command(line, form))?;
    let mut events = window.events().filter(|(_, calls, _)| *calls <= RETRY_CALLS);
    let form = events.find_map(|(at, _, entry)| {
        let run = entry.run().filter(|run| has_passed(run))?;
        guidance.commands.iter().find(|form| {
            runs_command(&run.line, form)
                && !runs_command(line, form)
                && !window.knew_command(form, at)
        })
    })?;
    Some(format!("{} worked in place of {}", quote_command(form), quote_command(warned)))
}

/// Returns the check that passed on the next try after the agent did what the memory says.
fn passed(window: &Window<'_>, guidance: &Guidance) -> Option<String> {
    let failed = window.failure()?;
    let mut events = window.events().filter(|(_, calls, _)| *calls <= RETRY_CALLS);
    let (retry, calls) = events.find_map(|(at, calls, entry)| {
        entry.run().filter(|run| run.check.key == failed.check.key).map(|_| (at, calls))
    })?;
    let passed =
        window.events().any(|(at, _, entry)| at == retry && entry.run().is_some_and(has_passed));
    if !passed {
        return None;
    }
    let did = followed(window, guidance, retry, calls)?;
    Some(format!("{} passed on the next try, after {did}", quote_command(&failed.line)))
}

/// Returns what the agent did of a memory before a place.
fn followed(
    window: &Window<'_>,
    guidance: &Guidance,
    before: usize,
    calls: usize,
) -> Option<String> {
    let edits = window.events().filter(|(at, ..)| *at < before).filter_map(|(at, _, entry)| {
        match entry.step() {
            Some(StepKind::Edit(files)) => Some((at, files)),
            _ => None,
        }
    });
    for (at, files) in edits {
        for (file, edit) in files {
            let line = guidance.lines.iter().find(|line| adds_line(&edit.old, &edit.new, line));
            if let Some(line) = line {
                return Some(format!("{} was added", quote(line)));
            }
            let is_guided =
                guidance.files.len() <= MAX_GUIDED_FILES && guidance.files.contains(file);
            if is_guided && !window.knew_file(file, at) {
                return Some(format!("{} was changed", quote(file.as_str())));
            }
        }
    }
    let (after, form) = ran_recommended(window, guidance, calls)?;
    (after < calls).then(|| format!("{} was run", quote_command(form)))
}
