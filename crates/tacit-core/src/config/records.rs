//! What can be configured about records.

/// Everything about records, with its value in force.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the table of keys says what each is")]
pub struct RecordsConfig {
    pub archive_retired: bool,
    /// In this order: session summary, decision, runbook, constraint, tech debt, preference.
    pub categories: [RecordsCategoryConfig; 6],
    pub default_model: String,
    pub grace_days: u64,
    pub guard: bool,
    pub max_inject: u64,
    pub max_per_category: u64,
    pub max_retained: u64,
    pub parallel: bool,
    pub verification_model: String,
}

/// What can be configured about the records of one category.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the table of keys says what each is")]
pub struct RecordsCategoryConfig {
    pub auto_capture: bool,
    pub description: String,
    pub enabled: bool,
    pub model: String,
    pub retention_days: u64,
    pub threshold: f64,
}

impl Default for RecordsConfig {
    fn default() -> RecordsConfig {
        let category = |retention_days, description: &str, threshold, model: &str| {
            let (description, model) = (description.to_owned(), model.to_owned());
            let (auto_capture, enabled) = (true, true);
            RecordsCategoryConfig {
                auto_capture,
                description,
                enabled,
                model,
                retention_days,
                threshold,
            }
        };
        RecordsConfig {
            archive_retired: true,
            categories: [
                category(90, "Where work stands, so that it can be resumed", 0.6, "haiku"),
                category(0, "A choice and its rationale: why this and not that", 0.4, "sonnet"),
                category(0, "How to diagnose, fix and verify an error", 0.4, "haiku"),
                category(0, "An enduring limitation that work has to live with", 0.5, "sonnet"),
                category(0, "Work that was put off, and why", 0.4, "haiku"),
                category(0, "A convention: how things should be done here", 0.4, "haiku"),
            ],
            default_model: "haiku".into(),
            grace_days: 30,
            guard: false,
            max_inject: 5,
            max_per_category: 100,
            max_retained: 5,
            parallel: true,
            verification_model: "sonnet".into(),
        }
    }
}
