//! The OpenAPI document, made from the table of routes and the types of what they take and give.

use axum::http::Method;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::error::ErrorBody;
use crate::guard::is_write;
use crate::route::Route;
use crate::routes;
use crate::serve::API;

/// The path of the schemas of named types.
const SCHEMAS: &str = "/components/schemas";

/// Returns the document.
pub fn document() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = SCHEMAS.into();
    settings.meta_schema = None;
    let mut generator = settings.into_generator();
    let error = generator.subschema_for::<ErrorBody>();
    let mut paths: Map<String, Value> = Map::new();
    for route in routes::all() {
        let entry = paths.entry(format!("{API}{}", route.path)).or_insert_with(|| json!({}));
        entry[route.method.as_str().to_lowercase()] = operation(&route, &mut generator);
    }
    for (path, summary, media_type) in [
        ("/events", "Live events, until either side ends the stream.", "text/event-stream"),
        ("/openapi.json", "This document.", "application/json"),
    ] {
        let content = json!({media_type: {}});
        paths.insert(
            format!("{API}{path}"),
            json!({"get": {"summary": summary, "responses": {
                "200": {"description": "OK", "content": content}, "default": {"$ref": "#/components/responses/Error"},
            }}}),
        );
    }
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "The panel of Tacit", "version": env!("CARGO_PKG_VERSION"),
            "description": "The operations of the panel. `tacit panel` serves them on loopback, and prints \
                            the token that each request needs.",
            "license": {"name": "MIT OR Apache-2.0"},
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {"Error": {
                "description": "An error.",
                "content": {"application/json": {"schema": {
                    "type": "object", "properties": {"error": error}, "required": ["error"],
                }}},
            }},
            "schemas": schemas,
        },
    })
}

fn operation(route: &Route, generator: &mut SchemaGenerator) -> Value {
    let mut operation = json!({"summary": route.summary});
    let mut parameters: Vec<Value> = Vec::new();
    for name in route.path.split('/').filter_map(|part| part.strip_prefix('{')) {
        let name = name.trim_end_matches('}');
        let schema = json!({"type": "string", "minLength": 1});
        parameters.push(json!({"name": name, "in": "path", "required": true, "schema": schema}));
    }
    let input = (route.input)(generator).to_value();
    if is_write(&route.method) {
        let content = json!({"application/json": {"schema": input}});
        operation["requestBody"] = json!({"required": true, "content": content});
    } else {
        let required = input["required"].as_array().cloned().unwrap_or_default();
        for (name, schema) in input["properties"].as_object().into_iter().flatten() {
            let is_required = required.iter().any(|one| one == name);
            parameters.push(json!({
                "name": name, "in": "query", "required": is_required, "schema": schema,
            }));
        }
    }
    if !parameters.is_empty() {
        operation["parameters"] = json!(parameters);
    }
    let content = match route.output {
        Some(output) => json!({"application/json": {"schema": output(generator)}}),
        None => json!({"application/x-ndjson": {}, "text/markdown": {}}),
    };
    operation["responses"] = json!({
        route.status.as_str(): {"description": "OK", "content": content},
        "default": {"$ref": "#/components/responses/Error"},
    });
    debug_assert!(route.method != Method::HEAD, "axum answers those itself");
    operation
}
