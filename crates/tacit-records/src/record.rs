//! The record type: common fields, and the content of its category.

use serde_json::{Map, Value, json};
use tacit_core::{Confidence, FieldError, Problem, RepoPath};

use crate::category::RecordCategory;
use crate::record_time::RecordTime;
use crate::shape::{self, check_text, missing, shown, wrong};
use crate::slug::Slug;

/// The version of the record format.
pub const SCHEMA_VERSION: &str = "1.0";
/// The most characters of a title.
pub const MAX_TITLE: usize = 120;
/// The most tags of a record.
pub const MAX_TAGS: usize = 12;
/// The most changes of a record; the oldest are dropped.
pub const MAX_CHANGES: usize = 50;
/// The most related files of a record.
pub const MAX_FILES: usize = 64;

/// The common fields, in the order in which they are written.
const FIELDS: [&str; 17] = [
    "schema_version",
    "category",
    "id",
    "title",
    "created_at",
    "updated_at",
    "tags",
    "related_files",
    "confidence",
    "record_status",
    "retired_at",
    "retired_reason",
    "archived_at",
    "archived_reason",
    "times_updated",
    "content",
    "changes",
];

/// A valid record. Unknown fields are preserved.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The version of its format.
    pub schema_version: String,
    /// The category.
    pub category: RecordCategory,
    /// The name, which is also that of its file.
    pub id: Slug,
    /// The title, on one line.
    pub title: String,
    /// The time of its creation.
    pub created_at: RecordTime,
    /// The time of its last change.
    pub updated_at: RecordTime,
    /// The tags, at least one.
    pub tags: Vec<String>,
    /// The files it concerns.
    pub related_files: Vec<String>,
    /// The author's confidence.
    pub confidence: Option<Confidence>,
    /// Active, retired or archived.
    pub status: RecordStatus,
    /// The number of updates.
    pub times_updated: u64,
    /// The content, in the shape of its category.
    pub content: Map<String, Value>,
    /// The change log, oldest first.
    pub changes: Vec<RecordChange>,
    /// Unknown fields.
    pub extra: Map<String, Value>,
}

/// The status of a record.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordStatus {
    /// In use.
    Active,
    /// Out of use, and deleted after the grace period.
    Retired(StatusChange),
    /// Out of use, but never deleted.
    Archived(StatusChange),
}

/// The time and reason of retiring or archiving a record.
#[derive(Debug, Clone, PartialEq)]
pub struct StatusChange {
    /// The time; missing in some files written by hand.
    pub at: Option<RecordTime>,
    /// The reason, if one was given.
    pub reason: Option<String>,
}

impl RecordStatus {
    /// Returns the name used in files.
    pub fn as_str(&self) -> &'static str {
        match self {
            RecordStatus::Active => "active",
            RecordStatus::Retired(_) => "retired",
            RecordStatus::Archived(_) => "archived",
        }
    }

    /// Returns true if the record is in use.
    pub fn is_active(&self) -> bool {
        matches!(self, RecordStatus::Active)
    }
}

/// An entry of the change log.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordChange(Map<String, Value>);

impl RecordChange {
    /// Creates an entry with a summary.
    pub fn new(date: &RecordTime, summary: &str) -> RecordChange {
        let mut fields = Map::new();
        fields.insert("date".to_owned(), json!(date.as_str()));
        fields.insert("summary".to_owned(), json!(summary));
        RecordChange(fields)
    }

    /// Adds the old and new value of a field.
    #[must_use]
    pub fn of_field(mut self, field: &str, old: Value, new: Value) -> RecordChange {
        self.0.insert("field".to_owned(), json!(field));
        self.0.insert("old_value".to_owned(), old);
        self.0.insert("new_value".to_owned(), new);
        self
    }

    /// Converts the entry to JSON.
    pub fn to_json(&self) -> Value {
        Value::Object(self.0.clone())
    }

