//! Memories to read: lists, searches, and one with all that is known about it.

use axum::http::Method;
use tacit_app::recall::{AT_LEAST, RequestedPeriod, recall};
use tacit_app::review::{MemoryEvidence, card, likely_originals, review_item};
use tacit_app::{code, show};
use tacit_core::RelationTarget;
use tacit_engine::{
    CLEAR, Engine, RankProfile, RecallPeriod, RecallRequest, SearchChannels, StoreAccess,
    StoreScope, StoredMemory, Strictness,
};
use tacit_store::{Change, ChangeQuery, InjectionQuery, ListOrder};

use crate::cache::DataVersion;
use crate::error::ApiError;
use crate::route::{ApiCall, Route};
use crate::wire::filter::{ListQuery, SearchQuery};
use crate::wire::memory::{
    ChangeView, ChangedFields, CitedMemory, DuplicateQuery, HistoryQuery, Hit, InjectionView,
    ItemList, Items, Link, Location, MemoryHistory, MemoryPage, Nothing, One, Provenance,
    SearchResults, Waits,
};

/// The memories of a page, and the most of one.
const PAGE: usize = 100;
const LARGEST_PAGE: usize = 500;
/// The results of a search, and the most of one.
const RESULTS: usize = 30;
const MOST_RESULTS: usize = 100;
/// The characters of a query.
const LONGEST_QUERY: usize = 2_000;
/// The changes and injections that one memory shows.
const CHANGES: usize = 20;
const MOST_CHANGES: usize = 200;
const INJECTIONS: usize = 50;
/// The likely originals of a duplicate.
const ORIGINALS: usize = 5;
const MOST_ORIGINALS: usize = 20;
/// The orders of lists, as words.
const ORDERS: [(&str, ListOrder); 5] = [
    ("newest", ListOrder::Newest),
    ("oldest", ListOrder::Oldest),
    ("changed", ListOrder::Changed),
    ("used", ListOrder::Used),
    ("confidence", ListOrder::Confidence),
];

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/memories", "List memories.", list),
        Route::new(Method::GET, "/search", "Search memories by words and meaning.", search),
        Route::new(Method::GET, "/memories/{id}", "Show a memory and all about it.", one),
        Route::new(Method::GET, "/memories/{id}/duplicates", "Find similar memories.", duplicates),
        Route::new(Method::GET, "/memories/{id}/history", "List the changes of a memory.", history),
        Route::new(Method::GET, "/open/{id}", "Find the memory that a citation names.", open),
    ]
}

fn list(call: &ApiCall<'_>, query: ListQuery) -> Result<MemoryPage, ApiError> {
    let limit = query.limit.as_ref().map_or(PAGE, |limit| limit.0).clamp(1, LARGEST_PAGE);
    let sort = query.sort.as_deref().unwrap_or("newest");
    let order = ORDERS.iter().find(|(word, _)| *word == sort).map(|(_, order)| *order);
    let order = order.ok_or_else(|| ApiError::usage(format!("`sort`: `{sort}` is no order")))?;
    let offset = match (&query.cursor, &query.offset) {
        (Some(cursor), None) => cursor
            .parse()
            .map_err(|_| ApiError::usage(format!("`cursor`: `{cursor}` is no cursor")))?,
        (None, Some(offset)) => offset.0,
        (None, None) => 0,
        (Some(_), Some(_)) => {
            return Err(ApiError::usage("`cursor` and `offset` exclude each other"));
        }
    };
    let filters = query.filters();
    let (filter, only) = (filters.filter(call.app)?, filters.only());
    let engine = call.app.engine(only.map_or(StoreAccess::ReadBoth, StoreAccess::Read))?;
    let found = engine.list(only, &filter, order, limit, offset)?;
    let total = call.state.cache.get(
        &format!("count {only:?} {filter:?}"),
        &DataVersion::of(call.app),
        || Ok(engine.count(only, &filter)?),
    )?;
    let total = *total;
    let next = offset + found.len();
    let next = (!found.is_empty() && next < total).then(|| next.to_string());
    Ok(MemoryPage { items: Items::read(&engine)?.all(&found), total, next })
}

