//! Contradicted: the session showed that the memory does not hold.

use tacit_core::{Details, ErrorPattern};

use super::guidance::Guidance;
use super::session::{Entry, Window, has_failed, has_passed};
use super::{RETRY_CALLS, ShownMemory};
use crate::application::AppCall;
use crate::command_form::runs_command;
use crate::rules::{KnownObservation, contradicted_by_calls};
use crate::text::quote_command;
use crate::timeline::StepKind;

/// Returns how the session contradicted a memory, if it did.
pub(super) fn contradicted(
    window: &Window<'_>,
    shown: &ShownMemory<'_>,
    guidance: &Guidance,
) -> Option<String> {
    observation(window, shown).or_else(|| command(window, shown, guidance))
}

/// Returns true if the command that is said to work failed, and the one that is said not to work then
/// worked, without a change in between.
fn command(window: &Window<'_>, shown: &ShownMemory<'_>, guidance: &Guidance) -> Option<String> {
    let Details::ErrorPattern(ErrorPattern { fix: Some(_), .. }) =
        shown.memory.body.subject.details()
    else {
        return None;
    };
    let mut failed: Option<&str> = None;
    for (_, _, entry) in window.events().filter(|(_, calls, _)| *calls <= RETRY_CALLS) {
        if matches!(entry.step(), Some(StepKind::Edit(_))) {
            failed = None;
        }
        let Some(run) = entry.run() else { continue };
        // Elsewhere, either may do something else.
        if runs_command(&run.line, "cd") {
            continue;
        }
        let is_one = |forms: &[String]| forms.iter().any(|form| runs_command(&run.line, form));
        if has_failed(run) && is_one(&guidance.commands) {
            failed = Some(&run.line);
        } else if let Some(recommended) = failed
            && has_passed(run)
            && is_one(&guidance.warned)
            && !is_one(&guidance.commands)
        {
            return Some(format!(
                "{} failed, and {} worked",
                quote_command(recommended),
                quote_command(&run.line)
            ));
        }
    }
    None
}

/// Returns true if an action in the running application did what the memory says it does not.
fn observation(window: &Window<'_>, shown: &ShownMemory<'_>) -> Option<String> {
    let Details::E2eObservation(seen) = shown.memory.body.subject.details() else { return None };
    let known = KnownObservation {
        id: shown.memory.id,
        kind: seen.observation_type,
        content: shown.memory.body.content.to_string(),
    };
    // What was done before counts too: it may be what the action needs.
    let earlier: Vec<&AppCall> = window.earlier().filter_map(app_call).collect();
    let later = window.events().filter_map(|(_, _, entry)| app_call(entry));
    let all: Vec<&AppCall> = earlier.iter().copied().chain(later).collect();
    let known = std::slice::from_ref(&known);
    let is_denied = !contradicted_by_calls(known, &all).is_empty()
        && contradicted_by_calls(known, &earlier).is_empty();
    is_denied.then(|| "the action worked at once".to_owned())
}

fn app_call(entry: &Entry) -> Option<&AppCall> {
    match entry.step() {
        Some(StepKind::AppCall(call)) => Some(call),
        _ => None,
    }
}