    /// Returns the date as written.
    pub fn date(&self) -> &str {
        self.0.get("date").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the summary.
    pub fn summary(&self) -> &str {
        self.0.get("summary").and_then(Value::as_str).unwrap_or_default()
    }
}

impl Record {
    /// Validates a record and returns all errors at once. Fields that older files lack get
    /// defaults.
    pub fn from_json(json: Value) -> Result<Record, Vec<FieldError>> {
        let Value::Object(mut fields) = json else {
            return Err(vec![wrong("record", &json, "a JSON object")]);
        };
        let mut errors = Vec::new();
        let mut reader = Reader { fields: &fields, errors: &mut errors };
        let schema_version = reader.text("schema_version");
        if let Some(version) = &schema_version
            && version != SCHEMA_VERSION
        {
            let problem = Problem::unexpected(version, format!("`{SCHEMA_VERSION}`"));
            reader.errors.push(FieldError::new("schema_version", problem));
        }
        let category: Option<RecordCategory> = reader.parse("category");
        let id = reader.parse("id");
        let title = reader.title();
        let created_at = reader.stamp("created_at", true);
        let updated_at = reader.stamp("updated_at", true);
        let tags = reader.tags();
        let related_files = reader.texts("related_files", MAX_FILES);
        let confidence = reader.confidence();
        let status = reader.status();
        let times_updated = reader.times_updated();
        let changes = reader.changes();
        let content = reader.content(category);
        if !errors.is_empty() {
            return Err(errors);
        }
        // Every `None` has added an error, so only an empty list gets here.
        let (Some(category), Some(id), Some(title), Some(created_at), Some(updated_at)) =
            (category, id, title, created_at, updated_at)
        else {
            return Err(errors);
        };
        let (Some(schema_version), Some(content)) = (schema_version, content) else {
            return Err(errors);
        };
        fields.retain(|name, _| !FIELDS.contains(&name.as_str()));
        Ok(Record {
            schema_version,
            category,
            id,
            title,
            created_at,
            updated_at,
            tags,
            related_files,
            confidence,
            status,
            times_updated,
            content,
            changes,
            extra: fields,
        })
    }

    /// Converts the record to JSON, with known fields in order and unknown ones at the end.
    pub fn to_json(&self) -> Value {
        let mut json = json!({
            "schema_version": self.schema_version,
            "category": self.category.as_str(),
            "id": self.id.as_str(),
            "title": self.title,
            "created_at": self.created_at.as_str(),
            "updated_at": self.updated_at.as_str(),
            "tags": self.tags,
            "related_files": self.related_files,
        });
        if let Some(confidence) = self.confidence {
            json["confidence"] = json!(confidence);
        }
        json["record_status"] = json!(self.status.as_str());
        let departure = match &self.status {
            RecordStatus::Active => None,
            RecordStatus::Retired(departure) => Some(("retired", departure)),
            RecordStatus::Archived(departure) => Some(("archived", departure)),
        };
        if let Some((word, departure)) = departure {
            if let Some(at) = &departure.at {
                json[format!("{word}_at")] = json!(at.as_str());
            }
            if let Some(reason) = &departure.reason {
                json[format!("{word}_reason")] = json!(reason);
            }
        }
        json["times_updated"] = json!(self.times_updated);
        json["content"] =
            Value::Object(shape::ordered(self.category.shape(), self.content.clone()));
        json["changes"] = self.changes.iter().map(RecordChange::to_json).collect();
        if let Value::Object(fields) = &mut json {
            fields.extend(self.extra.clone());
        }
        json
    }

    /// Returns the contents of its file.
    pub fn to_bytes(&self) -> Vec<u8> {
        format!("{:#}\n", self.to_json()).into_bytes()
    }

    /// Returns the path of its file from the records folder.
    pub fn path(&self) -> String {
        format!("{}/{}.json", self.category.folder(), self.id)
    }
}

/// Reads fields and collects errors.
struct Reader<'a> {
    fields: &'a Map<String, Value>,
    errors: &'a mut Vec<FieldError>,
}

impl<'a> Reader<'a> {
    fn keep<T>(&mut self, result: Result<T, FieldError>) -> Option<T> {
        result.map_err(|error| self.errors.push(error)).ok()
    }

    fn text(&mut self, name: &str) -> Option<String> {
        let result = match self.fields.get(name) {
            None => Err(missing(name)),
            Some(value) => check_text(value, name).map(str::to_owned),
        };
        self.keep(result)
    }

    fn parse<T: std::str::FromStr<Err = Problem>>(&mut self, name: &str) -> Option<T> {
        let text = self.text(name)?;
        self.keep(text.parse().map_err(|problem: Problem| FieldError::new(name, problem)))
    }

    fn title(&mut self) -> Option<String> {
        let title = self.text("title")?;
        self.keep(
            tacit_core::Title::new(title.as_str())
                .map(|_| title)
                .map_err(|problem| FieldError::new("title", problem)),
        )
    }