fn search(call: &ApiCall<'_>, query: SearchQuery) -> Result<SearchResults, ApiError> {
    let app = call.app;
    let text = query.q.trim();
    if text.is_empty() || text.chars().count() > LONGEST_QUERY {
        return Err(ApiError::usage(format!("`q` must have 1 to {LONGEST_QUERY} characters")));
    }
    let channels = match query.mode.as_deref().unwrap_or("both") {
        "both" => SearchChannels::Both,
        "words" => SearchChannels::Words,
        other => {
            return Err(ApiError::usage(format!(
                "`mode`: `{other}` is neither `both` nor `words`"
            )));
        }
    };
    let filters = query.filters();
    let request = RecallRequest {
        query: text.to_owned(),
        filter: filters.filter(app)?,
        period: RecallPeriod::Any,
        limit: query.limit.as_ref().map_or(RESULTS, |limit| limit.0).clamp(1, MOST_RESULTS),
        at_least: AT_LEAST,
        strictness: Strictness::Explicit,
        profile: RankProfile::default(),
        phase: None,
        files: Vec::new(),
        symbols: Vec::new(),
        token_budget: None,
        channels,
        seen: Vec::new(),
        embed_timeout: None,
    };
    let engine = app.engine_for_query(&request)?;
    let mut results = recall(app, &engine, &app.here(), request, &RequestedPeriod::Any)?;
    if let Some(only) = filters.only() {
        results.shown.retain(|result| result.found.store == only);
    }
    let items = Items::read(&engine)?;
    let hits = results.shown.iter().map(|result| Hit {
        item: items.one(&result.found),
        score: result.score,
        likely: result.why.as_ref().map(|why| why.likelihood),
        clear: result.why.as_ref().is_some_and(|why| why.likelihood >= CLEAR),
        folded: result.folded.iter().map(ToString::to_string).collect(),
        conflicts: result.conflicts.iter().map(ToString::to_string).collect(),
    });
    Ok(SearchResults {
        items: hits.collect(),
        clear: results.is_clear,
        more: results.more,
        by_meaning: results.by_meaning,
        notes: results.notes.iter().map(|note| tacit_core::visible(note).into()).collect(),
    })
}

fn one(call: &ApiCall<'_>, _: Nothing) -> Result<One, ApiError> {
    let app = call.app;
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let found = engine.find(call.name())?;
    let memory = &found.memory;
    let items = Items::read(&engine)?;
    let waiting = review_item(&engine, &found, app.now())?;
    let waiting = waiting.map(|item| card(&engine, item)).transpose()?;
    let links = engine.code_links(found.store, &[memory.id])?;
    let mut item = items.one(&found);
    item.memory = show::with_links(&found, &links);
    let origin = &memory.body.origin;
    let relations = memory.body.relations.iter().map(|relation| {
        let (item, file) = match &relation.target {
            RelationTarget::Memory(id) => {
                (engine.find(&id.to_string()).ok().map(|found| items.one(&found)), None)
            }
            RelationTarget::File(path) => (None, Some(path.to_string())),
        };
        let (kind, direction) = (relation.kind.to_string(), "to".to_owned());
        Link { kind, direction, proposed: relation.auto_extracted, item, file }
    });
    let locations = code::locations(app, memory, &links)?.into_iter().map(|location| {
        let code::MemoryLocation { path, line, symbol, exists } = location;
        Location { path, line, symbol, exists }
    });
    Ok(One {
        provenance: Provenance {
            source: origin.source.to_string(),
            session: origin.sessions.iter().next().map(ToString::to_string),
            phase: origin.phase.map(|phase| phase.to_string()),
            commit: origin.commit.as_ref().map(ToString::to_string),
            author: origin.author.as_ref().map(ToString::to_string),
            generator: origin.generator.as_ref().map(ToString::to_string),
        },
        evidence: MemoryEvidence::of(memory).into(),
        relations: relations.collect(),
        locations: locations.collect(),
        history: changes_of(&engine, &found, CHANGES)?,
        injections: injections(&engine, &found)?,
        others: waiting.as_ref().map(|card| items.all(&card.others)).unwrap_or_default(),
        review: waiting.map(|card| Waits {
            reason: card.item.reason.as_str().to_owned(),
            why: card.detail.map(Into::into),
        }),
        item,
    })
}

