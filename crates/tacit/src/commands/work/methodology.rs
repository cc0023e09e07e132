//! `tacit work methodology`

use std::path::Path;

use clap::Subcommand;
use serde_json::{Value, json};
use tacit_app::{AppError, AppResult};
use tacit_core::{ConfigKey, ConfigValue};
use tacit_engine::{ConfigFile, MethodologyDefinition, read_definition};
use tacit_work::{MAX_DEFINITION_BYTES, Methodology as Definitions, SHIPPED};

use crate::app::{CliApp, StoreScopeArg};
use crate::commands::config::file_of;
use crate::render::visible;
use crate::ui::Tone;

/// The key that names the active methodology.
const KEY: &str = "methodology.active";

/// Choose how phases and units of work are named.
///
/// Tacit has four methodologies; others are files in `.tacit/methodologies`, described in
/// docs/methodologies.md. Changing the methodology changes no memory.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit work methodology list
  tacit work methodology show bmad
  tacit work methodology use tdd
  mkdir -p .tacit/methodologies      a folder for your own
  tacit work methodology show agile > .tacit/methodologies/ours.toml
  tacit work methodology check       check your own files")]
pub(crate) struct MethodologyArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the methodologies, and mark the active one.
    #[command(after_help = "Examples:
  tacit work methodology list
  tacit work methodology list --json")]
    List,
    /// Print the definition of a methodology.
    #[command(after_help = "Examples:
  tacit work methodology show
  tacit work methodology show bmad > .tacit/methodologies/ours.toml")]
    Show {
        /// The name [default: the active one].
        name: Option<String>,
    },
    /// Make a methodology the active one.
    #[command(after_help = "Examples:
  tacit work methodology use tdd")]
    Use {
        /// The name.
        name: String,
        #[command(flatten)]
        scope: StoreScopeArg,
    },
    /// Check definitions, and report every error in them.
    #[command(after_help = "Examples:
  tacit work methodology check
  tacit work methodology check ours")]
    Check {
        /// Names or files [default: all in `.tacit/methodologies`].
        #[arg(value_name = "NAME|FILE")]
        names: Vec<String>,
    },
}

impl MethodologyArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.action {
            Action::List => list(app),
            Action::Show { name } => show(app, name),
            Action::Use { name, scope } => choose(app, &name, scope),
            Action::Check { names } => check(app, &names),
        }
    }
}

fn list(app: &CliApp) -> AppResult<()> {
    let active = app.config().methodology_active.clone();
    let definitions = app.places.definitions();
    if app.json {
        let values = definitions.iter().map(|definition| {
            let mut value = match &definition.methodology {
                Ok(methodology) => summary(methodology),
                Err(error) => json!({"id": definition.name, "error": error.to_string()}),
            };
            value["active"] = json!(definition.name == active);
            value["file"] = json!(definition.path);
            value
        });
        return app.ui.json(&values.collect());
    }
    for MethodologyDefinition { name, path, methodology } in &definitions {
        let mark = if *name == active { "*" } else { " " };
        let (about, tone) = match methodology {
            Ok(methodology) => (visible(methodology.name()), Tone::Dim),
            Err(_) => {
                (format!("cannot be used; see `tacit work methodology check {name}`"), Tone::Warn)
            }
        };
        let from = match path {
            Some(_) if SHIPPED.iter().any(|shipped| shipped.id == name) => {
                "your file, instead of the built-in one"
            }
            Some(_) => "your file",
            None => "built in",
        };
        let about = app.ui.paint(tone, &about);
        app.ui.line(format!("{mark} {:<12} {about} ({from})", visible(name)))?;
    }
    if definitions.iter().all(|definition| definition.name != active) {
        let missing =
            format!("`{KEY}` is `{active}`, which does not exist; `native` is used instead");
        app.ui.line(app.ui.paint(Tone::Warn, &missing))?;
    }
    Ok(())
}

fn summary(methodology: &Definitions) -> Value {
    json!({
        "id": methodology.id(), "name": methodology.name(),
        "description": methodology.description(),
    })
}

