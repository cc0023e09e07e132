//! Storage: statistics, pruning, backups and exports.

use std::collections::BTreeMap;

use axum::http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tacit_app::change::HistoryMark;
use tacit_app::export::{ExportFormat, ExportWriter};
use tacit_app::maintain::preview;
use tacit_app::prune::{self, PruneRule, Pruned};
use tacit_app::review::{drop_waiting, review_queue};
use tacit_engine::{BackupFile, ForgetMode, StoreAccess, StoreScope};
use tacit_store::Filter;

use crate::error::ApiError;
use crate::phrase::Sentence;
use crate::route::{ApiCall, ApiReply, Route};
use crate::wire::filter::{Filters, StoreName};
use crate::wire::memory::{BulkDone, Item, Items, Nothing, UndoRef};

/// The memories of a preview.
const SHOWN: usize = 200;
/// The defaults of pruning by confidence.
const LOW_CONFIDENCE: f64 = 0.2;
const UNUSED_DAYS: f64 = 30.0;
/// The word that says that a backup is to be restored.
const CONFIRM: &str = "restore";
const SCOPES: [StoreScope; 2] = [StoreScope::Project, StoreScope::Global];

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/storage", "Count memories and bytes.", storage).cached(),
        Route::new(Method::POST, "/prune/preview", "Show what a rule would prune.", prune_preview),
        Route::new(Method::POST, "/prune", "Take what a rule matches out of use.", prune_now),
        Route::new(Method::GET, "/work-units", "List the units of work with memories.", units)
            .cached(),
        Route::new(
            Method::GET,
            "/maintenance/preview",
            "Show what maintenance would do.",
            maintenance,
        )
        .cached(),
        Route::new(Method::GET, "/backups", "List the backups.", backups),
        Route::new(Method::POST, "/backups", "Make a backup.", back_up),
        Route::new(Method::POST, "/backups/restore", "Replace a store by a backup.", restore),
        Route::file("/export", "Export memories to a file.", export),
    ]
}

/// The stores.
#[derive(Debug, Serialize, JsonSchema)]
struct Storage {
    stores: Vec<StoreView>,
}

/// A store.
#[derive(Debug, Serialize, JsonSchema)]
struct StoreView {
    store: StoreName,
    path: String,
    bytes: u64,
    by_status: BTreeMap<String, u64>,
    by_type: BTreeMap<String, u64>,
    by_source: BTreeMap<String, u64>,
    by_scope: BTreeMap<String, u64>,
    tags: BTreeMap<String, u64>,
    stale: u64,
    changes: u64,
    needs_review: usize,
    models: Vec<ModelView>,
}

/// An embedding model.
#[derive(Debug, Serialize, JsonSchema)]
struct ModelView {
    name: String,
    dimensions: u64,
    active: bool,
    /// The memories that wait for it.
    waiting: u64,
}

fn storage(call: &ApiCall<'_>, _: Nothing) -> Result<Storage, ApiError> {
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let queue = review_queue(&engine, call.app.now())?.items;
    let mut stores = Vec::new();
    for (scope, store) in engine.stores() {
        let stats = store.stats()?;
        let map = |counts: &[(String, u64)]| counts.iter().cloned().collect();
        let models = store.models()?.into_iter().map(|state| ModelView {
            name: state.model.name.clone(),
            dimensions: state.model.dims as u64,
            active: state.active,
            waiting: state.pending,
        });
        stores.push(StoreView {
            store: scope.into(),
            path: engine.paths().database(scope).display().to_string(),
            bytes: stats.bytes,
            by_status: map(&stats.by_status),
            by_type: map(&stats.by_type),
            by_source: map(&stats.by_source),
            by_scope: map(&stats.by_scope),
            tags: map(&stats.tags),
            stale: stats.stale,
            changes: stats.changes,
            needs_review: queue.iter().filter(|item| item.found.store == scope).count(),
            models: models.collect(),
        });
    }
    Ok(Storage { stores })
}

/// A rule of pruning.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Prune {
    rule: PruneWord,
    /// The units of finished work, as `/work-units` lists their paths.
    #[serde(default)]
    units: Vec<String>,
    /// The confidence below which memories are pruned; 0.2 if not given.
    below: Option<f64>,
    /// Days without use; 30 if not given.
    unused_days: Option<f64>,
    /// The number of memories that the preview counted.
    expect: Option<usize>,
}

/// The name of a rule.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PruneWord {
    MissingFiles,
    FinishedWork,
    LowConfidence,
}