/// Returns what hooks showed a memory for, newest first.
fn injections(engine: &Engine<'_>, found: &StoredMemory) -> Result<Vec<InjectionView>, ApiError> {
    if engine.store(StoreScope::Project).is_none() {
        return Ok(Vec::new());
    }
    let memory = Some(found.memory.id);
    let query = InjectionQuery { memory, limit: INJECTIONS, ..InjectionQuery::default() };
    Ok(engine.injections(&query)?.iter().map(InjectionView::from).collect())
}

fn changes_of(
    engine: &Engine<'_>,
    found: &StoredMemory,
    limit: usize,
) -> Result<Vec<ChangeView>, ApiError> {
    let query = ChangeQuery { memory: Some(found.memory.id), limit, ..ChangeQuery::default() };
    let changes = engine.history(found.store, &query)?;
    Ok(changes.into_iter().map(|change| change_view(found.store, change)).collect())
}

fn change_view(store: StoreScope, change: Change) -> ChangeView {
    let Change { id, action, reverted_by, items } = change;
    ChangeView {
        store: store.into(),
        change: id,
        kind: action.kind.as_str().to_owned(),
        at: action.at.to_string(),
        actor: action.actor.to_string(),
        reason: action.reason.map(|reason| reason.as_str().into()),
        reverted_by,
        fields: items
            .into_iter()
            .map(|item| ChangedFields {
                memory: item.memory.to_string(),
                before: item.before.map(serde_json::Value::Object),
                after: item.after.map(serde_json::Value::Object),
            })
            .collect(),
    }
}

fn history(call: &ApiCall<'_>, query: HistoryQuery) -> Result<MemoryHistory, ApiError> {
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let found = engine.find(call.name())?;
    let limit = query.limit.map_or(CHANGES, |limit| limit.0).clamp(1, MOST_CHANGES);
    let all = ChangeQuery { memory: Some(found.memory.id), ..ChangeQuery::default() };
    let total = engine.count_history(found.store, &all)?;
    Ok(MemoryHistory { changes: changes_of(&engine, &found, limit)?, total })
}

fn duplicates(call: &ApiCall<'_>, query: DuplicateQuery) -> Result<ItemList, ApiError> {
    let app = call.app;
    let most = query.limit.map_or(ORIGINALS, |limit| limit.0).clamp(1, MOST_ORIGINALS);
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let found = engine.find(call.name())?;
    let similar = match query.q.as_deref().map(str::trim).filter(|q| !q.is_empty()) {
        None => {
            let items = Items::read(&engine)?;
            drop(engine);
            return Ok(ItemList { items: items.all(&likely_originals(app, &found, most)?) });
        }
        Some(words) => {
            let request = RecallRequest {
                seen: vec![found.memory.id],
                at_least: AT_LEAST,
                ..RecallRequest::explicit(words, tacit_store::Filter::default(), most)
            };
            let engine = app.engine_for_query(&request)?;
            let shown = engine.recall(&request)?.shown.into_iter().map(|result| result.found);
            shown.filter(|other| other.store == found.store).collect::<Vec<_>>()
        }
    };
    Ok(ItemList { items: Items::read(&engine)?.all(&similar) })
}

fn open(call: &ApiCall<'_>, _: Nothing) -> Result<CitedMemory, ApiError> {
    let id = call.app.engine(StoreAccess::ReadBoth)?.find(call.name())?.memory.id;
    Ok(CitedMemory { id: id.to_string(), short_id: id.short().to_string() })
}
