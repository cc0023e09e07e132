//! Learnings as agents submit them: a name, a description, reasoning and a category. The wording of
//! all answers is fixed, because agents rely on it.

use serde_json::{Map, Value};
use tacit_core::{Category, Confidence, Draft, MemoryType, Source};

use crate::remember::{RememberOutcome, RememberResult};

/// The least length of a description, in characters.
pub const SHORTEST_LEARNING: usize = 20;
/// The longest name, in characters.
const LONGEST_NAME: usize = 60;
/// The error for a shorter description.
pub const TOO_SHORT: &str =
    "Learning too short (need at least 20 characters). Please provide more detail.";
/// The categories of a learning.
pub const LEARNING_CATEGORIES: [Category; 3] =
    [Category::AntiPatterns, Category::Heuristics, Category::Patterns];

/// A checked learning.
#[derive(Debug, Clone, PartialEq)]
pub struct Learning {
    /// The name, from which the write gate makes a title.
    pub name: String,
    /// The content of the learning.
    pub description: String,
    /// The reason why it matters, or how it was found.
    pub reasoning: Option<String>,
    /// The given category, or the one inferred from its words.
    pub category: Category,
    /// Links to further reading.
    pub references: Vec<String>,
    /// The stated confidence; medium by default.
    pub confidence: Confidence,
    /// The source; a person by default.
    pub source: Source,
    /// The type, if it differs from the category's.
    pub kind: Option<MemoryType>,
    /// Tags of the learning.
    pub tags: Vec<String>,
    /// Situations in which it helps.
    pub cues: Vec<String>,
    /// Files it is about.
    pub files: Vec<String>,
}

impl Learning {
    /// Parses a JSON object with `description` and optionally `name`, `reasoning`, `category`,
    /// `references`, `confidence`, `source`, `type`, `tags`, `cues` and `files`. Lists may be given as text
    /// that holds a JSON list.
    pub fn parse(json: &str) -> Result<Learning, String> {
        let fields = match serde_json::from_str(json) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) => return Err("Error: the entry is not a JSON object".into()),
            Err(error) => return Err(format!("Error: the entry is not valid JSON: {error}")),
        };
        Fields(fields).learning()
    }

    /// Converts the learning to a draft.
    pub fn into_draft(self) -> Draft {
        Draft {
            name: Some(self.name),
            content: self.description,
            reasoning: self.reasoning,
            category: Some(self.category.to_string()),
            kind: self.kind.map(String::from),
            references: self.references,
            confidence: Some(self.confidence.value()),
            source: Some(self.source.to_string()),
            tags: self.tags,
            cues: self.cues,
            related_files: self.files,
            ..Draft::default()
        }
    }
}

/// Returns the confirmation that an agent sees.
pub fn confirmation(name: &str, remembered: &RememberResult) -> String {
    match (&remembered.outcome, &remembered.memory) {
        (RememberOutcome::Stored, Some(memory)) => {
            format!("Stored: {name} (id: {})", memory.id.short())
        }
        (RememberOutcome::Reinforced, Some(memory)) => format!(
            "Reinforced: {name} (id: {}, observations: {})",
            memory.id.short(),
            memory.observations
        ),
        _ => format!("Stored: {name} (it waits for the database, which is locked)"),
    }
}

/// Parses a category.
pub fn learning_category(given: &str) -> Result<Category, String> {
    let meant = LEARNING_CATEGORIES.into_iter().find(|known| known.as_str() == given);
    meant.ok_or_else(|| {
        let known = LEARNING_CATEGORIES.map(Category::as_str).join(", ");
        format!("Error: invalid category '{given}'. Must be one of: {known}")
    })
}

/// Parses a confidence; medium by default.
pub fn learning_confidence(given: Option<&str>) -> Result<Confidence, String> {
    match given {
        None | Some("medium") => Ok(Confidence::MEDIUM),
        Some("high") => Ok(Confidence::HIGH),
        Some("low") => Ok(Confidence::LOW),
        Some(other) => {
            Err(format!("Error: invalid confidence '{other}'. Must be one of: high, medium, low"))
        }
    }
}

/// Returns a name on one line, cut to the limit. Redact first: the cut could leave half a secret.
pub fn learning_name(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_NAME {
        return line;
    }
    line.chars().take(LONGEST_NAME - 3).chain("...".chars()).collect()
}

/// The fields of an entry; each is taken once.
struct Fields(Map<String, Value>);

