//! Lists and explains keys.

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::app::CONFIG_FILE;
use tacit_app::settings::{shared_file, to_json};
use tacit_core::{Config, ConfigKey, ConfigValue, DocumentedKey, KEYS, KeyName};
use tacit_engine::ConfigOrigin;

use super::find;
use crate::app::CliApp;
use crate::commands::count;
use crate::ui::Tone;

/// The widest value that makes its column wider.
const WIDEST_VALUE: usize = 24;

pub(super) fn value(app: &CliApp, key: &ConfigKey) -> AppResult<()> {
    let value = key.get(app.config());
    if app.json {
        return app.ui.json(&to_json(&value));
    }
    app.ui.line(value.to_string())
}

pub(super) fn list(app: &CliApp, all: bool) -> AppResult<()> {
    let entries: Vec<(&ConfigKey, ConfigValue, String)> = app
        .loaded
        .entries()
        .filter(|(.., origin)| all || **origin != ConfigOrigin::Default)
        .map(|(key, value, origin)| (key, value, in_words(origin)))
        .collect();
    if app.json {
        let values: Vec<Value> = entries
            .iter()
            .map(|(key, value, origin)| {
                json!({"key": key.name, "value": to_json(value), "origin": origin})
            })
            .collect();
        return app.ui.json(&json!(values));
    }
    let set = entries.len();
    let keys = entries.iter().map(|(key, ..)| key.name.len()).max().unwrap_or_default();
    // A long value sticks out of its column, so that the others stay close to their origins.
    let values = entries.iter().map(|(_, value, _)| value.to_string().chars().count());
    let values = values.filter(|width| *width <= WIDEST_VALUE).max().unwrap_or_default();
    for (key, value, origin) in entries {
        let origin = app.ui.paint(Tone::Dim, &origin);
        app.ui.line(format!("{:<keys$} {:<values$} {origin}", key.name, value.to_string()))?;
    }
    if all {
        return Ok(());
    }
    let others = count(KEYS.len() - set, "key has its default", "keys have their defaults");
    app.ui.line(format!("{others}; --all shows every key"))
}

/// Explains a key, the keys whose names begin with a table, or every key.
pub(super) fn explain(app: &CliApp, name: Option<&str>) -> AppResult<()> {
    let rows = DocumentedKey::all();
    let rows: Vec<Explanation> = match name {
        None => rows.iter().map(Explanation::of_row).collect(),
        Some(name) => {
            let table = format!("{name}.");
            let is_meant = |row: &&DocumentedKey| {
                row.pattern == name || row.keys.iter().any(|key| key.name.starts_with(&table))
            };
            let found: Vec<Explanation> =
                rows.iter().filter(is_meant).map(Explanation::of_row).collect();
            // The name of a key wins over that of a table, as does an old name.
            match KeyName::find(name) {
                Err(_) if !found.is_empty() => found,
                _ => vec![Explanation::of_key(find(app, name)?)],
            }
        }
    };
    if app.json {
        return app.ui.json(&rows.iter().map(|row| row.json.clone()).collect());
    }
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            app.ui.line("")?;
        }
        app.ui.line(app.ui.paint(Tone::Strong, row.name))?;
        app.ui.line(format!("  {}", row.help))?;
        app.ui.line(format!("  Takes {}; default: {}.", row.takes, row.default))?;
    }
    Ok(())
}

/// The explanation of a key or of a family of keys.
struct Explanation {
    name: &'static str,
    help: &'static str,
    takes: String,
    default: String,
    json: Value,
}

impl Explanation {
    fn of_key(key: &'static ConfigKey) -> Explanation {
        let default = key.get(&Config::default());
        let (takes, json_default) = (key.kind.to_string(), to_json(&default));
        Explanation {
            name: key.name,
            help: key.help,
            default: if default.to_string().is_empty() {
                "empty".into()
            } else {
                format!("`{default}`")
            },
            json: json!({
                "key": key.name, "takes": takes, "help": key.help, "default": json_default,
            }),
            takes,
        }
    }

    fn of_row(row: &DocumentedKey) -> Explanation {
        if let [key] = row.keys[..] {
            return Explanation::of_key(key);
        }
        let takes = row.takes();
        let config = Config::default();
        let defaults: serde_json::Map<String, Value> =
            row.keys.iter().map(|key| (key.name.to_owned(), to_json(&key.get(&config)))).collect();
        Explanation {
            name: row.pattern,
            help: row.help,
            default: row.default(),
            json: json!({
                "key": row.pattern, "takes": takes, "help": row.help, "defaults": defaults,
            }),
            takes,
        }
    }
}

pub(super) fn paths(app: &CliApp) -> AppResult<()> {
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
