//! `tacit config`

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Value, json};
use tacit_app::app::CONFIG_FILE;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::{Config as Values, ConfigValue, Key};
use tacit_engine::{ConfigFile, ConfigOrigin};

use crate::app::{App, ShelfArg};
use crate::ui::Tone;

/// The widest value that makes its column wider.
const WIDEST_VALUE: usize = 24;

/// Show and change settings.
///
/// Values come from the defaults, then your own file, then `.tacit/config.toml` in the repository,
/// then your own file for this project, then TACIT_* variables; the last one that sets a key wins.
/// The file in the repository may have come with somebody else's code, so it can only set keys
/// that choose no program, model or address, capture nothing and block nobody.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit config list
  tacit config explain recall.limit
  tacit config set recall.limit 5             for you, in this project
  tacit config set recall.limit 5 --shared    for everybody who works on it
  tacit config set ui.color never --global    for you, in all projects")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Every key with its value and where that comes from.
    #[command(after_help = "Examples:
  tacit config list
  tacit config list --json")]
    List,
    /// The value of a key.
    #[command(after_help = "Examples:
  tacit config get recall.limit")]
    Get {
        /// The key, such as recall.limit.
        key: String,
    },
    /// Set a key for this project, for everybody who works on it, or for all your projects.
    #[command(after_help = "Examples:
  tacit config set recall.limit 5
  tacit config set methodology.active tdd --shared
  tacit config set user.name Ada --global")]
    Set {
        /// The key.
        key: String,
        /// The value.
        value: String,
        #[command(flatten)]
        layer: LayerArg,
    },
    /// Take a key out of one of the files.
    #[command(after_help = "Examples:
  tacit config unset recall.limit")]
    Unset {
        /// The key.
        key: String,
        #[command(flatten)]
        layer: LayerArg,
    },
    /// What a key does and what values it takes; every key, if none is given.
    #[command(after_help = "Examples:
  tacit config explain
  tacit config explain recall.limit")]
    Explain {
        /// The key.
        key: Option<String>,
    },
    /// Where the files are.
    #[command(after_help = "Examples:
  tacit config path")]
    Path,
}

impl ConfigArgs {
    pub(crate) fn only_paths(&self) -> bool {
        matches!(self.action, Action::Path)
    }

    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        for problem in &app.loaded.ignored {
            app.watcher.warn(problem);
        }
        match self.action {
            Action::List => list(app),
            Action::Get { key } => {
                let value = Key::find(&key)?.get(app.config());
                if app.json {
                    return app.ui.json(&to_json(&value));
                }
                app.ui.line(value.to_string())
            }
            Action::Set { key, value, layer } => {
                let key = Key::find(&key)?;
                let value = key.parse(&value)?;
                let path = file_of(app, layer)?;
                if path == shared_file(app) {
                    key.check_shared(&value)?;
                }
                if key.check_shared(&value).is_err() {
                    app.person_only(&format!("set `{}`", key.name))?;
                }
                let mut file = ConfigFile::read(&path)?;
                file.set(key, &value);
                write(app, &file, &path)?;
                done(app, key, Some(&value), &path)
            }
            Action::Unset { key, layer } => {
                let key = Key::find(&key)?;
                if key.check_shared(&key.get(&Values::default())).is_err() {
                    app.person_only(&format!("unset `{}`", key.name))?;
                }
                let path = file_of(app, layer)?;
                let mut file = ConfigFile::read(&path)?;
                if !file.unset(key) {
                    let message = format!("`{}` is not set in `{}`", key.name, path.display());
                    return Err(AppError::new(ErrorCode::NotFound, message)
                        .hint("`tacit config list` shows where each value comes from"));
                }
                write(app, &file, &path)?;
                done(app, key, None, &path)
            }
            Action::Explain { key } => explain(app, key.as_deref()),
            Action::Path => paths(app),
        }
    }
}

/// The configuration file that a command changes.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct LayerArg {
    /// Use your own configuration, for all projects.
    #[arg(long)]
    pub(crate) global: bool,
    /// Use `.tacit/config.toml` in the repository, for everybody who works on it.
    #[arg(long, conflicts_with = "global")]
    pub(crate) shared: bool,
}

impl From<ShelfArg> for LayerArg {
    fn from(shelf: ShelfArg) -> LayerArg {
        LayerArg { global: shelf.global, shared: false }
    }
}

fn shared_file(app: &App) -> PathBuf {
    app.places.shared.join(CONFIG_FILE)
}

