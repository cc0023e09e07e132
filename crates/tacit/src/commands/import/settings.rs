//! Imports settings of other tools as configuration keys.

use serde_json::{Value, json};
use tacit_app::{AppError, AppResult};
use tacit_bridges::settings::ForeignSetting;
use tacit_core::{ConfigKey, ConfigValue};
use tacit_engine::ConfigFile;

use crate::app::{CliApp, StoreScopeArg};
use crate::commands::config::file_of;
use crate::commands::count;
use crate::render::visible;
use tacit_app::settings::to_json;

/// The settings to change. All of them are checked before the first is written.
pub(super) struct Plan {
    rows: Vec<Row>,
    file: Option<ConfigFile>,
}

struct Row {
    /// The file and the place in it.
    from: String,
    what: Result<Change, &'static str>,
}

struct Change {
    key: &'static ConfigKey,
    value: ConfigValue,
    /// True if the key has this value already.
    known: bool,
}

impl Plan {
    pub(super) fn new(
        app: &CliApp,
        scope: StoreScopeArg,
        found: Vec<(String, ForeignSetting)>,
    ) -> AppResult<Plan> {
        if found.is_empty() {
            return Ok(Plan { rows: Vec::new(), file: None });
        }
        let mut file = ConfigFile::read(&file_of(app, scope.into())?)?;
        // A key that is set below must not also stay under its old name.
        file.migrate();
        let mut rows = Vec::with_capacity(found.len());
        for (name, setting) in found {
            let from = format!("{name}: {}", setting.path);
            let what = match setting.mapping {
                Err(why) => Err(why),
                Ok((key, value)) => {
                    let key = ConfigKey::find(&key)?;
                    let value = key.parse(&value).map_err(|error| {
                        AppError::usage(format!("in `{name}`, `{}`: {error}", setting.path))
                            .hint("nothing was imported: settings are imported all or none")
                    })?;
                    let known = key.get(app.config()) == value;
                    if !known {
                        file.set(key, &value)?;
                    }
                    Ok(Change { key, value, known })
                }
            };
            rows.push(Row { from, what });
        }
        Ok(Plan { rows, file: Some(file) })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn changes(&self) -> usize {
        self.rows.iter().filter(|row| row.what.as_ref().is_ok_and(|change| !change.known)).count()
    }

    pub(super) fn write(&self, dry_run: bool) -> AppResult<()> {
        if let Some(file) = &self.file
            && !dry_run
            && self.changes() > 0
        {
            file.write()?;
        }
        Ok(())
    }

    pub(super) fn to_json(&self) -> Value {
        let rows = self.rows.iter().map(|row| match &row.what {
            Ok(change) => json!({
                "from": row.from, "action": change.verb(), "key": change.key.name,
                "value": to_json(&change.value),
            }),
            Err(why) => json!({"from": row.from, "action": "skip", "why": why}),
        });
        rows.collect()
    }

    pub(super) fn report(&self, app: &CliApp, dry_run: bool) -> AppResult<()> {
        if self.is_empty() {
            return Ok(());
        }
        let verb = if dry_run { "Would set" } else { "Set" };
        let (changes, all) = (self.changes(), self.rows.len());
        app.ui.line(format!("{verb} {} of {all}", count(changes, "setting", "settings")))?;
        for row in &self.rows {
            let (verb, what) = match &row.what {
                Ok(change) => (change.verb(), format!("{} = {}", change.key.name, change.value)),
                Err(why) => ("skip", (*why).to_owned()),
            };
            app.ui.line(visible(&format!("  {verb:<4}  {}  {what}", row.from)))?;
        }
        Ok(())
    }
}

impl Change {
    fn verb(&self) -> &'static str {
        if self.known { "keep" } else { "set" }
    }
}
