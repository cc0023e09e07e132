//! The committed OpenAPI document.

use serde_json::Value;

#[test]
fn the_committed_document_is_that_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
    let committed = std::fs::read_to_string(path).expect("the document");
    let committed: Value = serde_json::from_str(&committed).expect("JSON");
    assert!(
        committed == tacit_panel::document(),
        "run `cargo run -p tacit-panel --example openapi > crates/tacit-panel/openapi.json`"
    );
}

#[test]
fn every_reference_leads_to_a_schema() {
    let document = tacit_panel::document();
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 50, "{}", references.len());
    for reference in references {
        let path = reference.strip_prefix('#').expect("a reference within the document");
        assert!(document.pointer(path).is_some(), "{reference}");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            references.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|value| collect(value, references));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, references)),
        _ => {}
    }
}