    fn stamp(&mut self, name: &str, required: bool) -> Option<RecordTime> {
        if !required && self.given(name).is_none() {
            return None;
        }
        let text = self.text(name)?;
        self.keep(RecordTime::parse(&text).map_err(|problem| FieldError::new(name, problem)))
    }

    /// Returns a field, unless it is missing or null.
    fn given(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    fn items(&mut self, name: &str, expected: &str) -> &'a [Value] {
        match self.given(name) {
            Some(Value::Array(items)) => return items,
            Some(other) => self.errors.push(wrong(name, other, expected)),
            None => {}
        }
        &[]
    }

    fn texts(&mut self, name: &str, max: usize) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for (index, item) in self.items(name, "a list of texts").iter().enumerate() {
            let text = check_text(item, &format!("{name}[{index}]"));
            if let Some(text) = self.keep(text)
                && !texts.iter().any(|known| known == text)
            {
                texts.push(text.to_owned());
            }
        }
        if texts.len() > max {
            let problem = Problem::TooMany { max, actual: texts.len() };
            self.errors.push(FieldError::new(name, problem));
        }
        texts
    }

    fn tags(&mut self) -> Vec<String> {
        let before = self.errors.len();
        let tags = self.texts("tags", MAX_TAGS);
        if tags.is_empty() && self.errors.len() == before {
            self.errors.push(FieldError::new("tags", Problem::rule("needs at least one tag")));
        }
        for tag in &tags {
            if tag.chars().count() > 64 || tag.contains(',') || tag.chars().any(char::is_control) {
                let expected = "a tag: one label of at most 64 characters, without commas";
                self.errors.push(FieldError::new("tags", Problem::unexpected(tag, expected)));
            }
        }
        tags
    }

    fn confidence(&mut self) -> Option<Confidence> {
        let value = self.given("confidence")?;
        let number = value.as_f64().ok_or_else(|| wrong("confidence", value, "a number"));
        let number = self.keep(number)?;
        self.keep(Confidence::new(number).map_err(|problem| FieldError::new("confidence", problem)))
    }

    fn status(&mut self) -> RecordStatus {
        let word = self.given("record_status").map_or("active".into(), shown);
        match &*word {
            "active" => RecordStatus::Active,
            "retired" => RecordStatus::Retired(self.departure("retired")),
            "archived" => RecordStatus::Archived(self.departure("archived")),
            other => {
                let problem = Problem::unexpected(other, "active, retired or archived");
                self.errors.push(FieldError::new("record_status", problem));
                RecordStatus::Active
            }
        }
    }

    fn departure(&mut self, word: &str) -> StatusChange {
        let name = format!("{word}_reason");
        let reason = self.given(&name).and_then(|value| self.keep(check_text(value, &name)));
        let reason = reason.map(str::to_owned);
        StatusChange { at: self.stamp(&format!("{word}_at"), false), reason }
    }

    fn times_updated(&mut self) -> u64 {
        let Some(value) = self.given("times_updated") else { return 0 };
        let expected = "a whole number from 0 up";
        let number = value.as_u64().ok_or_else(|| wrong("times_updated", value, expected));
        self.keep(number).unwrap_or_default()
    }

    fn changes(&mut self) -> Vec<RecordChange> {
        let mut changes = Vec::new();
        for (index, item) in self.items("changes", "a list of changes").iter().enumerate() {
            let place = format!("changes[{index}]");
            let Value::Object(fields) = item else {
                self.errors.push(wrong(&place, item, "an object with `date` and `summary`"));
                continue;
            };
            for name in ["date", "summary"] {
                let place = format!("{place}.{name}");
                let result = match fields.get(name) {
                    None => Err(missing(&place)),
                    Some(value) => check_text(value, &place).map(drop),
                };
                self.keep(result);
            }
            changes.push(RecordChange(fields.clone()));
        }
        changes
    }

    fn content(&mut self, category: Option<RecordCategory>) -> Option<Map<String, Value>> {
        let content = match self.fields.get("content") {
            None => Err(missing("content")),
            Some(Value::Object(content)) => Ok(content),
            Some(other) => Err(wrong("content", other, "an object")),
        };
        let content = self.keep(content)?;
        if let Some(category) = category {
            shape::check(category.shape(), content, "content", self.errors);
        }
        Some(content.clone())
    }
}

/// Validates a path for `related_files`.
pub(crate) fn check_file(path: &str, place: &str) -> Result<(), FieldError> {
    RepoPath::new(path).map(drop).map_err(|problem| FieldError::new(place, problem))
}