/// The memories that a rule would prune.
#[derive(Debug, Serialize, JsonSchema)]
struct PrunePreview {
    count: usize,
    /// The first of them.
    items: Vec<Step>,
    /// The approximate size of the texts.
    bytes: usize,
}

/// A step in the life of a memory.
#[derive(Debug, Serialize, JsonSchema)]
struct Step {
    item: Item,
    /// retire, archive, stale, refresh or purge.
    step: String,
    reason: Sentence,
}

impl Prune {
    fn rule(&self) -> Result<PruneRule, ApiError> {
        Ok(match self.rule {
            PruneWord::MissingFiles => PruneRule::MissingFiles,
            PruneWord::FinishedWork if self.units.is_empty() => {
                return Err(ApiError::usage("`units` names no unit of work"));
            }
            PruneWord::FinishedWork => PruneRule::FinishedWork(self.units.clone()),
            PruneWord::LowConfidence => PruneRule::LowConfidence {
                below: self.below.unwrap_or(LOW_CONFIDENCE),
                unused_days: self.unused_days.unwrap_or(UNUSED_DAYS),
            },
        })
    }
}

fn prune_preview(call: &ApiCall<'_>, input: Prune) -> Result<PrunePreview, ApiError> {
    let rule = input.rule()?;
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let planned = prune::plan(call.app, &engine, &rule)?;
    let items = Items::read(&engine)?;
    let step = if rule.mode() == ForgetMode::Archive { "archive" } else { "retire" };
    let size = |one: &Pruned| one.found.memory.to_json().to_string().len();
    let shown = planned.iter().take(SHOWN).map(|one| Step {
        item: items.one(&one.found),
        step: step.to_owned(),
        reason: one.reason.as_str().into(),
    });
    Ok(PrunePreview {
        count: planned.len(),
        bytes: planned.iter().map(size).sum(),
        items: shown.collect(),
    })
}

fn prune_now(call: &ApiCall<'_>, input: Prune) -> Result<BulkDone, ApiError> {
    let app = call.app;
    let rule = input.rule()?;
    let expected = input
        .expect
        .ok_or_else(|| ApiError::usage("`expect` must be the number of the preview"))?;
    let mut engine = app.engine_for_write(StoreAccess::WriteBoth)?;
    let planned = prune::plan(app, &engine, &rule)?;
    if planned.len() != expected {
        let message = format!("{} memories match now, not {expected}", planned.len());
        return Err(ApiError::refused(message).hint("look at the preview again"));
    }
    let ids: Vec<_> = planned.iter().map(|one| one.found.memory.id).collect();
    let mark = HistoryMark::of(&engine)?;
    let changed = prune::apply(&mut engine, &rule, &planned)?.len();
    let undo = mark.changes_since(app, &engine, &ids)?.into_iter().map(UndoRef::from).collect();
    drop(engine);
    drop_waiting(&app.places);
    Ok(BulkDone { changed, undo, failed: Vec::new(), cancelled: false })
}

/// Units of work.
#[derive(Debug, Serialize, JsonSchema)]
struct Units {
    units: Vec<UnitView>,
}

/// A unit of work.
#[derive(Debug, Serialize, JsonSchema)]
struct UnitView {
    methodology: String,
    path: String,
    label: String,
    memories: usize,
    finished: bool,
}

fn units(call: &ApiCall<'_>, _: Nothing) -> Result<Units, ApiError> {
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let units = prune::remembered_units(&engine)?.into_iter().map(|unit| {
        let prune::RememberedUnit { methodology, path, label, memories, finished } = unit;
        UnitView { methodology, path, label, memories, finished }
    });
    Ok(Units { units: units.collect() })
}

/// The next maintenance.
#[derive(Debug, Serialize, JsonSchema)]
struct MaintenanceView {
    stores: Vec<MaintainedStore>,
}

/// The next maintenance of a store.
#[derive(Debug, Serialize, JsonSchema)]
struct MaintainedStore {
    store: StoreName,
    steps: Vec<Step>,
    confidences: Vec<ConfidenceStep>,
}

/// A memory whose derived confidence would change.
#[derive(Debug, Serialize, JsonSchema)]
struct ConfidenceStep {
    item: Item,
    from: f64,
    to: f64,
}

