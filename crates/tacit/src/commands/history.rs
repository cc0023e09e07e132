//! `tacit history`

use serde_json::{Map, Value, json};
use tacit_app::AppResult;
use tacit_app::human_time::ago;
use tacit_core::Visibility;
use tacit_engine::{StoreAccess, StoreScope};
use tacit_store::{Change, ChangeItem, ChangeQuery};

use crate::app::{CliApp, StoreScopeArg};
use crate::commands::{count, footer};
use crate::filter_args::at_least_one;
use crate::render;
use crate::ui::Tone;

/// List changes: who, what, when and why.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit history
  tacit history a1b2c3d4        the changes of one memory
  tacit history --limit 100 --json")]
pub(crate) struct HistoryArgs {
    /// Only the changes of this memory.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Maximum number of changes.
    #[arg(long, short = 'n', value_name = "COUNT", default_value = "20", value_parser = at_least_one)]
    limit: usize,
    #[command(flatten)]
    scope: StoreScopeArg,
}

impl HistoryArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let mut scope = self.scope.scope();
        let needs =
            if self.id.is_some() { StoreAccess::ReadBoth } else { StoreAccess::Read(scope) };
        let engine = app.engine(needs)?;
        let mut query = ChangeQuery { limit: self.limit, ..ChangeQuery::default() };
        if let Some(id) = &self.id {
            query.memory = Some(match engine.find(id) {
                Ok(found) => {
                    scope = found.store;
                    found.memory.id
                }
                // A deleted memory still has a history, under its full identifier.
                Err(error) => id.parse().map_err(|_| error)?,
            });
        }
        let changes = engine.history(scope, &query)?;
        let is_whole = changes.len() < self.limit;
        let total = if is_whole { changes.len() } else { engine.count_history(scope, &query)? };
        drop(engine);
        if app.json {
            let values = Value::Array(changes.iter().map(to_json).collect());
            return app.ui.json(&values);
        }
        if changes.is_empty() {
            return app.ui.line("No changes.");
        }
        self.print(app, scope, &changes)?;
        app.ui.footer(footer(0, changes.len(), total))
    }

    fn print(&self, app: &CliApp, scope: StoreScope, changes: &[Change]) -> AppResult<()> {
        let now = app.now();
        for change in changes {
            let action = &change.action;
            let id = format!("{:>4}", change.id);
            let when = ago(action.at, now);
            let reverts = action.reverts.map(|id| format!("  undoes {id}")).unwrap_or_default();
            let reverted =
                change.reverted_by.map(|by| format!("  undone by {by}")).unwrap_or_default();
            let global = if scope == StoreScope::Global { "  global" } else { "" };
            let others = [&id, &when, &reverts, &reverted, global];
            let taken = others.iter().map(|text| text.chars().count()).sum::<usize>() + 14;
            app.ui.line(format!(
                "{}  {:<8}  {}  {}{reverts}{}{global}",
                app.ui.paint(Tone::Id, &id),
                action.kind.as_str(),
                app.ui.fit(&render::visible(action.actor.as_str()), taken),
                app.ui.paint(Tone::Dim, &when),
                app.ui.paint(Tone::Warn, &reverted),
            ))?;
            if let Some(reason) = &action.reason {
                app.ui.line(format!("      because: {}", render::visible(reason.as_str())))?;
            }
            const SHOWN: usize = 3;
            for item in change.items.iter().take(SHOWN) {
                let width = app.ui.width().saturating_sub(6);
                app.ui.line(format!("      {}", render::cut(&in_words(item), width)))?;
            }
            if change.items.len() > SHOWN {
                let more = count(change.items.len() - SHOWN, "memory", "memories");
                app.ui.line(format!("      and {more} more"))?;
            }
        }
        Ok(())
    }
}

fn in_words(item: &ChangeItem) -> String {
    let id = item.memory.short();
    let title = |fields: &Map<String, Value>| {
        let text = fields.get("title").or_else(|| fields.get("content")).and_then(Value::as_str);
        render::visible(text.unwrap_or_default().lines().next().unwrap_or_default())
    };
    match (&item.before, &item.after) {
        (None, Some(after)) => format!("{id} + {}", title(after)),
        (Some(before), None) => format!("{id} - {}", title(before)),
        (None, None) => format!("{id} (purged)"),
        (Some(before), Some(after)) => {
            let parts: Vec<String> = after
                .iter()
                .filter(|(key, _)| *key != "updated_at")
                .map(|(key, new)| {
                    let word = |value: &Value| match value {
                        // The default is not in the JSON form.
                        Value::Null if key == "visibility" => Visibility::default().to_string(),
                        other => short(other),
                    };
                    let old = before.get(key).map(word).unwrap_or_default();
                    format!("{key}: {old} → {}", word(new))
                })
                .collect();
            format!("{id} {}", parts.join("; "))
        }
    }
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => text.lines().next().unwrap_or_default().to_owned(),
        Value::Object(fields) if fields.contains_key("state") => {
            fields.get("state").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    };
    render::cut(&render::visible(&text), 40)
}

fn to_json(change: &Change) -> Value {
    json!({
        "change": change.id,
        "kind": change.action.kind,
        "at": change.action.at,
        "actor": change.action.actor,
        "reason": change.action.reason,
        "reverts": change.action.reverts,
        "reverted_by": change.reverted_by,
        "items": change.items,
    })
}
