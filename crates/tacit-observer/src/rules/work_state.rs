//! Where the work on a unit was left, for whoever takes it up again.

use serde_json::json;

use super::{Found, Scene};
use crate::log::UnitStatus;
use crate::promotion::{Basis, Candidate};
use crate::text::{counted, key, line, names};
use crate::timeline::Act;

/// How many files are named.
const MOST_FILES: usize = 12;
const CONFIDENCE: f64 = 0.8;

pub(super) fn infer(scene: &Scene<'_>, found: &mut Found) {
    let Some(unit) = scene.tree.unit() else { return };
    let last = scene.timeline.steps.iter().rev().find_map(|step| match &step.act {
        Act::Unit(report) if report.work_unit.hierarchy() == unit.hierarchy() => {
            Some(report.status)
        }
        _ => None,
    });
    let mut files = scene.timeline.changed_files();
    if last == Some(UnitStatus::Succeeded) || files.is_empty() {
        return;
    }
    let more = files.len().saturating_sub(MOST_FILES);
    files.truncate(MOST_FILES);
    let end = scene.timeline.steps.len();
    let task = scene.timeline.task_before(end).map(|task| line(task, 300)).unwrap_or_default();
    let list: Vec<&str> = files.iter().map(|file| file.as_str()).collect();
    let also =
        if more > 0 { format!(" and {}", counted(more, "other", "others")) } else { String::new() };
    let asked = if task.is_empty() { String::new() } else { format!(" Last asked: {task}.") };
    let content = format!(
        "{} is not done. Changed so far: {}{also}. Checks: {}.{asked}",
        unit.label(),
        names(&list),
        scene.verdict.told(),
    );
    let mut draft = scene.draft("work_state", content, &files, CONFIDENCE);
    draft.scope = Some("work_unit".to_owned());
    draft.details = Some(json!({
        "task": task, "files": list, "checks": scene.verdict.told(), "plan": scene.digest.plan,
    }));
    found.candidates.push(Candidate {
        basis: Basis::Outcome,
        key: key(&["work_state", &unit.hierarchy().join("\n")]),
        about: format!("where {} was left", unit.label()),
        occurrences: 1,
        at: scene.digest.at,
        // How things stand is so, whatever the checks say.
        place: None,
        draft,
        replaces: true,
    });
}
