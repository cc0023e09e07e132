//! The steps that need no store: every field is cleaned and checked, and secrets are replaced by
//! markers, wherever text can hide one.

use serde_json::Value;
use tacit_core::log::LogRecord;
use tacit_core::{
    Confidence, Config, Draft, FieldError, Memory, MemoryBody, Problem, Reasoning, WorkUnitRef,
    clean, visit_value,
};
use tacit_store::Note;

use super::TextCleanup;
use crate::engine::StoreScope;
use crate::error::{EngineError, EngineResult};
use crate::learning::learning_name;

/// The marker that remains of a text that was private as a whole.
const ALL_PRIVATE: &str = "[redacted:private]";

/// A request that needs nothing more but the store.
pub(crate) struct PreparedRequest {
    /// The draft it was made from, cleaned and without secrets.
    pub(crate) draft: Draft,
    pub(crate) body: MemoryBody,
    pub(crate) treatment: TextCleanup,
}

/// Turns a draft into what will be kept, or says all that is wrong with it at once.
pub(super) fn prepare(
    mut draft: Draft,
    shelf: StoreScope,
    config: &Config,
) -> EngineResult<PreparedRequest> {
    let confidence = Confidence::new(config.remember_confidence).unwrap_or(Confidence::HIGH);
    let mut treatment = TextCleanup::default();
    for (_, text) in draft.texts_mut() {
        let cleaned = clean(text);
        treatment.removed_controls += cleaned.removed;
        if cleaned.text != *text {
            *text = cleaned.text.into_owned();
        }
    }
    let mut errors = draft.clone().check(confidence).err().unwrap_or_default();
    if !draft.related_files.is_empty() || !draft.related_symbols.is_empty() {
        errors.extend(forbid_files(shelf).err());
    }
    if !errors.is_empty() {
        return Err(EngineError::Invalid(errors));
    }
    redact(&mut draft, &mut treatment)?;
    // A marker can be longer than what it replaces, so that limits are checked again.
    let body = draft.clone().check(confidence).map_err(EngineError::Invalid)?;
    Ok(PreparedRequest { draft, body, treatment })
}

/// A memory on the user's own shelf is for all projects, so that no file of one is its subject.
pub(crate) fn forbid_files(shelf: StoreScope) -> Result<(), FieldError> {
    if shelf == StoreScope::Project {
        return Ok(());
    }
    let rule = "a memory for all projects cannot be about files of one";
    Err(FieldError::new("related_files", Problem::rule(rule)))
}

/// Replaces secrets in a draft, and makes its title of its name once that holds none.
fn redact(draft: &mut Draft, treatment: &mut TextCleanup) -> EngineResult<()> {
    for (_, text) in draft.texts_mut() {
        redact_text(text, treatment);
    }
    for text in names_mut(draft) {
        redact_text(text, treatment);
    }
    if let Some(session) = &mut draft.session {
        redact_identifier(session, treatment);
    }
    if let Some(name) = draft.name.take() {
        let title = Some(learning_name(&name)).filter(|title| !title.is_empty());
        draft.title = draft.title.take().or(title);
    }
    if let Some(details) = &mut draft.details {
        redact_json(details, treatment);
    }
    if let Some(unit) = draft.work_unit.take() {
        draft.work_unit = Some(redact_unit(&unit, treatment)?);
    }
    if draft.content.trim() == ALL_PRIVATE {
        let problem = Problem::rule("there is nothing in it that is not private");
        return Err(FieldError::new("content", problem).into());
    }
    Ok(())
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

fn redact_unit(unit: &WorkUnitRef, treatment: &mut TextCleanup) -> EngineResult<WorkUnitRef> {
    let mut methodology = unit.methodology().to_owned();
    let mut hierarchy = unit.hierarchy().to_vec();
    let mut label = unit.label().to_owned();
    for text in hierarchy.iter_mut().chain([&mut methodology, &mut label]) {
        redact_text(text, treatment);
    }
    WorkUnitRef::new(methodology, hierarchy, label)
        .map_err(|problem| FieldError::new("work_unit", problem).into())
}

/// A memory without secrets, for ways in that bring one whole.
pub(crate) fn redact_memory(memory: Memory, treatment: &mut TextCleanup) -> EngineResult<Memory> {
    let mut value = memory.to_json();
    let mut found = TextCleanup::default();
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
pub(crate) fn redact_text(text: &mut String, treatment: &mut TextCleanup) {
    take_out(text, treatment, tacit_redact::redact);
}

fn take_out(
    text: &mut String,
    treatment: &mut TextCleanup,
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
fn redact_identifier(name: &mut String, treatment: &mut TextCleanup) {
    let hidden = tacit_redact::identifier(name);
    if hidden != *name {
        for finding in tacit_redact::redact(name).findings() {
            treatment.count(finding.rule, finding.count);
        }
        *name = hidden.into_owned();
    }
}

/// Replaces the secrets in every text of a value, keys included.
pub(crate) fn redact_json(value: &mut Value, treatment: &mut TextCleanup) {
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
    FieldError::new("report", problem).into()
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

    fn draft(content: &str) -> Draft {
        Draft { content: content.into(), ..Draft::default() }
    }

    #[test]
    fn control_characters_are_removed_and_counted() {
        let prepared =
            prepare(draft("red \u{1b}[31mtext\0\r\n"), StoreScope::Project, &Config::default())
                .unwrap();
        assert_eq!(prepared.draft.content, "red [31mtext\n");
        assert_eq!(prepared.treatment.removed_controls, 2);
    }

    #[test]
    fn ten_megabytes_are_refused_by_name() {
        let error = prepare(draft(&"x".repeat(10 << 20)), StoreScope::Project, &Config::default())
            .err()
            .unwrap();
        assert_eq!(error.to_string(), "content: is 10485760 bytes long; at most 8192 fit");
    }

    #[test]
    fn a_global_memory_names_no_files() {
        let about = Draft { related_files: vec!["src/a.rs".into()], ..draft("text") };
        assert!(prepare(about.clone(), StoreScope::Project, &Config::default()).is_ok());
        let error = prepare(about, StoreScope::Global, &Config::default()).err().unwrap();
        assert!(error.to_string().starts_with("related_files: "), "{error}");
    }

    #[test]
    fn a_title_is_cut_after_its_secrets_are_out() {
        let token = concat!("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
        let draft = Draft {
            content: "use the token from the vault".into(),
            name: Some(format!("push to the mirror of the project with the token {token}")),
            ..Draft::default()
        };
        let prepared = prepare(draft, StoreScope::Project, &Config::default()).unwrap();
        let title = prepared.body.title.unwrap();
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
        let prepared = prepare(draft, StoreScope::Project, &Config::default()).unwrap();
        let kept = format!("{:?}", prepared.body);
        assert!(!kept.contains(token), "{kept}");
        assert_eq!(prepared.treatment.redacted.iter().map(|(_, n)| n).sum::<usize>(), 3);
    }
}
