//! What can be set about records, with its defaults.

use crate::category::RecordCategory;

/// What can be set.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// For each category, in the order of [`RecordCategory::ALL`].
    pub categories: [CategorySettings; 6],
    /// How many session summaries are in use at most.
    pub max_retained: u64,
    /// How many records a category can have in use.
    pub max_per_category: u64,
    /// After how many days a retired record can be removed.
    pub grace_period_days: u64,
}

/// What can be set about one category.
#[derive(Debug, Clone, PartialEq)]
pub struct CategorySettings {
    /// Whether records of it are written.
    pub enabled: bool,
    /// Whether sessions are searched for it.
    pub auto_capture: bool,
    /// After how many days without a change a record is retired; 0 is never.
    pub retention_days: u64,
    /// What belongs in it, for whoever classifies.
    pub description: String,
    /// From which score on a session is worth a record of it.
    pub threshold: f64,
    /// The model that drafts it.
    pub model: String,
}

impl Settings {
    /// The settings of a category.
    pub fn of(&self, category: RecordCategory) -> &CategorySettings {
        &self.categories[category as usize]
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
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
