//! The JSON Schema of a category's records.

use serde_json::{Value, json};

use crate::category::RecordCategory;
use crate::record::{MAX_CHANGES, MAX_FILES, MAX_TAGS, MAX_TITLE, SCHEMA_VERSION};
use crate::shape::schema_of;
use crate::slug::Slug;

/// Returns the JSON Schema of a category's records.
pub fn json_schema(category: RecordCategory) -> Value {
    let time = json!({"type": "string", "format": "date-time"});
    let mut content = schema_of(category.shape());
    content["description"] = json!("What the record says.");
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("A record of category {category}"),
        "type": "object",
        "required": [
            "schema_version", "category", "id", "title", "created_at", "updated_at", "tags",
            "content",
        ],
        "properties": {
            "schema_version": {"const": SCHEMA_VERSION},
            "category": {"const": category.as_str()},
            "id": {
                "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": Slug::MAX,
                "description": "The name of the record and of its file.",
            },
            "title": {"type": "string", "minLength": 1, "maxLength": MAX_TITLE},
            "created_at": time,
            "updated_at": time,
            "tags": {
                "type": "array", "minItems": 1, "maxItems": MAX_TAGS, "uniqueItems": true,
                "items": {"type": "string", "minLength": 1, "maxLength": 64},
            },
            "related_files": {
                "type": "array", "maxItems": MAX_FILES, "default": [],
                "items": {"type": "string", "minLength": 1},
                "description": "Paths from the root of the project.",
            },
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "record_status": {"enum": ["active", "retired", "archived"], "default": "active"},
            "retired_at": time,
            "retired_reason": {"type": "string"},
            "archived_at": time,
            "archived_reason": {"type": "string"},
            "times_updated": {"type": "integer", "minimum": 0, "default": 0},
            "content": content,
            "changes": {
                "type": "array", "maxItems": MAX_CHANGES, "default": [],
                "items": {
                    "type": "object", "required": ["date", "summary"],
                    "properties": {
                        "date": {"type": "string"}, "summary": {"type": "string"},
                        "field": {"type": "string"}, "old_value": {}, "new_value": {},
                    },
                },
            },
        },
    })
}
