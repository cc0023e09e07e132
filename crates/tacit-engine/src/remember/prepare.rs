//! The steps of the write gate that need no store: every field is cleaned and checked, and secrets
//! are replaced with markers.

use serde_json::Value;
use tacit_core::log::LogRecord;
use tacit_core::{
    Confidence, Draft, FieldError, Memory, MemoryBody, Problem, Reasoning, WorkUnitRef, clean,
    visit_value,
};
use tacit_store::Note;

use super::TextCleanup;
use crate::engine::StoreScope;
use crate::error::{EngineError, EngineResult};
use crate::learning::learning_name;

/// The marker that remains of an entirely private text.
const ALL_PRIVATE: &str = "[redacted:private]";
/// The confidence of a memory that names none.
const CONFIDENCE: f64 = 0.9;

/// A request that is ready for the store.
pub(crate) struct PreparedRequest {
    /// The cleaned and redacted draft.
    pub(crate) draft: Draft,
    pub(crate) body: MemoryBody,
    pub(crate) cleanup: TextCleanup,
}

/// Cleans, checks and redacts a draft. The error lists all invalid fields.
pub(super) fn prepare(mut draft: Draft, scope: StoreScope) -> EngineResult<PreparedRequest> {
    let confidence = Confidence::new(CONFIDENCE).unwrap_or(Confidence::HIGH);
    let mut cleanup = TextCleanup::default();
    for (_, text) in draft.texts_mut() {
        let cleaned = clean(text);
        cleanup.removed_controls += cleaned.removed;
        if cleaned.text != *text {
            *text = cleaned.text.into_owned();
        }
    }
    let mut errors = draft.clone().check(confidence).err().unwrap_or_default();
    if !draft.related_files.is_empty() || !draft.related_symbols.is_empty() {
        errors.extend(reject_global_files(scope).err());
    }
    if !errors.is_empty() {
        return Err(EngineError::Invalid(errors));
    }
    redact(&mut draft, &mut cleanup)?;
    // A marker can be longer than the secret it replaces, so the limits are checked again.
    let body = draft.clone().check(confidence).map_err(EngineError::Invalid)?;
    Ok(PreparedRequest { draft, body, cleanup })
}

/// Rejects files in a global memory, which applies to all projects.
pub(crate) fn reject_global_files(scope: StoreScope) -> Result<(), FieldError> {
    if scope == StoreScope::Project {
        return Ok(());
    }
    let rule = "a global memory cannot have files of one project";
    Err(FieldError::new("related_files", Problem::rule(rule)))
}

/// Redacts a draft, then makes a title from its name.
fn redact(draft: &mut Draft, cleanup: &mut TextCleanup) -> EngineResult<()> {
    for (_, text) in draft.texts_mut() {
        redact_text(text, cleanup);
    }
    for text in names_mut(draft) {
        redact_text(text, cleanup);
    }
    if let Some(session) = &mut draft.session {
        redact_identifier(session, cleanup);
    }
    if let Some(name) = draft.name.take() {
        let title = Some(learning_name(&name)).filter(|title| !title.is_empty());
        draft.title = draft.title.take().or(title);
    }
    if let Some(details) = &mut draft.details {
        redact_json(details, cleanup);
    }
    if let Some(unit) = draft.work_unit.take() {
        draft.work_unit = Some(redact_unit(&unit, cleanup)?);
    }
    if draft.content.trim() == ALL_PRIVATE {
        let problem = Problem::rule("everything in it is private");
        return Err(FieldError::new("content", problem).into());
    }
    Ok(())
}

/// Returns the texts that hold names instead of prose; a script may put a secret there too.
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

fn redact_unit(unit: &WorkUnitRef, cleanup: &mut TextCleanup) -> EngineResult<WorkUnitRef> {
    let mut methodology = unit.methodology().to_owned();
    let mut hierarchy = unit.hierarchy().to_vec();
    let mut label = unit.label().to_owned();
    for text in hierarchy.iter_mut().chain([&mut methodology, &mut label]) {
        redact_text(text, cleanup);
    }
    WorkUnitRef::new(methodology, hierarchy, label)
        .map_err(|problem| FieldError::new("work_unit", problem).into())
}