impl Fields {
    fn learning(mut self) -> Result<Learning, String> {
        let description = self.text("description")?.unwrap_or_default();
        if description.chars().count() < SHORTEST_LEARNING {
            return Err(TOO_SHORT.into());
        }
        let category = match self.text("category")? {
            None => Category::infer(&description),
            Some(given) => learning_category(&given)?,
        };
        let confidence = learning_confidence(self.text("confidence")?.as_deref())?;
        let source = match self.text("source")?.as_deref() {
            None | Some("manual") => Source::UserTaught,
            Some("session-capture") => Source::AgentExplicit,
            Some(other) => other.parse().map_err(|problem| format!("Error: source {problem}"))?,
        };
        let kind = self.text("type")?.map(|text| text.parse::<MemoryType>()).transpose();
        let learning = Learning {
            name: self.text("name")?.unwrap_or_else(|| description.clone()),
            reasoning: self.text("reasoning")?,
            category,
            references: self.list("references")?,
            confidence,
            source,
            kind: kind.map_err(|problem| format!("Error: type {problem}"))?,
            tags: self.list("tags")?,
            cues: self.list("cues")?,
            files: self.list("files")?,
            description,
        };
        match self.0.keys().next() {
            None => Ok(learning),
            Some(unknown) => Err(format!(
                "Error: unknown field '{unknown}'. Known are: name, description, reasoning, \
                 category, references, confidence, source, type, tags, cues, files"
            )),
        }
    }

    /// Takes a text field; `None` if it is empty.
    fn text(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => {
                let text = text.trim();
                Ok((!text.is_empty()).then(|| text.to_owned()))
            }
            Some(_) => Err(format!("Error: {name} is not a text")),
        }
    }

    /// Takes a field with a list of texts.
    fn list(&mut self, name: &str) -> Result<Vec<String>, String> {
        let wrong = || format!("Error: {name} is not a list of texts");
        let given = match self.0.remove(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(Vec::new()),
            Some(Value::String(text)) => serde_json::from_str(&text).map_err(|_| wrong())?,
            Some(value) => value,
        };
        serde_json::from_value(given).map_err(|_| wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_learning_fields_get_defaults() {
        let entry = r#"{"description": "  Always suppress stderr in hook subprocesses "}"#;
        let learning = Learning::parse(entry).unwrap();
        assert_eq!(learning.name, "Always suppress stderr in hook subprocesses");
        assert_eq!(learning.description, "Always suppress stderr in hook subprocesses");
        assert_eq!(learning.category, Category::Patterns);
        assert_eq!(learning.confidence, Confidence::MEDIUM);
        assert_eq!(learning.source, Source::UserTaught);
    }

    #[test]
    fn complete_entries_become_drafts() {
        let entry = r#"{"name": "Keep standard error out of the way of JSON, for every program that reads it",
            "description": "Never let a hook print to stderr", "reasoning": "it broke JSON",
            "category": "anti-patterns", "source": "session-capture", "confidence": "low",
            "references": "[\"hooks.md\"]", "tags": ["hooks"], "type": "decision"}"#;
        let learning = Learning::parse(entry).unwrap();
        let draft = learning.into_draft();
        assert_eq!(draft.references, ["hooks.md"]);
        assert_eq!(draft.source.as_deref(), Some("agent_explicit"));
        assert_eq!(draft.confidence, Some(0.33));
        let body = draft.check(Confidence::HIGH).unwrap();
        assert_eq!(body.subject.memory_type().as_str(), "decision");
        assert_eq!(body.category, Some(Category::AntiPatterns));
    }

    #[test]
    fn errors_have_fixed_wording() {
        let long = "a description that is long enough";
        for (entry, expected) in [
            (
                r#"{"description": "  nineteen letters!  "}"#.to_owned(),
                "Learning too short (need at least 20 characters). Please provide more detail.",
            ),
            (
                "{}".to_owned(),
                "Learning too short (need at least 20 characters). Please provide more detail.",
            ),
            (
                format!(r#"{{"description": "{long}", "confidence": "sure"}}"#),
                "Error: invalid confidence 'sure'. Must be one of: high, medium, low",
            ),
            (
                format!(r#"{{"description": "{long}", "category": "traps"}}"#),
                "Error: invalid category 'traps'. Must be one of: anti-patterns, heuristics, \
                 patterns",
            ),
            (
                format!(r#"{{"description": "{long}", "references": "docs"}}"#),
                "Error: references is not a list of texts",
            ),
            (format!(r#"{{"description": "{long}", "name": 7}}"#), "Error: name is not a text"),
            ("[]".to_owned(), "Error: the entry is not a JSON object"),
            (
                format!(r#"{{"description": "{long}", "colour": 1}}"#),
                "Error: unknown field 'colour'. Known are: name, description, reasoning, category, \
                 references, confidence, source, type, tags, cues, files",
            ),
        ] {
            assert_eq!(Learning::parse(&entry).unwrap_err(), expected, "{entry}");
        }
    }

    #[test]
    fn names_are_cut_at_sixty_characters() {
        for (name, expected) in [
            ("short", "short".to_owned()),
            ("two\nlines  of it", "two lines of it".to_owned()),
            (&"é".repeat(60), "é".repeat(60)),
            (&"é".repeat(61), format!("{}...", "é".repeat(57))),
        ] {
            assert_eq!(learning_name(name), expected);
        }
    }
}
