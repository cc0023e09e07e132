//! The first step: text is cleaned, and every field is checked.

use tacit_core::{Confidence, Config, Draft, FieldError, Problem, clean};

use super::Treatment;
use crate::engine::Shelf;
use crate::error::{EngineError, EngineResult};

/// A draft whose every field would be accepted as it is.
pub(super) struct Valid {
    pub(super) draft: Draft,
    pub(super) treatment: Treatment,
}

/// Cleans and checks a draft; all that is wrong with it is said at once.
pub(super) fn validate(mut draft: Draft, shelf: Shelf, config: &Config) -> EngineResult<Valid> {
    let mut treatment = Treatment::default();
    for (_, text) in draft.texts_mut() {
        let cleaned = clean(text);
        treatment.removed_controls += cleaned.removed;
        if cleaned.text != *text {
            *text = cleaned.text.into_owned();
        }
    }
    let mut errors = draft.clone().check(default_confidence(config)).err().unwrap_or_default();
    if !draft.related_files.is_empty() || !draft.related_symbols.is_empty() {
        errors.extend(forbid_files(shelf).err());
    }
    if errors.is_empty() {
        Ok(Valid { draft, treatment })
    } else {
        Err(EngineError::Invalid(errors))
    }
}

/// A memory on the user's own shelf is for all projects, so that no file of one is its subject.
pub(crate) fn forbid_files(shelf: Shelf) -> Result<(), FieldError> {
    if shelf == Shelf::Project {
        return Ok(());
    }
    let rule = "a memory for all projects cannot be about files of one";
    Err(FieldError::new("related_files", Problem::rule(rule)))
}

pub(super) fn default_confidence(config: &Config) -> Confidence {
    Confidence::new(config.remember_confidence).unwrap_or(Confidence::HIGH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(content: &str) -> Draft {
        Draft { content: content.into(), ..Draft::default() }
    }

    #[test]
    fn control_characters_are_removed_and_counted() {
        let valid = validate(draft("red \u{1b}[31mtext\0\r\n"), Shelf::Project, &Config::default())
            .unwrap();
        assert_eq!(valid.draft.content, "red [31mtext\n");
        assert_eq!(valid.treatment.removed_controls, 2);
    }

    #[test]
    fn ten_megabytes_are_refused_by_name() {
        let error = validate(draft(&"x".repeat(10 << 20)), Shelf::Project, &Config::default())
            .err()
            .unwrap();
        assert_eq!(error.to_string(), "content: is 10485760 bytes long; at most 8192 fit");
    }

    #[test]
    fn a_global_memory_names_no_files() {
        let about = Draft { related_files: vec!["src/a.rs".into()], ..draft("text") };
        assert!(validate(about.clone(), Shelf::Project, &Config::default()).is_ok());
        let error = validate(about, Shelf::Global, &Config::default()).err().unwrap();
        assert!(error.to_string().starts_with("related_files: "), "{error}");
    }
}
