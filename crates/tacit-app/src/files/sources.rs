//! The memories that a file asks for.

use serde_json::{Value, json};
use tacit_core::{Cue, Cues, Draft, RepoPath, WorkUnitRef};
use tacit_engine::ForgetMode;
use tacit_records::files::file_hash;
use tacit_records::{Record, RecordCategory, RecordStatus, note_text};
use tacit_triggers::sections::DecisionSection;

use crate::records::reference;

/// The most bytes of a file's text that a memory holds.
const MAX_CONTENT: usize = 8 * 1024;

/// The hash of a record that is out of use: it comes back when the record does.
const OUT_OF_USE: &str = "out of use";

/// A memory that a file asks for.
pub(super) struct FileMemory {
    /// The place in the file: the heading of a section, empty for a record.
    pub(super) key: String,
    /// The reference by which the memory names its place.
    pub(super) reference: String,
    /// The name in reports.
    pub(super) name: String,
    pub(super) wanted: WantedState,
}

/// The state that a file wants for its memory.
pub(super) enum WantedState {
    /// In use, with this content.
    Active(Box<Draft>),
    /// Out of use, and why.
    Gone(ForgetMode, Option<String>),
}

impl FileMemory {
    pub(super) fn of_record(record: &Record) -> FileMemory {
        let wanted = match &record.status {
            RecordStatus::Active => WantedState::Active(Box::new(record_draft(record))),
            RecordStatus::Retired(change) => {
                WantedState::Gone(ForgetMode::Retire, change.reason.clone())
            }
            RecordStatus::Archived(change) => {
                WantedState::Gone(ForgetMode::Archive, change.reason.clone())
            }
        };
        let (reference, name) = (reference(record), record.path());
        FileMemory { key: String::new(), reference, name, wanted }
    }

    pub(super) fn of_section(section: &DecisionSection) -> FileMemory {
        let reference = format!("{}#{}", section.path, section.key);
        let cues = section.triggers.iter().filter(|cue| Cue::new(cue.as_str()).is_ok());
        let draft = Draft {
            content: cut(&section.text, MAX_CONTENT).to_owned(),
            category: Some("decision".to_owned()),
            title: Some(section.title.chars().take(MAX_TITLE).collect()),
            cues: cues.take(Cues::LIMIT).cloned().collect(),
            references: vec![reference.clone()],
            source: Some(SOURCE.to_owned()),
            ..Draft::default()
        };
        let wanted = WantedState::Active(Box::new(draft));
        FileMemory { key: section.key.clone(), name: reference.clone(), reference, wanted }
    }

    /// Returns a hash of what the file says here.
    pub(super) fn text_hash(&self) -> String {
        match &self.wanted {
            WantedState::Active(draft) => {
                let title = draft.title.as_deref().unwrap_or_default();
                file_hash(format!("{title}\n{}", draft.content).as_bytes())
            }
            WantedState::Gone(..) => OUT_OF_USE.to_owned(),
        }
    }
}

/// The source of memories that follow files.
const SOURCE: &str = "file";
/// The longest title of a memory, in characters.
const MAX_TITLE: usize = 120;

/// Converts a record to a memory draft for the write gate.
fn record_draft(record: &Record) -> Draft {
    let tags = record
        .tags
        .iter()
        .map(|tag| tag.split_whitespace().collect::<Vec<_>>().join("-").to_lowercase());
    let files = record.related_files.iter().filter(|file| RepoPath::new(file.as_str()).is_ok());
    let details = (record.category == RecordCategory::SessionSummary).then(|| {
        let whole = Value::Object(record.content.clone());
        if whole.to_string().len() <= tacit_core::Details::MAX_BYTES {
            return whole;
        }
        json!({"outcome": record.content.get("outcome")})
    });
    // A work state needs a unit of work: here, the session itself.
    let work_unit = details.as_ref().and_then(|_| {
        let hierarchy = vec![record.id.to_string()];
        WorkUnitRef::new("native", hierarchy, record.title.clone()).ok()
    });
    let mut content = note_text(record);
    if content.trim().is_empty() {
        content.clone_from(&record.title);
    }
    Draft {
        content: cut(&content, MAX_CONTENT).to_owned(),
        category: Some(record.category.as_str().to_owned()),
        details,
        work_unit,
        title: Some(record.title.clone()),
        confidence: record.confidence.map(tacit_core::Confidence::value),
        tags: tags.collect(),
        related_files: files.cloned().collect(),
        references: vec![reference(record)],
        source: Some(SOURCE.to_owned()),
        ..Draft::default()
    }
}

/// Cuts a text to at most `max` bytes.
pub(super) fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}
