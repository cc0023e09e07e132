//! The flat JSON form of a memory, used by `--json`, `export` and the history.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::category::Category;
use super::cue::Cues;
use super::details::Details;
use super::kind::MemoryType;
use super::memory::{Memory, MemoryBody, Origin, Trust, Usage};
use super::placement::{Placement, Scope, Subject, Visibility};
use super::relation::Relations;
use super::status::{Review, StaleKind, Status};
use super::values::{
    Author, Citation, CommitSha, Confidence, Content, Files, Generator, HalfLife, Modules, NodeRef,
    Reasoning, References, SessionId, Sessions, Source, Symbols, Tags, Title, UniversalPhase,
};
use super::work_unit::WorkUnitRef;
use crate::clock::Timestamp;
use crate::field::{FieldError, Problem};
use crate::id::MemoryId;

/// A memory as one flat object. Unknown fields are errors, so that a misspelt field is not lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each field is the memory's field of the same name")]
pub struct MemoryRecord {
    pub id: MemoryId,
    #[serde(rename = "type")]
    pub kind: MemoryType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    pub content: Content,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Reasoning>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    pub confidence: Confidence,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived_confidence: Option<Confidence>,
    #[serde(default, skip_serializing_if = "Tags::is_empty")]
    pub tags: Tags,
    #[serde(default, skip_serializing_if = "Cues::is_empty")]
    pub cues: Cues,
    #[serde(default, skip_serializing_if = "Files::is_empty")]
    pub related_files: Files,
    #[serde(default, skip_serializing_if = "Symbols::is_empty")]
    pub related_symbols: Symbols,
    #[serde(default, skip_serializing_if = "Modules::is_empty")]
    pub related_modules: Modules,
    #[serde(default, skip_serializing_if = "References::is_empty")]
    pub references: References,
    pub scope: Scope,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_unit: Option<WorkUnitRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    #[serde(default, skip_serializing_if = "Visibility::is_team")]
    pub visibility: Visibility,
    pub source: Source,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generator: Option<Generator>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitSha>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<UniversalPhase>,
    #[serde(default, skip_serializing_if = "Sessions::is_empty")]
    pub sessions: Sessions,
    #[serde(default, skip_serializing_if = "Relations::is_empty")]
    pub relations: Relations,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_node: Option<NodeRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decay_half_life_days: Option<HalfLife>,
    pub review: Review,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub citation: Option<Citation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_kind: Option<StaleKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stale_why: Option<Reasoning>,
    pub status: Status,
    pub observations: u32,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub access_count: u64,
    pub last_accessed_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// The error of text that is not a memory.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MemoryParseError {
    /// A field has an invalid value.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// The text is not JSON.
    #[error("not valid JSON: {0}")]
    Json(String),
}

impl Memory {
    /// Returns the flat form.
    pub fn to_record(&self) -> MemoryRecord {
        let body = self.body.clone();
        let placement = body.subject.placement();
        MemoryRecord {
            id: self.id,
            kind: body.subject.memory_type(),
            title: body.title,
            content: body.content,
            reasoning: body.reasoning,
            category: body.category,
            confidence: body.confidence,
            derived_confidence: body.derived_confidence,
            tags: body.tags,
            cues: body.cues,
            related_files: body.files,
            related_symbols: body.symbols,
            related_modules: body.modules,
            references: body.references,
            scope: placement.scope(),
            work_unit: placement.work_unit().cloned(),
            session: placement.session().cloned(),
            visibility: body.visibility,
            source: body.origin.source,
            author: body.origin.author,
            generator: body.origin.generator,
            commit: body.origin.commit,
            phase: body.origin.phase,
            sessions: body.origin.sessions,
            relations: body.relations,
            target_node: body.target_node,
            decay_half_life_days: body.half_life,
            review: body.trust.review,
            citation: body.trust.citation,
            stale_at: body.trust.stale_at,
            stale_kind: body.trust.stale_kind,
            stale_why: body.trust.stale_why,
            status: self.status.clone(),
            observations: self.observations,
            created_at: self.created_at,
            updated_at: self.updated_at,
            access_count: self.usage.access_count,
            last_accessed_at: self.usage.last_accessed_at,
            details: body.subject.details().to_json(),
        }
    }

    /// Returns the flat form as JSON.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self.to_record()).unwrap_or(Value::Null)
    }

    /// Parses the flat form from JSON text. The error names the field.
    pub fn from_json_str(text: &str) -> Result<Memory, MemoryParseError> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| MemoryParseError::Json(error.to_string()))?;
        Memory::from_json(value)
    }

    /// Parses the flat form from a JSON value.
    pub fn from_json(value: Value) -> Result<Memory, MemoryParseError> {
        let record: MemoryRecord = serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().to_string();
            let field = if path == "." { "memory".to_owned() } else { path };
            FieldError::new(field, Problem::rule(error.into_inner().to_string()))
        })?;
        Ok(Memory::try_from(record)?)
    }
}

impl TryFrom<MemoryRecord> for Memory {
    type Error = FieldError;

    fn try_from(record: MemoryRecord) -> Result<Memory, FieldError> {
        let details = Details::from_json(&record.kind, record.details)?;
        let placement = Placement::new(record.scope, record.work_unit, record.session)?;
        if record.observations == 0 {
            return Err(FieldError::new("observations", Problem::rule("is at least 1")));
        }
        let mut memory = Memory {
            id: record.id,
            body: MemoryBody {
                subject: Subject::new(details, placement)?,
                visibility: record.visibility,
                title: record.title,
                content: record.content,
                reasoning: record.reasoning,
                category: record.category,
                confidence: record.confidence,
                derived_confidence: record.derived_confidence,
                tags: record.tags,
                cues: record.cues,
                files: record.related_files,
                symbols: record.related_symbols,
                modules: record.related_modules,
                references: record.references,
                origin: Origin {
                    source: record.source,
                    author: record.author,
                    generator: record.generator,
                    commit: record.commit,
                    phase: record.phase,
                    sessions: record.sessions,
                },
                relations: record.relations,
                target_node: record.target_node,
                half_life: record.decay_half_life_days,
                trust: Trust {
                    review: record.review,
                    citation: record.citation,
                    stale_at: record.stale_at,
                    stale_kind: record.stale_kind.filter(|_| record.stale_at.is_some()),
                    stale_why: record.stale_why.filter(|_| record.stale_at.is_some()),
                },
            },
            status: record.status,
            observations: record.observations,
            created_at: record.created_at,
            updated_at: record.updated_at,
            usage: Usage {
                access_count: record.access_count,
                last_accessed_at: record.last_accessed_at,
            },
        };
        memory.body.upgrade();
        Ok(memory)
    }
}