fn show(app: &CliApp, name: Option<String>) -> AppResult<()> {
    let name = name.unwrap_or_else(|| app.config().methodology_active.clone());
    let methodology = app.places.methodology(&name)?;
    if app.json {
        return app.ui.json(&whole(&methodology));
    }
    let file = app.places.methodologies().join(format!("{name}.toml"));
    let shipped = SHIPPED.iter().find(|shipped| shipped.id == name);
    match (tacit_fs::read_nofollow(&file, MAX_DEFINITION_BYTES as u64), shipped) {
        (Ok(own), _) => app.ui.bytes(&own)?,
        (Err(_), Some(shipped)) => app.ui.text(shipped.text)?,
        (Err(error), None) => return Err(error.into()),
    }
    Ok(())
}

/// Renders a definition in full.
fn whole(methodology: &Definitions) -> Value {
    let mut value = summary(methodology);
    value["phases"] =
        methodology.phases().iter().map(|(own, phase)| (own.clone(), json!(phase))).collect();
    value["stages"] =
        methodology.stages().iter().map(|(own, phase)| (own.clone(), json!(phase))).collect();
    value["levels"] = methodology
        .levels()
        .iter()
        .map(|level| json!({"name": level.name, "label": level.label}))
        .collect();
    value["relays"] = methodology
        .relays()
        .iter()
        .map(|relay| {
            json!({
                "from": relay.from, "to": relay.to, "types": relay.types,
                "min_confidence": relay.min_confidence, "tags": relay.tags,
            })
        })
        .collect();
    value["work_state"] = methodology
        .state_fields()
        .iter()
        .map(|field| {
            let patterns: Vec<&str> = field.patterns.iter().map(|p| p.as_str()).collect();
            json!({
                "name": field.name, "label": field.label, "kind": field.kind.as_str(),
                "patterns": patterns,
            })
        })
        .collect();
    value["memory_types"] = methodology
        .types()
        .iter()
        .map(|kind| {
            let weights: serde_json::Map<String, Value> = kind
                .weights
                .iter()
                .map(|(phase, weight)| (phase.to_string(), json!(weight)))
                .collect();
            json!({"type": kind.kind, "description": kind.description, "weights": weights})
        })
        .collect();
    value["next_phase"] = json!(methodology.completion().next_phase.as_ref().map(|(own, _)| own));
    value
}

fn choose(app: &CliApp, name: &str, scope: StoreScopeArg) -> AppResult<()> {
    let methodology = app.places.methodology(name)?;
    let key = ConfigKey::find(KEY)?;
    let path = file_of(app, scope.into())?;
    let before = app.config().methodology_active.clone();
    let mut file = ConfigFile::read(&path)?;
    file.set(key, &ConfigValue::Text(name.to_owned()))?;
    file.write()?;
    if app.json {
        return app.ui.json(&json!({"active": name, "before": before, "file": path}));
    }
    app.ui.line(format!("The methodology is now {}.", visible(methodology.name())))?;
    if before != name {
        app.ui.line(format!("Memories from `{before}` are kept, and recall still finds them."))?;
    }
    Ok(())
}

fn check(app: &CliApp, names: &[String]) -> AppResult<()> {
    let mut results = Vec::new();
    if names.is_empty() {
        for definition in app.places.definitions() {
            if definition.path.is_some() {
                results.push((definition.name, definition.methodology));
            }
        }
    }
    for name in names {
        let path = app.directory.join(name);
        let is_file = Path::new(name).extension().is_some() || name.contains('/');
        let result = if is_file { read_definition(&path) } else { app.places.methodology(name) };
        results.push((name.clone(), result));
    }
    let wrong = results.iter().filter(|(_, result)| result.is_err()).count();
    if app.json {
        let values = results.iter().map(|(name, result)| {
            let error = result.as_ref().err().map(ToString::to_string);
            json!({"name": name, "valid": error.is_none(), "error": error})
        });
        app.ui.json(&values.collect())?;
    } else if results.is_empty() {
        let directory = app.places.methodologies();
        app.ui.line(format!("There are no methodology files in {}.", directory.display()))?;
    } else {
        for (name, result) in &results {
            match result {
                Ok(methodology) => {
                    let good = app.ui.paint(Tone::Good, "valid");
                    app.ui.line(format!("{name}: {good} ({})", visible(methodology.name())))?;
                }
                Err(error) => app.ui.line(format!("{name}: {}", visible(&error.to_string())))?,
            }
        }
    }
    if wrong > 0 { Err(AppError::already_printed()) } else { Ok(()) }
}
