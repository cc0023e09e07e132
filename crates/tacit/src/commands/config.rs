//! `tacit config`

mod migrate;
mod show;

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::json;
use tacit_app::AppResult;
use tacit_app::settings::{self, ConfigChange, ConfigLayer, to_json};
use tacit_core::{ConfigError, ConfigKey, ConfigValue, KeyName};

use crate::app::{CliApp, StoreScopeArg};
pub(crate) use migrate::old_names;

/// Show and change settings.
///
/// Values come from the defaults, then your own file, then `.tacit/config.toml` in the repository,
/// then your own file for this project, then TACIT_* variables; the last one that sets a key wins.
/// The file in the repository may be somebody else's, so it cannot set keys that choose a program,
/// model or address, turn on capture, or block an agent.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit config list
  tacit config explain recall.limit
  tacit config set recall.limit 5             for you, in this project
  tacit config set recall.limit 5 --shared    for everybody who works on it
  tacit config set ui.color never --global    for you, in all projects")]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: ConfigAction,
}

#[derive(Debug, Subcommand)]
enum ConfigAction {
    /// List the keys that are set, with their values and where those come from.
    #[command(after_help = "Examples:
  tacit config list
  tacit config list --all --json")]
    List {
        /// Every key, with its default if it is not set.
        #[arg(long)]
        all: bool,
    },
    /// Print the value of a key.
    #[command(after_help = "Examples:
  tacit config get recall.limit")]
    Get {
        /// The key, such as recall.limit.
        key: String,
    },
    /// Set a key for this project, for everybody who works on it, or for all your projects.
    #[command(after_help = "Examples:
  tacit config set recall.limit 5
  tacit config set records.decision.threshold 0.7
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
    /// Remove a key from one of the files.
    #[command(after_help = "Examples:
  tacit config unset recall.limit")]
    Unset {
        /// The key.
        key: String,
        #[command(flatten)]
        layer: LayerArg,
    },
    /// Explain a key, a table of keys, or every key.
    #[command(after_help = "Examples:
  tacit config explain
  tacit config explain records
  tacit config explain recall.limit")]
    Explain {
        /// The key, or the beginning of several, such as records.
        key: Option<String>,
    },
    /// Replace old names of keys in your files by their present ones.
    #[command(after_help = "Examples:
  tacit config migrate")]
    Migrate,
    /// Print where the files are.
    #[command(after_help = "Examples:
  tacit config path")]
    Path,
}

impl ConfigArgs {
    pub(crate) fn only_paths(&self) -> bool {
        matches!(self.action, ConfigAction::Path)
    }

    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        use ConfigAction::{Explain, Get, List, Migrate, Path, Set, Unset};
        for problem in &app.loaded.ignored {
            app.watcher.warn(problem);
        }
        // The other commands rewrite and report old names themselves.
        if matches!(self.action, List { .. } | Get { .. } | Explain { .. }) {
            migrate::warn_of_old_names(app);
        }
        match self.action {
            List { all } => show::list(app, all),
            Get { key } => show::value(app, find(app, &key)?),
            Set { key, value, layer } => set(app, find(app, &key)?, &value, layer),
            Unset { key, layer } => unset(app, find(app, &key)?, layer),
            Explain { key } => show::explain(app, key.as_deref()),
            Migrate => migrate::run(app),
            Path => show::paths(app),
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

impl From<StoreScopeArg> for LayerArg {
    fn from(scope: StoreScopeArg) -> LayerArg {
        LayerArg { global: scope.global, shared: false }
    }
}

impl From<LayerArg> for ConfigLayer {
    fn from(layer: LayerArg) -> ConfigLayer {
        match layer {
            LayerArg { global: true, .. } => ConfigLayer::User,
            LayerArg { shared: true, .. } => ConfigLayer::Shared,
            _ => ConfigLayer::Project,
        }
    }
}

/// Finds a key by its name, or by an old name, with a note of the present one.
fn find(app: &CliApp, name: &str) -> AppResult<&'static ConfigKey> {
    match KeyName::find(name)? {
        KeyName::Current(key) => Ok(key),
        KeyName::Old(old, key) => {
            app.watcher.note(&format!("`{old}` is now `{}`", key.name));
            Ok(key)
        }
        KeyName::Removed(name, reason) => Err(ConfigError::RemovedKey { name, reason }.into()),
    }
}

fn set(app: &CliApp, key: &ConfigKey, value: &str, layer: LayerArg) -> AppResult<()> {
    let value = key.parse(value)?;
    let ConfigChange { path, renamed } = settings::set(app, key, &value, layer.into())?;
    migrate::note(app, &renamed, &path);
    report(app, key, Some(&value), &path)
}

fn unset(app: &CliApp, key: &ConfigKey, layer: LayerArg) -> AppResult<()> {
    let ConfigChange { path, renamed } = settings::unset(app, key, layer.into())?;
    migrate::note(app, &renamed, &path);
    report(app, key, None, &path)
}

/// Returns the path of the file in which a command sets keys.
pub(crate) fn file_of(app: &CliApp, layer: LayerArg) -> AppResult<PathBuf> {
    settings::file_of(app, layer.into())
}

fn report(
    app: &CliApp,
    key: &ConfigKey,
    value: Option<&ConfigValue>,
    path: &Path,
) -> AppResult<()> {
    if app.json {
        let value = value.map(to_json);
        return app.ui.json(&json!({"key": key.name, "value": value, "file": path}));
    }
    let path = path.display();
    app.ui.line(match value {
        Some(value) => format!("Set {} = {value} in {path}", key.name),
        None => format!("Removed {} from {path}", key.name),
    })
}
