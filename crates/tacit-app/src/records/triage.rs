//! Triage: which records a session is worth, with the excerpts to draft them from.

use std::path::Path;

use serde_json::{Map, Value, json};
use tacit_core::RecordsConfig;
use tacit_records::files::write_private;
use tacit_records::triage::{CategoryScore, TriageSession, categories_to_capture, context_text};
use tacit_records::{RecordCategory, RecordSettings};

/// The result of triage.
#[derive(Debug)]
pub struct TriageResult {
    /// The categories that are worth a record, with their scores.
    pub found: Vec<CategoryScore>,
    /// The triage data that an agent acts on.
    pub data: Value,
    /// Excerpts that could not be written, and why.
    pub problems: Vec<String>,
}

/// The directory that excerpts are written to.
pub struct ExcerptDirectory<'a> {
    /// The path; only this user can read it.
    pub directory: &'a Path,
    /// A suffix that distinguishes the files of sessions.
    pub suffix: Option<String>,
}

impl TriageResult {
    /// Scores a session, and writes excerpts if a directory is given.
    pub fn of(
        session: &TriageSession,
        settings: &RecordSettings,
        records: &RecordsConfig,
        excerpts: Option<&ExcerptDirectory<'_>>,
    ) -> TriageResult {
        let found = categories_to_capture(session, settings);
        let mut categories = Vec::new();
        let mut problems = Vec::new();
        for one in &found {
            let category = one.category;
            let mut entry = json!({"category": category.as_str(), "score": one.score});
            if let Some(ExcerptDirectory { directory, suffix }) = excerpts {
                let suffix = suffix.as_ref().map(|suffix| format!("-{suffix}")).unwrap_or_default();
                let text = context_text(session, one, settings);
                match write_private(
                    directory,
                    &format!("context-{category}{suffix}.txt"),
                    text.as_bytes(),
                ) {
                    Ok(path) => entry["context_file"] = json!(path),
                    // Without an excerpt, the drafter skips the category.
                    Err(error) => problems.push(format!("no excerpt for {category}: {error}")),
                }
            }
            categories.push(entry);
        }
        let models: Map<String, Value> = RecordCategory::ALL
            .iter()
            .map(|category| (category.to_string(), json!(settings.category(*category).model)))
            .collect();
        let data = json!({
            "categories": categories,
            "parallel": {
                "enabled": records.parallel, "category_models": models,
                "default_model": records.default_model,
                "verification_model": records.verification_model,
            },
        });
        TriageResult { found, data, problems }
    }

    /// Formats the triage data as the block that skills look for.
    pub fn block(&self) -> String {
        format!("<triage_data>\n{:#}\n</triage_data>", self.data)
    }

    /// Formats the categories and scores for people.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.found
            .iter()
            .map(|one| format!("{} ({:.2})", one.category.as_str().to_uppercase(), one.score))
    }
}
