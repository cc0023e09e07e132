//! The second step: secrets are replaced by a marker, wherever text can hide one.

use serde_json::Value;
use tacit_core::Config;

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
    if let Some(details) = &mut draft.details {
        redact_json(details, &mut treatment);
    }
    let said = draft.clone().check(default_confidence(config)).map_err(EngineError::Invalid)?;
    Ok(Prepared { draft, said, treatment })
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

fn redact_json(value: &mut Value, treatment: &mut Treatment) {
    match value {
        Value::String(text) => redact_text(text, treatment),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_json(item, treatment)),
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| redact_json(field, treatment));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_core::Draft;

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
