//! What a session is worth, with the excerpts that whoever drafts is to read.

use std::path::Path;

use serde_json::{Map, Value, json};
use tacit_core::RecordsConfig;
use tacit_records::files::write_private;
use tacit_records::triage::{CategoryScore, TriageSession, categories_to_capture, context_text};
use tacit_records::{RecordCategory, Settings};

/// What was found.
#[derive(Debug)]
pub struct TriageResult {
    /// The categories that are worth a record.
    pub found: Vec<CategoryScore>,
    /// What an agent acts on.
    pub data: Value,
    /// What went wrong with excerpts.
    pub problems: Vec<String>,
}

/// Where excerpts go.
pub struct ExcerptDirectory<'a> {
    /// A directory that only this user can read.
    pub directory: &'a Path,
    /// What tells those of one session from those of another.
    pub mark: Option<String>,
}

impl TriageResult {
    /// Looks at a session, and writes excerpts if it is told where.
    pub fn of(
        session: &TriageSession,
        settings: &Settings,
        records: &RecordsConfig,
        excerpts: Option<&ExcerptDirectory<'_>>,
    ) -> TriageResult {
        let found = categories_to_capture(session, settings);
        let mut categories = Vec::new();
        let mut problems = Vec::new();
        for one in &found {
            let category = one.category;
            let mut entry = json!({"category": category.as_str(), "score": one.score});
            if let Some(ExcerptDirectory { directory, mark }) = excerpts {
                let mark = mark.as_ref().map(|mark| format!("-{mark}")).unwrap_or_default();
                let text = context_text(session, one, settings);
                match write_private(
                    directory,
                    &format!("context-{category}{mark}.txt"),
                    text.as_bytes(),
                ) {
                    Ok(path) => entry["context_file"] = json!(path),
                    // Without an excerpt, whoever drafts passes the category over.
                    Err(error) => problems.push(format!("no excerpt for {category}: {error}")),
                }
            }
            categories.push(entry);
        }
        let models: Map<String, Value> = RecordCategory::ALL
            .iter()
            .map(|category| (category.to_string(), json!(settings.of(*category).model)))
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

    /// The block that an agent looks for.
    pub fn block(&self) -> String {
        format!("<triage_data>\n{:#}\n</triage_data>", self.data)
    }

    /// The categories for whoever reads along.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.found
            .iter()
            .map(|one| format!("{} ({:.2})", one.category.as_str().to_uppercase(), one.score))
    }
}
