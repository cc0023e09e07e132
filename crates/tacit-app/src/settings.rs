//! The configuration as people see and change it: every key, and the files that set them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tacit_core::{Config, ConfigKey, ConfigValue};
use tacit_engine::{ConfigFile, MigratedName};

use crate::app::{App, CONFIG_FILE};
use crate::error::{AppError, AppResult, ErrorCode};
use crate::team::check_stored_url;

/// A file that sets keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigLayer {
    /// The user's file for this project.
    Project,
    /// The user's file for all projects.
    User,
    /// The file in the repository, for everybody who works on it.
    Shared,
}

/// Returns the path of the file in the repository.
pub fn shared_file(app: &App) -> PathBuf {
    app.places.shared.join(CONFIG_FILE)
}

/// Returns the path of the file in which a layer's keys are set.
pub fn file_of(app: &App, layer: ConfigLayer) -> AppResult<PathBuf> {
    if layer == ConfigLayer::User {
        return Ok(app.environment.config_home.join(CONFIG_FILE));
    }
    if let Some(obstacle) = &app.obstacle {
        return Err(obstacle.into());
    }
    if layer == ConfigLayer::Shared {
        return Ok(shared_file(app));
    }
    if !app.places.project.is_dir() {
        let message = format!("`{}` has no memory yet", app.places.root.display());
        return Err(AppError::new(ErrorCode::NotInitialised, message)
            .hint("run `tacit init` there, or use `--global` for all projects"));
    }
    Ok(app.places.project.join(CONFIG_FILE))
}

/// Writes a configuration file; that of the repository as a file that is committed.
pub fn write(app: &App, file: &ConfigFile, path: &Path) -> AppResult<()> {
    let committed = path == shared_file(app) && app.places.shared != app.places.project;
    let written = if committed { file.write_shared() } else { file.write() };
    Ok(written?)
}

/// Returns a value as JSON.
pub fn to_json(value: &ConfigValue) -> Value {
    match value {
        ConfigValue::Bool(value) => json!(value),
        ConfigValue::Int(value) => json!(value),
        ConfigValue::Float(value) => json!(value),
        ConfigValue::Text(value) => json!(value),
    }
}

/// A change of a configuration file.
#[derive(Debug)]
pub struct ConfigChange {
    /// The file.
    pub path: PathBuf,
    /// The old names of keys that were replaced in it.
    pub renamed: Vec<MigratedName>,
}

/// Sets a key in a file. A key that chooses a program, a model or an address is refused in the file of the
/// repository, and only a person can set it.
pub fn set(
    app: &App,
    key: &ConfigKey,
    value: &ConfigValue,
    layer: ConfigLayer,
) -> AppResult<ConfigChange> {
    if key.name == "database.url" {
        check_stored_url(&value.to_string())?;
    }
    let path = file_of(app, layer)?;
    if path == shared_file(app) {
        key.check_shared(value)?;
    }
    if key.check_shared(value).is_err() {
        app.person_only(&format!("set `{}`", key.name))?;
    }
    let mut file = ConfigFile::read(&path)?;
    let renamed = file.migrate();
    file.set(key, value)?;
    write(app, &file, &path)?;
    Ok(ConfigChange { path, renamed })
}

/// Removes a key from a file, which must have it.
pub fn unset(app: &App, key: &ConfigKey, layer: ConfigLayer) -> AppResult<ConfigChange> {
    if key.check_shared(&key.get(&Config::default())).is_err() {
        app.person_only(&format!("unset `{}`", key.name))?;
    }
    let path = file_of(app, layer)?;
    let mut file = ConfigFile::read(&path)?;
    let renamed = file.migrate();
    if !file.unset(key) {
        let message = format!("`{}` is not set in `{}`", key.name, path.display());
        return Err(AppError::new(ErrorCode::NotFound, message)
            .hint("`tacit config list` shows where each value comes from"));
    }
    write(app, &file, &path)?;
    Ok(ConfigChange { path, renamed })
}
