//! The second step: secrets are replaced by a marker, wherever text can hide one.

use serde_json::Value;
use tacit_core::{Config, Draft, FieldError, Memory, Reasoning, WorkUnitRef};

use super::validate::{Valid, default_confidence};
use super::{Prepared, Treatment};
use crate::error::{EngineError, EngineResult};

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
    if let Some(details) = &mut draft.details {
        redact_json(details, &mut treatment);
    }
    if let Some(unit) = draft.work_unit.take() {
        draft.work_unit = Some(redact_unit(&unit, &mut treatment)?);
    }
    let said = draft.clone().check(default_confidence(config)).map_err(EngineError::Invalid)?;
    Ok(Prepared { draft, said, treatment })
}

/// Texts that name things. Nobody writes prose there, but a script may put anything anywhere.
fn names_mut(draft: &mut Draft) -> impl Iterator<Item = &mut String> {
    let Draft {
        generator, session, target_node, related_files, related_symbols, relations, ..
    } = draft;
    [generator, session, target_node]
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
    let redacted = tacit_redact::redact(text);
    if redacted.is_clean() {
        return;
    }
    for finding in redacted.findings() {
        treatment.count(finding.rule, finding.count);
    }
    *text = redacted.text.into_owned();
}

/// Replaces the secrets in every text of a value, keys included.
pub(crate) fn redact_json(value: &mut Value, treatment: &mut Treatment) {
    match value {
        Value::String(text) => redact_text(text, treatment),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_json(item, treatment)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| redact_json(field, treatment));
            if fields.keys().any(|key| !tacit_redact::redact(key).is_clean()) {
                let renamed = std::mem::take(fields).into_iter().map(|(mut key, field)| {
                    redact_text(&mut key, treatment);
                    (key, field)
                });
                *fields = renamed.collect();
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