/// Redacts a whole memory.
pub(crate) fn redact_memory(memory: Memory, cleanup: &mut TextCleanup) -> EngineResult<Memory> {
    let mut value = memory.to_json();
    let mut found = TextCleanup::default();
    redact_json(&mut value, &mut found);
    if found.redacted.is_empty() {
        return Ok(memory);
    }
    cleanup.add(&found);
    Memory::from_json(value).map_err(EngineError::from)
}

/// Redacts a reason and cuts it if it no longer fits.
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

/// Redacts a text.
pub(crate) fn redact_text(text: &mut String, cleanup: &mut TextCleanup) {
    redact_with(text, cleanup, tacit_redact::redact);
}

fn redact_with(
    text: &mut String,
    cleanup: &mut TextCleanup,
    redact: impl FnOnce(&str) -> tacit_redact::Redacted<'_>,
) {
    let redacted = redact(text);
    if redacted.is_clean() {
        return;
    }
    for finding in redacted.findings() {
        cleanup.count(finding.rule, finding.count);
    }
    *text = redacted.text.into_owned();
}

/// Replaces a name that contains a secret with a distinct placeholder.
fn redact_identifier(name: &mut String, cleanup: &mut TextCleanup) {
    let hidden = tacit_redact::identifier(name);
    if hidden != *name {
        for finding in tacit_redact::redact(name).findings() {
            cleanup.count(finding.rule, finding.count);
        }
        *name = hidden.into_owned();
    }
}

/// Redacts every text of a JSON value, keys included.
pub(crate) fn redact_json(value: &mut Value, cleanup: &mut TextCleanup) {
    visit_value(None, value, &mut |field, text| match field {
        Some(name) => redact_with(text, cleanup, |text| tacit_redact::redact_field(name, text)),
        None => redact_text(text, cleanup),
    });
}

/// Redacts every text of a log record.
pub fn redact_record(mut record: LogRecord) -> EngineResult<LogRecord> {
    record.visit_texts(&mut redact_visited).map_err(invalid_record)?;
    Ok(record)
}

/// Redacts every text of a note.
pub fn redact_note(mut note: Note) -> EngineResult<Note> {
    redact_visited(None, &mut note.text);
    note.record.visit_texts(&mut redact_visited).map_err(invalid_record)?;
    Ok(note)
}

/// Returns the error of a record that is invalid after redaction.
fn invalid_record(problem: Problem) -> EngineError {
    FieldError::new("report", problem).into()
}

fn redact_visited(field: Option<&str>, text: &mut String) {
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

    fn draft(content: &str) -> Draft {
        Draft { content: content.into(), ..Draft::default() }
    }

    #[test]
    fn control_characters_are_removed_and_counted() {
        let prepared = prepare(draft("red \u{1b}[31mtext\0\r\n"), StoreScope::Project).unwrap();
        assert_eq!(prepared.draft.content, "red [31mtext\n");
        assert_eq!(prepared.cleanup.removed_controls, 2);
    }

    #[test]
    fn oversized_content_is_rejected() {
        let error = prepare(draft(&"x".repeat(10 << 20)), StoreScope::Project).err().unwrap();
        assert_eq!(error.to_string(), "content: is 10485760 bytes long; the limit is 8192");
    }

    #[test]
    fn global_memories_cannot_have_files() {
        let about = Draft { related_files: vec!["src/a.rs".into()], ..draft("text") };
        assert!(prepare(about.clone(), StoreScope::Project).is_ok());
        let error = prepare(about, StoreScope::Global).err().unwrap();
        assert!(error.to_string().starts_with("related_files: "), "{error}");
    }

    #[test]
    fn titles_are_cut_after_redaction() {
        let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
        let draft = Draft {
            content: "use the token from the vault".into(),
            name: Some(format!("push to the mirror of the project with the token {token}")),
            ..Draft::default()
        };
        let prepared = prepare(draft, StoreScope::Project).unwrap();
        let title = prepared.body.title.unwrap();
        assert!(!title.as_str().contains("ghp_"), "{title}");
        assert_eq!(title.as_str().chars().count(), 60);
        assert_eq!(prepared.draft.name, None);
    }

    #[test]
    fn secrets_are_redacted_in_every_text() {
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
        let prepared = prepare(draft, StoreScope::Project).unwrap();
        let kept = format!("{:?}", prepared.body);
        assert!(!kept.contains(token), "{kept}");
        assert_eq!(prepared.cleanup.redacted.iter().map(|(_, n)| n).sum::<usize>(), 3);
    }
}
