//! The settings of records, with their defaults.

use crate::category::RecordCategory;

/// The settings of records.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordSettings {
    /// The settings of each category, in the order of [`RecordCategory::ALL`].
    pub categories: [CategorySettings; 6],
    /// The maximum number of active session summaries.
    pub max_retained: u64,
    /// The maximum number of active records in any other category.
    pub max_per_category: u64,
    /// The days before a retired record can be removed.
    pub grace_period_days: u64,
}

/// The settings of one category.
#[derive(Debug, Clone, PartialEq)]
pub struct CategorySettings {
    /// Allows records of this category to be written.
    pub enabled: bool,
    /// Searches sessions for records of this category.
    pub auto_capture: bool,
    /// The days without a change after which a record is retired; 0 means never.
    pub retention_days: u64,
    /// The content that belongs in the category, for the classifier and for agents.
    pub description: String,
    /// The minimum score, from 0 to 1, for capturing a record.
    pub threshold: f64,
    /// The model that drafts records.
    pub model: String,
}

impl RecordSettings {
    /// Returns the settings of a category.
    pub fn category(&self, category: RecordCategory) -> &CategorySettings {
        &self.categories[category as usize]
    }
}

impl Default for RecordSettings {
    fn default() -> RecordSettings {
        RecordSettings {
            categories: RecordCategory::ALL.map(CategorySettings::default_of),
            max_retained: 5,
            max_per_category: 100,
            grace_period_days: 30,
        }
    }
}

impl CategorySettings {
    fn default_of(category: RecordCategory) -> CategorySettings {
        let (retention_days, description, threshold, model) = match category {
            RecordCategory::SessionSummary => {
                (90, "Where work stands, so that it can be resumed", 0.6, "haiku")
            }
            RecordCategory::Decision => {
                (0, "A choice and its rationale: why this and not that", 0.4, "sonnet")
            }
            RecordCategory::Runbook => {
                (0, "How to diagnose, fix and verify an error", 0.4, "haiku")
            }
            RecordCategory::Constraint => {
                (0, "An enduring limitation that work has to live with", 0.5, "sonnet")
            }
            RecordCategory::TechDebt => (0, "Work that was put off, and why", 0.4, "haiku"),
            RecordCategory::Preference => {
                (0, "A convention: how things should be done here", 0.4, "haiku")
            }
        };
        CategorySettings {
            enabled: true,
            auto_capture: true,
            retention_days,
            description: description.to_owned(),
            threshold,
            model: model.to_owned(),
        }
    }
}
