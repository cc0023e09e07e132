//! How a unit of work ended.

use tacit_core::WorkUnitOutcome;

use super::{Found, Scene};
use crate::log::{NoteKind, ReportedUnit, UnitStatus};
use crate::promotion::{Basis, Candidate};
use crate::text::{counted, key, line};
use crate::timeline::Act;

/// How many files and decisions are named.
const MOST_FILES: usize = 50;
const MOST_DECISIONS: usize = 10;
const CONFIDENCE: f64 = 0.9;

pub(super) fn infer(scene: &Scene<'_>, found: &mut Found) {
    let Some(unit) = scene.tree.unit() else { return };
    let reports: Vec<(usize, &ReportedUnit)> = scene
        .timeline
        .steps
        .iter()
        .enumerate()
        .filter_map(|(place, step)| match &step.act {
            Act::Unit(report) if report.work_unit.hierarchy() == unit.hierarchy() => {
                Some((place, report))
            }
            _ => None,
        })
        .collect();
    let Some((place, last)) = reports.last().copied() else { return };
    let about = unit.label().to_owned();
    let succeeded = match last.status {
        UnitStatus::Started => {
            found.drop(Basis::Outcome, about, 1, "nobody said how it ended");
            return;
        }
        UnitStatus::Succeeded => true,
        UnitStatus::Failed => false,
    };
    let failed = reports.iter().filter(|(_, report)| report.status == UnitStatus::Failed).count();
    let retry_count = if succeeded { failed } else { failed.saturating_sub(1) } as u32;
    let mut files = scene.timeline.changed_files();
    files.truncate(MOST_FILES);
    let decisions =
        scene.tree.notes.iter().filter(|note| note.kind == NoteKind::Agent("decision".into()));
    let key_decisions: Vec<String> =
        decisions.take(MOST_DECISIONS).map(|note| line(&note.text, 200)).collect();
    let summary = last.summary.as_deref().map(|text| line(text, 500));
    let steps = scene.timeline.calls();
    let outcome = WorkUnitOutcome {
        succeeded,
        files_modified: files.clone(),
        key_decisions,
        steps_taken: steps as u32,
        context_tokens_used: Some(scene.digest.tokens).filter(|tokens| *tokens > 0),
        retry_count,
        failure_reason: if succeeded { None } else { summary.clone() },
    };
    let what = if succeeded { "succeeded" } else { "failed" };
    let said = summary.map_or_else(String::new, |summary| format!(": {summary}"));
    let content = format!(
        "{} {what} after {}, with {} changed{said}",
        unit.label(),
        counted(steps, "step", "steps"),
        counted(files.len(), "file", "files"),
    );
    let mut draft = scene.draft("work_unit_outcome", content, &files, CONFIDENCE);
    draft.scope = Some("work_unit".to_owned());
    draft.details = serde_json::to_value(&outcome).ok();
    found.candidates.push(Candidate {
        basis: Basis::Outcome,
        key: key(&["outcome", &unit.hierarchy().join("\n"), what]),
        about,
        occurrences: 1,
        at: scene.at(place),
        // That a unit failed is what somebody reported, whatever the checks say.
        place: succeeded.then_some(place),
        draft,
        replaces: false,
    });
}
