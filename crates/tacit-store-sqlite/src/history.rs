//! Storage of the history.

use std::path::Path;

use rusqlite::{Connection, Row, params};
use serde_json::{Map, Value};
use tacit_core::{Author, MemoryId, Reasoning, Timestamp};
use tacit_store::{Action, ActionKind, Change, ChangeId, ChangeItem, ChangeQuery, StoreResult};

use crate::error::{damaged, explain, unwritable};
use crate::filter::Condition;
use crate::store::identifier;

/// Condition for a change `c` that is in force. An undo may itself be undone, and so on: the change
/// is in force if the chain of undos has even length.
const IN_FORCE: &str = "(
    WITH RECURSIVE upon (id, height) AS (
        SELECT c.id, 0
        UNION ALL
        SELECT (SELECT max(later.id) FROM changes later WHERE later.reverts = upon.id), height + 1
        FROM upon WHERE EXISTS (SELECT 1 FROM changes later WHERE later.reverts = upon.id))
    SELECT max(height) % 2 = 0 FROM upon)";

/// Condition for a change `c` that `undo` stops at. A change whose memories were all purged is
/// empty; the purge itself stops `undo`.
const UNDOABLE: &str = "c.kind <> 'undo' AND (c.kind = 'purge' OR EXISTS (
    SELECT 1 FROM change_items i WHERE i.change = c.id
    AND (i.before IS NOT NULL OR i.after IS NOT NULL)))";

/// The first columns that [`change`] reads; the last is the change that undid it.
pub(crate) const CHANGE: &str = "c.id, c.at, c.kind, c.actor, c.reason, c.reverts";

/// Inserts a change.
pub(crate) fn open_change(connection: &Connection, action: &Action) -> rusqlite::Result<ChangeId> {
    connection
        .prepare_cached(
            "INSERT INTO changes (at, kind, actor, reason, reverts) VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![
            action.at.as_millis(),
            action.kind.as_str(),
            action.actor.as_str(),
            action.reason.as_ref().map(Reasoning::as_str),
            action.reverts,
        ])?;
    Ok(connection.last_insert_rowid())
}

/// Inserts the change of one memory.
pub(crate) fn add_item(
    connection: &Connection,
    change: ChangeId,
    memory: &MemoryId,
    before: Option<&Map<String, Value>>,
    after: Option<&Map<String, Value>>,
) -> rusqlite::Result<()> {
    let json = |fields: Option<&Map<String, Value>>| {
        fields.map(serde_json::to_string).transpose().map_err(unwritable)
    };
    connection
        .prepare_cached(
            "INSERT INTO change_items (change, memory, before, after) VALUES (?, ?, ?, ?)",
        )?
        .execute(params![change, memory.as_bytes(), json(before)?, json(after)?])?;
    Ok(())
}

pub(crate) fn changes(
    connection: &Connection,
    path: &Path,
    query: &ChangeQuery,
) -> StoreResult<Vec<Change>> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let mut condition = condition_of(query);
    condition.limit(query.limit);
    let sql = format!(
        "SELECT {CHANGE},
             CASE WHEN NOT {IN_FORCE} THEN
                 (SELECT max(later.id) FROM changes later WHERE later.reverts = c.id) END
         FROM changes c WHERE {} ORDER BY c.id DESC LIMIT ?",
        condition.sql()
    );
    let mut statement = connection.prepare_cached(&sql).map_err(fail)?;
    let mut rows = statement.query(condition.parameters().as_slice()).map_err(fail)?;
    let mut changes = Vec::new();
    while let Some(row) = rows.next().map_err(fail)? {
        changes.push(change(path, row)?);
    }
    if !query.without_items {
        attach_items(connection, path, query.memory, &mut changes)?;
    }
    Ok(changes)
}

/// Counts the changes that a query means, whatever its limit.
pub(crate) fn count(
    connection: &Connection,
    path: &Path,
    query: &ChangeQuery,
) -> StoreResult<usize> {
    let condition = condition_of(query);
    let sql = format!("SELECT count(*) FROM changes c WHERE {}", condition.sql());
    connection
        .prepare_cached(&sql)
        .and_then(|mut statement| {
            statement.query_row(condition.parameters().as_slice(), |row| row.get(0))
        })
        .map(|number: i64| usize::try_from(number).unwrap_or(0))
        .map_err(|error| explain(path, &error))
}

fn condition_of(query: &ChangeQuery) -> Condition {
    let mut condition = Condition::default();
    condition.given("c.id = ?", query.id);
    let touched = "c.id IN (SELECT change FROM change_items WHERE memory = ?)";
    condition.given(touched, query.memory.map(|memory| *memory.as_bytes()));
    condition.given("c.id > ?", query.after);
    if query.undoable {
        condition.add::<i64>(UNDOABLE, []);
        condition.add::<i64>(IN_FORCE, []);
    }
    condition
}

pub(crate) fn change(path: &Path, row: &Row<'_>) -> StoreResult<Change> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let bad = |what: &str| damaged(path, format!("a change's `{what}` is not one"));
    let kind: String = row.get(2).map_err(fail)?;
    let actor: String = row.get(3).map_err(fail)?;
    let reason: Option<String> = row.get(4).map_err(fail)?;
    Ok(Change {
        id: row.get(0).map_err(fail)?,
        action: Action {
            kind: ActionKind::from_word(&kind).ok_or_else(|| bad("kind"))?,
            at: Timestamp::from_millis(row.get(1).map_err(fail)?).ok_or_else(|| bad("at"))?,
            actor: Author::new(actor).map_err(|_| bad("actor"))?,
            reason: reason.map(Reasoning::new).transpose().map_err(|_| bad("reason"))?,
            reverts: row.get(5).map_err(fail)?,
        },
        reverted_by: row.get(6).map_err(fail)?,
        items: Vec::new(),
    })
}

/// Reads the items of all changes with one statement, only those of one memory if it is given.
pub(crate) fn attach_items(
    connection: &Connection,
    path: &Path,
    memory: Option<MemoryId>,
    changes: &mut [Change],
) -> StoreResult<()> {
    let fail = |error: rusqlite::Error| explain(path, &error);
    let ids: Vec<ChangeId> = changes.iter().map(|change| change.id).collect();
    let list = serde_json::to_string(&ids).map_err(unwritable).map_err(fail)?;
    let mut condition = Condition::default();
    condition.add("change IN (SELECT value FROM json_each(?))", [list]);
    condition.given("memory = ?", memory.map(|memory| *memory.as_bytes()));
    let sql = format!(
        "SELECT change, memory, before, after FROM change_items WHERE {} ORDER BY rowid",
        condition.sql()
    );
    let mut statement = connection.prepare_cached(&sql).map_err(fail)?;
    let mut rows = statement.query(condition.parameters().as_slice()).map_err(fail)?;
    while let Some(row) = rows.next().map_err(fail)? {
        let id: ChangeId = row.get(0).map_err(fail)?;
        let item = ChangeItem {
            memory: identifier(path, row.get(1).map_err(fail)?)?,
            before: fields(path, row.get(2).map_err(fail)?)?,
            after: fields(path, row.get(3).map_err(fail)?)?,
        };
        if let Some(change) = changes.iter_mut().find(|change| change.id == id) {
            change.items.push(item);
        }
    }
    Ok(())
}

fn fields(path: &Path, json: Option<String>) -> StoreResult<Option<Map<String, Value>>> {
    json.map(|json| {
        serde_json::from_str(&json)
            .map_err(|error| damaged(path, format!("an entry of the history is broken: {error}")))
    })
    .transpose()
}