fn maintenance(call: &ApiCall<'_>, _: Nothing) -> Result<MaintenanceView, ApiError> {
    let app = call.app;
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let items = Items::read(&engine)?;
    drop(engine);
    let mut stores = Vec::new();
    for scope in SCOPES.into_iter().filter(|scope| app.places.database(*scope).exists()) {
        let planned = preview(app, scope)?;
        let steps = planned.life.iter().map(|planned| Step {
            item: items.one(&planned.found),
            step: planned.step.as_str().to_owned(),
            reason: planned.step.reason().into(),
        });
        let confidences = planned.confidences.iter().map(|planned| {
            let body = &planned.found.memory.body;
            ConfidenceStep {
                item: items.one(&planned.found),
                from: body.effective_confidence().value(),
                to: planned.derived.unwrap_or(body.confidence).value(),
            }
        });
        let (steps, confidences) = (steps.collect(), confidences.collect());
        stores.push(MaintainedStore { store: scope.into(), steps, confidences });
    }
    Ok(MaintenanceView { stores })
}

/// The backups.
#[derive(Debug, Serialize, JsonSchema)]
struct Backups {
    /// The newest first, for each store.
    backups: Vec<Backup>,
}

/// A backup.
#[derive(Debug, Serialize, JsonSchema)]
struct Backup {
    store: StoreName,
    name: String,
    at: String,
    bytes: u64,
    /// True for one that somebody asked for; it is never deleted.
    requested: bool,
    /// True for a database that was replaced by a backup.
    replaced: bool,
}

impl Backup {
    fn of(scope: StoreScope, backup: &BackupFile) -> Backup {
        Backup {
            store: scope.into(),
            name: backup.name.clone(),
            at: backup.at.to_string(),
            bytes: backup.bytes,
            requested: backup.is_requested(),
            replaced: backup.number.is_none(),
        }
    }
}

/// A store.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfStore {
    store: StoreName,
}

/// A backup to restore.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Restore {
    store: StoreName,
    name: String,
    /// `restore`, to say that it is meant.
    confirm: Option<String>,
}

/// The result of a restored backup.
#[derive(Debug, Serialize, JsonSchema)]
struct Restored {
    memories: u64,
    /// The path of the database before.
    replaced: Option<String>,
}

fn backups(call: &ApiCall<'_>, _: Nothing) -> Result<Backups, ApiError> {
    let all = SCOPES.into_iter().flat_map(|scope| {
        let backups = call.app.places.list_backups(scope);
        backups.into_iter().map(move |backup| Backup::of(scope, &backup))
    });
    Ok(Backups { backups: all.collect() })
}

fn back_up(call: &ApiCall<'_>, input: OfStore) -> Result<Backup, ApiError> {
    let scope = StoreScope::from(input.store);
    Ok(Backup::of(scope, &tacit_app::backup::back_up(call.app, scope)?))
}

fn restore(call: &ApiCall<'_>, input: Restore) -> Result<Restored, ApiError> {
    let app = call.app;
    call.person_only("restore a backup")?;
    if input.confirm.as_deref() != Some(CONFIRM) {
        return Err(ApiError::unconfirmed(CONFIRM));
    }
    call.state.jobs.check_idle()?;
    let scope = StoreScope::from(input.store);
    let missing = || ApiError::not_found(format!("there is no backup `{}`", input.name));
    let backup = app.places.find_backup(scope, &input.name).ok_or_else(missing)?;
    let mut waiting = |_: &str| {};
    let _maintenance = app.places.stop_maintenance(scope, app.config(), &mut waiting)?;
    let done = app.places.restore_backup(scope, backup, app.config(), app.now(), &mut waiting)?;
    Ok(Restored {
        memories: done.memories,
        replaced: done.replaced.map(|path| path.display().to_string()),
    })
}

/// An export.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Export {
    format: ExportWord,
    store: StoreName,
    #[serde(default)]
    filter: Filters,
}

/// The format of an export.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ExportWord {
    Jsonl,
    Markdown,
}

fn export(call: &ApiCall<'_>, input: Export) -> Result<ApiReply, ApiError> {
    let filter = Filter { statistics: true, ..input.filter.filter(call.app)? };
    let scope = StoreScope::from(input.store);
    let (format, media_type, ending) = match input.format {
        ExportWord::Jsonl => (ExportFormat::Jsonl, "application/x-ndjson", "jsonl"),
        ExportWord::Markdown => (ExportFormat::Markdown, "text/markdown; charset=utf-8", "md"),
    };
    let engine = call.app.engine(StoreAccess::Read(scope))?;
    let mut writer = ExportWriter::new(format, Vec::new());
    engine.export(scope, &filter, |memory| writer.memory(memory))?;
    Ok(ApiReply::File { media_type, name: format!("memories.{ending}"), bytes: writer.finish()? })
}
