//! `tacit forget`

use std::io::Write;

use serde_json::{Value, json};
use tacit_app::{AppError, AppResult};
use tacit_core::MemoryId;
use tacit_engine::{Engine, ForgetMode, PurgeResult, StoreAccess};

use crate::app::App;
use crate::field_args::reason;
use crate::render;
use crate::ui::Tone;

/// Take memories out of use.
///
/// A forgotten memory is no longer recalled; `tacit restore` brings it back. `--purge` removes it,
/// everything the history says of it and everything in the logs that quotes it, for good. Several
/// ids are one change, which `tacit undo` takes back as one.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit forget a1b2c3d4 --reason \"no longer true since the rewrite\"
  tacit forget a1b2c3d4 --archive
  tacit forget a1b2c3d4 --purge --yes")]
pub(crate) struct Forget {
    /// The ids; the beginning of one is enough where it is clear.
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Why, for the history.
    #[arg(long, short, value_name = "TEXT", default_value = "forgotten by hand")]
    reason: String,
    /// Set it aside and keep it, instead of letting it be removed in time.
    #[arg(long, conflicts_with = "purge")]
    archive: bool,
    /// Remove it and what the history says of it. This cannot be undone.
    #[arg(long)]
    purge: bool,
    /// Yes, remove it for good.
    #[arg(long, requires = "purge")]
    yes: bool,
    /// With `--purge`: also remove what `tacit doctor --fix` kept of damaged databases, which may
    /// still hold it.
    #[arg(long, requires = "purge")]
    damaged_copies: bool,
}

impl Forget {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        let reason = reason(self.reason)?;
        if self.purge && !self.yes {
            return Err(AppError::usage("a purge removes memories for good; nothing was done")
                .hint("add `--yes` if you mean it; without `--purge`, `tacit restore` can help"));
        }
        let departure = if self.archive { ForgetMode::Archive } else { ForgetMode::Retire };
        if self.purge {
            app.person_only("purge a memory")?;
        }
        let mut engine = app.engine_to_tell(StoreAccess::WriteBoth)?;
        if self.purge {
            let (resumed, ids) = resumed(&engine, &self.ids);
            let purged = match ids.as_slice() {
                [] => PurgeResult::default(),
                ids => engine.purge(ids, reason, self.damaged_copies)?,
            };
            drop(engine);
            return tell_purged(app, &resumed, &purged);
        }
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let done = engine.forget_all(&ids, departure, reason)?;
        drop(engine);
        app.tell_fate(if self.archive { "Archived" } else { "Forgot" }, &done)
    }
}

/// Tells ids of memories whose purge was interrupted, and finished when the store was opened, from
/// those that are still to be purged.
fn resumed<'a>(engine: &Engine<'_>, ids: &'a [String]) -> (Vec<MemoryId>, Vec<&'a str>) {
    let (mut resumed, mut others) = (Vec::new(), Vec::new());
    for id in ids {
        let meant = engine.resumed_purges().iter().find(|purged| {
            purged.to_string() == *id || purged.short().to_string().starts_with(id.as_str())
        });
        match meant {
            Some(purged) if engine.find(id).is_err() => resumed.push(*purged),
            _ => others.push(id.as_str()),
        }
    }
    (resumed, others)
}

fn tell_purged(app: &App, resumed: &[MemoryId], purged: &PurgeResult) -> AppResult<()> {
    if app.json {
        // What was removed for good is not printed once more.
        let one = |id: &MemoryId, scope: Option<&str>| json!({"id": id, "short_id": id.short().to_string(), "shelf": scope, "purged": true});
        let done =
            purged.memories.iter().map(|found| one(&found.memory.id, Some(found.store.as_str())));
        let values = resumed.iter().map(|id| one(id, None)).chain(done);
        app.ui.json(&Value::Array(values.collect()))?;
    } else {
        for id in resumed {
            let id = app.ui.paint(Tone::Id, &id.short().to_string());
            app.ui.line(format!("Purged: finished what was interrupted (id {id})"))?;
        }
        let purged = purged.memories.iter();
        app.ui.lines(purged.map(|found| render::fate(&app.ui, "Purged", &found.memory)))?;
    }
    app.ui.flush()?;
    let mut notes = Vec::new();
    if purged.unfinished {
        notes
            .push("other processes use the store; the next command removes the last traces".into());
    }
    for path in &purged.quoted_in {
        notes.push(format!("`{}` quotes it and is yours to change", path.display()));
    }
    for path in &purged.damaged_copies {
        notes.push(format!(
            "the damaged copy `{}` may still hold it; `rm '{}'*` removes it, and so does \
             `--damaged-copies` with the next purge",
            path.display(),
            path.display()
        ));
    }
    for note in notes {
        writeln!(std::io::stderr(), "note: {}", render::visible(&note))?;
    }
    Ok(())
}
