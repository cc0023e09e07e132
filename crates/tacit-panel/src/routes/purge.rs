//! Deletes memories for good.

use axum::http::Method;
use tacit_app::purge::prove;
use tacit_core::Reasoning;
use tacit_engine::StoreAccess;

use crate::error::ApiError;
use crate::phrase::Sentence;
use crate::route::{ApiCall, Route};
use crate::wire::memory::{ItemList, Items, Purge, Purged};

/// The memories of one purge.
const MOST_IDS: usize = 100;
/// The word that says that a purge is meant.
const CONFIRM: &str = "purge";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::POST, "/purge/preview", "Show what would be deleted for good.", preview),
        Route::new(Method::POST, "/purge", "Delete memories and all that quotes them.", purge),
    ]
}

fn preview(call: &ApiCall<'_>, input: Purge) -> Result<ItemList, ApiError> {
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let ids = input.ids.iter().take(MOST_IDS);
    let found = ids.map(|id| Ok(engine.find(id)?)).collect::<Result<Vec<_>, ApiError>>()?;
    Ok(ItemList { items: Items::read(&engine)?.all(&found) })
}

fn purge(call: &ApiCall<'_>, input: Purge) -> Result<Purged, ApiError> {
    let app = call.app;
    call.person_only("purge a memory")?;
    if input.confirm.as_deref() != Some(CONFIRM) {
        return Err(ApiError::unconfirmed(CONFIRM));
    }
    if input.ids.is_empty() || input.ids.len() > MOST_IDS {
        return Err(ApiError::usage(format!("`ids` must have 1 to {MOST_IDS} entries")));
    }
    call.state.jobs.check_idle()?;
    let ids: Vec<&str> = input.ids.iter().map(String::as_str).collect();
    let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
    let purged =
        engine.purge(&ids, Reasoning::new("purged in the panel")?, input.damaged_copies)?;
    // The proof reads the files that an open engine holds.
    drop(engine);
    let proof = prove(app, &purged);
    let left = proof.scan.left.iter().chain(&proof.not_touched).chain(&purged.damaged_copies);
    let mut notes: Vec<Sentence> = Vec::new();
    if purged.unfinished {
        notes.push("other processes kept the last traces; the next command removes them".into());
    }
    let quoting = purged.quoted_by.iter().map(|id| format!("memory {} quotes it", id.short()));
    notes.extend(quoting.map(Sentence::from));
    Ok(Purged {
        purged: purged.memories.iter().map(|found| found.memory.id.to_string()).collect(),
        left: left.map(|path| path.display().to_string()).collect(),
        notes,
    })
}
