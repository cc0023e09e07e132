//! The configuration and the methodologies.

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tacit_app::app::CONFIG_FILE;
use tacit_app::settings::{self, ConfigLayer, file_of, shared_file, to_json};
use tacit_core::{Config, ConfigKey, KEYS, KeyKind};
use tacit_engine::ConfigOrigin;

use crate::error::ApiError;
use crate::phrase::Sentence;
use crate::route::{ApiCall, Route};
use crate::wire::memory::Nothing;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/settings", "List every key with its value.", list),
        Route::new(Method::PUT, "/settings/{key}", "Set a key.", set),
        Route::new(Method::DELETE, "/settings/{key}", "Remove a key from a file.", unset),
        Route::new(Method::GET, "/methodologies", "List the methodologies.", methodologies),
    ]
}

/// Every key.
#[derive(Debug, Serialize, JsonSchema)]
struct Settings {
    keys: Vec<Key>,
    files: Files,
    /// The keys that the file of the repository may not set.
    ignored: Vec<String>,
}

/// The paths of the files.
#[derive(Debug, Serialize, JsonSchema)]
struct Files {
    user: String,
    shared: String,
    project: Option<String>,
}

/// A key.
#[derive(Debug, Serialize, JsonSchema)]
struct Key {
    key: &'static str,
    pattern: &'static str,
    help: &'static str,
    takes: String,
    /// bool, int, float, text or choice.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Vec<&'static str>>,
    default: Value,
    value: Value,
    origin: Origin,
    settable: bool,
    why_not: Option<Sentence>,
    /// True if the file of the repository may set it.
    shareable: bool,
}

/// The origin of a value.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Origin {
    Default,
    File { path: String, layer: Option<Layer> },
    Environment { variable: String },
}

/// A file that sets keys.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Layer {
    Project,
    User,
    Shared,
}

impl From<Layer> for ConfigLayer {
    fn from(layer: Layer) -> ConfigLayer {
        match layer {
            Layer::Project => ConfigLayer::Project,
            Layer::User => ConfigLayer::User,
            Layer::Shared => ConfigLayer::Shared,
        }
    }
}

/// A value for a key.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewValue {
    /// A text, a number, true or false.
    value: Value,
    layer: Layer,
}

/// The file to remove a key from.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FromLayer {
    layer: Layer,
}

fn list(call: &ApiCall<'_>, _: Nothing) -> Result<Settings, ApiError> {
    let app = call.app;
    let project = file_of(app, ConfigLayer::Project).ok();
    Ok(Settings {
        keys: KEYS.iter().map(|key| view(call, key)).collect(),
        files: Files {
            user: app.environment.config_home.join(CONFIG_FILE).display().to_string(),
            shared: shared_file(app).display().to_string(),
            project: project.map(|path| path.display().to_string()),
        },
        ignored: app.loaded.ignored.clone(),
    })
}

fn view(call: &ApiCall<'_>, key: &'static ConfigKey) -> Key {
    let app = call.app;
    let (kind, bounds, choices) = match key.kind {
        KeyKind::Bool => ("bool", None, None),
        KeyKind::Int(min, max) => ("int", Some((min as f64, max as f64)), None),
        KeyKind::Float(min, max) => ("float", Some((min, max)), None),
        KeyKind::Text => ("text", None, None),
        KeyKind::Choice(words) => ("choice", None, Some(words.to_vec())),
    };
    let value = key.get(app.config());
    let origin = match app.loaded.origin(key) {
        ConfigOrigin::Default => Origin::Default,
        ConfigOrigin::Environment(variable) => Origin::Environment { variable: variable.clone() },
        ConfigOrigin::File(path) => {
            let layers = [Layer::Shared, Layer::Project, Layer::User];
            let is_it =
                |layer: &Layer| file_of(app, (*layer).into()).is_ok_and(|file| file == *path);
            let layer = layers.into_iter().find(is_it);
            Origin::File { path: path.display().to_string(), layer }
        }
    };
    let shareable = key.check_shared(&value).is_ok();
    let why_not = match &origin {
        Origin::Environment { variable } => {
            Some(format!("the environment variable `{variable}` sets it"))
        }
        _ if !shareable => {
            let refused = app.person_only(&format!("set `{}`", key.name));
            refused.err().map(|error| error.message)
        }
        _ => None,
    };
    Key {
        key: key.name,
        pattern: key.pattern,
        help: key.help,
        takes: key.kind.to_string(),
        kind,
        min: bounds.map(|(min, _)| min),
        max: bounds.map(|(_, max)| max),
        choices,
        default: to_json(&key.get(&Config::default())),
        value: to_json(&value),
        origin,
        settable: why_not.is_none(),
        why_not: why_not.map(Sentence::from),
        shareable,
    }
}

fn set(call: &ApiCall<'_>, input: NewValue) -> Result<Key, ApiError> {
    let key = ConfigKey::find(call.name())?;
    let text = match &input.value {
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => input.value.to_string(),
        _ => return Err(ApiError::usage("`value` is neither a text, a number, true nor false")),
    };
    settings::set(call.app, key, &key.parse(&text)?, input.layer.into())?;
    again(call, key)
}

fn unset(call: &ApiCall<'_>, input: FromLayer) -> Result<Key, ApiError> {
    let key = ConfigKey::find(call.name())?;
    settings::unset(call.app, key, input.layer.into())?;
    again(call, key)
}

/// Shows a key after a change.
fn again(call: &ApiCall<'_>, key: &'static ConfigKey) -> Result<Key, ApiError> {
    let app = call.state.app()?;
    Ok(view(&call.with(&app), key))
}

/// The methodologies.
#[derive(Debug, Serialize, JsonSchema)]
struct Methodologies {
    active: String,
    methodologies: Vec<MethodologyView>,
}

/// A methodology.
#[derive(Debug, Serialize, JsonSchema)]
struct MethodologyView {
    id: String,
    name: Sentence,
    description: Sentence,
    active: bool,
    file: Option<String>,
    error: Option<String>,
    phases: Vec<String>,
    levels: Vec<String>,
}

fn methodologies(call: &ApiCall<'_>, _: Nothing) -> Result<Methodologies, ApiError> {
    let app = call.app;
    let active = app.config().methodology_active.clone();
    let views = app.places.definitions().into_iter().map(|definition| {
        let methodology = definition.methodology.as_ref().ok();
        let named = |list: Option<Vec<String>>| list.unwrap_or_default();
        MethodologyView {
            name: methodology.map_or(definition.name.as_str(), |it| it.name()).into(),
            description: methodology
                .map(|it| it.description().to_string())
                .unwrap_or_default()
                .into(),
            active: definition.name == active,
            file: definition.path.as_ref().map(|path| path.display().to_string()),
            error: definition.methodology.as_ref().err().map(ToString::to_string),
            phases: named(
                methodology.map(|it| it.phases().iter().map(|(own, _)| own.clone()).collect()),
            ),
            levels: named(
                methodology.map(|it| it.levels().iter().map(|level| level.name.clone()).collect()),
            ),
            id: definition.name,
        }
    });
    let methodologies = views.collect();
    Ok(Methodologies { active, methodologies })
}
