//! The second step: secrets are replaced by a marker, wherever text can hide one.

use serde_json::Value;
use tacit_core::log::LogRecord;
use tacit_core::{Config, Draft, FieldError, Memory, Problem, Reasoning, WorkUnitRef, visit_value};
use tacit_store::Note;

use super::validate::{Valid, default_confidence};
use super::{Prepared, Treatment};
use crate::error::{EngineError, EngineResult};
use crate::learning::learning_name;

/// The marker that remains of a text that was private as a whole.
const ALL_PRIVATE: &str = "[redacted:private]";

/// Replaces secrets and turns the draft into what will be kept. A marker can be longer than what
/// it replaces, so that limits are checked again.
pub(super) fn redact(valid: Valid, config: &Config) -> EngineResult<Prepared> {
    let Valid { mut draft, mut treatment } = valid;
    for (_, text) in draft.texts_mut() {
        redact_text(text, &mut treatment);
    }
    for text in names_mut(&mut draft) {
        redact_text(text, &mut treatment);
    }
    if let Some(session) = &mut draft.session {
        redact_identifier(session, &mut treatment);
    }
    if let Some(name) = draft.name.take() {
        draft.title = draft.title.or_else(|| Some(learning_name(&name)).filter(|t| !t.is_empty()));
    }
    if let Some(details) = &mut draft.details {
        redact_json(details, &mut treatment);
    }
    if let Some(unit) = draft.work_unit.take() {
        draft.work_unit = Some(redact_unit(&unit, &mut treatment)?);
    }
    if draft.content.trim() == ALL_PRIVATE {
        let problem = Problem::rule("there is nothing in it that is not private");
        return Err(EngineError::Invalid(vec![FieldError::new("content", problem)]));
    }
    let said = draft.clone().check(default_confidence(config)).map_err(EngineError::Invalid)?;
    Ok(Prepared { draft, said, treatment })
}

/// Texts that name things. Nobody writes prose there, but a script may put anything anywhere.
fn names_mut(draft: &mut Draft) -> impl Iterator<Item = &mut String> {
    let Draft {
        kind,
        generator,
        target_node,
        commit,
        related_files,
        related_symbols,
        relations,
        ..
    } = draft;
    [kind, generator, target_node, commit]
        .into_iter()
        .flatten()
        .chain(related_files)
        .chain(related_symbols)
        .chain(relations.iter_mut().filter_map(|relation| relation.file.as_mut()))
}

fn redact_unit(unit: &WorkUnitRef, treatment: &mut Treatment) -> EngineResult<WorkUnitRef> {
    let mut methodology = unit.methodology().to_owned();
    let mut hierarchy = unit.hierarchy().to_vec();
    let mut label = unit.label().to_owned();
    for text in hierarchy.iter_mut().chain([&mut methodology, &mut label]) {
        redact_text(text, treatment);
    }
    WorkUnitRef::new(methodology, hierarchy, label)
        .map_err(|problem| EngineError::Invalid(vec![FieldError::new("work_unit", problem)]))
}

/// A memory without secrets, for ways in that bring one whole.
pub(crate) fn redact_memory(memory: Memory, treatment: &mut Treatment) -> EngineResult<Memory> {
    let mut value = memory.to_json();
    let mut found = Treatment::default();
    redact_json(&mut value, &mut found);
    if found.redacted.is_empty() {
        return Ok(memory);
    }
    treatment.add(&found);
    Memory::from_json(value).map_err(EngineError::from)
}

/// A reason without secrets; one that no longer fits is cut.
pub(crate) fn redact_reason(reason: Reasoning) -> Reasoning {
    let redacted = tacit_redact::redact(reason.as_str());
    if redacted.is_clean() {
        return reason;
    }
    let whole = redacted.text.as_ref();
    let fits = (0..=whole.len()).rev().filter(|end| whole.is_char_boundary(*end));
    let mut shortened = fits.filter_map(|end| Reasoning::new(&whole[..end]).ok());
    shortened.next().unwrap_or_else(|| unreachable!("a marker begins with a character"))
}

/// Replaces the secrets in one text.
pub(crate) fn redact_text(text: &mut String, treatment: &mut Treatment) {
    take_out(text, treatment, tacit_redact::redact);
}

fn take_out(
    text: &mut String,
    treatment: &mut Treatment,
    redact: impl FnOnce(&str) -> tacit_redact::Redacted<'_>,
) {
    let redacted = redact(text);
    if redacted.is_clean() {
        return;
    }
    for finding in redacted.findings() {
        treatment.count(finding.rule, finding.count);
    }
    *text = redacted.text.into_owned();
}

/// Replaces a name that holds a secret by one that still tells it from others.
fn redact_identifier(name: &mut String, treatment: &mut Treatment) {
    let hidden = tacit_redact::identifier(name);
    if hidden != *name {
        for finding in tacit_redact::redact(name).findings() {
            treatment.count(finding.rule, finding.count);
        }
        *name = hidden.into_owned();
    }
}

/// Replaces the secrets in every text of a value, keys included.
pub(crate) fn redact_json(value: &mut Value, treatment: &mut Treatment) {
    visit_value(None, value, &mut |field, text| match field {
        Some(name) => take_out(text, treatment, |text| tacit_redact::redact_field(name, text)),
        None => redact_text(text, treatment),
    });
}

/// Replaces the secrets in every text of a record of the log.
pub fn redact_record(mut record: LogRecord) -> EngineResult<LogRecord> {
    record.visit_texts(&mut hide_secrets).map_err(unwritable)?;
    Ok(record)
}

/// Replaces the secrets in every text of a note.
pub fn redact_note(mut note: Note) -> EngineResult<Note> {
    hide_secrets(None, &mut note.text);
    note.record.visit_texts(&mut hide_secrets).map_err(unwritable)?;
    Ok(note)
}

/// The error of a text that names nothing any more without its secrets.
fn unwritable(problem: Problem) -> EngineError {
    EngineError::Invalid(vec![FieldError::new("report", problem)])
}

fn hide_secrets(field: Option<&str>, text: &mut String) {
    let redacted = match field {
        Some(name) => tacit_redact::redact_field(name, text),
        None => tacit_redact::redact(text),
    };
    if !redacted.is_clean() {
        *text = redacted.text.into_owned();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_cut_after_its_secrets_are_out() {
        let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
        let draft = Draft {
            content: "use the token from the vault".into(),
            name: Some(format!("push to the mirror of the project with the token {token}")),
            ..Draft::default()
        };
        let valid = Valid { draft, treatment: Treatment::default() };
        let prepared = redact(valid, &Config::default()).unwrap();
        let title = prepared.said.title.unwrap();
        assert!(!title.as_str().contains("ghp_"), "{title}");
        assert_eq!(title.as_str().chars().count(), 60);
        assert_eq!(prepared.draft.name, None);
    }

    #[test]
    fn secrets_go_from_every_text() {
        let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
        let draft = Draft {
            content: format!("use {token} to push"),
            reasoning: Some(format!("because {token}")),
            kind: Some("dead_end".into()),
            details: Some(serde_json::json!({
                "approach_tried": token, "why_it_failed": "x", "alternative_used": "y",
                "task_context": "z",
            })),
            ..Draft::default()
        };
        let valid = Valid { draft, treatment: Treatment::default() };
        let prepared = redact(valid, &Config::default()).unwrap();
        let kept = format!("{:?}", prepared.said);
        assert!(!kept.contains(token), "{kept}");
        assert_eq!(prepared.treatment.redacted.iter().map(|(_, n)| n).sum::<usize>(), 3);
    }
}