fn write(app: &App, file: &ConfigFile, path: &std::path::Path) -> AppResult<()> {
    let committed = path == shared_file(app) && app.places.shared != app.places.project;
    let written = if committed { file.write_shared() } else { file.write() };
    Ok(written?)
}

/// The file that keys are set in.
pub(crate) fn file_of(app: &App, layer: LayerArg) -> AppResult<PathBuf> {
    if layer.global {
        return Ok(app.environment.config_home.join(CONFIG_FILE));
    }
    if let Some(obstacle) = &app.obstacle {
        return Err(obstacle.into());
    }
    if layer.shared {
        return Ok(shared_file(app));
    }
    if !app.places.project.is_dir() {
        let message = format!("`{}` has no memory yet", app.places.root.display());
        return Err(AppError::new(ErrorCode::NotInitialised, message)
            .hint("run `tacit init` there, or use `--global` for all projects"));
    }
    Ok(app.places.project.join(CONFIG_FILE))
}

fn done(
    app: &App,
    key: &Key,
    value: Option<&ConfigValue>,
    path: &std::path::Path,
) -> AppResult<()> {
    if app.json {
        let value = value.map(to_json);
        return app.ui.json(&json!({"key": key.name, "value": value, "file": path}));
    }
    let path = path.display();
    app.ui.line(match value {
        Some(value) => format!("Set {} = {value} in {path}", key.name),
        None => format!("Took {} out of {path}", key.name),
    })
}

fn list(app: &App) -> AppResult<()> {
    let entries: Vec<(&Key, ConfigValue, String)> =
        app.loaded.entries().map(|(key, value, origin)| (key, value, in_words(origin))).collect();
    if app.json {
        let values: Vec<Value> = entries
            .iter()
            .map(|(key, value, origin)| {
                json!({"key": key.name, "value": to_json(value), "origin": origin})
            })
            .collect();
        return app.ui.json(&json!(values));
    }
    let keys = entries.iter().map(|(key, ..)| key.name.len()).max().unwrap_or_default();
    // A sentence stands out of its column, so that the others need not be read across a gap.
    let values = entries.iter().map(|(_, value, _)| value.to_string().chars().count());
    let values = values.filter(|width| *width <= WIDEST_VALUE).max().unwrap_or_default();
    for (key, value, origin) in entries {
        let origin = app.ui.paint(Tone::Dim, &origin);
        app.ui.line(format!("{:<keys$} {:<values$} {origin}", key.name, value.to_string()))?;
    }
    Ok(())
}

fn explain(app: &App, key: Option<&str>) -> AppResult<()> {
    let keys: Vec<&Key> = match key {
        Some(name) => vec![Key::find(name)?],
        None => tacit_core::KEYS.iter().collect(),
    };
    let defaults = Values::default();
    if app.json {
        let values: Vec<Value> = keys
            .iter()
            .map(|key| {
                json!({
                    "key": key.name, "takes": key.kind.to_string(), "help": key.help,
                    "default": to_json(&key.get(&defaults)),
                })
            })
            .collect();
        return app.ui.json(&json!(values));
    }
    for (index, key) in keys.iter().enumerate() {
        if index > 0 {
            app.ui.line("")?;
        }
        app.ui.line(app.ui.paint(Tone::Strong, key.name))?;
        app.ui.line(format!("  {}", key.help))?;
        app.ui.line(format!("  Takes {}; the default is `{}`.", key.kind, key.get(&defaults)))?;
    }
    Ok(())
}

fn paths(app: &App) -> AppResult<()> {
    let user = app.environment.config_home.join(CONFIG_FILE);
    let project = app.places.project.join(CONFIG_FILE);
    let shared = shared_file(app);
    if app.json {
        let value = json!({"user": user, "shared": shared, "project": project});
        return app.ui.json(&value);
    }
    app.ui.line(format!("user     {}", user.display()))?;
    app.ui.line(format!("shared   {}", shared.display()))?;
    if project != shared {
        app.ui.line(format!("project  {}", project.display()))?;
    }
    Ok(())
}

fn in_words(origin: &ConfigOrigin) -> String {
    match origin {
        ConfigOrigin::Default => "default".into(),
        ConfigOrigin::File(path) => path.display().to_string(),
        ConfigOrigin::Environment(variable) => format!("${variable}"),
    }
}

pub(crate) fn to_json(value: &ConfigValue) -> Value {
    match value {
        ConfigValue::Bool(value) => json!(value),
        ConfigValue::Int(value) => json!(value),
        ConfigValue::Float(value) => json!(value),
        ConfigValue::Text(value) => json!(value),
    }
}
